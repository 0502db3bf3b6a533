//===- LabelElimination.cpp - Partial plans within rows -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LabelElimination.h.
//
//===----------------------------------------------------------------------===//
#include "LabelElimination.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc::planner;

static std::vector<int64_t> getCapacities(const Network &network, llvm::ArrayRef<uint32_t> rows) {
  std::vector<int64_t> capacities;
  for (uint32_t row : rows)
    capacities.push_back(network.problem().parts().rows[row].capacity);
  return capacities;
}

LabelEliminator::LabelEliminator(const Network &network, const PricedNetwork &priced,
                                 llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
                                 RowEliminationEffort &effort,
                                 const std::function<bool()> &isInterrupted)
    : network_(network), priced_(priced), rows_(rows), cutoff_(cutoff), effort_(effort),
      isInterrupted_(isInterrupted), budget_(priced.getBudget(cutoff)), base_(priced.ofPairs),
      otherPrices_(priced.scales),
      products_(getCapacities(network, rows), priced.scales.price, effort) {
  for (uint32_t row : rows)
    prices_.push_back(priced.prices[row]);
  for (uint32_t row = 0; row < priced.prices.size(); ++row)
    if (priced.prices[row] != 0 && !llvm::is_contained(rows_, row)) {
      rounding_ = priced.getRounding();
      base_ -= static_cast<Wide>(priced.prices[row]) * priced.scales.potential *
               network.problem().parts().rows[row].capacity;
    }
  budgetOfLabels_ = budget_ + rounding_;
  addNodes();
}

/// Prices of other rows count among the costs, of which only differences between states do.
void LabelEliminator::addNodes() {
  const Scales &scales = priced_.scales;
  for (auto [number, node] : llvm::enumerate(network_.nodes())) {
    const size_t count = node.states.size();
    std::vector<int64_t> cost = priced_.ofNodes[number], bytes(count * rows_.size(), 0);
    std::vector<Wide> others(count, 0);
    for (const NodeUse &use : node.uses) {
      auto row = llvm::find(rows_, use.row);
      if (row == rows_.end()) {
        for (size_t s = 0; s < count; ++s)
          others[s] += static_cast<Wide>(use.bytes[s]) * priced_.prices[use.row] * scales.potential;
        continue;
      }
      size_t r = row - rows_.begin();
      int64_t least = *llvm::min_element(use.bytes);
      products_.addUse(r, least, use.most);
      for (size_t s = 0; s < count; ++s)
        bytes[s * rows_.size() + r] = use.bytes[s] - least;
    }
    for (size_t s = 0; s < count; ++s)
      cost[s] += divideDown(others[s], scales.price);
    const int64_t base = *llvm::min_element(cost);
    base_ += static_cast<Wide>(base) * scales.price;
    for (auto [value, ofLeaves] : llvm::zip_equal(cost, priced_.ofLeaves[number]))
      value = addExcess(value - base, ofLeaves);
    nodeCost_.push_back(std::move(cost));
    nodeBytes_.push_back(std::move(bytes));
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
  const EliminatedNode &node = choices_->nodes[number];
  LabelTable result;
  result.most = getMost(node.node);
  for (uint32_t s = 0; s < priced_.sizes[node.node]; ++s) {
    const int64_t *bytes = nodeBytes_[node.node].data() + s * numRows;
    bool fits = bounds_.nodes[number].states[s] != infeasible;
    for (size_t r = 0; r < numRows; ++r)
      fits &= bytes[r] <= products_.room()[r];
    if (fits) {
      result.labels.excess.push_back(priced_.excess.ofNodes[node.node][s]);
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
  const ChoiceJoin &join = choices_->nodes[number].joins[ofJoin];
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
    llvm::MutableArrayRef<LabelLimit> limits = otherPrices_.getLimits(number, ofJoin, choice);
    if (join.isPair) {
      const int64_t cost = priced_.excess.ofPairs[join.number].costs[join.with[choice]];
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
  const EliminatedNode &node = choices_->nodes[number];
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
  result.bound = static_cast<Wide>(least) * priced_.scales.price + priced_.bound;
  // Nothing is left to exceed rows: the cheapest one is at least as good as all others.
  if (!all.empty()) {
    const size_t cheapest = llvm::min_element(all.cost) - all.cost.begin();
    result.choice = products_.trace(all.trace[cheapest], network_.nodes().size());
    result.bound = std::min(result.bound,
                            static_cast<Wide>(all.cost[cheapest]) * priced_.scales.price + base_);
  }
  return result;
}

bool LabelEliminator::isFull() const {
  return llvm::any_of(products_.room(), [](int64_t room) { return room < 0; });
}

/// What choices cost ahead; false: none has a plan.
bool LabelEliminator::findBounds(const ChoiceElimination &choices) {
  const ExcessTables &excess = priced_.excess;
  bounds_ = planner::findBounds(choices, excess.ofNodes, excess.ofPairs, budgetOfLabels_);
  if (bounds_.least >= budgetOfLabels_)
    return false;
  const Wide limit = static_cast<Wide>(cutoff_) * priced_.scales.common() - base_;
  const LabelCosts costs{nodeCost_, excess.ofPairs, nodeBytes_, products_.room(), prices_};
  if (!otherPrices_.start(choices, costs, limit, bounds_, effort_.steps))
    return false;
  // Without the choices that others have shown to have no plan.
  bounds_ = planner::findBounds(choices, excess.ofNodes, excess.ofPairs, budgetOfLabels_, &bounds_);
  return bounds_.least < budgetOfLabels_;
}

std::optional<RowElimination> LabelEliminator::run(const ChoiceElimination &choices) {
  choices_ = &choices;
  if (!choices.hasPlans || !findBounds(choices))
    return getResult({});
  Labels all, product;
  all.excess.push_back(0);
  all.cost.push_back(0);
  all.trace.push_back(products_.startTrace());
  all.bytes.assign(rows_.size(), 0);
  std::vector<int64_t> most(rows_.size(), 0);
  for (auto [number, node] : llvm::enumerate(choices_->nodes)) {
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
