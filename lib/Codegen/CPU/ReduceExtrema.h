//===- ReduceExtrema.h - Maxima and minima of loops -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_CPU_REDUCEEXTREMA_H
#define DMC_LIB_CODEGEN_CPU_REDUCEEXTREMA_H

#include "mlir/IR/BuiltinOps.h"

namespace dmc::codegen {

/// Reduces by arith.maximumf and arith.minimumf in loops without them, where that gives the same
/// bits: of every row but those with a NaN or whose result is a zero.
void reduceExtrema(mlir::ModuleOp module);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_CPU_REDUCEEXTREMA_H
