//===- Trial.h - What another decision would cost ---------------*- C++ -*-===//
//
// Changes a decided plan, prices the part that was touched and undoes the change.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_TRIAL_H
#define DMC_LIB_PARALLELIZE_TRIAL_H

#include "ProgramCost.h"

#include "dmc/Parallelize/LayoutRecord.h"

#include "llvm/ADT/SetVector.h"

namespace dmc {

class Trial {
public:
  Trial(Propagation &graph, const Mesh &mesh, const Machine &machine)
      : graph(graph), cost(graph, mesh, machine) {}

  /// Splits a node so, and makes its results as it then makes them.
  void assign(unsigned node, Assignment assignment);
  /// The node makes and takes terms over axes of some operands.
  void carry(unsigned node, const llvm::BitVector &operands, const Layout &terms);
  /// Wants a value there once its terms are combined.
  void rehome(unsigned value, const std::vector<AxisList> &home);
  /// Carries a value's home on through operations without reductions: to its uses, or
  /// also to what it is made of; not without end.
  void flow(unsigned value, bool onlyToUses);

  /// What was touched costs now and would cost then; nothing changed: no alternative.
  /// The plan is as it was afterwards.
  std::optional<Alternative> end(std::string what);

  /// True if a value's layout and that of its producer are open to change.
  bool isMovable(unsigned value) const;
  /// True if nobody asks where the value lies once its terms are combined.
  bool isUnasked(unsigned value) const;
  bool isFrozen(const Node &node) const;
  /// What the windows that a node makes of an operand's dimension send.
  double getHaloBytes(const Node &node, const WindowAccess &access) const {
    return node.operands[access.operand] == Node::kFree || node.assignment[access.factor].empty()
               ? 0
               : graph.getHaloTraffic(node, access, node.assignment).bytes;
  }
  /// The node that makes a value, if one does.
  std::optional<unsigned> getProducer(unsigned value) const;

private:
  struct NodeState {
    Assignment assignment;
    llvm::SmallVector<Layout, 4> operandLayouts;
    llvm::SmallVector<Layout, 2> resultLayouts;
  };
  struct ValueState {
    std::vector<AxisList> home;
    Layout produced, base;
  };
  void saveNode(unsigned node);
  void saveValue(unsigned value);
  void flowThrough(unsigned node, unsigned value, bool onlyToUses,
                   llvm::SmallVectorImpl<unsigned> &next);
  void swap();
  PlanCost price(llvm::ArrayRef<unsigned> values);

  Propagation &graph;
  ProgramCost cost;
  llvm::MapVector<unsigned, NodeState> nodes;
  llvm::MapVector<unsigned, ValueState> values;
};

/// What each use to which bytes are sent would cost otherwise; `results` are the values
/// that the program returns.
std::vector<RecordedUse> findAlternatives(Propagation &graph, const Mesh &mesh,
                                          const Machine &machine,
                                          llvm::ArrayRef<std::optional<unsigned>> results);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_TRIAL_H
