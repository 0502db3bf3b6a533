//===- Solve.cpp - Plans with lower bounds --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations of messages raise the bound and suggest plans; states that no better plan has are
// left out; elimination, a search or an integer program close what is left.
//
//===----------------------------------------------------------------------===//
#include "Run.h"
#include "TreeMoves.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace dmc::planner;

const char *dmc::planner::stringify(SolveStatus status) {
  static constexpr const char *names[] = {"optimal", "feasible", "infeasible", "unknown"};
  return names[static_cast<size_t>(status)];
}

const char *dmc::planner::stringify(BoundSource source) {
  static constexpr const char *names[] = {"potentials", "clusters", "elimination", "search",
                                          "integer program"};
  return names[static_cast<size_t>(source)];
}

static double getGap(int64_t cost, int64_t bound) {
  if (cost == infeasible)
    return 1;
  return cost <= bound ? 0 : static_cast<double>(cost - bound) / static_cast<double>(cost);
}

double Solution::gap() const { return getGap(cost, bound); }

Run::Run(const LayoutProblem &problem, const SolveOptions &options)
    : problem_(problem), options_(options), scales_(problem), priceSearch_(problem, scales_),
      prices_(problem.parts().rows.size(), 0), rowSteps_(options.rowSteps) {}

double Run::gap() const { return getGap(incumbent_.cost, solution_.bound); }

bool Run::mustStop() {
  if (!solution_.wasInterrupted && options_.isInterrupted && options_.isInterrupted())
    solution_.wasInterrupted = true;
  return solution_.wasInterrupted || seconds() > options_.seconds;
}

void Run::prove(int64_t bound, BoundSource source) {
  bound = std::min(bound, incumbent_.cost);
  // Costs add up to no more than this where there is a plan.
  if (!incumbent_.isKnown() && bound > problem_.getLargestCost())
    bound = infeasible;
  if (bound <= solution_.bound)
    return;
  solution_.bound = bound;
  solution_.boundSource = source;
}

void Run::report() {
  if (options_.onProgress)
    options_.onProgress({seconds(), solution_.iterations, incumbent_.cost, solution_.bound, gap()});
}

int64_t Run::getIterationSize(const Network &network) {
  int64_t size = network.getNumStates();
  for (const Edge &edge : network.edges())
    size += 2 * static_cast<int64_t>(network.table(edge).costs.size());
  return size;
}

void Run::tryChoice(std::vector<uint32_t> choice) {
  int64_t before = incumbent_.cost;
  incumbent_.offer(problem_, network_->toAssignment(choice));
  LocalSearch(*network_).improve(choice, 10);
  Assignment improved = network_->toAssignment(choice);
  incumbent_.offer(problem_, improved);
  if (incumbent_.cost < before)
    improvedAt_ = solution_.iterations;
  recent_.push_back(std::move(improved));
  if (recent_.size() > mostRecent)
    recent_.pop_front();
}

void Run::improve(int maxMoves) {
  // States of the best plan may have been left out, as no better one has them.
  std::optional<std::vector<uint32_t>> choice;
  if (incumbent_.isKnown())
    choice = network_->toChoice(incumbent_.assignment);
  if (!choice)
    choice = messages_->decode();
  TreeMoves moves(*network_, messages_->prices());
  for (int move = 0, failures = 0; move < maxMoves && failures < 4 && !mustStop(); ++move) {
    moves.move(*choice);
    int64_t before = incumbent_.cost;
    tryChoice(*choice);
    failures = incumbent_.cost < before ? 0 : failures + 1;
  }
}

double Run::getPriceOfCapacities(const Messages &messages) const {
  double sum = 0;
  for (auto [price, row] : llvm::zip_equal(messages.prices(), problem_.parts().rows))
    sum += price * static_cast<double>(row.capacity);
  return sum;
}

double Run::iterateMessages() {
  double bound = messages_->iterate();
  return bound - getPriceOfCapacities(*messages_);
}

void Run::iterate() {
  double bound = iterateMessages();
  estimates_.push_back(bound);
  lastEstimate_ = bound;
  bestEstimate_ = std::max(bestEstimate_, bound);
  ++solution_.iterations;
  work_ += getIterationSize();
  std::vector<uint32_t> choice = messages_->decode();
  if (!network_->rows().empty()) {
    int64_t cost = problem_.getCost(network_->toAssignment(choice));
    if (cost != infeasible)
      priceSearch_.addPlan(static_cast<double>(cost), network_->getBytes(choice));
  }
  // Later plans differ little: each fifth will do.
  if (solution_.iterations > 10 && solution_.iterations % 5 != 0)
    return;
  tryChoice(std::move(choice));
  // Once bounds are near, the best plan among few states is better (`dive`).
  if (solution_.iterations % 5 == 0 && network_->rows().empty() && gap() >= nearGap)
    combineRecent();
}

