//===- PriceTest.cpp - What sequences of moves send and hold --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Layout/Reshard.h"

#include <gtest/gtest.h>

using namespace dmc;

namespace {
const Mesh mesh({{"x", 4}, {"y", 3}});
const AxisRef x{0, 1, 4}, y{1, 1, 3};
using Dims = std::vector<std::vector<AxisRef>>;

Layout split(Dims dims) { return {std::move(dims), {}, {}, {}}; }
Layout partials(Dims dims, std::vector<AxisRef> axes) {
  return {std::move(dims), Combiner::Sum, std::move(axes), {}};
}
Move move(MoveKind kind, std::vector<AxisRef> axes, Layout layout, int64_t dim = 0,
          int64_t targetDim = 0) {
  return {kind, std::move(axes), dim, targetDim, std::move(layout), {}};
}
const std::vector<int64_t> shape = {12, 8};
constexpr int64_t kBytes = 4, kWhole = 12 * 8 * kBytes;

struct Priced {
  Traffic sum;
  std::vector<Move> moves;
};

Priced price(const Layout &from, std::vector<Move> moves) {
  Priced result{{}, std::move(moves)};
  result.sum = setTraffic(mesh, from, result.moves, shape, kBytes);
  return result;
}
} // namespace

TEST(Price, MessagesOfCollectives) {
  // ceil(log2 p) that wait for each other, twice that of an all-reduce, one of a permute.
  const std::vector<std::pair<int64_t, int64_t>> logs = {{2, 1}, {3, 2}, {4, 2},  {5, 3},
                                                         {8, 3}, {9, 4}, {16, 4}, {17, 5}};
  for (auto [p, log] : logs) {
    EXPECT_EQ(messageCount(CollectiveKind::AllReduce, p), 2 * log);
    EXPECT_EQ(messageCount(CollectiveKind::AllGather, p), log);
    EXPECT_EQ(messageCount(CollectiveKind::ReduceScatter, p), log);
    EXPECT_EQ(messageCount(CollectiveKind::AllToAll, p), log);
    EXPECT_EQ(messageCount(CollectiveKind::Broadcast, p), log);
    EXPECT_EQ(messageCount(CollectiveKind::Permute, p), 1);
  }
  for (CollectiveKind kind :
       {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
        CollectiveKind::AllToAll, CollectiveKind::Permute, CollectiveKind::Broadcast})
    EXPECT_EQ(messageCount(kind, 1), 0);
}

TEST(Price, ReduceScatterSendsNoMoreThanAnAllReduce) {
  // (p - 1)/p of p results, against twice that of the operand.
  for (int64_t p = 1; p <= 9; ++p)
    for (int64_t operand = 0; operand <= 30; ++operand)
      for (int64_t result = (operand + p - 1) / p; result <= operand; ++result)
        EXPECT_EQ(isReduceScatter(operand, result, p),
                  p == 1 || (p - 1) * result * p <= (p - 1) * 2 * operand)
            << operand << " to " << result << " on " << p;
}

TEST(Price, OneGatherSendsNoMoreThanTwo) {
  // Over p * q positions, against p first and then q of what is not padding.
  const int64_t q = 3;
  for (int64_t p = 1; p <= 6; ++p)
    for (int64_t operand = 0; operand <= 9; ++operand)
      for (int64_t between = operand; between <= p * operand; ++between)
        EXPECT_EQ(isOneGather(operand, between, p),
                  (p * q - 1) * operand <= (p - 1) * operand + (q - 1) * between)
            << operand << " to " << between << " on " << p;
}

/// Kinds and numbers of axes of moves after merging.
static std::vector<std::pair<MoveKind, size_t>>
mergedKinds(const Layout &from, std::vector<Move> moves, const ReshardOptions &options) {
  mergeMoves(mesh, from, moves, shape, kBytes, options);
  std::vector<std::pair<MoveKind, size_t>> kinds;
  for (const Move &move : moves)
    kinds.emplace_back(move.kind, move.axes.size());
  return kinds;
}

