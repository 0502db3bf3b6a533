//===- Windows.h - Reductions over windows and prefixes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both forms of reductions over windows are built from.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_IMPORT_WINDOWS_H
#define DMC_LIB_IMPORT_WINDOWS_H

#include "Conversion.h"

namespace dmc {

/// Windows of a tensor, by dimension: one element, wherever there is one.
struct Windows {
  explicit Windows(int64_t rank)
      : size(rank, 1), stride(rank, 1), dilation(rank, 1), low(rank, 0), high(rank, 0),
        interior(rank, 0) {}
  llvm::SmallVector<int64_t> size, stride, dilation, low, high, interior;
};

/// Reduces windows of inputs, which are padded by the initial values, into results of these types.
mlir::LogicalResult buildWindows(Converter &c, mlir::Location loc, const Windows &windows,
                                 mlir::ValueRange inputs, mlir::ValueRange inits,
                                 llvm::ArrayRef<mlir::RankedTensorType> types,
                                 mlir::Region &combiner,
                                 llvm::SmallVectorImpl<mlir::Value> &results);

/// Reductions of all elements up to each along a dimension, or from each on.
class Prefixes {
public:
  Prefixes(int64_t dim, bool isReverse, mlir::Value identity, mlir::Region &combiner)
      : dim(dim), isReverse(isReverse), identity(identity), combiner(combiner) {}

  /// The reductions of a tensor's elements; a tensor of the same type.
  mlir::FailureOr<mlir::Value> build(Converter &c, mlir::Location loc, mlir::Value input) const;

private:
  mlir::FailureOr<mlir::Value> buildShort(Converter &c, mlir::Location loc, mlir::Value input,
                                          int64_t dim) const;
  /// From the reductions of blocks, those of all blocks before each, or behind each.
  mlir::Value shift(Converter &c, mlir::Location loc, mlir::Value totals) const;
  mlir::FailureOr<mlir::Value> combine(Converter &c, mlir::Location loc, mlir::Value carried,
                                       mlir::Value blocks) const;

  int64_t dim;
  bool isReverse;
  mlir::Value identity; // a scalar tensor
  mlir::Region &combiner;
};

/// Windows as long as a dimension, at each element those up to it or from it on, of an operation
/// whose identity they start from.
std::optional<Prefixes> findPrefixes(const Windows &windows, mlir::ValueRange inputs,
                                     mlir::ValueRange inits, mlir::Region &combiner);

} // namespace dmc

#endif // DMC_LIB_IMPORT_WINDOWS_H
