//===- Passes.h - Schedule ------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from the rank program to the scheduled program.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SCHEDULE_PASSES_H
#define DMC_SCHEDULE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace dmc {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dmc/Schedule/Passes.h.inc"
} // namespace dmc

#endif // DMC_SCHEDULE_PASSES_H
