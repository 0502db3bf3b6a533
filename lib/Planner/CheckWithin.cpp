//===- CheckWithin.cpp - The best plan within rows, recomputed ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code. For the choices of
// an elimination, the plans of which none is both cheaper and smaller in all rows than another.
//
//===----------------------------------------------------------------------===//
#include "CheckPrices.h"

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

/// What partial plans have to be below: above the bound, and at prices.
struct Below {
  Wide excess;
  std::vector<std::pair<const std::vector<Wide> *, Wide>> priced;
};

class EliminationWithin {
public:
  EliminationWithin(const CheckedRows &rows, CheckedChoices choices, int64_t &steps);

  std::optional<Wide> run();

private:
  void addBytes();
  void addTables();
  bool findViews();
  Table join(const Table &joined, size_t variable, size_t number);
  std::vector<Plan> combine(const std::vector<Plan> &plans, const std::vector<Plan> &others,
                            Below below, const std::vector<int64_t> &most);
  Table project(Table joined, const CheckedVariable &variable);
  void finish(std::vector<Plan> &plans, const std::vector<int64_t> &most);
  bool isOver() const { return steps_ < 0; }

  /// Fewer plans are not compared before all of them are made. Costs time or memory alone.
  static constexpr size_t leastToPrune = 4096;

  const CheckedRows &rows_;
  CheckedChoices choices_;
  int64_t &steps_;
  CheckedBytes bytes_;
  CheckedAhead ahead_;
  std::vector<PricedView> views_;
  /// By row: the most that all variables use above their least, and, by variable, each of them.
  std::vector<int64_t> all_;
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

EliminationWithin::EliminationWithin(const CheckedRows &rows, CheckedChoices choices,
                                     int64_t &steps)
    : rows_(rows), choices_(std::move(choices)), steps_(steps), bytes_{{}, rows.capacities},
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
    auto &ofStates = bytes_.ofStates.emplace_back();
    for (uint32_t state = 0; state < rows_.sizes[v]; ++state) {
      auto &ofState = ofStates.emplace_back();
      for (size_t row = 0; row < count; ++row)
        ofState.push_back(bytes[state * count + row] - least[row]);
    }
    for (size_t row = 0; row < count; ++row) {
      bytes_.room[row] -= least[row];
      most[row] -= least[row];
      all_[row] += most[row];
    }
    most_.push_back(std::move(most));
  }
}

/// The tables of costs. A variable's own one has what its states use, too.
void EliminationWithin::addTables() {
  const std::vector<int64_t> none(all_.size(), 0);
  for (size_t i = 0; i < choices_.entries.size(); ++i) {
    const bool isOwn = i < rows_.sizes.size();
    Table table;
    table.most = isOwn ? most_[i] : none;
    for (size_t entry : choices_.entries[i])
      table.plans.push_back({{rows_.costs[i].costs[entry], rows_.excess[i].costs[entry],
                              isOwn ? bytes_.ofStates[i][entry] : none}});
    tables_.push_back(std::move(table));
  }
}

/// What choices cost ahead; false: none has a plan.
bool EliminationWithin::findViews() {
  auto ahead = findAhead(choices_, rows_.excess, rows_.excessLimit);
  if (!ahead)
    return false;
  // Most choices have no plan below the limit, which shows once all variables are eliminated.
  choices_ = keepWithPlan(choices_, *ahead);
  ahead = findAhead(choices_, rows_.excess, rows_.excessLimit);
  if (!ahead)
    return false;
  auto views = makeViews(rows_, choices_, bytes_, *ahead);
  if (!views)
    return false;
  views_ = std::move(*views);
  // Without the choices that have no plan at other prices.
  ahead = findAhead(choices_, rows_.excess, rows_.excessLimit, &*ahead);
  if (!ahead)
    return false;
  ahead_ = std::move(*ahead);
  return true;
}

