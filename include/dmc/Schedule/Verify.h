//===- Verify.h - Rules of the scheduled program ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `dmc-verify-schedule` checks, for tools and instrumentations.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SCHEDULE_VERIFY_H
#define DMC_SCHEDULE_VERIFY_H

#include "mlir/IR/BuiltinOps.h"

namespace dmc {

/// Emits an error and fails if a buffer is not what the program needs it to be.
mlir::LogicalResult verifySchedule(mlir::ModuleOp module);

} // namespace dmc

#endif // DMC_SCHEDULE_VERIFY_H
