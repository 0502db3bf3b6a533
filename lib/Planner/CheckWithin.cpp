//===- CheckWithin.cpp - The best plan within rows, recomputed ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code. Variables are
// eliminated one after the other, in the order that is given, then the one whose table would have
// the fewest choices first (Bertele and Brioschi 1972, "Nonserial Dynamic Programming"). Tables
// have the choices that have plans alone: where few plans lie below the cutoff, these are few.
//
//===----------------------------------------------------------------------===//
#include "CheckElimination.h"
#include "CheckedScopes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace dmc::planner;

namespace {
using Wide = __int128;
/// States of some variables.
using Choice = std::vector<uint32_t>;

/// A partial plan.
struct Plan {
  Wide cost = 0, excess = 0;
  /// By row: above the least that the variables can use.
  std::vector<int64_t> bytes;
};

/// Plans with the same states of the variables that others have in common with them.
struct Plans {
  std::vector<Plan> all;
  /// What those other variables, and the tables of these alone, lie above the bound at least.
  Wide ahead = 0;
  Wide getLeast() const;
};

struct Table {
  std::vector<uint32_t> scope;
  /// The states are in the order of the scope.
  std::map<Choice, Plans> plans;
  /// By row: the most that the variables of the plans can use above their least.
  std::vector<int64_t> most;
};

class EliminationWithin {
public:
  EliminationWithin(const CheckedRows &rows, Wide cutoff, int64_t limit, int64_t steps);

  std::optional<Wide> run(const std::vector<uint32_t> &order);

private:
  void addTables();
  void add(Table table);
  double measure(uint32_t variable) const;
  std::vector<size_t> getInside(const std::vector<uint32_t> &scope, size_t known) const;
  std::optional<Wide> getAhead(const std::vector<size_t> &tables,
                               const std::vector<uint32_t> &scope, const Choice &choice) const;
  Table join(const Table &joined, const Table &other);
  std::vector<Plan> combine(const Plans &plans, const Plans &others, Wide ahead,
                            const std::vector<int64_t> &most);
  Table project(Table joined);
  void eliminate(uint32_t variable);
  void finish(std::vector<Plan> &plans, const std::vector<int64_t> &most);
  bool isOver() const { return steps_ < 0 || limit_ < 0; }

  /// Fewer plans are not compared before all of them are made. Costs time or memory alone.
  static constexpr size_t leastToPrune = 4096;
  /// What looking for a choice in tables takes, in plans that are made or compared.
  static constexpr int64_t stepsOfChoice = 64;

  const CheckedRows &rows_;
  Wide cutoff_;
  int64_t limit_, steps_;
  /// By row: what is left once all variables use their least, and the most that they use above it.
  std::vector<int64_t> room_, all_;
  /// By variable: its states' bytes above the least, and the most of them.
  std::vector<std::vector<std::vector<int64_t>>> bytes_;
  std::vector<std::vector<int64_t>> most_;
  std::vector<Table> tables_;
  CheckedScopes scopes_;
  /// Of no variable.
  Table ends_;
};
} // namespace

Wide Plans::getLeast() const {
  return std::min_element(all.begin(), all.end(),
                          [](const Plan &a, const Plan &b) { return a.excess < b.excess; })
      ->excess;
}

static std::vector<int64_t> add(std::vector<int64_t> sum, const std::vector<int64_t> &more) {
  for (size_t row = 0; row < sum.size(); ++row)
    sum[row] += more[row];
  return sum;
}

/// The states of some variables in a choice of a scope that has them.
static Choice pick(const std::vector<uint32_t> &scope, const Choice &choice,
                   const std::vector<uint32_t> &variables) {
  Choice picked;
  for (uint32_t variable : variables)
    picked.push_back(choice[std::find(scope.begin(), scope.end(), variable) - scope.begin()]);
  return picked;
}

static bool isIn(const std::vector<uint32_t> &scope, uint32_t variable) {
  return std::find(scope.begin(), scope.end(), variable) != scope.end();
}

