//===- SumOfProducts.h - Contractions of floats -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_DIALECT_DMC_SUMOFPRODUCTS_H
#define DMC_DIALECT_DMC_SUMOFPRODUCTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dmc {

/// Whether the body yields accumulator + a * b of floats, which may be widened; or a constant
/// instead of the product where a mask says so, if `mayBeMasked`.
bool addsProducts(mlir::linalg::LinalgOp op, bool mayBeMasked = false);

/// FLOPs of a contraction of static loops, a product and a sum for each iteration; 0 of all else.
int64_t countProductFlops(mlir::linalg::LinalgOp op);

} // namespace dmc

#endif // DMC_DIALECT_DMC_SUMOFPRODUCTS_H
