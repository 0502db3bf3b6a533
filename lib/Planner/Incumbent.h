//===- Incumbent.h - The best plan so far -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_INCUMBENT_H
#define DMC_LIB_PLANNER_INCUMBENT_H

#include "Network.h"

namespace dmc::planner {

struct Incumbent {
  int64_t cost = infeasible;
  Assignment assignment;

  bool isKnown() const { return cost != infeasible; }
  /// Takes a plan that is better; of equally good ones the first in lexicographical order.
  bool offer(const LayoutProblem &problem, const Assignment &assignment);
};

/// Improves a choice of states, of a network's nodes, by changes of one node and of trees of nodes.
class LocalSearch {
public:
  explicit LocalSearch(const Network &network);

  /// Makes the choice keep rows of memory where it can, then makes it cheaper. Returns whether it
  /// keeps them.
  bool improve(std::vector<uint32_t> &choice, int passes);

private:
  void setChoice(const std::vector<uint32_t> &choice);
  void collect(uint32_t node, std::vector<double> &costs) const;
  void collectExcess(uint32_t node);
  double excess() const;
  void move(uint32_t node, uint32_t state);
  bool passNodes();
  bool repairRows();

  const Network &network_;
  std::vector<uint32_t> choice_;
  /// By row of the problem: bytes of the choice.
  std::vector<int64_t> used_;
  std::vector<double> costs_, excess_;
  std::vector<bool> isOpen_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_INCUMBENT_H
