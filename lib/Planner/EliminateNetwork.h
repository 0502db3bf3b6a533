//===- EliminateNetwork.h - Exact optimum of what is left -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_ELIMINATENETWORK_H
#define DMC_LIB_PLANNER_ELIMINATENETWORK_H

#include "ExactBound.h"

#include <functional>

namespace dmc::planner {

struct Elimination {
  /// Of the least sum with prices; nothing: each has an infeasible pair.
  std::optional<std::vector<uint32_t>> choice;
  /// No plan among the states costs less, in picoseconds / `Scales::common`.
  Wide bound = 0;
};

/// Entries of the tables that elimination would make; at most `limit` + 1.
int64_t predictElimination(const Network &network, int64_t limit);
/// The same with the marked states alone.
int64_t predictElimination(const Network &network, const std::vector<std::vector<bool>> &states,
                           int64_t limit);

/// The choice of least cost with prices, all rows of memory left out. Nothing, if tables would have
/// more than `limit` entries in all, or once `isInterrupted` says so.
std::optional<Elimination> eliminateNetwork(const Network &network, const Scales &scales,
                                            const std::vector<int64_t> &prices, int64_t limit,
                                            const std::function<bool()> &isInterrupted);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_ELIMINATENETWORK_H
