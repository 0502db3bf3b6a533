//===- CheckPrices.h - Plans at several prices, recomputed -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_CHECKPRICES_H
#define DMC_LIB_PLANNER_CHECKPRICES_H

#include "CheckAhead.h"

namespace dmc::planner {

/// What variables use above the least that they can, and what is left of the rows once all of them
/// use that, by row.
struct CheckedBytes {
  /// By variable and state.
  std::vector<std::vector<std::vector<int64_t>>> ofStates;
  std::vector<int64_t> room;
};

/// A plan that keeps rows costs no less than with any prices of what it uses, less these prices of
/// the room. A partial plan that costs `limit` or more with the prices, and what choices cost
/// ahead, leads to none that counts.
struct PricedView {
  /// Of a byte, by row.
  std::vector<__int128> prices;
  __int128 limit = 0;
  CheckedAhead ahead;
};

/// Views at prices around those of the rows. Choices that have no plan in one of them lose theirs
/// in `ahead`, too. Nothing: no choice has one.
std::optional<std::vector<PricedView>> makeViews(const CheckedRows &rows,
                                                 const CheckedChoices &choices,
                                                 const CheckedBytes &bytes, CheckedAhead &ahead);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CHECKPRICES_H