void Run::evaluate() {
  Potentials potentials = messages_->getPotentials(scales_.potential);
  ExactBound bound(*network_, scales_, potentials, priceSearch_.prices());
  bool isBetter = !hasStage_ || bound.bound() > stageBound_;
  if (isBetter) {
    hasStage_ = true;
    stageBound_ = bound.bound();
    potentials_ = std::move(potentials);
    prices_ = priceSearch_.prices();
    stageKeeps_ = keepsPlan(bound) ? incumbent_.cost : infeasible;
  }
  prove(bound.toPicoseconds(), BoundSource::Potentials);
  if (isBetter && !isDone())
    prune(bound);
}

/// Whether states that a better plan may have include those of the best one: then there are some.
bool Run::keepsPlan(const ExactBound &bound) const {
  auto choice = incumbent_.isKnown() ? network_->toChoice(incumbent_.assignment) : std::nullopt;
  if (!choice)
    return false;
  for (uint32_t i = 0; i < choice->size(); ++i)
    if (!bound.isBelow(i, (*choice)[i], incumbent_.cost))
      return false;
  return true;
}

void Run::prune(const ExactBound &bound) {
  if (!incumbent_.isKnown())
    return;
  Consistency next = makeConsistent(*network_, keepBetter(*network_, bound, incumbent_.cost));
  if (next.emptyNode) {
    prove(incumbent_.cost, BoundSource::Potentials);
    return;
  }
  int64_t left = 0;
  for (const auto &states : next.keep)
    left += llvm::count(states, true);
  if (left * 10 > network_->getNumStates() * 9)
    return;
  if (options_.keepCertificate)
    solution_.certificate.stages.push_back(makeStage(*network_, potentials_, prices_));
  // What goes to states that are left out is not known later.
  saveWarmStart();
  auto network = std::make_shared<const Network>(network_->restrict(next.keep));
  auto messages = std::make_unique<Messages>(*network, messages_->weights());
  messages->continueFrom(*messages_, next.keep);
  if (bestMessages_) {
    auto best = std::make_unique<Messages>(*network, messages_->weights());
    best->continueFrom(*bestMessages_, next.keep);
    bestMessages_ = std::move(best);
  }
  potentials_ = restrictPotentials(*network_, potentials_, next.keep);
  messages_ = std::move(messages);
  network_ = std::move(network);
  // What the states left cannot exceed is free.
  if (priceSearch_.keepRows(network_->rows()))
    messages_->setPrices(priceSearch_.getPrices());
  for (uint32_t row = 0; row < prices_.size(); ++row)
    if (!std::binary_search(network_->rows().begin(), network_->rows().end(), row))
      prices_[row] = 0;
  stageBound_ = ExactBound(*network_, scales_, potentials_, prices_).bound();
  prove(scales_.toPicoseconds(stageBound_), BoundSource::Potentials);
  estimates_.clear();
}

/// Whether the bound hardly rises any more at these prices.
bool Run::isStalled() const {
  if (isPricing() && !isStepping() && solution_.iterations >= options_.pricesAfter)
    return true;
  size_t span = isStepping() ? 1 : 10;
  if (estimates_.size() <= span)
    return false;
  double now = estimates_.back(), rise = now - estimates_[estimates_.size() - 1 - span];
  double rest = incumbent_.isKnown() ? static_cast<double>(incumbent_.cost) - now : std::abs(now);
  double least = 1e-9 * std::abs(now);
  // Between steps of prices bounds need not be better than the steps.
  return span == 1 || rise <= 1e-3 * rest + least || leavesGap(rise / static_cast<double>(span));
}

/// True if as many more iterations as there may be, with as much rise as the last ones, would leave
/// a larger gap than was asked for, though they take more than clusters and mini-buckets, which
/// prove more: bounds rise ever less. Not while plans get better, nor while the gap is more than
/// these close.
bool Run::leavesGap(double riseOfIteration) const {
  if (!options_.keepCertificate || !network_->rows().empty() || !incumbent_.isKnown() ||
      solution_.iterations < improvedAt_ + 20 || gap() >= nearGap)
    return false;
  int64_t left = getIterationLimit() - solution_.iterations;
  double cost = static_cast<double>(incumbent_.cost);
  return left > options_.bucketLimit / getIterationSize() &&
         estimates_.back() + static_cast<double>(left) * riseOfIteration <
             (1 - options_.gap) * cost;
}

bool Run::isDue() {
  // While prices are stepped, only where the bound is the best so far.
  if (isStepping())
    return lastEstimate_ > priceSearch_.bestBound() && solution_.iterations >= nextDue_;
  if (solution_.iterations % 10 == 1 || isStalled())
    return true;
  return isEstimatedDone();
}

