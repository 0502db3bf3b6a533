//===- Elimination.h - Exact optimum by variable elimination ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_PLANNER_ELIMINATION_H
#define DMC_PLANNER_ELIMINATION_H

#include "dmc/Planner/Oracle.h"

namespace dmc::planner {

/// The optimum of a problem without rows of memory; which of several best assignments it is
/// depends on the problem alone. Nothing if there are rows, or if a table would have more than
/// `limit` entries.
std::optional<Optimum> eliminate(const LayoutProblem &problem, int64_t limit = int64_t(1) << 24);

} // namespace dmc::planner

#endif // DMC_PLANNER_ELIMINATION_H
