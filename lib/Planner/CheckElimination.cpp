//===- CheckElimination.cpp - The least sum of costs, recomputed ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code.
//
//===----------------------------------------------------------------------===//
#include "CheckElimination.h"

#include <algorithm>
#include <set>

using namespace dmc::planner;

namespace {
using Wide = __int128;

class CheckedElimination {
public:
  CheckedElimination(const std::vector<uint32_t> &sizes, std::vector<CheckedCosts> costs,
                     int64_t limit)
      : sizes_(sizes), limit_(limit), neighbours_(sizes.size()), uses_(sizes.size()) {
    for (CheckedCosts &table : costs)
      add(std::move(table));
  }
  std::optional<Wide> run();

private:
  void add(CheckedCosts table);
  int64_t measure(uint32_t variable) const;
  void eliminate(uint32_t variable);

  const std::vector<uint32_t> &sizes_;
  int64_t limit_;
  std::vector<std::set<uint32_t>> neighbours_;
  std::vector<CheckedCosts> tables_;
  /// By variable: the tables that name it.
  std::vector<std::set<size_t>> uses_;
  Wide constant_ = 0;
};
} // namespace

static Wide sum(Wide a, Wide b) { return a == noChoice || b == noChoice ? noChoice : a + b; }

void CheckedElimination::add(CheckedCosts table) {
  if (table.scope.empty()) {
    constant_ = sum(constant_, table.costs.front());
    return;
  }
  for (uint32_t variable : table.scope) {
    uses_[variable].insert(tables_.size());
    for (uint32_t other : table.scope)
      if (other != variable)
        neighbours_[variable].insert(other);
  }
  tables_.push_back(std::move(table));
}

/// The entries of the table that eliminating a variable makes.
int64_t CheckedElimination::measure(uint32_t variable) const {
  int64_t size = sizes_[variable];
  for (uint32_t other : neighbours_[variable]) {
    if (size > limit_ / sizes_[other])
      return limit_ + 1;
    size *= sizes_[other];
  }
  return size;
}

void CheckedElimination::eliminate(uint32_t variable) {
  CheckedCosts least;
  least.scope.assign(neighbours_[variable].begin(), neighbours_[variable].end());
  // Of each table: how far its entries lie apart for the variables of the new one, then for the
  // variable that goes.
  struct Part {
    const std::vector<Wide> *costs;
    std::vector<size_t> strides;
    size_t own = 0, at = 0;
  };
  std::vector<Part> parts;
  for (size_t use : uses_[variable]) {
    Part &part = parts.emplace_back();
    part.costs = &tables_[use].costs;
    part.strides.assign(least.scope.size(), 0);
    size_t stride = 1;
    for (size_t i = tables_[use].scope.size(); i-- > 0;) {
      uint32_t named = tables_[use].scope[i];
      auto place = std::lower_bound(least.scope.begin(), least.scope.end(), named);
      (named == variable ? part.own : part.strides[place - least.scope.begin()]) = stride;
      stride *= sizes_[named];
    }
  }
  std::vector<uint32_t> states(least.scope.size(), 0);
  for (bool isMore = true; isMore;) {
    Wide best = noChoice;
    for (uint32_t state = 0; state < sizes_[variable]; ++state) {
      Wide cost = 0;
      for (const Part &part : parts)
        cost = sum(cost, (*part.costs)[part.at + state * part.own]);
      best = std::min(best, cost);
    }
    least.costs.push_back(best);
    isMore = false;
    for (size_t i = states.size(); i-- > 0 && !isMore;) {
      isMore = ++states[i] < sizes_[least.scope[i]];
      for (Part &part : parts)
        isMore ? part.at += part.strides[i] : part.at -= part.strides[i] * (states[i] - 1);
      if (!isMore)
        states[i] = 0;
    }
  }
  for (size_t use : std::set<size_t>(uses_[variable])) {
    for (uint32_t named : tables_[use].scope)
      uses_[named].erase(use);
    tables_[use] = {};
  }
  for (uint32_t other : neighbours_[variable])
    neighbours_[other].erase(variable);
  add(std::move(least));
}

std::optional<Wide> CheckedElimination::run() {
  std::set<std::pair<int64_t, uint32_t>> queue;
  std::vector<int64_t> entries;
  for (uint32_t variable = 0; variable < sizes_.size(); ++variable) {
    entries.push_back(measure(variable));
    queue.insert({entries.back(), variable});
  }
  int64_t total = 0;
  while (!queue.empty()) {
    auto [size, variable] = *queue.begin();
    queue.erase(queue.begin());
    total += size;
    if (total > limit_)
      return std::nullopt;
    std::set<uint32_t> around = neighbours_[variable];
    eliminate(variable);
    for (uint32_t other : around) {
      queue.erase({entries[other], other});
      entries[other] = measure(other);
      queue.insert({entries[other], other});
    }
  }
  return constant_;
}

std::optional<Wide> dmc::planner::findLeastSum(const std::vector<uint32_t> &sizes,
                                               std::vector<CheckedCosts> costs, int64_t limit) {
  return CheckedElimination(sizes, std::move(costs), limit).run();
}
