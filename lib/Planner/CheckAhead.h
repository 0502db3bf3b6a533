//===- CheckAhead.h - What plans lack with choices, recomputed --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_CHECKAHEAD_H
#define DMC_LIB_PLANNER_CHECKAHEAD_H

#include "CheckChoices.h"

namespace dmc::planner {

/// By eliminated variable, join and choice: what all plans with it cost at least for what is not
/// joined; `noChoice`: none of them costs less than the limit.
using CheckedAhead = std::vector<std::vector<std::vector<__int128>>>;

/// The same of tables that cost `costs`, by table and entry. Choices that have no plan in `known`
/// do not count. Nothing, if no plan costs less than the limit.
std::optional<CheckedAhead> findAhead(const CheckedChoices &choices,
                                      const std::vector<CheckedCosts> &costs, __int128 limit,
                                      const CheckedAhead *known = nullptr);

/// The choices that have a plan.
CheckedChoices keepWithPlan(const CheckedChoices &choices, const CheckedAhead &ahead);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CHECKAHEAD_H
