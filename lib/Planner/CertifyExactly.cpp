//===- CertifyExactly.cpp - Bounds that the checker computes itself -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Run.h.
//
//===----------------------------------------------------------------------===//
#include "ClusterMessages.h"
#include "Clusters.h"
#include "EliminateNetwork.h"
#include "Run.h"
#include "TreeMoves.h"

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
/// Effort limit: entries of all tables of the elimination of a cluster, as many as an exact
/// certificate may have, or this part of those of all clusters, so that there are several.
static constexpr int64_t entriesOfCluster = checkedEntries, leastClusters = 8;
static constexpr double coarseGap = 0.01, hopelessGap = 0.05;
/// Effort limits of passes of messages between clusters: iterations of one; what all of them take,
/// as a multiple of what the iterations before took without the plans that they look for; after how
/// many it is seen what they gain, and the part of the gap that they must close.
static constexpr int64_t mostIterationsOfPass = 64, workOfPasses = 5, spanOfPasses = 10;
static constexpr double leastRiseOfPasses = 0.005;

double Run::getRest() const {
  return static_cast<double>(incumbent_.cost - solution_.certifiedBound);
}

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
  const double most = options_.gap * static_cast<double>(incumbent_.cost);
  const bool isCertified = getRest() <= most;
  int64_t limit =
      std::min(checkedEntries, isCertified ? getSmallElimination() : options_.eliminationLimit);
  if (getRest() > 0 && predictElimination(*network_, limit) <= limit)
    certifyBy([](Certificate &certificate) { certificate.isExact = true; });
  if (solution_.bound > solution_.certifiedBound && !rowsToKeep_.empty() && !isCertified)
    certifyBy([&](Certificate &certificate) {
      certificate.isExact = false;
      auto &within = certificate.withinRows.emplace();
      within.cutoff = solution_.bound;
      for (uint32_t row = 0; row < prices_.size(); ++row)
        if (prices_[row] != 0 || rowsToKeep_.count(row))
          within.rows.push_back(row);
    });
  const int64_t enough = incumbent_.cost - static_cast<int64_t>(most);
  if (getRest() > most)
    certifyInClusters(enough);
  if (getRest() > most && solution_.certificate.clusters.empty())
    certifyInBuckets(enough);
}

/// Of the best plan, what messages suggest and what elimination finds among states of small excess,
/// each changed by trees of nodes.
std::optional<std::vector<uint32_t>> Run::findCheapestAtPrices() {
  const std::vector<double> prices = scales_.getPrices(prices_);
  auto getCost = [&](const std::vector<uint32_t> &choice) {
    auto cost = static_cast<double>(problem_.getCost(network_->toAssignment(choice)));
    for (auto [price, bytes] : llvm::zip_equal(prices, network_->getBytes(choice)))
      cost += price * static_cast<double>(bytes);
    return cost;
  };
  std::optional<std::vector<uint32_t>> cheapest;
  double least = 0;
  auto offer = [&](std::optional<std::vector<uint32_t>> choice) {
    if (!choice)
      return;
    TreeMoves moves(*network_, prices);
    for (int move = 0, failures = 0; move < 64 && failures < 4 && !mustStop(); ++move)
      failures = moves.move(*choice) ? 0 : failures + 1;
    double cost = getCost(*choice);
    if (cheapest && cost >= least)
      return;
    least = cost;
    cheapest = std::move(choice);
  };
  offer(network_->toChoice(incumbent_.assignment));
  offer(messages_->decode());
  offer(findAtPrices(cheapest, getDiveLimit()));
  return cheapest;
}

