//===- CheckElimination.h - The best of what is left, recomputed -*- C++ -*-==//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_CHECKELIMINATION_H
#define DMC_LIB_PLANNER_CHECKELIMINATION_H

#include <cstdint>
#include <limits>
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
/// has; all other costs and their sums are below `noChoice`. Nothing, if the tables of the
/// elimination have more than `limit` entries in all. Where one of them would have more than
/// `tableLimit`, a sum that is not above the least one. `limit` is then less by the entries.
std::optional<__int128> findLeastSum(const std::vector<uint32_t> &sizes,
                                     std::vector<CheckedCosts> costs, int64_t &limit,
                                     int64_t tableLimit = std::numeric_limits<int64_t>::max());

/// What is to be chosen so that no row exceeds its capacity.
struct CheckedRows {
  std::vector<uint32_t> sizes;
  /// What a plan costs, with what else is to count, and, of the same scopes, how far it lies above
  /// a bound at least: 0 or more. First comes the table of each variable. Scopes have those of
  /// several states.
  std::vector<CheckedCosts> costs, excess;
  std::vector<int64_t> capacities;
  /// By variable: state by state, the bytes in each row.
  std::vector<std::vector<int64_t>> bytes;
  /// By row: with these prices of a byte plans lie above the bound as far as said. Correct with
  /// any.
  std::vector<__int128> prices;
  /// Plans of that cost or more do not count, nor do those that lie above the bound by so much.
  __int128 costLimit = noChoice, excessLimit = noChoice;
};

/// The least cost of the plans that keep all rows and are below the limits, or less than that;
/// `noChoice`: there is none. Nothing, if the tables of the elimination have more than `limit`
/// entries, or it takes more than `steps` partial plans that are made or compared. The variables of
/// `order`, each once, go first.
std::optional<__int128> findLeastWithin(const CheckedRows &rows, int64_t limit, int64_t steps,
                                        const std::vector<uint32_t> &order);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CHECKELIMINATION_H
