//===- LayoutTest.cpp - Equality and verification of layouts --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Layout/Layout.h"

#include <gtest/gtest.h>

using namespace dmc;

namespace {

const AxisRef data{0, 1, 2}, model{1, 1, 8}, unit{2, 1, 1};
const AxisRef modelMajor{1, 1, 2}, modelMiddle{1, 2, 2}, modelMinor{1, 4, 2};

Mesh mesh281() { return Mesh({{"data", 2}, {"model", 8}, {"unit", 1}}); }

std::string message(const Layout &layout, size_t rank = 2) {
  return verify(mesh281(), layout, rank).value_or("accepted");
}

TEST(Layout, Replicated) {
  Layout layout = Layout::replicated(2);
  EXPECT_TRUE(layout.isReplicated());
  EXPECT_EQ(message(layout), "accepted");
  layout.dims[1] = {data};
  EXPECT_FALSE(layout.isReplicated());
  EXPECT_FALSE((Layout{{{}, {}}, Combiner::Sum, {data}, {}}).isReplicated());
  EXPECT_FALSE((Layout{{{}, {}}, {}, {}, {{data, 0}}}).isReplicated());
}

TEST(Layout, PartialAndPlacedAreSets) {
  Layout a{{{}}, Combiner::Sum, {data, modelMinor}, {{modelMajor, 1}, {unit, 0}}};
  Layout b{{{}}, Combiner::Sum, {modelMinor, data}, {{unit, 0}, {modelMajor, 1}}};
  EXPECT_EQ(a, b);
  b.combiner = Combiner::Max;
  EXPECT_NE(a, b);
  b = a;
  b.placed[0].coordinate = 0;
  EXPECT_NE(a, b);
  b = a;
  b.partial.pop_back();
  EXPECT_NE(a, b);
}

TEST(Layout, PartsOfAnAxisAreTheAxisExceptInADimension) {
  Layout parts{{{}}, Combiner::Sum, {modelMinor, modelMajor, modelMiddle}, {}};
  Layout whole{{{}}, Combiner::Sum, {model}, {}};
  EXPECT_EQ(parts, whole);
  EXPECT_EQ(parts.canonical().partial, whole.partial);
  Layout placedParts{{{}}, {}, {}, {{modelMinor, 1}, {modelMajor, 1}, {modelMiddle, 0}}};
  Layout placedWhole{{{}}, {}, {}, {{model, 5}}};
  EXPECT_EQ(placedParts, placedWhole);
  for (int64_t rank = 0; rank < 16; ++rank)
    EXPECT_EQ(holds(mesh281(), placedParts, rank), holds(mesh281(), placedWhole, rank));
  // A gap is not merged.
  Layout gap{{{}}, Combiner::Sum, {modelMajor, modelMinor}, {}};
  EXPECT_EQ(gap.canonical().partial, gap.partial);
  // In a dimension the parts may cut differently, and the order counts.
  EXPECT_NE((Layout{{{modelMajor, modelMiddle, modelMinor}}, {}, {}, {}}),
            (Layout{{{model}}, {}, {}, {}}));
  EXPECT_NE((Layout{{{data, model}}, {}, {}, {}}), (Layout{{{model, data}}, {}, {}, {}}));
}

TEST(Layout, CombinerWithoutPartialAxesMeansNothing) {
  EXPECT_EQ((Layout{{{}}, Combiner::Sum, {}, {}}), Layout::replicated(1));
}

TEST(LayoutVerify, Accepts) {
  EXPECT_EQ(message({{{data, model}, {}}, {}, {}, {}}), "accepted");
  EXPECT_EQ(message({{{modelMinor}, {modelMajor}}, Combiner::Max, {modelMiddle}, {{data, 1}}}),
            "accepted");
  EXPECT_EQ(message({{{}, {unit}}, {}, {}, {}}), "accepted");
  EXPECT_EQ(message(Layout::replicated(0), 0), "accepted");
}

TEST(LayoutVerify, Rank) {
  EXPECT_EQ(message(Layout::replicated(3)), "expected a layout of 2 dimensions, found 3");
}

TEST(LayoutVerify, AxisOutsideTheMesh) {
  EXPECT_EQ(message({{{}, {{7, 1, 2}}}, {}, {}, {}}),
            "expected an axis of the mesh in dimension 1, found axis 7 of a mesh of 3 axes");
  EXPECT_EQ(message({{{{3, 1, 2}}, {}}, {}, {}, {}}),
            "expected an axis of the mesh in dimension 0, found axis 3 of a mesh of 3 axes");
}

TEST(LayoutVerify, NotAPartOfTheAxis) {
  EXPECT_EQ(message({{{{1, 1, 3}}, {}}, {}, {}, {}}),
            "expected a sub-axis in dimension 0 to be a factor of axis \"model\" of size 8 and "
            "larger than 1, found \"model:(1)3\"");
  for (AxisRef ref : {AxisRef{1, 3, 2}, AxisRef{1, 8, 2}, AxisRef{1, 2, 1}, AxisRef{1, 1, 1},
                      AxisRef{1, 0, 2}, AxisRef{1, 1, 0}, AxisRef{1, -1, -8}, AxisRef{1, 1, 16},
                      AxisRef{1, INT64_MAX, INT64_MAX}, AxisRef{1, INT64_MIN, -1}}) {
    EXPECT_NE(message({{{ref}, {}}, {}, {}, {}}), "accepted");
    EXPECT_NE(message({{{}, {}}, Combiner::Sum, {ref}, {}}), "accepted");
    EXPECT_NE(message({{{}, {}}, {}, {}, {{ref, 0}}}), "accepted");
  }
}

TEST(LayoutVerify, AxisUsedTwice) {
  EXPECT_EQ(message({{{data}, {data}}, {}, {}, {}}),
            "expected one state for axis \"data\", found it in dimension 0 and in dimension 1");
  EXPECT_EQ(message({{{}, {data}}, Combiner::Sum, {data}, {}}),
            "expected one state for axis \"data\", found it in dimension 1 and among the partial "
            "axes");
  EXPECT_EQ(message({{{}, {}}, Combiner::Sum, {data}, {{data, 0}}}),
            "expected one state for axis \"data\", found it among the partial axes and among the "
            "placed axes");
  EXPECT_NE(message({{{unit}, {unit}}, {}, {}, {}}), "accepted");
  EXPECT_NE(message({{{data, data}, {}}, {}, {}, {}}), "accepted");
}

TEST(LayoutVerify, PartsThatOverlap) {
  EXPECT_EQ(message({{{model}, {modelMinor}}, {}, {}, {}}),
            "expected distinct parts of axis \"model\", found \"model\" in dimension 0 and "
            "\"model:(4)2\" in dimension 1");
  EXPECT_NE(message({{{{1, 1, 4}}, {{1, 2, 4}}}, {}, {}, {}}), "accepted");
  // Digits 0 and 1 of no common factorisation of 12.
  Mesh mesh({{"a", 12}});
  EXPECT_NE(verify(mesh, {{{{0, 1, 2}}, {{0, 3, 2}}}, {}, {}, {}}, 2), std::nullopt);
}

TEST(LayoutVerify, CombinerIffPartialAxes) {
  EXPECT_EQ(message({{{}, {}}, Combiner::Max, {}, {}}),
            "expected partial axes for combiner max, found none");
  EXPECT_EQ(message({{{}, {}}, {}, {data}, {}}),
            "expected a combiner for partial axis \"data\", found none");
}

TEST(LayoutVerify, CoordinateOutOfRange) {
  EXPECT_EQ(message({{{}, {}}, {}, {}, {{modelMinor, 2}}}),
            "expected the coordinate of placed axis \"model:(4)2\" in [0, 2), found 2");
  EXPECT_NE(message({{{}, {}}, {}, {}, {{data, -1}}}), "accepted");
}

} // namespace