void Run::proveInClusters() {
  // Clusters that are known stay.
  if (mustStop())
    return;
  if (!hasStage_)
    evaluate();
  auto choice = incumbent_.isKnown() ? network_->toChoice(incumbent_.assignment) : std::nullopt;
  if (!hasStage_ || !choice || !options_.keepCertificate || options_.bucketLimit == 0 || isDone())
    return;
  if (priceSearch_.isNeeded())
    choice = findCheapestAtPrices();
  ExactBound bound(*network_, scales_, potentials_, prices_);
  const std::function<bool()> isInterrupted = [&] { return mustStop(); };
  ClusterSearch search(
      *network_, scales_, potentials_, bound, *choice,
      {std::min(entriesOfCluster, options_.bucketLimit / leastClusters), options_.bucketLimit},
      isInterrupted);
  auto most = static_cast<int64_t>(options_.gap * static_cast<double>(incumbent_.cost));
  // Prices may make bounds negative.
  Wide enough =
      static_cast<Wide>(incumbent_.cost - most) * scales_.potential - bound.bound() / scales_.price;
  search.run(static_cast<int64_t>(std::min<Wide>(enough, std::numeric_limits<int64_t>::max())));
  clusters_ = search.clusters();
  clustersAt_ = stageBound_;
  clustersFor_ = incumbent_.cost;
  clustersProve_ =
      scales_.toPicoseconds(bound.bound() + static_cast<Wide>(search.gain()) * scales_.price);
  prove(clustersProve_, BoundSource::Clusters);
  tryChoice(search.adapted());
  if (network_->rows().empty())
    combineRecent();
}

/// The potentials with which clusters prove the most at the prices of the best bound, as far as the
/// effort limits allow.
Potentials Run::suitToClusters() {
  // While prices are stepped, the last messages are not those of the best prices.
  Messages messages = isStepping() && bestMessages_ ? *bestMessages_ : *messages_;
  messages.setPrices(scales_.getPrices(prices_));
  const double ofCapacities = getPriceOfCapacities(messages);
  messages.iterate();
  ClusterMessages passes(messages, clusters_, entriesOfCluster);
  // Iterations over the other edges take as long as messages of clusters do.
  const int64_t size = getIterationSize(), ofClusters = visitsOfEntry * passes.entries();
  const int64_t iterations = std::clamp<int64_t>(ofClusters / size, 1, mostIterationsOfPass);
  const int64_t mostPasses = workOfPasses * work_ / (ofClusters + iterations * size);
  const auto cost = static_cast<double>(incumbent_.cost);
  double before = 0;
  for (int64_t pass = 0; pass < mostPasses && !mustStop(); ++pass) {
    double bound = passes.pass(iterations) - ofCapacities;
    if (bound >= (1 - options_.gap) * cost)
      break;
    if (pass % spanOfPasses != 0)
      continue;
    if (pass > 0 && bound - before < leastRiseOfPasses * (cost - bound))
      break;
    before = bound;
  }
  return messages.getPotentials(scales_.potential);
}

/// The least of all costs around cycles where the plan costs more than the bound.
void Run::certifyInClusters(int64_t enough) {
  if (clustersAt_ != stageBound_ || clustersFor_ != incumbent_.cost)
    proveInClusters();
  if (clusters_.empty())
    return;
  auto setClusters = [&](Certificate &certificate) {
    certificate.isExact = false;
    certificate.withinRows = std::nullopt;
    certificate.clusters.clear();
    for (const std::vector<uint32_t> &nodes : clusters_) {
      std::vector<uint32_t> &cluster = certificate.clusters.emplace_back();
      for (uint32_t node : nodes)
        cluster.push_back(network_->nodes()[node].variable);
    }
  };
  if (clustersProve_ < enough && !mustStop())
    certifyBy([&](Certificate &certificate) {
      setClusters(certificate);
      certificate.stages.push_back(makeStage(*network_, suitToClusters(), prices_));
    });
  if (solution_.certifiedBound < clustersProve_)
    certifyBy(setClusters);
}

/// The certificate without elimination, with mini-buckets of several sizes: larger ones mostly, but
/// not always prove more.
void Run::certifyInBuckets(int64_t enough) {
  Certificate plain = solution_.certificate;
  plain.isExact = false;
  plain.withinRows = std::nullopt;
  const auto cost = static_cast<double>(incumbent_.cost);
  auto getLimit = [&](int64_t bound) {
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
  if (gap > coarseGap && gap <= hopelessGap)
    tryAll(largeBucketSizes);
}
