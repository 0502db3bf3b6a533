//===- Oracle.h - Optimum of tiny problems by enumeration -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_PLANNER_ORACLE_H
#define DMC_PLANNER_ORACLE_H

#include "dmc/Planner/LayoutProblem.h"

namespace dmc::planner {

/// The first of the best assignments in lexicographical order.
struct Optimum {
  /// Infeasible: there is no plan.
  int64_t cost = infeasible;
  Assignment assignment;
};

/// Tries all assignments; nothing if they are more than `limit`.
std::optional<Optimum> enumerate(const LayoutProblem &problem, int64_t limit = 10'000'000);

} // namespace dmc::planner

#endif // DMC_PLANNER_ORACLE_H
