//===- KernelsToLLVM.h - Kernels in the LLVM dialect ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_CPU_KERNELSTOLLVM_H
#define DMC_LIB_CODEGEN_CPU_KERNELSTOLLVM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace dmc::codegen {

/// The type with which kernels are called: bare pointers.
mlir::LLVM::LLVMFunctionType kernelType(mlir::func::FuncOp kernel);

/// Converts all functions of a module, and what arithmetic is left in LLVM
/// functions, to the LLVM dialect.
mlir::LogicalResult convertToLLVM(mlir::ModuleOp module);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_CPU_KERNELSTOLLVM_H
