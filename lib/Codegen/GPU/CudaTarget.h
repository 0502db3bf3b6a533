//===- CudaTarget.h - The chips that device code is made for ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_GPU_CUDATARGET_H
#define DMC_LIB_CODEGEN_GPU_CUDATARGET_H

#include "dmc/Dialect/DMC/CudaChips.h"

#include <string>

namespace dmc::codegen {

/// The chips of a target's name, in its order. Empty, and why.
llvm::SmallVector<llvm::StringRef> findCudaChips(llvm::StringRef name, std::string &error);

/// The target of that name: what all of its chips have. Null, and why.
TargetAttr findCudaTarget(mlir::MLIRContext *context, llvm::StringRef name, std::string &error);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_GPU_CUDATARGET_H
