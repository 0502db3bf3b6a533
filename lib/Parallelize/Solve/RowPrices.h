//===- RowPrices.h - Prices of memory in place of its rows ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows hold what the plans that made them hold. A plan within all of them mostly has what none of
// them counts, and needs more than they say; the fastest plan where memory has a price is a smaller
// one all over. Prices are raised as subgradients say (M. Held, P. Wolfe and H. Crowder, Validation
// of subgradient optimization, 1974).
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_ROWPRICES_H
#define DMC_LIB_PARALLELIZE_SOLVE_ROWPRICES_H

#include "dmc/Planner/LayoutProblem.h"

namespace dmc {

class RowPrices {
public:
  /// `step`: what a plan that exceeds one row by all of its capacity raises its price by, in units
  /// of cost. A price is what all of a row's capacity costs.
  explicit RowPrices(double step) : step(step) {}

  /// Of rows that a plan exceeds prices rise, of others they fall, by the excess as a part of the
  /// capacity, divided by the number of rows that are exceeded. There may be more rows than before.
  void change(llvm::ArrayRef<planner::Row> rows, const planner::Assignment &plan);
  /// A problem without its rows, in which states also cost what they use of these. Nothing: its
  /// numbers are too large.
  std::optional<planner::LayoutProblem> apply(const planner::LayoutProblem &problem,
                                              llvm::ArrayRef<planner::Row> rows) const;

private:
  double step;
  /// By row.
  std::vector<double> prices;
};

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_ROWPRICES_H
