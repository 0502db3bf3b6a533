//===- Trial.h - What another decision would cost ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes a decided plan, prices the part that was touched and undoes the change.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_TRIAL_H
#define DMC_LIB_PARALLELIZE_TRIAL_H

#include "PlanEdit.h"
#include "ProgramCost.h"

#include "dmc/Parallelize/LayoutRecord.h"

namespace dmc {

class Trial : public PlanEdit {
public:
  explicit Trial(Propagation &graph) : PlanEdit(graph), cost(graph) {}

  /// The node makes and takes partial values over axes of some operands.
  void carry(unsigned node, const llvm::BitVector &operands, const Layout &partials);

  /// What was touched costs now and would cost then; nothing changed: no alternative.
  /// The plan is as it was afterwards.
  std::optional<Alternative> end(std::string what);

  /// What the windows that a node makes of an operand's dimension send.
  double getHaloBytes(const Node &node, const WindowAccess &access) const {
    return node.operands[access.operand] == Node::kLayoutAgnostic ||
                   node.assignment[access.factor].empty()
               ? 0
               : graph.getHaloTraffic(node, access, node.assignment).bytes;
  }

private:
  PlanCost price(llvm::ArrayRef<unsigned> values);

  ProgramCost cost;
};

/// What each use to which bytes are sent would cost otherwise; `results` are the values
/// that the program returns.
std::vector<RecordedUse> findAlternatives(Propagation &graph, ReshardPlans &plans,
                                          llvm::ArrayRef<std::optional<unsigned>> results);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_TRIAL_H
