//===- BlocksTest.cpp - The nested cut by enumeration ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Layout/Layout.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace dmc;

namespace {

using Sizes = std::vector<int64_t>;

/// All lists of up to three axes of sizes 1 to 4.
std::vector<Sizes> axisLists() {
  std::vector<Sizes> result{{}};
  for (size_t i = 0; i < result.size(); ++i)
    if (result[i].size() < 3)
      for (int64_t p = 1; p <= 4; ++p) {
        Sizes longer = result[i];
        longer.push_back(p);
        result.push_back(longer);
      }
  return result;
}

/// All coordinates over these sizes, row-major.
std::vector<Sizes> positions(const Sizes &sizes) {
  std::vector<Sizes> result{{}};
  for (int64_t p : sizes) {
    std::vector<Sizes> longer;
    for (const Sizes &prefix : result)
      for (int64_t c = 0; c < p; ++c) {
        longer.push_back(prefix);
        longer.back().push_back(c);
      }
    result = longer;
  }
  return result;
}

TEST(DimBlock, CoverEveryElementOnceInOrder) {
  for (const Sizes &sizes : axisLists())
    for (int64_t n = 0; n <= 30; ++n) {
      std::vector<int> owners(n);
      int64_t last = 0;
      for (const Sizes &at : positions(sizes)) {
        DimBlock b = block(n, sizes, at);
        ASSERT_LE(0, b.begin);
        ASSERT_LE(b.begin, b.end);
        ASSERT_LE(b.end, n);
        EXPECT_LE(b.valid(), b.size);
        EXPECT_EQ(b.size, localSize(n, sizes));
        EXPECT_GE(b.begin, last); // also of empty blocks
        last = b.end;
        for (int64_t i = b.begin; i < b.end; ++i)
          ++owners[i];
      }
      EXPECT_TRUE(std::all_of(owners.begin(), owners.end(), [](int c) { return c == 1; }));
    }
}

TEST(DimBlock, PartitionOfAMinorAxisIsLocal) {
  // A position's block is the block of its parent's block, whether or not the
  // parent has padding: what slices locally needs nothing from another rank.
  for (const Sizes &sizes : axisLists()) {
    if (sizes.empty())
      continue;
    Sizes parentSizes(sizes.begin(), sizes.end() - 1);
    for (int64_t n = 0; n <= 30; ++n)
      for (const Sizes &at : positions(sizes)) {
        DimBlock parent = block(n, parentSizes, Sizes(at.begin(), at.end() - 1));
        DimBlock child = block(n, sizes, at);
        EXPECT_LE(parent.begin, child.begin);
        EXPECT_LE(child.end, parent.end);
        // In the parent's padded array: the slice at i * size, its valid prefix.
        DimBlock slice = block(parent.size, {sizes.back()}, {at.back()});
        EXPECT_EQ(child.size, slice.size);
        EXPECT_EQ(child.begin, parent.begin + std::min(slice.begin, parent.valid()));
        EXPECT_EQ(child.end, parent.begin + std::min(slice.end, parent.valid()));
      }
  }
}

TEST(DimBlock, IsNotTheFlatCut) {
  // n = 5 on 2 x 2: nested 3 = 2 + 1 and 2 = 2 + 0; flat would be 2, 2, 1, 0.
  EXPECT_EQ(block(5, {2, 2}, {0, 1}), (DimBlock{2, 3, 2}));
  EXPECT_EQ(block(5, {2, 2}, {1, 0}), (DimBlock{3, 5, 2}));
  EXPECT_EQ(block(5, {2, 2}, {1, 1}), (DimBlock{5, 5, 2}));
}

TEST(DimBlock, EmptyOnesMayLieBetweenFullOnes) {
  EXPECT_EQ(block(2, {2, 2}, {0, 0}), (DimBlock{0, 1, 1}));
  EXPECT_EQ(block(2, {2, 2}, {0, 1}), (DimBlock{1, 1, 1}));
  EXPECT_EQ(block(2, {2, 2}, {1, 0}), (DimBlock{1, 2, 1}));
  EXPECT_EQ(block(2, {2, 2}, {1, 1}), (DimBlock{2, 2, 1}));
}

TEST(DimBlock, SizeIndependentOfTheOrderOffsetsNot) {
  bool offsetsDiffer = false;
  for (Sizes sizes : axisLists()) {
    int64_t product = 1;
    for (int64_t p : sizes)
      product *= p;
    std::sort(sizes.begin(), sizes.end());
    Sizes reversed(sizes.rbegin(), sizes.rend());
    for (int64_t n = 0; n <= 40; ++n) {
      Sizes order = sizes;
      do {
        EXPECT_EQ(localSize(n, order), (n + product - 1) / product);
      } while (std::next_permutation(order.begin(), order.end()));
      for (const Sizes &at : positions(sizes))
        offsetsDiffer |=
            !(block(n, sizes, at) == block(n, reversed, Sizes(at.rbegin(), at.rend())));
    }
  }
  EXPECT_TRUE(offsetsDiffer);
}

TEST(DimBlock, HugeSizesDoNotOverflow) {
  int64_t n = INT64_MAX;
  EXPECT_EQ(localSize(n, {2}), INT64_MAX / 2 + 1);
  EXPECT_EQ(block(n, {2}, {1}), (DimBlock{INT64_MAX / 2 + 1, n, INT64_MAX / 2 + 1}));
  EXPECT_EQ(block(n, {4, 4}, {3, 3}).end, n);
}

TEST(Blocks, FollowTheCoordinatesOfEachRank) {
  // Two axes on one dimension (minor mesh axis first), a sub-axis on another.
  Mesh mesh({{"a", 2}, {"b", 3}, {"c", 4}});
  Layout layout = Layout::replicated(3);
  layout.dims[0] = {{1, 1, 3}, {0, 1, 2}};
  layout.dims[2] = {{2, 2, 2}};
  std::vector<int64_t> shape{7, 5, 3};
  EXPECT_EQ(localShape(layout, shape), (std::vector<int64_t>{2, 5, 2}));
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    std::vector<int64_t> c = mesh.coordinates(rank);
    std::vector<DimBlock> held = blocks(mesh, layout, shape, rank);
    ASSERT_EQ(held.size(), 3u);
    EXPECT_EQ(held[0], block(7, {3, 2}, {c[1], c[0]}));
    EXPECT_EQ(held[1], (DimBlock{0, 5, 5}));
    EXPECT_EQ(held[2], block(3, {2}, {c[2] % 2}));
  }
}

