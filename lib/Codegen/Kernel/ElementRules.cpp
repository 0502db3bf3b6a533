//===- ElementRules.cpp - Elements of slices, pads, gathers ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/Scalarizer.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

static constexpr int64_t unknown = int64_t(1) << 60;
/// Beyond all sizes of a kernel of narrow indices (isNarrow of KernelTasks.cpp), twice which is an
/// index still.
static constexpr int64_t unknownNarrow = int64_t(1) << 30;

Index Scalarizer::offset(OpFoldResult offset, int64_t most) {
  if (auto attr = dyn_cast<Attribute>(offset))
    return constant(cast<IntegerAttr>(attr).getInt());
  // A scalar input of the kernel: the caller keeps it in range.
  Value value = scalar(cast<Value>(offset));
  int64_t factor = std::max<int64_t>(divisors.lookup(cast<Value>(offset)), 1);
  // What begins at a multiple of an access is accessed by such.
  if (factor > 1)
    value = indexOp("arith.divui", value, root, indexConstant(factor), root);
  Index index = variable(value, root, 0, most / factor);
  if (arguments.contains(cast<Value>(offset)))
    for (auto [id, one] : index.addends)
      uniform.insert(id);
  return scale(index, factor);
}

Index Scalarizer::integerIndex(Value integer, bool isUnsigned) {
  OpBuilder &b = here();
  auto type = integer.getType();
  bool isWide = type.getIntOrFloatBitWidth() >= 64;
  SmallVector<int64_t, 8> key = {
      KeyInteger, reinterpret_cast<int64_t>(integer.getAsOpaquePointer()), isUnsigned};
  if (Value known = findValue(scope, key))
    return variable(known, scope, -unknown, unknown);
  Value index;
  int64_t most = unknown;
  if (hasNarrowIndices && type.getIntOrFloatBitWidth() >= 32) {
    most = unknownNarrow;
    auto bound = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
    };
    if (isUnsigned) {
      integer = arith::MinUIOp::create(b, loc, integer, bound(most));
    } else {
      integer = arith::MaxSIOp::create(b, loc, integer, bound(-most));
      integer = arith::MinSIOp::create(b, loc, integer, bound(most));
    }
  }
  if (isUnsigned || type.isInteger(1)) {
    if (isWide &&
        !hasNarrowIndices) { // an index is signed: what is beyond it counts as its largest
      auto most = arith::ConstantOp::create(
          b, loc, b.getIntegerAttr(type, std::numeric_limits<int64_t>::max()));
      integer = arith::MinUIOp::create(b, loc, integer, most);
    }
    index = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), integer);
  } else {
    index = arith::IndexCastOp::create(b, loc, b.getIndexType(), integer);
  }
  scope->values[key] = index;
  return variable(index, scope, -most, most);
}

/// How many neighbours before a position are in the same window of [0, reach) as it is, whatever
/// its variables are: those from a multiple of a power of two, up to `most` elements of an access,
/// that divides the window's bounds.
static int64_t countBeside(const Index &at, int64_t reach, int64_t most) {
  int64_t group = most;
  auto limit = [&](int64_t distance) {
    while (distance % group)
      group /= 2;
  };
  limit(reach);
  for (auto [id, factor] : at.addends)
    limit(factor);
  return ((at.constant % group) + group) % group;
}

Value Scalarizer::inside(const Window &window, ArrayRef<Index> indices, Value inner, Value outer,
                         function_ref<Value()> otherwise) {
  Value condition;
  bool never = false;
  Indices local;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    int64_t stride = window.strides.empty() ? 1 : window.strides[dim];
    Index at = add(index, window.offsets[dim], -1);
    int64_t reach = (window.sizes[dim] - 1) * stride + 1;
    // Neighbours of an access have one condition, so that they are loaded together.
    int64_t beside = loadsVectors ? countBeside(at, reach, target.getVectorBytes()) : 0;
    Index first = add(at, constant(-beside));
    never |= within(first, 0, reach, condition) == std::optional<bool>(false);
    if (stride != 1) {
      never |= within(mod(at, stride), 0, 1, condition) == std::optional<bool>(false);
      at = div(at, stride);
    }
    if (window.dropped.empty() || !window.dropped.test(dim))
      local.push_back(at);
  }
  if (never)
    return otherwise();
  if (!condition)
    return element(inner, local);
  return chooseElement(condition, inner, [&] { return element(inner, local); }, outer, otherwise);
}

Value Scalarizer::chooseElement(Value condition, Value inner, function_ref<Value()> compute,
                                Value outer, function_ref<Value()> otherwise) {
  // Neighbours are loaded together where the loads alone are under a condition.
  auto arePredicated = [&](Value tensor) { return !tensor || isElementwiseOfBuffers(tensor); };
  if (loadsVectors && scope->guard == vectorGuard && arePredicated(inner) && arePredicated(outer)) {
    Value value = predicated(condition, compute), other;
    if (outer) {
      // One value for all neighbours, as the condition is.
      Value &yes = root->values[{KeyPredicate}];
      if (!yes) {
        OpBuilder b = start();
        yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
      }
      other = predicated(indexOp("arith.xori", condition, scope, yes, root), otherwise);
    } else {
      other = otherwise();
    }
    return arith::SelectOp::create(here(), loc, condition, value, other);
  }
  auto list = [](function_ref<Value()> value) {
    return [value]() -> SmallVector<Value> { return {value()}; };
  };
  return choose(condition, getElementTypeOrSelf(inner), list(compute), list(otherwise)).front();
}

