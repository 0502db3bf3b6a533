// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact methods for what messages leave, with potentials and prices that messages did not make.
#include "EliminateNetwork.h"
#include "IntegerProgram.h"
#include "Problems.h"
#include "TreeSearch.h"

#include "dmc/Planner/Oracle.h"

#include "llvm/ADT/STLExtras.h"

using namespace dmc::planner;
using namespace dmc::planner::test;

namespace {
/// A problem with its consistent states, potentials and prices of any kind, and its optimum.
struct Drawn {
  LayoutProblem problem;
  std::optional<Network> network;
  Potentials potentials;
  std::vector<int64_t> prices;
  Scales scales;
  int64_t optimum;

  Drawn(Drawer &drawer, const Draw &how)
      : problem(makeProblem(drawer.draw(how))), scales(problem), optimum(enumerate(problem)->cost) {
    Network all(problem);
    Consistency consistency = makeConsistent(all, keepAll(all));
    if (consistency.emptyNode) {
      EXPECT_EQ(optimum, infeasible) << print(problem);
      return;
    }
    network = all.restrict(consistency.keep);
    auto draw = [&](uint32_t node) {
      std::vector<int64_t> values(network->nodes()[node].states.size());
      for (int64_t &value : values)
        value = (drawer.below(13) - int64_t(6)) * scales.potential / 3;
      return values;
    };
    for (const Edge &edge : network->edges()) {
      potentials.toFirst.push_back(draw(edge.first));
      potentials.toSecond.push_back(draw(edge.second));
    }
    for (size_t row = 0; row < problem.parts().rows.size(); ++row)
      prices.push_back(llvm::is_contained(network->rows(), row) ? drawer.below(4) * scales.price / 5
                                                                : 0);
  }
};

Draw makeDraw(uint32_t seed) {
  Draw how;
  how.variables = 6;
  how.edges = 60 + seed % 4 * 40;
  how.rows = seed % 4;
  how.infeasible = seed % 3 ? 4 : 30;
  return how;
}

TEST(ExactMethods, SearchFindsTheOptimum) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed + 400000);
    Drawn drawn(drawer, makeDraw(seed));
    if (!drawn.network)
      continue;
    Incumbent incumbent;
    ASSERT_TRUE(searchTree(*drawn.network, drawn.scales, drawn.potentials, drawn.prices, 1'000'000,
                           {}, incumbent));
    ASSERT_EQ(incumbent.cost, drawn.optimum) << print(drawn.problem);
    Incumbent other;
    if (!searchTree(*drawn.network, drawn.scales, drawn.potentials, drawn.prices, 3, {}, other))
      ASSERT_GE(other.cost, drawn.optimum);
  }
}

TEST(ExactMethods, IntegerProgramFindsTheOptimum) {
  size_t withRows = 0;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    Drawer drawer(seed + 500000);
    Drawn drawn(drawer, makeDraw(seed));
    if (!drawn.network)
      continue;
    std::set<uint32_t> rows(drawn.network->rows().begin(), drawn.network->rows().end());
    std::string error;
    auto solve = [&](int64_t cutoff) {
      return solveIntegerProgram(*drawn.network, drawn.scales, drawn.potentials, drawn.prices, rows,
                                 cutoff, 10'000, 1e9, "own", error);
    };
    int64_t above = drawn.problem.getLargestCost() + 1;
    auto found = solve(above);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->bound, std::min(above, drawn.optimum)) << print(drawn.problem);
    if (drawn.optimum == infeasible) {
      ASSERT_TRUE(found->choice.empty());
      continue;
    }
    Assignment assignment = drawn.network->toAssignment(found->choice);
    ASSERT_EQ(drawn.problem.check(assignment), "") << print(drawn.problem);
    ASSERT_EQ(drawn.problem.getCost(assignment), drawn.optimum) << print(drawn.problem);
    withRows += !drawn.network->rows().empty();
    // One below the cutoff is found; the cutoff itself is not.
    if (auto next = solve(drawn.optimum + 1))
      ASSERT_EQ(next->bound, drawn.optimum) << print(drawn.problem);
    if (auto none = solve(drawn.optimum))
      ASSERT_EQ(none->bound, drawn.optimum) << print(drawn.problem);
  }
  EXPECT_GT(withRows, 40U);
}

TEST(ExactMethods, EliminationBoundsWithPrices) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed + 600000);
    Drawn drawn(drawer, makeDraw(seed));
    if (!drawn.network)
      continue;
    auto found = eliminateNetwork(*drawn.network, drawn.scales, drawn.prices, 100'000, {});
    ASSERT_TRUE(found);
    if (!found->choice) {
      ASSERT_EQ(drawn.optimum, infeasible) << print(drawn.problem);
      continue;
    }
    int64_t bound = drawn.scales.toPicoseconds(found->bound);
    ASSERT_LE(bound, drawn.optimum) << print(drawn.problem);
    if (drawn.network->rows().empty())
      ASSERT_EQ(bound, drawn.optimum) << print(drawn.problem);
    ASSERT_FALSE(eliminateNetwork(*drawn.network, drawn.scales, drawn.prices, 0, {}) &&
                 drawn.network->nodes().size() > 0);
  }
}

TEST(ExactMethods, PotentialsOfAnyKindBound) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    Drawer drawer(seed + 700000);
    Drawn drawn(drawer, makeDraw(seed));
    if (!drawn.network)
      continue;
    ExactBound bound(*drawn.network, drawn.scales, drawn.potentials, drawn.prices);
    ASSERT_LE(bound.toPicoseconds(), drawn.optimum) << print(drawn.problem);
    if (drawn.optimum == infeasible)
      continue;
    // No state of a best plan is left out as no better than a plan that costs one more.
    auto best = drawn.network->toChoice(enumerate(drawn.problem)->assignment);
    ASSERT_TRUE(best);
    for (uint32_t i = 0; i < best->size(); ++i)
      ASSERT_TRUE(bound.isBelow(i, (*best)[i], drawn.optimum + 1)) << print(drawn.problem);
  }
}
} // namespace
