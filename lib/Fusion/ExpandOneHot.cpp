//===- ExpandOneHot.cpp - Scatters of one element a row -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scatter that changes at most one element of each row compares positions instead.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Fusion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace dmc {
#define GEN_PASS_DEF_EXPANDONEHOT
#include "dmc/Fusion/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

/// The value with its leading dimensions alone, if all others are of size 1; else null.
static Value takeLeading(OpBuilder &builder, Location loc, Value value, size_t rank) {
  auto type = cast<RankedTensorType>(value.getType());
  size_t all = type.getRank();
  if (all < rank ||
      llvm::any_of(type.getShape().drop_front(rank), [](int64_t size) { return size != 1; }))
    return {};
  if (all == rank)
    return value;
  // Beside the value: a reshape stands between kernels, and what reads it behind it.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(value);
  auto leading = RankedTensorType::get(type.getShape().take_front(rank), type.getElementType());
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    Value empty =
        tensor::EmptyOp::create(builder, loc, leading.getShape(), leading.getElementType());
    return linalg::FillOp::create(builder, loc, fill.getInputs(), ValueRange{empty}).getResult(0);
  }
  SmallVector<ReassociationIndices> groups(rank);
  for (size_t dim = 0; dim < all; ++dim)
    groups[std::min(dim, rank - 1)].push_back(dim);
  return tensor::CollapseShapeOp::create(builder, loc, leading, value, groups);
}

static bool isPrefix(ArrayRef<int64_t> dims) {
  for (auto [position, dim] : llvm::enumerate(dims))
    if (dim != static_cast<int64_t>(position))
      return false;
  return true;
}

namespace {

struct Expand : public OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getTargetType();
    size_t rank = type.getRank(), batch = op.getInputBatchingDims().size();
    // One row for each batch, and one update for each row, along the last dimension.
    if (op->getNumResults() != 1 || batch == 0 || rank != batch + 1 || type.getEncoding() ||
        !op.getUpdateWindowDims().empty() || op.getInsertedWindowDims().size() != 1 ||
        op.getScatterDimsToOperandDims() != ArrayRef<int64_t>{static_cast<int64_t>(batch)} ||
        !isPrefix(op.getInputBatchingDims()) || !isPrefix(op.getScatterIndicesBatchingDims()) ||
        op.getIndexVectorDim() < batch)
      return failure();
    Location loc = op.getLoc();
    Value indices = takeLeading(rewriter, loc, op.getIndices(), batch);
    Value update = takeLeading(rewriter, loc, op.getUpdates().front(), batch);
    if (!indices || !update)
      return failure();
    auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(indices));
    // Every position is a number of this type, and none of them is negative.
    if (!integer || integer.getWidth() < 2 ||
        (integer.getWidth() < 63 && type.getShape().back() > int64_t(1)
                                                                 << (integer.getWidth() - 1)))
      return failure();

    MLIRContext *context = rewriter.getContext();
    AffineMap all = rewriter.getMultiDimIdentityMap(rank);
    AffineMap row = AffineMap::get(rank, 0, all.getResults().take_front(batch), context);
    Value target = op.getTargets().front();
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), type.getElementType());
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    auto body = [&](OpBuilder &b, Location at, ValueRange elements) {
      Value position = linalg::IndexOp::create(b, at, batch);
      position = arith::IndexCastOp::create(b, at, integer, position);
      Value isHit = arith::CmpIOp::create(b, at, arith::CmpIPredicate::eq, position, elements[1]);
      IRMapping mapping;
      mapping.map(op.getCombiner().getArguments(), ValueRange{elements[0], elements[2]});
      Block &combiner = op.getCombiner().front();
      for (Operation &inner : combiner.without_terminator())
        b.clone(inner, mapping);
      Value combined = mapping.lookupOrDefault(combiner.getTerminator()->getOperand(0));
      Value chosen = arith::SelectOp::create(b, at, isHit, combined, elements[0]);
      linalg::YieldOp::create(b, at, chosen);
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, TypeRange{type}, ValueRange{target, indices, update}, ValueRange{empty},
        ArrayRef<AffineMap>{all, row, row, all}, iterators, body);
    return success();
  }
};

struct ExpandOneHot : dmc::impl::ExpandOneHotBase<ExpandOneHot> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<Expand>(&getContext());
    walkAndApplyPatterns(getOperation(), FrozenRewritePatternSet(std::move(patterns)));
  }
};

} // namespace
