//===- SinkFills.h - Splats beside what reads them --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_FUSION_SINKFILLS_H
#define DMC_LIB_FUSION_SINKFILLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc {

/// Copies fills and splat constants into the blocks of the linalg operations that read them. Fusion
/// looks at one block at a time: a fill outside of a loop is memory to it, from which a contraction
/// within would have to start, and in the block it costs nothing. Each value that a loop carries
/// gets a splat of its own to start from, where several start from one: it needs no copy.
void sinkFills(mlir::func::FuncOp function);

} // namespace dmc

#endif // DMC_LIB_FUSION_SINKFILLS_H
