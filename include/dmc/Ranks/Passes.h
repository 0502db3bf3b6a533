//===- Passes.h - Passes of the ranks stage ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the parallel program to what each rank does.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RANKS_PASSES_H
#define DMC_RANKS_PASSES_H

#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dmc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dmc/Ranks/Passes.h.inc"
} // namespace dmc

#endif // DMC_RANKS_PASSES_H
