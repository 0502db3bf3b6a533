//===- MoveOps.h - Operations that make moves -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From moves of the layout library to operations.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_MOVEOPS_H
#define DMC_LIB_PARALLELIZE_MOVEOPS_H

#include "dmc/Layout/Reshard.h"

#include "Factors.h"

#include "mlir/IR/Builders.h"

namespace dmc {

/// Creates the operations that make some moves, one after the other, and returns the last result
/// (the operand, if there is no move). The last one's type is `type`, which may spell the layout in
/// another way than the move does.
mlir::Value createMoves(mlir::OpBuilder &builder, mlir::Location loc, LayoutCache &cache,
                        llvm::ArrayRef<Move> moves, mlir::Value operand,
                        mlir::RankedTensorType type);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_MOVEOPS_H
