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
struct MemoryUse;

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dmc/Schedule/Passes.h.inc"

/// What dmc-plan-buffers would decide of memory, in `use`, which outlives the pass; the program
/// stays as it is, and may need more than `capacity`, in bytes, 0: no bound.
std::unique_ptr<mlir::Pass> createMeasureMemory(int64_t capacity, MemoryUse &use);

} // namespace dmc

#endif // DMC_SCHEDULE_PASSES_H
