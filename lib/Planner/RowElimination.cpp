//===- RowElimination.cpp - The best plan within rows of memory -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RowElimination.h.
//
//===----------------------------------------------------------------------===//
#include "RowElimination.h"
#include "ChoiceBounds.h"
#include "LabelProducts.h"
#include "OtherPrices.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc::planner;

namespace {
/// What a node leaves: by choice of its neighbours' states, its labels.
struct LabelTable {
  /// By choice: the first of its labels, and the end of the last one's.
  std::vector<size_t> starts = {0};
  Labels labels;
  /// By row: the most bytes of the nodes below, above their least.
  std::vector<int64_t> most;

  LabelRange labelsOf(size_t choice) const { return {labels, starts[choice], starts[choice + 1]}; }
  /// The labels that were added since belong to the next choice.
  void endChoice() { starts.push_back(labels.size()); }
};

class LabelEliminator {
public:
  LabelEliminator(const Network &network, const Scales &scales, const Potentials &potentials,
                  const std::vector<int64_t> &prices, llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
                  RowEliminationEffort &effort, const std::function<bool()> &isInterrupted);
  std::optional<RowElimination> run();

private:
  void addNodes(const Potentials &potentials, const std::vector<int64_t> &prices);
  void addEdges(const Potentials &potentials);
  std::optional<bool> findChoices();
  LabelTable startNode(size_t number);
  bool join(LabelTable &joined, size_t number, size_t ofJoin);
  LabelTable project(const LabelTable &joined, const EliminatedNode &node);
  bool eliminate(size_t number);
  std::vector<int64_t> getMost(uint32_t node) const;
  RowElimination getResult(const Labels &all) const;

  const Network &network_;
  const Scales &scales_;
  llvm::ArrayRef<uint32_t> rows_;
  /// By row of these.
  std::vector<int64_t> prices_;
  int64_t cutoff_;
  RowEliminationEffort &effort_;
  const std::function<bool()> &isInterrupted_;
  Wide bound_ = 0;
  /// A plan of this excess or more does not cost less than the cutoff.
  int64_t budget_ = 0;
  /// What prices that count among the costs are rounded by at most, and the budget of labels, so
  /// that none is left out for which another one was.
  int64_t rounding_ = 0, budgetOfLabels_ = 0;
  /// What all plans cost beside their labels, in picoseconds / `Scales::common`.
  Wide base_ = 0;
  ChoiceElimination choices_;
  ChoiceBounds bounds_;
  OtherPrices otherPrices_;
  LabelProducts products_;
  ExcessTables excess_;
  std::vector<std::vector<int64_t>> nodeCost_, nodeBytes_;
  std::vector<uint32_t> sizes_;
  /// By eliminated node.
  std::vector<LabelTable> tables_;
};

std::vector<int64_t> getPrices(const std::vector<int64_t> &prices, llvm::ArrayRef<uint32_t> rows) {
  std::vector<int64_t> ofRows;
  for (uint32_t row : rows)
    ofRows.push_back(prices[row]);
  return ofRows;
}

std::vector<int64_t> getCapacities(const Network &network, llvm::ArrayRef<uint32_t> rows) {
  std::vector<int64_t> capacities;
  for (uint32_t row : rows)
    capacities.push_back(network.problem().parts().rows[row].capacity);
  return capacities;
}
} // namespace

LabelEliminator::LabelEliminator(const Network &network, const Scales &scales,
                                 const Potentials &potentials, const std::vector<int64_t> &prices,
                                 llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
                                 RowEliminationEffort &effort,
                                 const std::function<bool()> &isInterrupted)
    : network_(network), scales_(scales), rows_(rows), prices_(getPrices(prices, rows)),
      cutoff_(cutoff), effort_(effort), isInterrupted_(isInterrupted),
      otherPrices_(scales), products_(getCapacities(network, rows), scales.price, effort) {
  bound_ = ExactBound(network, scales, potentials, prices).bound();
  Wide rest = static_cast<Wide>(cutoff) * scales.common() - bound_;
  budget_ =
      divideDown(std::clamp<Wide>(rest, 0, Wide(largestExcess) * scales_.price), scales_.price);
  for (const Node &node : network.nodes())
    sizes_.push_back(static_cast<uint32_t>(node.states.size()));
  for (uint32_t row = 0; row < prices.size(); ++row)
    if (prices[row] != 0 && !llvm::is_contained(rows_, row)) {
      rounding_ = static_cast<int64_t>(network.nodes().size());
      base_ -= static_cast<Wide>(prices[row]) * scales_.potential *
               network.problem().parts().rows[row].capacity;
    }
  budgetOfLabels_ = budget_ + rounding_;
  addNodes(potentials, prices);
  addEdges(potentials);
}

