//===- ExpandReshards.cpp - dmc-expand-reshards ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each reshard becomes the moves that the planner lists.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Passes.h"
#include "dmc/Parallelize/ReshardPlan.h"

#include "Factors.h"
#include "MachineOption.h"
#include "MoveOps.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-expand-reshards"

namespace dmc {
#define GEN_PASS_DEF_EXPANDRESHARDS
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// True if all that happens is that partial values are combined.
static bool isReduction(const Layout &from, const Layout &to) {
  return !from.partial.empty() && to.partial.empty() && from.dims == to.dims &&
         from.placed == to.placed;
}

static void expand(ReshardOp op, LayoutCache &cache, ReshardPlans &plans, bool isPlain) {
  auto type = cast<RankedTensorType>(op.getType());
  if (const Layout &from = cache.get(LayoutAttr::of(op.getOperand().getType()));
      isPlain && isReduction(from, cache.get(LayoutAttr::of(type)))) {
    OpBuilder builder(op);
    Move reduction{MoveKind::Reduce, from.canonical().partial, 0, 0, {}, {}};
    op.replaceAllUsesWith(
        createMoves(builder, op.getLoc(), cache, reduction, op.getOperand(), type));
    op.erase();
    return;
  }
  int64_t elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  const ReshardPlan &plan =
      plans.get(cache.get(LayoutAttr::of(op.getOperand().getType())),
                cache.get(LayoutAttr::of(type)), type.getShape(), elementBytes);
  ArrayRef<Move> moves = plan.moves;
  LDBG() << op.getOperand().getType() << " to " << type << ": " << moves.size() << " moves, "
         << plan.traffic.bytes << " bytes, " << plan.traffic.messages << " messages";
  if (double capacity = plans.getRates().capacity; capacity > 0 && plan.peakBytes > capacity)
    op.emitWarning("expected moves whose operand and result fit into the capacity of ")
        << static_cast<int64_t>(capacity) << " bytes, found none that need less than "
        << plan.peakBytes;
  OpBuilder builder(op);
  op.replaceAllUsesWith(createMoves(builder, op.getLoc(), cache, moves, op.getOperand(), type));
  op.erase();
}

namespace {
struct ExpandReshards : dmc::impl::ExpandReshardsBase<ExpandReshards> {
  using ExpandReshardsBase::ExpandReshardsBase;

  void runOnOperation() override {
    auto run = [&](ProgramAttr program, const RankRates &rates) { runOn(program, rates); };
    if (failed(runOnParallel(*this, getOperation(), machine, run)))
      signalPassFailure();
  }

private:
  void runOn(ProgramAttr program, const RankRates &rates) {
    LayoutCache cache(program.getMesh());
    ReshardPlans plans(cache.getMesh(), rates);
    SmallVector<ReshardOp> reshards;
    getOperation()->walk([&](ReshardOp op) { reshards.push_back(op); });
    bool isPlain = bool(getOperation()->removeAttr("dmc.plain"));
    for (ReshardOp op : reshards)
      expand(op, cache, plans, isPlain);
  }
};
} // namespace
