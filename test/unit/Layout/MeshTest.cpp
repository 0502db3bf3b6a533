//===- MeshTest.cpp - Ranks, axis references and groups -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Layout/Layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace dmc;

namespace {

/// "a" = 2, "b" = 3, "c" = 4: 24 ranks, with a size that has sub-axes.
Mesh mesh234() { return Mesh({{"a", 2}, {"b", 3}, {"c", 4}}); }

TEST(Mesh, RanksAreRowMajor) {
  Mesh mesh = mesh234();
  ASSERT_EQ(mesh.numRanks(), 24);
  int64_t rank = 0;
  for (int64_t a = 0; a < 2; ++a)
    for (int64_t b = 0; b < 3; ++b)
      for (int64_t c = 0; c < 4; ++c, ++rank) {
        EXPECT_EQ(mesh.coordinates(rank), (std::vector<int64_t>{a, b, c}));
        EXPECT_EQ(mesh.rank({a, b, c}), rank);
      }
}

TEST(Mesh, NoAxesIsOneRank) {
  Mesh mesh;
  EXPECT_EQ(mesh.verify(), std::nullopt);
  EXPECT_EQ(mesh.numRanks(), 1);
  EXPECT_TRUE(mesh.coordinates(0).empty());
  EXPECT_EQ(mesh.rank({}), 0);
  EXPECT_EQ(group(mesh, {}, 0), std::vector<int64_t>{0});
}

TEST(Mesh, FindsAxesByName) {
  EXPECT_EQ(mesh234().find("b"), 1u);
  EXPECT_EQ(mesh234().find("d"), std::nullopt);
}

TEST(Mesh, VerifyRejects) {
  using Axes = std::vector<MeshAxis>;
  auto message = [](Axes axes) { return Mesh(std::move(axes)).verify().value_or("accepted"); };
  EXPECT_EQ(message({{"a", 2}, {"", 2}}), "expected axis 1 to have a name, found an empty one");
  EXPECT_EQ(message({{"a", 2}, {"b", 2}, {"a", 3}}),
            "expected axis names to be distinct, found \"a\" twice");
  EXPECT_EQ(message({{"a", 0}}), "expected axis \"a\" to have a positive size, found 0");
  EXPECT_EQ(message({{"a", -4}}), "expected axis \"a\" to have a positive size, found -4");
  EXPECT_EQ(message({{"a", 65536}, {"b", 65536}}),
            "expected a mesh of at most 16777216 ranks, found more at axis \"b\" of size 65536");
  EXPECT_NE(message({{"a", INT64_MAX}, {"b", INT64_MAX}}), "accepted");
  EXPECT_EQ(message({{"a", 65536}, {"b", 256}}), "accepted");
}

TEST(AxisRef, CoordinatesOfSubAxesCompose) {
  // An axis of 12 as (2, 3, 2), major to minor, between two other axes.
  Mesh mesh({{"x", 2}, {"y", 12}, {"z", 5}});
  AxisRef major{1, 1, 2}, middle{1, 2, 3}, minor{1, 6, 2}, outer{1, 1, 6};
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
    int64_t y = mesh.coordinates(rank)[1];
    int64_t i = coordinate(mesh, major, rank), j = coordinate(mesh, middle, rank),
            k = coordinate(mesh, minor, rank);
    EXPECT_EQ((i * 3 + j) * 2 + k, y);
    EXPECT_EQ(coordinate(mesh, outer, rank), i * 3 + j);
    EXPECT_EQ(coordinate(mesh, AxisRef{1, 1, 12}, rank), y);
    EXPECT_EQ(coordinate(mesh, AxisRef{2, 1, 5}, rank), mesh.coordinates(rank)[2]);
  }
}

/// All references to axis 0 of that size, the whole axis among them.
std::vector<AxisRef> references(int64_t size) {
  std::vector<AxisRef> result;
  for (int64_t pre = 1; pre <= size; ++pre)
    for (int64_t part = 2; pre * part <= size; ++part)
      if (size % pre == 0 && size / pre % part == 0)
        result.push_back({0, pre, part});
  return result;
}