void LabelEliminator::addNodes(const Potentials &potentials, const std::vector<int64_t> &prices) {
  for (const Node &node : network_.nodes()) {
    const size_t count = node.states.size();
    std::vector<int64_t> cost(count), excess, bytes(count * rows_.size(), 0);
    std::vector<Wide> priced(count, 0), others(count, 0);
    for (size_t s = 0; s < count; ++s)
      cost[s] = node.costs[s] * scales_.potential;
    for (uint32_t e : node.before)
      for (size_t s = 0; s < count; ++s)
        cost[s] += potentials.toSecond[e][s];
    for (uint32_t e : node.after)
      for (size_t s = 0; s < count; ++s)
        cost[s] += potentials.toFirst[e][s];
    for (const NodeUse &use : node.uses) {
      auto row = llvm::find(rows_, use.row);
      std::vector<Wide> &to = row == rows_.end() ? others : priced;
      for (size_t s = 0; s < count; ++s)
        to[s] += static_cast<Wide>(use.bytes[s]) * prices[use.row] * scales_.potential;
      if (row == rows_.end())
        continue;
      size_t r = row - rows_.begin();
      int64_t least = *llvm::min_element(use.bytes);
      products_.addUse(r, least, use.most);
      for (size_t s = 0; s < count; ++s)
        bytes[s * rows_.size() + r] = use.bytes[s] - least;
    }
    for (size_t s = 0; s < count; ++s) {
      priced[s] += static_cast<Wide>(cost[s]) * scales_.price + others[s];
      cost[s] += divideDown(others[s], scales_.price);
    }
    // Of costs only differences between states count.
    size_t cheapest = llvm::min_element(priced) - priced.begin();
    Wide least = priced[cheapest];
    int64_t base = cost[cheapest];
    base_ += static_cast<Wide>(base) * scales_.price;
    for (int64_t &value : cost)
      value -= base;
    for (Wide value : priced)
      excess.push_back(
          divideDown(std::min(value - least, Wide(largestExcess) * scales_.price), scales_.price));
    nodeCost_.push_back(std::move(cost));
    excess_.ofNodes.push_back(std::move(excess));
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
    base_ += static_cast<Wide>(least) * scales_.price;
    for (int64_t &cost : costs)
      if (cost != infeasible)
        cost = std::min(cost - least, largestExcess);
    if (sizes_[edge.first] == 1 || sizes_[edge.second] == 1) {
      uint32_t node = sizes_[edge.first] == 1 ? edge.second : edge.first;
      for (auto [s, cost] : llvm::enumerate(costs)) {
        excess_.ofNodes[node][s] = addExcess(excess_.ofNodes[node][s], cost);
        nodeCost_[node][s] = addExcess(nodeCost_[node][s], cost);
      }
      continue;
    }
    excess_.ofPairs.push_back({{edge.first, edge.second}, std::move(costs)});
  }
}

/// By row: the most that a node uses above the least.
std::vector<int64_t> LabelEliminator::getMost(uint32_t node) const {
  const size_t numRows = rows_.size();
  std::vector<int64_t> most(numRows, 0);
  for (size_t i = 0; i < nodeBytes_[node].size(); ++i)
    most[i % numRows] = std::max(most[i % numRows], nodeBytes_[node][i]);
  return most;
}

/// The labels of a node's states.
LabelTable LabelEliminator::startNode(size_t number) {
  const size_t numRows = rows_.size();
  const EliminatedNode &node = choices_.nodes[number];
  LabelTable result;
  result.most = getMost(node.node);
  for (uint32_t s = 0; s < sizes_[node.node]; ++s) {
    const int64_t *bytes = nodeBytes_[node.node].data() + s * numRows;
    bool fits = bounds_.nodes[number].states[s] != infeasible;
    for (size_t r = 0; r < numRows; ++r)
      fits &= bytes[r] <= products_.room()[r];
    if (fits) {
      result.labels.excess.push_back(excess_.ofNodes[node.node][s]);
      result.labels.cost.push_back(nodeCost_[node.node][s]);
      result.labels.trace.push_back(products_.startTrace(node.node, s));
      result.labels.bytes.insert(result.labels.bytes.end(), bytes, bytes + numRows);
    }
    result.endChoice();
  }
  return result;
}

/// False: it takes too much.
bool LabelEliminator::join(LabelTable &joined, size_t number, size_t ofJoin) {
  const ChoiceJoin &join = choices_.nodes[number].joins[ofJoin];
  LabelTable next;
  next.most = joined.most;
  std::vector<int64_t> rest;
  if (!join.isPair) {
    for (size_t r = 0; r < rows_.size(); ++r)
      next.most[r] += tables_[join.number].most[r];
    rest = products_.getRest(next.most);
  }
  Labels product;
  effort_.steps -= stepsOfChoice * static_cast<int64_t>(join.from.size());
  for (size_t choice = 0; choice < join.from.size(); ++choice) {
    const LabelRange labels = joined.labelsOf(join.from[choice]);
    const int64_t ahead = bounds_.nodes[number].joins[ofJoin][choice];
    if (ahead == infeasible || labels.size() == 0) {
      next.endChoice();
      continue;
    }
    llvm::ArrayRef<LabelLimit> limits = otherPrices_.getLimits(number, ofJoin, choice);
    if (join.isPair) {
      const int64_t cost = excess_.ofPairs[join.number].costs[join.with[choice]];
      for (size_t label = labels.begin; label < labels.end; ++label)
        if (labels.of.excess[label] + cost + ahead < budgetOfLabels_ &&
            products_.isBelow(limits, labels.of.cost[label] + cost,
                              labels.of.bytes.data() + label * rows_.size()))
          next.labels.append(labels.of, label, cost);
    } else {
      if (!products_.multiply(labels, tables_[join.number].labelsOf(join.with[choice]),
                              budgetOfLabels_ - ahead, limits, rest, product))
        return false;
      if (!product.empty())
        next.labels.append({product, 0, product.size()});
    }
    next.endChoice();
  }
  joined = std::move(next);
  return effort_.steps >= 0 && !(isInterrupted_ && isInterrupted_());
}

