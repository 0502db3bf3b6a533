//===- EliminateNetwork.cpp - Exact optimum of what is left ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See EliminateNetwork.h.
//
//===----------------------------------------------------------------------===//
#include "EliminateNetwork.h"
#include "Factors.h"

#include <algorithm>

using namespace dmc::planner;

/// A node of one state connects nothing: what its edges cost belongs to the others' states.
static int64_t predict(const Network &network, llvm::ArrayRef<uint32_t> sizes, int64_t limit) {
  std::vector<std::array<uint32_t, 2>> pairs;
  pairs.reserve(network.edges().size());
  for (const Edge &edge : network.edges())
    if (sizes[edge.first] > 1 && sizes[edge.second] > 1)
      pairs.push_back({edge.first, edge.second});
  return predictElimination(sizes, pairs, limit);
}

int64_t dmc::planner::predictElimination(const Network &network, int64_t limit) {
  std::vector<uint32_t> sizes;
  sizes.reserve(network.nodes().size());
  for (const Node &node : network.nodes())
    sizes.push_back(static_cast<uint32_t>(node.states.size()));
  return predict(network, sizes, limit);
}

int64_t dmc::planner::predictElimination(const Network &network,
                                         const std::vector<std::vector<bool>> &states,
                                         int64_t limit) {
  std::vector<uint32_t> sizes;
  sizes.reserve(states.size());
  for (const auto &marked : states)
    sizes.push_back(static_cast<uint32_t>(std::count(marked.begin(), marked.end(), true)));
  return predict(network, sizes, limit);
}

std::optional<Elimination>
dmc::planner::eliminateNetwork(const Network &network, const Scales &scales,
                               const std::vector<int64_t> &prices, int64_t limit,
                               const std::function<bool()> &isInterrupted) {
  if (predictElimination(network, limit) > limit)
    return std::nullopt;
  bool hasPrices =
      std::any_of(prices.begin(), prices.end(), [](int64_t price) { return price != 0; });
  // Costs with prices are in picoseconds / `Scales::potential`, rounded down.
  int64_t scale = hasPrices ? scales.potential : 1;
  std::vector<Factor> factors;
  std::vector<uint32_t> sizes;
  Wide largest = 0;
  for (uint32_t i = 0; i < network.nodes().size(); ++i) {
    const Node &node = network.nodes()[i];
    sizes.push_back(static_cast<uint32_t>(node.states.size()));
    std::vector<Wide> costs;
    costs.reserve(node.costs.size());
    for (int64_t cost : node.costs)
      costs.push_back(static_cast<Wide>(cost) * scale);
    if (hasPrices) {
      for (Wide &cost : costs)
        cost *= scales.price;
      for (const NodeUse &use : node.uses)
        for (size_t s = 0; s < costs.size(); ++s)
          costs[s] += static_cast<Wide>(use.bytes[s]) * prices[use.row] * scales.potential;
      for (Wide &cost : costs)
        cost /= scales.price;
    }
    largest += *std::max_element(costs.begin(), costs.end());
    if (largest > Wide(1) << 61)
      return std::nullopt;
    factors.push_back({{i}, {costs.begin(), costs.end()}});
  }
  for (const Edge &edge : network.edges()) {
    const CostTable &table = network.table(edge);
    Factor factor{{}, {}};
    for (uint32_t node : {edge.first, edge.second})
      if (sizes[node] > 1)
        factor.scope.push_back(node);
    // Both have one state: any of them pays.
    if (factor.scope.empty())
      factor.scope.push_back(edge.first);
    for (uint32_t a = 0; a < sizes[edge.first]; ++a)
      for (uint32_t b = 0; b < sizes[edge.second]; ++b) {
        int64_t cost = table.at(a, b);
        factor.costs.push_back(cost == infeasible ? infeasible : cost * scale);
      }
    factors.push_back(std::move(factor));
  }
  auto found = eliminateFactors(sizes, std::move(factors), limit, isInterrupted);
  if (!found)
    return std::nullopt;
  Elimination result;
  if (found->cost == infeasible)
    return result;
  result.choice = found->assignment;
  result.bound = static_cast<Wide>(found->cost) * (scales.common() / scale);
  for (size_t row = 0; row < prices.size(); ++row)
    result.bound -= static_cast<Wide>(network.problem().parts().rows[row].capacity) * prices[row] *
                    scales.potential;
  return result;
}
