//===- DropUnitDims.cpp - Tensors without dimensions of one element -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves elementwise operations and gathers past reshapes that add dimensions of size 1.
//
//===----------------------------------------------------------------------===//
#include "dmc/Fusion/Passes.h"

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Dialect/DMC/SplitReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace dmc {
#define GEN_PASS_DEF_DROPUNITDIMS
#include "dmc/Fusion/Passes.h.inc"
} // namespace dmc

using namespace mlir;

static RankedTensorType dropUnitDims(RankedTensorType type) {
  SmallVector<int64_t> shape;
  llvm::copy_if(type.getShape(), std::back_inserter(shape), [](int64_t size) { return size != 1; });
  return RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
}

/// The dimensions of the larger shape that make up each of the smaller one: unit dimensions belong
/// to the one before them, the first ones to the first.
static SmallVector<ReassociationIndices> groupDims(RankedTensorType large) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices current;
  bool hasSize = false;
  for (auto [dim, size] : llvm::enumerate(large.getShape())) {
    if (size != 1 && hasSize) {
      groups.push_back(current);
      current.clear();
    }
    hasSize |= size != 1;
    current.push_back(dim);
  }
  if (hasSize)
    groups.push_back(current);
  return groups;
}

/// The value in its smaller form, where that exists already.
static Value findSmall(Value value) {
  auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
  bool isSmall = expand && expand.getSrcType() == dropUnitDims(expand.getResultType());
  return isSmall ? expand.getSrc() : Value();
}

static Value makeSmall(OpBuilder &builder, Location loc, Value value) {
  if (Value known = findSmall(value))
    return known;
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType small = dropUnitDims(type);
  if (small == type)
    return value;
  auto makeEmpty = [&] {
    return tensor::EmptyOp::create(builder, loc, small.getShape(), small.getElementType());
  };
  if (value.getDefiningOp<tensor::EmptyOp>())
    return makeEmpty();
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    return linalg::FillOp::create(builder, loc, fill.getInputs(), ValueRange(makeEmpty()))
        .getResult(0);
  return tensor::CollapseShapeOp::create(builder, loc, small, value, groupDims(type));
}

static Value makeLarge(OpBuilder &builder, Location loc, Value value, Type type) {
  auto large = cast<RankedTensorType>(type);
  return tensor::ExpandShapeOp::create(builder, loc, large, value, groupDims(large));
}

namespace {

struct MoveMap : public OpRewritePattern<linalg::MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::MapOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
        llvm::none_of(op.getInputs(), findSmall))
      return failure();
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, makeSmall(rewriter, op.getLoc(), operand));
    Type type = op->getResult(0).getType();
    Operation *small = rewriter.clone(*op, mapping);
    small->getResult(0).setType(dropUnitDims(cast<RankedTensorType>(type)));
    rewriter.replaceOp(op, makeLarge(rewriter, op.getLoc(), small->getResult(0), type));
    return success();
  }
};

/// Whether combining the initial value with any element of the input gives the element.
static bool isNeutral(linalg::ReduceOp op) {
  auto fill = op.getInits().front().getDefiningOp<linalg::FillOp>();
  Operation *combiner = dmc::getSplitCombiner(cast<linalg::LinalgOp>(op.getOperation()));
  TypedAttr init;
  if (!fill || !combiner || !matchPattern(fill.getInputs().front(), m_Constant(&init)) ||
      init != *arith::getNeutralElement(combiner) ||
      !llvm::all_of(combiner->getOperands(), llvm::IsaPred<BlockArgument>))
    return false;
  if (!isa<arith::AddFOp>(combiner))
    return true;
  // Zero and -0 give 0: right for what is such a sum itself, which is never -0.
  Value input = op.getInputs().front();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(input.getDefiningOp()))
    input = input.getDefiningOp()->getOperand(0);
  auto sum = input.getDefiningOp<linalg::ReduceOp>();
  auto start = sum ? sum.getInits().front().getDefiningOp<linalg::FillOp>() : linalg::FillOp();
  return start && sum.getInputs().size() == 1 &&
         isa_and_nonnull<arith::AddFOp>(
             dmc::getSplitCombiner(cast<linalg::LinalgOp>(sum.getOperation()))) &&
         matchPattern(start.getInputs().front(), m_PosZeroFloat());
}

