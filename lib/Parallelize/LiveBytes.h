//===- LiveBytes.h - Bytes that a parallel program needs --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An estimate at level 1, to bound what passes keep; the buffer plan knows the peak.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_LIVEBYTES_H
#define DMC_LIB_PARALLELIZE_LIVEBYTES_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc {

/// Bytes of a rank's part of a tensor.
int64_t getLocalBytes(mlir::Value tensor);

/// The most bytes that are alive on a rank at once while an operation of a program at level
/// `parallel` runs: arguments, results that take over no argument's buffer, and all values from
/// where they are produced to their last use, through the iterations of loops that read them.
/// What is computed element by element for one use alone is taken to be fused with it.
int64_t getPeakBytesWithin(mlir::func::FuncOp entry, ProgramAttr program, mlir::Operation *op);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_LIVEBYTES_H
