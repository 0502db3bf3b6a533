//===- ChoiceElimination.cpp - Choices below a budget ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ChoiceElimination.h.
//
//===----------------------------------------------------------------------===//
#include "ChoiceElimination.h"
#include "ChoiceTable.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace dmc::planner;

namespace {
class ChoiceEliminator {
public:
  ChoiceEliminator(llvm::ArrayRef<uint32_t> sizes, const ExcessTables &tables, int64_t budget,
                   OrderRule rule, ChoiceEffort effort, const std::function<bool()> &isInterrupted);
  std::optional<ChoiceElimination> run();

private:
  /// A table that names a node: of a pair, or what an eliminated node left.
  struct Use {
    bool isPair;
    uint32_t number;
  };
  class Lookahead;
  /// Tables that are joined. The first node of the scope is the one that is eliminated.
  struct Joined : ChoiceTable {
    /// By choice: what the other nodes' states, and tables among them, cost at least.
    std::vector<int64_t> ahead;

    void addWith(llvm::ArrayRef<uint32_t> chosen, int64_t cost, int64_t costAhead) {
      add(chosen, cost);
      ahead.push_back(costAhead);
    }
  };

  llvm::ArrayRef<uint32_t> getScope(Use use) const;
  int64_t countNew(llvm::ArrayRef<uint32_t> scope, Use use) const;
  Use takeNext(llvm::SmallVectorImpl<Use> &uses, llvm::ArrayRef<uint32_t> scope) const;
  bool eliminate(uint32_t node);
  Joined startNode(uint32_t node) const;
  bool join(Joined &joined, Use use);
  void joinPair(const Joined &joined, const PairTable &pair, const Lookahead &lookahead,
                Joined &next, ChoiceJoin &trace);
  void joinTable(const Joined &joined, const ChoiceTable &table, const Lookahead &lookahead,
                 Joined &next, ChoiceJoin &trace);
  bool addChoice(llvm::ArrayRef<uint32_t> states, int64_t least, int64_t aheadBefore,
                 const Lookahead &lookahead, Joined &next);
  bool isTooMuch(const Joined &joined) const;
  ChoiceTable project(const Joined &joined, EliminatedNode &eliminated) const;

  llvm::ArrayRef<uint32_t> sizes_;
  const ExcessTables &excess_;
  int64_t budget_;
  ChoiceEffort effort_;
  const std::function<bool()> &isInterrupted_;
  EliminationOrder order_;
  /// By node: the tables that are not joined yet.
  std::vector<llvm::SmallVector<Use, 8>> uses_;
  ChoiceElimination result_;
  /// By eliminated node: what it left, and the least that this costs.
  std::vector<ChoiceTable> tables_;
  std::vector<int64_t> least_;
  /// What all tables that eliminated nodes left cost at least, but for those that choices of the
  /// node which is eliminated count.
  int64_t others_ = 0;
  int64_t entries_ = 0;
};

/// Sizes of tables with all choices do not overflow.
constexpr int64_t largestTable = int64_t(1) << 60;

/// By node: its place in a scope; nothing: one is not there.
std::optional<std::vector<uint32_t>> findPlaces(llvm::ArrayRef<uint32_t> scope,
                                                llvm::ArrayRef<uint32_t> nodes) {
  std::vector<uint32_t> places;
  for (uint32_t node : nodes) {
    const uint32_t *place = llvm::find(scope, node);
    if (place == scope.end())
      return std::nullopt;
    places.push_back(static_cast<uint32_t>(place - scope.begin()));
  }
  return places;
}

llvm::SmallVector<uint32_t, 16> pick(llvm::ArrayRef<uint32_t> states,
                                     llvm::ArrayRef<uint32_t> places) {
  llvm::SmallVector<uint32_t, 16> picked;
  for (uint32_t place : places)
    picked.push_back(states[place]);
  return picked;
}
} // namespace