/// A reduction of one element each.
struct CombineOne : public OpRewritePattern<linalg::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::ReduceOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.getInputs().size() != 1)
      return failure();
    auto type = cast<RankedTensorType>(op.getInputs().front().getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    if (llvm::any_of(op.getDimensions(), [&](int64_t dim) { return type.getDimSize(dim) != 1; }))
      return failure();
    Location loc = op.getLoc();
    Value input = makeSmall(rewriter, loc, op.getInputs().front());
    RankedTensorType small = dropUnitDims(result);
    if (isNeutral(op)) {
      rewriter.replaceOp(op, small == result ? input : makeLarge(rewriter, loc, input, result));
      return success();
    }
    Value init = makeSmall(rewriter, loc, op.getInits().front());
    Value empty = tensor::EmptyOp::create(rewriter, loc, small.getShape(), small.getElementType());
    auto combine = [&](OpBuilder &builder, Location, ValueRange elements) {
      IRMapping mapping;
      mapping.map(op.getCombiner().getArguments(), elements.take_front(2));
      for (Operation &inner : op.getCombiner().front())
        builder.clone(inner, mapping);
    };
    auto map = linalg::MapOp::create(rewriter, loc, ValueRange{input, init}, empty, combine);
    rewriter.replaceOp(op, small == result ? Value(map->getResult(0))
                                           : makeLarge(rewriter, loc, map->getResult(0), result));
    return success();
  }
};

/// A reduction of a tensor with dimensions of size 1: without them.
struct MoveReduce : public OpRewritePattern<linalg::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::ReduceOp op, PatternRewriter &rewriter) const override {
    Value small = op.getInputs().empty() ? Value() : findSmall(op.getInputs().front());
    if (!op.hasPureTensorSemantics() || op.getInputs().size() != 1 || !small)
      return failure();
    auto type = cast<RankedTensorType>(op.getInputs().front().getType());
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<int64_t> dims;
    int64_t next = 0;
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      if (size == 1)
        continue;
      if (llvm::is_contained(op.getDimensions(), static_cast<int64_t>(dim)))
        dims.push_back(next);
      ++next;
    }
    if (dims.empty()) // CombineOne's
      return failure();
    Value init = makeSmall(rewriter, op.getLoc(), op.getInits().front());
    auto reduce = linalg::ReduceOp::create(rewriter, op.getLoc(), ValueRange{small},
                                           ValueRange{init}, dims, nullptr);
    rewriter.cloneRegionBefore(op.getCombiner(), reduce.getCombiner(), reduce.getCombiner().end());
    Value reduced = reduce->getResult(0);
    rewriter.replaceOp(op, reduced.getType() == result
                               ? reduced
                               : makeLarge(rewriter, op.getLoc(), reduced, result));
    return success();
  }
};

/// Whether a value is also used without its dimensions of size 1.
static bool isDropped(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto collapse = dyn_cast<tensor::CollapseShapeOp>(user);
    return collapse &&
           collapse.getResultType() == dropUnitDims(cast<RankedTensorType>(value.getType()));
  });
}

/// A gather from positions without dimensions of size 1: its batches are fewer, and what it reads
/// of a dimension of which it keeps one element is collapsed. The index vector of one component has
/// no dimension.
struct MoveGather : public OpRewritePattern<dmc::GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(dmc::GatherOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    auto indices = cast<RankedTensorType>(op.getIndices().getType());
    if (type.getEncoding() || (!findSmall(op.getIndices()) && !isDropped(op.getResult())))
      return failure();
    // The positions of the dimensions that stay.
    SmallVector<int64_t> moved;
    int64_t rank = 0;
    for (int64_t size : indices.getShape())
      moved.push_back(size == 1 ? -1 : rank++);
    int64_t vector = op.getIndexVectorDim();
    bool hasVector = vector < indices.getRank() && moved[vector] >= 0;
    SmallVector<int64_t> collapsed(op.getCollapsedSliceDims()), batching, indicesBatching, offsets;
    for (auto [dim, other] :
         llvm::zip_equal(op.getOperandBatchingDims(), op.getStartIndicesBatchingDims())) {
      if (moved[other] < 0) {
        collapsed.push_back(dim);
        continue;
      }
      batching.push_back(dim);
      indicesBatching.push_back(moved[other]);
    }
    for (auto [dim, size] : llvm::enumerate(op.getSliceSizes()))
      if (size == 1 && !llvm::is_contained(collapsed, static_cast<int64_t>(dim)) &&
          !llvm::is_contained(batching, static_cast<int64_t>(dim)))
        collapsed.push_back(dim);
    llvm::sort(collapsed);
    int64_t next = 0;
    for (auto [dim, size] : llvm::enumerate(type.getShape())) {
      if (size == 1)
        continue;
      if (llvm::is_contained(op.getOffsetDims(), static_cast<int64_t>(dim)))
        offsets.push_back(next);
      ++next;
    }
    Value from = makeSmall(rewriter, op.getLoc(), op.getIndices());
    RankedTensorType small = dropUnitDims(type);
    Value empty =
        tensor::EmptyOp::create(rewriter, op.getLoc(), small.getShape(), small.getElementType());
    auto gather = dmc::GatherOp::create(rewriter, op.getLoc(), small, op.getOperand(), from, empty,
                                        offsets, collapsed, batching, indicesBatching,
                                        op.getStartIndexMap(), hasVector ? moved[vector] : rank,
                                        op.getSliceSizes(), op.getIndicesAreUnsigned());
    Value result = gather.getResult();
    rewriter.replaceOp(op, small == type ? result : makeLarge(rewriter, op.getLoc(), result, type));
    return success();
  }
};

