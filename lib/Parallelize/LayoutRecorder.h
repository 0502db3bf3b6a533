//===- LayoutRecorder.h - Fills a layout record -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Listens to a propagation and writes down what it decided and why.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_LAYOUTRECORDER_H
#define DMC_LIB_PARALLELIZE_LAYOUTRECORDER_H

#include "Propagation.h"

#include "dmc/Parallelize/LayoutRecord.h"

namespace dmc {

/// True if nothing says how the operation may be split.
bool hasNoRule(const Node &node);

class LayoutRecorder : public PropagationObserver {
public:
  /// A record that has notes goes on with them: those of a graph of which this one is a copy.
  LayoutRecorder(Propagation &graph, LayoutRecord &record);

  void onAssigned(unsigned node, unsigned factor, unsigned i, unsigned dim) override;
  void onPlaced(unsigned value, unsigned dim, unsigned node) override;
  void onGranted(unsigned value, unsigned dim, std::optional<unsigned> node,
                 int64_t priority) override;
  void onProposed(unsigned value) override;
  void onChosen(unsigned node, int64_t numShardsBefore, double bytesBefore, int64_t numShards,
                double bytes) override;
  void onRefined(llvm::ArrayRef<unsigned> nodes, llvm::ArrayRef<unsigned> values, double seconds,
                 double bytes) override;

  /// Takes layouts that operations were given before, all of them, as what is decided.
  void adopt(mlir::func::FuncOp entry, ProgramAttr program, LayoutCache &cache);

  /// Once all is decided; notes the nodes' numbers in the operations' locations.
  void finish(mlir::func::FuncOp entry, ReshardPlans &plans);

private:
  void place(unsigned value, unsigned dim, AxisCause cause);
  void followKept();
  void recordValues(mlir::func::FuncOp entry);
  void recordNodes();
  void tagOperations(mlir::func::FuncOp entry);

  Propagation &graph;
  LayoutRecord &record;
};

/// Fills a record of a program in which all layouts are decided already: how they follow from
/// one another and what others would cost, not what was weighed.
mlir::LogicalResult recordDecided(mlir::func::FuncOp entry, ProgramAttr program,
                                  const RankRates &rates, LayoutRecord &record);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_LAYOUTRECORDER_H
