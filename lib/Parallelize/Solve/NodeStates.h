//===- NodeStates.h - All assignments of an operation -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states of an operation in the layout problem: what each mesh axis splits or leaves partial,
// the layouts that follow for its operands and results, and what a rank then computes.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_NODESTATES_H
#define DMC_LIB_PARALLELIZE_SOLVE_NODESTATES_H

#include "../ProgramCost.h"
#include "AxisGroups.h"
#include "LayoutTable.h"
#include "PartialCarriers.h"

#include "llvm/ADT/StringMap.h"

namespace dmc {

struct NodeState {
  Assignment assignment;
  CarriedAxes carried;
  /// Numbers of the layout table.
  llvm::SmallVector<unsigned, 4> operands;
  llvm::SmallVector<unsigned, 2> results;
  /// Of one execution: what a rank computes.
  double seconds = 0;
};

/// Operations of equal rules, types and fixed decisions have the same states.
struct NodeClass {
  std::vector<NodeState> states;
};

/// The layouts of a tensor of that shape whose axes are in the order of the mesh: each group splits
/// one dimension or none. `fixed` dimensions are split as `given` and no further; the axes in
/// `excluded` split nothing. What these leave of a group is one.
std::vector<Layout> enumerateLayouts(const AxisGroups &groups, llvm::ArrayRef<int64_t> shape,
                                     const llvm::BitVector &fixed, llvm::ArrayRef<AxisList> given,
                                     const AxisList &excluded);

class NodeStates {
public:
  NodeStates(Propagation &graph, LayoutTable &layouts, AxisGroups groups)
      : graph(graph), layouts(layouts), groups(std::move(groups)), cost(graph) {}

  /// The class of a node, which may take those operands in partial sums. Its states hold the one
  /// that the graph has now. Nothing if it would have more than `limit` states.
  std::optional<unsigned> getClass(unsigned node, const OperandSets &partial, size_t limit);
  /// A class with all states of another one twice, the second ones behind the first.
  unsigned getDoubled(unsigned number);
  const NodeClass &get(unsigned number) const { return classes[number]; }
  size_t getNumClasses() const { return classes.size(); }
  /// The state of a class as a node is decided, if there is one.
  std::optional<unsigned> find(unsigned number, const Node &node) const;

private:
  std::string getKey(unsigned node, const OperandSets &partial) const;
  NodeState makeState(Node &node, Assignment assignment, CarriedAxes carried);

  Propagation &graph;
  LayoutTable &layouts;
  const AxisGroups groups;
  ProgramCost cost;
  std::deque<NodeClass> classes;
  llvm::StringMap<unsigned> byKey;
  llvm::DenseMap<unsigned, unsigned> doubled;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_NODESTATES_H
