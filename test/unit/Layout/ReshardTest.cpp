//===- ReshardTest.cpp - Plans of single reshards -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the planner chooses where the answer is known.
//
//===----------------------------------------------------------------------===//
#include "PlainMachine.h"
#include "ReshardTools.h"

#include <gtest/gtest.h>

#include <chrono>

using namespace dmc;

namespace {
const Mesh mesh({{"x", 2}, {"y", 2}, {"z", 3}});
const AxisRef x{0, 1, 2}, y{1, 1, 2}, z{2, 1, 3};
using Dims = std::vector<std::vector<AxisRef>>;

Layout split(Dims dims) { return {std::move(dims), {}, {}, {}}; }
Layout partials(Dims dims, std::vector<AxisRef> axes) {
  return {std::move(dims), Combiner::Sum, std::move(axes), {}};
}

/// The kinds of the moves, `reduce+partition` for a reduce-scatter.
std::string kindsOf(const ReshardPlan &plan) {
  std::string text;
  for (size_t i = 0; i < plan.moves.size(); ++i) {
    const Move &move = plan.moves[i];
    bool isScattered = i > 0 && move.kind == MoveKind::Partition &&
                       plan.moves[i - 1].kind == MoveKind::Reduce &&
                       plan.moves[i - 1].axes == move.axes;
    text += (i == 0 ? "" : isScattered ? "+" : " ") + std::string(stringify(move.kind));
  }
  return text;
}

std::string planOf(const Layout &from, const Layout &to, const std::vector<int64_t> &shape,
                   ReshardOptions options = {}) {
  ReshardPlanner planner(mesh, std::move(options));
  const ReshardPlan &plan = planner.plan(from, to, shape, 4);
  EXPECT_TRUE(plan.isCheapest);
  EXPECT_EQ(plan.moves.empty() ? from : plan.moves.back().layout, to);
  return kindsOf(plan);
}
} // namespace

TEST(Reshard, OneCollective) {
  EXPECT_EQ(planOf(split({{}, {}}), split({{x, y}, {}}), {12, 6}), "partition");
  EXPECT_EQ(planOf(split({{x, y}, {}}), split({{}, {}}), {12, 6}), "combine");
  EXPECT_EQ(planOf(split({{x}, {}}), split({{}, {x}}), {12, 6}), "exchange");
  EXPECT_EQ(planOf(split({{x}, {}}), split({{y}, {}}), {12, 6}), "permute");
  EXPECT_EQ(planOf(split({{z, x}, {}}), split({{x, z}, {}}), {12, 6}), "permute");
  EXPECT_EQ(planOf(partials({{}, {}}, {x, y}), split({{}, {}}), {12, 6}), "reduce");
  EXPECT_EQ(planOf(partials({{}, {}}, {x}), split({{x}, {}}), {12, 6}), "reduce+partition");
  EXPECT_EQ(planOf(split({{x}, {}}), split({{x}, {}}), {12, 6}), "");
}

TEST(Reshard, ReduceScattersOfOneSumBeginWithOneReduce) {
  ReshardPlanner planner(mesh, {});
  Layout sum = partials({{}, {}}, {x});
  std::vector<Move> rows = planner.plan(sum, split({{x}, {}}), {12, 6}, 4).moves;
  std::vector<Move> columns = planner.plan(sum, split({{}, {x}}), {12, 6}, 4).moves;
  ASSERT_EQ(rows.size(), 2u);
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_TRUE(isSameMove(rows[0], columns[0]));
  EXPECT_FALSE(isSameMove(rows[1], columns[1]));
  EXPECT_FALSE(isSameMove(rows[0], rows[1]));
}

TEST(Reshard, GathersOfOneDimension) {
  EXPECT_EQ(planOf(split({{z, x}}), split({{}}), {12}), "combine");
  // Blocks of two are three elements behind the first, which leaves out one of padding.
  EXPECT_EQ(planOf(split({{z, x}}), split({{}}), {7}), "combine combine");
}

/// One axis has a link that is slower by 9 than those of the others.
static ReshardOptions withSlowAxis(uint32_t slow) {
  ReshardOptions options;
  options.rates = {1e8, 8e-6};
  options.fastest = {9e8, 4e-6};
  options.ratesAlong = [=](const std::vector<AxisRef> &axes) {
    for (const AxisRef &axis : axes)
      if (axis.axis == slow)
        return options.rates;
    return options.fastest;
  };
  return options;
}

