//===- VerifyStreams.h - Whatever order streams take ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_SCHEDULE_VERIFYSTREAMS_H
#define DMC_LIB_SCHEDULE_VERIFYSTREAMS_H

#include "StreamOrder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc {

/// Follows the operations of an entry in the order in which they are given to streams, and
/// proves of each that it runs after all with which it conflicts.
class StreamVerifier {
public:
  explicit StreamVerifier(const EntryMemory &memory) : order(memory.getNumMemories()) {}

  mlir::LogicalResult visitAccesses(mlir::Operation *op, llvm::ArrayRef<Access> reads,
                                    llvm::ArrayRef<Access> writes);
  /// Records an event or waits for it.
  void visitEvent(mlir::Operation *op);

  /// Goes back to what another one knows.
  void setOrder(const StreamVerifier &other);
  /// Keeps what holds on both paths of control.
  void meet(const StreamVerifier &other);

private:
  StreamOrder order;
  llvm::DenseMap<mlir::Value, Clock> events;
  int64_t time = 0;
};

/// Checks that collectives of the same groups are on one stream: so all ranks, which run the same
/// program, execute them in one order.
mlir::LogicalResult verifyCollectiveOrder(mlir::func::FuncOp entry);

} // namespace dmc

#endif // DMC_LIB_SCHEDULE_VERIFYSTREAMS_H