TEST(Price, MergesWhereLinksMakeThatNoSlower) {
  using Kinds = std::vector<std::pair<MoveKind, size_t>>;
  ReshardOptions alike, slowX;
  slowX.rates = {1e6, 0};
  slowX.fastest = {1e8, 0};
  slowX.ratesAlong = [&](const std::vector<AxisRef> &axes) {
    return axes == std::vector{y} ? slowX.fastest : slowX.rates;
  };
  const Layout xy = split({{x, y}, {}}), onX = split({{x}, {}}), whole = split({{}, {}});
  const std::vector<Move> gathers = {move(MoveKind::Combine, {y}, onX),
                                     move(MoveKind::Combine, {x}, whole)};
  EXPECT_EQ(mergedKinds(xy, gathers, alike), (Kinds{{MoveKind::Combine, 2}}));
  EXPECT_EQ(mergedKinds(xy, gathers, slowX),
            (Kinds{{MoveKind::Combine, 1}, {MoveKind::Combine, 1}}));
  // Both along x as one: what merging costs is compared, not whether axes differ.
  ReshardOptions slowBoth = slowX;
  slowBoth.ratesAlong = [&](const std::vector<AxisRef> &) { return slowX.rates; };
  EXPECT_EQ(mergedKinds(xy, gathers, slowBoth), (Kinds{{MoveKind::Combine, 2}}));

  const Layout sum = partials({{}, {}}, {x, y}), sumX = partials({{}, {}}, {x});
  std::vector<Move> reductions = {move(MoveKind::Reduce, {y}, sumX),
                                  move(MoveKind::Reduce, {x}, whole)};
  EXPECT_EQ(mergedKinds(sum, reductions, alike), (Kinds{{MoveKind::Reduce, 2}}));
  EXPECT_EQ(mergedKinds(sum, reductions, slowX),
            (Kinds{{MoveKind::Reduce, 1}, {MoveKind::Reduce, 1}}));
  // Before a partition they are one, so that the reduce-scatter comes first.
  reductions.push_back(move(MoveKind::Partition, {x}, onX));
  const Kinds scattered = {{MoveKind::Reduce, 1}, {MoveKind::Partition, 1}, {MoveKind::Reduce, 1}};
  EXPECT_EQ(mergedKinds(sum, reductions, alike), scattered);
  EXPECT_EQ(mergedKinds(sum, reductions, slowX), scattered);
}

TEST(Price, OfEachMove) {
  // All-gather and all-to-all: (p - 1)/p of what the group sees.
  Priced gather = price(split({{x}, {y}}), {move(MoveKind::Combine, {x}, split({{}, {y}}))});
  EXPECT_DOUBLE_EQ(gather.sum.bytes, 12 * 3 * kBytes * 3 / 4.0);
  EXPECT_EQ(gather.sum.messages, 2);
  Priced exchange =
      price(split({{x}, {}}), {move(MoveKind::Exchange, {x}, split({{}, {x}}), 0, 1)});
  EXPECT_DOUBLE_EQ(exchange.sum.bytes, kWhole / 4 * 3 / 4.0);
  EXPECT_EQ(exchange.sum.messages, 2);
  // A block of a permute, unless it changes the spelling alone.
  Priced permute = price(split({{x, y}, {}}), {move(MoveKind::Permute, {}, split({{y, x}, {}}))});
  EXPECT_DOUBLE_EQ(permute.sum.bytes, kWhole / 12);
  EXPECT_EQ(permute.sum.messages, 1);
  Priced spelling =
      price(split({{x}, {}}), {move(MoveKind::Permute, {}, split({{{0, 1, 2}, {0, 2, 2}}, {}}))});
  EXPECT_EQ(spelling.sum.bytes, 0);
  EXPECT_EQ(spelling.sum.messages, 0);
  // Local ones.
  Priced local = price(split({{}, {}}), {move(MoveKind::Partition, {x}, split({{x}, {}})),
                                         move(MoveKind::Spread, {y}, partials({{x}, {}}, {y}))});
  EXPECT_EQ(local.sum.bytes, 0);
  EXPECT_EQ(local.sum.messages, 0);
}

