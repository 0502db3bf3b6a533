//===- Import.h - Helpers of the import stage -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes of the stage share: the entry of a module.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_IMPORT_IMPORT_H
#define DMC_IMPORT_IMPORT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace dmc {

/// The module's only public function, which must have a body of one block; emits
/// an error if there is none, or several.
mlir::FailureOr<mlir::func::FuncOp> getEntry(mlir::ModuleOp module);

} // namespace dmc

#endif // DMC_IMPORT_IMPORT_H