/// Positions, of which each element follows from its indices.
struct MovePositions : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !op.getInputs().empty() || op->getNumResults() != 1 ||
        op.getNumReductionLoops() || !op.getIndexingMapsArray().front().isIdentity() ||
        op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) || !isDropped(op->getResult(0)))
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    RankedTensorType small = dropUnitDims(type);
    SmallVector<utils::IteratorType> loops(small.getRank(), utils::IteratorType::parallel);
    Value empty =
        tensor::EmptyOp::create(rewriter, op.getLoc(), small.getShape(), small.getElementType());
    auto body = [&](OpBuilder &b, Location at, ValueRange) {
      IRMapping mapping;
      for (Operation &inner : *op.getBody()) {
        auto index = dyn_cast<linalg::IndexOp>(inner);
        if (!index) {
          b.clone(inner, mapping);
          continue;
        }
        int64_t dim = index.getDim();
        auto before = type.getShape().take_front(dim);
        Value moved = type.getDimSize(dim) == 1
                          ? arith::ConstantIndexOp::create(b, at, 0).getResult()
                          : linalg::IndexOp::create(b, at, dim - llvm::count(before, 1));
        mapping.map(index.getResult(), moved);
      }
    };
    auto positions = linalg::GenericOp::create(
        rewriter, op.getLoc(), TypeRange{small}, ValueRange(), ValueRange{empty},
        ArrayRef<AffineMap>{rewriter.getMultiDimIdentityMap(small.getRank())}, loops, body);
    rewriter.replaceOp(op, makeLarge(rewriter, op.getLoc(), positions->getResult(0), type));
    return success();
  }
};

/// Two reshapes that change nothing but dimensions of size 1, as one.
template <typename Reshape>
struct ComposeReshapes : public OpRewritePattern<Reshape> {
  using OpRewritePattern<Reshape>::OpRewritePattern;
  LogicalResult matchAndRewrite(Reshape op, PatternRewriter &rewriter) const override {
    Operation *inner = op.getSrc().getDefiningOp();
    if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(inner))
      return failure();
    Value source = inner->getOperand(0);
    auto from = cast<RankedTensorType>(source.getType()), to = op.getResultType();
    RankedTensorType small = dropUnitDims(from);
    if (dropUnitDims(op.getSrcType()) != small || dropUnitDims(to) != small ||
        (from != to && from != small && to != small))
      return failure();
    Value result = source;
    if (from != to)
      result = from == small ? makeLarge(rewriter, op.getLoc(), source, to)
                             : makeSmall(rewriter, op.getLoc(), source);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// There and back again.
template <typename Reshape, typename Inverse>
struct FoldInverse : public OpRewritePattern<Reshape> {
  using OpRewritePattern<Reshape>::OpRewritePattern;
  LogicalResult matchAndRewrite(Reshape op, PatternRewriter &rewriter) const override {
    auto inverse = op.getSrc().template getDefiningOp<Inverse>();
    if (!inverse || inverse.getSrcType() != op.getResultType())
      return failure();
    rewriter.replaceOp(op, inverse.getSrc());
    return success();
  }
};

struct DropUnitDims : public dmc::impl::DropUnitDimsBase<DropUnitDims> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<MoveMap, MoveReduce, CombineOne, MoveGather, MovePositions,
                 ComposeReshapes<tensor::ExpandShapeOp>, ComposeReshapes<tensor::CollapseShapeOp>,
                 FoldInverse<tensor::CollapseShapeOp, tensor::ExpandShapeOp>,
                 FoldInverse<tensor::ExpandShapeOp, tensor::CollapseShapeOp>>(&getContext());
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