TEST(Reshard, SendsLittleAlongSlowLinks) {
  // Parts are gathered along the slow link while they are small, and scattered before they use it.
  for (auto [slow, fast] : {std::pair(x, y), std::pair(y, x)}) {
    ReshardPlanner planner(Mesh({{"x", 2}, {"y", 2}}), withSlowAxis(slow.axis));
    const std::vector<Move> gathers =
        planner.plan(split({{slow}, {fast}}), split({{}, {}}), {1200, 600}, 4).moves;
    ASSERT_EQ(gathers.size(), 2u);
    EXPECT_EQ(gathers[0].axes, std::vector<AxisRef>{slow});
    const std::vector<Move> scatters =
        planner.plan(partials({{}, {}}, {x, y}), split({{slow}, {fast}}), {1200, 600}, 4).moves;
    ASSERT_EQ(scatters.size(), 4u);
    EXPECT_EQ(scatters[0].axes, std::vector<AxisRef>{fast});
    EXPECT_EQ(scatters[2].axes, std::vector<AxisRef>{slow});
  }
}

TEST(Reshard, GathersOneDimensionByLevel) {
  // One all-gather would send three blocks along the slow link: one is enough.
  const int64_t block = 1200 / 4 * 600 * 4;
  for (auto [slow, fast] : {std::pair(x, y), std::pair(y, x)}) {
    ReshardPlanner planner(Mesh({{"x", 2}, {"y", 2}}), withSlowAxis(slow.axis));
    const std::vector<Move> minor =
        planner.plan(split({{fast, slow}, {}}), split({{}, {}}), {1200, 600}, 4).moves;
    ASSERT_EQ(minor.size(), 2u);
    EXPECT_EQ(minor[0].axes, std::vector<AxisRef>{slow});
    EXPECT_EQ(minor[0].traffic.bytes, block);
    EXPECT_EQ(minor[1].axes, std::vector<AxisRef>{fast});
    // Only what is minor can be gathered: the fast axis splits the other dimension meanwhile.
    const std::vector<Move> major =
        planner.plan(split({{slow, fast}, {}}), split({{}, {}}), {1200, 600}, 4).moves;
    ASSERT_EQ(major.size(), 3u);
    EXPECT_EQ(major[0].kind, MoveKind::Exchange);
    EXPECT_EQ(major[1].axes, std::vector<AxisRef>{slow});
    EXPECT_EQ(major[1].traffic.bytes, block);
    EXPECT_EQ(major[2].kind, MoveKind::Combine);
  }
}

/// By the links that moves use no plan costs more than the one for equal links.
TEST(Reshard, PlansByLinkAreNoSlower) {
  std::vector<Layout> layouts;
  const std::vector<AxisRef> axes = {x, y, z};
  for (int code = 0; code < 64; ++code) {
    Dims dims(2);
    std::vector<AxisRef> sums;
    for (size_t i = 0; i < axes.size(); ++i) {
      int where = code >> 2 * i & 3;
      if (where == 3)
        sums.push_back(axes[i]);
      else if (where > 0)
        dims[where - 1].push_back(axes[i]);
    }
    layouts.push_back(sums.empty() ? split(dims) : partials(dims, sums));
  }
  size_t faster = 0;
  for (uint32_t slow = 0; slow < 3; ++slow) {
    const ReshardOptions options = withSlowAxis(slow);
    ReshardOptions equal;
    equal.rates = options.rates;
    ReshardPlanner byLink(mesh, options), plain(mesh, equal);
    for (const Layout &from : layouts)
      for (const Layout &to : layouts) {
        const ReshardPlan &plan = byLink.plan(from, to, {120, 60}, 4);
        ASSERT_EQ(plan.moves.empty() ? from : plan.moves.back().layout, to);
        double seconds = getSeconds(plan.moves, options),
               before = getSeconds(plain.plan(from, to, {120, 60}, 4).moves, options);
        ASSERT_LE(seconds, before);
        faster += seconds < 0.99 * before;
      }
  }
  EXPECT_GT(faster, 500u);
}

TEST(Reshard, UnevenCutsAreRedistributed) {
  // 7 by (3, 2) and by (2, 3) are other blocks.
  EXPECT_FALSE(isPermutation(mesh, split({{z, x}}), split({{x, z}}), {7}));
  EXPECT_TRUE(isPermutation(mesh, split({{z, x}}), split({{x, z}}), {12}));
  EXPECT_EQ(planOf(split({{z, x}, {y}}), split({{x, z}, {y}}), {7, 6}), "redistribute");
  // By (3, 2, 2) and by (2, 3, 2) all blocks are single elements.
  EXPECT_EQ(planOf(split({{z, x}}), split({{x, z}}), {7}), "partition permute combine");
}

