//===- RowElimination.cpp - The best plan within rows of memory -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RowElimination.h.
//
//===----------------------------------------------------------------------===//
#include "RowElimination.h"
#include "LabelElimination.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc::planner;

int64_t PricedNetwork::getBudget(int64_t cutoff) const {
  Wide rest = static_cast<Wide>(cutoff) * scales.common() - bound;
  return divideDown(std::clamp<Wide>(rest, 0, Wide(largestExcess) * scales.price), scales.price);
}

RowEliminator::RowEliminator(Network network, const Scales &scales, const Potentials &potentials,
                             const std::vector<int64_t> &prices, int64_t cutoff)
    : network_(std::move(network)), priced_{scales, prices, 0, 0, {}, {}, {}, {}}, cutoff_(cutoff) {
  priced_.bound = ExactBound(network_, scales, potentials, prices).bound();
  for (const Node &node : network_.nodes())
    priced_.sizes.push_back(static_cast<uint32_t>(node.states.size()));
  addNodes(potentials);
  addEdges(potentials);
}

void RowEliminator::addNodes(const Potentials &potentials) {
  const Scales &scales = priced_.scales;
  for (const Node &node : network_.nodes()) {
    const size_t count = node.states.size();
    std::vector<int64_t> cost(count), excess;
    std::vector<Wide> all(count, 0);
    for (size_t s = 0; s < count; ++s)
      cost[s] = node.costs[s] * scales.potential;
    for (uint32_t e : node.before)
      for (size_t s = 0; s < count; ++s)
        cost[s] += potentials.toSecond[e][s];
    for (uint32_t e : node.after)
      for (size_t s = 0; s < count; ++s)
        cost[s] += potentials.toFirst[e][s];
    for (const NodeUse &use : node.uses)
      for (size_t s = 0; s < count; ++s)
        all[s] += static_cast<Wide>(use.bytes[s]) * priced_.prices[use.row] * scales.potential;
    for (size_t s = 0; s < count; ++s)
      all[s] += static_cast<Wide>(cost[s]) * scales.price;
    const Wide least = *llvm::min_element(all);
    for (Wide value : all)
      excess.push_back(
          divideDown(std::min(value - least, Wide(largestExcess) * scales.price), scales.price));
    priced_.ofNodes.push_back(std::move(cost));
    priced_.ofLeaves.emplace_back(count, 0);
    priced_.excess.ofNodes.push_back(std::move(excess));
  }
}

/// A node of one state connects nothing: what its edges cost belongs to the others' states.
void RowEliminator::addEdges(const Potentials &potentials) {
  const Scales &scales = priced_.scales;
  const std::vector<uint32_t> &sizes = priced_.sizes;
  for (uint32_t e = 0; e < network_.edges().size(); ++e) {
    const Edge &edge = network_.edges()[e];
    const CostTable &table = network_.table(edge);
    std::vector<int64_t> costs;
    int64_t least = infeasible;
    for (uint32_t a = 0; a < sizes[edge.first]; ++a)
      for (uint32_t b = 0; b < sizes[edge.second]; ++b) {
        int64_t cost = table.at(a, b);
        if (cost != infeasible) {
          cost = cost * scales.potential - potentials.toFirst[e][a] - potentials.toSecond[e][b];
          least = std::min(least, cost);
        }
        costs.push_back(cost);
      }
    priced_.ofPairs += static_cast<Wide>(least) * scales.price;
    for (int64_t &cost : costs)
      if (cost != infeasible)
        cost = std::min(cost - least, largestExcess);
    if (sizes[edge.first] == 1 || sizes[edge.second] == 1) {
      uint32_t node = sizes[edge.first] == 1 ? edge.second : edge.first;
      for (auto [s, cost] : llvm::enumerate(costs)) {
        int64_t &excess = priced_.excess.ofNodes[node][s], &ofLeaves = priced_.ofLeaves[node][s];
        excess = addExcess(excess, cost);
        ofLeaves = addExcess(ofLeaves, cost);
      }
      continue;
    }
    priced_.excess.ofPairs.push_back({{edge.first, edge.second}, std::move(costs)});
  }
}

/// False: it takes too much.
bool RowEliminator::findChoices(RowEliminationEffort &effort,
                                const std::function<bool()> &isInterrupted) {
  if (choices_)
    return true;
  const int64_t before = effort.steps, budget = priced_.getBudget(cutoff_) + priced_.getRounding();
  choices_ = eliminateChoices(priced_.sizes, priced_.excess, budget, effort.rule,
                              {effort.entries, effort.allEntries, effort.steps}, isInterrupted);
  stepsOfChoices_ = before - effort.steps;
  if (!choices_ || !choices_->hasPlans)
    return choices_.has_value();
  // Most of them have no plan below the cutoff, which shows once all nodes are eliminated.
  ChoiceBounds bounds =
      findBounds(*choices_, priced_.excess.ofNodes, priced_.excess.ofPairs, budget);
  if (bounds.least >= budget)
    choices_->hasPlans = false;
  else
    choices_ = keepFeasible(*choices_, bounds);
  return true;
}

std::optional<RowElimination> RowEliminator::run(llvm::ArrayRef<uint32_t> rows, int64_t cutoff,
                                                 RowEliminationEffort &effort,
                                                 const std::function<bool()> &isInterrupted) {
  LabelEliminator labels(network_, priced_, rows, std::min(cutoff, cutoff_), effort, isInterrupted);
  if (labels.isFull())
    return labels.getNothing();
  if (!findChoices(effort, isInterrupted))
    return std::nullopt;
  std::optional<RowElimination> result = labels.run(*choices_);
  for (const EliminatedNode &node : choices_->nodes)
    if (result && priced_.sizes[node.node] > 1)
      result->order.push_back(node.node);
  return result;
}