EliminationWithin::EliminationWithin(const CheckedRows &rows, Wide cutoff, int64_t limit,
                                     int64_t steps)
    : rows_(rows), cutoff_(cutoff), limit_(limit), steps_(steps), room_(rows.capacities),
      all_(rows.capacities.size(), 0), scopes_(rows.sizes.size()) {
  const size_t count = rows.capacities.size();
  for (size_t v = 0; v < rows.sizes.size(); ++v) {
    const std::vector<int64_t> &bytes = rows.bytes[v];
    std::vector<int64_t> least(bytes.begin(), bytes.begin() + count), most = least;
    for (size_t i = 0; i < bytes.size(); ++i) {
      least[i % count] = std::min(least[i % count], bytes[i]);
      most[i % count] = std::max(most[i % count], bytes[i]);
    }
    auto &ofStates = bytes_.emplace_back();
    for (uint32_t state = 0; state < rows.sizes[v]; ++state) {
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
  ends_.most.assign(count, 0);
  ends_.plans[{}].all.push_back({0, 0, std::vector<int64_t>(count, 0)});
}

/// The tables of costs. A variable's own one has what its states use, too.
void EliminationWithin::addTables() {
  for (size_t i = 0; i < rows_.costs.size(); ++i) {
    const CheckedCosts &costs = rows_.costs[i];
    const bool isOwn = i < rows_.sizes.size();
    Table table;
    table.scope = costs.scope;
    table.most = isOwn ? most_[i] : std::vector<int64_t>(room_.size(), 0);
    for (size_t entry = 0; entry < costs.costs.size(); ++entry) {
      if (costs.costs[entry] == noChoice)
        continue;
      Choice choice(costs.scope.size());
      size_t left = entry;
      for (size_t place = choice.size(); place-- > 0;) {
        choice[place] = left % rows_.sizes[costs.scope[place]];
        left /= rows_.sizes[costs.scope[place]];
      }
      std::vector<int64_t> bytes = isOwn ? bytes_[i][entry] : std::vector<int64_t>(room_.size(), 0);
      table.plans[choice].all.push_back(
          {costs.costs[entry], rows_.excess[i].costs[entry], std::move(bytes)});
    }
    add(std::move(table));
  }
}

void EliminationWithin::add(Table table) {
  if (table.scope.empty()) {
    ends_ = join(ends_, table);
    return;
  }
  scopes_.addTable(table.scope, tables_.size());
  tables_.push_back(std::move(table));
}

/// All choices of the table that eliminating the variable makes.
double EliminationWithin::measure(uint32_t variable) const {
  double size = rows_.sizes[variable];
  for (uint32_t other : scopes_.neighbours[variable])
    size *= rows_.sizes[other];
  return size;
}

/// Tables without the first variable of a scope whose variables it has, but not the first `known`
/// ones of it alone.
std::vector<size_t> EliminationWithin::getInside(const std::vector<uint32_t> &scope,
                                                 size_t known) const {
  std::set<size_t> inside;
  for (size_t place = known; place < scope.size(); ++place)
    for (size_t table : scopes_.uses[scope[place]]) {
      const std::vector<uint32_t> &named = tables_[table].scope;
      if (!isIn(named, scope.front()) &&
          std::all_of(named.begin(), named.end(), [&](uint32_t v) { return isIn(scope, v); }))
        inside.insert(table);
    }
  return {inside.begin(), inside.end()};
}

/// What they lie above the bound at least; nothing: one of them has no plan.
std::optional<Wide> EliminationWithin::getAhead(const std::vector<size_t> &tables,
                                                const std::vector<uint32_t> &scope,
                                                const Choice &choice) const {
  Wide sum = 0;
  for (size_t table : tables) {
    auto found = tables_[table].plans.find(pick(scope, choice, tables_[table].scope));
    if (found == tables_[table].plans.end())
      return std::nullopt;
    sum += found->second.getLeast();
  }
  return sum;
}

/// The scope of the first one, and what the second one adds to it.
Table EliminationWithin::join(const Table &joined, const Table &other) {
  Table made;
  made.scope = joined.scope;
  std::vector<uint32_t> shared, added;
  for (uint32_t variable : other.scope)
    (isIn(joined.scope, variable) ? shared : added).push_back(variable);
  made.scope.insert(made.scope.end(), added.begin(), added.end());
  made.most = ::add(joined.most, other.most);
  std::map<Choice, std::vector<const std::pair<const Choice, Plans> *>> byShared;
  for (const auto &entry : other.plans)
    byShared[pick(other.scope, entry.first, shared)].push_back(&entry);
  const std::vector<size_t> inside =
      made.scope.empty() ? std::vector<size_t>() : getInside(made.scope, joined.scope.size());
  for (const auto &[choice, plans] : joined.plans) {
    auto found = byShared.find(pick(joined.scope, choice, shared));
    if (found == byShared.end())
      continue;
    for (const auto *entry : found->second) {
      steps_ -= stepsOfChoice;
      if (isOver())
        return made;
      Choice both = choice;
      for (uint32_t state : pick(other.scope, entry->first, added))
        both.push_back(state);
      auto ahead = getAhead(inside, made.scope, both);
      if (!ahead)
        continue;
      *ahead += plans.ahead;
      std::vector<Plan> combined = combine(plans, entry->second, *ahead, made.most);
      if (combined.empty())
        continue;
      --limit_;
      made.plans[both] = {std::move(combined), *ahead};
    }
  }
  return made;
}

std::vector<Plan> EliminationWithin::combine(const Plans &plans, const Plans &others, Wide ahead,
                                             const std::vector<int64_t> &below) {
  std::vector<Plan> all;
  size_t most = leastToPrune;
  steps_ -= static_cast<int64_t>(plans.all.size() * others.all.size());
  for (const Plan &plan : plans.all) {
    if (all.size() > most) {
      finish(all, below);
      most = std::max(leastToPrune, 2 * all.size());
    }
    for (const Plan &other : others.all) {
      if (isOver() || plan.excess + other.excess + ahead >= cutoff_)
        continue;
      std::vector<int64_t> bytes = ::add(plan.bytes, other.bytes);
      bool fits = true;
      for (size_t row = 0; row < bytes.size(); ++row)
        fits &= bytes[row] <= room_[row];
      if (fits)
        all.push_back({plan.cost + other.cost, plan.excess + other.excess, std::move(bytes)});
    }
  }
  if (plans.all.size() > 1 && others.all.size() > 1)
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

/// Of all states of the first variable.
Table EliminationWithin::project(Table joined) {
  Table made;
  made.scope.assign(joined.scope.begin() + 1, joined.scope.end());
  made.most = joined.most;
  for (auto &[choice, plans] : joined.plans) {
    std::vector<Plan> &all = made.plans[{choice.begin() + 1, choice.end()}].all;
    std::move(plans.all.begin(), plans.all.end(), std::back_inserter(all));
  }
  for (auto &[choice, plans] : made.plans)
    finish(plans.all, made.most);
  return made;
}

void EliminationWithin::eliminate(uint32_t variable) {
  std::vector<Table> left;
  for (size_t use : std::set<size_t>(scopes_.uses[variable])) {
    scopes_.removeTable(tables_[use].scope, use);
    left.push_back(std::move(tables_[use]));
    tables_[use] = {};
  }
  scopes_.removeVariable(variable);
  // The variable's own table is there.
  auto own = std::find_if(left.begin(), left.end(),
                          [](const Table &table) { return table.scope.size() == 1; });
  Table joined = std::move(*own);
  left.erase(own);
  while (!left.empty() && !isOver()) {
    // What adds the fewest choices.
    auto countNew = [&](const Table &table) {
      double count = 1;
      for (uint32_t named : table.scope)
        if (!isIn(joined.scope, named))
          count *= rows_.sizes[named];
      return count;
    };
    auto next = std::min_element(left.begin(), left.end(), [&](const Table &a, const Table &b) {
      return countNew(a) < countNew(b);
    });
    joined = join(joined, *next);
    left.erase(next);
  }
  if (!isOver())
    add(project(std::move(joined)));
}

std::optional<Wide> EliminationWithin::run(const std::vector<uint32_t> &order) {
  if (std::any_of(room_.begin(), room_.end(), [](int64_t room) { return room < 0; }))
    return noChoice;
  addTables();
  std::vector<bool> isGone(rows_.sizes.size(), false);
  for (uint32_t variable : order) {
    if (isOver())
      return std::nullopt;
    isGone[variable] = true;
    if (rows_.sizes[variable] > 1)
      eliminate(variable);
  }
  std::set<std::pair<double, uint32_t>> queue;
  std::vector<double> sizes(rows_.sizes.size(), 0);
  for (uint32_t variable = 0; variable < sizes.size(); ++variable)
    if (rows_.sizes[variable] > 1 && !isGone[variable])
      queue.insert({sizes[variable] = measure(variable), variable});
  while (!queue.empty() && !isOver()) {
    uint32_t variable = queue.begin()->second;
    queue.erase(queue.begin());
    std::set<uint32_t> around = scopes_.neighbours[variable];
    eliminate(variable);
    for (uint32_t other : around) {
      queue.erase({sizes[other], other});
      queue.insert({sizes[other] = measure(other), other});
    }
  }
  if (isOver())
    return std::nullopt;
  Wide least = noChoice;
  for (const auto &[choice, plans] : ends_.plans)
    for (const Plan &plan : plans.all)
      least = std::min(least, plan.cost);
  return least;
}

std::optional<Wide> dmc::planner::findLeastWithin(const CheckedRows &rows, Wide cutoff,
                                                  int64_t limit, int64_t steps,
                                                  const std::vector<uint32_t> &order) {
  return EliminationWithin(rows, cutoff, limit, steps).run(order);
}
