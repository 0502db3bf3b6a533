// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Min-marginals beside enumeration, and messages of clusters beside the checker and the optimum.
#include "CheckedBounds.h"
#include "Problems.h"

#include "ClusterMessages.h"
#include "ExactBound.h"

#include "dmc/Planner/Oracle.h"
#include "dmc/Planner/Solve.h"

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
using Entries = MinMarginals::Table;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Sum {
  std::vector<uint32_t> sizes;
  std::vector<std::vector<uint32_t>> scopes;
  std::vector<Entries> tables;
};

/// Tables of one to three variables, of which one is always finite for each choice.
Sum drawSum(Drawer &drawer) {
  Sum sum;
  uint32_t variables = 1 + drawer.below(6);
  for (uint32_t v = 0; v < variables; ++v)
    sum.sizes.push_back(1 + drawer.below(4));
  for (uint32_t t = 0; t < variables + 3; ++t) {
    std::vector<uint32_t> scope = {t < variables ? t : drawer.below(variables)};
    while (t >= variables && scope.size() < std::min(variables, 1 + drawer.below(3)))
      if (uint32_t other = drawer.below(variables); !llvm::is_contained(scope, other))
        scope.push_back(other);
    size_t size = 1;
    for (uint32_t v : scope)
      size *= sum.sizes[v];
    Entries table;
    // The first entry of all tables is finite: the choice of all first states is.
    for (size_t i = 0; i < size; ++i)
      table.push_back(i > 0 && drawer.percent(20) ? infinity : drawer.below(50));
    sum.scopes.push_back(scope);
    sum.tables.push_back(std::move(table));
  }
  return sum;
}

double evaluate(const Sum &sum, const std::vector<uint32_t> &states) {
  double total = 0;
  for (size_t t = 0; t < sum.tables.size(); ++t) {
    size_t at = 0;
    for (uint32_t v : sum.scopes[t])
      at = at * sum.sizes[v] + states[v];
    total += sum.tables[t][at];
  }
  return total;
}

std::vector<Entries> enumerateMarginals(const Sum &sum) {
  std::vector<Entries> marginals;
  marginals.reserve(sum.sizes.size());
  for (uint32_t size : sum.sizes)
    marginals.emplace_back(size, infinity);
  std::vector<uint32_t> states(sum.sizes.size(), 0);
  for (size_t i = 0; i < states.size();) {
    double total = evaluate(sum, states);
    for (size_t v = 0; v < states.size(); ++v)
      marginals[v][states[v]] = std::min(marginals[v][states[v]], total);
    for (i = 0; i < states.size() && ++states[i] == sum.sizes[i]; ++i)
      states[i] = 0;
  }
  return marginals;
}
} // namespace

TEST(MinMarginals, AreThoseOfAllChoices) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed);
    Sum sum = drawSum(drawer);
    auto made = MinMarginals::create(sum.sizes, sum.scopes, 1 << 20);
    ASSERT_TRUE(made);
    std::vector<Entries> found, expected = enumerateMarginals(sum);
    double least = made->compute(sum.tables, found);
    ASSERT_EQ(found, expected) << "seed " << seed;
    ASSERT_EQ(least, *std::min_element(expected[0].begin(), expected[0].end())) << "seed " << seed;
  }
}

TEST(MinMarginals, KeepTheirLimit) {
  std::vector<std::vector<uint32_t>> scopes = {{0, 1}, {1, 2}, {2, 0}};
  auto made = MinMarginals::create({4, 4, 4}, scopes, 84);
  ASSERT_TRUE(made);
  // All three, then two, then one.
  EXPECT_EQ(made->entries(), 64 + 16 + 4);
  EXPECT_FALSE(MinMarginals::create({4, 4, 4}, scopes, 83));
}

namespace {
/// Two or three nodes around each of some edges.
std::vector<std::vector<uint32_t>> drawClusters(const Network &network, Drawer &drawer) {
  std::vector<std::vector<uint32_t>> clusters;
  for (const Edge &edge : network.edges()) {
    if (!drawer.percent(40))
      continue;
    std::vector<uint32_t> nodes = {edge.first, edge.second};
    auto count = static_cast<uint32_t>(network.nodes().size());
    for (int i = 0; i < 2; ++i)
      if (uint32_t other = drawer.below(count); !llvm::is_contained(nodes, other))
        nodes.push_back(other);
    llvm::sort(nodes);
    clusters.push_back(std::move(nodes));
  }
  return clusters;
}
} // namespace

TEST(ClusterMessages, OnlyRaiseTheBoundUpToTheOptimum) {
  size_t raised = 0, closed = 0, open = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 8;
    how.edges = 30 + seed % 4 * 15;
    how.requests = 0;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    auto optimum = enumerate(problem);
    if (!optimum || optimum->cost == infeasible)
      continue;
    Network all(problem);
    Network network = all.restrict(makeConsistent(all, keepAll(all)).keep);
    Messages messages(network);
    for (int i = 0; i < 30; ++i)
      messages.iterate();
    const double tolerance = 1e-6;
    const auto clusters = drawClusters(network, drawer);
    const Potentials before = messages.getPotentials(Scales(problem).potential);
    int64_t plain = checkClusters(network, before, clusters);
    ClusterMessages passes(messages, clusters, 1 << 20);
    const Potentials held = messages.getPotentials(Scales(problem).potential);
    ASSERT_EQ(held.toFirst, before.toFirst);
    ASSERT_EQ(held.toSecond, before.toSecond);
    double bound = -infinity;
    for (int pass = 0; pass < 40; ++pass) {
      double next = passes.pass(1 + pass % 3);
      ASSERT_GE(next, bound - tolerance) << print(problem);
      bound = next;
    }
    ASSERT_LE(bound, static_cast<double>(optimum->cost) + tolerance) << print(problem);
    int64_t suited =
        checkClusters(network, messages.getPotentials(Scales(problem).potential), clusters);
    // Costs are whole numbers, and rounded potentials may lose a little.
    ASSERT_GE(static_cast<double>(suited), bound - 0.01) << print(problem);
    ASSERT_LE(suited, optimum->cost) << print(problem);
    raised += suited > plain;
    open += plain < optimum->cost;
    closed += plain < optimum->cost && suited == optimum->cost;
  }
  // Of those with a gap, clusters of a few nodes close a part.
  EXPECT_GT(raised, open / 10);
  EXPECT_GT(closed, 0U);
}
