//===- MoveOps.cpp - Operations that make moves ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MoveOps.h.
//
//===----------------------------------------------------------------------===//
#include "MoveOps.h"

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

Value dmc::createMoves(OpBuilder &builder, Location loc, LayoutCache &cache, ArrayRef<Move> moves,
                       Value operand, RankedTensorType type) {
  Value value = operand;
  for (auto [i, move] : llvm::enumerate(moves)) {
    auto result = i + 1 == moves.size() ? type : withLayout(type, cache.get(move.layout));
    value = createMove(builder, loc, cache, move, result, value);
  }
  return value;
}