TEST(AxisRef, OverlapsUnlessCoordinatesAreIndependent) {
  // Parts that do not overlap are digits of one factorisation: they take every
  // pair of coordinates equally often.
  for (int64_t size : {2, 4, 6, 8, 12, 24}) {
    Mesh mesh({{"a", size}});
    for (const AxisRef &a : references(size))
      for (const AxisRef &b : references(size)) {
        std::vector<int64_t> count(a.size * b.size);
        for (int64_t rank = 0; rank < size; ++rank)
          ++count[coordinate(mesh, a, rank) * b.size + coordinate(mesh, b, rank)];
        bool independent = std::set<int64_t>(count.begin(), count.end()).size() == 1;
        bool chained = b.preSize % (a.preSize * a.size) == 0 || //
                       a.preSize % (b.preSize * b.size) == 0;
        EXPECT_EQ(overlaps(a, b), !chained) << toString(mesh, a) << " " << toString(mesh, b);
        if (!overlaps(a, b)) {
          EXPECT_TRUE(independent) << toString(mesh, a) << " " << toString(mesh, b);
        }
        EXPECT_EQ(overlaps(a, b), overlaps(b, a));
      }
  }
}

TEST(AxisRef, OverlapsOnlyOnOneAxis) {
  EXPECT_FALSE(overlaps({0, 1, 2}, {1, 1, 2}));
  EXPECT_TRUE(overlaps({0, 1, 1}, {0, 1, 1})); // an axis of size 1 has one state as well
  EXPECT_TRUE(overlaps({0, 0, 0}, {0, 1, 2})); // malformed: no division by zero
}

TEST(Group, MatchesCoordinates) {
  Mesh mesh = mesh234();
  std::vector<std::vector<AxisRef>> lists = {
      {},
      {{0, 1, 2}},
      {{2, 1, 4}, {0, 1, 2}},
      {{2, 2, 2}},
      {{2, 2, 2}, {1, 1, 3}, {2, 1, 2}},
      {{1, 1, 3}, {0, 1, 2}, {2, 1, 4}},
  };
  for (const auto &axes : lists) {
    // Every axis in parts, so that "the other coordinates" can be compared.
    std::vector<AxisRef> parts{{0, 1, 2}, {1, 1, 3}, {2, 1, 2}, {2, 2, 2}};
    for (int64_t rank = 0; rank < mesh.numRanks(); ++rank) {
      std::vector<int64_t> members = group(mesh, axes, rank);
      ASSERT_EQ(int64_t(members.size()), groupSize(axes));
      EXPECT_EQ(members[positionInGroup(mesh, axes, rank)], rank);
      for (size_t i = 0; i < members.size(); ++i) {
        EXPECT_EQ(positionInGroup(mesh, axes, members[i]), int64_t(i));
        EXPECT_EQ(group(mesh, axes, members[i]), members);
        for (const AxisRef &part : parts) {
          bool inGroup = std::any_of(axes.begin(), axes.end(),
                                     [&](const AxisRef &ref) { return overlaps(ref, part); });
          if (!inGroup) {
            EXPECT_EQ(coordinate(mesh, part, members[i]), coordinate(mesh, part, rank));
          }
        }
      }
      EXPECT_EQ(std::set<int64_t>(members.begin(), members.end()).size(), members.size());
    }
  }
}

TEST(Group, FollowsTheOrderOfTheAxes) {
  Mesh mesh({{"a", 2}, {"b", 3}});
  EXPECT_EQ(group(mesh, {{0, 1, 2}, {1, 1, 3}}, 4), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(group(mesh, {{1, 1, 3}, {0, 1, 2}}, 4), (std::vector<int64_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(positionInGroup(mesh, {{1, 1, 3}, {0, 1, 2}}, 4), 3);
}

} // namespace
