// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elimination within rows of memory beside enumeration: with all partial plans it finds the
// optimum, with few of them its bound is never above it.
#include "Problems.h"

#include "Messages.h"
#include "RowElimination.h"

#include "dmc/Planner/Oracle.h"
#include "dmc/Planner/Solve.h"

#include <numeric>

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
std::optional<RowElimination>
eliminateWithRows(const Network &network, const Scales &scales, const Potentials &potentials,
                  const std::vector<int64_t> &prices, llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
                  RowEliminationEffort &effort, const std::function<bool()> &isInterrupted) {
  return RowEliminator(network, scales, potentials, prices, cutoff)
      .run(rows, cutoff, effort, isInterrupted);
}

Potentials makePotentials(const Network &network, const Scales &scales,
                          const std::vector<int64_t> &prices, int iterations = 1) {
  Messages messages(network);
  messages.setPrices(scales.getPrices(prices));
  for (int i = 0; i < iterations; ++i)
    messages.iterate();
  return messages.getPotentials(scales.potential);
}

/// The better of what is found and of the bound, in picoseconds; infeasible: no plan is below the
/// cutoff.
struct Found {
  int64_t cost = infeasible, bound = 0;
};

Found solveWithRows(const LayoutProblem &problem, double price, int iterations, uint32_t labels,
                    int64_t cutoff, bool keepsSmall = false,
                    OrderRule rule = OrderRule::LeastFill) {
  Network all(problem);
  Network network = all.restrict(makeConsistent(all, keepAll(all)).keep);
  Scales scales(problem);
  Messages messages(network);
  size_t numRows = problem.parts().rows.size();
  messages.setPrices(std::vector<double>(numRows, price));
  for (int i = 0; i < iterations; ++i)
    messages.iterate();
  std::vector<int64_t> prices(numRows, static_cast<int64_t>(price * scales.price));
  std::vector<uint32_t> rows(numRows);
  std::iota(rows.begin(), rows.end(), 0);
  RowEliminationEffort effort;
  effort.labels = labels;
  effort.keepsSmall = keepsSmall;
  effort.rule = rule;
  auto found = eliminateWithRows(network, scales, messages.getPotentials(scales.potential), prices,
                                 rows, cutoff, effort, {});
  EXPECT_TRUE(found);
  Found result;
  result.bound = scales.toPicoseconds(found->bound);
  if (found->choice) {
    Assignment assignment = network.toAssignment(*found->choice);
    EXPECT_EQ(problem.check(assignment), "") << print(problem);
    result.cost = problem.getCost(assignment);
  }
  return result;
}

TEST(RowElimination, AgreesWithEnumeration) {
  size_t feasibleOnes = 0, boundByRows = 0;
  for (uint32_t seed = 0; seed < 5000; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 6;
    how.edges = 20 + seed % 7 * 15;
    how.infeasible = 5;
    how.requests = 0;
    how.rows = 1 + seed % 3;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    Network network(problem);
    if (makeConsistent(network, keepAll(network)).emptyNode)
      continue;
    int64_t optimum = enumerate(problem)->cost, cutoff = problem.getLargestCost() + 1;
    double price = seed % 4 * 0.7;
    for (OrderRule rule :
         {OrderRule::LeastFill, OrderRule::SmallestResult, OrderRule::SmallestTable}) {
      Found all = solveWithRows(problem, price, static_cast<int>(seed % 3), 1U << 20, cutoff,
                                /*keepsSmall=*/false, rule);
      ASSERT_EQ(all.cost, optimum) << seed << print(problem);
    }
    // With a cutoff at the optimum it is at least proved.
    if (optimum != infeasible) {
      ++feasibleOnes;
      Found none = solveWithRows(problem, price, 2, 1U << 20, optimum);
      ASSERT_GE(none.cost, optimum) << seed << print(problem);
      ASSERT_EQ(none.bound, optimum) << seed << print(problem);
      ProblemParts free = problem.parts();
      free.rows.clear();
      boundByRows += enumerate(makeProblem(std::move(free)))->cost < optimum;
    }
    // What is left out shows in the bound.
    Found few = solveWithRows(problem, price, 1, 1, cutoff);
    ASSERT_LE(std::min(few.bound, few.cost), optimum) << seed << print(problem);
    ASSERT_GE(few.cost, optimum) << seed << print(problem);
  }
  EXPECT_GT(feasibleOnes, 1000U);
  EXPECT_GT(boundByRows, 300U);
}