TEST(Reshard, AllReduceInPartsWhereOthersReplicate) {
  // 2(p-1)/p is not a bound where another axis replicates; a message is worth it in small ones.
  EXPECT_EQ(planOf(partials({{x}, {}}, {z}), split({{x}, {}}), {1200, 600}),
            "partition reduce+partition combine");
  EXPECT_EQ(planOf(partials({{x}, {}}, {z}), split({{x}, {}}), {2, 2}), "reduce");
}

TEST(Reshard, ReducesScatteredFirst) {
  EXPECT_EQ(planOf(partials({{}, {}}, {x, y}), split({{x}, {}}), {12, 6}),
            "reduce+partition reduce");
}

TEST(Reshard, PlacedIsScatteredAsPartials) {
  Mesh line({{"z", 4}});
  AxisRef part{0, 1, 4};
  Layout placed = split({{}});
  placed.placed = {{part, 1}};
  ReshardPlanner planner(line);
  EXPECT_EQ(kindsOf(planner.plan(placed, split({{part}}), {12000}, 4)), "spread reduce+partition");
  EXPECT_EQ(kindsOf(planner.plan(placed, split({{}}), {12}, 4)), "replicate");
}

TEST(Reshard, MemoryBound) {
  // Gathering first holds the whole tensor.
  const std::vector<int64_t> shape = {7, 1000};
  Layout from = split({{z, x}, {}}), to = split({{}, {z, x}});
  ReshardOptions options;
  ReshardPlanner free(mesh, options);
  int64_t ends = localBytes(from, shape, 4) + localBytes(to, shape, 4);
  options.memoryBytes = ends;
  ReshardPlanner bound(mesh, options);
  EXPECT_LE(bound.plan(from, to, shape, 4).peakBytes, ends);
  // A bound that nothing keeps: as little as can be.
  options.memoryBytes = 1;
  ReshardPlanner least(mesh, options);
  EXPECT_LE(least.plan(from, to, shape, 4).peakBytes, ends);
  EXPECT_EQ(free.plan(from, to, shape, 4).isCheapest, true);
}

TEST(Reshard, PriceIsThatOfTheMoves) {
  ReshardPlanner planner(mesh);
  const ReshardPlan &plan = planner.plan(partials({{}, {}}, {x, y}), split({{x}, {}}), {12, 6}, 4);
  std::vector<Move> moves = plan.moves;
  Traffic traffic = setTraffic(mesh, partials({{}, {}}, {x, y}), moves, {12, 6}, 4);
  EXPECT_EQ(traffic.bytes, plan.traffic.bytes);
  EXPECT_EQ(traffic.messages, plan.traffic.messages);
  // (p-1)/p of 288 bytes, then twice that of a half.
  EXPECT_EQ(traffic.bytes, 144 + 144);
  EXPECT_EQ(traffic.messages, 1 + 2);
}

TEST(Reshard, DoesNotDependOnRanks) {
  // 65,536 positions along each axis, divided and not.
  Mesh huge({{"x", 65536}, {"y", 16384}});
  AxisRef hx{0, 1, 65536}, hy{1, 1, 16384}, hx1{0, 1, 256}, hx2{0, 256, 256};
  ReshardPlanner planner(huge);
  auto begin = std::chrono::steady_clock::now();
  for (int64_t n : {int64_t(1) << 32, (int64_t(1) << 32) + 12345}) {
    std::vector<int64_t> shape = {n, int64_t(1) << 20};
    EXPECT_EQ(kindsOf(planner.plan(split({{hx}, {}}), split({{}, {hx}}), shape, 4)), "exchange");
    // Where blocks are padded another way may send less.
    std::string gather = kindsOf(planner.plan(split({{hx, hy}, {}}), split({{hx}, {}}), shape, 4));
    EXPECT_TRUE(gather == "combine" || n % 65536 != 0);
    EXPECT_EQ(kindsOf(planner.plan(split({{hx1}, {hx2}}), split({{hx1, hx2}, {}}), shape, 4)),
              "exchange");
    planner.plan(split({{hy, hx}, {}}), split({{hx, hy}, {}}), shape, 4);
    planner.plan(partials({{}, {}}, {hx, hy}), split({{hy}, {hx}}), shape, 4);
  }
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 5);
}

