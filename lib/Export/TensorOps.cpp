//===- TensorOps.cpp - Slices and reshapes in StableHLO -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the tensor dialect.
//
//===----------------------------------------------------------------------===//
#include "RankWriter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;

Value dmc::gatherElements(RankWriter &b, Value tensor, ArrayRef<Value> indices) {
  // Index vectors along a new last dimension.
  RankedTensorType indexType = tensorOf(indices.front()), type = tensorOf(tensor);
  SmallVector<int64_t> vectors(indexType.getShape());
  auto last = static_cast<int64_t>(vectors.size());
  vectors.push_back(1);
  SmallVector<Value> columns =
      llvm::map_to_vector(indices, [&](Value value) { return b.reshape(value, vectors); });
  vectors.back() = static_cast<int64_t>(indices.size());
  Value starts = columns.front();
  if (columns.size() > 1)
    starts = stablehlo::ConcatenateOp::create(
        b, RankedTensorType::get(vectors, indexType.getElementType()), columns, last);
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  auto numbers =
      stablehlo::GatherDimensionNumbersAttr::get(b.getContext(), {}, all, {}, {}, all, last);
  SmallVector<int64_t> ones(type.getRank(), 1);
  auto result = RankedTensorType::get(indexType.getShape(), type.getElementType());
  return stablehlo::GatherOp::create(b, result, tensor, starts, numbers, ones,
                                     /*indices_are_sorted=*/false);
}

/// A list of offsets as scalars of rank 0.
static SmallVector<Value> toScalars(RankWriter &b, ArrayRef<OpFoldResult> values) {
  return llvm::map_to_vector(values, [&](OpFoldResult value) -> Value {
    if (std::optional<int64_t> constant = getConstantIntValue(value))
      return b.makeIndex(*constant);
    return b.get(cast<Value>(value));
  });
}

static bool isStatic(ArrayRef<OpFoldResult> values) {
  return llvm::all_of(values, [](OpFoldResult value) { return getConstantIntValue(value); });
}

static SmallVector<int64_t> toIntegers(ArrayRef<OpFoldResult> values) {
  return llvm::map_to_vector(values,
                             [](OpFoldResult value) { return *getConstantIntValue(value); });
}

static LogicalResult writeExtractSlice(tensor::ExtractSliceOp op, RankWriter &b) {
  SmallVector<int64_t> sizes = toIntegers(op.getMixedSizes());
  SmallVector<int64_t> strides = toIntegers(op.getMixedStrides());
  Value x = b.get(op.getSource());
  ArrayRef<int64_t> shape = op.getType().getShape();
  SmallVector<int64_t> reach, starts(sizes.size(), 0);
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    reach.push_back(size == 0 ? 0 : (size - 1) * stride + 1);
  if (isStatic(op.getMixedOffsets())) {
    starts = toIntegers(op.getMixedOffsets());
  } else {
    auto type = RankedTensorType::get(reach, tensorOf(x).getElementType());
    x = stablehlo::DynamicSliceOp::create(b, type, x, toScalars(b, op.getMixedOffsets()), reach);
  }
  SmallVector<int64_t> limits;
  for (auto [start, size] : llvm::zip_equal(starts, reach))
    limits.push_back(start + size);
  b.set(op, b.reshape(b.slice(x, starts, limits, strides), shape));
  return success();
}

/// Where an element of a tensor is one of a strided slice of it, at static or computed offsets.
static Value getMask(RankWriter &b, ArrayRef<int64_t> shape, ArrayRef<Value> offsets,
                     ArrayRef<int64_t> strides) {
  auto type = RankedTensorType::get(shape, b.getI64Type());
  Value mask;
  for (auto [d, stride] : llvm::enumerate(strides)) {
    if (stride == 1)
      continue;
    Value place = b.make("stablehlo.subtract",
                         {b.iota(shape, d, b.getI64Type()), b.makeSplat(offsets[d], shape)});
    Value rest = b.make("stablehlo.remainder", {place, b.makeInteger(stride, type)});
    Value isOne = b.compare(rest, b.makeInteger(0, type), stablehlo::ComparisonDirection::EQ);
    mask = mask ? b.make("stablehlo.and", {mask, isOne}) : isOne;
  }
  return mask;
}

