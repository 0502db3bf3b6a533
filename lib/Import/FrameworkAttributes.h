//===- FrameworkAttributes.h - Attributes that frameworks add ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which attributes of modules, functions, arguments, results and operations
// import reads, which it ignores, and the refusal of all others.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_IMPORT_FRAMEWORKATTRIBUTES_H
#define DMC_LIB_IMPORT_FRAMEWORKATTRIBUTES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc {

/// True for the attributes in which Shardy's propagation records what it did: they request nothing.
bool isPropagationRecord(llvm::StringRef name);

/// True for attributes of the dialects of array frameworks; others (debug names, targets of other
/// compilers) say nothing of the computation.
bool isOfFramework(llvm::StringRef name);

/// Refuses attributes of the module that import neither reads nor may ignore.
mlir::LogicalResult checkModuleAttributes(mlir::ModuleOp module);

/// The same for a function, its arguments and its results.
mlir::LogicalResult checkFunctionAttributes(mlir::func::FuncOp function);

/// The same for an operation of a function's body; removes propagation records.
mlir::LogicalResult checkOperationAttributes(mlir::Operation *op);

} // namespace dmc

#endif // DMC_LIB_IMPORT_FRAMEWORKATTRIBUTES_H