/// Whether the last iteration's bound leaves no larger gap than was asked for.
bool Run::isEstimatedDone() const {
  if (!incumbent_.isKnown())
    return false;
  const auto cost = static_cast<double>(incumbent_.cost);
  return cost - lastEstimate_ <= options_.gap * cost + 1;
}

/// False if the prices stay as they are.
bool Run::stepPrices() {
  if (!isPricing())
    return false;
  if (priceSearch_.addBound(lastEstimate_) || !bestMessages_)
    bestMessages_ = std::make_unique<Messages>(*messages_);
  double target = incumbent_.isKnown() ? static_cast<double>(incumbent_.cost)
                                       : bestEstimate_ + std::max(std::abs(bestEstimate_), 1.0);
  ++priceSteps_;
  if (!priceSearch_.step(target, std::max(0.0, 1e-3 * (target - bestEstimate_))))
    priceSteps_ = maxPriceSteps;
  // The last step goes back to where the bound was best.
  if (priceSteps_ == maxPriceSteps)
    priceSearch_.returnToBest();
  *messages_ = *bestMessages_;
  messages_->setPrices(priceSearch_.getPrices());
  estimates_.clear();
  return true;
}

void Run::iterateUntilStalled() {
  // One iteration at least, so that there is a plan.
  while (!isDone() && hasIterations() && (solution_.iterations == 0 || !mustStop())) {
    iterate();
    bool wasStalled = isStalled(), wasDue = isDue();
    if (wasDue) {
      nextDue_ = solution_.iterations + 20;
      // The plan need not be better for the gap that is asked for: `run` sees to the rest.
      if (!isEstimatedDone())
        improve(wasStalled && !isStepping() ? 64 : 4);
      evaluate();
    }
    if (!isDone() && wasStalled && !stepPrices())
      return;
    // Once bounds are near, the best plan among few states is better than what messages suggest.
    if (!isDone() && wasDue && solution_.iterations >= nextDive_ && gap() < nearGap) {
      nextDive_ = 2 * solution_.iterations;
      if (dive(getDiveLimit()))
        evaluate();
    }
    // Where rows bind, its plan may exceed them: once for each set of states is enough.
    if (!isDone() && wasDue &&
        (network_->rows().empty() || network_->getNumStates() != statesTried_)) {
      statesTried_ = network_->getNumStates();
      closeByElimination(
          std::min(options_.eliminationLimit, std::max<int64_t>(1 << 16, getEntriesOfWork())));
    }
    report();
  }
}

/// An exact method may have found the best plan early. Potentials are what a checker follows: their
/// bound is raised, too.
void Run::certify() {
  auto isCertified = [&] {
    return (solution_.boundSource == BoundSource::Clusters && isDone()) ||
           getGap(incumbent_.cost, scales_.toPicoseconds(stageBound_)) <= options_.gap;
  };
  estimates_.clear();
  while (hasStage_ && !isCertified() && hasIterations() && !mustStop()) {
    iterate();
    if (isDue())
      evaluate();
    if (isStalled() && !stepPrices())
      return;
  }
}

/// Ends the certificate, and has its bound.
void Run::finishCertificate() {
  Certificate &certificate = solution_.certificate;
  certificate.scale = scales_.potential;
  certificate.priceScale = scales_.price;
  if (options_.keepCertificate && hasStage_)
    certificate.stages.push_back(makeStage(*network_, potentials_, prices_));
  if (certificate.stages.empty())
    certificate.stages.push_back(makeEmptyStage(problem_));
  // What the only stage proves is known, unless it leaves no states.
  if (hasStage_ && network_ == whole_ && options_.keepCertificate && incumbent_.isKnown() &&
      stageKeeps_ == incumbent_.cost)
    solution_.certifiedBound =
        std::clamp<int64_t>(scales_.toPicoseconds(stageBound_), 0, incumbent_.cost);
  else
    solution_.certifiedBound = computeBound(*whole_, certificate, incumbent_.cost);
  const int64_t before = incumbent_.cost;
  certifyExactly();
  // States that no better plan has may now be more of them.
  if (incumbent_.cost < before)
    certifyBy([](Certificate &) {});
  prove(solution_.certifiedBound,
        certificate.clusters.empty() ? BoundSource::Potentials : BoundSource::Clusters);
}

void Run::finish() {
  solution_.statesLeft = network_->getNumStates();
  saveWarmStart();
  // That of a folded problem is none of the whole one. The plan may become better on the way.
  if (!foldedMessages_)
    finishCertificate();
  solution_.warmStart = std::make_shared<WarmStart>(std::move(warmStart_));
  solution_.cost = incumbent_.cost;
  solution_.assignment = incumbent_.assignment;
  if (solution_.bound == infeasible)
    solution_.status = SolveStatus::Infeasible;
  else if (!incumbent_.isKnown())
    solution_.status = SolveStatus::Unknown;
  else
    solution_.status =
        gap() <= std::max(options_.gap, 1e-9) ? SolveStatus::Optimal : SolveStatus::Feasible;
  if (solution_.status == SolveStatus::Infeasible && options_.explains)
    solution_.conflict = explainConflict(problem_, {});
  solution_.seconds = seconds();
}

