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

#include "FindConflict.h"

#include <map>
#include <tuple>

namespace dmc::planner {

/// Entries of all tables of an elimination: of one cluster at most, and of all of them.
struct ClusterLimits {
  int64_t entries = 0, allEntries = 0;
};

class ClusterSearch {
public:
  /// For a plan as a choice of the network's states. `bound` is that of the potentials; all outlive
  /// the search.
  ClusterSearch(const Network &network, const Scales &scales, const Potentials &potentials,
                const ExactBound &bound, const std::vector<uint32_t> &choice,
                const ClusterLimits &limits, const std::function<bool()> &isInterrupted);

  /// Finds clusters until they raise the bound by `enough`, in picoseconds / `Scales::potential`.
  /// What an earlier one counts a later one does not.
  void run(int64_t enough);

  /// Nodes in their order.
  const std::vector<std::vector<uint32_t>> &clusters() const { return clusters_; }
  /// By how much they raise the bound together, in picoseconds / `Scales::potential`.
  int64_t gain() const { return gain_; }
  /// The plan, with the states of all clusters that cost the least there.
  const std::vector<uint32_t> &adapted() const { return adapted_; }

private:
  struct Trial {
    std::vector<uint32_t> nodes;
    /// How all but the first two were found.
    std::vector<PathStep> steps;
    /// With which they cost `gain` together.
    Assignment states;
    int64_t gain = 0;
  };
  /// Trials by the table of the edge that they begin with and the plan's states there.
  using Kind = std::tuple<uint32_t, uint32_t, uint32_t>;
  using Trials = std::map<uint32_t, Trial>;

  std::optional<Trial> findAround(uint32_t seed, int64_t excess);
  std::optional<Optimum> tryNodes(const std::vector<uint32_t> &nodes);
  Trial grow(uint32_t seed);
  std::optional<Trial> repeat(const Trial &known, uint32_t knownSeed, uint32_t seed);
  std::optional<uint32_t> followAlike(uint32_t node, const PathStep &step) const;
  int64_t getLimit(const std::vector<uint32_t> &nodes) const;
  void accept(const Trial &trial);

  const Network &network_;
  const std::vector<uint32_t> &choice_;
  ClusterLimits limits_;
  const std::function<bool()> &isInterrupted_;
  ClusterCosts costs_;
  std::map<Kind, Trials> trials_;
  std::vector<std::vector<uint32_t>> clusters_;
  std::vector<uint32_t> adapted_;
  int64_t gain_ = 0, entriesLeft_, trialsLeft_;
  /// What the plan costs above the least at edges that were not looked at.
  int64_t excessLeft_ = 0;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CLUSTERS_H
