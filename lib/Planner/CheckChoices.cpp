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

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace dmc::planner;

namespace {
using Wide = __int128;
/// The states of some variables.
using Choice = llvm::ArrayRef<uint32_t>;

/// Choices of the states of a scope, one after the other, and what each lies above the bound at
/// least.
struct Table {
  std::vector<uint32_t> scope, states;
  std::vector<Wide> least;

  size_t size() const { return least.size(); }
  Choice get(size_t choice) const {
    return Choice(states).slice(choice * scope.size(), scope.size());
  }
  void add(Choice choice, Wide excess) {
    states.insert(states.end(), choice.begin(), choice.end());
    least.push_back(excess);
  }
};

/// The choices of a table in the order of their states at some places.
class Sorted {
public:
  Sorted(const Table &table, std::vector<size_t> places)
      : table_(table), places_(std::move(places)), order_(table.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](size_t a, size_t b) { return compare(a, table.get(b), places_) < 0; });
  }
  /// Those of the same states, from the first one in order on.
  llvm::ArrayRef<size_t> getGroup(size_t first) const {
    size_t end = first;
    while (end < order_.size() && compare(order_[end], table_.get(order_[first]), places_) == 0)
      ++end;
    return llvm::ArrayRef(order_).slice(first, end - first);
  }
  /// Those whose states are, in the order of the places, the ones at `others` of a choice.
  llvm::ArrayRef<size_t> find(Choice choice, const std::vector<size_t> &others) const {
    auto begin = std::partition_point(order_.begin(), order_.end(),
                                      [&](size_t own) { return compare(own, choice, others) < 0; });
    auto end = std::partition_point(begin, order_.end(),
                                    [&](size_t own) { return compare(own, choice, others) == 0; });
    return llvm::ArrayRef(order_).slice(begin - order_.begin(), end - begin);
  }

private:
  /// Less than 0, 0, or more, as a choice comes before, with or after what another one has at some
  /// places.
  int compare(size_t own, Choice choice, const std::vector<size_t> &at) const {
    for (size_t i = 0; i < places_.size(); ++i) {
      const uint32_t a = table_.get(own)[places_[i]], b = choice[at[i]];
      if (a != b)
        return a < b ? -1 : 1;
    }
    return 0;
  }

  const Table &table_;
  std::vector<size_t> places_, order_;
};

/// Tables that are joined; what their other variables, and the tables of these alone, lie above the
/// bound at least.
struct Joined : Table {
  std::vector<Wide> ahead;
};

/// A table of which a scope has all variables: the places of these there.
struct Inside {
  size_t number;
  std::vector<size_t> places;
  const Table &table;
  Sorted all;
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
  std::vector<Inside> getInside(const std::vector<uint32_t> &scope, size_t known) const;
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
  /// By table: the least of its choices.
  std::vector<Wide> least_;
  /// What all tables lie above the bound at least, but for those that the choices of the variable
  /// which is eliminated count.
  Wide others_ = 0;
  CheckedScopes scopes_;
  CheckedChoices result_;
};
} // namespace

static bool isIn(const std::vector<uint32_t> &scope, uint32_t variable) {
  return std::find(scope.begin(), scope.end(), variable) != scope.end();
}

/// Of variables that the scope has.
static std::vector<size_t> getPlaces(const std::vector<uint32_t> &scope,
                                     const std::vector<uint32_t> &variables) {
  std::vector<size_t> places;
  places.reserve(variables.size());
  for (uint32_t variable : variables)
    places.push_back(std::find(scope.begin(), scope.end(), variable) - scope.begin());
  return places;
}

