//===- Factors.h - Elimination of variables from tables ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_FACTORS_H
#define DMC_LIB_PLANNER_FACTORS_H

#include "dmc/Planner/Oracle.h"

#include <array>
#include <functional>

namespace dmc::planner {

/// A cost for each choice of states of the variables; the last one's state changes fastest.
struct Factor {
  std::vector<uint32_t> scope;
  std::vector<int64_t> costs;
};

/// The least sum of all factors, whose feasible costs add up to at most 2^62. Nothing, if a table
/// would have more than `limit` entries, or once `isInterrupted` says so.
std::optional<Optimum> eliminateFactors(llvm::ArrayRef<uint32_t> sizes, std::vector<Factor> factors,
                                        int64_t limit,
                                        const std::function<bool()> &isInterrupted = {});

/// Entries of all tables that elimination makes, in the same order of variables; `limit` + 1, if
/// that is above the limit.
int64_t predictElimination(llvm::ArrayRef<uint32_t> sizes,
                           llvm::ArrayRef<std::array<uint32_t, 2>> pairs, int64_t limit);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_FACTORS_H
