//===- TreeMoves.h - Best changes of trees of nodes -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_TREEMOVES_H
#define DMC_LIB_PLANNER_TREEMOVES_H

#include "Network.h"

namespace dmc::planner {

/// Draws nodes among which edges have no cycle, and chooses their best states together while all
/// others keep theirs: a plan gets better by changes of many nodes where none alone would do.
class TreeMoves {
public:
  /// `prices` of a byte by row of the problem.
  TreeMoves(const Network &network, const std::vector<double> &prices);
  /// Returns whether it changed the choice.
  bool move(std::vector<uint32_t> &choice);

private:
  struct Member {
    uint32_t node = 0;
    /// Of the tree's edge to the member's parent; none at a root.
    std::optional<uint32_t> edge;
  };
  void drawForest();
  void collect(uint32_t node, const std::vector<uint32_t> &choice);
  void sendUp(const Member &member);
  uint32_t other(uint32_t edge, uint32_t node) const {
    const Edge &ends = network_.edges()[edge];
    return ends.first == node ? ends.second : ends.first;
  }

  const Network &network_;
  const std::vector<double> &prices_;
  /// 0 to `count` - 1; equal runs draw equal forests.
  uint32_t draw(uint32_t count);
  uint64_t random_ = 1;
  std::vector<bool> isMember_;
  /// Parents before children.
  std::vector<Member> members_;
  std::vector<std::vector<double>> costs_;
  std::vector<double> input_, output_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_TREEMOVES_H