/// What counts with the nodes of a scope from a place on: their states, and the tables that are not
/// joined yet and have no nodes but those of the scope. Those of its first node are left to joins.
class ChoiceEliminator::Lookahead {
public:
  Lookahead(const ChoiceEliminator &all, llvm::ArrayRef<uint32_t> scope, size_t from);
  /// What the eliminated nodes' tables among them cost at least.
  int64_t least() const { return least_; }
  /// Infeasible: the choice has no plan.
  int64_t get(llvm::ArrayRef<uint32_t> states) const;

private:
  struct OfPair {
    const PairTable &table;
    std::vector<uint32_t> places;
  };
  struct OfTable {
    const ChoiceTable &table;
    std::vector<uint32_t> places;
    ChoiceIndex index;
  };
  const ChoiceEliminator &all_;
  llvm::ArrayRef<uint32_t> scope_;
  size_t from_;
  std::vector<OfPair> pairs_;
  std::vector<OfTable> tables_;
  int64_t least_ = 0;
};

ChoiceEliminator::Lookahead::Lookahead(const ChoiceEliminator &all, llvm::ArrayRef<uint32_t> scope,
                                       size_t from)
    : all_(all), scope_(scope), from_(from) {
  for (size_t place = from; place < scope.size(); ++place)
    for (Use use : all.uses_[scope[place]]) {
      llvm::ArrayRef<uint32_t> nodes = all.getScope(use);
      auto places = findPlaces(scope, nodes);
      // Each once: with the last of its nodes.
      if (!places || *llvm::max_element(*places) != place || llvm::is_contained(*places, 0u))
        continue;
      if (use.isPair) {
        pairs_.push_back({all.excess_.ofPairs[use.number], std::move(*places)});
        continue;
      }
      const ChoiceTable &table = all.tables_[use.number];
      least_ += all.least_[use.number];
      std::vector<uint32_t> own(nodes.size());
      std::iota(own.begin(), own.end(), 0);
      tables_.push_back({table, std::move(*places), ChoiceIndex(table, std::move(own))});
    }
}

int64_t ChoiceEliminator::Lookahead::get(llvm::ArrayRef<uint32_t> states) const {
  int64_t sum = 0;
  for (size_t place = from_; place < scope_.size(); ++place)
    sum = addExcess(sum, all_.excess_.ofNodes[scope_[place]][states[place]]);
  for (const OfPair &pair : pairs_) {
    uint32_t first = states[pair.places[0]], second = states[pair.places[1]];
    sum = addExcess(sum, pair.table.costs[first * all_.sizes_[pair.table.scope[1]] + second]);
  }
  for (const OfTable &part : tables_) {
    llvm::ArrayRef<uint32_t> found = part.index.find(pick(states, part.places));
    if (found.empty())
      return infeasible;
    sum = addExcess(sum, part.table.least[found.front()]);
  }
  return sum;
}

ChoiceEliminator::ChoiceEliminator(llvm::ArrayRef<uint32_t> sizes, const ExcessTables &tables,
                                   int64_t budget, OrderRule rule, ChoiceEffort effort,
                                   const std::function<bool()> &isInterrupted)
    : sizes_(sizes), excess_(tables), budget_(budget), effort_(effort),
      isInterrupted_(isInterrupted), order_(sizes, largestTable, rule), uses_(sizes.size()) {
  for (auto [number, pair] : llvm::enumerate(tables.ofPairs)) {
    order_.addScope(pair.scope);
    for (uint32_t node : pair.scope)
      uses_[node].push_back({true, static_cast<uint32_t>(number)});
  }
  order_.start();
}

llvm::ArrayRef<uint32_t> ChoiceEliminator::getScope(Use use) const {
  if (use.isPair)
    return excess_.ofPairs[use.number].scope;
  return tables_[use.number].scope;
}

/// Choices of the nodes that a scope does not have.
int64_t ChoiceEliminator::countNew(llvm::ArrayRef<uint32_t> scope, Use use) const {
  int64_t count = 1;
  for (uint32_t node : getScope(use))
    if (!llvm::is_contained(scope, node))
      count = count > largestTable / sizes_[node] ? largestTable : count * sizes_[node];
  return count;
}

/// What adds the fewest choices.
ChoiceEliminator::Use ChoiceEliminator::takeNext(llvm::SmallVectorImpl<Use> &uses,
                                                 llvm::ArrayRef<uint32_t> scope) const {
  auto *next = llvm::min_element(
      uses, [&](Use a, Use b) { return countNew(scope, a) < countNew(scope, b); });
  Use use = *next;
  uses.erase(next);
  return use;
}

