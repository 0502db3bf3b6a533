//===- ExpandMath.h - Mathematical functions that vectorize -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic instead of library calls.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_MATH_EXPANDMATH_H
#define DMC_LIB_CODEGEN_MATH_EXPANDMATH_H

#include "mlir/IR/BuiltinOps.h"

namespace dmc::codegen {

/// The attribute of loops that says how LLVM is to vectorize or unroll them.
constexpr llvm::StringLiteral loopAnnotation = "llvm.loop_annotation";

/// Replaces functions of f32 by arithmetic within two units in the last place. Nothing of libm is
/// called for f32.
void expandMath(mlir::ModuleOp module);

/// Replaces functions of f64 likewise, those that there is arithmetic for.
void expandWideMath(mlir::ModuleOp module);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_MATH_EXPANDMATH_H
