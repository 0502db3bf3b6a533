//===- ClusterMessages.cpp - Message passing with clusters ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ClusterMessages.h.
//
//===----------------------------------------------------------------------===//
#include "ClusterMessages.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc::planner;

ClusterMessages::ClusterMessages(Messages &messages,
                                 const std::vector<std::vector<uint32_t>> &clusters, int64_t limit)
    : messages_(messages), network_(messages.network()), isHeld_(network_.edges().size(), false) {
  for (const std::vector<uint32_t> &nodes : clusters)
    add(nodes, limit);
  findOuter();
  messages_.hold(isHeld_);
}

/// Not where it takes too much, or has no edges that are left.
void ClusterMessages::add(const std::vector<uint32_t> &nodes, int64_t limit) {
  Cluster cluster;
  for (uint32_t node : nodes)
    for (uint32_t e : network_.nodes()[node].after)
      if (!isHeld_[e] && std::binary_search(nodes.begin(), nodes.end(), network_.edges()[e].second))
        cluster.edges.push_back(e);
  for (uint32_t e : cluster.edges)
    for (bool isSecond : {false, true}) {
      const Edge &edge = network_.edges()[e];
      uint32_t node = isSecond ? edge.second : edge.first;
      if (llvm::none_of(cluster.places, [&](const Place &place) { return place.node == node; }))
        cluster.places.push_back({node, e, isSecond, false});
    }
  llvm::sort(cluster.places, [](const Place &a, const Place &b) { return a.node < b.node; });
  std::vector<uint32_t> sizes;
  std::vector<std::vector<uint32_t>> scopes;
  for (uint32_t place = 0; place < cluster.places.size(); ++place) {
    sizes.push_back(
        static_cast<uint32_t>(network_.nodes()[cluster.places[place].node].states.size()));
    scopes.push_back({place});
  }
  auto getPlace = [&](uint32_t node) {
    return static_cast<uint32_t>(
        llvm::find_if(cluster.places, [&](const Place &place) { return place.node == node; }) -
        cluster.places.begin());
  };
  for (uint32_t e : cluster.edges)
    scopes.push_back({getPlace(network_.edges()[e].first), getPlace(network_.edges()[e].second)});
  cluster.marginals = MinMarginals::create(std::move(sizes), std::move(scopes), limit);
  if (!cluster.marginals || cluster.edges.empty())
    return;
  for (uint32_t e : cluster.edges)
    isHeld_[e] = true;
  entries_ += cluster.marginals->entries();
  clusters_.push_back(std::move(cluster));
}

/// Nodes that edges of others name, or other clusters.
void ClusterMessages::findOuter() {
  std::vector<uint32_t> count(network_.nodes().size(), 0);
  for (const Cluster &cluster : clusters_)
    for (const Place &place : cluster.places)
      ++count[place.node];
  auto isFree = [&](uint32_t edge) { return !isHeld_[edge]; };
  for (Cluster &cluster : clusters_)
    for (Place &place : cluster.places) {
      const Node &node = network_.nodes()[place.node];
      place.isOuter = count[place.node] > 1 || llvm::any_of(node.before, isFree) ||
                      llvm::any_of(node.after, isFree);
    }
}

/// What nodes have, and what the edges cost beyond what the nodes got of them.
std::vector<MinMarginals::Table> ClusterMessages::collect(const Cluster &cluster) const {
  std::vector<MinMarginals::Table> tables;
  tables.reserve(cluster.places.size() + cluster.edges.size());
  for (const Place &place : cluster.places)
    tables.push_back(messages_.getBelief(place.node));
  for (uint32_t e : cluster.edges)
    tables.push_back(messages_.getRest(e));
  return tables;
}

/// What the cluster costs at least with all that its nodes had.
double ClusterMessages::update(Cluster &cluster) {
  std::vector<MinMarginals::Table> tables = collect(cluster), marginals;
  const double least = cluster.marginals->compute(tables, marginals);
  const auto numOuter = static_cast<double>(
      llvm::count_if(cluster.places, [](const Place &place) { return place.isOuter; }));
  cluster.cheapest.clear();
  for (size_t i = 0; i < cluster.places.size(); ++i) {
    const Place &place = cluster.places[i];
    cluster.cheapest.push_back(
        static_cast<uint32_t>(llvm::min_element(marginals[i]) - marginals[i].begin()));
    std::vector<double> moved(tables[i].size());
    for (size_t s = 0; s < moved.size(); ++s) {
      double given = std::min(marginals[i][s] - least, network_.big());
      moved[s] = (place.isOuter ? given / numOuter : 0) - tables[i][s];
    }
    messages_.move(place.edge, place.isSecond, moved);
  }
  return least;
}

void ClusterMessages::decode(std::vector<uint32_t> &choice) const {
  for (const Cluster &cluster : clusters_)
    for (auto [place, state] : llvm::zip_equal(cluster.places, cluster.cheapest))
      choice[place.node] = state;
}

double ClusterMessages::pass(int64_t iterations) {
  double bound = 0;
  for (Cluster &cluster : clusters_)
    bound += update(cluster);
  double rest = 0;
  for (int64_t i = 0; i < iterations; ++i)
    rest = messages_.iterate();
  return bound + rest;
}