/// Rows that plans need not keep are part of their costs.
TEST(RowElimination, PricesOtherRows) {
  size_t lessThanOptimum = 0, byPlansThatFit = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed + 40000);
    Draw how;
    how.variables = 6;
    how.infeasible = 5;
    how.loops = how.requests = 0;
    how.rows = 3;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    Network all(problem);
    Consistency consistency = makeConsistent(all, keepAll(all));
    if (consistency.emptyNode)
      continue;
    Network network = all.restrict(consistency.keep);
    Scales scales(problem);
    ProblemParts priced = problem.parts();
    priced.rows.clear();
    // States that no plan within the rows has are not there.
    for (const Node &node : network.nodes())
      for (auto [number, state] : llvm::enumerate(priced.variables[node.variable].states))
        if (!llvm::is_contained(node.states, number))
          state.cost = infeasible;
    std::vector<int64_t> prices;
    std::vector<uint32_t> kept;
    int64_t capacities = 0;
    for (uint32_t row = 0; row < how.rows; ++row) {
      // No plan exceeds others.
      const int64_t price = llvm::is_contained(all.rows(), row) ? drawer.below(4) : 0;
      prices.push_back(price * scales.price);
      const Row &of = problem.parts().rows[row];
      if (drawer.percent(40)) {
        kept.push_back(row);
        priced.rows.push_back(of);
        continue;
      }
      capacities += price * of.capacity;
      for (const MemoryUse &use : of.uses)
        if (int64_t &cost = priced.variables[use.variable].states[use.state].cost;
            cost != infeasible)
          cost += price * use.bytes;
    }
    int64_t optimum = enumerate(problem)->cost, cutoff = problem.getLargestCost() + 1;
    int64_t withPrices = enumerate(makeProblem(std::move(priced)))->cost;
    int64_t expected = withPrices == infeasible ? cutoff : withPrices - capacities;
    Potentials potentials = makePotentials(network, scales, prices);
    for (int64_t below : {cutoff, std::max<int64_t>(expected - 1, 1)}) {
      RowEliminationEffort effort;
      effort.labels = 1U << 20;
      auto found = eliminateWithRows(network, scales, potentials, prices, kept, below, effort, {});
      ASSERT_TRUE(found);
      int64_t bound = scales.toPicoseconds(found->bound);
      ASSERT_EQ(std::min(bound, below), std::min(below, expected)) << seed << print(problem);
      ASSERT_LE(std::min(bound, cutoff), optimum) << seed << print(problem);
      byPlansThatFit += found->choice && problem.check(network.toAssignment(*found->choice)) == "";
    }
    lessThanOptimum += expected < optimum;
    // Of prices that are no multiples, what is rounded lowers the bound.
    for (int64_t &price : prices)
      price += price ? scales.price / 3 : 0;
    RowEliminationEffort effort;
    auto found = eliminateWithRows(network, scales, potentials, prices, kept, cutoff, effort, {});
    ASSERT_TRUE(found);
    ASSERT_LE(std::min(scales.toPicoseconds(found->bound), cutoff), optimum) << print(problem);
  }
  EXPECT_GT(lessThanOptimum, 200U);
  EXPECT_GT(byPlansThatFit, 500U);
}

