//===- SplitReduction.h - Reductions by blocks ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_DIALECT_DMC_SPLITREDUCTION_H
#define DMC_DIALECT_DMC_SPLITREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dmc {

/// Of a reduction that a kernel computes in blocks of its leading loops: how many. Each block's
/// partial result is a slice of a result of the kernel that nobody else reads, in the order of
/// these reductions; afterwards they are combined, in the order of the blocks.
inline constexpr llvm::StringLiteral partialsAttr = "dmc.partials";

/// The operation that combines a reduction's elements; null if partial results cannot be combined
/// by it. It is associative and commutative but for the rounding of floats, and has a neutral
/// element.
mlir::Operation *getSplitCombiner(mlir::linalg::LinalgOp op);

/// How many leading loops a reduction over leading loops has, its results following the others in
/// order; 0 if it is of another form or has no such combiner.
unsigned countReducedLeadingLoops(mlir::linalg::LinalgOp op);

} // namespace dmc

#endif // DMC_DIALECT_DMC_SPLITREDUCTION_H
