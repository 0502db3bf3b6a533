//===- CollapseDimensions.h - Dimensions that a kernel walks as one -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_COLLAPSEDIMENSIONS_H
#define DMC_LIB_CODEGEN_KERNEL_COLLAPSEDIMENSIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc::codegen {

/// Makes one dimension of neighbouring ones of a kernel of elements wherever no operation of the
/// kernel tells them apart: loops over long rows need no remainder for each short one, and fewer
/// indices. A bias of 3 that is added to 5x7x3 elements leaves 35x3.
///
/// Tensors and the body's arguments get the new shapes; the function's type remains that of its
/// launches.
void collapseDimensions(mlir::func::FuncOp kernel);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_COLLAPSEDIMENSIONS_H
