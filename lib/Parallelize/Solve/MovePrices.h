//===- MovePrices.h - What moves between layouts cost -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reshard planner's prices for the tables of a layout problem. A table of a tensor of four
// dimensions on three axes has 15,625 pairs of layouts, each of which takes a search.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_MOVEPRICES_H
#define DMC_LIB_PARALLELIZE_SOLVE_MOVEPRICES_H

#include "../Propagation.h"
#include "LayoutTable.h"

#include "llvm/ADT/StringMap.h"

#include <memory>

namespace dmc {

/// In 2^unit picoseconds, at most what the costs of a problem may reach: more is not infeasible.
int64_t toCost(double seconds, int unit);

class MovePrices {
public:
  /// Of layouts of the table, in 2^unit picoseconds. Searches run on the threads of the context.
  MovePrices(const ReshardPlans &plans, const LayoutTable &layouts, mlir::MLIRContext *context,
             int unit)
      : plans(plans), layouts(layouts), context(context), unit(unit) {}

  /// From each of the first layouts to each of the second ones, in that order.
  std::vector<int64_t> get(const LayoutList &from, const LayoutList &to, const TensorInfo &value);

private:
  struct Move {
    std::pair<unsigned, unsigned> layouts;
    Layout from, to;
    std::vector<int64_t> shape;
    int64_t elementBytes = 1;
    /// What was found: the price, and whether no moves are cheaper.
    int64_t price = 0;
    bool isCheapest = false;
  };
  static std::string getKey(const Move &move);
  void search(std::vector<Move> &moves);

  const ReshardPlans &plans;
  const LayoutTable &layouts;
  mlir::MLIRContext *context;
  int unit;
  /// By shape and element size, then by layouts.
  llvm::StringMap<llvm::DenseMap<std::pair<unsigned, unsigned>, int64_t>> ofShapes;
  /// Of moves in all orders of the dimensions, where none is cheaper: else the search has come to
  /// its limit, and what it found depends on the order.
  llvm::StringMap<std::optional<int64_t>> ofMoves;
  /// One for each thread.
  std::vector<std::unique_ptr<ReshardPlans>> workers;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_MOVEPRICES_H
