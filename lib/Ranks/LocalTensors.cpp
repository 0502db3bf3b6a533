//===- LocalTensors.cpp - Building blocks of local forms ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordinary tensor and linalg operations that pad, slice, mask and reorder local
// tensors.
//
//===----------------------------------------------------------------------===//
#include "dmc/Ranks/LocalTensors.h"

using namespace mlir;
using namespace dmc;

Value dmc::createEmpty(RankBuilder &b, RankedTensorType type) {
  return tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
}

Value dmc::createFill(RankBuilder &b, RankedTensorType type, TypedAttr scalar) {
  Value value = b.getConstant(scalar), empty = createEmpty(b, type);
  return linalg::FillOp::create(b, ValueRange{value}, ValueRange{empty}).getResult(0);
}

RankedTensorType dmc::withSize(RankedTensorType type, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return RankedTensorType::get(shape, type.getElementType());
}

/// A slice of stride 1 from `offset` in one dimension, all of the others.
static Value slice(RankBuilder &b, Value tensor, int64_t dim, OpFoldResult offset, int64_t size) {
  RankedTensorType type = typeOf(tensor), result = withSize(type, dim, size);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), result.getShape());
  offsets[dim] = offset;
  return tensor::ExtractSliceOp::create(b, result, tensor, offsets, sizes, strides);
}

Value dmc::padTo(RankBuilder &b, Value tensor, int64_t dim, int64_t size) {
  RankedTensorType type = typeOf(tensor);
  if (type.getDimSize(dim) == size)
    return tensor;
  SmallVector<OpFoldResult> low(type.getRank(), b.getIndexAttr(0)), high = low;
  high[dim] = b.getIndexAttr(size - type.getDimSize(dim));
  Value zero = b.getConstant(b.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(b, withSize(type, dim, size), tensor, low, high, zero);
}

Value dmc::cutTo(RankBuilder &b, Value tensor, int64_t dim, int64_t size) {
  if (typeOf(tensor).getDimSize(dim) == size)
    return tensor;
  return slice(b, tensor, dim, b.getIndexAttr(0), size);
}

Value dmc::takeBlock(RankBuilder &b, Value tensor, int64_t dim, AxesAttr axes) {
  int64_t n = typeOf(tensor).getDimSize(dim);
  SmallVector<int64_t> blocks = b.getBlockSizes(n, axes), parts = b.getAxisSizes(axes);
  // The last position along every axis begins here; what is beyond is padding.
  int64_t reach = blocks.back();
  for (auto [block, p] : llvm::zip_equal(blocks, parts))
    reach += (p - 1) * block;
  Value offset = b.getBlockOffset(n, axes);
  return slice(b, padTo(b, tensor, dim, std::max(n, reach)), dim, offset, blocks.back());
}

/// Splits a dimension into [major, rest], or merges it with the next one.
static SmallVector<ReassociationIndices> pairAt(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> result;
  for (int64_t d = 0, next = 0; d < rank; ++d) {
    result.push_back({next++});
    if (d == dim)
      result.back().push_back(next++);
  }
  return result;
}

static Value expandDim(RankBuilder &b, Value tensor, int64_t dim, int64_t major) {
  RankedTensorType type = typeOf(tensor);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] /= major;
  shape.insert(shape.begin() + dim, major);
  return tensor::ExpandShapeOp::create(b, RankedTensorType::get(shape, type.getElementType()),
                                       tensor, pairAt(type.getRank(), dim));
}

static Value collapseDim(RankBuilder &b, Value tensor, int64_t dim) {
  RankedTensorType type = typeOf(tensor);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= shape[dim + 1];
  shape.erase(shape.begin() + dim + 1);
  return tensor::CollapseShapeOp::create(b, RankedTensorType::get(shape, type.getElementType()),
                                         tensor, pairAt(type.getRank() - 1, dim));
}

Value dmc::packBlocks(RankBuilder &b, Value tensor, int64_t dim, AxesAttr axes) {
  SmallVector<int64_t> blocks = b.getBlockSizes(typeOf(tensor).getDimSize(dim), axes);
  SmallVector<int64_t> parts = b.getAxisSizes(axes);
  tensor = padTo(b, tensor, dim, parts.front() * blocks.front());
  int64_t major = parts.front();
  for (size_t j = 1; j < parts.size(); ++j) {
    if (blocks[j - 1] != parts[j] * blocks[j]) {
      tensor = expandDim(b, tensor, dim, major);
      tensor = padTo(b, tensor, dim + 1, parts[j] * blocks[j]);
      tensor = collapseDim(b, tensor, dim);
    }
    major *= parts[j];
  }
  return tensor;
}

