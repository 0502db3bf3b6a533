//===- ContractionPlan.h - How a contraction is computed --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The batched matrix products of a vendor's library that compute a contraction.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_CONTRACTIONPLAN_H
#define DMC_RUNTIME_CONTRACTIONPLAN_H

#include "dmc/Runtime/Contraction.h"
#include "dmc/Runtime/VendorPlugin.h"

#include <algorithm>

namespace dmc::runtime {

struct ContractionPlan {
  dmc_matmul matmul = {};
  bool isSwapped = false; // computes the transposed product: B^T * A^T
  /// Batch loops beyond what the vendor takes.
  std::vector<ContractionLoop> outer;
  double cost = 0;
};

/// All methods to compute the contraction in its types and without copies, the cheapest first.
/// Sizes are positive.
std::vector<ContractionPlan> planContraction(const dmc_contraction &contraction);

ContractionLoops loopsOf(const dmc_contraction &contraction);

/// Largest first; equal ones keep their order.
template <typename Key>
void sortDescending(std::vector<ContractionLoop> &loops, Key key) {
  std::vector<ContractionLoop> sorted;
  for (const ContractionLoop &loop : loops)
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), loop,
                                   [&](const auto &x, const auto &y) { return key(x) > key(y); }),
                  loop);
  loops = std::move(sorted);
}

} // namespace dmc::runtime

#endif // DMC_RUNTIME_CONTRACTIONPLAN_H
