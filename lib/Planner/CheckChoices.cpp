//===- CheckChoices.cpp - Choices below a cutoff, recomputed --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code. Variables are
// eliminated one after the other (Bertele and Brioschi 1972, "Nonserial Dynamic Programming").
// Tables have the choices that have plans alone: where few plans lie below the cutoff, these are
// few.
//
//===----------------------------------------------------------------------===//
#include "CheckChoices.h"
#include "CheckedScopes.h"

#include <algorithm>
#include <map>
#include <set>

using namespace dmc::planner;

namespace {
using Wide = __int128;
/// States of some variables.
using Choice = std::vector<uint32_t>;

struct Table {
  std::vector<uint32_t> scope;
  /// In order; by choice, what it lies above the bound at least.
  std::vector<Choice> choices;
  std::vector<Wide> least;

  void add(Choice choice, Wide excess) {
    choices.push_back(std::move(choice));
    least.push_back(excess);
  }
  /// Nothing: it has no such choice.
  std::optional<Wide> find(const Choice &choice) const {
    auto found = std::lower_bound(choices.begin(), choices.end(), choice);
    if (found == choices.end() || *found != choice)
      return std::nullopt;
    return least[found - choices.begin()];
  }
};

/// Tables that are joined; what their other variables, and the tables of these alone, lie above the
/// bound at least.
struct Joined : Table {
  std::vector<Wide> ahead;
};

class ChoiceSearch {
public:
  ChoiceSearch(const CheckedRows &rows, Wide cutoff, int64_t limit, int64_t &steps);
  std::optional<CheckedChoices> run(const std::vector<uint32_t> &order);

private:
  void addTables();
  void add(Table table);
  double measure(uint32_t variable) const;
  std::vector<size_t> takeTables(uint32_t variable);
  std::vector<size_t> getInside(const std::vector<uint32_t> &scope, size_t known) const;
  std::optional<Wide> getAhead(const std::vector<size_t> &tables,
                               const std::vector<uint32_t> &scope, const Choice &choice) const;
  Joined join(const Joined &joined, CheckedJoin &next);
  Table project(const Joined &joined, CheckedVariable &variable) const;
  void eliminate(uint32_t variable);
  bool isOver() const { return steps_ < 0 || limit_ < 0; }

  /// What looking for a choice in tables takes, in plans that are made or compared.
  static constexpr int64_t stepsOfChoice = 64;

  const CheckedRows &rows_;
  Wide cutoff_;
  int64_t limit_;
  int64_t &steps_;
  std::vector<Table> tables_;
  CheckedScopes scopes_;
  CheckedChoices result_;
};
} // namespace

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

ChoiceSearch::ChoiceSearch(const CheckedRows &rows, Wide cutoff, int64_t limit, int64_t &steps)
    : rows_(rows), cutoff_(cutoff), limit_(limit), steps_(steps), scopes_(rows.sizes.size()) {}

void ChoiceSearch::addTables() {
  for (const CheckedCosts &excess : rows_.excess) {
    Table table;
    table.scope = excess.scope;
    auto &entries = result_.entries.emplace_back();
    for (size_t entry = 0; entry < excess.costs.size(); ++entry) {
      if (excess.costs[entry] == noChoice)
        continue;
      Choice choice(excess.scope.size());
      size_t left = entry;
      for (size_t place = choice.size(); place-- > 0;) {
        choice[place] = left % rows_.sizes[excess.scope[place]];
        left /= rows_.sizes[excess.scope[place]];
      }
      table.add(std::move(choice), excess.costs[entry]);
      entries.push_back(entry);
    }
    result_.isEmpty |= table.choices.empty();
    add(std::move(table));
  }
}

void ChoiceSearch::add(Table table) {
  if (!table.scope.empty())
    scopes_.addTable(table.scope, tables_.size());
  tables_.push_back(std::move(table));
}

/// All choices of the table that eliminating the variable makes.
double ChoiceSearch::measure(uint32_t variable) const {
  double size = rows_.sizes[variable];
  for (uint32_t other : scopes_.neighbours[variable])
    size *= rows_.sizes[other];
  return size;
}