Value dmc::unpackBlocks(RankBuilder &b, Value tensor, int64_t dim, AxesAttr axes, int64_t size) {
  SmallVector<int64_t> blocks = b.getBlockSizes(size, axes), parts = b.getAxisSizes(axes);
  int64_t major = axes.getGroupSize(b.getMesh());
  for (size_t j = parts.size() - 1; j > 0; --j) {
    major /= parts[j];
    if (blocks[j - 1] == parts[j] * blocks[j])
      continue;
    tensor = expandDim(b, tensor, dim, major);
    tensor = cutTo(b, tensor, dim + 1, blocks[j - 1]);
    tensor = collapseDim(b, tensor, dim);
  }
  return cutTo(b, tensor, dim, size);
}

Value dmc::conjoin(OpBuilder &b, Location loc, Value a, Value c) {
  if (!a || !c)
    return a ? a : c;
  return arith::AndIOp::create(b, loc, a, c);
}

Value dmc::isWithin(OpBuilder &b, Location loc, ArrayRef<ValidPart> parts) {
  Value result;
  for (const ValidPart &part : parts) {
    Value index = linalg::IndexOp::create(b, loc, part.dim);
    Value within = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, part.count);
    result = conjoin(b, loc, result, within);
  }
  return result;
}

Value dmc::maskBeyond(RankBuilder &b, Value tensor, ArrayRef<ValidPart> parts, TypedAttr scalar) {
  if (parts.empty())
    return tensor;
  RankedTensorType type = typeOf(tensor);
  Value otherwise = b.getConstant(scalar), empty = createEmpty(b, type);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, TypeRange{type}, ValueRange{tensor}, ValueRange{empty},
                                   ArrayRef<AffineMap>{identity, identity}, loops,
                                   [&](OpBuilder &nested, Location loc, ValueRange args) {
                                     Value kept = arith::SelectOp::create(
                                         nested, loc, isWithin(nested, loc, parts), args[0],
                                         otherwise);
                                     linalg::YieldOp::create(nested, loc, kept);
                                   })
      .getResult(0);
}

Value dmc::keepAt(RankBuilder &b, Value tensor, ArrayRef<Position> positions, TypedAttr scalar) {
  if (positions.empty())
    return tensor;
  SmallVector<std::pair<Value, Value>> equal;
  for (const Position &position : positions)
    equal.push_back({b.getAxisIndex(position.axes), b.getConstantIndex(position.coordinate)});
  Value otherwise = b.getConstant(scalar), empty = createEmpty(b, typeOf(tensor));
  return linalg::MapOp::create(
             b, ValueRange{tensor}, empty,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               Value here;
               for (auto [index, coordinate] : equal)
                 here = conjoin(nested, loc, here,
                                arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::eq, index,
                                                      coordinate));
               Value kept = arith::SelectOp::create(nested, loc, here, args[0], otherwise);
               linalg::YieldOp::create(nested, loc, kept);
             })
      ->getResult(0);
}

bool dmc::isIdempotent(CombinerKind combiner, Attribute scalar) {
  if (combiner == CombinerKind::max || combiner == CombinerKind::min)
    return true;
  bool isSum = combiner == CombinerKind::sum;
  if (auto value = dyn_cast_or_null<FloatAttr>(scalar)) {
    APFloat number = value.getValue();
    if (isSum)
      return number.isZero() || number.isInfinity() || number.isNaN();
    return number.isPosZero() || number.isExactlyValue(1.0) || number.isNaN();
  }
  if (auto value = dyn_cast_or_null<IntegerAttr>(scalar))
    return value.getValue().isZero() || (!isSum && value.getValue().isOne());
  return false;
}

Value dmc::toPartials(RankBuilder &b, Value tensor, LayoutAttr layout) {
  if (!layout.isPartial() || layout.getCombiner() == CombinerKind::max ||
      layout.getCombiner() == CombinerKind::min)
    return tensor;
  TypedAttr neutral = getNeutralElement(layout.getCombiner(), typeOf(tensor).getElementType());
  return keepAt(b, tensor, {Position{layout.getPartial(), 0}}, neutral);
}
