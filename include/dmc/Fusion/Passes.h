//===- Passes.h - Fusion --------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that form kernels in a rank program.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_FUSION_PASSES_H
#define DMC_FUSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace dmc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dmc/Fusion/Passes.h.inc"
} // namespace dmc

#endif // DMC_FUSION_PASSES_H
