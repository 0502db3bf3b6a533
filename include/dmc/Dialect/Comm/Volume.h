//===- Volume.h - What collectives send -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes and executions of the collectives of a rank program, as reports, contracts
// and explanations count them.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_COMM_VOLUME_H
#define DMC_DIALECT_COMM_VOLUME_H

#include "dmc/Dialect/Comm/Comm.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace dmc::comm {

/// How often a step executes the operation, or one execution of an operation around it does;
/// nothing if the program decides it.
std::optional<int64_t> countExecutions(mlir::Operation *op, mlir::Operation *within = nullptr);
/// Bytes of the operand, of an all-gather those of the result: what a collective's price is
/// computed from.
int64_t getBytes(CollectiveOpInterface op);
/// Bytes that leave a rank in one execution.
double getWireBytes(CollectiveOpInterface op);
/// Bytes that leave a rank in a step. What is executed an unknown number of times counts once.
double getWireBytes(mlir::ModuleOp module);

} // namespace dmc::comm

#endif // DMC_DIALECT_COMM_VOLUME_H
