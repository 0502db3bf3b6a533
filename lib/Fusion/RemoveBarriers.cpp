//===- RemoveBarriers.cpp - dmc-remove-barriers ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands behind a barrier reads what is in front of it.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Fusion/Passes.h"

namespace dmc {
#define GEN_PASS_DEF_REMOVEBARRIERS
#include "dmc/Fusion/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

namespace {
struct RemoveBarriers : dmc::impl::RemoveBarriersBase<RemoveBarriers> {
  using RemoveBarriersBase::RemoveBarriersBase;

  void runOnOperation() override {
    getOperation()->walk([](OptimizationBarrierOp op) {
      op.replaceAllUsesWith(op.getOperand());
      op.erase();
    });
  }
};
} // namespace
