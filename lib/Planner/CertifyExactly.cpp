//===- CertifyExactly.cpp - Bounds that the checker computes itself -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Run.h.
//
//===----------------------------------------------------------------------===//
#include "EliminateNetwork.h"
#include "Run.h"

#include <algorithm>

using namespace dmc::planner;

/// Has the checker compute what the certificate proves, which is kept if that is more than before.
void Run::certifyBy(const std::function<void(Certificate &)> &change) {
  Certificate changed = solution_.certificate;
  change(changed);
  CheckedCertificate checked = checkCertificate(problem_, changed, incumbent_.assignment);
  if (!checked.error.empty() || checked.bound <= solution_.certifiedBound)
    return;
  solution_.certifiedBound = checked.bound;
  solution_.certificate = std::move(changed);
}

/// Potentials of pairs leave a gap where cycles are frustrated, whatever they are, and prices where
/// no mixture of plans is one. What elimination proves the checker repeats, if that is little work.
void Run::certifyExactly() {
  if (!options_.keepCertificate || !hasStage_ || !incumbent_.isKnown())
    return;
  auto rest = static_cast<double>(incumbent_.cost - solution_.certifiedBound);
  bool isCertified = rest <= options_.gap * static_cast<double>(incumbent_.cost);
  int64_t limit =
      std::min(checkedEntries, isCertified ? getSmallElimination() : options_.eliminationLimit);
  if (rest > 0 && predictElimination(*network_, limit) <= limit)
    certifyBy([](Certificate &certificate) { certificate.isExact = true; });
  if (solution_.bound <= solution_.certifiedBound || rowsToKeep_.empty() || isCertified)
    return;
  certifyBy([&](Certificate &certificate) {
    certificate.isExact = false;
    auto &within = certificate.withinRows.emplace();
    within.cutoff = solution_.bound;
    for (uint32_t row = 0; row < prices_.size(); ++row)
      if (prices_[row] != 0 || rowsToKeep_.count(row))
        within.rows.push_back(row);
  });
}
