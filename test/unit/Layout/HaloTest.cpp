//===- HaloTest.cpp - Windows over split dimensions -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the plans of all small windows on element numbers.
//
//===----------------------------------------------------------------------===//
#include "dmc/Layout/Halo.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace dmc;

namespace {
/// The elements that a position ends up with, from the first of its window on; -1: none.
using Received = std::vector<std::vector<int64_t>>;
} // namespace

static int64_t numPositions(const std::vector<int64_t> &axes) {
  int64_t result = 1;
  for (int64_t size : axes)
    result *= size;
  return result;
}

static DimBlock blockOf(int64_t n, const std::vector<int64_t> &axes, int64_t position) {
  std::vector<int64_t> coordinates(axes.size());
  for (size_t i = axes.size(); i-- > 0; position /= axes[i])
    coordinates[i] = position % axes[i];
  return block(n, axes, coordinates);
}

static Received execute(const Windows &windows, const std::vector<int64_t> &axes) {
  HaloPlan plan = planHalo(windows, axes);
  Received result(windows.count, std::vector<int64_t>(windows.maxElements(), -1));
  auto apply = [&](const Transfer &transfer) {
    DimBlock held = blockOf(windows.size, axes, transfer.source);
    EXPECT_GT(transfer.size[0], 0) << "a transfer of nothing";
    for (int64_t i = 0; i < transfer.size[0]; ++i) {
      EXPECT_LT(held.begin + transfer.sourceOffset[0] + i, held.end);
      int64_t &place = result[transfer.target][transfer.targetOffset[0] + i];
      EXPECT_EQ(place, -1) << "an element comes twice";
      place = held.begin + transfer.sourceOffset[0] + i;
    }
  };
  for (const Transfer &transfer : plan.kept)
    apply(transfer);
  for (const TransferRound &round : plan.rounds) {
    std::vector<int64_t> sends(windows.count), receives(windows.count);
    for (const Transfer &transfer : round.transfers) {
      EXPECT_EQ(++sends[transfer.source], 1);
      EXPECT_EQ(++receives[transfer.target], 1);
      EXPECT_NE(transfer.source, transfer.target);
      EXPECT_LE(transfer.size[0], round.shape[0]);
      apply(transfer);
    }
  }
  return result;
}

static void check(const Windows &windows, const std::vector<int64_t> &axes) {
  Received received = execute(windows, axes);
  for (int64_t window = 0; window < windows.count; ++window)
    for (int64_t i = 0; i < windows.maxElements(); ++i) {
      int64_t element = windows.firstElement(window) + i;
      int64_t place = element * windows.dilation - windows.begin(window);
      EXPECT_GE(place, 0);
      bool isRead = place < windows.length && element >= 0 && element < windows.size;
      EXPECT_EQ(received[window][i], isRead ? element : -1)
          << "n " << windows.size << " count " << windows.count << " step " << windows.step
          << " offset " << windows.offset << " length " << windows.length << " dilation "
          << windows.dilation << " window " << window;
    }
}

TEST(HaloTest, EveryWindowIsComplete) {
  const std::vector<std::vector<int64_t>> splits = {{2}, {3}, {5}, {2, 3}, {3, 2}};
  for (const std::vector<int64_t> &axes : splits)
    for (int64_t n = 0; n <= 7; ++n)
      for (int64_t step = -3; step <= 3; ++step)
        for (int64_t offset = -4; offset <= 4; offset += 2)
          for (int64_t length = 1; length <= 7; length += 3)
            for (int64_t dilation = 1; dilation <= 3; ++dilation)
              check({n, numPositions(axes), step, offset, length, dilation}, axes);
}

TEST(HaloTest, WholeDimensionsMoveNothing) {
  Windows windows{7, 4, 2, -1, 4, 1};
  HaloPlan plan = planHalo(windows, {});
  EXPECT_TRUE(plan.rounds.empty());
  // Every position keeps what its window has of the 7 elements.
  ASSERT_EQ(plan.kept.size(), 4u);
  const std::vector<int64_t> sizes = {3, 4, 4, 2}, begins = {0, 1, 3, 5};
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(plan.kept[i].source, i);
    EXPECT_EQ(plan.kept[i].target, i);
    EXPECT_EQ(plan.kept[i].size[0], sizes[i]);
    EXPECT_EQ(plan.kept[i].sourceOffset[0], begins[i]);
    EXPECT_EQ(plan.kept[i].targetOffset[0], i == 0 ? 1 : 0);
  }
  EXPECT_EQ(haloTraffic(windows, {}, 4).messages, 0);
}

TEST(HaloTest, Traffic) {
  // One row from each side: two messages of a row.
  Traffic traffic = haloTraffic({8, 4, 2, -1, 4, 1}, {4}, 12);
  EXPECT_EQ(traffic.bytes, 24);
  EXPECT_EQ(traffic.messages, 2);
  // On two positions each has one neighbour: one round.
  EXPECT_EQ(haloTraffic({8, 2, 4, -1, 6, 1}, {2}, 12).messages, 1);
  // n = 5, p = 4, window 7: owners two positions away; three others need the second block.
  EXPECT_EQ(planHalo({5, 4, 2, -3, 8, 1}, {4}).rounds.size(), 3u);
  // Blocks where they are.
  EXPECT_EQ(haloTraffic({7, 4, 2, 0, 2, 1}, {4}, 12).bytes, 0);
}

TEST(HaloTest, Cuts) {
  EXPECT_TRUE(cutsUniformly(7, {}));
  EXPECT_TRUE(cutsUniformly(7, {4}));
  EXPECT_TRUE(cutsUniformly(12, {2, 3}));
  EXPECT_FALSE(cutsUniformly(7, {2, 3}));
  EXPECT_TRUE(cutsAlike(7, 8, {4}));
  EXPECT_FALSE(cutsAlike(6, 8, {2}));
  EXPECT_TRUE(cutsAlike(15, 14, {3, 2}));
}
