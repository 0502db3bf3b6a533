//===- KernelResources.h - What kernels take of a device --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_CODEGEN_KERNELRESOURCES_H
#define DMC_CODEGEN_KERNELRESOURCES_H

#include "dmc/Runtime/KernelUse.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace dmc {

/// What an assembler says of the code for a chip.
struct AssembledCode {
  /// By kernel, without occupancy: that depends on the launch. A kernel of which something is not
  /// said is absent.
  llvm::StringMap<runtime::KernelUse> kernels;
  /// Of variables in the device's memory.
  int64_t globalBytes = 0;
};

/// Reads what `ptxas -v` prints.
AssembledCode readAssemblerMessages(llvm::StringRef messages, llvm::StringRef chip);

/// Of a kernel that is launched in blocks of so many threads, each with so many bytes of shared
/// memory beside the kernel's own, on a chip that dmc compiles for.
runtime::Occupancy getOccupancy(const runtime::KernelUse &kernel, int64_t threads,
                                int64_t dynamicShared);

} // namespace dmc

#endif // DMC_CODEGEN_KERNELRESOURCES_H
