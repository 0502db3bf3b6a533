//===- SearchRowsTest.cpp - Capacities of the rows of a search ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What plans may fill of rows that other plans made, where some are known to fit.
//
//===----------------------------------------------------------------------===//
// The headers of the library are made for its precompiled header.
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "Solve/SearchRows.h"

#include "gtest/gtest.h"

using namespace dmc;

namespace {

/// One variable, whose states take 80, 120 and 160 bytes of a row of 100.
MemoryRow getRow() {
  MemoryRow row;
  row.row.capacity = 100;
  row.row.uses = {{0, 0, 80}, {0, 1, 120}, {0, 2, 160}};
  return row;
}

int64_t getCapacity(std::vector<planner::Row> rows) { return rows.front().capacity; }

TEST(SearchRows, PlansMayFillAShare) {
  SearchRows rows;
  rows.add({getRow()}, {2});
  EXPECT_EQ(getCapacity(rows.getAll()), 100);
  EXPECT_EQ(getCapacity(rows.getWithin(0.5, {1})), 50);
  // Half of the way to what a plan holds.
  EXPECT_EQ(getCapacity(rows.getWithin(1.5, {2})), 130);
}

TEST(SearchRows, PlansMayExceedThemByAPart) {
  SearchRows rows;
  rows.add({getRow()}, {2});
  EXPECT_EQ(getCapacity(rows.getBeyond(1.125)), 112);
  // The plan that made the row does not fit: half of the way to what it holds.
  EXPECT_EQ(getCapacity(rows.getBeyond(1.5)), 130);
  EXPECT_EQ(getCapacity(rows.getAll()), 100);
  SearchRows near;
  near.add({getRow()}, {1});
  EXPECT_EQ(getCapacity(near.getBeyond(1.125)), 110);
}

TEST(SearchRows, PlansThatFitKeepRowsBeforeAndAfter) {
  SearchRows rows;
  rows.add({getRow()}, {2});
  rows.allow({1});
  rows.add({getRow()}, {2});
  EXPECT_EQ(rows.getNumRaised(), 2u);
  for (const planner::Row &row : rows.getAll())
    EXPECT_EQ(row.capacity, 120);
  EXPECT_EQ(rows.getMadeCapacity(0), 100);
  // What is allowed is no less than a part beyond what was made.
  EXPECT_EQ(getCapacity(rows.getBeyond(1.125)), 120);
  EXPECT_EQ(getCapacity(rows.getBeyond(1.5)), 130);
}

} // namespace
