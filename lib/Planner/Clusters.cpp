//===- Clusters.cpp - Where potentials leave a gap ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cluster begins with an edge where the plan costs more than its least, and a shortest cycle
// through it; further paths from one of its nodes to another join as long as it costs less than the
// plan does there.
//
//===----------------------------------------------------------------------===//
#include "Clusters.h"
#include "Factors.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <deque>
#include <map>

using namespace dmc::planner;

/// Effort limits: the nodes that a path visits in search of its end, the paths of a cluster, the
/// share of what the plan costs there above the bound with which a cluster is good enough, and that
/// below which it is none; and the share of all that the plan costs above the bound that is not
/// looked at.
static constexpr size_t mostVisited = 4096;
static constexpr int mostPaths = 6;
static constexpr double enoughOfLoss = 0.95, leastOfLoss = 0.02, restOfLoss = 0.005;

ClusterSearch::ClusterSearch(const Network &network, const Scales &scales,
                             const Potentials &potentials, const ExactBound &bound,
                             const ClusterLimits &limits)
    : network_(network), scales_(scales), potentials_(potentials), bound_(bound), limits_(limits),
      isNodeCounted_(network.nodes().size(), false), isEdgeCounted_(network.edges().size(), false) {
}

/// Adds the nodes of a shortest path from one of the nodes to another through none of them. Without
/// an edge: between its ends.
bool ClusterSearch::addPath(std::vector<uint32_t> &nodes, std::optional<uint32_t> without) const {
  struct Visit {
    uint32_t from, origin;
  };
  std::map<uint32_t, Visit> visited;
  std::deque<uint32_t> queue;
  for (uint32_t node : nodes) {
    visited[node] = {node, node};
    queue.push_back(node);
  }
  const std::vector<uint32_t> members = nodes;
  auto isMember = [&](uint32_t node) {
    return std::binary_search(members.begin(), members.end(), node);
  };
  auto addBack = [&](uint32_t node) {
    for (; !isMember(node); node = visited.at(node).from)
      nodes.push_back(node);
  };
  while (!queue.empty() && visited.size() < mostVisited) {
    uint32_t node = queue.front();
    queue.pop_front();
    const Visit here = visited.at(node);
    const Node &of = network_.nodes()[node];
    for (const auto *edges : {&of.before, &of.after})
      for (uint32_t e : *edges) {
        const Edge &edge = network_.edges()[e];
        uint32_t other = edge.first == node ? edge.second : edge.first;
        if (isEdgeCounted_[e] || e == without || (isMember(node) && isMember(other)))
          continue;
        auto [it, isNew] = visited.try_emplace(other, Visit{node, here.origin});
        if (isNew) {
          queue.push_back(other);
          continue;
        }
        if (it->second.origin == here.origin)
          continue;
        addBack(node);
        addBack(other);
        llvm::sort(nodes);
        return true;
      }
  }
  return false;
}

/// The edges among the nodes that no cluster counts.
std::vector<uint32_t> ClusterSearch::getEdges(const std::vector<uint32_t> &nodes) const {
  std::vector<uint32_t> edges;
  for (uint32_t node : nodes)
    for (uint32_t e : network_.nodes()[node].after)
      if (!isEdgeCounted_[e] &&
          std::binary_search(nodes.begin(), nodes.end(), network_.edges()[e].second))
        edges.push_back(e);
  return edges;
}

static uint32_t getPlace(const std::vector<uint32_t> &nodes, uint32_t node) {
  return static_cast<uint32_t>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
}

int64_t ClusterSearch::predict(const std::vector<uint32_t> &nodes) const {
  std::vector<uint32_t> sizes;
  for (uint32_t node : nodes)
    sizes.push_back(static_cast<uint32_t>(network_.nodes()[node].states.size()));
  std::vector<std::array<uint32_t, 2>> pairs;
  for (uint32_t e : getEdges(nodes))
    pairs.push_back({getPlace(nodes, network_.edges()[e].first),
                     getPlace(nodes, network_.edges()[e].second)});
  return predictElimination(sizes, pairs, limits_.entries);
}

