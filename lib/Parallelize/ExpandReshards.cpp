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

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-expand-reshards"

namespace dmc {
#define GEN_PASS_DEF_EXPANDRESHARDS
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

static AxesAttr toAttr(LayoutCache &cache, ArrayRef<AxisRef> axes) {
  // The dialect's own conversion, through a layout of one dimension.
  Layout layout = Layout::replicated(1);
  layout.dims[0].assign(axes.begin(), axes.end());
  return LayoutAttr::get(cache.getMeshAttr(), layout).getDims().front();
}

static Value createMove(OpBuilder &builder, Location loc, LayoutCache &cache, const Move &move,
                        RankedTensorType type, Value operand) {
  AxesAttr axes = toAttr(cache, move.axes);
  switch (move.kind) {
  case MoveKind::Partition:
    return PartitionOp::create(builder, loc, type, operand, axes, move.dim);
  case MoveKind::Combine:
    return CombineOp::create(builder, loc, type, operand, axes, move.dim);
  case MoveKind::Reduce:
    return ReduceOp::create(builder, loc, type, operand, axes);
  case MoveKind::Replicate:
    return ReplicateOp::create(builder, loc, type, operand, axes);
  case MoveKind::Spread:
    return SpreadOp::create(builder, loc, type, operand, axes);
  case MoveKind::Place:
    return PlaceOp::create(builder, loc, type, operand, axes);
  case MoveKind::Exchange:
    return ExchangeOp::create(builder, loc, type, operand, axes, move.dim, move.targetDim);
  case MoveKind::Permute:
    return PermuteOp::create(builder, loc, type, operand);
  case MoveKind::Redistribute:
    return RedistributeOp::create(builder, loc, type, operand);
  }
  llvm_unreachable("all kinds of move are listed");
}

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
    AxesAttr axes = toAttr(cache, from.canonical().partial);
    op.replaceAllUsesWith(
        ReduceOp::create(builder, op.getLoc(), type, op.getOperand(), axes).getResult());
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
  Value value = op.getOperand();
  for (auto [i, move] : llvm::enumerate(moves)) {
    // The last layout is the target's own attribute.
    auto result = i + 1 == moves.size() ? type : withLayout(type, cache.get(move.layout));
    value = createMove(builder, op.getLoc(), cache, move, result, value);
  }
  op.replaceAllUsesWith(value);
  op.erase();
}

namespace {
struct ExpandReshards : dmc::impl::ExpandReshardsBase<ExpandReshards> {
  using ExpandReshardsBase::ExpandReshardsBase;

  void runOnOperation() override {
    ProgramAttr program = ProgramAttr::of(getOperation());
    if (!program || program.getLevel() != Level::parallel)
      return;
    FailureOr<RankRates> rates = parseMachineOption(*this, getOperation(), machine);
    if (failed(rates))
      return signalPassFailure();
    LayoutCache cache(program.getMesh());
    ReshardPlans plans(cache.getMesh(), *rates);
    SmallVector<ReshardOp> reshards;
    getOperation()->walk([&](ReshardOp op) { reshards.push_back(op); });
    bool isPlain = bool(getOperation()->removeAttr("dmc.plain"));
    for (ReshardOp op : reshards)
      expand(op, cache, plans, isPlain);
  }
};
} // namespace
