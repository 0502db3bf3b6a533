//===- PackedCollective.h - Several collectives as one ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One collective that carries the tensors of several of its kind.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RANKS_PACKEDCOLLECTIVE_H
#define DMC_LIB_RANKS_PACKEDCOLLECTIVE_H

#include "dmc/Dialect/Comm/Comm.h"

#include "mlir/IR/Builders.h"

namespace dmc {

/// Whether the collective's tensors could be a part of another's.
bool canBePacked(comm::CollectiveOpInterface op);

/// What collectives must agree in: kind, combiner, element type, group.
mlir::Attribute getPackingKey(comm::CollectiveOpInterface op);

/// Bytes of the larger of operand and result.
int64_t getPackedBytes(comm::CollectiveOpInterface op);

/// Writes the members, of one key, as one collective, replaces their results and
/// erases them. All operands must dominate the builder's place and all users
/// follow it. Returns the new collective.
mlir::Operation *buildPacked(mlir::OpBuilder &builder,
                             llvm::ArrayRef<comm::CollectiveOpInterface> members);

} // namespace dmc

#endif // DMC_LIB_RANKS_PACKEDCOLLECTIVE_H
