//===- Oracle.cpp - Optimum of tiny problems by enumeration ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As plain as can be: every solver is compared with it.
//
//===----------------------------------------------------------------------===//
#include "dmc/Planner/Oracle.h"

using namespace dmc::planner;

std::optional<Optimum> dmc::planner::enumerate(const LayoutProblem &problem, int64_t limit) {
  int64_t count = 1;
  for (size_t v = 0; v < problem.getNumVariables(); ++v) {
    if (count > limit / problem.getNumStates(v))
      return std::nullopt;
    count *= problem.getNumStates(v);
  }
  Optimum best;
  Assignment assignment(problem.getNumVariables(), 0);
  for (int64_t i = 0; i < count; ++i) {
    if (int64_t cost = problem.getCost(assignment);
        cost < best.cost && problem.check(assignment).empty())
      best = {cost, assignment};
    // The last variable's state changes fastest.
    for (size_t v = assignment.size(); v-- > 0;) {
      if (++assignment[v] < problem.getNumStates(v))
        break;
      assignment[v] = 0;
    }
  }
  return best;
}
