// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solver on what it is for: a training step's operations and tensors.
#include "Transformer.h"
#include "Problems.h"

#include "dmc/Planner/Solve.h"

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
void expectCertified(const LayoutProblem &problem, const Solution &solution, double gap) {
  ASSERT_FALSE(solution.assignment.empty());
  CheckedCertificate checked = checkCertificate(problem, solution.certificate, solution.assignment);
  ASSERT_EQ(checked.error, "");
  EXPECT_EQ(checked.cost, solution.cost);
  EXPECT_EQ(checked.bound, solution.certifiedBound);
  EXPECT_LE(solution.certifiedBound, solution.bound);
  EXPECT_LE(static_cast<double>(checked.cost - checked.bound),
            gap * static_cast<double>(checked.cost));
}

TEST(Transformer, IsSolved) {
  TransformerOptions options;
  options.layers = 2;
  LayoutProblem problem = makeProblem(makeTransformer(options));
  Solution solution = solve(problem);
  expectCertified(problem, solution, 1e-3);
  EXPECT_EQ(solution.status, SolveStatus::Optimal);
}
TEST(Transformer, FitsTheMemory) {
  TransformerOptions options;
  options.layers = 2;
  options.capacity = 2'100'000'000;
  LayoutProblem problem = makeProblem(makeTransformer(options));
  Solution solution = solve(problem);
  expectCertified(problem, solution, 1e-2);
  // The same without the row needs more.
  options.capacity = 0;
  LayoutProblem free = makeProblem(makeTransformer(options));
  Solution unbounded = solve(free);
  EXPECT_GT(problem.getBytes(0, unbounded.assignment), 2'100'000'000);
  EXPECT_LE(unbounded.cost, solution.cost);
  EXPECT_GE(solution.bound, unbounded.cost);
}

/// Half of what the fastest plan needs: some layers are partitioned in one way, and some in
/// another. Where plans that were tried are not combined, 0.8 % is left.
TEST(Transformer, FitsHalfOfTheMemoryAtAllPoints) {
  TransformerOptions options;
  options.layers = 4;
  options.hasCopies = false;
  options.hasAllPoints = true;
  options.capacity = int64_t(1) << 50;
  LayoutProblem free = makeProblem(makeTransformer(options));
  SolveOptions few;
  few.iterations = 300;
  few.solver = "none";
  few.gap = 1e-3;
  Solution fastest = solve(free, few);
  int64_t peak = 0;
  for (uint32_t row = 0; row < free.parts().rows.size(); ++row)
    peak = std::max(peak, free.getBytes(row, fastest.assignment));
  options.capacity = peak / 2;
  LayoutProblem problem = makeProblem(makeTransformer(options));
  Solution solution = solve(problem, few);
  expectCertified(problem, solution, 5e-3);
  EXPECT_GT(solution.cost, fastest.cost);
}

TEST(Transformer, IsInfeasibleWithTooLittleMemory) {
  TransformerOptions options;
  options.layers = 2;
  options.capacity = 1'500'000'000;
  Solution solution = solve(makeProblem(makeTransformer(options)));
  EXPECT_EQ(solution.status, SolveStatus::Infeasible);
  EXPECT_EQ(solution.conflict.rows, std::vector<uint32_t>{0});
  EXPECT_FALSE(solution.conflict.variables.empty());
}

TEST(Transformer, HasThreeAxesAndManyLayers) {
  TransformerOptions options;
  options.layers = 12;
  options.axes = {8, 4, 4};
  options.links = {12.5e9, 100e9, 100e9};
  options.batch = 256;
  options.hasCopies = false;
  LayoutProblem problem = makeProblem(makeTransformer(options));
  SolveOptions onePercent;
  onePercent.gap = 0.01;
  Solution solution = solve(problem, onePercent);
  expectCertified(problem, solution, 0.01);
  EXPECT_LT(solution.iterations, 40);
}
} // namespace
