//===- EmptyTensors.h - Values of tensors without a value -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_FUSION_EMPTYTENSORS_H
#define DMC_LIB_FUSION_EMPTYTENSORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc {

/// Lets what no kernel will compute read no empty tensor: reshapes of empty tensors become empty
/// tensors, and operations outside of kernels (collectives, control flow, the return) read zeros
/// instead. A rank program may read such tensors; their elements have any value.
void defineEmptyTensors(mlir::func::FuncOp function);

} // namespace dmc

#endif // DMC_LIB_FUSION_EMPTYTENSORS_H
