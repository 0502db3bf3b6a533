//===- FindConflict.cpp - What contradicts the states of nodes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk in the order of distance; each node keeps what its states cost with the path to it.
//
//===----------------------------------------------------------------------===//
#include "FindConflict.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <deque>
#include <map>

using namespace dmc::planner;

/// Effort limit: nodes that are visited.
static constexpr size_t mostVisited = 4096;

namespace {
class Walk {
public:
  Walk(const ClusterCosts &costs, const std::vector<uint32_t> &nodes, const Assignment &states,
       int64_t least, llvm::function_ref<bool(const std::vector<uint32_t> &)> isAccepted);
  std::optional<std::vector<PathStep>> run();

private:
  struct Visit {
    uint32_t from = 0, distance = 0;
    std::vector<int64_t> costs;
    int64_t least = 0;
  };
  bool isGiven(uint32_t node) const {
    return std::binary_search(nodes_.begin(), nodes_.end(), node);
  }
  std::vector<int64_t> send(uint32_t edge, bool isForward, const std::vector<int64_t> &from) const;
  bool follow(uint32_t edge, uint32_t node);
  bool takePaths(uint32_t a, uint32_t b);

  const ClusterCosts &costs_;
  const std::vector<uint32_t> &nodes_;
  int64_t least_;
  llvm::function_ref<bool(const std::vector<uint32_t> &)> isAccepted_;
  std::map<uint32_t, Visit> visited_;
  std::deque<uint32_t> queue_;
  std::vector<PathStep> found_;
};
} // namespace

Walk::Walk(const ClusterCosts &costs, const std::vector<uint32_t> &nodes, const Assignment &states,
           int64_t least, llvm::function_ref<bool(const std::vector<uint32_t> &)> isAccepted)
    : costs_(costs), nodes_(nodes), least_(least), isAccepted_(isAccepted) {
  for (const auto &[place, node] : llvm::enumerate(nodes)) {
    Visit visit{node, 0, {}, 0};
    visit.costs.assign(costs.network().nodes()[node].states.size(), infeasible);
    visit.costs[states[place]] = 0;
    visited_[node] = std::move(visit);
    queue_.push_back(node);
  }
}

/// What an edge's states at the other end cost with the best ones at this end.
std::vector<int64_t> Walk::send(uint32_t edge, bool isForward,
                                const std::vector<int64_t> &from) const {
  const Edge &ends = costs_.network().edges()[edge];
  std::vector<int64_t> to(
      costs_.network().nodes()[isForward ? ends.second : ends.first].states.size(), infeasible);
  for (uint32_t a = 0; a < from.size(); ++a)
    for (uint32_t b = 0; from[a] != infeasible && b < to.size(); ++b)
      if (int64_t pair = isForward ? costs_.ofPair(edge, a, b) : costs_.ofPair(edge, b, a);
          pair != infeasible)
        to[b] = std::min(to[b], from[a] + pair);
  return to;
}

/// Takes the nodes of the paths to both, if they are accepted.
bool Walk::takePaths(uint32_t a, uint32_t b) {
  std::vector<uint32_t> added;
  for (uint32_t end : {a, b})
    for (uint32_t node = end; !isGiven(node) && !llvm::is_contained(added, node);
         node = visited_.at(node).from)
      added.push_back(node);
  llvm::stable_sort(added, [&](uint32_t a, uint32_t b) {
    return visited_.at(a).distance < visited_.at(b).distance;
  });
  std::vector<uint32_t> all = nodes_;
  llvm::append_range(all, added);
  llvm::sort(all);
  if (added.empty() || !isAccepted_(all))
    return false;
  for (uint32_t node : added)
    found_.push_back({visited_.at(node).from, node});
  return true;
}

/// Goes along an edge; true: to a conflict that is taken.
bool Walk::follow(uint32_t edge, uint32_t node) {
  const Edge &ends = costs_.network().edges()[edge];
  const uint32_t other = ends.first == node ? ends.second : ends.first;
  const Visit &here = visited_.at(node);
  if (costs_.isCounted(edge) || here.from == other || (isGiven(node) && isGiven(other)))
    return false;
  std::vector<int64_t> costs = send(edge, ends.first == node, here.costs);
  auto known = visited_.find(other);
  const bool isNew = known == visited_.end();
  for (uint32_t s = 0; s < costs.size(); ++s) {
    int64_t more = isNew ? costs_.ofNode(other, s) : known->second.costs[s];
    costs[s] = costs[s] == infeasible || more == infeasible ? infeasible : costs[s] + more;
  }
  const int64_t least = *llvm::min_element(costs);
  const int64_t apart = here.least + (isNew ? 0 : known->second.least);
  if (isNew) {
    visited_[other] = {node, here.distance + 1, std::move(costs), least};
    // Nothing is told by what lies behind.
    if (least != infeasible)
      queue_.push_back(other);
  }
  return (least == infeasible || least - apart >= least_) && takePaths(node, other);
}

std::optional<std::vector<PathStep>> Walk::run() {
  while (!queue_.empty() && visited_.size() < mostVisited) {
    uint32_t node = queue_.front();
    queue_.pop_front();
    const Node &of = costs_.network().nodes()[node];
    for (const auto *edges : {&of.before, &of.after})
      for (uint32_t edge : *edges)
        if (follow(edge, node))
          return std::move(found_);
  }
  return std::nullopt;
}

std::optional<std::vector<PathStep>>
dmc::planner::findConflict(const ClusterCosts &costs, const std::vector<uint32_t> &nodes,
                           const Assignment &states, int64_t least,
                           llvm::function_ref<bool(const std::vector<uint32_t> &)> isAccepted) {
  return Walk(costs, nodes, states, least, isAccepted).run();
}
