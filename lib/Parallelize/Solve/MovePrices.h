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

#include <algorithm>
#include <memory>

namespace dmc {

/// The most that anything costs while a problem is stated: more is not infeasible. Two of them add
/// up without overflow.
inline constexpr int64_t mostCost = (int64_t(1) << 62) - 1;

/// In 2^unit picoseconds, at most `mostCost`.
int64_t toCost(double seconds, int unit);
/// Of costs of at most `mostCost`; the sum is no more than that, either.
inline int64_t addCosts(int64_t a, int64_t b) { return std::min(a + b, mostCost); }

/// Of moves by what they lead between, which is priced once for all problems of a program.
class MovePrices {
public:
  /// Searches run on the threads of the context.
  MovePrices(const ReshardPlans &plans, mlir::MLIRContext *context)
      : plans(plans), context(context) {}

  struct Move {
    Layout from, to;
    std::vector<int64_t> shape;
    int64_t elementBytes = 1;
    double seconds = 0;
    /// What was found of it: no moves are cheaper.
    bool isCheapest = false;
  };
  /// Sets the seconds.
  void price(std::vector<Move> &moves);

private:
  void search(llvm::ArrayRef<Move *> moves);

  const ReshardPlans &plans;
  mlir::MLIRContext *context;
  /// In one order of the dimensions, and whether that is the price in all: where the search has
  /// come to its limit, what it found depends on the order.
  llvm::StringMap<std::optional<double>> inAllOrders;
  llvm::StringMap<double> inOneOrder;
  /// One for each thread.
  std::vector<std::unique_ptr<ReshardPlans>> workers;
};

/// Of moves between the layouts of a table.
class MoveTables {
public:
  MoveTables(MovePrices &prices, const LayoutTable &layouts) : prices(prices), layouts(layouts) {}

  /// From each of the first layouts to each of the second ones, in that order, in 2^unit
  /// picoseconds.
  std::vector<int64_t> get(const LayoutList &from, const LayoutList &to, const TensorInfo &value,
                           int unit);

private:
  MovePrices &prices;
  const LayoutTable &layouts;
  /// Seconds by shape and element size, then by layouts.
  llvm::StringMap<llvm::DenseMap<std::pair<unsigned, unsigned>, double>> ofShapes;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_MOVEPRICES_H