ChoiceEliminator::Joined ChoiceEliminator::startNode(uint32_t node) const {
  Joined joined;
  joined.scope = {node};
  for (uint32_t s = 0; s < sizes_[node]; ++s)
    joined.addWith(s, excess_.ofNodes[node][s], 0);
  return joined;
}

bool ChoiceEliminator::isTooMuch(const Joined &joined) const {
  const auto entries = static_cast<int64_t>(joined.size());
  return effort_.steps < 0 || entries > effort_.entries || entries_ + entries > effort_.allEntries;
}

/// False: it takes too much.
bool ChoiceEliminator::join(Joined &joined, Use use) {
  if (isInterrupted_ && isInterrupted_())
    return false;
  ChoiceJoin trace{use.isPair, use.number, {}, {}};
  Joined next;
  next.scope = joined.scope;
  for (uint32_t node : getScope(use))
    if (!llvm::is_contained(joined.scope, node))
      next.scope.push_back(node);
  const Lookahead lookahead(*this, next.scope, joined.scope.size());
  others_ -= lookahead.least();
  if (use.isPair) {
    joinPair(joined, excess_.ofPairs[use.number], lookahead, next, trace);
  } else {
    others_ -= least_[use.number];
    joinTable(joined, tables_[use.number], lookahead, next, trace);
  }
  if (isTooMuch(next))
    return false;
  entries_ += static_cast<int64_t>(next.size());
  joined = std::move(next);
  result_.nodes.back().joins.push_back(std::move(trace));
  return true;
}

/// Unless no plan below the budget has it.
bool ChoiceEliminator::addChoice(llvm::ArrayRef<uint32_t> states, int64_t least,
                                 int64_t aheadBefore, const Lookahead &lookahead, Joined &next) {
  if (addExcess(addExcess(least, aheadBefore), others_) >= budget_)
    return false;
  const int64_t ahead = addExcess(aheadBefore, lookahead.get(states));
  if (addExcess(addExcess(least, ahead), others_) >= budget_)
    return false;
  next.addWith(states, least, ahead);
  return true;
}

void ChoiceEliminator::joinPair(const Joined &joined, const PairTable &pair,
                                const Lookahead &lookahead, Joined &next, ChoiceJoin &trace) {
  const bool isFirst = pair.scope[0] == joined.scope.front();
  const uint32_t other = pair.scope[isFirst ? 1 : 0];
  const size_t place = llvm::find(joined.scope, other) - joined.scope.begin();
  const bool isNew = place == joined.scope.size();
  llvm::SmallVector<uint32_t, 16> states;
  for (uint32_t choice = 0; choice < joined.size() && !isTooMuch(next); ++choice) {
    llvm::ArrayRef<uint32_t> chosen = joined.ofChoice(choice);
    states.assign(chosen.begin(), chosen.end());
    states.resize(next.scope.size());
    const uint32_t first = isNew ? 0 : states[place], last = isNew ? sizes_[other] : first + 1;
    effort_.steps -= stepsOfChoice * (last - first);
    for (uint32_t s = first; s < last; ++s) {
      states[place] = s;
      const uint32_t a = isFirst ? states[0] : s, b = isFirst ? s : states[0];
      const uint32_t entry = a * sizes_[pair.scope[1]] + b;
      if (!addChoice(states, addExcess(joined.least[choice], pair.costs[entry]),
                     joined.ahead[choice], lookahead, next))
        continue;
      trace.from.push_back(choice);
      trace.with.push_back(entry);
    }
  }
}

