//===- SplitLiveRanges.h - Tensors kept otherwise meanwhile -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor that is read early and late is moved once for both, and stays in that layout. Behind an
// optimization barrier it is another tensor: it may be kept sharded between its uses, and be
// gathered again.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SPLITLIVERANGES_H
#define DMC_LIB_PARALLELIZE_SPLITLIVERANGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace dmc {

/// Operations of a program by number, in its order, barriers apart: ranges of them, as "3-17,20" in
/// text; none is "none".
class OperationRanges {
public:
  OperationRanges() = default;
  /// Those among the operations of an entry without barriers.
  OperationRanges(mlir::func::FuncOp entry, llvm::ArrayRef<mlir::Operation *> operations);
  /// Nothing where the text is none.
  static std::optional<OperationRanges> parse(llvm::StringRef text);
  std::string toText() const;

  bool empty() const { return ranges.empty(); }
  /// Of an entry without barriers.
  llvm::SmallVector<mlir::Operation *> find(mlir::func::FuncOp entry) const;

private:
  /// First and last, in order.
  std::vector<std::pair<unsigned, unsigned>> ranges;
};

/// Inserts a `dmc.optimization_barrier` that a tactic is said to have added behind each use of a
/// tensor that has its next use behind one of `places`, and lets later uses take the tensor from
/// there. The smallest tensors stay as they are, as many as take no more than `ignoredBytes`
/// together on one rank that has them whole. Returns how many were inserted.
unsigned splitLiveRanges(mlir::func::FuncOp entry, const OperationRanges &places,
                         double ignoredBytes);

/// Removes those barriers.
void joinLiveRanges(mlir::func::FuncOp entry);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SPLITLIVERANGES_H
