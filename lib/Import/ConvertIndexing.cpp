//===- ConvertIndexing.cpp - Operations with run-time indices -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gather, scatter, dynamic slices: operations of the dmc dialect.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"
#include "IndexComponents.h"

using namespace mlir;
using namespace dmc;

/// The indices with an explicit index vector: a missing one is a last dimension of
/// size 1.
static Value withIndexVector(Converter &c, Location loc, Value indices, int64_t indexVectorDim) {
  auto type = cast<RankedTensorType>(indices.getType());
  if (indexVectorDim < type.getRank())
    return indices;
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(1);
  return c.reshape(loc, indices, shape);
}

/// Leaves out the components of an index vector that say nothing, but for the last one left.
static Value dropComponents(Converter &c, Location loc, Value indices, int64_t vectorDim,
                            SmallVectorImpl<int64_t> &map,
                            function_ref<bool(int64_t component, int64_t dim)> isIdle) {
  auto type = cast<RankedTensorType>(indices.getType());
  SmallVector<int64_t> kept, starts(type.getRank(), 0), ones(type.getRank(), 1);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> columns;
  shape[vectorDim] = 1;
  for (auto [component, dim] : llvm::enumerate(map)) {
    bool isLast = kept.empty() && component + 1 == map.size();
    if (!isLast && isIdle(component, dim))
      continue;
    kept.push_back(dim);
    starts[vectorDim] = component;
    columns.push_back(c.slice(loc, indices, starts, shape, ones));
  }
  if (kept.size() == map.size())
    return indices;
  map = kept;
  return columns.size() == 1 ? columns.front()
                             : tensor::ConcatOp::create(c.b, loc, vectorDim, columns).getResult();
}

static LogicalResult convertGather(Converter &c, Operation *op) {
  auto source = cast<stablehlo::GatherOp>(op);
  stablehlo::GatherDimensionNumbersAttr numbers = source.getDimensionNumbers();
  RankedTensorType type = c.typeOf(source.getResult());
  Location loc = op->getLoc();
  Value indices = withIndexVector(c, loc, c[source.getStartIndices()], numbers.getIndexVectorDim());
  SmallVector<int64_t> map(numbers.getStartIndexMap());
  ArrayRef<int64_t> shape = c.typeOf(source.getOperand()).getShape();
  // A slice that is as large as its dimension begins where that does.
  indices =
      dropComponents(c, loc, indices, numbers.getIndexVectorDim(), map, [&](int64_t, int64_t dim) {
        return source.getSliceSizes()[dim] == shape[dim];
      });
  c.map(source.getResult(),
        GatherOp::create(c.b, loc, type, c[source.getOperand()], indices, c.empty(loc, type),
                         numbers.getOffsetDims(), numbers.getCollapsedSliceDims(),
                         numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
                         map, numbers.getIndexVectorDim(), source.getSliceSizes(),
                         isUnsigned(source.getStartIndices().getType())));
  return success();
}

static SmallVector<Value> convertAll(Converter &c, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return c[value]; });
}

static LogicalResult convertScatter(Converter &c, Operation *op) {
  auto source = cast<stablehlo::ScatterOp>(op);
  stablehlo::ScatterDimensionNumbersAttr numbers = source.getScatterDimensionNumbers();
  Location loc = op->getLoc();
  SmallVector<Value> inputs = convertAll(c, source.getInputs());
  Value indices =
      withIndexVector(c, loc, c[source.getScatterIndices()], numbers.getIndexVectorDim());
  SmallVector<int64_t> map(numbers.getScatterDimsToOperandDims());
  // So does an update at 0; beyond it would be cut off.
  auto isFullDim = [&](int64_t component, int64_t dim) {
    if (llvm::is_contained(numbers.getInsertedWindowDims(), dim))
      return false;
    int64_t window = dim;
    for (ArrayRef<int64_t> others :
         {numbers.getInsertedWindowDims(), numbers.getInputBatchingDims()})
      window -= llvm::count_if(others, [&](int64_t other) { return other < dim; });
    auto update = cast<RankedTensorType>(source.getUpdates().front().getType());
    auto target = cast<RankedTensorType>(source.getInputs().front().getType());
    return update.getDimSize(numbers.getUpdateWindowDims()[window]) == target.getDimSize(dim) &&
           getKnownAt(source.getScatterIndices(), numbers.getIndexVectorDim(), component) == 0;
  };
  indices = dropComponents(c, loc, indices, numbers.getIndexVectorDim(), map, isFullDim);
  auto scatter = ScatterOp::create(
      c.b, loc, ValueRange(inputs).getTypes(), indices, convertAll(c, source.getUpdates()), inputs,
      numbers.getUpdateWindowDims(), numbers.getInsertedWindowDims(),
      numbers.getInputBatchingDims(), numbers.getScatterIndicesBatchingDims(), map,
      numbers.getIndexVectorDim(), isUnsigned(source.getScatterIndices().getType()),
      source.getUniqueIndices());
  OpBuilder::InsertionGuard guard(c.b);
  SmallVector<Type> types;
  for (Value value : llvm::concat<Value>(llvm::to_vector(source.getInputs()),
                                         llvm::to_vector(source.getUpdates())))
    types.push_back(toSignless(getElementTypeOrSelf(value)));
  Block *body =
      c.b.createBlock(&scatter.getCombiner(), {}, types, SmallVector<Location>(types.size(), loc));
  SmallVector<Value> results;
  if (failed(buildScalarRegion(c.b, source.getUpdateComputation(), body->getArguments(), results)))
    return failure();
  YieldOp::create(c.b, loc, results);
  c.map(op, scatter.getResults());
  return success();
}

static bool hasUnsignedStarts(ValueRange starts) {
  return !starts.empty() && isUnsigned(starts.front().getType());
}

static LogicalResult convertDynamicSlice(Converter &c, Operation *op) {
  auto source = cast<stablehlo::DynamicSliceOp>(op);
  RankedTensorType type = c.typeOf(source.getResult());
  c.map(source.getResult(),
        DynamicSliceOp::create(c.b, op->getLoc(), type, c[source.getOperand()],
                               convertAll(c, source.getStartIndices()), c.empty(op->getLoc(), type),
                               hasUnsignedStarts(source.getStartIndices())));
  return success();
}

static LogicalResult convertDynamicUpdateSlice(Converter &c, Operation *op) {
  auto source = cast<stablehlo::DynamicUpdateSliceOp>(op);
  c.map(source.getResult(),
        DynamicUpdateSliceOp::create(c.b, op->getLoc(), c.typeOf(source.getResult()),
                                     c[source.getUpdate()], convertAll(c, source.getStartIndices()),
                                     c[source.getOperand()],
                                     hasUnsignedStarts(source.getStartIndices())));
  return success();
}

void dmc::registerIndexingConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.dynamic_slice"] = convertDynamicSlice;
  conversions["stablehlo.dynamic_update_slice"] = convertDynamicUpdateSlice;
  conversions["stablehlo.gather"] = convertGather;
  conversions["stablehlo.scatter"] = convertScatter;
}
