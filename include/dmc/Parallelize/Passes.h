//===- Passes.h - Passes of the parallelize stage ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a tensor program with layouts at its boundary to a parallel program.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PARALLELIZE_PASSES_H
#define DMC_PARALLELIZE_PASSES_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dmc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

#endif // DMC_PARALLELIZE_PASSES_H
