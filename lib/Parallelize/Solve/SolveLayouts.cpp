//===- SolveLayouts.cpp - All layouts as one problem ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States the problem, solves it from what was decided so far, and decides so. Memory comes in
// where a plan needs more than there is: what is alive at its peak bounds the next one.
//
//===----------------------------------------------------------------------===//
#include "LayoutChoice.h"

#include "dmc/Planner/Solve.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-propagate-layouts"

using namespace mlir;
using namespace dmc;

/// How often a row of memory is added before the plan is left as it is: an effort limit.
static constexpr unsigned maxRows = 12;

LogicalResult Propagation::solve(func::FuncOp entry, ProgramAttr program) {
  LayoutChoice choice(*this, entry, program);
  FailureOr<planner::LayoutProblem> problem = choice.build();
  if (failed(problem))
    return failure();
  planner::SolveOptions options;
  options.start = choice.getCurrent();
  options.gap = 1e-3;
  LDBG() << "layout problem of " << problem->getNumVariables() << " variables, "
         << problem->parts().pairs.size() << " pairs, " << problem->parts().tables.size()
         << " tables; decided so far: " << problem->getCost(options.start) * 1e-9
         << " ms, as priced " << ProgramCost(*this).getTotal().seconds * 1e3;
  const double capacity = getRates().capacity;
  planner::Assignment best;
  double leastPeak = std::numeric_limits<double>::infinity();
  for (unsigned round = 0;; ++round) {
    planner::Solution solution = planner::solve(*problem, options);
    LDBG() << "solved " << stringify(solution.status) << " in " << solution.seconds << " s and "
           << solution.iterations << " iterations: " << solution.cost * 1e-9 << " ms, bound "
           << solution.bound * 1e-9 << " by " << stringify(solution.boundSource) << ", states "
           << solution.states << ", left " << solution.statesLeft;
    if (solution.assignment.empty()) {
      LDBG() << "no plan: " << solution.conflict.message;
      break;
    }
    choice.apply(solution.assignment);
    if (capacity == 0)
      return success();
    PeakMemory peak = estimatePeak(*this);
    LDBG() << "needs " << peak.bytes << " of " << capacity << " bytes";
    if (peak.bytes < leastPeak) {
      leastPeak = peak.bytes;
      best = solution.assignment;
    }
    if (peak.bytes <= capacity)
      return success();
    if (round == maxRows)
      break;
    planner::ProblemParts parts = problem->parts();
    parts.rows.push_back(choice.getRow(peak, capacity, solution.assignment));
    parts.rows.back().name = "m" + std::to_string(round);
    std::vector<planner::Mistake> mistakes;
    std::optional<planner::LayoutProblem> bounded =
        planner::LayoutProblem::create(std::move(parts), mistakes);
    if (!bounded)
      break;
    problem = std::move(*bounded);
    options.start = solution.assignment;
  }
  if (!best.empty())
    choice.apply(best);
  return success();
}
