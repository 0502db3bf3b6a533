//===- Fold.h - Plans in which alike nodes agree ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of a program repeat: nodes whose surroundings are equal up to some distance form a class.
// The problem with one variable for each class, whose costs count for all of its nodes, is small
// whatever the number of layers, and each of its plans is one of the whole network.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_FOLD_H
#define DMC_LIB_PLANNER_FOLD_H

#include "Network.h"

namespace dmc::planner {

struct NodeClasses {
  std::vector<uint32_t> ofNode;
  /// A node of each class: the first.
  std::vector<uint32_t> representatives;
};

/// Nodes of equal costs whose edges have equal tables and lead to nodes that
/// are alike up to a lesser distance. The distance is the largest for which there are at most
/// `limit` classes. Nothing, where there are more in any case.
std::optional<NodeClasses> findClasses(const Network &network, uint32_t limit);

/// The problem in which the nodes of a class have one state. Variables are classes and states those
/// that are left in the network.
std::optional<LayoutProblem> foldProblem(const Network &network, const NodeClasses &classes);

/// By edge of the folded network: how many edges of the whole one it stands for.
std::vector<int64_t> countEdges(const Network &network, const NodeClasses &classes,
                                const Network &folded);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_FOLD_H
