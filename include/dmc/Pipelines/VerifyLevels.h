//===- VerifyLevels.h - A level's verifier after every pass -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dialect cannot add verifiers to foreign operations, so each level's rules
// are checked by an instrumentation.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PIPELINES_VERIFYLEVELS_H
#define DMC_PIPELINES_VERIFYLEVELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <atomic>
#include <memory>

namespace dmc {

/// Checks the module against the rules of the level that its `dmc.program`
/// names; a module without the attribute is right.
mlir::LogicalResult verifyLevel(mlir::ModuleOp module);

/// Runs verifyLevel after every pass on a module but those that import has still
/// to complete. An instrumentation cannot fail a pass: it reports an error, names
/// the pass, and sets `*failed`.
std::unique_ptr<mlir::PassInstrumentation>
createVerifyLevelsInstrumentation(std::shared_ptr<std::atomic<bool>> failed);

} // namespace dmc

#endif // DMC_PIPELINES_VERIFYLEVELS_H
