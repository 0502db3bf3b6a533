//===- PartsTest.cpp - Parts of partial and placed axes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is left of a set of axes without a part of it, for all parts of an axis.
//
//===----------------------------------------------------------------------===//
#include "ReshardTools.h"

#include <gtest/gtest.h>

#include <map>

using namespace dmc;

namespace {
constexpr int64_t kSize = 24;
const Mesh mesh({{"a", kSize}, {"b", 2}});
const AxisRef b{1, 1, 2};

/// All references to axis 0, the whole axis among them.
std::vector<AxisRef> references() {
  std::vector<AxisRef> result;
  for (int64_t pre = 1; pre <= kSize; ++pre)
    for (int64_t size = 2; pre * size <= kSize; ++size)
      if (kSize % (pre * size) == 0)
        result.push_back({0, pre, size});
  return result;
}

/// True if the coordinate along `outer` determines the one along `inner`.
bool determines(const AxisRef &outer, const AxisRef &inner) {
  std::map<int64_t, int64_t> found;
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    int64_t at = coordinate(mesh, inner, rank);
    if (found.try_emplace(coordinate(mesh, outer, rank), at).first->second != at)
      return false;
  }
  return true;
}

Layout partials(std::vector<AxisRef> axes) { return {{{}}, Combiner::Sum, std::move(axes), {}}; }
} // namespace

TEST(Parts, ContainedOnesAreDetermined) {
  for (const AxisRef &outer : references()) {
    for (const AxisRef &inner : references())
      EXPECT_EQ(contains(outer, inner), determines(outer, inner))
          << toString(mesh, outer) << " and " << toString(mesh, inner);
    EXPECT_FALSE(contains(outer, b));
    EXPECT_FALSE(contains(b, outer));
  }
}

TEST(Parts, PartialAxesWithoutAPart) {
  for (const AxisRef &whole : references())
    for (const AxisRef &part : references()) {
      std::optional<Layout> rest = withoutPartial(partials({whole, b}), {part});
      ASSERT_EQ(rest.has_value(), contains(whole, part));
      if (!rest)
        continue;
      EXPECT_EQ(verify(mesh, *rest, 1), std::nullopt);
      EXPECT_FALSE(isUsed(*rest, part));
      // With the part it is the layout again.
      rest->partial.push_back(part);
      EXPECT_EQ(*rest, partials({whole, b})) << toString(mesh, *rest);
    }
  EXPECT_EQ(withoutPartial(partials({b, {0, 1, kSize}}), {{0, 1, kSize}, b}),
            Layout::replicated(1));
  EXPECT_EQ(withoutPartial(partials({b}), {b, b}), std::nullopt);
  EXPECT_EQ(withoutPartial(partials({b}), {}), partials({b}));
}

TEST(Parts, PlacedAxesWithoutAPart) {
  for (const AxisRef &whole : references())
    for (int64_t at = 0; at < whole.size; ++at) {
      Layout layout{{{}}, {}, {}, {{b, 1}, {whole, at}}};
      int64_t holder = 0;
      while (!holds(mesh, layout, holder))
        ++holder;
      for (const AxisRef &part : references()) {
        std::optional<int64_t> place = placedCoordinate(layout, part);
        std::optional<Layout> rest = withoutPlaced(layout, {part});
        ASSERT_EQ(rest.has_value(), contains(whole, part));
        ASSERT_EQ(place.has_value(), contains(whole, part));
        if (!rest)
          continue;
        EXPECT_EQ(*place, coordinate(mesh, part, holder));
        EXPECT_EQ(verify(mesh, *rest, 1), std::nullopt);
        EXPECT_FALSE(isUsed(*rest, part));
        rest->placed.push_back({part, *place});
        EXPECT_EQ(*rest, layout) << toString(mesh, *rest);
      }
      EXPECT_EQ(placedCoordinate(layout, b), 1);
    }
  Layout layout{{{}}, {}, {}, {{b, 1}, {{0, 1, kSize}, 5}}};
  EXPECT_EQ(withoutPlaced(layout, {b, {0, 1, kSize}}), Layout::replicated(1));
  EXPECT_EQ(withoutPlaced(layout, {b, b}), std::nullopt);
}

TEST(Parts, UsedInWhateverState) {
  const AxisRef minor{0, 2, 12}, major{0, 1, 2};
  for (const Layout &layout :
       {Layout{{{}, {minor}}, {}, {}, {}}, Layout{{{}, {}}, Combiner::Max, {minor}, {}},
        Layout{{{}, {}}, {}, {}, {{minor, 3}}}}) {
    EXPECT_TRUE(isUsed(layout, minor));
    EXPECT_TRUE(isUsed(layout, {0, 4, 3}));
    EXPECT_TRUE(isUsed(layout, {0, 1, kSize}));
    EXPECT_FALSE(isUsed(layout, major));
    EXPECT_FALSE(isUsed(layout, b));
  }
}

TEST(Parts, SharedByAllFactorisations) {
  // Cuts at 2 and 4 divide one another, cuts at 2 and 3 do not.
  Layout halves{{{{0, 1, 2}}, {}}, {}, {}, {{{0, 4, 3}, 1}}};
  Layout thirds{{{{0, 1, 3}}, {}}, {}, {}, {}};
  AxisCuts one(mesh, {&halves});
  EXPECT_EQ(one.of(0), (std::vector<int64_t>{1, 2, 4, 12, 24}));
  EXPECT_EQ(one.of(1), (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(one.isChain(0));
  // Split and placed axes alone, in mesh order.
  EXPECT_EQ(one.partsOf({&halves}), (std::vector<AxisRef>{{0, 1, 2}, {0, 4, 3}}));
  AxisCuts both(mesh, {&halves, &thirds});
  EXPECT_EQ(both.of(0), (std::vector<int64_t>{1, 2, 3, 4, 12, 24}));
  EXPECT_FALSE(both.isChain(0));
  EXPECT_TRUE(both.isChain(1));
  EXPECT_FALSE(both.isAgreed({0, 1, 2}));
  EXPECT_FALSE(both.isAgreed({0, 4, 3}));
  EXPECT_TRUE(both.isAgreed({0, 1, 12}));
  EXPECT_TRUE(both.isAgreed({0, 12, 2}));
  EXPECT_EQ(both.partsOf({&halves, &thirds}), (std::vector<AxisRef>{{0, 1, 12}}));
  Layout partial = partials({{0, 1, 2}});
  EXPECT_TRUE(AxisCuts(mesh, {&partial}).partsOf({&partial}).empty());
  EXPECT_EQ(AxisCuts(mesh, {&partial}).of(0), (std::vector<int64_t>{1, 2, 24}));
}