TEST(Price, ReduceAndPartitionAlongTheSameAxes) {
  const Layout from = partials({{}, {}}, {x, y}), reduced = partials({{}, {}}, {y});
  const double twice = 2 * 3 / 4.0 * kWhole, once = 3 / 4.0 * kWhole;
  // Along the same axes: a reduce-scatter, with the reduce.
  Priced same = price(from, {move(MoveKind::Reduce, {x}, reduced),
                             move(MoveKind::Partition, {x}, partials({{x}, {}}, {y}))});
  EXPECT_DOUBLE_EQ(same.moves[0].traffic.bytes, once);
  EXPECT_EQ(same.moves[0].traffic.messages, 2);
  EXPECT_EQ(same.moves[1].traffic.bytes, 0);
  EXPECT_DOUBLE_EQ(same.sum.bytes, once);
  // Along another axis, or alone, or before another move: an all-reduce.
  const Layout whole = split({{}, {}});
  for (const std::vector<Move> &rest :
       {std::vector<Move>{},
        {move(MoveKind::Partition, {{0, 1, 2}}, partials({{{0, 1, 2}}, {}}, {y}))},
        {move(MoveKind::Reduce, {y}, whole)},
        {move(MoveKind::Spread, {x}, from)}}) {
    std::vector<Move> moves{move(MoveKind::Reduce, {x}, reduced)};
    moves.insert(moves.end(), rest.begin(), rest.end());
    Priced other = price(from, moves);
    EXPECT_DOUBLE_EQ(other.moves[0].traffic.bytes, twice);
    EXPECT_EQ(other.moves[0].traffic.messages, 4);
  }
  // What each sends adds up; the second one starts from what the first one leaves.
  Priced both = price(split({{x}, {y}}), {move(MoveKind::Combine, {y}, split({{x}, {}}), 1),
                                          move(MoveKind::Combine, {x}, split({{}, {}}))});
  EXPECT_DOUBLE_EQ(both.moves[0].traffic.bytes, 3 * 9 * kBytes * 2 / 3.0); // 8 by 3 is padded
  EXPECT_DOUBLE_EQ(both.moves[1].traffic.bytes, kWhole * 3 / 4.0);
  EXPECT_DOUBLE_EQ(both.sum.bytes, both.moves[0].traffic.bytes + both.moves[1].traffic.bytes);
  EXPECT_EQ(both.sum.messages, 2 + 2);
}

TEST(Price, PeakIsOperandAndResultOfOneMove) {
  auto peak = [](const Layout &from, const std::vector<Move> &moves) {
    return peakBytes(from, moves, shape, kBytes);
  };
  const Layout whole = split({{}, {}}), rows = split({{x}, {}});
  EXPECT_EQ(peak(rows, {}), kWhole / 4);
  EXPECT_EQ(peak(rows, {move(MoveKind::Combine, {x}, whole)}), kWhole / 4 + kWhole);
  // The first move, and the last one.
  EXPECT_EQ(peak(whole, {move(MoveKind::Partition, {x}, rows),
                         move(MoveKind::Exchange, {x}, split({{}, {x}}), 0, 1)}),
            kWhole + kWhole / 4);
  EXPECT_EQ(peak(rows, {move(MoveKind::Exchange, {x}, split({{}, {x}}), 0, 1),
                        move(MoveKind::Combine, {x}, whole, 1)}),
            kWhole / 4 + kWhole);
  // A reduce holds operand and result, unless both are one reduce-scatter.
  const Layout from = partials({{}, {}}, {x});
  const Move reduce = move(MoveKind::Reduce, {x}, whole);
  EXPECT_EQ(peak(from, {reduce}), 2 * kWhole);
  // The last one has no move behind it, whatever the memory of the list has held there.
  std::vector<Move> ends = {move(MoveKind::Reduce, {}, whole),
                            move(MoveKind::Partition, {}, Layout::replicated(0))};
  ends.pop_back();
  EXPECT_EQ(peak(whole, ends), 2 * kWhole);
  EXPECT_EQ(peak(from, {reduce, move(MoveKind::Partition, {x}, rows)}), kWhole + kWhole / 4);
  EXPECT_EQ(peak(from, {reduce, move(MoveKind::Partition, {y}, split({{y}, {}}))}), 2 * kWhole);
  EXPECT_EQ(peak(from, {reduce, move(MoveKind::Spread, {x}, from)}), 2 * kWhole);
  // After it only the part is held.
  EXPECT_EQ(peak(from, {reduce, move(MoveKind::Partition, {x}, rows),
                        move(MoveKind::Combine, {x}, whole)}),
            kWhole + kWhole / 4);
  // Blocks of padding so large that an all-reduce and a slice send less: all of it is held.
  const std::vector<int64_t> small = {1, 8};
  EXPECT_EQ(peakBytes(from, {reduce, move(MoveKind::Partition, {x}, rows)}, small, kBytes),
            2 * 8 * kBytes);
}
