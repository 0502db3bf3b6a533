//===- OrderedReduction.h - Reductions by choices ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The position of a maximum, and what else has a body of comparisons and choices: elements may be
// grouped, but not exchanged, since of equal ones the first or the last is chosen.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_ORDEREDREDUCTION_H
#define DMC_LIB_CODEGEN_KERNEL_ORDEREDREDUCTION_H

#include "Kernel/Scalarizer.h"

namespace dmc::codegen {

/// A reduction that combines tuples of one value for each result by comparisons and choices alone,
/// and for which f(f(a, b), c) = f(a, f(b, c)) holds for all tuples without NaN.
class OrderedReduction {
public:
  /// Nothing if the operation is none.
  static std::optional<OrderedReduction> match(mlir::linalg::LinalgOp op);

  /// What the operation reads at these indices of its loops.
  llvm::SmallVector<mlir::Value> getElement(Scalarizer &s, llvm::ArrayRef<Index> dims) const;
  /// What tuples of neighbouring elements give together.
  llvm::SmallVector<mlir::Value> combine(Scalarizer &s, mlir::ValueRange first,
                                         mlir::ValueRange second) const;

private:
  explicit OrderedReduction(mlir::linalg::LinalgOp op) : reduction(op) {}
  bool findSources();
  bool isAssociative() const;

  mlir::linalg::LinalgOp reduction;
  /// Of each result, where its element comes from: an input, or a cast of a loop's index.
  llvm::SmallVector<mlir::Value> sources;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_ORDEREDREDUCTION_H