/// Tables without the first variable of a scope whose variables it has, but not the first `known`
/// ones of it alone.
std::vector<size_t> ChoiceSearch::getInside(const std::vector<uint32_t> &scope,
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

/// What they lie above the bound at least; nothing: one of them does not have the choice.
std::optional<Wide> ChoiceSearch::getAhead(const std::vector<size_t> &tables,
                                           const std::vector<uint32_t> &scope,
                                           const Choice &choice) const {
  Wide sum = 0;
  for (size_t table : tables) {
    auto found = tables_[table].find(pick(scope, choice, tables_[table].scope));
    if (!found)
      return std::nullopt;
    sum += *found;
  }
  return sum;
}

/// The scope of the first one, and what the table of the second one adds to it.
Joined ChoiceSearch::join(const Joined &joined, CheckedJoin &next) {
  const Table &table = tables_[next.table];
  Joined made;
  made.scope = joined.scope;
  std::vector<uint32_t> shared, added;
  for (uint32_t variable : table.scope)
    (isIn(joined.scope, variable) ? shared : added).push_back(variable);
  made.scope.insert(made.scope.end(), added.begin(), added.end());
  std::map<Choice, std::vector<size_t>> byShared;
  for (size_t other = 0; other < table.choices.size(); ++other)
    byShared[pick(table.scope, table.choices[other], shared)].push_back(other);
  const std::vector<size_t> inside = getInside(made.scope, joined.scope.size());
  for (size_t choice = 0; choice < joined.choices.size(); ++choice) {
    auto found = byShared.find(pick(joined.scope, joined.choices[choice], shared));
    if (found == byShared.end())
      continue;
    for (size_t other : found->second) {
      steps_ -= stepsOfChoice;
      if (isOver())
        return made;
      Choice both = joined.choices[choice];
      for (uint32_t state : pick(table.scope, table.choices[other], added))
        both.push_back(state);
      auto ahead = getAhead(inside, made.scope, both);
      const Wide least = joined.least[choice] + table.least[other];
      if (!ahead || least + joined.ahead[choice] + *ahead >= cutoff_)
        continue;
      --limit_;
      made.add(std::move(both), least);
      made.ahead.push_back(joined.ahead[choice] + *ahead);
      next.from.push_back(choice);
      next.with.push_back(other);
    }
  }
  return made;
}

/// Of all states of the first variable.
Table ChoiceSearch::project(const Joined &joined, CheckedVariable &variable) const {
  Table made;
  made.scope.assign(joined.scope.begin() + 1, joined.scope.end());
  std::map<Choice, std::vector<size_t>> byOthers;
  for (size_t choice = 0; choice < joined.choices.size(); ++choice)
    byOthers[{joined.choices[choice].begin() + 1, joined.choices[choice].end()}].push_back(choice);
  variable.left.resize(joined.choices.size());
  for (const auto &[others, choices] : byOthers) {
    Wide least = noChoice;
    for (size_t choice : choices) {
      least = std::min(least, joined.least[choice]);
      variable.left[choice] = made.choices.size();
    }
    made.add(others, least);
  }
  variable.numLeft = made.choices.size();
  variable.isLast = made.scope.empty();
  return made;
}

/// Those that name the variable, its own one first.
std::vector<size_t> ChoiceSearch::takeTables(uint32_t variable) {
  std::vector<size_t> tables;
  for (size_t table : std::set<size_t>(scopes_.uses[variable])) {
    scopes_.removeTable(tables_[table].scope, table);
    tables.push_back(table);
  }
  scopes_.removeVariable(variable);
  std::rotate(tables.begin(), std::find(tables.begin(), tables.end(), variable), tables.end());
  return tables;
}

void ChoiceSearch::eliminate(uint32_t variable) {
  std::vector<size_t> left = takeTables(variable);
  CheckedVariable &eliminated = result_.variables.emplace_back();
  Joined joined;
  joined.scope = {variable};
  for (const Choice &choice : tables_[variable].choices)
    joined.choices.push_back(choice);
  joined.least.assign(joined.choices.size(), 0);
  joined.ahead.assign(joined.choices.size(), 0);
  // What adds the fewest choices.
  auto countNew = [&](size_t table) {
    double count = 1;
    for (uint32_t named : tables_[table].scope)
      if (!isIn(joined.scope, named))
        count *= rows_.sizes[named];
    return count;
  };
  while (!left.empty() && !isOver()) {
    auto next = eliminated.joins.empty()
                    ? left.begin()
                    : std::min_element(left.begin(), left.end(), [&](size_t a, size_t b) {
                        return countNew(a) < countNew(b);
                      });
    CheckedJoin &trace = eliminated.joins.emplace_back();
    trace.table = *next;
    left.erase(next);
    joined = join(joined, trace);
    tables_[trace.table] = {};
  }
  if (isOver())
    return;
  Table made = project(joined, eliminated);
  result_.isEmpty |= made.choices.empty();
  add(std::move(made));
}

std::optional<CheckedChoices> ChoiceSearch::run(const std::vector<uint32_t> &order) {
  addTables();
  std::vector<bool> isGone(rows_.sizes.size(), false);
  for (uint32_t variable : order) {
    isGone[variable] = true;
    if (rows_.sizes[variable] > 1 && !isOver() && !result_.isEmpty)
      eliminate(variable);
  }
  std::set<std::pair<double, uint32_t>> queue;
  std::vector<double> sizes(rows_.sizes.size(), 0);
  for (uint32_t variable = 0; variable < sizes.size(); ++variable)
    if (rows_.sizes[variable] > 1 && !isGone[variable])
      queue.insert({sizes[variable] = measure(variable), variable});
  while (!queue.empty() && !isOver() && !result_.isEmpty) {
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
  return std::move(result_);
}

std::optional<CheckedChoices> dmc::planner::findChoices(const CheckedRows &rows, Wide cutoff,
                                                        int64_t limit, int64_t &steps,
                                                        const std::vector<uint32_t> &order) {
  return ChoiceSearch(rows, cutoff, limit, steps).run(order);
}
