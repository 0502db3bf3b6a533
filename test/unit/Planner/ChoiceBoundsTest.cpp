// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What choices of states cost ahead, in the solver and in the checker, beside enumeration.
#include "Problems.h"

#include "CheckAhead.h"
#include "ChoiceBounds.h"

#include <numeric>

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
/// Costs of nodes' states, and pairs of some.
struct Costs {
  std::vector<uint32_t> sizes;
  ExcessTables tables;

  /// What the states cost together.
  int64_t get(const std::vector<uint32_t> &states) const {
    int64_t sum = 0;
    for (size_t node = 0; node < sizes.size(); ++node)
      sum = addExcess(sum, tables.ofNodes[node][states[node]]);
    for (const PairTable &pair : tables.ofPairs)
      sum = addExcess(
          sum, pair.costs[states[pair.scope[0]] * sizes[pair.scope[1]] + states[pair.scope[1]]]);
    return sum;
  }
  /// Calls a function with all choices of states.
  template <typename Function>
  void forEach(Function function) const {
    std::vector<uint32_t> states(sizes.size(), 0);
    for (bool isDone = false; !isDone;) {
      function(states);
      size_t node = 0;
      while (node < sizes.size() && ++states[node] == sizes[node])
        states[node++] = 0;
      isDone = node == sizes.size();
    }
  }
  /// By node and state: the least cost of the plans with it that cost less elsewhere.
  std::vector<std::vector<int64_t>> enumerate(const Costs *elsewhere = nullptr,
                                              int64_t limit = infeasible) const {
    std::vector<std::vector<int64_t>> least;
    least.reserve(sizes.size());
    for (uint32_t size : sizes)
      least.emplace_back(size, infeasible);
    forEach([&](const std::vector<uint32_t> &states) {
      if (elsewhere && elsewhere->get(states) >= limit)
        return;
      const int64_t cost = get(states);
      for (size_t node = 0; node < sizes.size(); ++node)
        least[node][states[node]] = std::min(least[node][states[node]], cost);
    });
    return least;
  }
};

Costs draw(Drawer &drawer) {
  Costs costs;
  for (int node = 0; node < 6; ++node) {
    costs.sizes.push_back(2 + drawer.below(2));
    auto &ofNode = costs.tables.ofNodes.emplace_back();
    for (uint32_t s = 0; s < costs.sizes.back(); ++s)
      ofNode.push_back(drawer.below(20));
  }
  for (uint32_t a = 0; a < costs.sizes.size(); ++a)
    for (uint32_t b = a + 1; b < costs.sizes.size(); ++b) {
      if (!drawer.percent(45))
        continue;
      PairTable pair{{a, b}, {}};
      for (uint32_t i = 0; i < costs.sizes[a] * costs.sizes[b]; ++i)
        pair.costs.push_back(drawer.percent(10) ? infeasible : drawer.below(20));
      costs.tables.ofPairs.push_back(std::move(pair));
    }
  return costs;
}

/// Exactly what enumeration finds, as far as that is below the budget.
void expectExact(const Costs &costs, const ChoiceElimination &choices, const ChoiceBounds &bounds,
                 const std::vector<std::vector<int64_t>> &whole, int64_t budget) {
  int64_t least = budget;
  for (size_t number = 0; number < choices.nodes.size(); ++number) {
    const uint32_t node = choices.nodes[number].node;
    for (uint32_t s = 0; s < costs.sizes[node]; ++s) {
      const int64_t cost = whole[node][s];
      least = std::min(least, cost);
      if (!bounds.nodes.empty())
        ASSERT_EQ(bounds.nodes[number].states[s],
                  cost < budget ? cost - costs.tables.ofNodes[node][s] : infeasible);
    }
  }
  ASSERT_EQ(bounds.least, least);
}

TEST(ChoiceBounds, AgreeWithEnumeration) {
  size_t withOthers = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed);
    Costs costs = draw(drawer);
    const std::vector<std::vector<int64_t>> whole = costs.enumerate();
    const int64_t budget = 20 + drawer.below(120);
    int64_t steps = 1 << 20;
    auto choices = eliminateChoices(costs.sizes, costs.tables, budget, OrderRule::LeastFill,
                                    {1 << 20, 1 << 20, steps}, {});
    ASSERT_TRUE(choices);
    if (!choices->hasPlans)
      continue;
    ChoiceBounds bounds = findBounds(*choices, costs.tables.ofNodes, costs.tables.ofPairs, budget);
    expectExact(costs, *choices, bounds, whole, budget);
    if (bounds.nodes.empty())
      continue;
    // The same choices with other costs: of the plans that both leave none costs less ahead.
    Costs others = costs;
    for (std::vector<int64_t> &ofNode : others.tables.ofNodes)
      for (int64_t &cost : ofNode)
        cost += static_cast<int64_t>(drawer.below(20)) - 10;
    ChoiceBounds ofOthers =
        findBounds(*choices, others.tables.ofNodes, others.tables.ofPairs, budget, &bounds);
    const std::vector<std::vector<int64_t>> free = others.enumerate(),
                                            both = others.enumerate(&costs, budget);
    for (size_t number = 0; number < ofOthers.nodes.size(); ++number) {
      const uint32_t node = choices->nodes[number].node;
      for (uint32_t s = 0; s < costs.sizes[node]; ++s) {
        const int64_t ahead = ofOthers.nodes[number].states[s],
                      own = others.tables.ofNodes[node][s];
        if (ahead == infeasible) {
          ASSERT_GE(both[node][s], budget);
          continue;
        }
        ASSERT_LE(ahead, both[node][s] - own);
        ASSERT_GE(ahead, free[node][s] - own);
        ++withOthers;
      }
    }
  }
  EXPECT_GT(withOthers, 1000U);
}

TEST(ChoiceBounds, AreThoseOfTheChecker) {
  size_t numExact = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed + 5000);
    Costs costs = draw(drawer);
    const std::vector<std::vector<int64_t>> whole = costs.enumerate();
    const int64_t limit = 20 + drawer.below(120);
    CheckedRows rows;
    rows.sizes = costs.sizes;
    auto add = [&](std::vector<uint32_t> scope, const std::vector<int64_t> &values) {
      CheckedCosts table{std::move(scope), {}};
      for (int64_t value : values)
        table.costs.push_back(value == infeasible ? noChoice : value);
      rows.excess.push_back(std::move(table));
    };
    for (uint32_t node = 0; node < costs.sizes.size(); ++node)
      add({node}, costs.tables.ofNodes[node]);
    for (const PairTable &pair : costs.tables.ofPairs)
      add({pair.scope[0], pair.scope[1]}, pair.costs);
    int64_t steps = 1 << 30;
    auto choices = findChoices(rows, limit, 1 << 20, steps, {});
    ASSERT_TRUE(choices);
    if (choices->isEmpty)
      continue;
    auto ahead = findAhead(*choices, rows.excess, limit);
    int64_t least = limit;
    for (size_t number = 0; number < choices->variables.size(); ++number) {
      const CheckedJoin &first = choices->variables[number].joins.front();
      for (size_t choice = 0; choice < first.with.size(); ++choice) {
        const size_t node = first.table, s = first.with[choice];
        least = std::min(least, whole[node][s]);
        if (!ahead)
          continue;
        ++numExact;
        ASSERT_TRUE(
            (*ahead)[number].front()[choice] ==
            (whole[node][s] < limit ? whole[node][s] - costs.tables.ofNodes[node][s] : noChoice));
      }
    }
    ASSERT_EQ(ahead.has_value(), least < limit);
  }
  EXPECT_GT(numExact, 5000U);
}
} // namespace
