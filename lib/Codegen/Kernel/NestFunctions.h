//===- NestFunctions.h - The loop nests of a kernel as functions -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_NESTFUNCTIONS_H
#define DMC_LIB_CODEGEN_KERNEL_NESTFUNCTIONS_H

#include "Kernel/LoopBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace dmc::codegen {

/// What a kernel calls one after the other: nests and libraries. A nest is a function of the
/// kernel's arguments, as its body has them, and the range of iterations to run; its attribute
/// `dmc.nest` says how many there are, what executes them and what they cost. A function that
/// stands for a library call has no body, and an attribute `dmc.contraction`.
class NestFunctions {
public:
  NestFunctions(mlir::func::FuncOp kernel, mlir::SymbolTable &symbols)
      : kernel(kernel), symbols(symbols) {}
  /// A new function: its body, with a terminator.
  mlir::Block *open(mlir::Location loc);
  /// The function is complete, built by `loops`.
  void close(const LoopBuilder &loops);
  /// A library is called with these arguments of the kernel.
  void addCall(mlir::Location loc, mlir::func::FuncOp callee, llvm::ArrayRef<unsigned> arguments);
  /// Replaces the kernel's body by calls.
  void callAll();

private:
  mlir::func::FuncOp kernel;
  mlir::SymbolTable &symbols;
  struct Part {
    mlir::Location loc;
    mlir::func::FuncOp callee;
    llvm::SmallVector<unsigned> arguments; // of a library call
  };
  llvm::SmallVector<Part> parts;
};

/// Whether a kernel's body is calls of its nests and of libraries.
bool hasParts(mlir::func::FuncOp kernel, const mlir::SymbolTable &symbols);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_NESTFUNCTIONS_H
