//===- Clusters.h - Where potentials leave a gap ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Potentials judge each node and each edge by itself: around a cycle they may all have their least
// where no choice of states has. What all of a cluster's nodes cost together at least closes such
// gaps (D. Sontag et al., Tightening LP relaxations for MAP using message passing, 2008, for
// clusters of three nodes). A cluster begins with an edge where a plan costs more than the edge's
// least, and grows by what contradicts its best states.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_CLUSTERS_H
#define DMC_LIB_PLANNER_CLUSTERS_H

#include "ClusterCosts.h"

namespace dmc::planner {

/// Entries of all tables of an elimination: of one cluster at most, and of all of them.
struct ClusterLimits {
  int64_t entries = 0, allEntries = 0;
};

struct Clusters {
  /// Nodes in their order. What an earlier one counts a later one does not.
  std::vector<std::vector<uint32_t>> nodes;
  /// By how much they raise the bound together, in picoseconds / `Scales::potential`.
  int64_t gain = 0;
  /// The plan, with the states of all clusters that cost the least there.
  std::vector<uint32_t> adapted;
};

/// Finds clusters for a plan as a choice of the network's states, until they raise the bound by
/// `enough`, in picoseconds / `Scales::potential`. Where those of a first search raise it by less
/// than `least`, others are tried. `bound` is that of the potentials.
Clusters findClusters(const Network &network, const Scales &scales, const Potentials &potentials,
                      const ExactBound &bound, const std::vector<uint32_t> &choice,
                      const ClusterLimits &limits, int64_t least, int64_t enough,
                      const std::function<bool()> &isInterrupted);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CLUSTERS_H