TEST(Blocks, RankZero) {
  Mesh mesh({{"a", 2}});
  EXPECT_TRUE(localShape(Layout::replicated(0), {}).empty());
  EXPECT_TRUE(blocks(mesh, Layout::replicated(0), {}, 1).empty());
}

TEST(Blocks, AxisAndItsPartsAreTheSameSplitOnlyForSomeSizes) {
  // "a" = 4 against its halves: the tables coincide for n = 8, not for n = 5.
  Mesh mesh({{"a", 4}});
  Layout whole{{{{0, 1, 4}}}, {}, {}, {}}, parts{{{{0, 1, 2}, {0, 2, 2}}}, {}, {}, {}};
  bool same5 = true;
  for (int64_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(blocks(mesh, whole, {8}, rank), blocks(mesh, parts, {8}, rank));
    same5 &= blocks(mesh, whole, {5}, rank) == blocks(mesh, parts, {5}, rank);
  }
  EXPECT_FALSE(same5);
}

TEST(IsEven, IffEveryBlockIsFull) {
  for (const Sizes &sizes : axisLists())
    for (int64_t n = 0; n <= 48; ++n) {
      std::vector<AxisRef> axes;
      for (size_t i = 0; i < sizes.size(); ++i)
        axes.push_back({uint32_t(i), 1, sizes[i]});
      bool full = true;
      for (const Sizes &at : positions(sizes)) {
        DimBlock b = block(n, sizes, at);
        full &= b.valid() == b.size;
      }
      EXPECT_EQ(isEven(n, axes), full);
    }
}

TEST(Holds, OnlyAtThePlacedCoordinates) {
  Mesh mesh({{"a", 2}, {"b", 4}});
  Layout layout = Layout::replicated(1);
  for (int64_t rank = 0; rank < 8; ++rank)
    EXPECT_TRUE(holds(mesh, layout, rank));
  layout.placed = {{{0, 1, 2}, 1}, {{1, 2, 2}, 0}};
  for (int64_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(holds(mesh, layout, rank), rank == 4 || rank == 6);
}

TEST(MergeKeepsSplit, IffTheBlockTablesCoincide) {
  int kept = 0, uneven = 0;
  for (const Sizes &sizes : axisLists())
    for (int64_t m = 0; m <= 20; ++m)
      for (int64_t k = 0; k <= 6; ++k) {
        bool same = true;
        for (const Sizes &at : positions(sizes)) {
          DimBlock major = block(m, sizes, at);
          DimBlock merged = block(m * k, sizes, at);
          same &= merged == DimBlock{major.begin * k, major.end * k, major.size * k};
        }
        bool keeps = mergeKeepsSplit(m, k, sizes);
        EXPECT_EQ(keeps, same) << "m = " << m << ", k = " << k;
        kept += keeps;
        uneven += keeps && k > 1 && sizes.size() == 1 && m % sizes[0] != 0;
        if (sizes.size() == 1) {
          EXPECT_EQ(keeps, (sizes[0] - m % sizes[0]) % sizes[0] * k < sizes[0]);
        }
      }
  EXPECT_GT(kept, 0);
  EXPECT_GT(uneven, 0); // e.g. m = 5, k = 2 on 3: blocks of 2 rows are blocks of 4 elements
}

TEST(MergeKeepsSplit, HugeInnerSizesDoNotOverflow) {
  EXPECT_FALSE(mergeKeepsSplit(5, INT64_MAX, {4}));
  EXPECT_TRUE(mergeKeepsSplit(8, INT64_MAX, {4}));
}

} // namespace