Table EliminationWithin::join(const Table &joined, size_t variable, size_t number) {
  const CheckedJoin &join = choices_.variables[variable].joins[number];
  const Table &table = tables_[join.table];
  Table made;
  made.most = add(joined.most, table.most);
  for (size_t choice = 0; choice < join.from.size(); ++choice) {
    const Wide ahead = ahead_[variable][number][choice];
    made.plans.emplace_back();
    if (ahead == noChoice)
      continue;
    Below below{rows_.excessLimit - ahead, {}};
    for (const PricedView &view : views_)
      below.priced.push_back({&view.prices, view.limit - view.ahead[variable][number][choice]});
    made.plans.back() =
        combine(joined.plans[join.from[choice]], table.plans[join.with[choice]], below, made.most);
  }
  return made;
}

/// What a plan is not below comes first then: the next plan is mostly alike.
static bool isBelow(Below &below, const Plan &plan) {
  for (auto &view : below.priced) {
    const auto &[prices, limit] = view;
    Wide priced = plan.cost;
    for (size_t row = 0; row < plan.bytes.size(); ++row)
      priced += (*prices)[row] * plan.bytes[row];
    if (priced >= limit) {
      std::swap(below.priced.front(), view);
      return false;
    }
  }
  return plan.excess < below.excess;
}

std::vector<Plan> EliminationWithin::combine(const std::vector<Plan> &plans,
                                             const std::vector<Plan> &others, Below below,
                                             const std::vector<int64_t> &mostBelow) {
  std::vector<Plan> all;
  size_t most = leastToPrune;
  steps_ -= static_cast<int64_t>(plans.size() * others.size());
  for (const Plan &plan : plans) {
    if (all.size() > most) {
      finish(all, mostBelow);
      most = std::max(leastToPrune, 2 * all.size());
    }
    for (const Plan &other : others) {
      if (isOver() || plan.excess + other.excess >= below.excess)
        continue;
      Plan both{plan.cost + other.cost, plan.excess + other.excess, add(plan.bytes, other.bytes)};
      bool fits = true;
      for (size_t row = 0; row < both.bytes.size(); ++row)
        fits &= both.bytes[row] <= bytes_.room[row];
      if (fits && isBelow(below, both))
        all.push_back(std::move(both));
    }
  }
  if (plans.size() > 1 && others.size() > 1)
    finish(all, mostBelow);
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
      if (plan.bytes[row] + all_[row] - most[row] <= bytes_.room[row])
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
      std::any_of(bytes_.room.begin(), bytes_.room.end(), [](int64_t room) { return room < 0; }) ||
      !findViews())
    return noChoice;
  // Of what no variable is in.
  Table ends;
  ends.most.assign(all_.size(), 0);
  ends.plans.push_back({{0, 0, ends.most}});
  auto end = [&](const Table &table) {
    ends.most = add(ends.most, table.most);
    ends.plans.front() =
        combine(ends.plans.front(), table.plans.front(), {rows_.excessLimit, {}}, ends.most);
  };
  for (size_t i = 0; i < rows_.costs.size(); ++i)
    if (rows_.costs[i].scope.empty())
      end(tables_[i]);
  for (size_t number = 0; number < choices_.variables.size(); ++number) {
    const CheckedVariable &variable = choices_.variables[number];
    Table joined;
    joined.most.assign(all_.size(), 0);
    joined.plans.assign(rows_.sizes[variable.joins.front().table], {{0, 0, joined.most}});
    for (size_t next = 0; next < variable.joins.size(); ++next) {
      joined = join(joined, number, next);
      tables_[variable.joins[next].table] = {};
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

std::optional<Wide> dmc::planner::findLeastWithin(const CheckedRows &rows, int64_t limit,
                                                  int64_t steps,
                                                  const std::vector<uint32_t> &order) {
  auto choices = findChoices(rows, rows.excessLimit, limit, steps, order);
  if (!choices)
    return std::nullopt;
  return EliminationWithin(rows, std::move(*choices), steps).run();
}
