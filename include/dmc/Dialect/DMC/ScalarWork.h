//===- ScalarWork.h - What an operation on scalars costs --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_DIALECT_DMC_SCALARWORK_H
#define DMC_DIALECT_DMC_SCALARWORK_H

#include "mlir/IR/Operation.h"

namespace dmc {

/// What a division or a transcendental function counts, in additions: a polynomial of that degree,
/// or as many cycles of the divider.
inline constexpr unsigned slowScalarWork = 8;

/// Operations per element of one operation on scalars.
unsigned getScalarWork(mlir::Operation *op);

/// Operations per element of an operation on tensors: those of its body, or of itself if it is
/// elementwise.
unsigned getElementWork(mlir::Operation *op);

} // namespace dmc

#endif // DMC_DIALECT_DMC_SCALARWORK_H
