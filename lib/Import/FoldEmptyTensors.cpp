//===- FoldEmptyTensors.cpp - dmc-fold-empty-tensors ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops without iterations leave their results as they were initialized.
//
//===----------------------------------------------------------------------===//
#include "dmc/Import/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dmc {
#define GEN_PASS_DEF_FOLDEMPTYTENSORS
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

using namespace mlir;

namespace {
struct FoldEmptyTensors : dmc::impl::FoldEmptyTensorsBase<FoldEmptyTensors> {
  using FoldEmptyTensorsBase::FoldEmptyTensorsBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> empty;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && llvm::is_contained(op.getStaticLoopRanges(), 0) &&
          !isa<linalg::FillOp>(op))
        empty.push_back(op);
    });
    // A later one may be initialized by what an earlier one makes.
    for (linalg::LinalgOp op : empty) {
      op->replaceAllUsesWith(llvm::to_vector_of<Value>(op.getDpsInits()));
      op->erase();
    }
  }
};
} // namespace
