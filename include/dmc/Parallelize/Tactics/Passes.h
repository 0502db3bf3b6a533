//===- Passes.h - Passes about tactics --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tactics into the program, and plans out of it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_TACTICS_PASSES_H
#define DMC_PARALLELIZE_TACTICS_PASSES_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dmc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dmc/Parallelize/Tactics/Passes.h.inc"
} // namespace dmc

#endif // DMC_PARALLELIZE_TACTICS_PASSES_H
