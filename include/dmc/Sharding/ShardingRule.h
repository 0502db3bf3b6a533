//===- ShardingRule.h - How any operation may be split ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queries that verifier, propagation and search ask: an operation's factors
// and what it does to partial operands. They ask and never rewrite.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SHARDING_SHARDINGRULE_H
#define DMC_SHARDING_SHARDINGRULE_H

#include "dmc/Dialect/DMC/DMC.h"

namespace dmc {

/// One entry per result; an entry without value: that result is replicated.
using PartialResults = llvm::SmallVector<std::optional<CombinerKind>>;

/// The factors of an operation. Operands and results are those of ranked tensor
/// type, in order. What has no rule of its own needs all operands whole; failure
/// only where a tensor has no static shape.
mlir::FailureOr<ShardingRule> getShardingRule(mlir::Operation *op);

/// The combiner of each result if exactly the operands in `partial` (numbered as
/// in the rule) are partial under `combiner` on an axis on which all others are
/// replicated; nothing where that would compute something else.
std::optional<PartialResults> getPartialResults(mlir::Operation *op, const llvm::BitVector &partial,
                                                CombinerKind combiner);

/// The ranked-tensor operands or results, in order.
llvm::SmallVector<mlir::OpOperand *> getTensorOperands(mlir::Operation *op);
llvm::SmallVector<mlir::OpResult> getTensorResults(mlir::Operation *op);

/// The destination (`outs`) of each ranked-tensor result, as a number among the
/// ranked-tensor operands; it has the result's layout.
llvm::SmallVector<std::optional<unsigned>> getDestinations(mlir::Operation *op);

/// True if the operation makes a value from no tensor: it may have any layout,
/// which then denotes the global value (`tensor.empty`, constants, fills).
bool isLayoutAgnostic(mlir::Operation *op);

/// The scalar that fills a tensor, if all elements are one constant.
mlir::TypedAttr getSplatConstant(mlir::Value value);

} // namespace dmc

#endif // DMC_SHARDING_SHARDINGRULE_H
