//===- CertifyInClusters.cpp - Bounds of clusters of nodes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters are found for the potentials that iterations end with, which then suit them; where rows
// of memory have prices, these do, too, and others ask for other clusters.
//
//===----------------------------------------------------------------------===//
#include "ClusterMessages.h"
#include "Clusters.h"
#include "Run.h"
#include "TreeMoves.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc::planner;

/// Effort limit: entries of all tables of the elimination of a cluster, as many as an exact
/// certificate may have, or this part of those of all clusters, so that there are several.
static constexpr int64_t entriesOfCluster = checkedEntries, leastClusters = 8;
/// Effort limits of passes of messages between clusters: iterations of one, and of one at each step
/// of prices; what all of them take, as a multiple of what the iterations before took without the
/// plans that they look for; after how many it is seen what they gain, and the part of the gap that
/// they must close.
static constexpr int64_t mostIterationsOfPass = 64, iterationsOfStep = 4, workOfPasses = 5,
                         spanOfPasses = 10;
static constexpr double leastRiseOfPasses = 0.005;
/// Effort limits: what prices are multiplied by where all of them are too high; steps of prices for
/// the same clusters; iterations of pairs at other prices, which end once ten of them raise the
/// bound by this part of it.
static constexpr double shareOfPrices = 0.75;
static constexpr int mostStepsOfPrices = 100;
static constexpr int64_t mostIterationsOfPairs = 200;
static constexpr double leastRiseOfPairs = 2e-4;

/// What a choice costs at the prices with what it exceeds rows by, or leaves of them.
double Run::getCostAtPrices(const std::vector<uint32_t> &choice) const {
  auto cost = static_cast<double>(problem_.getCost(network_->toAssignment(choice)));
  for (auto [price, bytes, row] : llvm::zip_equal(
           scales_.getPrices(prices_), network_->getBytes(choice), problem_.parts().rows))
    cost += price * static_cast<double>(bytes - row.capacity);
  return cost;
}

