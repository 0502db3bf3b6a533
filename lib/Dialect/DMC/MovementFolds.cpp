//===- MovementFolds.cpp - Cancel and merge laws --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The laws of the movement algebra that need no cost: a move undone by the
// next one, a move to the layout that is there already, neighbours that merge.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Layout/Reshard.h"

using namespace mlir;
using namespace dmc;

/// A move whose operand has the result's type moves nothing.
static Value foldTrivial(Operation *op) {
  return op->getOperand(0).getType() == op->getResult(0).getType() ? op->getOperand(0) : Value();
}

/// The operand of the producer, if the producer undoes what `op` does.
template <typename Inverse>
static Value foldInverse(Operation *op) {
  auto producer = op->getOperand(0).getDefiningOp<Inverse>();
  if (producer && producer.getOperand().getType() == op->getResult(0).getType())
    return producer.getOperand();
  return {};
}

OpFoldResult PartitionOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  auto producer = getOperand().getDefiningOp<CombineOp>();
  // The same axes in the same dimension, else the blocks differ.
  if (producer && producer.getDim() == getDim() && producer.getAxes() == getAxes())
    return foldInverse<CombineOp>(*this);
  return {};
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
  auto producer = getOperand().getDefiningOp<PartitionOp>();
  if (producer && producer.getDim() == getDim() && producer.getAxes() == getAxes())
    return foldInverse<PartitionOp>(*this);
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
  if (auto producer = getOperand().getDefiningOp<SpreadOp>())
    if (producer.getAxes() == getAxes())
      return foldInverse<SpreadOp>(*this);
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
  return foldInverse<PlaceOp>(*this);
}

OpFoldResult ExchangeOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  auto producer = getOperand().getDefiningOp<ExchangeOp>();
  if (producer && producer.getAxes() == getAxes() && producer.getSourceDim() == getTargetDim() &&
      producer.getTargetDim() == getSourceDim())
    return foldInverse<ExchangeOp>(*this);
  return {};
}

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (Value value = foldTrivial(*this))
    return value;
  auto producer = getOperand().getDefiningOp<PermuteOp>();
  return producer ? foldInverse<PermuteOp>(*this) : Value();
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
