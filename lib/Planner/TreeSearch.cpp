//===- TreeSearch.cpp - Depth-first search with bounds --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixes the node with the fewest states left, its cheapest state first. The bound is that of the
// potentials, where pairs with a fixed node count at the other node (forward checking). Exact: all
// numbers are integers, and plans are judged by the problem itself.
//
//===----------------------------------------------------------------------===//
#include "TreeSearch.h"

#include <algorithm>

using namespace dmc::planner;

namespace {
class Search {
public:
  Search(const Network &network, const Scales &scales, const Potentials &potentials,
         const std::vector<int64_t> &prices, int64_t maxNodes,
         const std::function<bool()> &isInterrupted, Incumbent &incumbent);
  bool run();

private:
  /// What a node's states cost beside the fixed ones; `infeasible`: not left.
  using Costs = std::vector<int64_t>;
  void visit();
  uint32_t chooseNode() const;
  bool fix(uint32_t node, uint32_t state, std::vector<std::pair<uint32_t, Costs>> &trail);
  bool addEdge(uint32_t edge, uint32_t fixed, uint32_t state, uint32_t other,
               std::vector<std::pair<uint32_t, Costs>> &trail);
  bool hasRoom() const;
  bool isWorthless(int64_t bound) const;
  int64_t least(uint32_t node) const {
    return *std::min_element(costs_[node].begin(), costs_[node].end());
  }

  const Network &network_;
  const Scales &scales_;
  const Potentials &potentials_;
  const std::function<bool()> &isInterrupted_;
  Incumbent &incumbent_;
  int64_t nodesLeft_;
  bool isLimited_ = false;
  /// In picoseconds / `Scales::potential`, rounded down.
  std::vector<Costs> costs_;
  std::vector<int64_t> edgeLeast_;
  int64_t bound_ = 0;
  std::vector<uint32_t> choice_;
  std::vector<bool> isFixed_;
};

} // namespace

Search::Search(const Network &network, const Scales &scales, const Potentials &potentials,
               const std::vector<int64_t> &prices, int64_t maxNodes,
               const std::function<bool()> &isInterrupted, Incumbent &incumbent)
    : network_(network), scales_(scales), potentials_(potentials), isInterrupted_(isInterrupted),
      incumbent_(incumbent), nodesLeft_(maxNodes), choice_(network.nodes().size(), 0),
      isFixed_(network.nodes().size(), false) {
  ExactBound exact(network, scales, potentials, prices);
  constexpr Wide largest = Wide(1) << 60;
  bound_ = divideDown(std::clamp(exact.bound() / scales.price - 1, -largest, largest), 1);
  for (uint32_t i = 0; i < network.nodes().size(); ++i) {
    Costs costs;
    for (uint32_t s = 0; s < network.nodes()[i].states.size(); ++s)
      costs.push_back(
          divideDown(std::min(exact.ofNode(i, s), largest * scales.price), scales.price));
    costs_.push_back(std::move(costs));
  }
  for (uint32_t e = 0; e < network.edges().size(); ++e) {
    const Edge &edge = network.edges()[e];
    const CostTable &table = network.table(edge);
    int64_t best = infeasible;
    for (uint32_t a = 0; a < table.rowClass.size(); ++a)
      for (uint32_t b = 0; b < table.columnClass.size(); ++b)
        if (int64_t cost = table.at(a, b); cost != infeasible)
          best = std::min(best, cost * scales.potential - potentials.toFirst[e][a] -
                                    potentials.toSecond[e][b]);
    edgeLeast_.push_back(best);
  }
}

/// Whether no plan that costs at least `bound` is better than the incumbent.
bool Search::isWorthless(int64_t bound) const {
  int64_t cutoff = incumbent_.isKnown() ? incumbent_.cost : network_.problem().getLargestCost() + 1;
  return bound > (cutoff - 1) * scales_.potential;
}

/// Whether no row is exceeded by the fixed states and the least of the others.
bool Search::hasRoom() const {
  if (network_.rows().empty())
    return true;
  std::vector<int64_t> used(network_.problem().parts().rows.size(), 0);
  for (uint32_t i = 0; i < costs_.size(); ++i)
    for (const NodeUse &use : network_.nodes()[i].uses) {
      int64_t bytes = infeasible;
      for (uint32_t s = 0; s < use.bytes.size(); ++s)
        if (costs_[i][s] != infeasible)
          bytes = std::min(bytes, use.bytes[s]);
      used[use.row] += bytes;
    }
  return std::all_of(network_.rows().begin(), network_.rows().end(), [&](uint32_t row) {
    return used[row] <= network_.problem().parts().rows[row].capacity;
  });
}

