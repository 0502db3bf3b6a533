//===- TensorBuilders.cpp - The vocabulary of conversions -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small builders on converted values: fills, maps, broadcasts, reshapes, padding.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dmc;

static RankedTensorType typeOfValue(Value value) { return cast<RankedTensorType>(value.getType()); }

TypedAttr Converter::getSplat(Value value) {
  TypedAttr attr;
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    if (auto constant = fill.getInputs()[0].getDefiningOp<arith::ConstantOp>())
      attr = constant.getValue();
  } else if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
        elements && elements.isSplat())
      attr = cast<TypedAttr>(elements.getSplatValue<Attribute>());
  }
  return attr;
}

AffineMap dmc::getLeadingLoops(unsigned numLoops, unsigned count, MLIRContext *context) {
  SmallVector<AffineExpr> exprs;
  for (unsigned loop = 0; loop < count; ++loop)
    exprs.push_back(getAffineDimExpr(loop, context));
  return AffineMap::get(numLoops, 0, exprs, context);
}

Value Converter::empty(Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
}

Value Converter::fill(Location loc, TypedAttr element, RankedTensorType type) {
  Value scalar = arith::ConstantOp::create(b, loc, element);
  return linalg::FillOp::create(b, loc, scalar, empty(loc, type)).getResult(0);
}

Value Converter::zeros(Location loc, RankedTensorType type) {
  return fill(loc, b.getZeroAttr(type.getElementType()), type);
}

Value Converter::splat(Location loc, Value scalar, RankedTensorType type) {
  return broadcast(loc, scalar, type, {});
}

Value Converter::transpose(Location loc, Value value, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  RankedTensorType type = typeOfValue(value);
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  return linalg::TransposeOp::create(b, loc, value, empty(loc, type.clone(shape)), permutation)
      .getResult()[0];
}

Value Converter::broadcast(Location loc, Value value, RankedTensorType type,
                           ArrayRef<int64_t> dims) {
  if (TypedAttr element = getSplat(value))
    return fill(loc, element, type);
  // Dimensions of size 1 that grow are dropped, to be added again by the broadcast.
  RankedTensorType from = typeOfValue(value);
  SmallVector<int64_t> keptShape, keptDims;
  for (auto [size, dim] : llvm::zip(from.getShape(), dims)) {
    if (size == 1 && type.getDimSize(dim) != 1)
      continue;
    keptShape.push_back(size);
    keptDims.push_back(dim);
  }
  // The others in the order of the result.
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, keptDims.size()));
  llvm::sort(order, [&](int64_t x, int64_t y) { return keptDims[x] < keptDims[y]; });
  value = transpose(loc, reshape(loc, value, keptShape), order);
  SmallVector<int64_t> added;
  bool grows = false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (llvm::is_contained(keptDims, dim))
      continue;
    added.push_back(dim);
    grows |= type.getDimSize(dim) != 1;
  }
  if (!grows)
    return reshape(loc, value, type.getShape());
  return linalg::BroadcastOp::create(b, loc, value, empty(loc, type), added).getResult()[0];
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

namespace {
/// Dimensions [from, fromEnd) become [to, toEnd).
struct Group {
  ReassociationIndices from, to;
};
} // namespace

/// The finest groups of adjacent dimensions with equal numbers of elements: layouts
/// propagate through groups. Neither shape is of rank 0 or has a size of 0.
static SmallVector<Group> matchDimensions(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<Group> groups;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    Group group;
    int64_t fromSize = from[i], toSize = to[j];
    group.from.push_back(i++);
    group.to.push_back(j++);
    while (fromSize != toSize) {
      if (fromSize < toSize) {
        fromSize *= from[i];
        group.from.push_back(i++);
      } else {
        toSize *= to[j];
        group.to.push_back(j++);
      }
    }
    groups.push_back(group);
  }
  // What is left is of size 1.
  for (; i < from.size(); ++i)
    groups.back().from.push_back(i);
  for (; j < to.size(); ++j)
    groups.back().to.push_back(j);
  return groups;
}

Value Converter::reshape(Location loc, Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOfValue(value);
  // A chain of reshapes is the reshape of its source, where that has the shape.
  for (Value source = value;;) {
    if (typeOfValue(source).getShape() == shape)
      return source;
    Operation *op = source.getDefiningOp();
    if (!op || !isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    source = op->getOperand(0);
  }
  if (getSplat(value))
    return fill(loc, getSplat(value), type.clone(shape));

  SmallVector<ReassociationIndices> collapse, expand;
  SmallVector<int64_t> middle;
  if (type.getNumElements() == 0) {
    // Sizes do not tell dimensions apart: all become one.
    middle.push_back(0);
    collapse.emplace_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank())));
    expand.emplace_back(llvm::to_vector<2>(llvm::seq<int64_t>(0, shape.size())));
  } else if (type.getRank() != 0 && !shape.empty()) {
    for (Group &group : matchDimensions(type.getShape(), shape)) {
      int64_t size = 1;
      for (int64_t dim : group.from)
        size *= type.getDimSize(dim);
      middle.push_back(size);
      collapse.push_back(group.from);
      expand.push_back(group.to);
    }
  }
  if (static_cast<int64_t>(middle.size()) != type.getRank())
    value = tensor::CollapseShapeOp::create(b, loc, type.clone(middle), value, collapse);
  if (middle.size() != shape.size())
    value = tensor::ExpandShapeOp::create(b, loc, type.clone(shape), value, expand);
  return value;
}

