//===- ClusterCosts.h - What plans cost above a bound -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_CLUSTERCOSTS_H
#define DMC_LIB_PLANNER_CLUSTERCOSTS_H

#include "ExactBound.h"

#include "dmc/Planner/Elimination.h"

#include <functional>

namespace dmc::planner {

/// The costs of nodes and edges above the bound of potentials, as far as no cluster counts them.
/// All are 0 or more, in picoseconds / `Scales::potential`, rounded down, and at most `largest`, so
/// that those of a cluster add up.
class ClusterCosts {
public:
  static constexpr int64_t largest = int64_t(1) << 48;

  /// `bound` is that of the potentials; all outlive this.
  ClusterCosts(const Network &network, const Scales &scales, const Potentials &potentials,
               const ExactBound &bound);

  const Network &network() const { return network_; }
  bool isCounted(uint32_t edge) const { return isEdgeCounted_[edge]; }
  int64_t ofNode(uint32_t node, uint32_t state) const;
  /// `infeasible` where the pair is.
  int64_t ofPair(uint32_t edge, uint32_t first, uint32_t second) const;

  // Of clusters: nodes in their order.

  /// The edges among the nodes that no cluster counts.
  std::vector<uint32_t> getEdges(const std::vector<uint32_t> &nodes) const;
  int64_t ofPlan(const std::vector<uint32_t> &nodes, const std::vector<uint32_t> &choice) const;
  /// Entries of all tables that `getLeast` makes, or `limit` + 1, if that is above the limit.
  int64_t predict(const std::vector<uint32_t> &nodes, int64_t limit) const;
  /// The least, with states of which that is the sum, by the place of the node. Nothing, if a table
  /// has more than `limit` entries, no states are feasible, or once `isInterrupted` says so.
  std::optional<Optimum> getLeast(const std::vector<uint32_t> &nodes, int64_t limit,
                                  const std::function<bool()> &isInterrupted) const;
  /// From now on, a cluster counts what these cost.
  void count(const std::vector<uint32_t> &nodes);

private:
  const Network &network_;
  const Scales &scales_;
  const Potentials &potentials_;
  const ExactBound &bound_;
  std::vector<bool> isNodeCounted_, isEdgeCounted_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CLUSTERCOSTS_H
