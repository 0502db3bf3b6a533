//===- LoopInvariants.h - What leaves a loop with its moves -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations dmc-hoist-moves takes out of a loop so that a move can stand in
// front of it: the cost model prices by what the pass does.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_LOOPINVARIANTS_H
#define DMC_LIB_PARALLELIZE_LOOPINVARIANTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace dmc {

/// Operations that are hoisted for one move, at most: what a move needs is cheap to find.
constexpr unsigned kMaxHoistedOps = 16;

/// True if it is a loop that moves are hoisted out of.
bool isHoistingLoop(mlir::Operation *op);
/// True if it may be executed in front of a loop instead of in it, as far as effects go.
bool isHoistable(mlir::Operation *op);
/// The values that an operation and its regions use from outside of it.
llvm::SetVector<mlir::Value> getUsedValues(mlir::Operation *op);

/// Answers, and remembers, how far out operations of a program can go.
class LoopInvariants {
public:
  /// The outermost loop in front of which the operation can stand, with all that it needs;
  /// null: it depends on each loop around it.
  mlir::Operation *getOutermostLoop(mlir::Operation *op) { return find(op).loop; }

private:
  struct Result {
    mlir::Operation *loop = nullptr;
    /// Operations that are hoisted together.
    unsigned numOps = 1;
  };
  Result find(mlir::Operation *op);

  llvm::DenseMap<mlir::Operation *, Result> known;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_LOOPINVARIANTS_H