bool Run::startWarm(const WarmStart &start) {
  if (!messages_->load(start.messages))
    return false;
  warmStart_ = start;
  priceSearch_.start(start.prices);
  priceSearch_.keepRows(network_->rows());
  messages_->setPrices(priceSearch_.getPrices());
  return true;
}

void Run::saveWarmStart() {
  messages_->store(warmStart_.messages);
  warmStart_.prices = messages_->prices();
}

/// False if there is no plan.
bool Run::setUp() {
  whole_ = std::make_shared<const Network>(problem_);
  solution_.states = whole_->getNumStates();
  Consistency consistency = makeConsistent(*whole_, keepAll(*whole_));
  if (consistency.emptyNode) {
    prove(infeasible, BoundSource::Potentials);
    if (options_.explains)
      solution_.conflict = explainConflict(problem_, consistency.involved);
    return false;
  }
  if (consistency.isChanged)
    whole_ = std::make_shared<const Network>(whole_->restrict(consistency.keep));
  network_ = whole_;
  messages_ = std::make_unique<Messages>(*network_, foldedMessages_ ? foldedMessages_->weights()
                                                                    : std::vector<int64_t>());
  auto offer = [&](const Assignment &plan) {
    if (plan.size() == problem_.getNumVariables() && problem_.check(plan).empty())
      incumbent_.offer(problem_, plan);
  };
  offer(options_.start);
  llvm::for_each(options_.plans, offer);
  // What exceeds rows by little may keep them with few changes.
  auto repair = [&](const Assignment &plan) {
    if (plan.size() != problem_.getNumVariables() || problem_.getCost(plan) == infeasible ||
        problem_.check(plan).empty())
      return;
    if (auto choice = network_->toChoice(plan))
      tryChoice(std::move(*choice));
  };
  if (options_.repairsStarts && !network_->rows().empty()) {
    repair(options_.start);
    llvm::for_each(options_.plans, repair);
  }
  if (!foldedMessages_) {
    // Where memory binds, the folded problem finds plans that keep rows in less time.
    bool isWarm = options_.warmStart && startWarm(*options_.warmStart);
    if (!isWarm || !network_->rows().empty())
      startFolded(isWarm);
  } else if (network_->getNumStates() == foldedMessages_->network().getNumStates()) {
    messages_->continueFrom(*foldedMessages_, keepAll(*network_));
  }
  return true;
}

Solution Run::run() {
  if (!setUp()) {
    solution_.status = SolveStatus::Infeasible;
    solution_.certifiedBound = infeasible;
    // Any potentials prove it: the checker finds the states that run out by itself.
    solution_.certificate.stages.push_back(makeEmptyStage(problem_));
    solution_.seconds = seconds();
    return std::move(solution_);
  }
  iterateUntilStalled();
  for (int dives = 0; dives < 4 && !isDone() && !mustStop(); ++dives) {
    int64_t before = incumbent_.cost;
    if (!dive(getDiveLimit()))
      break;
    evaluate();
    // Another one finds less.
    if (isSmall(before - incumbent_.cost))
      break;
    // Fewer states are left, for which messages tell more.
    if (gap() > options_.farGap)
      iterationsOfDives_ += options_.iterations;
    iterateUntilStalled();
    // Where time is limited, the first plan of a dive and what clusters prove of it go before
    // better plans. Without a limit more dives are worth it, for which the gap of messages tells
    // how much effort they get.
    if (dives == 0 && std::isfinite(options_.seconds) && network_->rows().empty() && !isDone() &&
        !mustStop())
      proveInClusters();
  }
  if (!isDone() && !mustStop())
    proveInClusters();
  if (!isDone() && !mustStop())
    close();
  // Few iterations may suffice for the gap that was asked for: the plan is made better nevertheless
  // where that costs little, and gains more than a small part of that gap.
  if (isDone() && gap() > 0 && !mustStop() && !closeByElimination(getSmallElimination()) &&
      gap() > smallPart * options_.gap)
    dive(getBriefElimination());
  if (options_.keepCertificate && incumbent_.isKnown())
    certify();
  if (options_.provingSteps > 0 && !isDone() && !mustStop())
    proveWithinRows();
  finish();
  return std::move(solution_);
}

Solution dmc::planner::solve(const LayoutProblem &problem, const SolveOptions &options) {
  return Run(problem, options).run();
}
