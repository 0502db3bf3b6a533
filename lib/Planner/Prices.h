//===- Prices.h - Prices of memory ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A price for each row of memory makes plans that exceed it more expensive, and the least cost with
// prices, less what the capacities are worth, is a lower bound at any prices. Plans seen so far
// say how high it can be elsewhere (Kelley's cutting planes): the next prices are where they
// allow the most, drawn towards the best prices so far.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_PRICES_H
#define DMC_LIB_PLANNER_PRICES_H

#include "ExactBound.h"

namespace dmc::planner {

class PriceSearch {
public:
  PriceSearch(const LayoutProblem &problem, const Scales &scales);

  /// A plan, feasible or not in rows, of that cost.
  void addPlan(double cost, const std::vector<int64_t> &bytes);
  /// The bound at the current prices; true if it is the best.
  bool addBound(double bound);
  /// Back to the prices of the best bound.
  void returnToBest() { setPrices(best_); }
  double bestBound() const { return bestBound_; }
  /// Changes the prices; false if no others promise a bound that is better by more than `least`.
  bool step(double least);
  /// Makes all rows but these free; false if they are already.
  bool keepRows(const std::vector<uint32_t> &rows);
  /// The rows that plans exceeded.
  const std::vector<uint32_t> &active() const { return active_; }
  /// Whether plans exceeded rows at all.
  bool isNeeded() const { return !active_.empty(); }

  /// By row, as certificates have them.
  const std::vector<int64_t> &prices() const { return prices_; }
  /// In picoseconds.
  std::vector<double> getPrices() const;

private:
  struct Cut {
    double cost;
    /// By row: bytes above the capacity, as a share of it.
    std::vector<double> excess;
  };
  std::optional<std::vector<double>> solveMaster(double &promised);
  void setPrices(const std::vector<double> &weights);

  const LayoutProblem &problem_;
  const Scales &scales_;
  std::vector<uint32_t> active_;
  std::vector<Cut> cuts_;
  std::vector<int64_t> prices_;
  /// Picoseconds for a whole capacity, by active row: what was best, and what is now.
  std::vector<double> best_, current_;
  double bestBound_ = 0, unit_ = 0;
  /// How much weight all rows may have, in units.
  double box_ = 1;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_PRICES_H
