//===- SolveLayouts.cpp - All layouts as one problem ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States the problem, solves it from what was decided so far, and decides so.
//
//===----------------------------------------------------------------------===//
#include "LayoutChoice.h"

#include "dmc/Planner/Solve.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-propagate-layouts"

using namespace mlir;
using namespace dmc;

LogicalResult Propagation::solve(func::FuncOp entry, ProgramAttr program) {
  LayoutChoice choice(*this, entry, program);
  FailureOr<planner::LayoutProblem> problem = choice.build();
  if (failed(problem))
    return failure();
  planner::Assignment current = choice.getCurrent();
  LDBG() << "layout problem of " << problem->getNumVariables() << " variables, "
         << problem->parts().pairs.size() << " pairs, " << problem->parts().tables.size()
         << " tables; decided so far: " << problem->getCost(current) * 1e-9 << " ms, as priced "
         << ProgramCost(*this).getTotal().seconds * 1e3;
  planner::SolveOptions options;
  options.start = current;
  options.gap = 1e-3;
  planner::Solution solution = planner::solve(*problem, options);
  if (solution.assignment.empty())
    return entry.emitError("found no plan: ") << solution.conflict.message;
  choice.apply(solution.assignment);
  LDBG() << "solved " << stringify(solution.status) << " in " << solution.seconds << " s and "
         << solution.iterations << " iterations: " << solution.cost * 1e-9 << " ms, bound "
         << solution.bound * 1e-9 << " by " << stringify(solution.boundSource) << ", states "
         << solution.states << ", left " << solution.statesLeft << ", as priced "
         << ProgramCost(*this).getTotal().seconds * 1e3;
  return success();
}
