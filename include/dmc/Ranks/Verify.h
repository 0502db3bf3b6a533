//===- Verify.h - Checks of rank programs -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `dmc-verify-ranks` checks, for use between passes.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RANKS_VERIFY_H
#define DMC_RANKS_VERIFY_H

#include "mlir/IR/BuiltinOps.h"

namespace dmc {
/// Emits errors unless the module is a well-formed program of level `ranks`; the
/// conditions stand in the description of `dmc-verify-ranks`.
mlir::LogicalResult verifyRanks(mlir::ModuleOp module);
} // namespace dmc

#endif // DMC_RANKS_VERIFY_H
