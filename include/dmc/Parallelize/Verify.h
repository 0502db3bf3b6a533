//===- Verify.h - Is a parallel program well formed? ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dialect cannot add verifiers to foreign operations: layouts are checked here.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_VERIFY_H
#define DMC_PARALLELIZE_VERIFY_H

#include "mlir/IR/BuiltinOps.h"

namespace dmc {

/// Checks that every tensor of a parallel program has a layout and that every
/// operation's layouts follow its sharding rule. Emits an error at each operation
/// where they do not. A module at another level passes.
mlir::LogicalResult verifyParallel(mlir::ModuleOp module);

} // namespace dmc

#endif // DMC_PARALLELIZE_VERIFY_H
