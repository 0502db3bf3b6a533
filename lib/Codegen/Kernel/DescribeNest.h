//===- DescribeNest.h - What a nest came to be ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_DESCRIBENEST_H
#define DMC_LIB_CODEGEN_KERNEL_DESCRIBENEST_H

#include "Kernel/LoopBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc::codegen {

/// The plan of a function that `loops` built: what was decided, its loops, what it accesses, and
/// what that costs. Each loop runs as often as expected, both sides of a branch are run, and what
/// is read or written of a buffer more than once counts once.
NestAttr describeNest(mlir::func::FuncOp nest, const LoopBuilder &loops);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_DESCRIBENEST_H
