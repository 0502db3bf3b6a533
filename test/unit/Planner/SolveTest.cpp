// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solver beside enumeration, and its certificates beside their checker.
#include "Problems.h"

#include "dmc/Planner/Oracle.h"
#include "dmc/Planner/Solve.h"

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
/// What must hold of every solution.
void expectSound(const LayoutProblem &problem, const Solution &solution, int64_t optimum) {
  ASSERT_LE(solution.bound, optimum) << print(problem);
  ASSERT_LE(solution.certifiedBound, solution.bound) << print(problem);
  if (!solution.assignment.empty()) {
    ASSERT_EQ(problem.check(solution.assignment), "") << print(problem);
    ASSERT_EQ(problem.getCost(solution.assignment), solution.cost) << print(problem);
    ASSERT_GE(solution.cost, optimum) << print(problem);
  }
  CheckedCertificate checked = checkCertificate(problem, solution.certificate, solution.assignment);
  ASSERT_EQ(checked.error, "") << print(problem);
  ASSERT_EQ(checked.cost, solution.cost) << print(problem);
  ASSERT_EQ(checked.bound, solution.certifiedBound) << print(problem);
}

TEST(Solve, AgreesWithEnumeration) {
  size_t infeasibleOnes = 0, byPotentials = 0;
  for (uint32_t seed = 0; seed < 6000; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 6;
    how.edges = 20 + seed % 7 * 20;
    how.infeasible = seed % 5 ? 10 : 60;
    how.rows = seed % 4;
    how.cost = seed % 11 ? 20 : 3;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    int64_t optimum = enumerate(problem)->cost;
    Solution solution = solve(problem);
    expectSound(problem, solution, optimum);
    if (HasFatalFailure())
      return;
    ASSERT_EQ(solution.cost, optimum) << print(problem);
    ASSERT_EQ(solution.bound, optimum) << print(problem);
    ASSERT_EQ(solution.status,
              optimum == infeasible ? SolveStatus::Infeasible : SolveStatus::Optimal);
    infeasibleOnes += optimum == infeasible;
    byPotentials += solution.certifiedBound == optimum;
  }
  EXPECT_GT(infeasibleOnes, 500U);
  EXPECT_LT(infeasibleOnes, 5000U);
  EXPECT_GT(byPotentials, 5000U);
}

TEST(Solve, NeverBoundsAboveTheOptimum) {
  // What messages alone prove, at each number of iterations.
  for (uint32_t seed = 0; seed < 10000; ++seed) {
    Drawer drawer(seed + 100000);
    Draw how;
    how.variables = 6;
    how.edges = 40 + seed % 5 * 30;
    how.rows = seed % 3;
    how.infeasible = seed % 4 ? 5 : 40;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    SolveOptions options;
    options.iterations = 1 + seed % 4;
    options.searchNodes = 0;
    options.eliminationLimit = 0;
    options.solver = "none";
    expectSound(problem, solve(problem, options), enumerate(problem)->cost);
    if (HasFatalFailure())
      return;
  }
}

TEST(Solve, IsRepeatable) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 12;
    how.rows = seed % 3;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    Solution one = solve(problem), other = solve(problem);
    EXPECT_EQ(one.assignment, other.assignment);
    EXPECT_EQ(one.bound, other.bound);
    EXPECT_EQ(one.iterations, other.iterations);
  }
}
} // namespace