//===----------------------------------------------------------------------===//
// Slice, pad, reverse
//===----------------------------------------------------------------------===//

Value Converter::slice(Location loc, Value value, ArrayRef<int64_t> offsets,
                       ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  RankedTensorType type = typeOfValue(value);
  if (type.getShape() == sizes)
    return value;
  if (llvm::is_contained(sizes, 0))
    return empty(loc, type.clone(sizes));
  if (TypedAttr element = getSplat(value))
    return fill(loc, element, type.clone(sizes));
  auto attrs = [&](ArrayRef<int64_t> list) { return getAsIndexOpFoldResult(b.getContext(), list); };
  return tensor::ExtractSliceOp::create(b, loc, type.clone(sizes), value, attrs(offsets),
                                        attrs(sizes), attrs(strides));
}

Value Converter::pad(Location loc, Value value, Value padding, ArrayRef<int64_t> low,
                     ArrayRef<int64_t> high, ArrayRef<int64_t> interior) {
  RankedTensorType type = typeOfValue(value);
  SmallVector<int64_t> lowPad, highPad, shape, strides, offsets, sizes;
  bool isPadded = false, isCut = false, isSpread = false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = type.getDimSize(dim);
    int64_t step = size > 1 ? interior[dim] + 1 : 1;
    int64_t spread = size == 0 ? 0 : (size - 1) * step + 1;
    lowPad.push_back(std::max<int64_t>(low[dim], 0));
    highPad.push_back(std::max<int64_t>(high[dim], 0));
    shape.push_back(lowPad.back() + spread + highPad.back());
    strides.push_back(step);
    offsets.push_back(std::max<int64_t>(-low[dim], 0));
    sizes.push_back(low[dim] + spread + high[dim]);
    isPadded |= lowPad.back() != 0 || highPad.back() != 0;
    isSpread |= step != 1;
    isCut |= low[dim] < 0 || high[dim] < 0;
  }
  RankedTensorType padded = type.clone(shape);
  auto attrs = [&](ArrayRef<int64_t> list) { return getAsIndexOpFoldResult(b.getContext(), list); };
  TypedAttr element = getSplat(padding);
  if (isSpread || (isPadded && !element)) {
    Value destination = splat(loc, padding, padded);
    value = tensor::InsertSliceOp::create(b, loc, value, destination, attrs(lowPad),
                                          attrs(type.getShape()), attrs(strides));
  } else if (isPadded) {
    Value scalar = arith::ConstantOp::create(b, loc, element);
    value = tensor::PadOp::create(b, loc, padded, value, attrs(lowPad), attrs(highPad), scalar);
  }
  if (!isCut)
    return value;
  return slice(loc, value, offsets, sizes, SmallVector<int64_t>(type.getRank(), 1));
}

Value Converter::reverse(Location loc, Value value, ArrayRef<int64_t> dims) {
  RankedTensorType type = typeOfValue(value);
  SmallVector<AffineExpr> exprs;
  bool isIdentity = true;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    AffineExpr expr = b.getAffineDimExpr(dim);
    bool isReversed = llvm::is_contained(dims, dim) && type.getDimSize(dim) > 1;
    isIdentity &= !isReversed;
    exprs.push_back(isReversed ? type.getDimSize(dim) - 1 - expr : expr);
  }
  if (isIdentity)
    return value;
  AffineMap maps[] = {AffineMap::get(type.getRank(), 0, exprs, b.getContext()),
                      b.getMultiDimIdentityMap(type.getRank())};
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, loc, type, value, empty(loc, type), maps, iterators,
                                   [](OpBuilder &body, Location loc, ValueRange elements) {
                                     linalg::YieldOp::create(body, loc, elements[0]);
                                   })
      .getResult(0);
}

Value Converter::iota(Location loc, RankedTensorType type, int64_t dim) {
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &b, Location loc, ValueRange) {
    Value index = linalg::IndexOp::create(b, loc, dim);
    Type element = type.getElementType();
    // A float element counts by an integer that holds every index.
    Type integer = element;
    if (isa<FloatType>(element))
      integer = type.getDimSize(dim) <= std::numeric_limits<int32_t>::max() ? b.getI32Type()
                                                                            : b.getI64Type();
    Value value = arith::IndexCastOp::create(b, loc, integer, index);
    linalg::YieldOp::create(b, loc, castScalar(b, loc, value, element, false));
  };
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  return linalg::GenericOp::create(b, loc, type, ValueRange(), empty(loc, type), identity,
                                   iterators, body)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

Value Converter::elementwise(Location loc, ValueRange inputs, RankedTensorType type,
                             function_ref<Value(OpBuilder &, ValueRange)> body) {
  Value init = empty(loc, type);
  auto build = [&](OpBuilder &builder, Location loc, ValueRange elements) {
    linalg::YieldOp::create(builder, loc, body(builder, elements.take_front(inputs.size())));
  };
  return linalg::MapOp::create(b, loc, inputs, init, build).getResult()[0];
}

Value Converter::castElements(Location loc, Value value, Type elementType) {
  RankedTensorType type = typeOfValue(value);
  if (type.getElementType() == elementType)
    return value;
  return elementwise(loc, value, type.clone(elementType),
                     [&](OpBuilder &body, ValueRange elements) {
                       return castScalar(body, loc, elements[0], elementType, false);
                     });
}
