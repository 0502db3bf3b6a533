//===- ElementRules.cpp - Elements of slices, pads, gathers ---------------===//

#include "Scalarizer.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

static constexpr int64_t unknown = int64_t(1) << 60;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

Index Scalarizer::offset(OpFoldResult offset, int64_t most) {
  if (auto attr = dyn_cast<Attribute>(offset))
    return constant(cast<IntegerAttr>(attr).getInt());
  // A scalar input of the kernel: the caller keeps it in range.
  return variable(scalar(cast<Value>(offset)), root, 0, most);
}

Index Scalarizer::integerIndex(Value integer, bool isUnsigned) {
  OpBuilder &b = here();
  auto type = integer.getType();
  bool isWide = type.getIntOrFloatBitWidth() >= 64;
  SmallVector<int64_t, 8> key = {-4, reinterpret_cast<int64_t>(integer.getAsOpaquePointer()),
                                 isUnsigned};
  if (Value known = findValue(scope, key))
    return variable(known, scope, -unknown, unknown);
  Value index;
  if (isUnsigned || type.isInteger(1)) {
    if (isWide) { // an index is signed: what is beyond it counts as its largest
      auto most = arith::ConstantOp::create(
          b, loc, b.getIntegerAttr(type, std::numeric_limits<int64_t>::max()));
      integer = arith::MinUIOp::create(b, loc, integer, most);
    }
    index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), integer);
  } else {
    index = arith::IndexCastOp::create(b, loc, b.getIndexType(), integer);
  }
  scope->values[key] = index;
  return variable(index, scope, -unknown, unknown);
}

/// A value that is defined inside a window and elsewhere comes from `otherwise`.
/// `indices` are of the large tensor; the window's element is asked for at
/// indices minus offsets, of those dimensions that `keptDims` lists.
Value Scalarizer::inside(ArrayRef<Index> indices, ArrayRef<Index> offsets, ArrayRef<int64_t> sizes,
                         Value inner, function_ref<Value()> otherwise,
                         ArrayRef<unsigned> keptDims) {
  Value condition;
  bool never = false;
  Indices local;
  for (auto [index, offset, size] : llvm::zip_equal(indices, offsets, sizes)) {
    local.push_back(add(index, offset, -1));
    never |= within(local.back(), 0, size, condition) == std::optional<bool>(false);
  }
  Indices kept;
  for (unsigned dim : keptDims)
    kept.push_back(local[dim]);
  if (never)
    return otherwise();
  if (!condition)
    return element(inner, kept);
  return choose(
             condition, getElementTypeOrSelf(inner),
             [&]() -> SmallVector<Value> { return {element(inner, kept)}; },
             [&]() -> SmallVector<Value> { return {otherwise()}; })
      .front();
}

Value Scalarizer::slice(tensor::ExtractSliceOp op, ArrayRef<Index> indices) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Indices source;
  size_t next = 0;
  for (auto [dim, offset, stride, size] :
       llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides(), op.getSourceType().getShape())) {
    std::optional<int64_t> step = getConstantIntValue(stride);
    if (!step) {
      unsupported(op) << "a slice with a run-time stride";
      return zero(op.getType().getElementType());
    }
    Index index = this->offset(offset, size - 1);
    if (!dropped.test(dim))
      index = add(index, indices[next++], *step);
    source.push_back(index);
  }
  return element(op.getSource(), source);
}

Value Scalarizer::insertSlice(tensor::InsertSliceOp op, ArrayRef<Index> indices) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  Indices offsets;
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> kept;
  bool unitStride = llvm::all_of(
      op.getMixedStrides(), [](OpFoldResult stride) { return getConstantIntValue(stride) == 1; });
  if (!unitStride || ShapedType::isDynamicShape(op.getStaticSizes())) {
    unsupported(op) << "an insertion with steps or run-time sizes";
    return zero(op.getType().getElementType());
  }
  for (auto [dim, offset, size] : llvm::enumerate(op.getMixedOffsets(), op.getStaticSizes())) {
    offsets.push_back(this->offset(offset, op.getType().getDimSize(dim) - 1));
    sizes.push_back(size);
    if (!dropped.test(dim))
      kept.push_back(dim);
  }
  return inside(
      indices, offsets, sizes, op.getSource(), [&] { return element(op.getDest(), indices); },
      kept);
}

