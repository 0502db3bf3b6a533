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
#include <set>
#include <tuple>

using namespace dmc::planner;

/// Effort limits: the nodes that a path visits in search of its end, the paths of a cluster, the
/// share of what the plan costs there above the bound with which a cluster is good enough, and that
/// below which it is none; and the share of all that the plan costs above the bound that is not
/// looked at.
static constexpr size_t mostVisited = 4096;
static constexpr int mostPaths = 32, mostFailures = 4;
static constexpr size_t mostOfKind = 4;
static constexpr double enoughOfLoss = 0.95, leastOfLoss = 0.02, restOfLoss = 0.005;

ClusterSearch::ClusterSearch(const Network &network, const Scales &scales,
                             const Potentials &potentials, const ExactBound &bound,
                             const ClusterLimits &limits)
    : network_(network), scales_(scales), potentials_(potentials), bound_(bound), limits_(limits),
      isNodeCounted_(network.nodes().size(), false), isEdgeCounted_(network.edges().size(), false) {
}

/// Looks from the nodes, whose states are given, for the nearest ones that cannot all have what the
/// bound says: a node that costs more than that at the end of a path, or an edge between two of them.
/// Adds the nodes of the paths; false: none is found that the limits allow.
bool ClusterSearch::addConflict(std::vector<uint32_t> &nodes, const Assignment &states,
                                int64_t least, std::vector<Step> &steps) const {
  struct Visit {
    uint32_t from;
    /// What the node's states cost with the path to it.
    std::vector<int64_t> costs;
    int64_t least;
    uint32_t distance;
  };
  std::map<uint32_t, Visit> visited;
  std::deque<uint32_t> queue;
  for (const auto &[place, node] : llvm::enumerate(nodes)) {
    std::vector<int64_t> costs(network_.nodes()[node].states.size(), infeasible);
    costs[states[place]] = 0;
    visited[node] = {node, std::move(costs), 0, 0};
    queue.push_back(node);
  }
  auto isMember = [&](uint32_t node) {
    return std::binary_search(nodes.begin(), nodes.end(), node);
  };
  auto tryPaths = [&](std::initializer_list<uint32_t> ends) {
    std::vector<uint32_t> added;
    for (uint32_t end : ends)
      for (uint32_t node = end; !isMember(node) && !llvm::is_contained(added, node);
           node = visited.at(node).from)
        added.push_back(node);
    // Parents first.
    llvm::stable_sort(added, [&](uint32_t a, uint32_t b) {
      return visited.at(a).distance < visited.at(b).distance;
    });
    std::vector<uint32_t> all = nodes;
    llvm::append_range(all, added);
    llvm::sort(all);
    if (added.empty() || predict(all) > limits_.entries)
      return false;
    nodes = std::move(all);
    for (uint32_t node : added)
      steps.push_back({visited.at(node).from, node});
    return true;
  };
  /// What the states of an edge's second end cost with those of the first, and the least of both.
  auto send = [&](uint32_t e, bool isForward, const std::vector<int64_t> &from, size_t count) {
    std::vector<int64_t> to(count, infeasible);
    for (uint32_t a = 0; a < from.size(); ++a)
      for (uint32_t b = 0; from[a] != infeasible && b < count; ++b) {
        uint32_t first = isForward ? a : b, second = isForward ? b : a;
        if (network_.table(network_.edges()[e]).at(first, second) != infeasible)
          to[b] = std::min(to[b], from[a] + ofPair(e, first, second));
      }
    return to;
  };
  while (!queue.empty() && visited.size() < mostVisited) {
    uint32_t node = queue.front();
    queue.pop_front();
    const Node &of = network_.nodes()[node];
    for (const auto *edges : {&of.before, &of.after})
      for (uint32_t e : *edges) {
        const Edge &edge = network_.edges()[e];
        const bool isForward = edge.first == node;
        const uint32_t other = isForward ? edge.second : edge.first;
        const Visit &here = visited.at(node);
        if (isEdgeCounted_[e] || here.from == other || (isMember(node) && isMember(other)))
          continue;
        std::vector<int64_t> costs =
            send(e, isForward, here.costs, network_.nodes()[other].states.size());
        auto it = visited.find(other);
        const bool isNew = it == visited.end();
        for (uint32_t s = 0; s < costs.size(); ++s) {
          int64_t more = !isNew                  ? it->second.costs[s]
                         : isNodeCounted_[other] ? 0
                                                 : ofNode(other, s);
          costs[s] = costs[s] == infeasible || more == infeasible ? infeasible : costs[s] + more;
        }
        int64_t leastHere = *llvm::min_element(costs);
        int64_t known = here.least + (isNew ? 0 : it->second.least);
        const bool isConflict = leastHere == infeasible || leastHere - known >= least;
        if (isNew)
          it = visited.try_emplace(other, Visit{node, std::move(costs), leastHere, visited.at(node).distance + 1}).first;
        if (isConflict && tryPaths({node, other}))
          return true;
        if (isNew && leastHere != infeasible)
          queue.push_back(other);
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

/// What all plans cost there at least above the bound, with the states of one of them; nothing, if
/// that was interrupted.
std::optional<Optimum>
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
  return found;
}

/// The cluster around an edge that raises the bound the most of those that were looked at.
ClusterSearch::Trial ClusterSearch::grow(uint32_t seed, const std::vector<uint32_t> &choice,
                                         const std::function<bool()> &isInterrupted) const {
  Trial best;
  std::vector<uint32_t> nodes = {network_.edges()[seed].first, network_.edges()[seed].second};
  std::vector<Step> steps;
  int64_t before = 0;
  for (int path = 0, failures = 0; path < mostPaths && failures < mostFailures; ++path) {
    auto least = getLeast(nodes, isInterrupted);
    if (!least)
      break;
    if (least->cost > best.gain)
      best = {nodes, steps, least->cost, predict(nodes)};
    auto rest = static_cast<double>(getLoss(nodes, choice) - least->cost);
    failures = static_cast<double>(least->cost - before) < leastOfLoss * rest ? failures + 1 : 0;
    before = least->cost;
    if (static_cast<double>(least->cost) * (1 - enoughOfLoss) >= rest * enoughOfLoss ||
        !addConflict(nodes, least->assignment,
                     std::max<int64_t>(1, static_cast<int64_t>(leastOfLoss * rest)), steps))
      break;
  }
  return best;
}

/// The neighbour of a node by the place of its edge.
std::optional<uint32_t> ClusterSearch::getNeighbour(uint32_t node, const Place &place) const {
  const Node &of = network_.nodes()[node];
  const std::vector<uint32_t> &edges = place.isBefore ? of.before : of.after;
  if (place.index >= edges.size())
    return std::nullopt;
  const Edge &edge = network_.edges()[edges[place.index]];
  return place.isBefore ? edge.first : edge.second;
}

ClusterSearch::Place ClusterSearch::getPlaceOf(const Step &step) const {
  const Node &of = network_.nodes()[step.from];
  for (uint32_t i = 0; i < of.before.size(); ++i)
    if (network_.edges()[of.before[i]].first == step.to)
      return {true, i};
  for (uint32_t i = 0; i < of.after.size(); ++i)
    if (network_.edges()[of.after[i]].second == step.to)
      return {false, i};
  llvm_unreachable("steps go along edges");
}

/// The cluster around a seed that is as another one around its seed; nothing, if there is none.
std::optional<ClusterSearch::Trial>
ClusterSearch::repeat(const Trial &known, uint32_t knownSeed, uint32_t seed,
                      const std::function<bool()> &isInterrupted) const {
  const Edge &from = network_.edges()[knownSeed], &to = network_.edges()[seed];
  std::map<uint32_t, uint32_t> alike = {{from.first, to.first}, {from.second, to.second}};
  std::set<uint32_t> nodes = {to.first, to.second};
  for (const Step &step : known.steps) {
    auto node = getNeighbour(alike.at(step.from), getPlaceOf(step));
    if (!node || !nodes.insert(*node).second ||
        network_.nodes()[*node].costs != network_.nodes()[step.to].costs)
      return std::nullopt;
    alike[step.to] = *node;
  }
  Trial trial;
  trial.nodes.assign(nodes.begin(), nodes.end());
  trial.entries = predict(trial.nodes);
  if (trial.entries > limits_.entries)
    return std::nullopt;
  auto least = getLeast(trial.nodes, isInterrupted);
  if (!least)
    return std::nullopt;
  trial.gain = least->cost;
  return trial;
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
  // By the edge's table and states: clusters with their seeds.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<std::pair<uint32_t, Trial>>> kinds;
  for (auto [loss, seed] : seeds) {
    if (gain_ >= enough || static_cast<double>(rest) <= least || isInterrupted())
      return;
    rest += loss;
    if (isEdgeCounted_[seed])
      continue;
    const Edge &edge = network_.edges()[seed];
    auto &known = kinds[{edge.table, choice[edge.first], choice[edge.second]}];
    std::optional<Trial> repeated;
    for (const auto &[knownSeed, of] : known) {
      repeated = repeat(of, knownSeed, seed, isInterrupted);
      // As good as it is around the other one, but for what other clusters count.
      if (repeated && static_cast<double>(repeated->gain) >=
                          enoughOfLoss * static_cast<double>(of.gain))
        break;
      repeated = std::nullopt;
    }
    Trial trial = repeated ? std::move(*repeated) : grow(seed, choice, isInterrupted);
    if (!repeated && known.size() < mostOfKind)
      known.push_back({seed, trial});
    if (static_cast<double>(trial.gain) < leastOfLoss * static_cast<double>(-loss))
      continue;
    if (entries_ + trial.entries > limits_.allEntries)
      return;
    accept(std::move(trial));
  }
}
