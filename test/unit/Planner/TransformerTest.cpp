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
} // namespace
