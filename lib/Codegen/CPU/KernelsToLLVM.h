//===- KernelsToLLVM.h - Kernels in the LLVM dialect ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last step of kernels: library calls get the runtime, everything becomes
// LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_CPU_KERNELSTOLLVM_H
#define DMC_LIB_CODEGEN_CPU_KERNELSTOLLVM_H

#include "Host/TableBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc::codegen {

/// The type with which kernels are called: bare pointers; with the rank context
/// and the runtime first, and a status, if it calls the library.
mlir::LLVM::LLVMFunctionType kernelType(mlir::func::FuncOp kernel, bool callsLibrary);

/// Whether a lowered kernel calls the vendor library.
bool callsLibrary(mlir::func::FuncOp kernel);

/// Passes context and runtime to a kernel that calls the library, and calls it
/// through them.
mlir::LogicalResult connectLibraryCalls(mlir::func::FuncOp kernel, TableBuilder &tables);

/// Converts all functions of a module, and what arithmetic is left in LLVM
/// functions, to the LLVM dialect.
mlir::LogicalResult convertToLLVM(mlir::ModuleOp module);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_CPU_KERNELSTOLLVM_H
