//===- Clusters.h - Where potentials leave a gap ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Potentials judge each node and each edge by itself: around a cycle they may all have their least
// where no choice of states has. The least of all costs in a cluster of nodes shows what such cycles
// cost at least (D. Sontag et al., Tightening LP relaxations for MAP using message passing, 2008).
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_CLUSTERS_H
#define DMC_LIB_PLANNER_CLUSTERS_H

#include "ExactBound.h"

#include "dmc/Planner/Elimination.h"

#include <functional>

namespace dmc::planner {

struct ClusterLimits {
  /// Entries of all tables of an elimination: of one cluster, and of all of them.
  int64_t entries = 0, allEntries = 0;
};

class ClusterSearch {
public:
  /// `bound` is that of the potentials; all outlive the search.
  ClusterSearch(const Network &network, const Scales &scales, const Potentials &potentials,
                const ExactBound &bound, const ClusterLimits &limits);

  /// Clusters where a plan costs more than the bound says, until they raise it by `enough`, in
  /// picoseconds / `Scales::potential`. What an earlier one counts a later one does not.
  void run(const std::vector<uint32_t> &choice, int64_t enough,
           const std::function<bool()> &isInterrupted);

  /// Nodes in their order.
  const std::vector<std::vector<uint32_t>> &clusters() const { return clusters_; }
  /// By how much they raise the bound together, in picoseconds / `Scales::potential`.
  int64_t gain() const { return gain_; }

private:
  /// From a node of a cluster to one that joins it.
  struct Step {
    uint32_t from, to;
  };
  struct Trial {
    std::vector<uint32_t> nodes;
    /// How all but the first two were found.
    std::vector<Step> steps;
    int64_t gain = 0, entries = 0;
  };
  /// Of an edge among those of a node to earlier or to later ones.
  struct Place {
    bool isBefore;
    uint32_t index;
  };
  Trial grow(uint32_t seed, const std::vector<uint32_t> &choice,
             const std::function<bool()> &isInterrupted) const;
  std::optional<Trial> repeat(const Trial &known, uint32_t knownSeed, uint32_t seed,
                              const std::function<bool()> &isInterrupted) const;
  std::optional<uint32_t> getNeighbour(uint32_t node, const Place &place) const;
  Place getPlaceOf(const Step &step) const;
  bool addConflict(std::vector<uint32_t> &nodes, const Assignment &states, int64_t least,
                   std::vector<Step> &steps) const;
  std::vector<uint32_t> getEdges(const std::vector<uint32_t> &nodes) const;
  int64_t predict(const std::vector<uint32_t> &nodes) const;
  int64_t getLoss(const std::vector<uint32_t> &nodes, const std::vector<uint32_t> &choice) const;
  std::optional<Optimum> getLeast(const std::vector<uint32_t> &nodes,
                                  const std::function<bool()> &isInterrupted) const;
  void accept(Trial trial);
  int64_t ofNode(uint32_t node, uint32_t state) const {
    return divideDown(bound_.ofNode(node, state), scales_.price);
  }
  int64_t ofPair(uint32_t edge, uint32_t first, uint32_t second) const {
    return divideDown(bound_.ofPair(edge, potentials_, first, second), scales_.price);
  }

  const Network &network_;
  const Scales &scales_;
  const Potentials &potentials_;
  const ExactBound &bound_;
  ClusterLimits limits_;
  /// What a cluster counts already.
  std::vector<bool> isNodeCounted_, isEdgeCounted_;
  std::vector<std::vector<uint32_t>> clusters_;
  int64_t gain_ = 0, entries_ = 0;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CLUSTERS_H
