//===- Passes.h - Passes of the import stage --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From StableHLO to a tensor program.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_IMPORT_PASSES_H
#define DMC_IMPORT_PASSES_H

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dmc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

#endif // DMC_IMPORT_PASSES_H
