//===- StartFolded.cpp - A start from the folded problem ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of many layers are solved for one state in each class of alike nodes first. That plan
// and its messages are near those of the whole network, whatever the number of layers.
//
//===----------------------------------------------------------------------===//
#include "Fold.h"
#include "Run.h"

#include <algorithm>

using namespace dmc::planner;

/// Smaller networks are solved as fast without, and the folded one must be much smaller.
static constexpr uint32_t mostClasses = 2500, leastRatio = 2;
/// Effort limits: iterations of the folded problem, and those in which plans of it are looked for.
static constexpr int64_t maxFoldedIterations = 4000, maxFoldedSearch = 60;

/// Effort limits: what an iteration raises the bound by, as a part of it or of the gap that is
/// asked for, when more of them are worth too little; and after how many that is looked at.
static constexpr double leastRise = 2e-7, leastPart = 4e-4;
static constexpr int64_t span = 10;
/// The same of iterations that suit messages of the folded problem to prices: how many there may
/// be behind the first, and what so many of them must raise the bound by.
static constexpr int64_t maxSettling = 100;
static constexpr double leastSettled = 5e-3;

/// Iterations of a folded problem that take as long as those of the whole one may.
int64_t Run::getIterationsInFolded(const Network &folded) const {
  int64_t ratio = network_->getNumStates() / (1 + folded.getNumStates());
  return std::max(options_.iterations, options_.iterationsFar) * std::max<int64_t>(1, ratio);
}

/// At most so many iterations, until some of them raise the bound by no more than a part of it;
/// returns how many there were.
int64_t Run::iterateWhileRising(int64_t limit, double least, llvm::function_ref<double()> iterate) {
  double before = 0;
  int64_t iteration = 0;
  for (; iteration < limit && !mustStop(); ++iteration) {
    double bound = iterate();
    if (iteration % span != 0)
      continue;
    if (iteration > 0 && bound - before <= least * std::abs(bound))
      break;
    before = bound;
  }
  return iteration;
}

int64_t Run::iterateFolded(Messages &messages) {
  return iterateWhileRising(
      std::min(maxFoldedIterations, getIterationsInFolded(messages.network())),
      static_cast<double>(span) * std::max(leastRise, options_.gap * leastPart),
      [&] { return messages.iterate(); });
}

/// What a row is worth does not depend on which of the alike nodes use it.
void Run::startWithPrices(const Solution &folded, Messages &messages) {
  messages.load(folded.warmStart->messages);
  std::vector<double> prices(prices_.size(), 0);
  for (size_t i = 0; i < folded.warmStart->prices.size(); ++i)
    prices[network_->rows()[i]] = folded.warmStart->prices[i];
  priceSearch_.start(prices);
  messages_->setPrices(priceSearch_.getPrices());
  // Potentials are those of an iteration.
  messages.setPrices(folded.warmStart->prices);
  messages.iterate();
}

/// Alike nodes use memory at different points, and a folded one uses what all of them do: messages
/// that start from those of the folded problem suit the prices of the nodes on average, and prove
/// little until they suit those of each.
void Run::settle() {
  iterateWhileRising(1 + maxSettling, leastSettled, [this] { return iterateMessages(); });
}

/// Messages and prices start where those of the folded problem are, unless warm ones prove more.
void Run::startFromFolded(const Solution &folded, Messages &messages, const NodeClasses &classes,
                          bool isWarm) {
  std::unique_ptr<Messages> warm;
  double warmBound = 0;
  if (isWarm) {
    warmBound = iterateMessages();
    warm = std::make_unique<Messages>(*messages_);
  }
  if (folded.warmStart && !network_->rows().empty())
    startWithPrices(folded, messages);
  messages_->unfoldFrom(messages, classes);
  if (!network_->rows().empty())
    settle();
  if (!isWarm || iterateMessages() > warmBound)
    return;
  *messages_ = std::move(*warm);
  priceSearch_.start(messages_->prices());
}

/// Of the best plan's cost, what messages do not prove.
double Run::getShareLeft() { return 1 - iterateMessages() / static_cast<double>(incumbent_.cost); }

void Run::startFolded(bool isWarm) {
  auto size = static_cast<uint32_t>(network_->nodes().size());
  if (size < leastRatio * mostClasses)
    return;
  // Another start from it would prove no more than the gap that is asked for.
  if (isWarm && incumbent_.isKnown() && !options_.keepCertificate && warmStart_.leftByFolded &&
      getShareLeft() <= *warmStart_.leftByFolded + options_.gap)
    return;
  auto classes = findClasses(*network_, std::max(mostClasses, size / 32));
  if (!classes)
    return;
  auto folded = foldProblem(*network_, *classes);
  if (!folded)
    return;
  Network network(*folded);
  int64_t numStates = 0;
  for (uint32_t node : classes->representatives)
    numStates += static_cast<int64_t>(network_->nodes()[node].states.size());
  // Where neighbours are alike, states may have no pair: messages are then of others.
  if (network.getNumStates() != numStates)
    return;
  Messages messages(network, countEdges(*network_, *classes, network));
  int64_t iterations = iterateFolded(messages);
  const bool hasRows = !network.rows().empty();
  SolveOptions options = options_;
  options.start.clear();
  options.plans.clear();
  options.iterationsFar = 0;
  options.warmStart = nullptr;
  options.keepCertificate = false;
  options.provingSteps = 0;
  options.onProgress = nullptr;
  options.seconds -= seconds();
  // Prices are those of the whole problem. Each of their steps takes two iterations, and there may
  // be as many before the first one.
  constexpr int64_t maxFoldedPricing = 4 * maxPriceSteps;
  options.iterations = hasRows ? std::max(maxFoldedPricing, getIterationsInFolded(network) / 2)
                               : std::min(options.iterations, maxFoldedSearch);
  options.explains = false;
  Run run(*folded, options);
  run.foldedMessages_ = &messages;
  run.work_ = iterations * getIterationSize(network);
  Solution solution = run.run();
  solution_.wasInterrupted |= solution.wasInterrupted;
  startFromFolded(solution, messages, *classes, isWarm);
  if (!solution.assignment.empty()) {
    std::vector<uint32_t> choice;
    choice.reserve(size);
    for (uint32_t number : classes->ofNode)
      choice.push_back(solution.assignment[number]);
    tryChoice(std::move(choice));
  }
  if (hasRows && incumbent_.isKnown())
    warmStart_.leftByFolded = getShareLeft();
}
