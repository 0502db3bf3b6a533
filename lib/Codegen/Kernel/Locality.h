//===- Locality.h - How a nest walks through memory -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_KERNEL_LOCALITY_H
#define DMC_LIB_CODEGEN_KERNEL_LOCALITY_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace dmc::codegen {

/// A tensor that lies in a buffer and that another one, the root, is computed from element by
/// element.
struct LocalRead {
  mlir::Value tensor;
  /// Of each dimension of the tensor the dimension of the root that it follows, or -1.
  llvm::SmallVector<int64_t> dims;
  /// In the buffer, along the root's dimensions.
  llvm::SmallVector<int64_t> strides;
};

/// Reads whose position depends on more than loops are left out.
llvm::SmallVector<LocalRead> findReads(mlir::Value root);

/// The largest power of two, up to `most`, such that rows of what a value is computed from begin at
/// multiples of it in their buffers: of tensors of `elements` elements at least that are read
/// contiguously along the last dimension. A value that is reduced counts as what it is a sum of.
int64_t findRowAlignment(mlir::Value value, int64_t elements, int64_t most);

/// Whether a tensor is read contiguously along a dimension of the root that is not its last, while
/// it jumps along the last.
bool isTransposed(const LocalRead &read, unsigned dim);

/// A dimension along which a read of a root that is written row by row is transposed: both it and
/// the last want to be walked in tiles. Nothing if there is none, or if one of the two is shorter
/// than `atLeast`.
std::optional<unsigned> findTransposedDim(mlir::Value root, int64_t atLeast);

/// For each dimension of the roots, which have one shape, the indices at which a concatenation,
/// padding or insertion begins to take its elements from somewhere else; ascending. None along
/// dimensions that would fall into many pieces.
llvm::SmallVector<llvm::SmallVector<int64_t>> findCuts(llvm::ArrayRef<mlir::Value> roots);

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_LOCALITY_H
