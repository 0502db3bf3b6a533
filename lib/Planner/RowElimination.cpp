//===- RowElimination.cpp - The best plan within rows of memory -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RowElimination.h.
//
//===----------------------------------------------------------------------===//
#include "RowElimination.h"
#include "EliminationOrder.h"
#include "LabelProducts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace dmc::planner;

namespace {
/// Tables that are joined. The first node of the scope is the one that is eliminated.
struct Joined : LabelTable {
  /// By choice: what the other nodes' states, and tables among them, cost at least beside labels.
  std::vector<int64_t> ahead;
};

class LabelEliminator {
public:
  LabelEliminator(const Network &network, const Scales &scales, const Potentials &potentials,
                  const std::vector<int64_t> &prices, llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
                  RowEliminationEffort &effort, const std::function<bool()> &isInterrupted);
  std::optional<RowElimination> run();

private:
  /// A table that names a node, by number.
  struct Use {
    bool isPair;
    uint32_t number;
  };
  class Lookahead;

  void addNodes(const Potentials &potentials, const std::vector<int64_t> &prices);
  void addEdges(const Potentials &potentials);
  void addTable(LabelTable table);
  llvm::ArrayRef<uint32_t> getScope(Use use) const;
  Joined startNode(uint32_t node);
  int64_t countNew(llvm::ArrayRef<uint32_t> scope, Use use) const;
  bool join(Joined &joined, Use use);
  bool joinPair(Joined &joined, const PairTable &pair);
  bool joinTable(Joined &joined, const LabelTable &table);
  bool isTooMuch(const Joined &joined) const;
  bool eliminate(uint32_t node);
  LabelTable project(const Joined &joined);
  std::vector<std::vector<int64_t>> getRests(uint32_t node, llvm::ArrayRef<int64_t> below) const;
  RowElimination getResult(const Labels &all) const;

  const Network &network_;
  const Scales &scales_;
  llvm::ArrayRef<uint32_t> rows_;
  RowEliminationEffort &effort_;
  const std::function<bool()> &isInterrupted_;
  Wide bound_ = 0;
  /// A label of this excess or more leads to no plan below the cutoff.
  int64_t budget_ = 0;
  /// The nodes eliminated last have no partial plan.
  bool leadsNowhere_ = false;
  /// Those that were eliminated.
  std::vector<uint32_t> eliminated_;
  LabelProducts products_;
  std::vector<std::vector<int64_t>> nodeExcess_, nodeCost_, nodeBytes_;
  std::vector<uint32_t> sizes_;
  std::vector<PairTable> pairs_;
  std::vector<LabelTable> tables_;
  /// By node: the tables that are not joined yet.
  std::vector<llvm::SmallVector<Use, 8>> uses_;
  /// Of components that nothing connects.
  std::vector<LabelTable> ends_;
  std::optional<EliminationOrder> order_;
  /// Choices of all tables that were joined.
  int64_t entries_ = 0;
};

/// Effort limit: as many steps as comparisons of labels count for a choice that is looked at, so
/// that tables without labels come to an end, too.
constexpr int64_t stepsOfChoice = 4;
/// Costs beyond the budget add up to no overflow, and neither do sizes of tables with all choices.
constexpr int64_t largest = int64_t(1) << 60;
int64_t addCosts(int64_t a, int64_t b) {
  return a == infeasible || b == infeasible ? infeasible : std::min(a + b, largest);
}

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

std::vector<int64_t> getCapacities(const Network &network, llvm::ArrayRef<uint32_t> rows) {
  std::vector<int64_t> capacities;
  for (uint32_t row : rows)
    capacities.push_back(network.problem().parts().rows[row].capacity);
  return capacities;
}

llvm::SmallVector<uint32_t, 16> pick(llvm::ArrayRef<uint32_t> states,
                                     llvm::ArrayRef<uint32_t> places) {
  llvm::SmallVector<uint32_t, 16> picked;
  for (uint32_t place : places)
    picked.push_back(states[place]);
  return picked;
}
} // namespace

