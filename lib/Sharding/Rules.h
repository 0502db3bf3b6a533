//===- Rules.h - Rules by family of operation -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ShardingRule.cpp dispatches to.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_SHARDING_RULES_H
#define DMC_LIB_SHARDING_RULES_H

#include "dmc/Sharding/ShardingRule.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dmc::rules {

/// Every dimension of every operand and result is needed whole.
ShardingRule getReplicatedRule(mlir::Operation *op);

ShardingRule getLinalgRule(mlir::linalg::LinalgOp op);
std::optional<PartialResults> getLinalgPartialResults(mlir::linalg::LinalgOp op,
                                                      const llvm::BitVector &partial,
                                                      CombinerKind combiner);

/// Nothing for an operation that is not in the table.
std::optional<ShardingRule> getTensorRule(mlir::Operation *op);
std::optional<PartialResults>
getTensorPartialResults(mlir::Operation *op, const llvm::BitVector &partial, CombinerKind combiner);

/// True if adding `constant` to every partial value leaves the combination unchanged.
bool isNeutral(mlir::TypedAttr constant, CombinerKind combiner);
/// True if partial values that are all `constant` combine to it: it may stand on all positions.
bool isIdempotent(mlir::TypedAttr constant, CombinerKind combiner);

} // namespace dmc::rules

#endif // DMC_LIB_SHARDING_RULES_H
