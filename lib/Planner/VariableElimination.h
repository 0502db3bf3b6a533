//===- VariableElimination.h - Eliminates variables one by one --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_VARIABLEELIMINATION_H
#define DMC_LIB_PLANNER_VARIABLEELIMINATION_H

#include "CheckedScopes.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace dmc::planner {

/// A value for each choice of some variables' states: row-major over the scope, which is in
/// ascending order.
template <typename Algebra>
struct CheckedTable {
  std::vector<uint32_t> scope;
  std::vector<typename Algebra::Value> values;
};

/// Joins all tables and unites what the states of all variables give: variables are eliminated one
/// after the other, the one with the smallest table first (Bertele and Brioschi 1972, "Nonserial
/// Dynamic Programming"). Where that table had more entries than `tableLimit`, a variable's tables
/// are joined in groups, each with a state of its own: sums are then not above the least one
/// (mini-buckets: Dechter and Rish 2003, "Mini-Buckets: A General Scheme for Bounded Inference").
/// An algebra has
///   Value                           of partial plans
///   getNone(), getUnit()            no plan; the plan of no variable
///   isNone(value)                   whether that has no plan
///   join(value, other)              plans of different tables
///   unite(value, other)             plans with different states of a variable
///   balance(values)                 of the least of groups, by state, makes what each of them gets
///                                   so that they are the same
template <typename Algebra>
class VariableElimination {
public:
  using Value = typename Algebra::Value;
  using Table = CheckedTable<Algebra>;

  /// `sizes` says how many states each variable has.
  VariableElimination(const std::vector<uint32_t> &sizes, std::vector<Table> tables, int64_t limit,
                      int64_t tableLimit, Algebra &algebra)
      : sizes_(sizes), limit_(limit), tableLimit_(tableLimit), algebra_(algebra),
        scopes_(sizes.size()), constant_(algebra.getUnit()) {
    for (Table &table : tables)
      add(std::move(table));
  }

  /// Nothing, if the tables have more than `limit` entries in all.
  std::optional<Value> run();
  /// Of all tables that were made.
  int64_t entries() const { return entries_; }

private:
  /// Of a table with the variable that goes: how far its entries lie apart for the variables of the
  /// new one, then for that variable.
  struct Part {
    const Table *table;
    std::vector<size_t> strides;
    size_t own = 0, at = 0;
  };

  /// Tables that are joined, and all variables that they name.
  struct Group {
    std::set<uint32_t> scope;
    std::vector<size_t> tables;
  };

  void add(Table table);
  int64_t measure(const std::set<uint32_t> &scope) const;
  int64_t measure(uint32_t variable) const;
  std::vector<Group> getGroups(uint32_t variable) const;
  std::vector<Part> getParts(const Group &group, uint32_t variable,
                             const std::vector<uint32_t> &scope) const;
  Table join(const Group &group, uint32_t variable, std::vector<Value> *ofStates = nullptr);
  void balance(uint32_t variable, std::vector<Group> &groups);
  void eliminate(uint32_t variable, std::vector<Group> groups);

  const std::vector<uint32_t> &sizes_;
  int64_t limit_, tableLimit_, entries_ = 0;
  Algebra &algebra_;
  CheckedScopes scopes_;
  std::vector<Table> tables_;
  Value constant_;
};

template <typename Algebra>
void VariableElimination<Algebra>::add(Table table) {
  if (table.scope.empty()) {
    algebra_.join(constant_, table.values.front());
    return;
  }
  scopes_.addTable(table.scope, tables_.size());
  tables_.push_back(std::move(table));
}

/// The entries of a table.
template <typename Algebra>
int64_t VariableElimination<Algebra>::measure(const std::set<uint32_t> &scope) const {
  constexpr int64_t most = int64_t(1) << 62;
  int64_t size = 1;
  for (uint32_t variable : scope)
    size = size > most / sizes_[variable] ? most : size * sizes_[variable];
  return size;
}

/// Of all that eliminating the variable joins.
template <typename Algebra>
int64_t VariableElimination<Algebra>::measure(uint32_t variable) const {
  std::set<uint32_t> scope = scopes_.neighbours[variable];
  scope.insert(variable);
  return measure(scope);
}

/// The largest tables first, each in the first group that has room.
template <typename Algebra>
auto VariableElimination<Algebra>::getGroups(uint32_t variable) const -> std::vector<Group> {
  std::vector<size_t> tables(scopes_.uses[variable].begin(), scopes_.uses[variable].end());
  std::stable_sort(tables.begin(), tables.end(), [&](size_t a, size_t b) {
    return tables_[a].values.size() > tables_[b].values.size();
  });
  std::vector<Group> groups;
  for (size_t table : tables) {
    const std::vector<uint32_t> &scope = tables_[table].scope;
    auto joined = [&](const Group &group) {
      std::set<uint32_t> all = group.scope;
      all.insert(scope.begin(), scope.end());
      return all;
    };
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
      return measure(joined(group)) <= tableLimit_;
    });
    if (group == groups.end())
      group = groups.insert(group, Group());
    group->scope = joined(*group);
    group->tables.push_back(table);
  }
  for (Group &group : groups)
    std::sort(group.tables.begin(), group.tables.end());
  return groups;
}

