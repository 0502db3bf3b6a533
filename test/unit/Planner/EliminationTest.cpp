// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elimination beside enumeration, and its limits.
#include "Problems.h"

#include "dmc/Planner/Elimination.h"

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
TEST(Elimination, AgreesWithEnumeration) {
  size_t infeasibleOnes = 0;
  for (uint32_t seed = 0; seed < 10000; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 6;
    how.edges = 20 + seed % 7 * 20;
    how.infeasible = seed % 5 ? 10 : 60;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    auto expected = enumerate(problem), found = eliminate(problem);
    ASSERT_TRUE(found) << seed;
    ASSERT_EQ(found->cost, expected->cost) << print(problem);
    infeasibleOnes += found->cost == infeasible;
    if (found->cost != infeasible) {
      ASSERT_EQ(problem.check(found->assignment), "") << print(problem);
      ASSERT_EQ(problem.getCost(found->assignment), found->cost) << print(problem);
    }
  }
  EXPECT_GT(infeasibleOnes, 100U);
  EXPECT_LT(infeasibleOnes, 9000U);
}

TEST(Elimination, AddsTheLargestCosts) {
  LayoutProblem problem =
      parse("problem p { variable a {r 36028797018963968, s inf} variable b {r 0} "
            "pair a b [36028797018963968; 0] }");
  EXPECT_EQ(eliminate(problem)->cost, sumLimit);
}

TEST(Elimination, StopsAtItsLimits) {
  LayoutProblem cycle = parse("problem p { variable a {r 0, s 1} variable b {r 0, s 1} variable c "
                              "{r 0, s 1} table t [0 1; 1 0] pair a b t pair b c t pair c a t }");
  EXPECT_FALSE(eliminate(cycle, 7));
  EXPECT_EQ(eliminate(cycle, 8)->cost, 0);
  EXPECT_FALSE(eliminate(parse("problem p { variable a {r 0} row m capacity 1 {a r 2} }")));
  EXPECT_EQ(eliminate(parse("problem p {}"))->cost, 0);
}
} // namespace
