//===- MergeMoves.cpp - Moves that one collective does --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites chains of moves so that each is, or pairs with its neighbour into, one
// collective.
//
//===----------------------------------------------------------------------===//
#include "dmc/Ranks/Passes.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-merge-moves"

namespace dmc {
#define GEN_PASS_DEF_MERGEMOVES
#include "dmc/Ranks/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

static AxesAttr concat(AxesAttr a, AxesAttr b) {
  SmallVector<AxisAttr> axes(a.begin(), a.end());
  axes.append(b.begin(), b.end());
  return AxesAttr::get(a.getContext(), axes);
}

/// The axes of `a` that are not in `b`.
static AxesAttr subtract(AxesAttr a, AxesAttr b) {
  SmallVector<AxisAttr> axes =
      llvm::filter_to_vector(a, [&](AxisAttr axis) { return !llvm::is_contained(b, axis); });
  return AxesAttr::get(a.getContext(), axes);
}

template <typename OpT>
static OpT getPrevious(Value value) {
  auto previous = value.getDefiningOp<OpT>();
  return previous && previous->hasOneUse() ? previous : OpT();
}

/// The operand's type once the axes are no longer partial.
static RankedTensorType reducedType(Value value, AxesAttr axes) {
  auto type = cast<RankedTensorType>(value.getType());
  LayoutAttr layout = LayoutAttr::of(type);
  std::vector<AxisRef> refs = LayoutAttr::get(layout.getMesh(), {axes}).toLayout().dims.front();
  return withLayout(type,
                    LayoutAttr::get(layout.getMesh(), *withoutPartial(layout.toLayout(), refs)));
}

static RankedTensorType partitionedType(Value value, int64_t dim, AxesAttr axes) {
  auto type = cast<RankedTensorType>(value.getType());
  LayoutAttr layout = LayoutAttr::of(type);
  SmallVector<AxesAttr> dims(layout.getDims());
  dims[dim] = concat(dims[dim], axes);
  return withLayout(type, layout.withDims(dims));
}

static void mergeReduce(ReduceOp op, RewriterBase &rewriter) {
  auto previous = getPrevious<ReduceOp>(op.getOperand());
  if (!previous)
    return;
  rewriter.modifyOpInPlace(op, [&] {
    op.getOperandMutable().assign(previous.getOperand());
    op.setAxesAttr(concat(previous.getAxes(), op.getAxes()));
  });
  rewriter.eraseOp(previous);
}

static void mergeCombine(CombineOp op, RewriterBase &rewriter) {
  auto previous = getPrevious<CombineOp>(op.getOperand());
  if (!previous || !isOneCombine(previous, op))
    return;
  LDBG() << "merged two combines of dimension " << op.getDim() << " at " << op.getLoc();
  rewriter.modifyOpInPlace(op, [&] {
    op.getOperandMutable().assign(previous.getOperand());
    op.setAxesAttr(concat(op.getAxes(), previous.getAxes()));
  });
  rewriter.eraseOp(previous);
}

/// Two partitions of one dimension, unless the first completes a reduce-scatter.
static void mergePartition(PartitionOp op, RewriterBase &rewriter) {
  auto previous = getPrevious<PartitionOp>(op.getOperand());
  if (!previous || previous.getDim() != op.getDim() ||
      previous.getOperand().getDefiningOp<ReduceOp>())
    return;
  rewriter.modifyOpInPlace(op, [&] {
    op.getOperandMutable().assign(previous.getOperand());
    op.setAxesAttr(concat(previous.getAxes(), op.getAxes()));
  });
  rewriter.eraseOp(previous);
}

/// reduce over A, partition along B in A: the rest of A is reduced afterwards.
static void splitReduce(PartitionOp op, RewriterBase &rewriter) {
  auto reduce = getPrevious<ReduceOp>(op.getOperand());
  AxesAttr scattered = op.getAxes();
  if (!reduce || !subtract(scattered, reduce.getAxes()).empty())
    return;
  AxesAttr rest = subtract(reduce.getAxes(), scattered);
  if (rest.empty())
    return;
  // Padded blocks could make two collectives send more than one.
  LayoutAttr before = LayoutAttr::of(op.getOperand().getType()),
             after = LayoutAttr::of(op.getType());
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
  int64_t dim = op.getDim();
  if (after.getLocalShape(shape)[dim] * scattered.getGroupSize(before.getMesh()) !=
      before.getLocalShape(shape)[dim])
    return;
  LDBG() << "split the reduction at " << reduce.getLoc() << " behind the scatter over "
         << scattered;
  rewriter.setInsertionPoint(op);
  Value x = reduce.getOperand();
  auto first = ReduceOp::create(rewriter, reduce.getLoc(), reducedType(x, scattered), x, scattered);
  auto second =
      PartitionOp::create(rewriter, op.getLoc(), partitionedType(first, op.getDim(), scattered),
                          first, scattered, op.getDim());
  rewriter.replaceOpWithNewOp<ReduceOp>(op, op.getType(), second, rest);
  rewriter.eraseOp(reduce);
}

namespace {
struct MergeMovesPass : public dmc::impl::MergeMovesBase<MergeMovesPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // In program order a chain is merged into its last move. What splitReduce leaves
    // at the end is met again by the partition after it.
    SmallVector<Operation *> moves;
    getOperation().walk([&](Operation *op) {
      if (isa<CombineOp, PartitionOp, ReduceOp>(op))
        moves.push_back(op);
    });
    for (Operation *op : moves) {
      if (auto reduce = dyn_cast<ReduceOp>(op))
        mergeReduce(reduce, rewriter);
      else if (auto combine = dyn_cast<CombineOp>(op))
        mergeCombine(combine, rewriter);
      else if (auto partition = dyn_cast<PartitionOp>(op))
        mergePartition(partition, rewriter);
    }
    moves.clear();
    getOperation().walk([&](PartitionOp op) { moves.push_back(op); });
    for (Operation *op : moves)
      splitReduce(cast<PartitionOp>(op), rewriter);
  }
};
} // namespace
