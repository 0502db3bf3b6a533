//===- Normalize.h - Other forms of what level 0 says -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of single operations, registered by the files that hold them.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_IMPORT_NORMALIZE_H
#define DMC_LIB_IMPORT_NORMALIZE_H

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringMap.h"

namespace dmc {

/// Replaces the operation, or leaves it as it is; a failure has been reported.
using Normalization = mlir::LogicalResult (*)(mlir::RewriterBase &, mlir::Operation *);
using Normalizations = llvm::StringMap<Normalization>;

void registerBodyNormalizations(Normalizations &table);
void registerScalarNormalizations(Normalizations &table);
void registerLinalgNormalizations(Normalizations &table);
void registerTensorNormalizations(Normalizations &table);
void registerControlNormalizations(Normalizations &table);

/// Makes tensors of rank 0 of what is computed of floats outside of bodies.
void tensorizeFloats(mlir::RewriterBase &b, mlir::Operation *function);

/// Puts the elements of a constant into it that are kept beside the program.
mlir::LogicalResult readResource(mlir::Operation *op);

/// Makes tensors of 64-bit integers of a function's tensors of indices.
void convertIndexTensors(mlir::Operation *function);

} // namespace dmc

#endif // DMC_LIB_IMPORT_NORMALIZE_H
