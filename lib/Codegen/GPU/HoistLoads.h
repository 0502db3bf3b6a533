//===- HoistLoads.h - Loads before threads wait for each other --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_GPU_HOISTLOADS_H
#define DMC_LIB_CODEGEN_GPU_HOISTLOADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dmc::codegen {

/// Moves loads of a nest before the first exchange between threads of their block of operations,
/// where they do not need its result: assemblers move none across a barrier, and each of a row's
/// passes would wait for memory again. What an iteration of a loop with such an exchange loads
/// before it, it loads while the iteration before computes. Of arguments that the nest only reads,
/// that share no memory with others and that have an element for each of `threads` at least:
/// smaller ones are the same for many rows, and in a cache. As many as are a quarter of the
/// registers that a thread can name: what the passes keep takes another one. Returns whether a loop
/// loads for its next iteration.
bool hoistLoads(mlir::func::FuncOp nest, int64_t threads);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_GPU_HOISTLOADS_H