/// What the plan costs there above the bound.
int64_t ClusterSearch::getLoss(const std::vector<uint32_t> &nodes,
                               const std::vector<uint32_t> &choice) const {
  int64_t loss = 0;
  for (uint32_t node : nodes)
    if (!isNodeCounted_[node])
      loss += ofNode(node, choice[node]);
  for (uint32_t e : getEdges(nodes)) {
    const Edge &edge = network_.edges()[e];
    loss += ofPair(e, choice[edge.first], choice[edge.second]);
  }
  return loss;
}

/// What all plans cost there at least above the bound; nothing, if that was interrupted.
std::optional<int64_t>
ClusterSearch::getLeast(const std::vector<uint32_t> &nodes,
                        const std::function<bool()> &isInterrupted) const {
  std::vector<uint32_t> sizes;
  std::vector<Factor> factors;
  for (const auto &[place, node] : llvm::enumerate(nodes)) {
    sizes.push_back(static_cast<uint32_t>(network_.nodes()[node].states.size()));
    Factor factor{{static_cast<uint32_t>(place)}, {}};
    for (uint32_t s = 0; s < sizes.back(); ++s)
      factor.costs.push_back(isNodeCounted_[node] ? 0 : ofNode(node, s));
    factors.push_back(std::move(factor));
  }
  for (uint32_t e : getEdges(nodes)) {
    const Edge &edge = network_.edges()[e];
    Factor factor{{getPlace(nodes, edge.first), getPlace(nodes, edge.second)}, {}};
    for (uint32_t a = 0; a < sizes[factor.scope[0]]; ++a)
      for (uint32_t b = 0; b < sizes[factor.scope[1]]; ++b)
        factor.costs.push_back(network_.table(edge).at(a, b) == infeasible ? infeasible
                                                                           : ofPair(e, a, b));
    factors.push_back(std::move(factor));
  }
  auto found = eliminateFactors(sizes, std::move(factors), limits_.entries, isInterrupted);
  if (!found || found->cost == infeasible)
    return std::nullopt;
  return found->cost;
}

/// The cluster around an edge that raises the bound the most of those that were looked at.
ClusterSearch::Trial ClusterSearch::grow(uint32_t seed, const std::vector<uint32_t> &choice,
                                         const std::function<bool()> &isInterrupted) const {
  Trial best;
  std::vector<uint32_t> nodes = {network_.edges()[seed].first, network_.edges()[seed].second};
  for (int path = 0; path < mostPaths; ++path) {
    if (!addPath(nodes, path == 0 ? std::optional(seed) : std::nullopt))
      break;
    int64_t entries = predict(nodes);
    if (entries > limits_.entries)
      break;
    auto least = getLeast(nodes, isInterrupted);
    if (!least)
      break;
    if (*least > best.gain)
      best = {nodes, *least, entries};
    if (static_cast<double>(*least) >= enoughOfLoss * static_cast<double>(getLoss(nodes, choice)))
      break;
  }
  return best;
}

void ClusterSearch::accept(Trial trial) {
  for (uint32_t e : getEdges(trial.nodes))
    isEdgeCounted_[e] = true;
  for (uint32_t node : trial.nodes)
    isNodeCounted_[node] = true;
  gain_ += trial.gain;
  entries_ += trial.entries;
  clusters_.push_back(std::move(trial.nodes));
}

void ClusterSearch::run(const std::vector<uint32_t> &choice, int64_t enough,
                        const std::function<bool()> &isInterrupted) {
  std::vector<std::pair<int64_t, uint32_t>> seeds;
  int64_t rest = 0;
  for (uint32_t e = 0; e < network_.edges().size(); ++e) {
    const Edge &edge = network_.edges()[e];
    int64_t loss = ofPair(e, choice[edge.first], choice[edge.second]);
    rest += loss;
    if (loss > 0)
      seeds.push_back({-loss, e});
  }
  llvm::sort(seeds);
  const double least = restOfLoss * static_cast<double>(rest);
  for (auto [loss, seed] : seeds) {
    if (gain_ >= enough || static_cast<double>(rest) <= least || isInterrupted())
      return;
    rest += loss;
    if (isEdgeCounted_[seed])
      continue;
    Trial trial = grow(seed, choice, isInterrupted);
    if (static_cast<double>(trial.gain) < leastOfLoss * static_cast<double>(-loss))
      continue;
    if (entries_ + trial.entries > limits_.allEntries)
      return;
    accept(std::move(trial));
  }
}
