//===- PlanStatement.h - What a certificate says it is about ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by the search and compared by the check.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_PLANSTATEMENT_H
#define DMC_LIB_PARALLELIZE_SOLVE_PLANSTATEMENT_H

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Parallelize/RankRates.h"
#include "dmc/Planner/LayoutProblem.h"

#include <algorithm>

namespace dmc {

/// Whole bytes, as far as they fit.
inline int64_t toBytes(double bytes) { return static_cast<int64_t>(std::min(bytes, 9e18)); }

/// The program's name, its mesh, the machine as far as plans depend on it, the operations around
/// which live ranges are split, and the fingerprint of the problem without rows of memory, in this
/// order.
std::vector<std::pair<std::string, std::string>> describePlan(ProgramAttr program,
                                                              const RankRates &rates,
                                                              const planner::LayoutProblem &problem,
                                                              llvm::StringRef splitAround);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_PLANSTATEMENT_H
