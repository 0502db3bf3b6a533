//===- PlanEdit.h - A change of decided layouts -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes a decided plan step by step, and keeps or undoes the change as a whole.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_PLANEDIT_H
#define DMC_LIB_PARALLELIZE_PLANEDIT_H

#include "Propagation.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace dmc {

class PlanEdit {
public:
  /// How far a value's new sharding propagates: to its uses, or also to what it is made of.
  enum class Reach { Uses, All };

  explicit PlanEdit(Propagation &graph) : graph(graph) {}

  /// Splits a node so, and makes its results as it then makes them.
  void assign(unsigned node, Assignment assignment);
  /// Sets a value's sharding once its partial values are combined.
  void setSharding(unsigned value, const std::vector<AxisList> &sharding);
  /// Propagates a value's sharding through nodes without reductions. False if it ended before
  /// all was reached, since that is too much; what is done is a plan all the same.
  bool flow(unsigned value, Reach reach);

  /// True if the node's layouts are given, or hold partial values that others count on.
  bool isFrozen(const Node &node) const;
  /// True if nobody asks for the value's layout once its partial values are combined.
  bool isUnasked(unsigned value) const;
  /// True if a value's layout and that of its producer are open to change: not of
  /// arguments, what control flow forwards and what was asked for.
  bool isMovable(unsigned value) const;
  /// The split with which a node takes an operand that lies so, as far as it can; other loops
  /// stay split as they are.
  static Assignment getSplitTaking(const Node &node, unsigned operand,
                                   llvm::ArrayRef<AxisList> dims);
  /// The split with which a node makes a result that lies so, as far as it can; sums stay split
  /// as they are.
  static Assignment getSplitMaking(const Node &node, unsigned result,
                                   llvm::ArrayRef<AxisList> dims);
  /// The node that makes a value, if one does.
  std::optional<unsigned> getProducer(unsigned value) const;

protected:
  /// What a node or a value was before the change.
  struct NodeState {
    Assignment assignment;
    llvm::SmallVector<Layout, 4> operandLayouts;
    llvm::SmallVector<Layout, 2> resultLayouts;
  };
  struct ValueState {
    std::vector<AxisList> sharding;
    Layout produced, base;
  };

  /// The values that the change has to do with: those changed and those of nodes changed.
  llvm::SmallSetVector<unsigned, 16> getTouched() const;
  /// Exchanges the plan with what it was before.
  void swap();
  /// Ends the change: the plan is as it was before, or stays as it is.
  void undo();
  void keep();

  Propagation &graph;
  /// In the order in which they were changed first.
  llvm::MapVector<unsigned, NodeState> nodesBefore;
  llvm::MapVector<unsigned, ValueState> valuesBefore;

private:
  void saveValue(unsigned value);
  bool flowThrough(unsigned node, unsigned value, Reach reach,
                   llvm::SmallVectorImpl<unsigned> &next);
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_PLANEDIT_H
