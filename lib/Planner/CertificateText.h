//===- CertificateText.h - What both directions of the text share -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_CERTIFICATETEXT_H
#define DMC_LIB_PLANNER_CERTIFICATETEXT_H

#include "dmc/Planner/Certificate.h"

#include <map>

namespace dmc::planner {

/// Where each link's potentials begin.
using LinkOffsets = std::map<std::pair<uint32_t, uint32_t>, size_t>;

/// `size` is set to the number of all potentials.
LinkOffsets getLinkOffsets(const LayoutProblem &problem, size_t &size);

/// Of a text up to its digest.
std::string getDigest(llvm::StringRef text);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CERTIFICATETEXT_H
