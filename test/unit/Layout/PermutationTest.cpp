//===- PermutationTest.cpp - Blocks of two splits -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two layouts have the same blocks, and at the same ranks, by looking at all ranks.
//
//===----------------------------------------------------------------------===//
#include "PlainMachine.h"

#include <gtest/gtest.h>

#include <map>

using namespace dmc;

namespace {
using Dims = std::vector<std::vector<AxisRef>>;
using Boxes = std::vector<std::pair<int64_t, int64_t>>;

Layout split(Dims dims) { return {std::move(dims), {}, {}, {}}; }

/// What each rank holds of each dimension; nothing if it has no elements.
using Held = std::vector<std::optional<Boxes>>;

Held heldBy(const Mesh &mesh, const Layout &layout, const std::vector<int64_t> &shape) {
  Held result;
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    Boxes boxes;
    bool isEmpty = !plain::isHolder(mesh, layout, rank);
    for (size_t d = 0; d < shape.size(); ++d) {
      plain::Interval held = plain::intervalOf(mesh, layout.dims[d], shape[d], rank);
      boxes.push_back({held.begin, held.end});
      isEmpty |= held.begin == held.end;
    }
    result.push_back(isEmpty ? std::nullopt : std::optional(boxes));
  }
  return result;
}

/// True if each rank has what it wants.
bool isInPlace(const Held &from, const Held &to) {
  for (size_t rank = 0; rank < from.size(); ++rank)
    if (to[rank] && from[rank] != to[rank])
      return false;
  return true;
}

/// True if the blocks are the same, and none is wanted by more ranks than hold it.
bool canPermute(const Held &from, const Held &to) {
  std::map<Boxes, int64_t> holders;
  for (size_t rank = 0; rank < from.size(); ++rank) {
    if (from[rank])
      ++holders[*from[rank]];
    if (to[rank])
      --holders[*to[rank]];
  }
  return std::all_of(holders.begin(), holders.end(),
                     [](const auto &entry) { return entry.second >= 0; });
}

/// Lists of some references that do not overlap.
std::vector<std::vector<AxisRef>> listsOf(const std::vector<AxisRef> &refs) {
  std::vector<std::vector<AxisRef>> result{{}};
  for (size_t i = 0; i < result.size(); ++i)
    for (const AxisRef &ref : refs) {
      auto hits = [&](const AxisRef &other) { return overlaps(ref, other); };
      if (std::any_of(result[i].begin(), result[i].end(), hits))
        continue;
      std::vector<AxisRef> longer = result[i];
      longer.push_back(ref);
      result.push_back(std::move(longer));
    }
  return result;
}
} // namespace

/// Of all pairs of layouts, against what each rank holds in an array of the same size.
static void comparePairs(const Mesh &mesh, const std::vector<Layout> &layouts,
                         const std::vector<int64_t> &shape) {
  std::vector<Held> held;
  held.reserve(layouts.size());
  for (const Layout &layout : layouts)
    held.push_back(heldBy(mesh, layout, shape));
  int same = 0, permuted = 0;
  for (size_t i = 0; i < layouts.size(); ++i)
    for (size_t j = 0; j < layouts.size(); ++j) {
      const Layout &from = layouts[i], &to = layouts[j];
      bool isLike = localShape(from, shape) == localShape(to, shape);
      bool isSame = isSameSplit(mesh, from, to, shape);
      bool isPermuted = isPermutation(mesh, from, to, shape);
      EXPECT_EQ(isSame, isLike && isInPlace(held[i], held[j]))
          << toString(mesh, from) << " -> " << toString(mesh, to) << " of " << shape[0];
      EXPECT_EQ(isPermuted, isLike && canPermute(held[i], held[j]))
          << toString(mesh, from) << " -> " << toString(mesh, to) << " of " << shape[0];
      same += i != j && isSame;
      permuted += i != j && isPermuted;
    }
  EXPECT_GT(same, 0);
  EXPECT_GT(permuted, same);
}

TEST(Permutation, OfOneDimension) {
  const Mesh mesh({{"x", 4}, {"y", 3}, {"one", 1}});
  std::vector<Layout> layouts;
  for (const auto &axes : listsOf({{0, 1, 4}, {0, 1, 2}, {0, 2, 2}, {1, 1, 3}, {2, 1, 1}}))
    layouts.push_back(split({axes}));
  for (int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 12, 13})
    comparePairs(mesh, layouts, {n});
}

