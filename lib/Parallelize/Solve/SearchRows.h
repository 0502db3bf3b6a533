//===- SearchRows.h - The rows of memory of a search ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows hold what the plans that made them hold at their fullest points. Other plans may be fused or
// ordered otherwise: some hold a little more at other points, and some fit that rows exclude.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_SEARCHROWS_H
#define DMC_LIB_PARALLELIZE_SOLVE_SEARCHROWS_H

#include "MemoryRows.h"

namespace dmc {

class SearchRows {
public:
  bool empty() const { return rows.empty(); }
  size_t size() const { return rows.size(); }
  const RowOrigin &getOrigin(size_t row) const { return origins[row]; }
  /// By row: what made it.
  const std::vector<RowOrigin> &getOrigins() const { return origins; }
  /// By row: the plan that made it.
  const planner::Assignment &getMaker(size_t row) const { return makers[row]; }
  /// In bytes, as the row was made.
  int64_t getMadeCapacity(size_t row) const { return capacities[row]; }
  /// How often capacities were raised.
  unsigned getNumRaised() const { return numRaised; }

  /// The first `count` rows.
  std::vector<planner::Row> getFirst(size_t count) const {
    return {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  const std::vector<planner::Row> &getAll() const { return rows; }
  /// All rows, of which plans may fill a share: up to 1 of the capacities as they were made, from 1
  /// to 2 the way from those to what `known`, a plan, or one that fits holds there.
  std::vector<planner::Row> getWithin(double share, const planner::Assignment &known) const;

  /// All rows with capacities so many times as large as they were made, but no larger than half of
  /// the way to what the plan holds that made the row, which does not fit; or as they are if that
  /// is more.
  std::vector<planner::Row> getBeyond(double factor) const;

  /// What a plan that needs too much holds becomes rows.
  void add(std::vector<MemoryRow> made, const planner::Assignment &maker);
  /// Of a plan that fits: a row that it exceeds says too much, and is given the capacity that the
  /// plan uses. So are rows that are added later.
  void allow(const planner::Assignment &plan);

private:
  void allow(const planner::Assignment &plan, size_t firstRow);

  std::vector<planner::Row> rows;
  std::vector<int64_t> capacities;
  std::vector<planner::Assignment> makers;
  std::vector<RowOrigin> origins;
  /// Plans that fit keep all rows.
  std::vector<planner::Assignment> fitting;
  unsigned numRaised = 0;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_SEARCHROWS_H
