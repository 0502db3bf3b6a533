//===- CheckWithin.cpp - The best plan within rows, recomputed ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code. For the choices of
// an elimination, the plans of which none is both cheaper and smaller in all rows than another.
//
//===----------------------------------------------------------------------===//
#include "CheckChoices.h"

#include <algorithm>
#include <tuple>

using namespace dmc::planner;

namespace {
using Wide = __int128;

/// A partial plan.
struct Plan {
  Wide cost = 0, excess = 0;
  /// By row: above the least that the variables can use.
  std::vector<int64_t> bytes;
};

/// By choice: the plans with it. By row: the most that their variables can use above their least.
struct Table {
  std::vector<std::vector<Plan>> plans;
  std::vector<int64_t> most;
};

class EliminationWithin {
public:
  EliminationWithin(const CheckedRows &rows, const CheckedChoices &choices, Wide cutoff,
                    int64_t &steps);

  std::optional<Wide> run();

private:
  void addBytes();
  void addTables();
  Table join(const Table &joined, const CheckedJoin &join);
  std::vector<Plan> combine(const std::vector<Plan> &plans, const std::vector<Plan> &others,
                            Wide ahead, const std::vector<int64_t> &most);
  Table project(Table joined, const CheckedVariable &variable);
  void finish(std::vector<Plan> &plans, const std::vector<int64_t> &most);
  bool isOver() const { return steps_ < 0; }

  /// Fewer plans are not compared before all of them are made. Costs time or memory alone.
  static constexpr size_t leastToPrune = 4096;

  const CheckedRows &rows_;
  const CheckedChoices &choices_;
  Wide cutoff_;
  int64_t &steps_;
  /// By row: what is left once all variables use their least, and the most that they use above it.
  std::vector<int64_t> room_, all_;
  /// By variable: its states' bytes above the least, and the most of them.
  std::vector<std::vector<std::vector<int64_t>>> bytes_;
  std::vector<std::vector<int64_t>> most_;
  /// By number, as choices name them.
  std::vector<Table> tables_;
};
} // namespace

static std::vector<int64_t> add(std::vector<int64_t> sum, const std::vector<int64_t> &more) {
  for (size_t row = 0; row < sum.size(); ++row)
    sum[row] += more[row];
  return sum;
}

EliminationWithin::EliminationWithin(const CheckedRows &rows, const CheckedChoices &choices,
                                     Wide cutoff, int64_t &steps)
    : rows_(rows), choices_(choices), cutoff_(cutoff), steps_(steps), room_(rows.capacities),
      all_(rows.capacities.size(), 0) {
  addBytes();
  addTables();
}

void EliminationWithin::addBytes() {
  const size_t count = rows_.capacities.size();
  for (size_t v = 0; v < rows_.sizes.size(); ++v) {
    const std::vector<int64_t> &bytes = rows_.bytes[v];
    std::vector<int64_t> least(bytes.begin(), bytes.begin() + count), most = least;
    for (size_t i = 0; i < bytes.size(); ++i) {
      least[i % count] = std::min(least[i % count], bytes[i]);
      most[i % count] = std::max(most[i % count], bytes[i]);
    }
    auto &ofStates = bytes_.emplace_back();
    for (uint32_t state = 0; state < rows_.sizes[v]; ++state) {
      auto &ofState = ofStates.emplace_back();
      for (size_t row = 0; row < count; ++row)
        ofState.push_back(bytes[state * count + row] - least[row]);
    }
    for (size_t row = 0; row < count; ++row) {
      room_[row] -= least[row];
      most[row] -= least[row];
      all_[row] += most[row];
    }
    most_.push_back(std::move(most));
  }
}

/// The tables of costs. A variable's own one has what its states use, too.
void EliminationWithin::addTables() {
  const std::vector<int64_t> none(room_.size(), 0);
  for (size_t i = 0; i < choices_.entries.size(); ++i) {
    const bool isOwn = i < rows_.sizes.size();
    Table table;
    table.most = isOwn ? most_[i] : none;
    for (size_t entry : choices_.entries[i])
      table.plans.push_back({{rows_.costs[i].costs[entry], rows_.excess[i].costs[entry],
                              isOwn ? bytes_[i][entry] : none}});
    tables_.push_back(std::move(table));
  }
}

Table EliminationWithin::join(const Table &joined, const CheckedJoin &join) {
  const Table &table = tables_[join.table];
  Table made;
  made.most = add(joined.most, table.most);
  for (size_t choice = 0; choice < join.from.size(); ++choice)
    made.plans.push_back(join.ahead[choice] == noChoice ? std::vector<Plan>()
                                                        : combine(joined.plans[join.from[choice]],
                                                                  table.plans[join.with[choice]],
                                                                  join.ahead[choice], made.most));
  return made;
}

