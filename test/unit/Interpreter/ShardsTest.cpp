//===- ShardsTest.cpp - The interpreter's own block arithmetic ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Shards.h"

#include "dmc/Layout/Layout.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

namespace {

class ShardsTest : public ::testing::Test {
protected:
  ShardsTest() { context.loadDialect<DMCDialect>(); }

  MeshAttr mesh(ArrayRef<std::pair<std::string, int64_t>> axes) {
    return MeshAttr::get(&context, axes);
  }
  AxisAttr axis(StringRef name, int64_t pre = 0, int64_t size = 0) {
    return AxisAttr::get(&context, name, pre, size);
  }
  AxesAttr axes(ArrayRef<AxisAttr> list) { return AxesAttr::get(&context, list); }

  MLIRContext context;
};

TEST_F(ShardsTest, BlocksOfTwoOverTwoByTwo) {
  // The example of the algebra: empty blocks lie between full ones.
  MeshAttr m = mesh({{"a", 2}, {"b", 2}});
  LayoutAttr layout = LayoutAttr::get(m, {axes({axis("a"), axis("b")})});
  Distribution d = distribute({2}, Kind::F32, layout, 4);
  const int64_t begins[] = {0, 1, 1, 2}, ends[] = {1, 1, 2, 2};
  for (unsigned rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(d.extents[rank].begin[0], begins[rank]);
    EXPECT_EQ(d.extents[rank].end[0], ends[rank]);
    EXPECT_EQ(d.extents[rank].local[0], 1);
  }
}

TEST_F(ShardsTest, AgreesWithTheLayoutLibrary) {
  MeshAttr m = mesh({{"a", 2}, {"b", 6}, {"c", 3}});
  const AxesAttr lists[] = {axes({}),
                            axes({axis("a")}),
                            axes({axis("b")}),
                            axes({axis("b", 1, 2)}),
                            axes({axis("b", 2, 3)}),
                            axes({axis("b", 2, 3), axis("a")}),
                            axes({axis("c"), axis("b", 1, 2), axis("a")}),
                            axes({axis("a"), axis("b"), axis("c")})};
  for (AxesAttr list : lists) {
    LayoutAttr layout = LayoutAttr::get(m, {list, axes({})});
    for (int64_t n = 0; n <= 40; ++n) {
      Distribution d = distribute({n, 2}, Kind::F32, layout, m.getNumRanks());
      for (int64_t rank = 0; rank < m.getNumRanks(); ++rank) {
        auto expected = blocks(m.toMesh(), layout.toLayout(), {n, 2}, rank);
        for (size_t dim = 0; dim < 2; ++dim) {
          EXPECT_EQ(d.extents[rank].begin[dim], expected[dim].begin);
          EXPECT_EQ(d.extents[rank].end[dim], expected[dim].end);
          EXPECT_EQ(d.extents[rank].local[dim], expected[dim].size);
        }
      }
    }
    Digits digits = getDigits(m, list);
    Layout whole = layout.toLayout();
    for (int64_t rank = 0; rank < m.getNumRanks(); ++rank) {
      std::vector<int64_t> expected = group(m.toMesh(), whole.dims[0], rank);
      SmallVector<unsigned> found = getGroup(digits, rank);
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < found.size(); ++i)
        EXPECT_EQ(found[i], expected[i]);
      EXPECT_EQ(found[getPosition(digits, rank)], rank);
    }
  }
}

TEST_F(ShardsTest, EveryElementOnceAmongOriginals) {
  MeshAttr m = mesh({{"a", 2}, {"b", 3}});
  LayoutAttr layout = LayoutAttr::get(m, {axes({axis("b")}), axes({})});
  Distribution d = distribute({4, 3}, Kind::I32, layout, 6);
  int64_t found = 0;
  for (unsigned rank = 0; rank < 6; ++rank)
    if (d.original[rank] == rank)
      found += getNumElements(d.extents[rank]);
  EXPECT_EQ(found, 12);
  EXPECT_EQ(d.original[4], 1u);
}

TEST_F(ShardsTest, Covers) {
  MeshAttr m = mesh({{"a", 2}, {"b", 8}, {"c", 3}});
  Digits whole = getDigits(m, axes({axis("b")}));
  Digits parts = getDigits(m, axes({axis("b", 4, 2), axis("b", 1, 4)}));
  EXPECT_TRUE(covers(whole, getDigit(m, axis("b", 2, 2))));
  EXPECT_TRUE(covers(parts, getDigit(m, axis("b"))));
  EXPECT_TRUE(covers(parts, getDigit(m, axis("b", 2, 2))));
  EXPECT_FALSE(covers(getDigits(m, axes({axis("b", 1, 4)})), getDigit(m, axis("b"))));
  EXPECT_FALSE(covers(whole, getDigit(m, axis("a"))));
  EXPECT_FALSE(covers({}, getDigit(m, axis("c"))));
}

} // namespace
