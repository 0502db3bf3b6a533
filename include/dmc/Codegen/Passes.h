//===- Passes.h - From the scheduled program to code ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of code generation.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_CODEGEN_PASSES_H
#define DMC_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace dmc {

#define GEN_PASS_DECL
#include "dmc/Codegen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dmc/Codegen/Passes.h.inc"

} // namespace dmc

#endif // DMC_CODEGEN_PASSES_H
