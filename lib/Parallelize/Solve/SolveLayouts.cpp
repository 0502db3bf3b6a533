//===- SolveLayouts.cpp - All layouts as one problem ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States the problem, solves it from what was decided so far, and decides so.
//
//===----------------------------------------------------------------------===//
#include "LayoutChoice.h"

#include "dmc/Planner/Elimination.h"

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
  std::optional<planner::Optimum> optimum = planner::eliminate(*problem);
  if (!optimum) {
    LDBG() << "too large";
    return success();
  }
  choice.apply(optimum->assignment);
  LDBG() << "solved: " << optimum->cost * 1e-9 << " ms, as priced "
         << ProgramCost(*this).getTotal().seconds * 1e3;
  return success();
}
