//===- MovementFolds.cpp - Cancel and merge laws --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The laws of the movement algebra that need no cost: a move undone by the
// next one, a move to the layout that is there already, neighbours that merge.
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

/// What of a move says which one undoes it.
static std::optional<Move> getMove(Operation *op) {
  auto make = [&](MoveKind kind, AxesAttr axes, int64_t dim = 0, int64_t targetDim = 0) {
    Move move{kind, {}, dim, targetDim, {}, {}};
    if (axes) {
      MeshAttr mesh = LayoutAttr::of(op->getResult(0).getType()).getMesh();
      move.axes = LayoutAttr::get(mesh, {axes}).toLayout().dims.front();
    }
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

bool dmc::isOneCombine(CombineOp first, CombineOp second) {
  if (first.getDim() != second.getDim())
    return false;
  auto getBlock = [&](RankedTensorType type) {
    return LayoutAttr::of(type).getLocalShape(type.getShape())[first.getDim()];
  };
  RankedTensorType type = first.getOperand().getType();
  return isOneGather(getBlock(type), getBlock(first.getType()),
                     first.getAxes().getGroupSize(LayoutAttr::of(type).getMesh()));
}

OpFoldResult CombineOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  if (Value value = foldInverse(*this))
    return value;
  // combine of the next minor axes, then of these: one combine.
  auto inner = getOperand().getDefiningOp<CombineOp>();
  if (inner && inner->hasOneUse() && isOneCombine(inner, *this)) {
    SmallVector<AxisAttr> axes(getAxes().getAxes());
    llvm::append_range(axes, inner.getAxes());
    setAxesAttr(AxesAttr::get(getContext(), axes));
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  if (Value value = foldInverse(*this))
    return value;
  auto inner = getOperand().getDefiningOp<ReduceOp>();
  if (inner && inner->hasOneUse()) {
    SmallVector<AxisAttr> axes(inner.getAxes().getAxes());
    llvm::append_range(axes, getAxes());
    setAxesAttr(AxesAttr::get(getContext(), axes));
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return {};
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