uint32_t Search::chooseNode() const {
  uint32_t best = 0;
  int64_t fewest = infeasible;
  for (uint32_t i = 0; i < costs_.size(); ++i) {
    if (isFixed_[i])
      continue;
    auto left = static_cast<int64_t>(costs_[i].size()) -
                std::count(costs_[i].begin(), costs_[i].end(), infeasible);
    if (left < fewest) {
      fewest = left;
      best = i;
    }
    if (left <= 1)
      break;
  }
  return best;
}

bool Search::addEdge(uint32_t index, uint32_t fixed, uint32_t state, uint32_t other,
                     std::vector<std::pair<uint32_t, Costs>> &trail) {
  if (isFixed_[other])
    return true;
  const Edge &edge = network_.edges()[index];
  const CostTable &table = network_.table(edge);
  trail.push_back({other, costs_[other]});
  int64_t before = least(other);
  for (uint32_t s = 0; s < costs_[other].size(); ++s) {
    int64_t &cost = costs_[other][s];
    uint32_t a = edge.first == fixed ? state : s, b = edge.first == fixed ? s : state;
    int64_t pair = table.at(a, b);
    if (cost == infeasible || pair == infeasible) {
      cost = infeasible;
      continue;
    }
    pair = pair * scales_.potential - potentials_.toFirst[index][a] -
           potentials_.toSecond[index][b] - edgeLeast_[index];
    constexpr int64_t largest = int64_t(1) << 60;
    cost = cost + pair > largest ? largest : cost + pair;
  }
  int64_t after = least(other);
  if (after == infeasible)
    return false;
  bound_ += after - before;
  return true;
}

/// False if that leaves no better plan.
bool Search::fix(uint32_t node, uint32_t state, std::vector<std::pair<uint32_t, Costs>> &trail) {
  trail.push_back({node, costs_[node]});
  bound_ += costs_[node][state] - least(node);
  for (uint32_t s = 0; s < costs_[node].size(); ++s)
    if (s != state)
      costs_[node][s] = infeasible;
  isFixed_[node] = true;
  choice_[node] = state;
  for (uint32_t e : network_.nodes()[node].before)
    if (!addEdge(e, node, state, network_.edges()[e].first, trail) || isWorthless(bound_))
      return false;
  for (uint32_t e : network_.nodes()[node].after)
    if (!addEdge(e, node, state, network_.edges()[e].second, trail) || isWorthless(bound_))
      return false;
  for (size_t t = 1; t < trail.size(); ++t) {
    Costs &costs = costs_[trail[t].first];
    int64_t smallest = least(trail[t].first);
    for (int64_t &cost : costs)
      if (cost != infeasible && isWorthless(bound_ - smallest + cost))
        cost = infeasible;
  }
  return !isWorthless(bound_) && hasRoom();
}

void Search::visit() {
  --nodesLeft_;
  if (nodesLeft_ < 0 || (nodesLeft_ % 256 == 0 && isInterrupted_ && isInterrupted_())) {
    isLimited_ = true;
    return;
  }
  if (std::all_of(isFixed_.begin(), isFixed_.end(), [](bool is) { return is; })) {
    incumbent_.offer(network_.problem(), network_.toAssignment(choice_));
    return;
  }
  uint32_t node = chooseNode();
  std::vector<uint32_t> order;
  for (uint32_t s = 0; s < costs_[node].size(); ++s)
    if (costs_[node][s] != infeasible)
      order.push_back(s);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return costs_[node][a] < costs_[node][b]; });
  int64_t before = bound_;
  for (uint32_t state : order) {
    std::vector<std::pair<uint32_t, Costs>> trail;
    if (fix(node, state, trail))
      visit();
    for (; !trail.empty(); trail.pop_back())
      costs_[trail.back().first] = std::move(trail.back().second);
    isFixed_[node] = false;
    bound_ = before;
    if (isLimited_)
      return;
  }
}

bool Search::run() {
  if (!isWorthless(bound_) && hasRoom())
    visit();
  return !isLimited_;
}

bool dmc::planner::searchTree(const Network &network, const Scales &scales,
                              const Potentials &potentials, const std::vector<int64_t> &prices,
                              int64_t maxNodes, const std::function<bool()> &isInterrupted,
                              Incumbent &incumbent) {
  return Search(network, scales, potentials, prices, maxNodes, isInterrupted, incumbent).run();
}
