//===- Messages.h - Lower bounds by message passing -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequential tree-reweighted message passing (V. Kolmogorov, Convergent tree-reweighted message
// passing for energy minimization, 2006): an iteration goes forward and back over all nodes, and
// the bound only rises.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_MESSAGES_H
#define DMC_LIB_PLANNER_MESSAGES_H

#include "Fold.h"

namespace dmc::planner {

/// Costs moved from edges to their nodes, in picoseconds / scale: by edge what the first node takes
/// for each of its states, and what the second does.
struct Potentials {
  std::vector<std::vector<int64_t>> toFirst, toSecond;
};

class Messages {
public:
  /// `network` outlives the messages. `weights` say by edge how many edges of another network each
  /// stands for, where it is folded: a node divides what it knows among its edges in proportion, so
  /// that messages are those of the other network in which alike edges have equal ones. Empty: each
  /// stands for itself.
  explicit Messages(const Network &network, std::vector<int64_t> weights = {});

  const Network &network() const { return *network_; }
  const std::vector<int64_t> &weights() const { return weights_; }
  /// Prices of a byte by row of the problem, in picoseconds.
  void setPrices(std::vector<double> prices);
  const std::vector<double> &prices() const { return prices_; }
  /// One iteration; returns the bound, as exact as doubles are, prices times capacities not
  /// subtracted.
  double iterate();
  /// A plan that follows the messages; its states by node.
  std::vector<uint32_t> decode() const;
  /// After an iteration: potentials with the same bound, up to rounding.
  Potentials getPotentials(int64_t scale) const;
  /// Messages of a network with fewer states start where these are.
  void continueFrom(const Messages &other, const std::vector<std::vector<bool>> &keep);
  /// Writes messages to all states of the problem's variables, by edge, both ends; those to states
  /// that are left out stay as they are.
  void store(std::vector<double> &all) const;
  /// Starts there; false where they are of another problem.
  bool load(const std::vector<double> &all);
  /// Messages start where those of a folded network are after an iteration, in which the nodes of a
  /// class are one and whose weights count edges. The bound is the same where alike nodes have as
  /// many edges to each class of others.
  void unfoldFrom(const Messages &folded, const NodeClasses &classes);

  // Of clusters, after an iteration:

  /// From now on iterations leave what the ends of the marked edges got as it is, and bounds are
  /// those without these edges.
  void hold(const std::vector<bool> &edges);
  /// What a node's states cost with all that edges have moved there.
  std::vector<double> getBelief(uint32_t node) const;
  /// What a held edge's pairs cost without what it has moved, by rows of its first node's states;
  /// infinite where they are infeasible.
  std::vector<double> getRest(uint32_t edge) const;
  /// Moves costs from a held edge to the states of its first or second node.
  void move(uint32_t edge, bool isSecond, llvm::ArrayRef<double> costs);

private:
  double *toFirst(uint32_t edge) { return data_.data() + edgeOffsets_[edge]; }
  double *toSecond(uint32_t edge) { return toFirst(edge) + sizeOfFirst(edge); }
  const double *toFirst(uint32_t edge) const { return data_.data() + edgeOffsets_[edge]; }
  const double *toSecond(uint32_t edge) const { return toFirst(edge) + sizeOfFirst(edge); }
  size_t sizeOfFirst(uint32_t edge) const {
    return network_->nodes()[network_->edges()[edge].first].states.size();
  }
  void setShares();
  bool isHeld(uint32_t edge) const { return !isHeld_.empty() && isHeld_[edge]; }
  double collect(uint32_t node, double *belief) const;
  double sendForward(uint32_t edge, const double *belief, double share);
  double sendBackward(uint32_t edge, const double *belief, double share);

  /// What the second node of an edge takes from it, as in `getPotentials`.
  double getPotentialOfSecond(uint32_t edge, size_t state) const {
    return toSecond(edge)[state] -
           shareOfSecond_[edge] * beliefs_[nodeOffsets_[network_->edges()[edge].second] + state];
  }

  const Network *network_;
  std::vector<int64_t> weights_;
  std::vector<double> data_, unary_, beliefs_, prices_;
  /// By edge: the part of what its nodes know that it gets in the passes forward and back.
  std::vector<double> shareOfFirst_, shareOfSecond_;
  std::vector<size_t> edgeOffsets_, nodeOffsets_;
  /// Empty: none is.
  std::vector<bool> isHeld_;
  std::vector<double> input_, output_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_MESSAGES_H
