//===- CudaTarget.h - The chips that device code is made for ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_GPU_CUDATARGET_H
#define DMC_LIB_CODEGEN_GPU_CUDATARGET_H

#include "dmc/Dialect/DMC/DMC.h"

#include <string>

namespace dmc::codegen {

/// What a target of CUDA chips begins with: `cuda:sm_90a+sm_80`.
inline constexpr llvm::StringLiteral cudaPrefix = "cuda:";

struct CudaChip {
  llvm::StringRef name;
  /// Shared memory in KB: what a block may have if it asks for it, and a multiprocessor's.
  int64_t blockSharedKilobytes, sharedKilobytes;
  /// What a multiprocessor executes at one time.
  int64_t warps, blocks;
};

/// The chip of that name, or null.
const CudaChip *findCudaChip(llvm::StringRef name);

/// The chips of a target's name, in its order. Empty, and why.
llvm::SmallVector<llvm::StringRef> findCudaChips(llvm::StringRef name, std::string &error);

/// The target of that name: what all of its chips have. Null, and why.
TargetAttr findCudaTarget(mlir::MLIRContext *context, llvm::StringRef name, std::string &error);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_GPU_CUDATARGET_H
