// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of alike nodes, and plans in which they agree.
#include "Problems.h"
#include "Transformer.h"

#include "Messages.h"

#include "dmc/Planner/Solve.h"

#include <algorithm>

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
Assignment unfold(const Network &network, const NodeClasses &classes, const Assignment &folded) {
  std::vector<uint32_t> choice;
  choice.reserve(classes.ofNode.size());
  for (uint32_t number : classes.ofNode)
    choice.push_back(folded[number]);
  return network.toAssignment(choice);
}

/// The same problem several times, the copies linked in a chain by their first variables.
ProblemParts repeat(const ProblemParts &one, uint32_t copies) {
  ProblemParts parts;
  parts.name = one.name;
  parts.loops = one.loops;
  parts.tables = one.tables;
  auto count = static_cast<uint32_t>(one.variables.size());
  auto link = static_cast<uint32_t>(parts.tables.size());
  auto states = static_cast<uint32_t>(one.variables.front().states.size());
  Table table{states, states, {}};
  for (uint32_t entry = 0; entry < states * states; ++entry)
    table.costs.push_back(entry % (states + 1) ? 7 : 3);
  parts.tables.push_back(std::move(table));
  for (uint32_t copy = 0; copy < copies; ++copy) {
    for (Variable variable : one.variables) {
      variable.name += "_" + std::to_string(copy);
      parts.variables.push_back(std::move(variable));
    }
    for (Pair pair : one.pairs) {
      pair.first += copy * count;
      pair.second += copy * count;
      parts.pairs.push_back(pair);
    }
    if (copy > 0)
      parts.pairs.push_back({(copy - 1) * count, copy * count, link, std::nullopt});
  }
  return parts;
}

/// Eight layers, all alike.
ProblemParts drawLayers(uint32_t seed) {
  Drawer drawer(seed);
  Draw how;
  how.variables = 5;
  how.edges = 60;
  return repeat(drawer.draw(how), 8);
}

/// Alike nodes may use different rows: a plan of their classes uses in each row what all of its
/// nodes do.
TEST(Fold, PlansUseTheSameUnfolded) {
  size_t bound = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    ProblemParts parts = drawLayers(seed);
    auto count = static_cast<uint32_t>(parts.variables.size());
    for (uint32_t number = 0; number < 2; ++number) {
      Row row{"row" + std::to_string(number), 0, {}};
      for (uint32_t v = number; v < count; v += 2 + number)
        for (uint32_t s = 0; s < parts.variables[v].states.size(); ++s)
          row.uses.push_back({v, s, static_cast<int64_t>((7 * v + 3 * s) % 5)});
      row.capacity = static_cast<int64_t>(count);
      parts.rows.push_back(std::move(row));
    }
    LayoutProblem problem = makeProblem(std::move(parts));
    Network network(problem);
    auto classes = findClasses(network, static_cast<uint32_t>(network.nodes().size() / 2));
    ASSERT_TRUE(classes);
    auto folded = foldProblem(network, *classes);
    if (!folded)
      continue;
    bound += folded->parts().rows.size();
    Solution solution = solve(*folded);
    if (solution.assignment.empty())
      continue;
    Assignment plan = unfold(network, *classes, solution.assignment);
    EXPECT_EQ(problem.check(plan), "") << print(problem);
    for (size_t row = 0; row < folded->parts().rows.size(); ++row)
      ASSERT_EQ(problem.getBytes(network.rows()[row], plan),
                folded->getBytes(row, solution.assignment));
  }
  EXPECT_GT(bound, 100U);
}

TEST(Fold, PlansCostTheSameUnfolded) {
  size_t smaller = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    LayoutProblem problem = makeProblem(drawLayers(seed));
    Network network(problem);
    auto classes = findClasses(network, static_cast<uint32_t>(network.nodes().size() / 2));
    ASSERT_TRUE(classes);
    auto folded = foldProblem(network, *classes);
    // A variable without a feasible state has no class either.
    if (!folded)
      continue;
    smaller += folded->getNumVariables() * 2 <= problem.getNumVariables();
    Solution solution = solve(*folded);
    if (solution.assignment.empty())
      continue;
    ASSERT_EQ(problem.getCost(unfold(network, *classes, solution.assignment)), solution.cost)
        << print(problem);
  }
  EXPECT_GT(smaller, 200U);
}

