//===- CheckElimination.h - The least sum of costs, recomputed --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_CHECKELIMINATION_H
#define DMC_LIB_PLANNER_CHECKELIMINATION_H

#include <cstdint>
#include <optional>
#include <vector>

namespace dmc::planner {

/// Costs of all choices of some variables' states: row-major over the scope, which is in ascending
/// order. What must not be chosen costs `noChoice`.
struct CheckedCosts {
  std::vector<uint32_t> scope;
  std::vector<__int128> costs;
};
inline constexpr __int128 noChoice = __int128(1) << 126;

/// The least sum of all costs over the states of all variables, of which `sizes` says how many each
/// has; all other costs and their sums are below `noChoice`. Variables are eliminated one after the
/// other, the one with the smallest table first (Bertele and Brioschi 1972, "Nonserial Dynamic
/// Programming"). Nothing, if the tables have more than `limit` entries in all.
std::optional<__int128> findLeastSum(const std::vector<uint32_t> &sizes,
                                     std::vector<CheckedCosts> costs, int64_t limit);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CHECKELIMINATION_H
