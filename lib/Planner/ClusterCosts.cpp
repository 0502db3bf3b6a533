//===- ClusterCosts.cpp - What plans cost above a bound -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ClusterCosts.h.
//
//===----------------------------------------------------------------------===//
#include "ClusterCosts.h"
#include "Factors.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc::planner;

ClusterCosts::ClusterCosts(const Network &network, const Scales &scales,
                           const Potentials &potentials, const ExactBound &bound)
    : network_(network), scales_(scales), potentials_(potentials), bound_(bound),
      isNodeCounted_(network.nodes().size(), false), isEdgeCounted_(network.edges().size(), false) {
}

/// Less than a cost keeps bounds valid.
static int64_t roundDown(Wide cost, int64_t by) {
  return divideDown(std::min(cost, static_cast<Wide>(ClusterCosts::largest) * by), by);
}

int64_t ClusterCosts::ofNode(uint32_t node, uint32_t state) const {
  return isNodeCounted_[node] ? 0 : roundDown(bound_.ofNode(node, state), scales_.price);
}

int64_t ClusterCosts::ofPair(uint32_t edge, uint32_t first, uint32_t second) const {
  if (network_.table(network_.edges()[edge]).at(first, second) == infeasible)
    return infeasible;
  return roundDown(bound_.ofPair(edge, potentials_, first, second), scales_.price);
}

std::vector<uint32_t> ClusterCosts::getEdges(const std::vector<uint32_t> &nodes) const {
  std::vector<uint32_t> edges;
  for (uint32_t node : nodes)
    for (uint32_t e : network_.nodes()[node].after)
      if (!isEdgeCounted_[e] &&
          std::binary_search(nodes.begin(), nodes.end(), network_.edges()[e].second))
        edges.push_back(e);
  return edges;
}

int64_t ClusterCosts::ofPlan(const std::vector<uint32_t> &nodes,
                             const std::vector<uint32_t> &choice) const {
  int64_t sum = 0;
  for (uint32_t node : nodes)
    sum += ofNode(node, choice[node]);
  for (uint32_t e : getEdges(nodes)) {
    const Edge &edge = network_.edges()[e];
    sum += ofPair(e, choice[edge.first], choice[edge.second]);
  }
  return sum;
}

static uint32_t getPlace(const std::vector<uint32_t> &nodes, uint32_t node) {
  return static_cast<uint32_t>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
}

static std::vector<uint32_t> getSizes(const Network &network, const std::vector<uint32_t> &nodes) {
  std::vector<uint32_t> sizes;
  sizes.reserve(nodes.size());
  for (uint32_t node : nodes)
    sizes.push_back(static_cast<uint32_t>(network.nodes()[node].states.size()));
  return sizes;
}

int64_t ClusterCosts::predict(const std::vector<uint32_t> &nodes, int64_t limit) const {
  std::vector<std::array<uint32_t, 2>> pairs;
  for (uint32_t e : getEdges(nodes))
    pairs.push_back(
        {getPlace(nodes, network_.edges()[e].first), getPlace(nodes, network_.edges()[e].second)});
  return predictElimination(getSizes(network_, nodes), pairs, limit);
}

std::optional<Optimum> ClusterCosts::getLeast(const std::vector<uint32_t> &nodes, int64_t limit,
                                              const std::function<bool()> &isInterrupted) const {
  std::vector<uint32_t> sizes = getSizes(network_, nodes);
  std::vector<Factor> factors;
  for (uint32_t place = 0; place < nodes.size(); ++place) {
    Factor factor{{place}, {}};
    for (uint32_t s = 0; s < sizes[place]; ++s)
      factor.costs.push_back(ofNode(nodes[place], s));
    factors.push_back(std::move(factor));
  }
  for (uint32_t e : getEdges(nodes)) {
    const Edge &edge = network_.edges()[e];
    Factor factor{{getPlace(nodes, edge.first), getPlace(nodes, edge.second)}, {}};
    for (uint32_t a = 0; a < sizes[factor.scope[0]]; ++a)
      for (uint32_t b = 0; b < sizes[factor.scope[1]]; ++b)
        factor.costs.push_back(ofPair(e, a, b));
    factors.push_back(std::move(factor));
  }
  auto found = eliminateFactors(sizes, std::move(factors), limit, isInterrupted);
  return found && found->cost != infeasible ? found : std::nullopt;
}

void ClusterCosts::count(const std::vector<uint32_t> &nodes) {
  for (uint32_t e : getEdges(nodes))
    isEdgeCounted_[e] = true;
  for (uint32_t node : nodes)
    isNodeCounted_[node] = true;
}
