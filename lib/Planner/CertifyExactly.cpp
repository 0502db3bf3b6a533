//===- CertifyExactly.cpp - Bounds that the checker computes itself -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Run.h.
//
//===----------------------------------------------------------------------===//
#include "EliminateNetwork.h"
#include "Run.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc::planner;

/// Effort limit: as many trials, of which each may take four times as long as the one before; the
/// last ones, of some seconds each, only while the gap is more than this, and not so much that it
/// hardly closes. Where it is less, no trial takes longer than the iterations did, of which mini-
/// buckets take twenty times as long for an entry, or than so many entries do, a tenth of a second.
static constexpr int64_t bucketSizes[] = {1 << 10, 1 << 12, 1 << 14},
                         largeBucketSizes[] = {1 << 16, 1 << 18};
static constexpr int64_t fewEntries = 1 << 22;
static constexpr double coarseGap = 0.01, hopelessGap = 0.05;

/// Effort limit: what the checker's elimination within rows may take, as a multiple of what that of
/// the bound took: it keeps all partial plans, and a choice counts for sixteen times as many there.
static constexpr int64_t mostOfSteps = 32;

double Run::getRest() const {
  return static_cast<double>(incumbent_.cost - solution_.certifiedBound);
}

/// Has the checker compute what the certificate proves, which is kept if that is more than before.
void Run::certifyBy(const std::function<void(Certificate &)> &change, int64_t steps) {
  Certificate changed = solution_.certificate;
  change(changed);
  CheckedCertificate checked = checkCertificate(problem_, changed, incumbent_.assignment, steps);
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
  const double most = options_.gap * static_cast<double>(incumbent_.cost);
  const bool isCertified = getRest() <= most;
  int64_t limit =
      std::min(checkedEntries, isCertified ? getSmallElimination() : options_.eliminationLimit);
  if (getRest() > 0 && predictElimination(*network_, limit) <= limit)
    certifyBy([](Certificate &certificate) { certificate.isExact = true; });
  if (solution_.bound > solution_.certifiedBound && proofWithinRows_.steps > 0 && !isCertified)
    certifyBy(
        [&](Certificate &certificate) {
          certificate.isExact = false;
          auto &within = certificate.withinRows.emplace();
          within.cutoff = solution_.bound;
          within.rows = proofWithinRows_.rows;
          within.order = proofWithinRows_.order;
        },
        mostOfSteps * proofWithinRows_.steps);
  // Neither clusters nor mini-buckets keep rows.
  if (solution_.certificate.withinRows)
    return;
  const int64_t enough = incumbent_.cost - static_cast<int64_t>(most);
  if (getRest() > most)
    certifyInClusters(enough);
  if (getRest() > most && solution_.certificate.clusters.empty())
    certifyInBuckets(enough);
}

/// The certificate without elimination, with mini-buckets of several sizes: larger ones mostly, but
/// not always prove more.
void Run::certifyInBuckets(int64_t enough) {
  Certificate plain = solution_.certificate;
  plain.isExact = false;
  plain.withinRows = std::nullopt;
  const auto cost = static_cast<double>(incumbent_.cost);
  auto getLimit = [&](int64_t bound) {
    // Once time is up, what takes little of it.
    if (mustStop())
      return std::min(options_.bucketLimit, fewEntries);
    return static_cast<double>(incumbent_.cost - bound) > coarseGap * cost
               ? options_.bucketLimit
               : std::min(options_.bucketLimit, std::max(fewEntries, getEntriesOfWork()));
  };
  auto tryAll = [&](llvm::ArrayRef<int64_t> sizes) {
    auto best = chooseBuckets(problem_, plain, incumbent_.assignment, sizes, enough, getLimit);
    if (!best || best->bound <= solution_.certifiedBound)
      return;
    plain.bucketEntries = best->entries;
    solution_.certificate = plain;
    solution_.certifiedBound = best->bound;
    plain.bucketEntries = std::nullopt;
  };
  tryAll(bucketSizes);
  double gap = getRest() / cost;
  if (gap > coarseGap && gap <= hopelessGap && !mustStop())
    tryAll(largeBucketSizes);
}