/// The bound of folded messages is nearly that of the whole network where they are unfolded, though
/// classes at the ends of the layers stand for one node each, and others for many.
TEST(Fold, MessagesKeepTheirBoundUnfolded) {
  TransformerOptions options;
  options.layers = 32;
  LayoutProblem problem = makeProblem(makeTransformer(options));
  Network all(problem);
  Network network = all.restrict(makeConsistent(all, keepAll(all)).keep);
  auto classes = findClasses(network, 400);
  ASSERT_TRUE(classes);
  auto folded = foldProblem(network, *classes);
  ASSERT_TRUE(folded);
  Network small(*folded);
  ASSERT_LE(small.nodes().size(), 400U);
  std::vector<int64_t> weights = countEdges(network, *classes, small);
  EXPECT_EQ(*std::min_element(weights.begin(), weights.end()), 1);
  EXPECT_GT(*std::max_element(weights.begin(), weights.end()), 10);
  Messages messages(small, weights);
  double bound = 0;
  for (int i = 0; i < 200; ++i)
    bound = messages.iterate();
  Messages whole(network), fresh(network);
  whole.unfoldFrom(messages, *classes);
  double unfolded = whole.iterate();
  EXPECT_GT(unfolded, 0.995 * bound);
  // Alone it takes many iterations to get there.
  for (int i = 0; i < 5; ++i)
    EXPECT_LT(fresh.iterate(), unfolded);
}

TEST(Fold, IsAsLargeForMoreLayers) {
  uint32_t counts[2];
  for (uint32_t more : {0, 1}) {
    TransformerOptions options;
    options.layers = 16 << more;
    options.hasCopies = false;
    LayoutProblem problem = makeProblem(makeTransformer(options));
    Network network(problem);
    auto classes = findClasses(network, 250);
    ASSERT_TRUE(classes);
    counts[more] = static_cast<uint32_t>(classes->representatives.size());
    EXPECT_LT(counts[more] * 2, network.nodes().size());
    for (uint32_t c = 0; c < counts[more]; ++c)
      EXPECT_EQ(classes->ofNode[classes->representatives[c]], c);
  }
  EXPECT_EQ(counts[0], counts[1]);
}

TEST(Fold, HasNoClassesBeyondTheLimit) {
  LayoutProblem problem = makeProblem(makeTransformer({}));
  EXPECT_FALSE(findClasses(Network(problem), 3));
}

/// Without a start from the folded problem as many iterations leave a gap of 0.18.
TEST(Fold, StartsManyLayersNearTheOptimum) {
  TransformerOptions options;
  options.layers = 128;
  options.hasCopies = false;
  LayoutProblem problem = makeProblem(makeTransformer(options));
  ASSERT_GE(problem.getNumVariables(), 5000U);
  SolveOptions few;
  few.iterations = 8;
  few.searchNodes = 0;
  few.eliminationLimit = 1;
  few.solver = "none";
  Solution solution = solve(problem, few);
  ASSERT_FALSE(solution.assignment.empty());
  EXPECT_LT(solution.gap(), 0.03);
  CheckedCertificate checked = checkCertificate(problem, solution.certificate, solution.assignment);
  EXPECT_EQ(checked.error, "");
  EXPECT_EQ(checked.bound, solution.certifiedBound);
}

/// Alike layers use memory at different points, whose prices the folded problem has on average.
/// Without iterations that suit its messages to them the gap is 0.04.
TEST(Fold, StartsManyLayersWithPricesOfMemory) {
  TransformerOptions options;
  options.layers = 128;
  options.hasCopies = false;
  options.capacity = 1;
  options.hasAllPoints = true;
  ProblemParts parts = makeTransformer(options);
  std::vector<Row> rows;
  for (size_t i = 0; i < parts.rows.size(); i += parts.rows.size() / 8)
    rows.push_back(parts.rows[i]);
  parts.rows.clear();
  SolveOptions few;
  few.iterations = 8;
  few.searchNodes = 0;
  few.eliminationLimit = 1;
  few.rowSteps = 1 << 16;
  few.solver = "none";
  few.keepCertificate = false;
  Solution free = solve(makeProblem(parts), few);
  for (Row &row : rows) {
    row.capacity = 0;
    row.capacity = row.getBytes(free.assignment) * 11 / 20;
  }
  parts.rows = std::move(rows);
  LayoutProblem problem = makeProblem(std::move(parts));
  ASSERT_GE(problem.getNumVariables(), 5000U);
  // Messages without prices prove little, and are where the next ones start.
  few.warmStart = free.warmStart;
  few.iterations = 2;
  Solution solution = solve(problem, few);
  ASSERT_FALSE(solution.assignment.empty());
  EXPECT_LT(solution.gap(), 0.01);
}
} // namespace
