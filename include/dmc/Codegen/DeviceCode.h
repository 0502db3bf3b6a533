//===- DeviceCode.h - Code for devices with memory of their own -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the device module that dmc-lower-to-gpu makes to PTX, and to what an assembler makes of it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_CODEGEN_DEVICECODE_H
#define DMC_CODEGEN_DEVICECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace dmc {

/// The module with the nests of a program for a device, a symbol of the program's module.
inline constexpr llvm::StringLiteral deviceModuleName = "dmc_device";
/// Of the function without a body that a nest was: `{entry, grid, block, shared}`, the name of the
/// kernel in the device code, blocks and threads of a block along x, y and z, and the bytes of
/// dynamic shared memory. The kernel takes the nest's arguments but for its range.
inline constexpr llvm::StringLiteral deviceNestAttr = "dmc.device_nest";

/// The code of a program for one chip.
struct DeviceCode {
  std::string chip;
  std::string ptx;
  /// Empty without an assembler.
  llvm::SmallVector<char, 0> cubin;
  /// What the assembler says of registers and spills.
  std::string messages;
};

struct DeviceCodeOptions {
  /// `ptxas`; empty: that on the search path or in `$CUDA_HOME/bin`, if any.
  std::string assembler;
  /// Whether to call it.
  bool assemble = true;
};

/// The code of the device module of a program for each chip of its target, in the order of the
/// target's name; none for a program without device module. Errors are emitted on the module.
mlir::FailureOr<std::vector<DeviceCode>> makeDeviceCode(mlir::ModuleOp program,
                                                        const DeviceCodeOptions &options = {});

/// What is wrong with the name of a device target, as `cuda:sm_90a+sm_80`, or nothing.
std::string checkDeviceTarget(llvm::StringRef name);

} // namespace dmc

#endif // DMC_CODEGEN_DEVICECODE_H
