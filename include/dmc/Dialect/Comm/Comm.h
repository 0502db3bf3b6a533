//===- Comm.h - The comm dialect --------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives on tensors and memrefs.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_COMM_COMM_H
#define DMC_DIALECT_COMM_COMM_H

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "dmc/Dialect/Comm/CommDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dmc/Dialect/Comm/CommTypes.h.inc"

#include "dmc/Dialect/Comm/CollectiveInterface.h.inc"

#define GET_OP_CLASSES
#include "dmc/Dialect/Comm/CommOps.h.inc"

namespace dmc::comm {

/// The stream on which an operation of a scheduled program runs.
int64_t getStream(mlir::Operation *op);

/// Says on which stream a collective on memrefs or a copy runs.
void setStream(mlir::Operation *op, int64_t stream);

} // namespace dmc::comm

#endif // DMC_DIALECT_COMM_COMM_H
