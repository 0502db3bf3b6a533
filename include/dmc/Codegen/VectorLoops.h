//===- VectorLoops.h - Loops of which LLVM makes vectors --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_CODEGEN_VECTORLOOPS_H
#define DMC_CODEGEN_VECTORLOOPS_H

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <vector>

namespace dmc {

/// What LLVM's vectorizer made of an innermost loop: elements of a vector, and vectors of one
/// iteration. Both are 1 of a loop that stays as it is.
struct VectorLoop {
  int64_t width = 1, interleave = 1;
};

/// Optimizes the kernels of a program in the LLVM dialect for its processor, as writeSharedLibrary
/// does, and returns the loops of each function that the vectorizer has seen, in its order. Loops
/// that other passes have unrolled or replaced are not among them.
mlir::FailureOr<std::map<std::string, std::vector<VectorLoop>>>
findVectorLoops(mlir::ModuleOp module);

} // namespace dmc

#endif // DMC_CODEGEN_VECTORLOOPS_H
