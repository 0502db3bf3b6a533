//===- MovementFolds.cpp - Cancel and merge laws --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The laws of the movement algebra that hold at any cost: a move undone by the next
// one, a move to the layout that is there already, reshards that merge.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Layout/Reshard.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;

/// A move whose operand has the result's type moves nothing.
static Value foldTrivial(Operation *op) {
  return op->getOperand(0).getType() == op->getResult(0).getType() ? op->getOperand(0) : Value();
}

std::optional<Move> dmc::getMove(Operation *op) {
  auto make = [&](MoveKind kind, AxesAttr axes, int64_t dim = 0, int64_t targetDim = 0) {
    LayoutAttr layout = LayoutAttr::of(op->getResult(0).getType());
    Move move{kind, {}, dim, targetDim, layout.toLayout(), {}};
    if (axes)
      move.axes = LayoutAttr::get(layout.getMesh(), {axes}).toLayout().dims.front();
    return std::optional(move);
  };
  return llvm::TypeSwitch<Operation *, std::optional<Move>>(op)
      .Case([&](PartitionOp o) { return make(MoveKind::Partition, o.getAxes(), o.getDim()); })
      .Case([&](CombineOp o) { return make(MoveKind::Combine, o.getAxes(), o.getDim()); })
      .Case([&](ReduceOp o) { return make(MoveKind::Reduce, o.getAxes()); })
      .Case([&](SpreadOp o) { return make(MoveKind::Spread, o.getAxes()); })
      .Case([&](ReplicateOp o) { return make(MoveKind::Replicate, o.getAxes()); })
      .Case([&](PlaceOp o) { return make(MoveKind::Place, o.getAxes()); })
      .Case([&](ExchangeOp o) {
        return make(MoveKind::Exchange, o.getAxes(), o.getSourceDim(), o.getTargetDim());
      })
      .Case([&](PermuteOp) { return make(MoveKind::Permute, {}); })
      .Case([&](RedistributeOp) { return make(MoveKind::Redistribute, {}); })
      .Default([](Operation *) { return std::nullopt; });
}

/// The operand of the producer, if `op` undoes what the producer does.
static Value foldInverse(Operation *op) {
  Operation *producer = op->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<MoveOpInterface>(producer) ||
      producer->getOperand(0).getType() != op->getResult(0).getType())
    return {};
  std::optional<Move> move = getMove(op), previous = getMove(producer);
  return move && previous && undoes(*move, *previous) ? producer->getOperand(0) : Value();
}

OpFoldResult PartitionOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  return foldInverse(*this);
}

OpFoldResult CombineOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  return foldInverse(*this);
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  return foldInverse(*this);
}

OpFoldResult ReplicateOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  return foldInverse(*this);
}

OpFoldResult ExchangeOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  return foldInverse(*this);
}

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  return foldInverse(*this);
}

OpFoldResult RedistributeOp::fold(FoldAdaptor) { return foldTrivial(*this); }

OpFoldResult ReshardOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  auto producer = getOperand().getDefiningOp<ReshardOp>();
  // With other uses the move between stays, and this one may be cheaper from there. Partial
  // values are made where somebody asks for them: which axes are reduced, and when, stays.
  if (!producer || !producer->hasOneUse() || LayoutAttr::of(producer.getType()).isPartial())
    return {};
  // A reshard is the identity on the value, so the first operand holds it.
  getOperandMutable().assign(producer.getOperand());
  return getResult();
}