LabelEliminator::LabelEliminator(const Network &network, const Scales &scales,
                                 const Potentials &potentials, const std::vector<int64_t> &prices,
                                 llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
                                 RowEliminationEffort &effort,
                                 const std::function<bool()> &isInterrupted)
    : network_(network), scales_(scales), rows_(rows), effort_(effort),
      isInterrupted_(isInterrupted), products_(getCapacities(network, rows), effort),
      uses_(network.nodes().size()) {
  bound_ = ExactBound(network, scales, potentials, prices).bound();
  Wide rest = static_cast<Wide>(cutoff) * scales.common() - bound_;
  budget_ = divideDown(std::clamp<Wide>(rest, 0, Wide(largest) * scales.price), scales.price);
  for (const Node &node : network.nodes())
    sizes_.push_back(static_cast<uint32_t>(node.states.size()));
  order_.emplace(sizes_, largest, effort.rule);
  addNodes(potentials, prices);
  addEdges(potentials);
  order_->start();
}

void LabelEliminator::addNodes(const Potentials &potentials, const std::vector<int64_t> &prices) {
  for (const Node &node : network_.nodes()) {
    const size_t count = node.states.size();
    std::vector<int64_t> cost(count), excess, bytes(count * rows_.size(), 0);
    std::vector<Wide> priced(count, 0);
    for (size_t s = 0; s < count; ++s)
      cost[s] = node.costs[s] * scales_.potential;
    for (uint32_t e : node.before)
      for (size_t s = 0; s < count; ++s)
        cost[s] += potentials.toSecond[e][s];
    for (uint32_t e : node.after)
      for (size_t s = 0; s < count; ++s)
        cost[s] += potentials.toFirst[e][s];
    for (const NodeUse &use : node.uses) {
      for (size_t s = 0; s < count; ++s)
        priced[s] += static_cast<Wide>(use.bytes[s]) * prices[use.row] * scales_.potential;
      auto row = llvm::find(rows_, use.row);
      if (row == rows_.end())
        continue;
      size_t r = row - rows_.begin();
      int64_t least = *llvm::min_element(use.bytes);
      products_.addUse(r, least, use.most);
      for (size_t s = 0; s < count; ++s)
        bytes[s * rows_.size() + r] = use.bytes[s] - least;
    }
    for (size_t s = 0; s < count; ++s)
      priced[s] += static_cast<Wide>(cost[s]) * scales_.price;
    // Of costs only differences between states count.
    size_t cheapest = llvm::min_element(priced) - priced.begin();
    Wide least = priced[cheapest];
    int64_t base = cost[cheapest];
    for (int64_t &value : cost)
      value -= base;
    for (Wide value : priced)
      excess.push_back(
          divideDown(std::min(value - least, Wide(largest) * scales_.price), scales_.price));
    nodeCost_.push_back(std::move(cost));
    nodeExcess_.push_back(std::move(excess));
    nodeBytes_.push_back(std::move(bytes));
  }
}

/// A node of one state connects nothing: what its edges cost belongs to the others' states.
void LabelEliminator::addEdges(const Potentials &potentials) {
  for (uint32_t e = 0; e < network_.edges().size(); ++e) {
    const Edge &edge = network_.edges()[e];
    const CostTable &table = network_.table(edge);
    std::vector<int64_t> costs;
    int64_t least = infeasible;
    for (uint32_t a = 0; a < sizes_[edge.first]; ++a)
      for (uint32_t b = 0; b < sizes_[edge.second]; ++b) {
        int64_t cost = table.at(a, b);
        if (cost != infeasible) {
          cost = cost * scales_.potential - potentials.toFirst[e][a] - potentials.toSecond[e][b];
          least = std::min(least, cost);
        }
        costs.push_back(cost);
      }
    for (int64_t &cost : costs)
      if (cost != infeasible)
        cost = std::min(cost - least, largest);
    if (sizes_[edge.first] == 1 || sizes_[edge.second] == 1) {
      uint32_t node = sizes_[edge.first] == 1 ? edge.second : edge.first;
      for (auto [s, cost] : llvm::enumerate(costs)) {
        nodeExcess_[node][s] = addCosts(nodeExcess_[node][s], cost);
        nodeCost_[node][s] = addCosts(nodeCost_[node][s], cost);
      }
      continue;
    }
    order_->addScope({edge.first, edge.second});
    for (uint32_t node : {edge.first, edge.second})
      uses_[node].push_back({true, static_cast<uint32_t>(pairs_.size())});
    pairs_.push_back({{edge.first, edge.second}, std::move(costs)});
  }
}

void LabelEliminator::addTable(LabelTable table) {
  for (uint32_t node : table.scope)
    uses_[node].push_back({false, static_cast<uint32_t>(tables_.size())});
  tables_.push_back(std::move(table));
}

llvm::ArrayRef<uint32_t> LabelEliminator::getScope(Use use) const {
  if (use.isPair)
    return pairs_[use.number].scope;
  return tables_[use.number].scope;
}