TEST(Permutation, OfTwoDimensionsAndPlaces) {
  const Mesh mesh({{"x", 4}, {"y", 3}, {"z", 2}});
  const AxisRef whole{0, 1, 4}, major{0, 1, 2}, minor{0, 2, 2}, y{1, 1, 3}, z{2, 1, 2};
  std::vector<Layout> layouts;
  for (const auto &rows : listsOf({whole, major, minor, y}))
    for (const auto &columns : listsOf({y, z}))
      for (const std::vector<PlacedAxis> &placed :
           {std::vector<PlacedAxis>{}, {{z, 0}}, {{z, 1}}, {{minor, 1}}, {{major, 0}, {z, 1}}}) {
        Layout layout{{rows, columns}, {}, {}, placed};
        if (!verify(mesh, layout, 2))
          layouts.push_back(layout);
      }
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{12, 12}, {12, 5}, {7, 6}})
    comparePairs(mesh, layouts, shape);
}

TEST(Permutation, PlacesAlongPartsOfAnAxis) {
  // Parts of 6, whether or not one factorisation has both: where the third is 0, the half is 0.
  const Mesh mesh({{"x", 6}, {"y", 2}});
  const AxisRef y{1, 1, 2};
  std::vector<Layout> layouts = {split({{}}), split({{y}})};
  for (const AxisRef &part : {AxisRef{0, 1, 6}, {0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {0, 3, 2}})
    for (int64_t at = 0; at < part.size; ++at)
      for (const std::vector<AxisRef> &axes : {std::vector<AxisRef>{}, {y}})
        layouts.push_back({{axes}, {}, {}, {{part, at}}});
  layouts.push_back({{{}}, {}, {}, {{{0, 1, 2}, 1}, {y, 0}}});
  layouts.push_back({{{}}, {}, {}, {{{0, 1, 3}, 2}, {y, 0}}});
  for (int64_t n : {2, 5})
    comparePairs(mesh, layouts, {n});
  // Two parts of one axis of which neither has what a third one asks.
  const Mesh line({{"x", 24}});
  std::vector<Layout> parts;
  for (int64_t major = 0; major < 2; ++major) {
    parts.push_back({{{}}, {}, {}, {{{0, 1, 2}, major}}});
    for (int64_t minor = 0; minor < 3; ++minor)
      parts.push_back({{{}}, {}, {}, {{{0, 1, 2}, major}, {{0, 8, 3}, minor}}});
  }
  for (int64_t at = 0; at < 3; ++at)
    parts.push_back({{{}}, {}, {}, {{{0, 1, 3}, at}}});
  for (int64_t at = 0; at < 6; ++at)
    parts.push_back({{{}}, {}, {}, {{{0, 4, 6}, at}}});
  comparePairs(line, parts, {5});
}

TEST(Permutation, KeepsPartialValues) {
  const Mesh mesh({{"x", 2}, {"y", 2}, {"z", 2}});
  const AxisRef x{0, 1, 2}, y{1, 1, 2}, z{2, 1, 2};
  const Layout sum{{{x}}, Combiner::Sum, {y}, {}}, max{{{x}}, Combiner::Max, {y}, {}},
      other{{{x}}, Combiner::Sum, {z}, {}}, none{{{x}}, {}, {}, {}},
      moved{{{z}}, Combiner::Sum, {y}, {}};
  EXPECT_TRUE(isSameSplit(mesh, sum, sum, {4}));
  EXPECT_TRUE(isPermutation(mesh, sum, sum, {4}));
  EXPECT_FALSE(isSameSplit(mesh, sum, moved, {4}));
  EXPECT_TRUE(isPermutation(mesh, sum, moved, {4}));
  for (const Layout &to : {max, other, none}) {
    EXPECT_FALSE(isSameSplit(mesh, sum, to, {4}));
    EXPECT_FALSE(isPermutation(mesh, sum, to, {4}));
  }
}

TEST(Permutation, AsManyPositionsAsRedistributionsHave) {
  // One element: the first of 256 positions has it, however they are spelled.
  const Mesh mesh({{"x", maxRedistributedPositions}});
  EXPECT_TRUE(isSameSplit(mesh, split({{{0, 1, 256}}}), split({{{0, 1, 16}, {0, 16, 16}}}), {1}));
}

TEST(Permutation, ManyBlocks) {
  // More places than are compared: the sizes of the blocks tell.
  std::vector<AxisRef> one{{0, 1, 8192}}, two{{1, 1, 2}, {2, 1, 4096}};
  EXPECT_TRUE(cutAlike(8192, one, two));
  EXPECT_TRUE(cutAlike(24576, one, two));
  EXPECT_FALSE(cutAlike(8191, {{0, 1, 4096}}, {{1, 1, 4095}}));
}
