//===- GatheringTest.cpp - Plans of a search that gives up ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever the search may look at, there is a plan, and it is right.
//
//===----------------------------------------------------------------------===//
#include "PlainMachine.h"

#include <gtest/gtest.h>

using namespace dmc;

namespace {
// NOLINTBEGIN(bugprone-throwing-static-initialization): out of memory ends a test anyway.
const Mesh mesh({{"x", 2}, {"y", 3}, {"z", 2}});
const AxisRef x{0, 1, 2}, y{1, 1, 3}, z{2, 1, 2};
const std::vector<int64_t> shape = {7, 4};
// NOLINTEND(bugprone-throwing-static-initialization)

std::vector<Layout> layouts() {
  const std::optional<Combiner> none;
  return {Layout::replicated(2),
          {{{x}, {}}, none, {}, {}},
          {{{z, y}, {x}}, none, {}, {}},
          {{{}, {y, x}}, none, {}, {}},
          {{{}, {}}, Combiner::Sum, {x, y}, {}},
          {{{z}, {x}}, Combiner::Sum, {y}, {}},
          {{{y}, {}}, Combiner::Max, {z}, {}},
          {{{}, {x}}, none, {}, {{y, 2}}},
          {{{z}, {}}, none, {}, {{x, 1}, {y, 0}}},
          {{{}, {y}}, Combiner::Sum, {z}, {{x, 1}}}};
}

std::string movesOf(const ReshardPlan &plan) {
  std::string text;
  for (const Move &move : plan.moves) {
    text += (text.empty() ? "" : ", ") + std::string(stringify(move.kind));
    for (const AxisRef &ref : move.axes)
      text += " " + toString(mesh, ref);
    if (move.kind == MoveKind::Partition || move.kind == MoveKind::Combine)
      text += " " + std::to_string(move.dim);
  }
  return text;
}
} // namespace

TEST(Gathering, RightAfterAnyNumberOfSteps) {
  for (int64_t states : {0, 1, 5, 50, 500}) {
    ReshardOptions options;
    options.maxStates = states;
    ReshardPlanner planner(mesh, options);
    for (const Layout &from : layouts())
      for (const Layout &to : layouts()) {
        const ReshardPlan &plan = planner.plan(from, to, shape, 4);
        EXPECT_EQ(plain::simulate(mesh, shape, from, to, plan), "")
            << toString(mesh, from) << " -> " << toString(mesh, to) << " in " << states;
        std::vector<Move> moves = plan.moves;
        Traffic traffic = setTraffic(mesh, from, moves, shape, 4);
        EXPECT_EQ(plan.traffic.bytes, traffic.bytes);
        EXPECT_EQ(plan.traffic.messages, traffic.messages);
        EXPECT_EQ(plan.peakBytes, peakBytes(from, moves, shape, 4));
        EXPECT_TRUE(states > 0 || from == to || !plan.isCheapest);
      }
  }
}

TEST(Gathering, CombinesAllAndTakesWhatIsWanted) {
  ReshardOptions options;
  options.maxStates = 0;
  ReshardPlanner planner(mesh, options);
  const Layout from{{{z}, {x}}, Combiner::Sum, {y}, {}};
  const Layout to{{{y}, {}}, Combiner::Max, {z}, {{x, 1}}};
  EXPECT_EQ(movesOf(planner.plan(from, to, shape, 4)),
            "reduce y, combine z 0, combine x 1, partition y 0, spread z, place x");
  const Layout placed{{{}, {z}}, Combiner::Sum, {y}, {{x, 1}}};
  EXPECT_EQ(movesOf(planner.plan(placed, {{{}, {x}}, {}, {}, {}}, shape, 4)),
            "reduce y, replicate x, combine z 1, partition x 1");
}

TEST(Gathering, GivesUpAfterThatManySteps) {
  // From partial values of a scalar only one step leads on, the reduce.
  const Layout partial{{}, Combiner::Sum, {x}, {}}, whole = Layout::replicated(0);
  const Mesh line({{"x", 2}});
  ReshardOptions options;
  options.maxStates = 1;
  EXPECT_TRUE(ReshardPlanner(line, options).plan(partial, whole, {}, 4).isCheapest);
  options.maxStates = 0;
  EXPECT_FALSE(ReshardPlanner(line, options).plan(partial, whole, {}, 4).isCheapest);
}

TEST(Gathering, NothingToMove) {
  // A tensor without elements: plans without traffic that lead to the target.
  ReshardPlanner planner(mesh);
  for (const Layout &from : layouts())
    for (const Layout &to : layouts()) {
      const ReshardPlan &plan = planner.plan(from, to, {0, 4}, 4);
      EXPECT_EQ(plain::simulate(mesh, {0, 4}, from, to, plan), "");
      EXPECT_EQ(plan.traffic.bytes, 0);
      EXPECT_EQ(plan.peakBytes, 0);
      EXPECT_TRUE(plan.isCheapest);
    }
}

TEST(Gathering, TooManyAxes) {
  // More parts of axes than the search can number.
  std::vector<MeshAxis> axes;
  Layout from = Layout::replicated(1), to = from;
  for (uint32_t i = 0; i < 65; ++i) {
    axes.push_back({"a" + std::to_string(i), i < 2 ? 2 : 1});
    (i % 2 ? from : to).dims[0].push_back({i, 1, axes.back().size});
  }
  const Mesh wide(axes);
  ReshardPlanner planner(wide);
  const ReshardPlan &plan = planner.plan(from, to, {7}, 4);
  EXPECT_FALSE(plan.isCheapest);
  EXPECT_EQ(plain::simulate(wide, {7}, from, to, plan), "");
}

TEST(Gathering, PlansAreRememberedByAllThatTheyDependOn) {
  const Layout whole = Layout::replicated(2), rows{{{y}, {}}, {}, {}, {}};
  const Layout sum{{{}, {}}, Combiner::Sum, {y}, {}}, max{{{}, {}}, Combiner::Max, {y}, {}};
  ReshardPlanner planner(mesh);
  const ReshardPlan &gather = planner.plan(rows, whole, {6, 4}, 4);
  EXPECT_EQ(&planner.plan(rows, whole, {6, 4}, 4), &gather);
  EXPECT_EQ(planner.plan(rows, whole, {6, 4}, 8).traffic.bytes, 2 * gather.traffic.bytes);
  EXPECT_EQ(planner.plan(rows, whole, {6, 8}, 4).traffic.bytes, 2 * gather.traffic.bytes);
  // 4 rows on 3 positions are padded to 6.
  EXPECT_EQ(planner.plan(rows, whole, {4, 6}, 4).traffic.bytes, 6 * 6 * 4 * 2 / 3);
  for (const Layout &to : {sum, max})
    EXPECT_EQ(planner.plan(rows, to, {6, 4}, 4).moves.back().layout, to);
  for (int64_t at : {0, 1, 2}) {
    Layout placed = whole;
    placed.placed = {{y, at}};
    EXPECT_EQ(planner.plan(rows, placed, {6, 4}, 4).moves.back().layout, placed);
  }
  // Nothing to do: what is held is what the layout holds.
  const ReshardPlan &none = planner.plan(rows, rows, {6, 4}, 4);
  EXPECT_TRUE(none.moves.empty() && none.isCheapest);
  EXPECT_EQ(none.peakBytes, localBytes(rows, {6, 4}, 4));
}
