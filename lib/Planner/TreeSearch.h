//===- TreeSearch.h - Depth-first search with bounds ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_TREESEARCH_H
#define DMC_LIB_PLANNER_TREESEARCH_H

#include "ExactBound.h"
#include "Incumbent.h"

#include <functional>

namespace dmc::planner {

/// Looks among the states that are left for plans better than the incumbent, which it improves.
/// Returns true if none is left to be found: the incumbent is a best plan, or there is none.
bool searchTree(const Network &network, const Scales &scales, const Potentials &potentials,
                const std::vector<int64_t> &prices, int64_t maxNodes,
                const std::function<bool()> &isInterrupted, Incumbent &incumbent);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_TREESEARCH_H
