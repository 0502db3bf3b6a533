//===- SimplifyLoops.cpp - dmc-simplify-loops -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's patterns for loops, on loops alone: a loop then carries what changes.
//
//===----------------------------------------------------------------------===//
#include "dmc/Import/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace dmc {
#define GEN_PASS_DEF_SIMPLIFYLOOPS
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

using namespace mlir;

namespace {
struct SimplifyLoops : dmc::impl::SimplifyLoopsBase<SimplifyLoops> {
  using SimplifyLoopsBase::SimplifyLoopsBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
    SmallVector<Operation *> loops;
    // Inner loops first: what they do not carry, those around them need not either.
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(loops, std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
