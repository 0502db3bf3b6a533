//===- SparseUpdate.h - Updates of what a scatter changes -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_DIALECT_DMC_SPARSEUPDATE_H
#define DMC_DIALECT_DMC_SPARSEUPDATE_H

#include "dmc/Dialect/DMC/DMC.h"

namespace dmc {

/// The splat that a scatter of one tensor starts from, which must be a constant; else null.
mlir::TypedAttr getInitialSplat(ScatterOp scatter);

/// The tensor of its own type that `value` equals, bit by bit, at each element that the scatter
/// leaves at its initial splat: of `w - 0.1 * scatter(0, ...)`, `w`. Follows elementwise operations
/// on constants and on the tensor by their folders. Null if there is none.
///
/// Such a value need not be computed where the scatter changes nothing: the update of an embedding
/// table by the gradient of the rows that a step has read.
mlir::Value getUnscattered(mlir::Value value, ScatterOp scatter);

} // namespace dmc

#endif // DMC_DIALECT_DMC_SPARSEUPDATE_H