TEST(Reshard, CutsAreComparedByTheirPlaces) {
  // Against the blocks of all coordinates.
  const std::vector<std::vector<int64_t>> lists = {
      {},     {2},    {3},       {4},       {6},       {2, 2}, {2, 3}, {3, 2}, {4, 2},
      {4, 3}, {3, 4}, {2, 2, 3}, {2, 3, 2}, {3, 2, 2}, {6, 2}, {2, 6}, {12},   {5, 2}};
  auto toAxes = [](const std::vector<int64_t> &sizes) {
    std::vector<AxisRef> axes;
    axes.reserve(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i)
      axes.push_back({static_cast<uint32_t>(i), 1, sizes[i]});
    return axes;
  };
  auto placesOf = [](int64_t n, const std::vector<int64_t> &sizes) {
    std::vector<int64_t> places, at(sizes.size());
    while (true) {
      DimBlock held = block(n, sizes, at);
      if (held.valid() > 0)
        places.push_back(held.begin);
      size_t i = sizes.size();
      while (i > 0 && ++at[i - 1] == sizes[i - 1])
        at[--i] = 0;
      if (i == 0)
        return places;
    }
  };
  for (int64_t n = 0; n < 200; ++n)
    for (const auto &a : lists) {
      std::vector<int64_t> places = placesOf(n, a);
      EXPECT_EQ(cutPlaces(n, toAxes(a), 200), places);
      places.resize(std::min<size_t>(places.size(), 3));
      EXPECT_EQ(cutPlaces(n, toAxes(a), 3), places);
      for (const auto &b : lists)
        EXPECT_EQ(cutAlike(n, toAxes(a), toAxes(b)), placesOf(n, a) == placesOf(n, b))
            << n << " by " << a.size() << " and " << b.size();
    }
}

TEST(Reshard, RedistributionHasAsManyRoundsAsTheBusiestRank) {
  Mesh line({{"x", 4}, {"y", 6}});
  AxisRef lx{0, 1, 4}, ly{1, 1, 6};
  // Blocks of 6 to blocks of 4: two sources at most, and a source serves two targets.
  auto plan = planRedistribution(line, split({{lx}}), split({{ly}}), {24});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->rounds.size(), 2u);
  EXPECT_EQ(missingBytes(line, split({{lx}}), split({{ly}}), {24}, 4), 16);
  // Partial axes differ.
  EXPECT_FALSE(planRedistribution(line, partials({{}}, {lx}), split({{ly}}), {24}));
}

TEST(Reshard, RedistributionWithinWhatIsAlike) {
  // What both layouts split or place alike has no part in the transfers, however many ranks it has.
  Mesh wide({{"w", 1024}, {"x", 2}, {"z", 3}, {"v", 512}});
  AxisRef w{0, 1, 1024}, wx{1, 1, 2}, wz{2, 1, 3}, v{3, 1, 512};
  const std::vector<AxisRef> minor = {wx, wz};
  auto rows = planRedistribution(wide, split({{w}, {wx, wz}}), split({{w}, {wz, wx}}), {1024, 7});
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->axes, minor);
  auto list = planRedistribution(wide, split({{w, wx, wz}}), split({{w, wz, wx}}), {1024 * 7});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->axes, minor);
  Layout from = split({{w}, {wx, wz}}), to = split({{w}, {wz, wx}});
  from.placed = to.placed = {{v, 5}};
  auto placed = planRedistribution(wide, from, to, {1024, 7});
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->axes, minor);
  // Each as without it.
  auto alone = planRedistribution(wide, split({{wx, wz}}), split({{wz, wx}}), {7});
  for (const auto &plan : {rows, list, placed}) {
    EXPECT_EQ(plan->traffic(4).bytes, alone->traffic(4).bytes);
    EXPECT_EQ(plan->traffic(4).messages, alone->traffic(4).messages);
  }
  // Placed elsewhere: all of them take part.
  to.placed = {{v, 6}};
  EXPECT_FALSE(planRedistribution(wide, from, to, {1024, 7}));
}