/// The choices of one elimination serve for further rows and lower cutoffs.
TEST(RowElimination, AddsRowsToItsChoices) {
  size_t raised = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    Drawer drawer(seed + 60000);
    Draw how;
    how.variables = 6;
    how.infeasible = 5;
    how.requests = 0;
    how.rows = 3;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    Network all(problem);
    Consistency consistency = makeConsistent(all, keepAll(all));
    if (consistency.emptyNode)
      continue;
    Network network = all.restrict(consistency.keep);
    Scales scales(problem);
    std::vector<int64_t> prices;
    prices.reserve(how.rows);
    for (uint32_t row = 0; row < how.rows; ++row)
      // No plan exceeds others.
      prices.push_back(llvm::is_contained(all.rows(), row) ? drawer.below(3) * scales.price / 2
                                                           : 0);
    Potentials potentials = makePotentials(network, scales, prices);
    int64_t cutoff = problem.getLargestCost() + 2, before = 0;
    RowEliminator eliminator(network, scales, potentials, prices, cutoff);
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row <= how.rows; ++row) {
      RowEliminationEffort effort, again;
      effort.labels = again.labels = 1U << 20;
      auto found = eliminator.run(rows, cutoff, effort, {});
      auto fresh = eliminateWithRows(network, scales, potentials, prices, rows, cutoff, again, {});
      ASSERT_TRUE(found && fresh);
      int64_t bound = scales.toPicoseconds(found->bound);
      ASSERT_EQ(bound, scales.toPicoseconds(fresh->bound)) << seed << print(problem);
      raised += row > 0 && bound > before;
      before = bound;
      if (seed % 2 && bound > 1)
        cutoff = std::min(cutoff, bound - drawer.below(2));
      if (row < how.rows)
        rows.push_back(row);
    }
    int64_t optimum = enumerate(problem)->cost;
    ASSERT_EQ(std::min(before, cutoff), std::min(optimum, cutoff)) << seed << print(problem);
  }
  EXPECT_GT(raised, 100U);
}

TEST(RowElimination, StopsAtItsLimits) {
  LayoutProblem problem = parse("problem p { variable a {r 0, s 1} variable b {r 0, s 1} "
                                "pair a b [0 1; 1 0] row m capacity 3 {a r 2, b r 2} }");
  Network network(problem);
  Scales scales(problem);
  Messages messages(network);
  messages.iterate();
  Potentials potentials = messages.getPotentials(scales.potential);
  auto eliminate = [&](RowEliminationEffort effort, const std::function<bool()> &isInterrupted) {
    return eliminateWithRows(network, scales, potentials, {0}, {0}, 100, effort, isInterrupted);
  };
  EXPECT_EQ(problem.getCost(network.toAssignment(*eliminate({}, {})->choice)), 2);
  RowEliminationEffort small;
  small.entries = 3;
  EXPECT_FALSE(eliminate(small, {}));
  RowEliminationEffort few;
  few.steps = 2;
  EXPECT_FALSE(eliminate(few, {}));
  EXPECT_FALSE(eliminate({}, [] { return true; }));
}

/// Variables 0, 3 and 6 have two neighbours each, of which those of 6 are neighbours of each other;
/// all of these are neighbours of the last one, which has a hundred states.
TEST(EliminationOrder, FollowsItsRule) {
  const std::vector<uint32_t> sizes = {2, 4, 4, 9, 3, 4, 2, 5, 5, 100};
  const std::vector<std::vector<uint32_t>> scopes = {{0, 1}, {0, 2}, {3, 4}, {3, 5}, {6, 7, 8},
                                                     {1, 9}, {2, 9}, {4, 9}, {5, 9}, {7, 8, 9}};
  auto getFirst = [&](OrderRule rule) {
    EliminationOrder order(sizes, 1 << 20, rule);
    for (const std::vector<uint32_t> &scope : scopes)
      order.addScope(scope);
    order.start();
    return *order.next();
  };
  // Tables of 32, 108 and 50 entries.
  EXPECT_EQ(getFirst(OrderRule::SmallestTable), 0U);
  // Of 16, 12 and 25 without their own states.
  EXPECT_EQ(getFirst(OrderRule::SmallestResult), 3U);
  // Of which 16, 12 and none are new.
  EXPECT_EQ(getFirst(OrderRule::LeastFill), 6U);
}

/// Of the choices of sixteen variables, 2^48, few have a plan below the cutoff.
TEST(RowElimination, LooksAtChoicesBelowTheCutoffAlone) {
  LayoutProblem problem = makeClique(16, 3 * 16);
  Found found = solveWithRows(problem, 0, 0, 1U << 20, 16 * 4 + 10);
  EXPECT_EQ(found.cost, 16 * 4);
  EXPECT_EQ(found.bound, 16 * 4);
}