/// Of the best plan, what messages suggest and what elimination finds among states of small excess,
/// each changed by trees of nodes.
std::optional<std::vector<uint32_t>> Run::findCheapestAtPrices() {
  const std::vector<double> prices = scales_.getPrices(prices_);
  std::optional<std::vector<uint32_t>> cheapest;
  double least = 0;
  auto offer = [&](std::optional<std::vector<uint32_t>> choice) {
    if (!choice)
      return;
    TreeMoves moves(*network_, prices);
    for (int move = 0, failures = 0; move < 64 && failures < 4 && !mustStop(); ++move)
      failures = moves.move(*choice) ? 0 : failures + 1;
    double cost = getCostAtPrices(*choice);
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

/// Prices of memory tell what plans hold on average: where one price makes plans that leave room
/// and plans that exceed rows cost the same, the best one may be some of both.
void Run::combineCheapest(const std::vector<uint32_t> &choice) {
  auto exceeds = [](auto rowAndBytes) {
    auto [row, bytes] = rowAndBytes;
    return bytes > row.capacity;
  };
  std::vector<int64_t> bytes = network_->getBytes(choice);
  Assignment plan = network_->toAssignment(choice);
  if (llvm::none_of(llvm::zip_equal(problem_.parts().rows, bytes), exceeds)) {
    cheapestWithin_ = std::move(plan);
    return;
  }
  std::vector<Assignment> plans = {incumbent_.assignment, std::move(plan)};
  if (!cheapestWithin_.empty())
    plans.push_back(cheapestWithin_);
  combineWithinRows(getPointers(plans));
  if (incumbent_.assignment != plans.front())
    warmStart_.combined = std::move(plans);
}

/// Clusters for the best potentials and prices, and the plan that they suggest.
std::vector<uint32_t> Run::searchClusters() {
  auto choice = network_->toChoice(incumbent_.assignment);
  // Only what the cheapest plan at the prices costs raises the bound.
  if (priceSearch_.isNeeded()) {
    choice = findCheapestAtPrices();
    combineCheapest(*choice);
  }
  cheapest_ = *choice;
  ExactBound bound(*network_, scales_, potentials_, prices_);
  const std::function<bool()> isInterrupted = [&] { return mustStop(); };
  // Prices may make bounds negative.
  auto getGain = [&](double gap) {
    Wide cost = incumbent_.cost - static_cast<int64_t>(gap * static_cast<double>(incumbent_.cost));
    return static_cast<int64_t>(
        std::min<Wide>(cost * scales_.potential - bound.bound() / scales_.price,
                       std::numeric_limits<int64_t>::max()));
  };
  // Without prices messages between the clusters of a first search prove nearly as much.
  const bool triesMore = priceSearch_.isNeeded() && options_.clusterPricing > 0;
  Clusters found = findClusters(
      *network_, scales_, potentials_, bound, cheapest_,
      {std::min(entriesOfCluster, options_.bucketLimit / leastClusters), options_.bucketLimit},
      triesMore ? getGain(std::max(options_.gap, options_.farGap)) : 0, getGain(options_.gap),
      isInterrupted);
  clusters_ = std::move(found.nodes);
  clustersAt_ = stageBound_;
  clustersFor_ = incumbent_.cost;
  clustersProve_ =
      scales_.toPicoseconds(bound.bound() + static_cast<Wide>(found.gain) * scales_.price);
  return std::move(found.adapted);
}

bool Run::maySearchClusters() {
  return hasStage_ && incumbent_.isKnown() && network_->toChoice(incumbent_.assignment) &&
         options_.keepCertificate && options_.bucketLimit > 0 && !isDone() && !mustStop();
}

void Run::proveInClusters() {
  if (!hasStage_)
    evaluate();
  // Clusters that are known stay.
  if (!maySearchClusters())
    return;
  std::vector<uint32_t> adapted = searchClusters();
  prove(clustersProve_, BoundSource::Clusters);
  tryChoice(std::move(adapted));
  if (network_->rows().empty())
    combineRecent();
}

/// Messages of pairs of nodes at other prices.
void Run::iterateAtPrices(const std::vector<int64_t> &prices, int64_t &workLeft) {
  prices_ = prices;
  messages_->setPrices(scales_.getPrices(prices_));
  workLeft -= getIterationSize() * iterateWhileRising(mostIterationsOfPairs, leastRiseOfPairs,
                                                      [this] { return iterateMessages(); });
  potentials_ = messages_->getPotentials(scales_.potential);
}

/// What clusters prove at prices, and the messages that do.
struct Run::ClusterStage {
  std::vector<std::vector<uint32_t>> clusters;
  Messages messages;
  std::vector<int64_t> prices;
  double bound = -std::numeric_limits<double>::infinity();
};

Run::ClusterStage Run::makeClusterStage() const {
  ClusterStage stage{clusters_, *messages_, prices_};
  stage.messages.setPrices(scales_.getPrices(prices_));
  stage.messages.iterate();
  return stage;
}

/// Passes messages between clusters until `spanOfPasses` of them raise the bound by little, or so
/// many, as far as the effort limits allow.
void Run::passInClusters(ClusterStage &stage, int64_t mostPasses, int64_t &workLeft) {
  ClusterMessages passes(stage.messages, stage.clusters, entriesOfCluster);
  const int64_t size = getIterationSize(), ofClusters = visitsOfEntry * passes.entries();
  // Iterations over the other edges take as long as messages of clusters do.
  const int64_t iterations = std::clamp<int64_t>(ofClusters / size, 1, mostIterationsOfPass);
  const double ofCapacities = getPriceOfCapacities(stage.messages);
  const auto cost = static_cast<double>(incumbent_.cost);
  double before = 0;
  for (int64_t pass = 0; pass < mostPasses && workLeft > 0 && !mustStop(); ++pass) {
    stage.bound = passes.pass(iterations) - ofCapacities;
    workLeft -= ofClusters + iterations * size;
    if (stage.bound >= (1 - options_.gap) * cost)
      break;
    if (pass % spanOfPasses != 0)
      continue;
    if (pass > 0 && stage.bound - before < leastRiseOfPasses * (cost - stage.bound))
      break;
    before = stage.bound;
  }
}

/// Prices at which the bound of pairs is best are mostly not those of clusters: where the cheapest
/// plan leaves rows unfilled they are too high, and else too low. All change in proportion, as long
/// as what that plan costs at them rises, which no bound exceeds.
void Run::scalePrices(ClusterStage &best, int64_t &workLeft) {
  auto getExcess = [&] {
    return getCostAtPrices(cheapest_) -
           static_cast<double>(problem_.getCost(network_->toAssignment(cheapest_)));
  };
  const bool lowers = getExcess() < 0;
  double before = -std::numeric_limits<double>::infinity();
  for (double most = getCostAtPrices(cheapest_); most > before && workLeft > 0 && !mustStop();) {
    std::vector<double> scaled = scales_.getPrices(prices_);
    for (double &price : scaled)
      price *= lowers ? shareOfPrices : 1 / shareOfPrices;
    // No more than certificates may have.
    PriceSearch rounded(problem_, scales_);
    rounded.start(scaled);
    iterateAtPrices(rounded.prices(), workLeft);
    searchClusters();
    ClusterStage next = makeClusterStage();
    passInClusters(next, spanOfPasses, workLeft);
    if (next.bound > best.bound)
      best = std::move(next);
    before = std::exchange(most, getCostAtPrices(cheapest_));
  }
}

/// Each price by itself, for the same clusters.
void Run::stepPricesInClusters(ClusterStage &stage, int64_t &workLeft) {
  if (workLeft <= 0 || mustStop())
    return;
  ClusterMessages passes(stage.messages, stage.clusters, entriesOfCluster);
  const int64_t ofPass = visitsOfEntry * passes.entries() + iterationsOfStep * getIterationSize();
  const auto cost = static_cast<double>(incumbent_.cost);
  PriceSearch search(problem_, scales_);
  search.start(scales_.getPrices(stage.prices));
  Messages best = stage.messages;
  for (int step = 0; step == 0 || (step < mostStepsOfPrices && workLeft > 0 && !mustStop());
       ++step) {
    const double ofCapacities = getPriceOfCapacities(stage.messages);
    const double bound = passes.pass(iterationsOfStep) - ofCapacities;
    workLeft -= ofPass;
    std::vector<uint32_t> choice = stage.messages.decode();
    passes.decode(choice);
    std::vector<int64_t> bytes = network_->getBytes(choice);
    // The states need not be a plan: those that the bound is made of cost what it leaves for them.
    double ofStates = bound + ofCapacities;
    for (auto [price, ofRow] : llvm::zip_equal(stage.messages.prices(), bytes))
      ofStates -= price * static_cast<double>(ofRow);
    search.addPlan(ofStates, bytes);
    if (search.addBound(bound))
      best = stage.messages;
    if (bound >= (1 - options_.gap) * cost ||
        !search.step(cost, leastRiseOfPasses * (cost - search.bestBound())))
      break;
    stage.messages = best;
    stage.messages.setPrices(search.getPrices());
  }
  search.returnToBest();
  stage.messages = std::move(best);
  stage.prices = search.prices();
  stage.bound = search.bestBound();
}

/// The least of all costs around cycles where the plan costs more than the bound.
void Run::certifyInClusters(int64_t enough) {
  if ((clustersAt_ != stageBound_ || clustersFor_ != incumbent_.cost) && maySearchClusters())
    searchClusters();
  if (clusters_.empty())
    return;
  auto setClusters = [&](Certificate &certificate,
                         const std::vector<std::vector<uint32_t>> &clusters) {
    certificate.isExact = false;
    certificate.withinRows = std::nullopt;
    certificate.clusters.clear();
    for (const std::vector<uint32_t> &nodes : clusters) {
      std::vector<uint32_t> &cluster = certificate.clusters.emplace_back();
      for (uint32_t node : nodes)
        cluster.push_back(network_->nodes()[node].variable);
    }
  };
  const std::vector<std::vector<uint32_t>> first = clusters_;
  const int64_t ofFirst = clustersProve_;
  const auto numStages = static_cast<std::ptrdiff_t>(solution_.certificate.stages.size());
  if (ofFirst < enough && !mustStop()) {
    // While prices are stepped, the last messages are not those of the best prices.
    if (isStepping() && bestMessages_)
      *messages_ = *bestMessages_;
    const bool changesPrices = options_.clusterPricing > 0 && priceSearch_.isNeeded();
    int64_t workLeft = changesPrices ? options_.clusterPricing : workOfPasses * work_;
    ClusterStage stage = makeClusterStage();
    if (changesPrices) {
      passInClusters(stage, spanOfPasses, workLeft);
      scalePrices(stage, workLeft);
      // Until messages suit clusters, bounds say less about prices than about messages.
      passInClusters(stage, std::numeric_limits<int64_t>::max(), workLeft);
      stepPricesInClusters(stage, workLeft);
      // Messages at the prices that were found may take as long as they may without any.
      workLeft = std::max(workLeft, workOfPasses * work_);
    }
    passInClusters(stage, std::numeric_limits<int64_t>::max(), workLeft);
    certifyBy([&](Certificate &certificate) {
      setClusters(certificate, stage.clusters);
      certificate.stages.push_back(
          makeStage(*network_, stage.messages.getPotentials(scales_.potential), stage.prices));
    });
  }
  if (solution_.certifiedBound < ofFirst)
    certifyBy([&](Certificate &certificate) {
      setClusters(certificate, first);
      // Clusters count what the last stage leaves.
      certificate.stages.erase(certificate.stages.begin() + numStages, certificate.stages.end());
    });
}
