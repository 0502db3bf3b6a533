//===- SimplifyMoves.cpp - dmc-simplify-moves -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folders of the movement operators to a fixed point, then common
// subexpressions and dead code.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-simplify-moves"

namespace dmc {
#define GEN_PASS_DEF_SIMPLIFYMOVES
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// Only moves: the folders of foreign operations do not keep layouts.
static bool foldMoves(ModuleOp module) {
  SmallVector<Operation *> moves;
  module->walk([&](Operation *op) {
    if (isa<MoveOpInterface>(op))
      moves.push_back(op);
  });
  if (moves.empty())
    return false;
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  bool changed = false;
  (void)applyOpPatternsGreedily(moves, RewritePatternSet(module.getContext()), config, &changed);
  LDBG() << moves.size() << " moves, " << (changed ? "some" : "none") << " folded";
  return changed;
}

static void eraseDead(ModuleOp module) {
  // Users come before what they use.
  module->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

namespace {
struct SimplifyMoves : dmc::impl::SimplifyMovesBase<SimplifyMoves> {
  using SimplifyMovesBase::SimplifyMovesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    eraseDead(module);
    IRRewriter rewriter(&getContext());
    // Merging equal moves can make others cancel.
    do {
      DominanceInfo dominance(module);
      eliminateCommonSubExpressions(rewriter, dominance, module);
    } while (foldMoves(module));
    eraseDead(module);
  }
};
} // namespace
