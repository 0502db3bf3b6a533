//===- Verify.h - Is a tensor program well formed? --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `dmc-verify-tensor` checks, for use between passes.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_IMPORT_VERIFY_H
#define DMC_IMPORT_VERIFY_H

#include "mlir/IR/BuiltinOps.h"

namespace dmc {

/// Emits an error unless the module is a well-formed program of level `tensor`; the
/// conditions stand in the description of `dmc-verify-tensor`. A module at another
/// level passes.
mlir::LogicalResult verifyTensor(mlir::ModuleOp module);

/// Whether the pass, by its argument, leaves programs of level `tensor` that are not
/// complete: the import stage sets the level before it has converted all operations.
bool isWithinImport(llvm::StringRef pass);

} // namespace dmc

#endif // DMC_IMPORT_VERIFY_H
