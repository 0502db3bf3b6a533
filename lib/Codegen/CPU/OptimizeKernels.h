//===- OptimizeKernels.h - LLVM's passes over kernels -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of LLVM's passes run over kernels, and how far they may go.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_CPU_OPTIMIZEKERNELS_H
#define DMC_LIB_CODEGEN_CPU_OPTIMIZEKERNELS_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace dmc::codegen {

/// Optimizes the functions of a module for a processor with `vectorRegisters` vector registers.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine, unsigned vectorRegisters);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_CPU_OPTIMIZEKERNELS_H