static LogicalResult writeInsertSlice(tensor::InsertSliceOp op, RankWriter &b) {
  SmallVector<int64_t> sizes = toIntegers(op.getMixedSizes());
  SmallVector<int64_t> strides = toIntegers(op.getMixedStrides());
  Value x = b.reshape(b.get(op.getSource()), sizes), whole = b.get(op.getDest());
  if (llvm::is_contained(sizes, 0)) {
    b.set(op, whole);
    return success();
  }
  SmallVector<Value> offsets = toScalars(b, op.getMixedOffsets());
  if (llvm::all_of(strides, [](int64_t stride) { return stride == 1; })) {
    b.set(op, stablehlo::DynamicUpdateSliceOp::create(b, whole.getType(), whole, x, offsets));
    return success();
  }
  // The elements spread out take the place of what is there, but for those between them.
  SmallVector<int64_t> zeros(sizes.size(), 0), interior, reach;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    interior.push_back(stride - 1);
    reach.push_back((size - 1) * stride + 1);
  }
  auto type = RankedTensorType::get(reach, tensorOf(x).getElementType());
  Value padding = b.makeInteger(0, RankedTensorType::get({}, type.getElementType()));
  Value spread = stablehlo::PadOp::create(b, type, x, padding, zeros, zeros, interior);
  Value old = stablehlo::DynamicSliceOp::create(b, type, whole, offsets, reach);
  SmallVector<Value> origin(sizes.size(), b.makeIndex(0));
  spread = b.select(getMask(b, reach, origin, strides), spread, old);
  b.set(op, stablehlo::DynamicUpdateSliceOp::create(b, whole.getType(), whole, spread, offsets));
  return success();
}

static LogicalResult writePad(tensor::PadOp op, RankWriter &b) {
  Value padding = op.getConstantPaddingValue();
  if (Operation *def = padding.getDefiningOp(); def && op->isProperAncestor(def))
    if (failed(b.write(def)))
      return failure();
  SmallVector<int64_t> interior(op.getType().getRank(), 0);
  b.set(op, stablehlo::PadOp::create(b, getForm(op.getType()), b.get(op.getSource()),
                                     b.get(padding), toIntegers(op.getMixedLowPad()),
                                     toIntegers(op.getMixedHighPad()), interior));
  return success();
}

static LogicalResult writeInsert(tensor::InsertOp op, RankWriter &b) {
  SmallVector<int64_t> ones(tensorOf(op.getDest()).getRank(), 1);
  Value x = b.reshape(b.get(op.getScalar()), ones), whole = b.get(op.getDest());
  b.set(op, stablehlo::DynamicUpdateSliceOp::create(b, whole.getType(), whole, x,
                                                    b.getAll(op.getIndices())));
  return success();
}

static LogicalResult writeFromElements(tensor::FromElementsOp op, RankWriter &b) {
  SmallVector<Value> parts = llvm::map_to_vector(
      op.getElements(), [&](Value value) { return b.reshape(b.get(value), {1}); });
  Value joined = parts.front();
  RankedTensorType type = getForm(op.getType());
  if (parts.size() > 1)
    joined = stablehlo::ConcatenateOp::create(
        b, RankedTensorType::get({static_cast<int64_t>(parts.size())}, type.getElementType()),
        parts, 0);
  b.set(op, b.reshape(joined, type.getShape()));
  return success();
}

LogicalResult dmc::writeTensorOp(Operation *op, RankWriter &b, bool &isKnown) {
  // Sizes and strides of rank programs are constants.
  auto pad = dyn_cast<tensor::PadOp>(op);
  auto slice = dyn_cast<OffsetSizeAndStrideOpInterface>(op);
  isKnown = (!pad || (pad.getConstantPaddingValue() && isStatic(pad.getMixedLowPad()) &&
                      isStatic(pad.getMixedHighPad()))) &&
            (!slice || (isStatic(slice.getMixedSizes()) && isStatic(slice.getMixedStrides())));
  if (!isKnown)
    return success();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto reshape) {
        b.set(reshape.getResult(),
              b.reshape(b.get(reshape.getSrc()), reshape.getResultType().getShape()));
        return success();
      })
      .Case([&](tensor::CastOp cast) {
        b.set(cast, b.get(cast.getSource()));
        return success();
      })
      .Case([&](tensor::ConcatOp concat) {
        b.set(concat,
              stablehlo::ConcatenateOp::create(b, getForm(concat.getType()),
                                               b.getAll(concat.getInputs()), concat.getDim()));
        return success();
      })
      .Case([&](tensor::SplatOp splat) {
        b.set(splat, b.makeSplat(b.get(splat.getInput()), getForm(splat.getType()).getShape()));
        return success();
      })
      .Case([&](tensor::ExtractSliceOp slice) { return writeExtractSlice(slice, b); })
      .Case([&](tensor::FromElementsOp elements) { return writeFromElements(elements, b); })
      .Case([&](tensor::InsertOp insert) { return writeInsert(insert, b); })
      .Case([&](tensor::InsertSliceOp slice) { return writeInsertSlice(slice, b); })
      .Case([&](tensor::PadOp pad) { return writePad(pad, b); })
      .Default([&](Operation *) {
        isKnown = false;
        return success();
      });
}