/// With few labels the cheapest ones are often all too large in the end; those of few bytes are
/// not.
TEST(RowElimination, KeepsSmallLabels) {
  size_t cheapest = 0, small = 0, feasibleOnes = 0;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    Drawer drawer(seed);
    Draw how;
    how.variables = 7;
    how.edges = 30;
    how.infeasible = 0;
    how.requests = 0;
    how.rows = 1;
    LayoutProblem problem = makeProblem(drawer.draw(how));
    Network network(problem);
    if (makeConsistent(network, keepAll(network)).emptyNode)
      continue;
    int64_t optimum = enumerate(problem)->cost, cutoff = problem.getLargestCost() + 1;
    feasibleOnes += optimum != infeasible;
    Found few = solveWithRows(problem, 0, 1, 2, cutoff);
    Found spread = solveWithRows(problem, 0, 1, 2, cutoff, /*keepsSmall=*/true);
    // What is left out shows in the bound.
    ASSERT_LE(std::min(spread.bound, spread.cost), optimum) << seed << print(problem);
    ASSERT_GE(spread.cost, optimum) << seed << print(problem);
    cheapest += few.cost != infeasible;
    small += spread.cost != infeasible;
  }
  // Of one row the smallest label is always kept.
  EXPECT_EQ(small, feasibleOnes);
  EXPECT_LT(cheapest, feasibleOnes);
}

/// Rows on a chain whose prices leave many partial plans: other prices exclude those that use much
/// of one row and little of the other.
TEST(RowElimination, JudgesAtOtherPrices) {
  Drawer drawer(7);
  ProblemParts parts;
  parts.name = "chain";
  parts.rows = {{"m", 0, {}}, {"n", 0, {}}};
  for (uint32_t v = 0; v < 24; ++v) {
    Variable variable{"v" + std::to_string(v), {}, {}};
    for (uint32_t s = 0; s < 3; ++s) {
      // About half of what the rows could take, at one for a byte.
      const int64_t inM = drawer.below(1000), inN = drawer.below(1000);
      parts.rows[0].uses.push_back({v, s, inM});
      parts.rows[1].uses.push_back({v, s, inN});
      variable.states.push_back({"s" + std::to_string(s), 2000 - inM - inN + drawer.below(200)});
    }
    parts.variables.push_back(std::move(variable));
    Table table{3, 3, {}};
    for (int i = 0; i < 9; ++i)
      table.costs.push_back(drawer.below(200));
    parts.tables.push_back(std::move(table));
    if (v > 0)
      parts.pairs.push_back({v - 1, v, v, {}});
  }
  for (Row &row : parts.rows)
    row.capacity = 24 * 450;
  LayoutProblem problem = makeProblem(std::move(parts));
  Network network(problem);
  Scales scales(problem);
  const std::vector<int64_t> prices(2, scales.price);
  Potentials potentials = makePotentials(network, scales, prices, 10);
  const Solution solution = solve(problem);
  ASSERT_EQ(solution.bound, solution.cost);
  // It takes thirty-five thousand, and a thousand times as many at these prices alone.
  RowEliminationEffort effort;
  effort.labels = 1U << 20;
  effort.steps = 1U << 20;
  auto found =
      eliminateWithRows(network, scales, potentials, prices, {0, 1}, solution.cost + 1, effort, {});
  ASSERT_TRUE(found && found->choice);
  EXPECT_EQ(problem.getCost(network.toAssignment(*found->choice)), solution.cost);
  EXPECT_EQ(scales.toPicoseconds(found->bound), solution.cost);
}

TEST(RowElimination, SaysThatNothingFits) {
  // Each state fits beside some of the others, but two of three have to be large.
  LayoutProblem problem =
      parse("problem p { variable a {r 0, s 0} variable b {r 0, s 0} variable c {r 0, s 0} "
            "table t [inf 0; 0 0] pair a b t pair b c t pair a c t "
            "row m capacity 4 {a r 1, a s 2, b r 1, b s 2, c r 1, c s 2} }");
  Found found = solveWithRows(problem, 0, 1, 8, 50);
  EXPECT_EQ(found.cost, infeasible);
  EXPECT_EQ(found.bound, 50);
}
} // namespace
