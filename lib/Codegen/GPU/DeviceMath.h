//===- DeviceMath.h - Arithmetic that devices have no instruction for -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_GPU_DEVICEMATH_H
#define DMC_LIB_CODEGEN_GPU_DEVICEMATH_H

#include "mlir/IR/BuiltinOps.h"

namespace dmc::codegen {

/// Replaces functions of a device module by arithmetic: those of f32 as on processors, bit for bit
/// where these have a fused multiply-add, and remainders. An error at each that is left: there is
/// no library on a device.
mlir::LogicalResult expandDeviceMath(mlir::ModuleOp module);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_GPU_DEVICEMATH_H