Value Scalarizer::pad(tensor::PadOp op, ArrayRef<Index> indices) {
  Value padding = op.getConstantPaddingValue();
  if (!padding || ShapedType::isDynamicShape(op.getStaticLow()) ||
      ShapedType::isDynamicShape(op.getStaticHigh())) {
    unsupported(op) << "padding by anything but constants";
    return zero(op.getResultType().getElementType());
  }
  Indices offsets;
  for (int64_t low : op.getStaticLow())
    offsets.push_back(constant(low));
  SmallVector<unsigned> all = llvm::to_vector(llvm::seq<unsigned>(0, indices.size()));
  return inside(
      indices, offsets, op.getSourceType().getShape(), op.getSource(),
      [&] { return scalar(padding); }, all);
}

Value Scalarizer::concat(tensor::ConcatOp op, ArrayRef<Index> indices) {
  uint64_t dim = op.getDim();
  int64_t begin = 0;
  Type type = op.getResultType().getElementType();
  std::function<Value(size_t)> from = [&](size_t piece) -> Value {
    Value input = op.getInputs()[piece];
    int64_t first = begin, size = shapeOf(input)[dim];
    begin += size;
    Indices local(indices);
    local[dim] = add(indices[dim], constant(first), -1);
    Value condition;
    std::optional<bool> known =
        piece + 1 == op.getInputs().size()
            ? std::optional<bool>(true)
            : within(indices[dim], first == 0 ? -unknown : first, first + size, condition);
    if (known)
      return *known ? element(input, local) : from(piece + 1);
    return choose(
               condition, type, [&]() -> SmallVector<Value> { return {element(input, local)}; },
               [&]() -> SmallVector<Value> { return {from(piece + 1)}; })
        .front();
  };
  return from(0);
}

Indices Scalarizer::readStarts(Value indices, ArrayRef<Index> batch, int64_t vectorDim,
                               ArrayRef<int64_t> startMap, int64_t rank, bool isUnsigned) {
  Indices starts(rank, constant(0));
  bool implicit = vectorDim == static_cast<int64_t>(shapeOf(indices).size());
  for (auto [component, dim] : llvm::enumerate(startMap)) {
    Indices at(batch);
    if (!implicit)
      at.insert(at.begin() + vectorDim, constant(component));
    // Beside what is read, and so as far out.
    Scope *place = home(at);
    if (scope->guard && scope->guard->depth > place->depth)
      place = scope->guard;
    Within outer(*this, place);
    starts[dim] = integerIndex(element(indices, at), isUnsigned);
  }
  return starts;
}

Value Scalarizer::gather(GatherOp op, ArrayRef<Index> indices) {
  auto shape = shapeOf(op.getOperand());
  int64_t rank = shape.size();
  Indices batch, window;
  for (auto [dim, index] : llvm::enumerate(indices))
    (llvm::is_contained(op.getOffsetDims(), dim) ? window : batch).push_back(index);
  Indices at = readStarts(op.getIndices(), batch, op.getIndexVectorDim(), op.getStartIndexMap(),
                          rank, op.getIndicesAreUnsigned());
  size_t next = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    at[dim] = clamp(at[dim], 0, shape[dim] - op.getSliceSizes()[dim]);
    if (const auto *found = llvm::find(op.getOperandBatchingDims(), dim);
        found != op.getOperandBatchingDims().end()) {
      int64_t other = op.getStartIndicesBatchingDims()[found - op.getOperandBatchingDims().begin()];
      at[dim] = batch[other - (other > static_cast<int64_t>(op.getIndexVectorDim()))];
    } else if (!llvm::is_contained(op.getCollapsedSliceDims(), dim)) {
      at[dim] = add(at[dim], window[next++]);
    }
  }
  return element(op.getOperand(), at);
}

Indices Scalarizer::readScalarStarts(ValueRange starts, ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> sizes, bool isUnsigned) {
  Indices at;
  for (auto [start, size, slice] : llvm::zip_equal(starts, shape, sizes)) {
    if (size == slice)
      at.push_back(constant(0));
    else
      at.push_back(clamp(integerIndex(element(start, {}), isUnsigned), 0, size - slice));
  }
  return at;
}

Value Scalarizer::updateSlice(DynamicUpdateSliceOp op, ArrayRef<Index> indices) {
  auto sizes = shapeOf(op.getUpdate());
  Indices starts =
      readScalarStarts(op.getStarts(), shapeOf(op.getOperand()), sizes, op.getStartsAreUnsigned());
  SmallVector<unsigned> all = llvm::to_vector(llvm::seq<unsigned>(0, indices.size()));
  return inside(
      indices, starts, sizes, op.getUpdate(), [&] { return element(op.getOperand(), indices); },
      all);
}