/// By state of a node, with as much below: the most that all others use.
std::vector<std::vector<int64_t>> LabelEliminator::getRests(uint32_t node,
                                                            llvm::ArrayRef<int64_t> below) const {
  const size_t numRows = rows_.size();
  std::vector<std::vector<int64_t>> rests;
  for (uint32_t s = 0; s < sizes_[node]; ++s) {
    std::vector<int64_t> most(below.begin(), below.end());
    for (size_t r = 0; r < numRows; ++r)
      most[r] += nodeBytes_[node][s * numRows + r];
    rests.push_back(products_.getRest(most));
  }
  return rests;
}

/// What counts with the nodes of a scope from a place on: their states, and the tables that are not
/// joined yet and have no nodes but those of the scope. Those of its first node are left to joins.
class LabelEliminator::Lookahead {
public:
  Lookahead(const LabelEliminator &all, llvm::ArrayRef<uint32_t> scope, size_t from);
  /// Infeasible: the choice has no plan.
  int64_t get(llvm::ArrayRef<uint32_t> states) const;

private:
  struct OfPair {
    const PairTable &table;
    std::vector<uint32_t> places;
  };
  struct OfTable {
    const LabelTable &table;
    std::vector<uint32_t> places;
    LabelIndex index;
  };
  const LabelEliminator &all_;
  llvm::ArrayRef<uint32_t> scope_;
  size_t from_;
  std::vector<OfPair> pairs_;
  std::vector<OfTable> tables_;
};

LabelEliminator::Lookahead::Lookahead(const LabelEliminator &all, llvm::ArrayRef<uint32_t> scope,
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
        pairs_.push_back({all.pairs_[use.number], std::move(*places)});
        continue;
      }
      const LabelTable &table = all.tables_[use.number];
      std::vector<uint32_t> own(nodes.size());
      std::iota(own.begin(), own.end(), 0);
      tables_.push_back({table, std::move(*places), LabelIndex(table, std::move(own))});
    }
}

int64_t LabelEliminator::Lookahead::get(llvm::ArrayRef<uint32_t> states) const {
  int64_t sum = 0;
  for (size_t place = from_; place < scope_.size(); ++place)
    sum = addCosts(sum, all_.nodeExcess_[scope_[place]][states[place]]);
  for (const OfPair &pair : pairs_) {
    uint32_t first = states[pair.places[0]], second = states[pair.places[1]];
    sum = addCosts(sum, pair.table.costs[first * all_.sizes_[pair.table.scope[1]] + second]);
  }
  for (const OfTable &part : tables_) {
    llvm::ArrayRef<uint32_t> found = part.index.find(pick(states, part.places));
    if (found.empty())
      return infeasible;
    sum = addCosts(sum, part.table.getLeast(found.front()));
  }
  return sum;
}

/// The labels of a node's states.
Joined LabelEliminator::startNode(uint32_t node) {
  const size_t numRows = rows_.size();
  Joined joined;
  joined.scope = {node};
  joined.most.assign(numRows, 0);
  for (uint32_t s = 0; s < sizes_[node]; ++s) {
    const int64_t *bytes = nodeBytes_[node].data() + s * numRows;
    bool fits = nodeExcess_[node][s] < budget_;
    for (size_t r = 0; r < numRows; ++r)
      fits &= bytes[r] <= products_.room()[r];
    if (!fits)
      continue;
    joined.startChoice(s);
    joined.ahead.push_back(0);
    joined.labels.excess.push_back(nodeExcess_[node][s]);
    joined.labels.cost.push_back(nodeCost_[node][s]);
    joined.labels.trace.push_back(products_.startTrace(node, s));
    joined.labels.bytes.insert(joined.labels.bytes.end(), bytes, bytes + numRows);
  }
  return joined;
}

/// Choices of the nodes that a scope does not have.
int64_t LabelEliminator::countNew(llvm::ArrayRef<uint32_t> scope, Use use) const {
  int64_t count = 1;
  for (uint32_t node : getScope(use))
    if (!llvm::is_contained(scope, node))
      count = count > largest / sizes_[node] ? largest : count * sizes_[node];
  return count;
}

bool LabelEliminator::isTooMuch(const Joined &joined) const {
  const auto entries = static_cast<int64_t>(joined.size());
  return effort_.steps < 0 || entries > effort_.entries || entries_ + entries > effort_.allEntries;
}

