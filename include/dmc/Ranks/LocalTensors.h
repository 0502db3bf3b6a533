//===- LocalTensors.h - Building blocks of local forms ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding, slicing, masking and reordering blocks of local tensors.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RANKS_LOCALTENSORS_H
#define DMC_RANKS_LOCALTENSORS_H

#include "dmc/Ranks/LocalForm.h"

namespace dmc {

/// The type of a tensor.
inline mlir::RankedTensorType typeOf(mlir::Value tensor) {
  return mlir::cast<mlir::RankedTensorType>(tensor.getType());
}

/// A tensor of that type whose elements are not written yet.
mlir::Value createEmpty(RankBuilder &b, mlir::RankedTensorType type);
/// A tensor of that type filled with a scalar.
mlir::Value createFill(RankBuilder &b, mlir::RankedTensorType type, mlir::TypedAttr scalar);

/// The tensor type with another size of one dimension.
mlir::RankedTensorType withSize(mlir::RankedTensorType type, int64_t dim, int64_t size);

/// Grows a dimension at its end to `size` elements; what is added is zero.
mlir::Value padTo(RankBuilder &b, mlir::Value tensor, int64_t dim, int64_t size);
/// The first `size` elements of a dimension.
mlir::Value cutTo(RankBuilder &b, mlir::Value tensor, int64_t dim, int64_t size);

/// This rank's block of a dimension that all positions of the axes hold.
mlir::Value takeBlock(RankBuilder &b, mlir::Value tensor, int64_t dim, AxesAttr axes);

/// From the dimension as the axes' nested cut sees it to one in which equal blocks
/// stand in group order, as collectives see it; blocks are padded as needed.
mlir::Value packBlocks(RankBuilder &b, mlir::Value tensor, int64_t dim, AxesAttr axes);
/// The inverse, to a dimension of `size` elements.
mlir::Value unpackBlocks(RankBuilder &b, mlir::Value tensor, int64_t dim, AxesAttr axes,
                         int64_t size);

/// A dimension and the number of its elements that are valid (an index value).
struct ValidPart {
  int64_t dim;
  mlir::Value count;
};
/// The tensor with `scalar` beyond the valid parts.
mlir::Value maskBeyond(RankBuilder &b, mlir::Value tensor, llvm::ArrayRef<ValidPart> parts,
                       mlir::TypedAttr scalar);

/// A coordinate over some axes.
struct Position {
  AxesAttr axes;
  int64_t coordinate;
};
/// The tensor where this rank is at the positions, `scalar` elsewhere.
mlir::Value keepAt(RankBuilder &b, mlir::Value tensor, llvm::ArrayRef<Position> positions,
                   mlir::TypedAttr scalar);

/// A tensor all ranks hold as partial values over a layout's partial axes: coordinate 0
/// keeps it, the others hold the neutral element (under max and min all keep it).
mlir::Value toPartials(RankBuilder &b, mlir::Value tensor, LayoutAttr layout);
/// True if every position may hold the value: combined with itself it stays.
bool isIdempotent(CombinerKind combiner, mlir::Attribute scalar);

/// A conjunction of i1 scalars; null is true.
mlir::Value conjoin(mlir::OpBuilder &b, mlir::Location loc, mlir::Value a, mlir::Value c);
/// `linalg.index(dim) < valid` for all parts, in a linalg body; null for none.
mlir::Value isWithin(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<ValidPart> parts);

} // namespace dmc

#endif // DMC_RANKS_LOCALTENSORS_H
