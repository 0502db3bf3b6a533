//===- MergeMoves.cpp - dmc-merge-moves -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites chains of moves so that each is, or pairs with its neighbour into, one
// collective.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Passes.h"
#include "dmc/Parallelize/ReshardPlan.h"

#include "MachineOption.h"
#include "MoveOps.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-merge-moves"

namespace dmc {
#define GEN_PASS_DEF_MERGEMOVES
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// The move behind an operation, if nothing else takes its result.
static Operation *getNext(Operation *op) {
  if (!op->getResult(0).hasOneUse())
    return nullptr;
  Operation *user = *op->getResult(0).user_begin();
  return getMove(user) && user->getBlock() == op->getBlock() ? user : nullptr;
}

/// The moves from `first` on of whose results only the next one takes each but the last.
static SmallVector<Operation *> getChain(Operation *first) {
  SmallVector<Operation *> chain;
  for (Operation *op = first; op; op = getNext(op))
    chain.push_back(op);
  return chain;
}

static void merge(ArrayRef<Operation *> chain, LayoutCache &cache, const ReshardOptions &options) {
  Value operand = chain.front()->getOperand(0);
  Operation *last = chain.back();
  auto type = cast<RankedTensorType>(last->getResult(0).getType());
  std::vector<Move> moves;
  for (Operation *op : chain)
    moves.push_back(*getMove(op));
  int64_t elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  if (!mergeMoves(cache.getMesh(), cache.get(LayoutAttr::of(operand.getType())), moves,
                  type.getShape().vec(), elementBytes, options))
    return;
  LDBG() << "merged " << chain.size() << " moves into " << moves.size() << " at " << last->getLoc();
  OpBuilder builder(last);
  last->getResult(0).replaceAllUsesWith(
      createMoves(builder, last->getLoc(), cache, moves, operand, type));
  for (Operation *op : llvm::reverse(chain))
    op->erase();
}

namespace {
struct MergeMovesPass : dmc::impl::MergeMovesBase<MergeMovesPass> {
  using MergeMovesBase::MergeMovesBase;

  void runOnOperation() override {
    auto run = [&](ProgramAttr program, const RankRates &rates) { runOn(program, rates); };
    if (failed(runOnParallel(*this, getOperation(), machine, run)))
      signalPassFailure();
  }

private:
  void runOn(ProgramAttr program, const RankRates &rates) {
    LayoutCache cache(program.getMesh());
    ReshardOptions options = rates.getReshardOptions();
    SmallVector<SmallVector<Operation *>> chains;
    llvm::DenseSet<Operation *> known;
    // In program order the first move of a chain comes first.
    getOperation().walk([&](Operation *op) {
      if (!getMove(op) || known.contains(op))
        return;
      chains.push_back(getChain(op));
      known.insert_range(chains.back());
    });
    for (ArrayRef<Operation *> chain : chains)
      if (chain.size() > 1)
        merge(chain, cache, options);
  }
};
} // namespace
