//===- FindConflict.h - What contradicts the states of nodes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_FINDCONFLICT_H
#define DMC_LIB_PLANNER_FINDCONFLICT_H

#include "ClusterCosts.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace dmc::planner {

/// From a node that is known to one that is not.
struct PathStep {
  uint32_t from, to;
};

/// Looks around nodes in given states for the nearest others that cost `least` or more with all
/// that lies between: at the end of a path from one of the nodes, or where two such paths meet.
/// Returns the paths, each node behind the one that it comes from; `isAccepted` is asked of the
/// nodes of the paths with those that are given, in their order. Nothing, if no conflict is found
/// that is accepted.
std::optional<std::vector<PathStep>>
findConflict(const ClusterCosts &costs, const std::vector<uint32_t> &nodes,
             const Assignment &states, int64_t least,
             llvm::function_ref<bool(const std::vector<uint32_t> &)> isAccepted);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_FINDCONFLICT_H
