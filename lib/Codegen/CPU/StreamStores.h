//===- StreamStores.h - Stores past the caches ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_CPU_STREAMSTORES_H
#define DMC_LIB_CODEGEN_CPU_STREAMSTORES_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace dmc::codegen {

/// Of an argument of a nest in the IR of kernels: its function writes it past the caches.
inline constexpr llvm::StringLiteral streamAttr = "dmc.stream";
/// The same of a function of LLVM: numbers of arguments, separated by commas.
inline constexpr llvm::StringLiteral streamFunctionAttr = "dmc-stream";

/// Makes the vector stores of an optimized function into the arguments that it lists non-temporal,
/// where they are known to be aligned, and orders them before what follows its end. The loop
/// vectorizer itself refuses loops with such stores: it asks for the alignment of scalar ones.
void streamStores(llvm::Function &function);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_CPU_STREAMSTORES_H
