//===- MergedNest.h - Several nests as one ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of one nest are divided among several, whose threads run alone.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_GPU_MERGEDNEST_H
#define DMC_LIB_CODEGEN_GPU_MERGEDNEST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace dmc::codegen {

/// What a nest computes, whatever its arguments are called and however long its buffers are. Nests
/// of one form differ in their arguments and iterations alone.
struct NestForm {
  /// The text of the body, whose arguments are numbered in the order of their first use.
  std::string text;
  /// Of these the numbers that the nest has for them.
  llvm::SmallVector<unsigned> arguments;
};

NestForm getForm(mlir::func::FuncOp nest);

/// Whether the threads of a device's nest are alone, have no memory of their own, and run an
/// element, or neighbours, each.
bool isMergeable(mlir::func::FuncOp nest);

/// A nest of which the merged one runs the iterations.
struct NestPart {
  mlir::func::FuncOp nest;
  /// For each argument of the nest, but its range, the one of the merged nest.
  llvm::SmallVector<unsigned> arguments;
};

/// The blocks that run the iterations of a nest, or of several.
int64_t countMergedBlocks(mlir::func::FuncOp nest);

/// A nest with these arguments, behind which it has a range, for the blocks of all parts.
mlir::func::FuncOp mergeNests(mlir::Location loc, llvm::StringRef name,
                              llvm::ArrayRef<mlir::Type> arguments, llvm::ArrayRef<NestPart> parts,
                              mlir::SymbolTable &symbols);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_GPU_MERGEDNEST_H