/// False: it takes too much.
bool LabelEliminator::join(Joined &joined, Use use) {
  if (isInterrupted_ && isInterrupted_())
    return false;
  bool isDone =
      use.isPair ? joinPair(joined, pairs_[use.number]) : joinTable(joined, tables_[use.number]);
  entries_ += static_cast<int64_t>(joined.size());
  return isDone;
}

bool LabelEliminator::joinPair(Joined &joined, const PairTable &pair) {
  const bool isFirst = pair.scope[0] == joined.scope.front();
  const uint32_t other = pair.scope[isFirst ? 1 : 0];
  const size_t place = llvm::find(joined.scope, other) - joined.scope.begin();
  const bool isNew = place == joined.scope.size();
  Joined next;
  next.scope = joined.scope;
  if (isNew)
    next.scope.push_back(other);
  next.most = joined.most;
  const Lookahead lookahead(*this, next.scope, joined.scope.size());
  llvm::SmallVector<uint32_t, 16> states;
  for (size_t choice = 0; choice < joined.size(); ++choice) {
    llvm::ArrayRef<uint32_t> chosen = joined.ofChoice(choice);
    states.assign(chosen.begin(), chosen.end());
    states.resize(next.scope.size());
    const uint32_t first = isNew ? 0 : states[place], last = isNew ? sizes_[other] : first + 1;
    effort_.steps -= stepsOfChoice * (last - first);
    const LabelRange labels = joined.labelsOf(choice);
    for (uint32_t s = first; s < last; ++s) {
      states[place] = s;
      const uint32_t a = isFirst ? states[0] : s, b = isFirst ? s : states[0];
      const int64_t cost = pair.costs[a * sizes_[pair.scope[1]] + b];
      if (addCosts(joined.getLeast(choice), cost) >= budget_)
        continue;
      const int64_t ahead = addCosts(joined.ahead[choice], lookahead.get(states));
      if (addCosts(joined.getLeast(choice) + cost, ahead) >= budget_)
        continue;
      next.startChoice(states);
      next.ahead.push_back(ahead);
      for (size_t label = labels.begin; label < labels.end; ++label)
        if (labels.of.excess[label] + cost + ahead < budget_)
          next.labels.append(labels.of, label, cost);
    }
    if (isTooMuch(next))
      return false;
  }
  joined = std::move(next);
  return true;
}

bool LabelEliminator::joinTable(Joined &joined, const LabelTable &table) {
  Joined next;
  next.scope = joined.scope;
  next.most = joined.most;
  for (size_t r = 0; r < rows_.size(); ++r)
    next.most[r] += table.most[r];
  // By place in the table.
  std::vector<uint32_t> shared, added, placesOfShared;
  for (auto [place, node] : llvm::enumerate(table.scope)) {
    const size_t inJoined = llvm::find(joined.scope, node) - joined.scope.begin();
    if (inJoined < joined.scope.size()) {
      shared.push_back(static_cast<uint32_t>(place));
      placesOfShared.push_back(static_cast<uint32_t>(inJoined));
    } else {
      added.push_back(static_cast<uint32_t>(place));
      next.scope.push_back(node);
    }
  }
  const LabelIndex index(table, std::move(shared));
  const Lookahead lookahead(*this, next.scope, joined.scope.size());
  const auto rests = getRests(joined.scope.front(), next.most);
  llvm::SmallVector<uint32_t, 16> states;
  Labels product;
  for (size_t choice = 0; choice < joined.size(); ++choice) {
    llvm::ArrayRef<uint32_t> chosen = joined.ofChoice(choice);
    for (uint32_t other : index.find(pick(chosen, placesOfShared))) {
      effort_.steps -= stepsOfChoice;
      const int64_t least = joined.getLeast(choice) + table.getLeast(other);
      if (least + joined.ahead[choice] >= budget_)
        continue;
      states.assign(chosen.begin(), chosen.end());
      llvm::append_range(states, pick(table.ofChoice(other), added));
      const int64_t ahead = addCosts(joined.ahead[choice], lookahead.get(states));
      if (addCosts(least, ahead) >= budget_)
        continue;
      if (!products_.multiply(joined.labelsOf(choice), table.labelsOf(other), budget_ - ahead,
                              rests[states[0]], product))
        return false;
      if (product.empty())
        continue;
      next.startChoice(states);
      next.ahead.push_back(ahead);
      next.labels.append({product, 0, product.size()});
    }
    if (isTooMuch(next))
      return false;
  }
  joined = std::move(next);
  return true;
}