template <typename Algebra>
auto VariableElimination<Algebra>::getParts(const Group &group, uint32_t variable,
                                            const std::vector<uint32_t> &scope) const
    -> std::vector<Part> {
  std::vector<Part> parts;
  for (size_t use : group.tables) {
    Part &part = parts.emplace_back();
    part.table = &tables_[use];
    part.strides.assign(scope.size(), 0);
    size_t stride = 1;
    for (size_t i = tables_[use].scope.size(); i-- > 0;) {
      uint32_t named = tables_[use].scope[i];
      auto place = std::lower_bound(scope.begin(), scope.end(), named);
      (named == variable ? part.own : part.strides[place - scope.begin()]) = stride;
      stride *= sizes_[named];
    }
  }
  return parts;
}

template <typename Algebra>
auto VariableElimination<Algebra>::join(const Group &group, uint32_t variable,
                                        std::vector<Value> *ofStates) -> Table {
  Table made;
  for (uint32_t named : group.scope)
    if (named != variable)
      made.scope.push_back(named);
  std::vector<Part> parts = getParts(group, variable, made.scope);
  std::vector<uint32_t> states(made.scope.size(), 0);
  for (bool isMore = true; isMore;) {
    Value all = algebra_.getNone();
    for (uint32_t state = 0; state < sizes_[variable]; ++state) {
      auto valueOf = [&](const Part &part) -> const Value & {
        return part.table->values[part.at + state * part.own];
      };
      if (std::any_of(parts.begin(), parts.end(),
                      [&](const Part &part) { return algebra_.isNone(valueOf(part)); }))
        continue;
      Value one = algebra_.getUnit();
      for (const Part &part : parts)
        algebra_.join(one, valueOf(part));
      if (ofStates)
        algebra_.unite((*ofStates)[state], one);
      algebra_.unite(all, std::move(one));
    }
    made.values.push_back(std::move(all));
    isMore = false;
    for (size_t i = states.size(); i-- > 0 && !isMore;) {
      isMore = ++states[i] < sizes_[made.scope[i]];
      for (Part &part : parts)
        isMore ? part.at += part.strides[i] : part.at -= part.strides[i] * (states[i] - 1);
      if (!isMore)
        states[i] = 0;
    }
  }
  return made;
}

/// Groups that choose the variable's state on their own choose alike where they all say the same of
/// a state: each gets a table of the variable that makes it so, which add up to nothing.
template <typename Algebra>
void VariableElimination<Algebra>::balance(uint32_t variable, std::vector<Group> &groups) {
  std::vector<std::vector<Value>> ofStates;
  for (const Group &group : groups) {
    ofStates.emplace_back(sizes_[variable], algebra_.getNone());
    join(group, variable, &ofStates.back());
  }
  algebra_.balance(ofStates);
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i].tables.push_back(tables_.size());
    scopes_.uses[variable].insert(tables_.size());
    tables_.push_back({{variable}, std::move(ofStates[i])});
  }
}

template <typename Algebra>
void VariableElimination<Algebra>::eliminate(uint32_t variable, std::vector<Group> groups) {
  if (groups.size() > 1)
    balance(variable, groups);
  std::vector<Table> made;
  for (const Group &group : groups) {
    made.push_back(join(group, variable));
    for (size_t table : group.tables) {
      scopes_.removeTable(tables_[table].scope, table);
      tables_[table] = {};
    }
  }
  scopes_.removeVariable(variable);
  for (Table &table : made)
    add(std::move(table));
}

template <typename Algebra>
auto VariableElimination<Algebra>::run() -> std::optional<Value> {
  std::set<std::pair<int64_t, uint32_t>> queue;
  std::vector<int64_t> entries;
  for (uint32_t variable = 0; variable < sizes_.size(); ++variable) {
    entries.push_back(measure(variable));
    queue.insert({entries.back(), variable});
  }
  while (!queue.empty()) {
    uint32_t variable = queue.begin()->second;
    queue.erase(queue.begin());
    std::vector<Group> groups = getGroups(variable);
    for (const Group &group : groups)
      entries_ += std::min(measure(group.scope), limit_ + 1);
    if (entries_ > limit_)
      return std::nullopt;
    std::set<uint32_t> around = scopes_.neighbours[variable];
    eliminate(variable, std::move(groups));
    for (uint32_t other : around) {
      queue.erase({entries[other], other});
      entries[other] = measure(other);
      queue.insert({entries[other], other});
    }
  }
  return std::move(constant_);
}

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_VARIABLEELIMINATION_H
