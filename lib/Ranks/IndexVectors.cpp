//===- IndexVectors.cpp - Index vectors of gather and scatter -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start indices whose components address rows that are split over ranks.
//
//===----------------------------------------------------------------------===//
#include "IndexVectors.h"

using namespace mlir;
using namespace dmc;

Value dmc::toIndex(OpBuilder &b, Location loc, Value scalar, bool isUnsigned) {
  if (isUnsigned)
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), scalar);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), scalar);
}

Value dmc::mapIndices(RankBuilder &b, Value indices, int64_t vectorDim, Type elementType,
                      function_ref<Value(OpBuilder &, Location, Value, Value)> body) {
  auto type = cast<RankedTensorType>(indices.getType());
  auto result = RankedTensorType::get(type.getShape(), elementType);
  Value empty = createEmpty(b, result);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  bool isSingle = vectorDim >= type.getRank() || type.getDimSize(vectorDim) == 1;
  return linalg::GenericOp::create(b, TypeRange{result}, ValueRange{indices}, ValueRange{empty},
                                   ArrayRef<AffineMap>{identity, identity}, loops,
                                   [&](OpBuilder &nested, Location loc, ValueRange args) {
                                     Value component;
                                     if (!isSingle)
                                       component = linalg::IndexOp::create(nested, loc, vectorDim);
                                     linalg::YieldOp::create(nested, loc,
                                                             body(nested, loc, component, args[0]));
                                   })
      .getResult(0);
}

Value dmc::takeComponent(RankBuilder &b, Value indices, int64_t vectorDim, int64_t component) {
  auto type = cast<RankedTensorType>(indices.getType());
  if (vectorDim >= type.getRank())
    return indices;
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + vectorDim);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), type.getShape());
  offsets[vectorDim] = b.getIndexAttr(component);
  sizes[vectorDim] = b.getIndexAttr(1);
  return tensor::ExtractSliceOp::create(b, RankedTensorType::get(shape, type.getElementType()),
                                        indices, offsets, sizes, strides);
}