/// What the tables lie above the bound at least; nothing: one of them does not have the choice.
static std::optional<Wide> getAhead(const std::vector<Inside> &tables, Choice choice) {
  Wide sum = 0;
  for (const Inside &inside : tables) {
    llvm::ArrayRef<size_t> found = inside.all.find(choice, inside.places);
    if (found.empty())
      return std::nullopt;
    sum += inside.table.least[found.front()];
  }
  return sum;
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
      std::vector<uint32_t> choice(excess.scope.size());
      size_t left = entry;
      for (size_t place = choice.size(); place-- > 0;) {
        choice[place] = left % rows_.sizes[excess.scope[place]];
        left /= rows_.sizes[excess.scope[place]];
      }
      table.add(choice, excess.costs[entry]);
      entries.push_back(entry);
    }
    result_.isEmpty |= table.size() == 0;
    add(std::move(table));
  }
}

void ChoiceSearch::add(Table table) {
  least_.push_back(0);
  if (table.size() > 0)
    least_.back() = *std::min_element(table.least.begin(), table.least.end());
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
std::vector<Inside> ChoiceSearch::getInside(const std::vector<uint32_t> &scope,
                                            size_t known) const {
  std::set<size_t> found;
  for (size_t place = known; place < scope.size(); ++place)
    for (size_t table : scopes_.uses[scope[place]]) {
      const std::vector<uint32_t> &named = tables_[table].scope;
      if (!isIn(named, scope.front()) &&
          std::all_of(named.begin(), named.end(), [&](uint32_t v) { return isIn(scope, v); }))
        found.insert(table);
    }
  std::vector<Inside> inside;
  for (size_t number : found) {
    const Table &table = tables_[number];
    inside.push_back({number, getPlaces(scope, table.scope), table,
                      Sorted(table, getPlaces(table.scope, table.scope))});
  }
  return inside;
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
  const std::vector<size_t> sharedPlaces = getPlaces(joined.scope, shared),
                            addedPlaces = getPlaces(table.scope, added);
  const Sorted byShared(table, getPlaces(table.scope, shared));
  const std::vector<Inside> inside = getInside(made.scope, joined.scope.size());
  others_ -= least_[next.table];
  for (const Inside &table : inside)
    others_ -= least_[table.number];
  std::vector<uint32_t> both;
  for (size_t choice = 0; choice < joined.size(); ++choice)
    for (size_t other : byShared.find(joined.get(choice), sharedPlaces)) {
      steps_ -= stepsOfChoice;
      if (isOver())
        return made;
      both.assign(joined.get(choice).begin(), joined.get(choice).end());
      for (size_t place : addedPlaces)
        both.push_back(table.get(other)[place]);
      auto ahead = getAhead(inside, both);
      const Wide least = joined.least[choice] + table.least[other];
      if (!ahead || least + joined.ahead[choice] + *ahead + others_ >= cutoff_)
        continue;
      --limit_;
      made.add(both, least);
      made.ahead.push_back(joined.ahead[choice] + *ahead);
      next.from.push_back(choice);
      next.with.push_back(other);
    }
  return made;
}

/// Of all states of the first variable.
Table ChoiceSearch::project(const Joined &joined, CheckedVariable &variable) const {
  Table made;
  made.scope.assign(joined.scope.begin() + 1, joined.scope.end());
  const Sorted byOthers(joined, getPlaces(joined.scope, made.scope));
  variable.left.resize(joined.size());
  for (size_t first = 0; first < joined.size();) {
    llvm::ArrayRef<size_t> choices = byOthers.getGroup(first);
    Wide least = noChoice;
    for (size_t choice : choices) {
      least = std::min(least, joined.least[choice]);
      variable.left[choice] = made.size();
    }
    made.add(joined.get(choices.front()).drop_front(), least);
    first += choices.size();
  }
  variable.numLeft = made.size();
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
  others_ = std::accumulate(least_.begin(), least_.end(), Wide(0));
  Joined joined;
  joined.scope = {variable};
  joined.states = tables_[variable].states;
  joined.least.assign(joined.states.size(), 0);
  joined.ahead.assign(joined.states.size(), 0);
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
    least_[trace.table] = 0;
  }
  if (isOver())
    return;
  Table made = project(joined, eliminated);
  result_.isEmpty |= made.size() == 0;
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