/// The search takes the price for what the plan sends, and puts off what bounds say is too much.
TEST(Reshard, PricesOfRedistributionsAreThoseOfTheirPlans) {
  const std::vector<Dims> splits = {{{x, y}, {z}}, {{z, x}, {y}}, {{y}, {z, x}}, {{}, {z}},
                                    {{z, y}, {}},  {{x}, {y}},    {{z}, {x, y}}, {{y, z, x}, {}}};
  size_t count = 0, tight = 0;
  RedistributionPrices known(mesh);
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{24, 12}, {13, 7}, {5, 100}, {3, 2}, {17, 1}})
    for (const Dims &before : splits)
      for (const Dims &after : splits) {
        Layout from = split(before), to = split(after);
        Traffic least;
        RedistributionPrices prices(mesh);
        EXPECT_FALSE(prices.get(from, to, shape, 4, [](const Traffic &) { return true; }));
        std::optional<Traffic> price = prices.get(from, to, shape, 4, [&](const Traffic &bound) {
          EXPECT_GE(bound.bytes, least.bytes);
          EXPECT_GE(bound.messages, least.messages);
          least = bound;
          return false;
        });
        Traffic sent = planRedistribution(mesh, from, to, shape)->traffic(4);
        ASSERT_TRUE(price);
        EXPECT_EQ(price->bytes, sent.bytes);
        EXPECT_EQ(price->messages, sent.messages);
        EXPECT_LE(least.bytes, sent.bytes);
        EXPECT_LE(least.messages, sent.messages);
        tight += least.bytes == sent.bytes;
        ++count;
        // Of other elements, and beside dimensions that are whole.
        for (int64_t elementBytes : {2, 8}) {
          std::vector<int64_t> larger = {3, shape[0], 5, shape[1]};
          Layout wide = split({{}, before[0], {}, before[1]}),
                 other = split({{}, after[0], {}, after[1]});
          std::optional<Traffic> again = known.get(wide, other, larger, elementBytes);
          Traffic all = planRedistribution(mesh, wide, other, larger)->traffic(elementBytes);
          ASSERT_TRUE(again);
          EXPECT_EQ(again->bytes, all.bytes);
          EXPECT_EQ(again->messages, all.messages);
        }
      }
  EXPECT_GT(tight, count / 2);
}

/// One price serves all axes of a size, but neither others nor another order of them.
TEST(Reshard, PricesOfRedistributionsAreKnownByPlacesOfAxes) {
  Mesh cube({{"a", 2}, {"b", 3}, {"c", 2}, {"d", 3}});
  const std::vector<AxisRef> axes = {{0, 1, 2}, {1, 1, 3}, {2, 1, 2}, {3, 1, 3}};
  RedistributionPrices known(cube);
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{7, 5}, {12, 36}, {0, 5}})
    for (const AxisRef &first : axes)
      for (const AxisRef &second : axes)
        for (const AxisRef &third : axes) {
          if (first == second || second == third || third == first)
            continue;
          Layout from = split({{third, first}, {second}}), to = split({{third, second}, {first}});
          Layout placed = split({{third}, {}}), elsewhere = placed;
          placed.placed = {{first, 0}};
          elsewhere.placed = {{first, 1}};
          for (const auto &[before, after] :
               {std::pair(from, to), {to, from}, {placed, elsewhere}, {elsewhere, from}}) {
            std::optional<Traffic> price = known.get(before, after, shape, 4);
            Traffic sent = planRedistribution(cube, before, after, shape)->traffic(4);
            ASSERT_TRUE(price);
            EXPECT_EQ(price->bytes, sent.bytes);
            EXPECT_EQ(price->messages, sent.messages);
          }
        }
}

TEST(Reshard, RanksThatKeepTheirBlockSendNothing) {
  // Two ranks hold each half. Rank 0 keeps the first one and rank 3 the second one; the others
  // swap theirs.
  auto plan = planRedistribution(mesh, split({{x}}), split({{y}}), {4});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->kept.size(), 2u);
  EXPECT_EQ(plan->kept[0].target, 0);
  EXPECT_EQ(plan->kept[1].target, 3);
  ASSERT_EQ(plan->rounds.size(), 1u);
  const std::vector<Transfer> &transfers = plan->rounds[0].transfers;
  ASSERT_EQ(transfers.size(), 2u);
  EXPECT_EQ(transfers[0].source, 1);
  EXPECT_EQ(transfers[0].target, 2);
  EXPECT_EQ(transfers[1].source, 2);
  EXPECT_EQ(transfers[1].target, 1);
}

TEST(Reshard, AxesThatEndsCutDifferently) {
  // 12 at 2, 4 or 2, 6 or 3, 6 and so on: some cuts divide one another and some do not.
  Mesh line({{"x", 12}});
  std::vector<AxisRef> parts;
  for (int64_t pre = 1; pre < 12; ++pre)
    for (int64_t size = 2; pre * size <= 12; ++size)
      if (12 % (pre * size) == 0)
        parts.push_back({0, pre, size});
  ReshardPlanner planner(line);
  for (const AxisRef &held : parts)
    for (const AxisRef &wanted : parts) {
      Layout part = partials({{}}, {held}), placed = split({{}});
      placed.placed = {{held, 1}};
      for (const Layout &from : {part, placed, split({{held}})})
        for (const Layout &to : {split({{wanted}}), partials({{}}, {wanted})}) {
          const ReshardPlan &plan = planner.plan(from, to, {13}, 4);
          EXPECT_EQ(plain::simulate(line, {13}, from, to, plan), "")
              << toString(line, from) << " -> " << toString(line, to);
        }
    }
}
