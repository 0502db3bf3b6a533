//===- LevelZero.h - What a tensor program can say --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and foreign operations of level 0: what import refuses, the verifier refuses.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_IMPORT_LEVELZERO_H
#define DMC_LIB_IMPORT_LEVELZERO_H

#include "mlir/IR/Operation.h"

namespace dmc {

/// Emits an error unless the operation, of another dialect than dmc, has a form at level 0.
mlir::LogicalResult checkHasForm(mlir::Operation *op);

/// Emits an error at the operation unless a value of a tensor program may have the type: a
/// scalar, or a ranked tensor of static shape, of supported elements.
mlir::LogicalResult checkType(mlir::Operation *op, mlir::Type type);

} // namespace dmc

#endif // DMC_LIB_IMPORT_LEVELZERO_H
