//===- CheckElimination.cpp - The best of what is left, recomputed --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code.
//
//===----------------------------------------------------------------------===//
#include "CheckElimination.h"
#include "VariableElimination.h"

#include <limits>
#include <numeric>
#include <tuple>

using namespace dmc::planner;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {
using Wide = __int128;

struct Sums {
  using Value = Wide;
  struct Below {};

  Value getNone() const { return noChoice; }
  bool isNone(Value value) const { return value == noChoice; }
  Value getUnit() const { return 0; }
  void add(Below &below, const Below &more) const {}
  void join(Value &value, Value other, const Below &below) const {
    value = value == noChoice || other == noChoice ? noChoice : value + other;
  }
  void unite(Value &value, Value other) const { value = std::min(value, other); }
  void finish(Value &value, const Below &below) const {}
  void balance(std::vector<std::vector<Value>> &ofGroups) const;
  bool isOver() const { return false; }
};
} // namespace

/// The mean less what a group has; what is over by rounding goes to the first one. A state that one
/// group has not got none has.
void Sums::balance(std::vector<std::vector<Value>> &ofGroups) const {
  for (size_t state = 0; state < ofGroups.front().size(); ++state) {
    Wide sum = 0;
    for (const std::vector<Value> &group : ofGroups)
      join(sum, group[state], {});
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
    tables.push_back({std::move(table.scope), std::move(table.costs), {}});
  Sums sums;
  VariableElimination<Sums> elimination(sizes, std::move(tables), limit, tableLimit, sums);
  auto least = elimination.run();
  limit -= elimination.entries();
  return least;
}

//===----------------------------------------------------------------------===//
// Plans within rows
//===----------------------------------------------------------------------===//

namespace {
/// Partial plans of some tables. Of those that can be continued alike, one is left out that costs
/// no less than another one and uses no less of any row.
class PlansWithin {
public:
  struct Plan {
    Wide cost = 0, excess = 0;
    /// By row: above the least that the variables can use; empty: nothing.
    std::vector<int64_t> bytes = {};
  };
  using Value = std::vector<Plan>;
  /// By row: the most that the variables can use above their least; empty: nothing.
  using Below = std::vector<int64_t>;

  PlansWithin(const CheckedRows &rows, Wide cutoff, int64_t steps);

  Value getNone() const { return {}; }
  bool isNone(const Value &value) const { return value.empty(); }
  Value getUnit() const { return {Plan()}; }
  void add(Below &below, const Below &more) const { addBytes(below, more); }
  void join(Value &value, const Value &other, const Below &below);
  void unite(Value &value, Value other) const;
  /// There are no groups: tables are not limited.
  void balance(std::vector<std::vector<Value>> &ofGroups) const {}
  void finish(Value &value, const Below &below);
  bool isOver() const { return steps_ < 0; }

  bool canHaveAny() const;
  /// The plans of a variable's states, and the most that these use.
  std::vector<CheckedTable<PlansWithin>> getTables() const;

private:
  static void addBytes(std::vector<int64_t> &sum, const std::vector<int64_t> &more);
  /// Fewer plans are not compared before all of them are made. Costs time or memory alone.
  static constexpr size_t leastToPrune = 4096;
  static bool isNoMore(const Plan &a, const Plan &b);

  const CheckedRows &rows_;
  Wide cutoff_;
  int64_t steps_;
  /// By variable and row: the least and the most bytes of its states.
  std::vector<std::vector<int64_t>> least_, most_;
  /// By row: what is left once all variables use their least, and the most that they use above it.
  std::vector<int64_t> room_, all_;
};
} // namespace

PlansWithin::PlansWithin(const CheckedRows &rows, Wide cutoff, int64_t steps)
    : rows_(rows), cutoff_(cutoff), steps_(steps), room_(rows.capacities),
      all_(rows.capacities.size(), 0) {
  const size_t count = rows.capacities.size();
  for (size_t v = 0; v < rows.sizes.size(); ++v) {
    const std::vector<int64_t> &bytes = rows.bytes[v];
    std::vector<int64_t> &least = least_.emplace_back(bytes.begin(), bytes.begin() + count);
    std::vector<int64_t> &most = most_.emplace_back(least);
    for (size_t i = 0; i < bytes.size(); ++i) {
      least[i % count] = std::min(least[i % count], bytes[i]);
      most[i % count] = std::max(most[i % count], bytes[i]);
    }
    for (size_t row = 0; row < count; ++row) {
      room_[row] -= least[row];
      most[row] -= least[row];
      all_[row] += most[row];
    }
  }
}

void PlansWithin::addBytes(std::vector<int64_t> &sum, const std::vector<int64_t> &more) {
  if (sum.empty())
    sum = more;
  else
    for (size_t row = 0; row < more.size(); ++row)
      sum[row] += more[row];
}

bool PlansWithin::isNoMore(const Plan &a, const Plan &b) {
  if (a.cost > b.cost)
    return false;
  for (size_t row = 0; row < a.bytes.size(); ++row)
    if (a.bytes[row] > (b.bytes.empty() ? 0 : b.bytes[row]))
      return false;
  return true;
}

void PlansWithin::join(Value &value, const Value &other, const Below &below) {
  Value both;
  size_t most = leastToPrune;
  steps_ -= static_cast<int64_t>(value.size() * other.size());
  for (size_t i = 0; i < value.size() && !isOver(); ++i) {
    if (both.size() > most) {
      finish(both, below);
      most = std::max(leastToPrune, 2 * both.size());
    }
    for (const Plan &plan : other) {
      if (value[i].excess + plan.excess >= cutoff_)
        continue;
      Plan joined = value[i];
      joined.cost += plan.cost;
      joined.excess += plan.excess;
      addBytes(joined.bytes, plan.bytes);
      bool fits = true;
      for (size_t row = 0; row < joined.bytes.size(); ++row)
        fits &= joined.bytes[row] <= room_[row];
      if (fits)
        both.push_back(std::move(joined));
    }
  }
  bool mayRepeat = value.size() > 1 && other.size() > 1;
  value = std::move(both);
  if (mayRepeat)
    finish(value, below);
}

void PlansWithin::unite(Value &value, Value other) const {
  std::move(other.begin(), other.end(), std::back_inserter(value));
}

void PlansWithin::finish(Value &value, const Below &below) {
  // Bytes of a row that the other variables cannot exceed any more are of no account.
  for (Plan &plan : value)
    for (size_t row = 0; row < plan.bytes.size(); ++row)
      if (plan.bytes[row] + all_[row] - (below.empty() ? 0 : below[row]) <= room_[row])
        plan.bytes[row] = 0;
  std::sort(value.begin(), value.end(), [](const Plan &a, const Plan &b) {
    return std::tie(a.excess, a.cost, a.bytes) < std::tie(b.excess, b.cost, b.bytes);
  });
  Value kept;
  for (Plan &plan : value) {
    steps_ -= static_cast<int64_t>(kept.size());
    if (isOver())
      return;
    if (std::none_of(kept.begin(), kept.end(),
                     [&](const Plan &other) { return isNoMore(other, plan); }))
      kept.push_back(std::move(plan));
  }
  value = std::move(kept);
}

bool PlansWithin::canHaveAny() const {
  return std::all_of(room_.begin(), room_.end(), [](int64_t room) { return room >= 0; });
}

std::vector<CheckedTable<PlansWithin>> PlansWithin::getTables() const {
  const size_t count = room_.size();
  std::vector<CheckedTable<PlansWithin>> tables;
  for (size_t i = 0; i < rows_.costs.size(); ++i) {
    auto &table = tables.emplace_back();
    table.scope = rows_.costs[i].scope;
    for (size_t entry = 0; entry < rows_.costs[i].costs.size(); ++entry) {
      Value &plans = table.values.emplace_back();
      if (rows_.costs[i].costs[entry] != noChoice)
        plans.push_back({rows_.costs[i].costs[entry], rows_.excess[i].costs[entry]});
    }
  }
  for (uint32_t v = 0; v < rows_.sizes.size(); ++v) {
    // One state is at its least.
    if (rows_.sizes[v] == 1)
      continue;
    auto &table = tables.emplace_back();
    table.scope = {v};
    table.below = most_[v];
    for (uint32_t state = 0; state < rows_.sizes[v]; ++state) {
      Plan &plan = table.values.emplace_back().emplace_back();
      for (size_t row = 0; row < count; ++row)
        plan.bytes.push_back(rows_.bytes[v][state * count + row] - least_[v][row]);
    }
  }
  return tables;
}

std::optional<Wide> dmc::planner::findLeastWithin(const CheckedRows &rows, Wide cutoff,
                                                  int64_t limit, int64_t steps) {
  PlansWithin plans(rows, cutoff, steps);
  if (!plans.canHaveAny())
    return noChoice;
  auto found = VariableElimination<PlansWithin>(rows.sizes, plans.getTables(), limit,
                                                std::numeric_limits<int64_t>::max(), plans)
                   .run();
  if (!found)
    return std::nullopt;
  Wide least = noChoice;
  for (const PlansWithin::Plan &plan : *found)
    least = std::min(least, plan.cost);
  return least;
}
