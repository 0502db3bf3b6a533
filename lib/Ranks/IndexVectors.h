//===- IndexVectors.h - Index vectors of gather and scatter -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start indices whose components address rows that are split over ranks.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RANKS_INDEXVECTORS_H
#define DMC_LIB_RANKS_INDEXVECTORS_H

#include "dmc/Ranks/LocalTensors.h"

#include <optional>

namespace dmc {

/// A split dimension that an index vector addresses.
struct SplitRows {
  /// The vector's component that addresses it; nothing: it is addressed at 0.
  std::optional<int64_t> component;
  int64_t size;
  AxesAttr axes;
};

/// The scalar as an index.
mlir::Value toIndex(mlir::OpBuilder &b, mlir::Location loc, mlir::Value scalar, bool isUnsigned);

/// Maps every component of an index tensor: `body` gets the component's number as a
/// value (null if there is only one) and its element, and returns the new element
/// of `elementType`.
mlir::Value mapIndices(
    RankBuilder &b, mlir::Value indices, int64_t vectorDim, mlir::Type elementType,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Value)>
        body);

/// The components as a tensor without the index vector's dimension.
mlir::Value takeComponent(RankBuilder &b, mlir::Value indices, int64_t vectorDim,
                          int64_t component);

} // namespace dmc

#endif // DMC_LIB_RANKS_INDEXVECTORS_H
