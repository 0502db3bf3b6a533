//===- Transfers.h - Point-to-point transfers of boxes ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the local forms of permutes, redistributions and halos.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RANKS_TRANSFERS_H
#define DMC_LIB_RANKS_TRANSFERS_H

#include "dmc/Layout/Reshard.h"
#include "dmc/Ranks/LocalForm.h"

namespace dmc {

/// Numbers that depend on a rank's position in a group, looked up in one constant.
class PositionTable {
public:
  PositionTable(RankBuilder &b, AxesAttr axes, int64_t positions)
      : b(b), axes(axes), positions(positions) {}

  /// The column of one number for every position; positions without one may get any.
  size_t add(const std::vector<std::optional<int64_t>> &column) {
    columns.push_back(column);
    return columns.size() - 1;
  }
  /// Makes the table; then `get` yields the numbers as index values.
  void finish();
  mlir::Value get(size_t column);
  /// The number that all positions with one have, 0 if none has; nothing where they differ.
  std::optional<int64_t> getConstant(size_t column) const;

private:
  RankBuilder &b;
  AxesAttr axes;
  int64_t positions;
  std::vector<std::vector<std::optional<int64_t>>> columns;
  /// Of columns that are not constant, where they stand in the row.
  llvm::SmallVector<int64_t> places;
  /// What all numbers of a column are multiples of: the row has the quotients, so that the program
  /// says which boxes begin at a multiple of an access.
  llvm::SmallVector<int64_t> divisors;
  mlir::Value row;
};

/// Sends `x` along pairs (source, target) of positions over the axes.
mlir::Value send(RankBuilder &b, mlir::Value x, llvm::ArrayRef<int64_t> pairs, AxesAttr axes);

/// What a rank keeps and gets by a plan; `padding` where no transfer puts anything.
mlir::Value lowerToRounds(RankBuilder &b, mlir::Value x, const Redistribution &plan, AxesAttr axes,
                          mlir::RankedTensorType type, mlir::TypedAttr padding);

} // namespace dmc

#endif // DMC_LIB_RANKS_TRANSFERS_H
