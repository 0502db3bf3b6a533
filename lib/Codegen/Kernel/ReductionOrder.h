//===- ReductionOrder.h - Which reductions keep their order -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_REDUCTIONORDER_H
#define DMC_LIB_CODEGEN_KERNEL_REDUCTIONORDER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dmc::codegen {

/// Whether elements may be combined in another order than row-major: the body is one of the
/// combiners (sum, product, maximum, minimum, and, or, exclusive or), so that the order matters at
/// most for the rounding of floats, and the reduction is not over windows of a tensor. Windows are
/// small or overlap: their sums gain nothing from another order, and so they are those of the
/// interpreter to the last bit (docs/stablehlo.md).
bool mayReorder(mlir::linalg::LinalgOp op);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_REDUCTIONORDER_H
