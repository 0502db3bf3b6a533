//===- NestFunctions.h - The loop nests of a kernel as functions -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_NESTFUNCTIONS_H
#define DMC_LIB_CODEGEN_KERNEL_NESTFUNCTIONS_H

#include "Kernel/LoopBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace dmc::codegen {

/// The functions that a kernel calls one after the other. Each takes the kernel's arguments, and
/// the range of iterations to run; its attribute `dmc.nest` says how many there are and what they
/// cost.
class NestFunctions {
public:
  NestFunctions(mlir::func::FuncOp kernel, mlir::SymbolTable &symbols)
      : kernel(kernel), symbols(symbols) {}
  /// A new function: its body, with a terminator.
  mlir::Block *open(mlir::Location loc);
  /// The function is complete, built by `loops`.
  void close(const LoopBuilder &loops);
  /// Replaces the kernel's body by calls.
  void callAll();

private:
  mlir::func::FuncOp kernel;
  mlir::SymbolTable &symbols;
  llvm::SmallVector<mlir::func::FuncOp> nests;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_NESTFUNCTIONS_H
