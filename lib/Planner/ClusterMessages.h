//===- ClusterMessages.h - Message passing with clusters --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters prove more where the potentials around them suit them. A cluster takes all that its
// nodes have, and gives back to those that others name, too, an equal part of what the cluster
// costs at least with each of their states; iterations of messages over all other edges pass that
// on (V. Kolmogorov, A new look at reweighted message passing, 2015, of factors of any size). The
// bound only rises.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_CLUSTERMESSAGES_H
#define DMC_LIB_PLANNER_CLUSTERMESSAGES_H

#include "Messages.h"
#include "MinMarginals.h"

namespace dmc::planner {

class ClusterMessages {
public:
  /// `messages`, after an iteration, are changed and outlive this. Clusters are nodes in their
  /// order; an edge counts in the first that has both of its ends. Those of which elimination makes
  /// tables of more than `limit` entries are left out.
  ClusterMessages(Messages &messages, const std::vector<std::vector<uint32_t>> &clusters,
                  int64_t limit);

  /// Messages from and to each cluster, then so many iterations, one or more; returns the bound, as
  /// `Messages::iterate` does.
  double pass(int64_t iterations);
  /// The states that cost a cluster the least in the last pass; where several have a node, those of
  /// the last one.
  void decode(std::vector<uint32_t> &choice) const;
  /// Entries of the tables of all clusters.
  int64_t entries() const { return entries_; }

private:
  /// What a cluster gives to a node is moved from the end of an edge of its own.
  struct Place {
    uint32_t node = 0, edge = 0;
    bool isSecond = false, isOuter = false;
  };
  struct Cluster {
    std::vector<Place> places;
    std::vector<uint32_t> edges;
    std::optional<MinMarginals> marginals;
    /// In the last pass, by place.
    std::vector<uint32_t> cheapest;
  };

  void add(const std::vector<uint32_t> &nodes, int64_t limit);
  void findOuter();
  double update(Cluster &cluster);
  std::vector<MinMarginals::Table> collect(const Cluster &cluster) const;

  Messages &messages_;
  const Network &network_;
  std::vector<bool> isHeld_;
  std::vector<Cluster> clusters_;
  int64_t entries_ = 0;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CLUSTERMESSAGES_H
