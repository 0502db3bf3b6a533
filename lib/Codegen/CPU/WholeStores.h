//===- WholeStores.h - Stores of whole vectors ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_CPU_WHOLESTORES_H
#define DMC_LIB_CODEGEN_CPU_WHOLESTORES_H

namespace llvm {
class Function;
} // namespace llvm

namespace dmc::codegen {

/// Keeps LLVM's code generator from storing only the lanes that a selection changes in place:
/// such masked stores take tens of cycles on some processors (vmaskmovps with memory as its
/// destination: 18 operations and more on AMD's Zen and Zen 2), and are faster than whole ones on
/// none.
void storeWholeVectors(llvm::Function &function);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_CPU_WHOLESTORES_H
