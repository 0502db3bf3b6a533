//===- MoveSourcesTest.cpp - Which versions of a tensor are made ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts on axes x and y; what a move takes is given for each pair of them.
//
//===----------------------------------------------------------------------===//
// The headers of the library are made for its precompiled header.
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "MoveSources.h"

#include "gtest/gtest.h"

using namespace dmc;

namespace {

const AxisRef x{0, 1, 2}, y{1, 1, 2};

Layout split(std::vector<AxisList> dims) { return {std::move(dims), {}, {}, {}}; }
const Layout none = split({{}, {}}), rows = split({{x}, {}}), columns = split({{}, {x}}),
             both = split({{x}, {y}}), other = split({{y}, {}});
const Layout partial{{{}, {}}, Combiner::Sum, {x}, {}};

/// Nothing for what is there, or a part of it; one second for all else.
double getSeconds(const Layout &from, const Layout &to) {
  return from == to || from == none || (from == rows && to == both) ? 0 : 1;
}

std::vector<Layout> getWanted(const MoveSources &sources, unsigned version) {
  std::vector<Layout> wanted;
  for (const MoveSources::Want &want : sources.getWanted(version))
    wanted.push_back(*want.layout);
  return wanted;
}

TEST(MoveSources, WhatIsUsedInOneLayoutIsNotMade) {
  MoveSources sources;
  unsigned made = sources.add(rows), constraint = sources.add(other, made);
  sources.addUse(constraint, columns);
  sources.decide(getSeconds);
  EXPECT_FALSE(sources.isMade(constraint));
  EXPECT_EQ(getWanted(sources, made), std::vector<Layout>{columns});
  EXPECT_EQ(sources.getSource(constraint, columns), made);
}

TEST(MoveSources, WhatIsUsedInSeveralLayoutsIsMade) {
  MoveSources sources;
  unsigned made = sources.add(rows), constraint = sources.add(none, made);
  sources.addUse(constraint, columns);
  sources.addUse(constraint, other);
  sources.decide(getSeconds);
  EXPECT_TRUE(sources.isMade(constraint));
  EXPECT_EQ(getWanted(sources, made), std::vector<Layout>{none});
  EXPECT_EQ(getWanted(sources, constraint), (std::vector<Layout>{columns, other}));
}

TEST(MoveSources, AUseTakesWhatTheConstraintIsOnIfThatIsAsNear) {
  MoveSources sources;
  unsigned made = sources.add(rows), constraint = sources.add(none, made);
  sources.addUse(constraint, none);
  sources.addUse(constraint, other);
  sources.addUse(constraint, both);
  sources.decide(getSeconds);
  EXPECT_EQ(getWanted(sources, made), (std::vector<Layout>{none, both}));
  EXPECT_EQ(getWanted(sources, constraint), (std::vector<Layout>{none, other}));
}

TEST(MoveSources, ConstraintsToOneLayoutAreOne) {
  MoveSources sources;
  unsigned made = sources.add(rows, 0), first = sources.add(none, made, 1),
           second = sources.add(none, made, 2);
  sources.addUse(first, columns, 3);
  sources.addUse(second, other, 4);
  sources.decide(getSeconds);
  EXPECT_EQ(sources.getMerged(second), first);
  EXPECT_EQ(getWanted(sources, first), (std::vector<Layout>{columns, other}));
}

TEST(MoveSources, WhatIsBehindAConstraintMayTakeWhatThatIsOn) {
  MoveSources sources;
  unsigned made = sources.add(rows), first = sources.add(none, made),
           second = sources.add(both, first), third = sources.add(columns, second);
  // The second is made of the tensor, so it is near enough, although the first is made, too.
  for (const Layout *layout : {&none, &other})
    sources.addUse(first, *layout);
  for (const Layout *layout : {&both, &columns})
    sources.addUse(second, *layout);
  for (const Layout *layout : {&columns, &other})
    sources.addUse(third, *layout);
  sources.decide(getSeconds);
  for (unsigned version : {first, second, third})
    if (sources.isMade(version)) {
      unsigned parent = sources.getParent(version);
      EXPECT_TRUE(sources.isMade(parent));
      EXPECT_TRUE(llvm::is_contained(getWanted(sources, parent), sources.getLayout(version)));
    }
  EXPECT_EQ(sources.getParent(second), made);
}

TEST(MoveSources, PartialValuesKeepWhatUsesHaveInCommon) {
  // Directly to columns the sum would be replicated for both.
  MoveSources sources;
  unsigned made = sources.add(partial), constraint = sources.add(rows, made);
  sources.addUse(made, rows);
  sources.addUse(made, both);
  sources.addUse(constraint, columns);
  sources.decide(getSeconds);
  EXPECT_EQ(getWanted(sources, made), (std::vector<Layout>{rows, both}));
  EXPECT_EQ(getWanted(sources, constraint), std::vector<Layout>{columns});
}

TEST(MoveSources, OnePartialValueGoesWhereItIsWanted) {
  MoveSources sources;
  unsigned made = sources.add(partial), constraint = sources.add(none, made);
  sources.addUse(constraint, rows);
  sources.decide(getSeconds);
  EXPECT_FALSE(sources.isMade(constraint));
  EXPECT_EQ(getWanted(sources, made), std::vector<Layout>{rows});
}

} // namespace
