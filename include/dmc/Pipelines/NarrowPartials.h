//===- NarrowPartials.h - What narrow partial sums would save ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program would send with the other setting of `--narrow-partials`.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PIPELINES_NARROWPARTIALS_H
#define DMC_PIPELINES_NARROWPARTIALS_H

#include "dmc/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"

#include <atomic>
#include <optional>

namespace dmc {

/// Bytes that leave a rank in a step if `import.narrowPartials` is the opposite and all else
/// as given: the program is planned again, as far as level 2. Takes a module before its
/// import and leaves it as it is. Nothing if the setting makes no difference to the program,
/// or if it does not compile, or after an interrupt as in Stages.
std::optional<double> planWireBytesOtherwise(mlir::ModuleOp module, ImportOptions import,
                                             ParallelizeOptions parallelize, int64_t bucketBytes,
                                             const std::atomic<bool> *interrupt = nullptr);

} // namespace dmc

#endif // DMC_PIPELINES_NARROWPARTIALS_H
