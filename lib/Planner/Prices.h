//===- Prices.h - Prices of memory ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A price for each row of memory makes plans that exceed it more expensive, and the least cost with
// prices, less what the capacities are worth, is a lower bound at any prices. Prices rise where the
// plans of the last steps exceed rows on average, and fall where they leave room (the volume
// algorithm: F. Barahona and R. Anbil, The volume algorithm: producing primal solutions with a
// subgradient method, 2000).
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_PRICES_H
#define DMC_LIB_PLANNER_PRICES_H

#include "ExactBound.h"

namespace dmc::planner {

class PriceSearch {
public:
  PriceSearch(const LayoutProblem &problem, const Scales &scales);

  /// Begins with the prices of a problem with the first rows.
  void start(const std::vector<double> &prices);
  /// The cheapest plan at the current prices, as far as that is known; it may exceed rows.
  void addPlan(double cost, const std::vector<int64_t> &bytes);
  /// The bound at the current prices; true if it is the best.
  bool addBound(double bound);
  /// Back to the prices of the best bound.
  void returnToBest() { setPrices(best_); }
  double bestBound() const { return bestBound_; }
  /// Changes the prices towards bounds of `target`; false if no others promise a bound that is
  /// better by more than `least`.
  bool step(double target, double least);
  /// Makes all rows but these free; false if they are already.
  bool keepRows(const std::vector<uint32_t> &rows);
  /// The rows that plans exceeded.
  const std::vector<uint32_t> &active() const { return active_; }
  /// Whether plans exceeded rows at all.
  bool isNeeded() const { return !active_.empty(); }

  /// By row, as certificates have them.
  const std::vector<int64_t> &prices() const { return prices_; }
  /// The same in picoseconds of a byte.
  std::vector<double> getPrices() const { return scales_.getPrices(prices_); }

private:
  void activate(uint32_t row);
  void setPrices(const std::vector<double> &weights);

  const LayoutProblem &problem_;
  const Scales &scales_;
  std::vector<uint32_t> active_;
  std::vector<int64_t> prices_;
  /// Picoseconds for a whole capacity, by active row: what was best, and what is now.
  std::vector<double> best_, current_;
  double bestBound_ = 0;
  bool hasBound_ = false;
  /// By row: bytes above the capacity, as a share of it, of the plan at the current prices, on
  /// average of those of the last steps, and of the plan at the best prices; what they cost.
  std::vector<double> excess_, average_, bestExcess_;
  double cost_ = 0, averageCost_ = 0, bestCost_ = 0;
  bool hasAverage_ = false;
  /// Of the way to the target that a step is meant to go, and how many went the wrong way since
  /// that was changed.
  double pace_;
  int failures_ = 0;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_PRICES_H
