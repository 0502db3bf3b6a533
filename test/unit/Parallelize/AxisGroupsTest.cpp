//===- AxisGroupsTest.cpp - Axes that a layout problem takes as one -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which neighbours are taken together, and what is left of groups.
//
//===----------------------------------------------------------------------===//
// The headers of the library are made for its precompiled header.
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "Solve/NodeStates.h"

#include "gtest/gtest.h"

using namespace dmc;

namespace {

using Names = std::vector<std::vector<std::string>>;

/// Two levels of links, of which the inner one has eight ranks.
Machine getNodes(double outer, double inner, int64_t nodes) {
  Machine machine;
  MachineLevel network, near;
  network.size = nodes;
  network.bytesPerSecond = outer;
  near.size = 8;
  near.bytesPerSecond = inner;
  machine.levels = {network, near};
  return machine;
}

Names merge(const Mesh &mesh, const RankRates &rates, int times) {
  AxisGroups groups = makeAxisGroups(mesh);
  while (times--)
    mergeMostAlike(groups, rates);
  return getNamesOfMerged(groups, mesh);
}

TEST(AxisGroups, TheMostAlikeLinksAreTakenTogether) {
  // The inner level has the axes c and d.
  Mesh mesh({{"a", 2}, {"b", 2}, {"one", 1}, {"c", 4}, {"d", 2}});
  EXPECT_EQ(makeAxisGroups(mesh).size(), 4u);
  RankRates rates(getNodes(1e9, 1e11, 4), mesh);
  EXPECT_EQ(merge(mesh, rates, 0), Names());
  // Two are as alike as the other two: those of fewer positions.
  EXPECT_EQ(merge(mesh, rates, 1), (Names{{"a", "b"}}));
  EXPECT_EQ(merge(mesh, rates, 2), (Names{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(merge(mesh, rates, 3), (Names{{"a", "b", "c", "d"}}));
  // Of as many positions, the inner ones.
  Mesh even({{"a", 2}, {"b", 2}, {"c", 2}});
  EXPECT_EQ(merge(even, RankRates(Machine(), even), 1), (Names{{"b", "c"}}));
}

TEST(AxisGroups, WhatIsTakenIsLeftOutOrAlone) {
  Mesh mesh({{"a", 2}, {"b", 4}, {"c", 2}});
  AxisRef a{0, 1, 2}, b{1, 1, 4}, c{2, 1, 2}, minor{1, 2, 2};
  const AxisGroups groups = {{a, b, c}};
  EXPECT_EQ(withoutAxes(groups, {b}), (AxisGroups{{a, c}}));
  EXPECT_EQ(withoutAxes(groups, {a, minor, c}), AxisGroups());
  EXPECT_EQ(withAxesAlone(groups, {minor}), (AxisGroups{{a, c}, {b}}));
  EXPECT_EQ(withAxesAlone(groups, {}), groups);
}

TEST(AxisGroups, GroupsSplitOneDimensionOrNone) {
  AxisRef a{0, 1, 2}, b{1, 1, 4}, c{2, 1, 2};
  auto count = [&](const AxisGroups &groups, std::vector<int64_t> shape, const AxisList &excluded) {
    llvm::BitVector fixed(shape.size());
    std::vector<AxisList> given(shape.size());
    return enumerateLayouts(groups, shape, fixed, given, excluded).size();
  };
  EXPECT_EQ(count({{a}, {b}, {c}}, {16, 16}, {}), 27u);
  EXPECT_EQ(count({{a, b}, {c}}, {16, 16}, {}), 9u);
  EXPECT_EQ(count({{a, b, c}}, {16, 16}, {}), 3u);
  // A dimension of eight elements has no room for all three, and what is left of a group is one.
  EXPECT_EQ(count({{a, b}, {c}}, {16, 8}, {}), 8u);
  EXPECT_EQ(count({{a, b}, {c}}, {16, 8}, {b}), 9u);
  for (const Layout &layout :
       enumerateLayouts({{a, b}, {c}}, {16, 16}, llvm::BitVector(2), std::vector<AxisList>(2), {}))
    for (const AxisList &axes : layout.dims)
      EXPECT_EQ(llvm::is_contained(axes, a), llvm::is_contained(axes, b));
}

} // namespace