/// Of the choices of all nodes but the first, the labels of all its states.
LabelTable LabelEliminator::project(const Joined &joined) {
  const uint32_t node = joined.scope.front();
  const size_t numRows = rows_.size();
  LabelTable result;
  result.scope.assign(joined.scope.begin() + 1, joined.scope.end());
  result.most = joined.most;
  for (size_t r = 0; r < numRows; ++r) {
    int64_t most = 0;
    for (uint32_t s = 0; s < sizes_[node]; ++s)
      most = std::max(most, nodeBytes_[node][s * numRows + r]);
    result.most[r] += most;
  }
  const std::vector<int64_t> rest = products_.getRest(result.most);
  std::vector<uint32_t> order(joined.size());
  std::iota(order.begin(), order.end(), 0);
  auto getOthers = [&](uint32_t choice) { return joined.ofChoice(choice).drop_front(); };
  llvm::stable_sort(order, [&](uint32_t a, uint32_t b) {
    llvm::ArrayRef<uint32_t> ofA = getOthers(a), ofB = getOthers(b);
    return std::lexicographical_compare(ofA.begin(), ofA.end(), ofB.begin(), ofB.end());
  });
  Labels all;
  for (size_t i = 0; i < order.size();) {
    llvm::ArrayRef<uint32_t> others = getOthers(order[i]);
    all.clear();
    for (; i < order.size() && getOthers(order[i]) == others; ++i)
      all.append(joined.labelsOf(order[i]));
    products_.prune(all, rest);
    result.startChoice(others);
    result.labels.append({all, 0, all.size()});
  }
  return result;
}

bool LabelEliminator::eliminate(uint32_t node) {
  auto left = std::exchange(uses_[node], {});
  for (Use use : left)
    for (uint32_t other : getScope(use))
      llvm::erase_if(uses_[other],
                     [&](Use of) { return of.isPair == use.isPair && of.number == use.number; });
  Joined joined = startNode(node);
  while (!left.empty() && joined.size() > 0) {
    // What adds the fewest choices.
    auto *next = llvm::min_element(
        left, [&](Use a, Use b) { return countNew(joined.scope, a) < countNew(joined.scope, b); });
    Use use = *next;
    left.erase(next);
    if (!join(joined, use))
      return false;
    if (!use.isPair)
      tables_[use.number] = {};
  }
  order_->remove(node);
  if (sizes_[node] > 1)
    eliminated_.push_back(node);
  leadsNowhere_ = joined.size() == 0;
  if (leadsNowhere_)
    return true;
  LabelTable result = project(joined);
  if (result.scope.empty())
    ends_.push_back(std::move(result));
  else
    addTable(std::move(result));
  return true;
}

/// Of the labels of all nodes.
RowElimination LabelEliminator::getResult(const Labels &all) const {
  RowElimination result;
  // Nothing is left to exceed rows: the cheapest one is at least as good as all others.
  if (!all.empty())
    result.choice = products_.trace(all.trace[llvm::min_element(all.cost) - all.cost.begin()],
                                    network_.nodes().size());
  result.bound =
      static_cast<Wide>(std::min(budget_, products_.leastDropped())) * scales_.price + bound_;
  result.order = eliminated_;
  return result;
}

std::optional<RowElimination> LabelEliminator::run() {
  if (llvm::any_of(products_.room(), [](int64_t room) { return room < 0; }))
    return getResult({});
  while (std::optional<uint32_t> node = order_->next()) {
    if ((isInterrupted_ && isInterrupted_()) || !eliminate(*node))
      return std::nullopt;
    if (leadsNowhere_)
      return getResult({});
  }
  Labels all, product;
  all.excess.push_back(0);
  all.cost.push_back(0);
  all.trace.push_back(products_.startTrace());
  all.bytes.assign(rows_.size(), 0);
  std::vector<int64_t> most(rows_.size(), 0);
  for (const LabelTable &end : ends_) {
    for (size_t r = 0; r < rows_.size(); ++r)
      most[r] += end.most[r];
    if (!products_.multiply({all, 0, all.size()}, end.labelsOf(0), budget_, products_.getRest(most),
                            product))
      return std::nullopt;
    std::swap(all, product);
  }
  return getResult(all);
}

std::optional<RowElimination> dmc::planner::eliminateWithRows(
    const Network &network, const Scales &scales, const Potentials &potentials,
    const std::vector<int64_t> &prices, llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
    RowEliminationEffort &effort, const std::function<bool()> &isInterrupted) {
  return LabelEliminator(network, scales, potentials, prices, rows, cutoff, effort, isInterrupted)
      .run();
}