/// Whether elements are computed from those of the inputs alone, by a body that may run on any
/// values.
static bool isSpeculatable(linalg::LinalgOp op) {
  auto isUnread = [&](OpOperand &init) { return !op.payloadUsesValueFromOperand(&init); };
  return isa<linalg::MapOp, linalg::GenericOp>(op) && op.getNumReductionLoops() == 0 &&
         llvm::all_of(op.getDpsInitsMutable(), isUnread) &&
         llvm::all_of(op.getBlock()->without_terminator(), [](Operation &inner) {
           return isPure(&inner) && inner.getNumRegions() == 0;
         });
}

bool Scalarizer::isElementwiseOfBuffers(Value tensor) {
  llvm::SetVector<Value> work;
  work.insert(tensor);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i].getDefiningOp();
    if (!op)
      return false;
    if (isa<bufferization::ToTensorOp, arith::ConstantOp, linalg::FillOp>(op))
      continue;
    bool isView = isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
                      linalg::TransposeOp, linalg::BroadcastOp>(op);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      isView = llvm::all_of(slice.getOffsets(), [](Value offset) {
        return isa<BlockArgument>(offset) || getConstantIntValue(offset);
      });
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      isView = pad.getConstantPaddingValue() != nullptr;
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!isView && !(structured && isSpeculatable(structured)))
      return false;
    if (structured)
      work.insert_range(structured.getDpsInputs());
    else
      work.insert(op->getOperand(0));
  }
  return true;
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
  Window window;
  if (ShapedType::isDynamicShape(op.getStaticStrides()) ||
      ShapedType::isDynamicShape(op.getStaticSizes()) ||
      llvm::any_of(op.getStaticStrides(), [](int64_t stride) { return stride < 1; })) {
    unsupported(op) << "an insertion with run-time sizes or steps";
    return zero(op.getType().getElementType());
  }
  for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets()))
    window.offsets.push_back(this->offset(offset, op.getType().getDimSize(dim) - 1));
  window.sizes = SmallVector<int64_t>(op.getStaticSizes());
  window.strides = SmallVector<int64_t>(op.getStaticStrides());
  window.dropped = op.getDroppedDims();
  return inside(window, indices, op.getSource(), op.getDest(),
                [&] { return element(op.getDest(), indices); });
}

Value Scalarizer::pad(tensor::PadOp op, ArrayRef<Index> indices) {
  Value padding = op.getConstantPaddingValue();
  if (!padding || ShapedType::isDynamicShape(op.getStaticLow()) ||
      ShapedType::isDynamicShape(op.getStaticHigh())) {
    unsupported(op) << "padding by anything but constants";
    return zero(op.getResultType().getElementType());
  }
  Window window;
  for (int64_t low : op.getStaticLow())
    window.offsets.push_back(constant(low));
  window.sizes = SmallVector<int64_t>(op.getSourceType().getShape());
  return inside(window, indices, op.getSource(), {}, [&] { return scalar(padding); });
}

Value Scalarizer::concat(tensor::ConcatOp op, ArrayRef<Index> indices) {
  uint64_t dim = op.getDim();
  int64_t begin = 0;
  Type type = op.getResultType().getElementType();
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    if (shapeOf(input)[dim] > 0)
      inputs.push_back(input);
  // Neighbours are loaded together where the loads alone are under a condition, each of its own. Of
  // many pieces a thread would test too many.
  constexpr size_t mostTests = 8;
  bool arePredicated = loadsVectors && scope->guard == vectorGuard && inputs.size() <= mostTests &&
                       llvm::all_of(inputs, isElementwiseOfBuffers);
  std::function<Value(size_t)> from = [&](size_t piece) -> Value {
    Value input = inputs[piece];
    int64_t first = begin, size = shapeOf(input)[dim];
    bool isLast = piece + 1 == inputs.size();
    begin += size;
    Indices local(indices);
    local[dim] = add(indices[dim], constant(first), -1);
    Value condition;
    std::optional<bool> known = isLast && !arePredicated
                                    ? std::optional<bool>(true)
                                    : within(indices[dim], first == 0 ? -unknown : first,
                                             isLast ? unknown : first + size, condition);
    if (known)
      return *known ? element(input, local) : from(piece + 1);
    if (arePredicated) {
      Value value = predicated(condition, [&] { return element(input, local); });
      if (isLast)
        return value;
      Value rest = from(piece + 1);
      return arith::SelectOp::create(here(), loc, condition, value, rest);
    }
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
    Scope *place = scopeOf(at);
    if (scope->guard && scope->guard->depth > place->depth)
      place = scope->guard;
    Within outer(*this, place);
    starts[dim] = integerIndex(element(indices, at), isUnsigned);
  }
  return starts;
}

Indices Scalarizer::findGathered(GatherOp op, ArrayRef<Index> indices) {
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
  return at;
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
  Window window;
  window.sizes = SmallVector<int64_t>(shapeOf(op.getUpdate()));
  window.offsets = readScalarStarts(op.getStarts(), shapeOf(op.getOperand()), window.sizes,
                                    op.getStartsAreUnsigned());
  return inside(window, indices, op.getUpdate(), op.getOperand(),
                [&] { return element(op.getOperand(), indices); });
}