std::vector<Plan> EliminationWithin::combine(const std::vector<Plan> &plans,
                                             const std::vector<Plan> &others, Wide ahead,
                                             const std::vector<int64_t> &below) {
  std::vector<Plan> all;
  size_t most = leastToPrune;
  steps_ -= static_cast<int64_t>(plans.size() * others.size());
  for (const Plan &plan : plans) {
    if (all.size() > most) {
      finish(all, below);
      most = std::max(leastToPrune, 2 * all.size());
    }
    for (const Plan &other : others) {
      if (isOver() || plan.excess + other.excess + ahead >= cutoff_)
        continue;
      std::vector<int64_t> bytes = add(plan.bytes, other.bytes);
      bool fits = true;
      for (size_t row = 0; row < bytes.size(); ++row)
        fits &= bytes[row] <= room_[row];
      if (fits)
        all.push_back({plan.cost + other.cost, plan.excess + other.excess, std::move(bytes)});
    }
  }
  if (plans.size() > 1 && others.size() > 1)
    finish(all, below);
  return all;
}

static bool isNoMore(const Plan &a, const Plan &b) {
  return a.cost <= b.cost && std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(),
                                        [](int64_t a, int64_t b) { return a <= b; });
}

/// Of plans that can be continued alike, one is left out that costs no less than another one and
/// uses no less of any row.
void EliminationWithin::finish(std::vector<Plan> &plans, const std::vector<int64_t> &most) {
  // Bytes of a row that the other variables cannot exceed any more are of no account.
  for (Plan &plan : plans)
    for (size_t row = 0; row < plan.bytes.size(); ++row)
      if (plan.bytes[row] + all_[row] - most[row] <= room_[row])
        plan.bytes[row] = 0;
  std::sort(plans.begin(), plans.end(), [](const Plan &a, const Plan &b) {
    return std::tie(a.excess, a.cost, a.bytes) < std::tie(b.excess, b.cost, b.bytes);
  });
  std::vector<Plan> kept;
  for (Plan &plan : plans) {
    steps_ -= static_cast<int64_t>(kept.size());
    if (isOver())
      return;
    if (std::none_of(kept.begin(), kept.end(),
                     [&](const Plan &other) { return isNoMore(other, plan); }))
      kept.push_back(std::move(plan));
  }
  plans = std::move(kept);
}

/// Of all states of the variable.
Table EliminationWithin::project(Table joined, const CheckedVariable &variable) {
  Table made;
  made.most = joined.most;
  made.plans.resize(variable.numLeft);
  for (size_t choice = 0; choice < joined.plans.size(); ++choice)
    std::move(joined.plans[choice].begin(), joined.plans[choice].end(),
              std::back_inserter(made.plans[variable.left[choice]]));
  for (std::vector<Plan> &plans : made.plans)
    finish(plans, made.most);
  return made;
}

std::optional<Wide> EliminationWithin::run() {
  if (choices_.isEmpty ||
      std::any_of(room_.begin(), room_.end(), [](int64_t room) { return room < 0; }))
    return noChoice;
  // Of what no variable is in.
  Table ends;
  ends.most.assign(room_.size(), 0);
  ends.plans.push_back({{0, 0, ends.most}});
  auto end = [&](const Table &table) {
    ends.most = add(ends.most, table.most);
    ends.plans.front() = combine(ends.plans.front(), table.plans.front(), 0, ends.most);
  };
  for (size_t i = 0; i < rows_.costs.size(); ++i)
    if (rows_.costs[i].scope.empty())
      end(tables_[i]);
  for (const CheckedVariable &variable : choices_.variables) {
    Table joined;
    joined.most.assign(room_.size(), 0);
    joined.plans.assign(rows_.sizes[variable.joins.front().table],
                        {{0, 0, std::vector<int64_t>(room_.size(), 0)}});
    for (const CheckedJoin &next : variable.joins) {
      joined = join(joined, next);
      tables_[next.table] = {};
      if (isOver())
        return std::nullopt;
    }
    Table made = project(std::move(joined), variable);
    if (variable.isLast)
      end(made);
    tables_.push_back(std::move(made));
  }
  if (isOver())
    return std::nullopt;
  Wide least = noChoice;
  for (const Plan &plan : ends.plans.front())
    least = std::min(least, plan.cost);
  return least;
}

std::optional<Wide> dmc::planner::findLeastWithin(const CheckedRows &rows, Wide cutoff,
                                                  int64_t limit, int64_t steps,
                                                  const std::vector<uint32_t> &order) {
  auto choices = findChoices(rows, cutoff, limit, steps, order);
  if (!choices)
    return std::nullopt;
  return EliminationWithin(rows, *choices, cutoff, steps).run();
}
