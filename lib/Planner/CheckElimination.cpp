//===- CheckElimination.cpp - The best of what is left, recomputed --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code.
//
//===----------------------------------------------------------------------===//
#include "CheckElimination.h"
#include "VariableElimination.h"

#include <limits>

using namespace dmc::planner;

namespace {
using Wide = __int128;

struct Sums {
  using Value = Wide;

  Value getNone() const { return noChoice; }
  bool isNone(Value value) const { return value == noChoice; }
  Value getUnit() const { return 0; }
  void join(Value &value, Value other) const {
    value = value == noChoice || other == noChoice ? noChoice : value + other;
  }
  void unite(Value &value, Value other) const { value = std::min(value, other); }
  void balance(std::vector<std::vector<Value>> &ofGroups) const;
};
} // namespace

/// The mean less what a group has; what is over by rounding goes to the first one. A state that one
/// group has not got none has.
void Sums::balance(std::vector<std::vector<Value>> &ofGroups) const {
  for (size_t state = 0; state < ofGroups.front().size(); ++state) {
    Wide sum = 0;
    for (const std::vector<Value> &group : ofGroups)
      join(sum, group[state]);
    Wide mean = sum == noChoice ? noChoice : sum / static_cast<Wide>(ofGroups.size());
    Wide over = sum == noChoice ? 0 : sum - mean * static_cast<Wide>(ofGroups.size());
    for (std::vector<Value> &group : ofGroups) {
      group[state] = mean == noChoice ? noChoice : mean - group[state] + over;
      over = 0;
    }
  }
}

std::optional<Wide> dmc::planner::findLeastSum(const std::vector<uint32_t> &sizes,
                                               std::vector<CheckedCosts> costs, int64_t &limit,
                                               int64_t tableLimit) {
  std::vector<CheckedTable<Sums>> tables;
  tables.reserve(costs.size());
  for (CheckedCosts &table : costs)
    tables.push_back({std::move(table.scope), std::move(table.costs)});
  Sums sums;
  VariableElimination<Sums> elimination(sizes, std::move(tables), limit, tableLimit, sums);
  auto least = elimination.run();
  limit -= elimination.entries();
  return least;
}