/// Of the choices of all nodes but the first, the labels of all its states.
LabelTable LabelEliminator::project(const LabelTable &joined, const EliminatedNode &node) {
  LabelTable result;
  result.most = joined.most;
  const std::vector<int64_t> rest = products_.getRest(result.most);
  std::vector<std::vector<uint32_t>> from(node.numLeft);
  for (auto [choice, left] : llvm::enumerate(node.left))
    from[left].push_back(static_cast<uint32_t>(choice));
  Labels all;
  for (llvm::ArrayRef<uint32_t> choices : from) {
    all.clear();
    for (uint32_t choice : choices)
      if (LabelRange labels = joined.labelsOf(choice); labels.size() > 0)
        all.append(labels);
    products_.prune(all, rest);
    if (!all.empty())
      result.labels.append({all, 0, all.size()});
    result.endChoice();
  }
  return result;
}

/// False: it takes too much.
bool LabelEliminator::eliminate(size_t number) {
  const EliminatedNode &node = choices_.nodes[number];
  LabelTable joined = startNode(number);
  for (auto [ofJoin, next] : llvm::enumerate(node.joins)) {
    if (!join(joined, number, ofJoin))
      return false;
    if (!next.isPair)
      tables_[next.number] = {};
  }
  tables_.push_back(project(joined, node));
  return true;
}

/// Of the labels of all nodes.
RowElimination LabelEliminator::getResult(const Labels &all) const {
  RowElimination result;
  const int64_t dropped = products_.leastDropped();
  const int64_t least = dropped == infeasible ? budget_ : std::min(budget_, dropped - rounding_);
  result.bound = static_cast<Wide>(least) * scales_.price + bound_;
  // Nothing is left to exceed rows: the cheapest one is at least as good as all others.
  if (!all.empty()) {
    const size_t cheapest = llvm::min_element(all.cost) - all.cost.begin();
    result.choice = products_.trace(all.trace[cheapest], network_.nodes().size());
    result.bound =
        std::min(result.bound, static_cast<Wide>(all.cost[cheapest]) * scales_.price + base_);
  }
  for (const EliminatedNode &node : choices_.nodes)
    if (sizes_[node.node] > 1)
      result.order.push_back(node.node);
  return result;
}

/// Those below the cutoff, and what they cost ahead; false: there are none. Nothing: it takes too
/// much.
std::optional<bool> LabelEliminator::findChoices() {
  auto choices =
      eliminateChoices(sizes_, excess_, budgetOfLabels_, effort_.rule,
                       {effort_.entries, effort_.allEntries, effort_.steps}, isInterrupted_);
  if (!choices)
    return std::nullopt;
  choices_ = std::move(*choices);
  if (!choices_.hasPlans)
    return false;
  bounds_ = findBounds(choices_, excess_.ofNodes, excess_.ofPairs, budgetOfLabels_);
  if (bounds_.least >= budgetOfLabels_)
    return false;
  const Wide limit = static_cast<Wide>(cutoff_) * scales_.common() - base_;
  const LabelCosts costs{nodeCost_, excess_.ofPairs, nodeBytes_, products_.room(), prices_};
  if (!otherPrices_.start(choices_, costs, limit, bounds_, effort_.steps))
    return false;
  // Without the choices that others have shown to have no plan.
  bounds_ = findBounds(choices_, excess_.ofNodes, excess_.ofPairs, budgetOfLabels_, &bounds_);
  return bounds_.least < budgetOfLabels_;
}

std::optional<RowElimination> LabelEliminator::run() {
  if (llvm::any_of(products_.room(), [](int64_t room) { return room < 0; }))
    return getResult({});
  std::optional<bool> hasChoices = findChoices();
  if (!hasChoices)
    return std::nullopt;
  if (!*hasChoices)
    return getResult({});
  Labels all, product;
  all.excess.push_back(0);
  all.cost.push_back(0);
  all.trace.push_back(products_.startTrace());
  all.bytes.assign(rows_.size(), 0);
  std::vector<int64_t> most(rows_.size(), 0);
  for (auto [number, node] : llvm::enumerate(choices_.nodes)) {
    if (!eliminate(number))
      return std::nullopt;
    const LabelTable &table = tables_.back();
    if (table.labels.empty())
      return getResult({});
    if (!node.isLast)
      continue;
    for (size_t r = 0; r < rows_.size(); ++r)
      most[r] += table.most[r];
    if (!products_.multiply({all, 0, all.size()}, table.labelsOf(0), budgetOfLabels_, {},
                            products_.getRest(most), product))
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
