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

/// Potentials of pairs leave a gap where cycles are frustrated, whatever they are. What elimination
/// proves the checker repeats, if its tables are small.
void Run::certifyExactly() {
  auto rest = static_cast<double>(incumbent_.cost - solution_.certifiedBound);
  bool isCertified = rest <= options_.gap * static_cast<double>(incumbent_.cost);
  int64_t limit =
      std::min(checkedEntries, isCertified ? getSmallElimination() : options_.eliminationLimit);
  if (!options_.keepCertificate || !hasStage_ || !incumbent_.isKnown() || rest <= 0 ||
      predictElimination(*network_, limit) > limit)
    return;
  solution_.certificate.isExact = true;
  CheckedCertificate checked =
      checkCertificate(problem_, solution_.certificate, incumbent_.assignment);
  if (checked.error.empty() && checked.bound > solution_.certifiedBound)
    solution_.certifiedBound = checked.bound;
  else
    solution_.certificate.isExact = false;
}
