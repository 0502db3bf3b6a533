//===- Locality.h - How a nest walks through memory -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_LOCALITY_H
#define DMC_LIB_CODEGEN_LOCALITY_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace dmc::codegen {

/// For each buffer that a tensor is computed from element by element: its strides along the
/// tensor's dimensions. Reads whose position depends on more than loops are left out.
using ReadStrides = llvm::SmallVector<llvm::SmallVector<int64_t>>;
ReadStrides findReadStrides(mlir::Value tensor);

/// A dimension, not the last, along which a tensor that is written row by row reads a buffer
/// contiguously, while along the last it jumps: both want to be walked in tiles. Nothing if there
/// is none, or if one of the two is shorter than `atLeast`.
std::optional<unsigned> findTransposedDim(mlir::Value tensor, int64_t atLeast);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_LOCALITY_H