void ChoiceEliminator::joinTable(const Joined &joined, const ChoiceTable &table,
                                 const Lookahead &lookahead, Joined &next, ChoiceJoin &trace) {
  // By place in the table.
  std::vector<uint32_t> shared, added, placesOfShared;
  for (auto [place, node] : llvm::enumerate(table.scope)) {
    const size_t inJoined = llvm::find(joined.scope, node) - joined.scope.begin();
    if (inJoined == joined.scope.size()) {
      added.push_back(static_cast<uint32_t>(place));
      continue;
    }
    shared.push_back(static_cast<uint32_t>(place));
    placesOfShared.push_back(static_cast<uint32_t>(inJoined));
  }
  const ChoiceIndex index(table, std::move(shared));
  llvm::SmallVector<uint32_t, 16> states;
  for (uint32_t choice = 0; choice < joined.size() && !isTooMuch(next); ++choice) {
    llvm::ArrayRef<uint32_t> chosen = joined.ofChoice(choice);
    for (uint32_t other : index.find(pick(chosen, placesOfShared))) {
      effort_.steps -= stepsOfChoice;
      states.assign(chosen.begin(), chosen.end());
      llvm::append_range(states, pick(table.ofChoice(other), added));
      if (!addChoice(states, joined.least[choice] + table.least[other], joined.ahead[choice],
                     lookahead, next))
        continue;
      trace.from.push_back(choice);
      trace.with.push_back(other);
    }
  }
}

/// Of the choices of all nodes but the first, the least of all its states.
ChoiceTable ChoiceEliminator::project(const Joined &joined, EliminatedNode &eliminated) const {
  ChoiceTable result;
  result.scope.assign(joined.scope.begin() + 1, joined.scope.end());
  std::vector<uint32_t> order(joined.size());
  std::iota(order.begin(), order.end(), 0);
  auto getOthers = [&](uint32_t choice) { return joined.ofChoice(choice).drop_front(); };
  llvm::stable_sort(order, [&](uint32_t a, uint32_t b) {
    llvm::ArrayRef<uint32_t> ofA = getOthers(a), ofB = getOthers(b);
    return std::lexicographical_compare(ofA.begin(), ofA.end(), ofB.begin(), ofB.end());
  });
  eliminated.left.resize(joined.size());
  for (size_t i = 0; i < order.size();) {
    llvm::ArrayRef<uint32_t> others = getOthers(order[i]);
    int64_t least = infeasible;
    for (; i < order.size() && getOthers(order[i]) == others; ++i) {
      least = std::min(least, joined.least[order[i]]);
      eliminated.left[order[i]] = static_cast<uint32_t>(result.size());
    }
    result.add(others, least);
  }
  eliminated.numLeft = result.size();
  eliminated.isLast = result.scope.empty();
  return result;
}

/// False: it takes too much.
bool ChoiceEliminator::eliminate(uint32_t node) {
  auto left = std::exchange(uses_[node], {});
  for (Use use : left)
    for (uint32_t other : getScope(use))
      llvm::erase_if(uses_[other],
                     [&](Use of) { return of.isPair == use.isPair && of.number == use.number; });
  result_.nodes.push_back({});
  result_.nodes.back().node = node;
  others_ = std::accumulate(least_.begin(), least_.end(), int64_t(0));
  Joined joined = startNode(node);
  while (!left.empty()) {
    Use use = takeNext(left, joined.scope);
    if (!join(joined, use))
      return false;
    if (!use.isPair) {
      tables_[use.number] = {};
      least_[use.number] = 0;
    }
  }
  order_.remove(node);
  const auto number = static_cast<uint32_t>(tables_.size());
  tables_.push_back(project(joined, result_.nodes.back()));
  const std::vector<int64_t> &least = tables_.back().least;
  least_.push_back(least.empty() ? infeasible : *llvm::min_element(least));
  for (uint32_t other : tables_.back().scope)
    uses_[other].push_back({false, number});
  return true;
}

std::optional<ChoiceElimination> ChoiceEliminator::run() {
  while (std::optional<uint32_t> node = order_.next()) {
    if ((isInterrupted_ && isInterrupted_()) || !eliminate(*node))
      return std::nullopt;
    result_.hasPlans = tables_.back().size() > 0;
    if (!result_.hasPlans)
      break;
  }
  return std::move(result_);
}

std::optional<ChoiceElimination>
dmc::planner::eliminateChoices(llvm::ArrayRef<uint32_t> sizes, const ExcessTables &tables,
                               int64_t budget, OrderRule rule, ChoiceEffort effort,
                               const std::function<bool()> &isInterrupted) {
  return ChoiceEliminator(sizes, tables, budget, rule, effort, isInterrupted).run();
}
