// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs, checks and mistakes of layout problems, and their textual form.
#include "Problems.h"

#include "dmc/Planner/Oracle.h"

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
const char *const small = R"(
problem small {
  loop outer trips 3
  loop inner trips 2 in outer
  variable a {r 5, s 1}
  variable b in inner {r 0, s 7, t inf}
  pair a b [0 10 inf; 4 0 1]
  pair b a in inner {r s 2}
  row live capacity 12 {a r 8, b s 5, a s 7}
})";

TEST(LayoutProblem, AddsCostsOfAllIterations) {
  LayoutProblem problem = parse(small);
  EXPECT_EQ(problem.getTrips(0), 3);
  EXPECT_EQ(problem.getTrips(1), 6);
  // The pair without a loop is outside of both: `a` is.
  EXPECT_EQ(problem.getCost({1, 0}), 1 + 0 + 4 + 6 * 2);
  EXPECT_EQ(problem.getCost({0, 1}), 5 + 6 * 7 + 10);
  EXPECT_EQ(problem.getCost({0, 2}), infeasible);
  EXPECT_EQ(problem.getBytes(0, {0, 1}), 13);
  EXPECT_EQ(problem.getLargestCost(), 5 + 6 * 7 + 10 + 6 * 2);
}

TEST(LayoutProblem, ChecksAssignments) {
  LayoutProblem problem = parse(small);
  EXPECT_EQ(problem.check({1, 0}), "");
  EXPECT_EQ(problem.check({1}), "expected a state for each of 2 variables, found 1");
  EXPECT_EQ(problem.check({1, 3}), "variable \"b\" has 3 states, found number 3");
  EXPECT_EQ(problem.check({1, 2}), "state \"t\" of \"b\" is infeasible");
  EXPECT_EQ(problem.check({0, 1}), "row \"live\" holds 13 bytes, more than its capacity of 12");
  LayoutProblem requested = parse("problem p { variable a {r 1, s 0} variable b {r 0, s 0} pair a "
                                  "b [0 inf; 0 0] request a = r }");
  EXPECT_EQ(requested.check({1, 0}), "state \"s\" of \"a\" is not the requested \"r\"");
  EXPECT_EQ(requested.check({0, 1}),
            "states \"r\" of \"a\" and \"s\" of \"b\" are infeasible together");
  EXPECT_EQ(requested.getCost({1, 0}), infeasible);
}

TEST(LayoutProblem, EnumeratesTheOptimum) {
  auto optimum = enumerate(parse(small));
  ASSERT_TRUE(optimum);
  EXPECT_EQ(optimum->cost, 5);
  EXPECT_EQ(optimum->assignment, (Assignment{0, 0}));
  EXPECT_FALSE(enumerate(parse(small), 5));
  EXPECT_EQ(enumerate(parse("problem p { variable a {r inf} }"))->cost, infeasible);
  EXPECT_EQ(enumerate(parse("problem p {}"))->cost, 0);
}

TEST(LayoutProblem, PrintsWhatItParses) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.rows = seed % 3;
    how.shared = seed % 2 ? 30 : 0;
    how.infeasible = seed % 5 ? 10 : 90;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    LayoutProblem again = parse(print(problem));
    ASSERT_EQ(print(problem), print(again));
    ASSERT_EQ(problem.getFingerprint(), again.getFingerprint());
    auto expected = enumerate(problem), found = enumerate(again);
    ASSERT_EQ(expected->cost, found->cost);
    ASSERT_EQ(expected->assignment, found->assignment);
  }
}

TEST(LayoutProblem, CountsInUnits) {
  LayoutProblem problem = parse("problem p unit -3 { variable a {r 12} }");
  EXPECT_EQ(problem.getSeconds(problem.getCost({0})), 1.5e-12);
  EXPECT_EQ(print(problem), "problem p unit -3 {\n  variable a {r 12}\n}\n");
  EXPECT_EQ(parse("problem p { variable a {r 12} }").getSeconds(12), 12e-12);
  EXPECT_EQ(parse("problem p unit 2 {}").getSeconds(3), 12e-12);
}

TEST(LayoutProblem, KeepsAllNames) {
  ProblemParts parts;
  parts.name = "in";
  parts.variables = {{"dim 0 \"x\"\\", {{"[data, -]", 1}, {"row", 2}, {"7", 3}, {"a\nb", 4}}, {}},
                     {"", {}, {}}};
  std::vector<Mistake> mistakes;
  EXPECT_FALSE(LayoutProblem::create(parts, mistakes));
  parts.variables.pop_back();
  LayoutProblem problem = parse(print(makeProblem(parts)));
  EXPECT_EQ(problem.parts().name, "in");
  EXPECT_EQ(problem.parts().variables[0].name, parts.variables[0].name);
  for (size_t s = 0; s < 4; ++s)
    EXPECT_EQ(problem.parts().variables[0].states[s].name, parts.variables[0].states[s].name);
}

TEST(LayoutProblem, NamesMistakesOfParts) {
  // What the textual form cannot say; ParseErrorsTest.cpp has the others.
  ProblemParts parts;
  parts.variables = {{"a", {{"r", 0}, {"", 0}}, 7}, {"", {{"r", 0}}, {}}};
  parts.loops = {{"l", 1, 0}};
  parts.tables = {{2, 2, {0}}};
  parts.pairs = {{0, 5, 0, {}}, {0, 1, 3, {}}, {0, 1, 0, 9}};
  parts.rows = {{"m", 0, {{0, 2, 1}}}};
  parts.requests = {{0, 2}};
  std::vector<std::string> messages;
  for (const Mistake &mistake : LayoutProblem::verify(parts))
    messages.push_back(mistake.message);
  EXPECT_EQ(messages, (std::vector<std::string>{
                          "expected a name for the variable",
                          "loop \"l\" is in a loop that is not defined before it",
                          "variable \"a\" is in a loop that is not defined",
                          "variable \"a\" has a state without a name",
                          "a table of 2 by 2 states has 1 costs",
                          "a pair names a variable that is not defined",
                          "a pair has a table that is not defined",
                          "a pair is in a loop that is not defined",
                          "expected a table of 2 by 1 states for \"a\" and \"\", found 2 by 2",
                          "row \"m\" names a state that is not defined",
                          "a request names a state that is not defined",
                      }));
  ProblemParts grouped;
  grouped.variables = {{"a", {{"r", 0}}, {}}};
  grouped.groups = {{"g", {{0}, {4}}}};
  auto mistakes = LayoutProblem::verify(grouped);
  ASSERT_EQ(mistakes.size(), 1U);
  EXPECT_EQ(mistakes[0].message, "group \"g\" names a variable that is not defined");
}

TEST(LayoutProblem, RefusesSumsThatDoNotFit) {
  auto makeParts = [](int64_t cost, int64_t trips) {
    ProblemParts parts;
    parts.loops = {{"l", trips, {}}, {"m", trips, 0}};
    parts.variables = {{"a", {{"r", cost}}, 1}};
    return parts;
  };
  EXPECT_TRUE(LayoutProblem::verify(makeParts(sumLimit, 1)).empty());
  EXPECT_EQ(LayoutProblem::verify(makeParts(sumLimit + 1, 1)).size(), 1U);
  EXPECT_EQ(LayoutProblem::verify(makeParts(infeasible - 1, infeasible)).size(), 1U);
  EXPECT_TRUE(LayoutProblem::verify(makeParts(1, int64_t(1) << 28)).empty());
  EXPECT_EQ(LayoutProblem::verify(makeParts(2, int64_t(1) << 28)).size(), 1U);
}
} // namespace
