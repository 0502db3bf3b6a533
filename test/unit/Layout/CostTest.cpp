//===- CostTest.cpp - Wire bytes by counting what is sent -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Layout/Layout.h"

#include <gtest/gtest.h>

using namespace dmc;

namespace {

TEST(WireBytes, MatchTheAlgorithms) {
  // p divides the tensor, so that the ring algorithms can be counted in blocks.
  for (int64_t p : {2, 3, 4, 8}) {
    int64_t chunk = 16, total = chunk * p;
    // Ring: p - 1 steps, each sends one block.
    double ring = double((p - 1) * chunk);
    EXPECT_DOUBLE_EQ(wireBytes(CollectiveKind::AllGather, total, p), ring);
    EXPECT_DOUBLE_EQ(wireBytes(CollectiveKind::ReduceScatter, total, p), ring);
    EXPECT_DOUBLE_EQ(wireBytes(CollectiveKind::AllReduce, total, p), 2 * ring);
    // One block of the operand to each other rank.
    EXPECT_DOUBLE_EQ(wireBytes(CollectiveKind::AllToAll, total, p), ring);
    EXPECT_DOUBLE_EQ(wireBytes(CollectiveKind::Permute, chunk, p), double(chunk));
    EXPECT_DOUBLE_EQ(wireBytes(CollectiveKind::Broadcast, total, p), double(total));
  }
}

TEST(WireBytes, MergingAxesKeepsGatherAndScatterOnly) {
  // All-gather over 3 and then 2, minor first, against one over 6; likewise for
  // the all-reduce, which the merged form makes cheaper.
  double t = 600;
  double gather = wireBytes(CollectiveKind::AllGather, 300, 3) + // half of the tensor
                  wireBytes(CollectiveKind::AllGather, 600, 2);
  EXPECT_DOUBLE_EQ(gather, wireBytes(CollectiveKind::AllGather, 600, 6));
  EXPECT_DOUBLE_EQ(gather, t * 5 / 6);
  double reduce =
      wireBytes(CollectiveKind::AllReduce, 600, 3) + wireBytes(CollectiveKind::AllReduce, 600, 2);
  EXPECT_GT(reduce, wireBytes(CollectiveKind::AllReduce, 600, 6));
}

TEST(WireBytes, GroupOfOneSendsNothing) {
  for (auto kind :
       {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
        CollectiveKind::AllToAll, CollectiveKind::Permute, CollectiveKind::Broadcast}) {
    EXPECT_EQ(wireBytes(kind, 1024, 1), 0);
    EXPECT_EQ(wireBytes(kind, 0, 4), 0);
  }
}

} // namespace
