//===- Combiner.h - Scalar operations that are combiners --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which scalar operation combines the partial values of a tensor.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_COMBINER_H
#define DMC_DIALECT_DMC_COMBINER_H

#include "dmc/Dialect/DMC/DMC.h"

namespace dmc {

/// The combiner that a scalar operation is: add, multiply, NaN-keeping maximum
/// and minimum; on i1 or is max and and is min. Unsigned maxima of wider integers
/// are none: a layout does not know signedness.
std::optional<CombinerKind> matchCombiner(mlir::Operation *op);

/// The combiner of a body `acc (+) f(inputs)` that yields `yielded`, f not
/// reading `accumulator`; nothing if the body has another form.
std::optional<CombinerKind> matchAccumulation(mlir::Value yielded, mlir::BlockArgument accumulator);

} // namespace dmc

#endif // DMC_DIALECT_DMC_COMBINER_H
