//===- GatherForms.cpp - Local form of gather -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Split batches and slices are local. Of split rows each rank takes those that it
// holds and the neutral element for the others: the result is partial.
//
//===----------------------------------------------------------------------===//
#include "Forms.h"
#include "IndexVectors.h"

using namespace mlir;
using namespace dmc;

/// Where a start lies in the rank's block, and whether the rank holds it. Starts are
/// clamped with the global size first.
static std::pair<Value, Value> locate(OpBuilder &b, Location loc, Value start, bool isUnsigned,
                                      Value last, Value zero, Value offset, Value valid) {
  Value index = toIndex(b, loc, start, isUnsigned);
  Value clamped;
  if (isUnsigned) {
    clamped = arith::MinUIOp::create(b, loc, index, last);
  } else {
    Value positive = arith::MaxSIOp::create(b, loc, index, zero);
    clamped = arith::MinSIOp::create(b, loc, positive, last);
  }
  Value relative = arith::SubIOp::create(b, loc, clamped, offset);
  // Below the block the difference is negative, which is large as unsigned.
  Value held = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, relative, valid);
  return {relative, held};
}

namespace {
/// The split rows of a gather with the scalars of their blocks.
struct Rows {
  SplitRows rows;
  Value last, offset, valid;
};
} // namespace

/// Whether the layout is partial over an axis, or over what the axis is a part of.
static bool isPartialOver(const Layout &layout, const AxisRef &axis) {
  return llvm::any_of(layout.canonical().partial, [&](const AxisRef &partial) {
    return partial.axis == axis.axis && axis.preSize % partial.preSize == 0 &&
           partial.preSize * partial.size % (axis.preSize * axis.size) == 0;
  });
}

static Value localIndices(GatherOp op, ArrayRef<Rows> rows, Value zero, RankBuilder &b) {
  Value indices = b.getLocal(op.getIndices());
  Type elementType = getElementTypeOrSelf(indices);
  return mapIndices(
      b, indices, op.getIndexVectorDim(), elementType,
      [&](OpBuilder &nested, Location loc, Value component, Value start) {
        Value result = start;
        for (const Rows &entry : rows) {
          if (!entry.rows.component)
            continue;
          auto [relative, held] = locate(nested, loc, start, op.getIndicesAreUnsigned(), entry.last,
                                         zero, entry.offset, entry.valid);
          Value row = arith::SelectOp::create(nested, loc, held, relative, zero);
          Value cast = arith::IndexCastOp::create(nested, loc, elementType, row);
          if (component) {
            Value number = arith::ConstantIndexOp::create(nested, loc, *entry.rows.component);
            Value isIt =
                arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::eq, component, number);
            cast = arith::SelectOp::create(nested, loc, isIt, cast, result);
          }
          result = cast;
        }
        return result;
      });
}

/// Neutral where the rank does not hold the row.
static Value maskResult(GatherOp op, Value result, ArrayRef<Rows> rows, Value zero,
                        TypedAttr neutral, RankBuilder &b) {
  RankedTensorType type = tensorType(result);
  SmallVector<AffineExpr> batch;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(op.getOffsetDims(), dim))
      batch.push_back(b.getAffineDimExpr(dim));
  SmallVector<Value> inputs{result};
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<AffineMap> maps{identity};
  Value isFirst;
  for (const Rows &entry : rows) {
    if (!entry.rows.component) {
      Value isHere =
          arith::CmpIOp::create(b, b.getLoc(), arith::CmpIPredicate::eq, entry.offset, zero);
      isFirst = conjoin(b, b.getLoc(), isFirst, isHere);
      continue;
    }
    inputs.push_back(takeComponent(b, b.getLocal(op.getIndices()), op.getIndexVectorDim(),
                                   *entry.rows.component));
    maps.push_back(AffineMap::get(type.getRank(), 0, batch, b.getContext()));
  }
  maps.push_back(identity);
  Value otherwise = b.getConstant(neutral), empty = createEmpty(b, type);
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, TypeRange{type}, inputs, ValueRange{empty}, maps, loops,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               Value held = isFirst;
               unsigned next = 1;
               for (const Rows &entry : rows)
                 if (entry.rows.component)
                   held = conjoin(nested, loc, held,
                                  locate(nested, loc, args[next++], op.getIndicesAreUnsigned(),
                                         entry.last, zero, entry.offset, entry.valid)
                                      .second);
               Value kept = arith::SelectOp::create(nested, loc, held, args[0], otherwise);
               linalg::YieldOp::create(nested, loc, kept);
             })
      .getResult(0);
}

static LogicalResult lowerGather(GatherOp op, RankBuilder &b) {
  RankedTensorType operand = tensorType(op.getOperand());
  SmallVector<int64_t> slices(op.getSliceSizes());
  SmallVector<Rows> rows;
  unsigned nextOffset = 0;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    bool isBatching = llvm::is_contained(op.getOperandBatchingDims(), dim);
    bool isOffset = !isBatching && !llvm::is_contained(op.getCollapsedSliceDims(), dim);
    int64_t resultDim = isOffset ? op.getOffsetDims()[nextOffset++] : -1;
    AxesAttr axes = axesOf(op.getOperand(), dim);
    if (isBatching || axes.empty())
      continue;
    int64_t size = operand.getDimSize(dim);
    if (isOffset && axesOf(op.getResult(), resultDim) == axes && slices[dim] == size) {
      slices[dim] = b.getBlockSizes(size, axes).back();
      continue;
    }
    if (slices[dim] != 1)
      return unsupported(op, dim, axes) << " and slices of it are gathered";
    std::optional<int64_t> component;
    if (const auto *it = llvm::find(op.getStartIndexMap(), dim); it != op.getStartIndexMap().end())
      component = it - op.getStartIndexMap().begin();
    rows.push_back({{component, size, axes},
                    b.getConstantIndex(size - 1),
                    b.getBlockOffset(size, axes),
                    b.getBlockValid(size, axes)});
  }

  if (rows.empty()) {
    auto local = cast<GatherOp>(b.cloneLocal(op));
    local.setSliceSizes(slices);
    return success();
  }
  LayoutAttr layout = layoutOf(op.getResult());
  for (const Rows &entry : rows) {
    Layout split = LayoutAttr::get(b.getMesh(), {entry.rows.axes}).toLayout();
    for (const AxisRef &axis : split.dims.front())
      if (!isPartialOver(layout.toLayout(), axis))
        return op.emitOpError("expects a result that is partial over the axes that split the "
                              "operand's rows, found ")
               << op.getResult().getType();
  }
  Value zero = b.getConstantIndex(0);
  SmallVector<Value> operands = b.getLocal(op->getOperands());
  operands[1] = localIndices(op, rows, zero, b);
  auto local = cast<GatherOp>(b.cloneLocal(op, operands));
  local.setSliceSizes(slices);
  TypedAttr neutral = getNeutralElement(layout.getCombiner(), operand.getElementType());
  b.setLocal(op.getResult(), maskResult(op, local.getResult(), rows, zero, neutral, b));
  return success();
}

void dmc::populateGatherForms(LocalForms &forms) { forms.insert<GatherOp, lowerGather>(); }
