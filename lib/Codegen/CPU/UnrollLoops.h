//===- UnrollLoops.h - Loops that become straight code ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loops LLVM is to unroll: it unrolls no others.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_CPU_UNROLLLOOPS_H
#define DMC_LIB_CODEGEN_CPU_UNROLLLOOPS_H

#include "mlir/IR/BuiltinOps.h"

namespace dmc::codegen {

/// Asks for loops of constant count to be unrolled where they are shorter than a vector of
/// `vectorBytes` bytes, hold no other loop that stays, and are at most 150 operations long then.
void unrollShortLoops(mlir::ModuleOp module, int64_t vectorBytes);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_CPU_UNROLLLOOPS_H
