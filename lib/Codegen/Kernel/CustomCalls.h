//===- CustomCalls.h - Calls of kernels by name -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_CUSTOMCALLS_H
#define DMC_LIB_CODEGEN_KERNEL_CUSTOMCALLS_H

#include "dmc/Dialect/DMC/CustomCall.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace dmc::codegen {

/// The attribute of a function without body that stands for a call of a kernel that the session is
/// given: `target`, `config`, how many of its arguments are `results`, which are `unsigned`.
inline constexpr llvm::StringLiteral customCallAttr = "dmc.custom_call";

/// The call that a kernel function consists of; null if it computes something itself.
CustomCallOp findCustomCall(mlir::func::FuncOp kernel);

/// Replaces the body of such a kernel function by the call of a function without body.
mlir::LogicalResult lowerCustomCall(mlir::func::FuncOp kernel, CustomCallOp call,
                                    mlir::SymbolTable &symbols);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_CUSTOMCALLS_H
