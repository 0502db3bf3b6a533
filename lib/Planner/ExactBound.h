//===- ExactBound.h - Bounds of potentials in integers ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_EXACTBOUND_H
#define DMC_LIB_PLANNER_EXACTBOUND_H

#include "Messages.h"

namespace dmc::planner {

using Wide = __int128;

/// The greatest integer that is at most value / by; by > 0.
inline int64_t divideDown(Wide value, int64_t by) {
  Wide quotient = value / by;
  return static_cast<int64_t>(quotient - (quotient * by > value));
}

/// What numbers of a certificate count; equal for all stages.
struct Scales {
  explicit Scales(const LayoutProblem &problem);
  /// Potentials in picoseconds / `potential`, prices in picoseconds / `price`.
  int64_t potential = 1, price = 1;
  /// Sums in picoseconds / `common`.
  Wide common() const { return static_cast<Wide>(potential) * price; }
  /// The least integer of picoseconds that is not below a sum.
  int64_t toPicoseconds(Wide sum) const;
  /// Prices in picoseconds of a byte.
  std::vector<double> getPrices(const std::vector<int64_t> &prices) const;
};

/// Bounds that potentials and prices prove, as sums in picoseconds / `Scales::common`.
class ExactBound {
public:
  ExactBound(const Network &network, const Scales &scales, const Potentials &potentials,
             const std::vector<int64_t> &prices);

  /// No plan costs less.
  Wide bound() const { return bound_; }
  int64_t toPicoseconds() const { return scales_.toPicoseconds(bound_); }
  /// Whether plans with that state may cost less than `cost`.
  bool isBelow(uint32_t node, uint32_t state, int64_t cost) const {
    return scales_.toPicoseconds(bound_ + excess_[node][state]) < cost;
  }
  /// How much more than the bound plans with that state cost at least.
  Wide excess(uint32_t node, uint32_t state) const { return excess_[node][state]; }
  /// A state's own cost with prices and potentials, above the least of its node.
  Wide ofNode(uint32_t node, uint32_t state) const { return own_[node][state]; }
  /// A feasible pair's cost less potentials, those of the bound, above the least of its edge.
  Wide ofPair(uint32_t edge, const Potentials &potentials, uint32_t first, uint32_t second) const {
    int64_t cost = network_.table(network_.edges()[edge]).at(first, second);
    return static_cast<Wide>(cost * scales_.potential - potentials.toFirst[edge][first] -
                             potentials.toSecond[edge][second] - edgeLeast_[edge]) *
           scales_.price;
  }

private:
  void addNode(uint32_t index, const Potentials &potentials, const std::vector<int64_t> &prices);
  void addEdge(uint32_t index, const Potentials &potentials);

  const Network &network_;
  Scales scales_;
  Wide bound_ = 0;
  std::vector<std::vector<Wide>> own_, excess_;
  /// In picoseconds / `Scales::potential`.
  std::vector<int64_t> edgeLeast_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_EXACTBOUND_H
