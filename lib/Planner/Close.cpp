//===- Close.cpp - Exact methods for what is left -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Run.h.
//
//===----------------------------------------------------------------------===//
#include "EliminateNetwork.h"
#include "IntegerProgram.h"
#include "Run.h"
#include "TreeSearch.h"

#include "dmc/Solver/Solver.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc;
using namespace dmc::planner;

/// Of the integer program: larger ones take solvers minutes before they say anything.
static constexpr int64_t maxColumns = 400'000;

/// Effort limits of proofs within rows: the first cutoff is this share of the way from the bound to
/// the plan, the next ones follow what took too much and what did not; so often it may.
static constexpr double firstShare = 0.25;
static constexpr int maxFailures = 3;
/// Steps of the first elimination for a cutoff, and of the next ones in other orders, once each of
/// them took too much: all of those before, in three orders, take less than half of that.
static constexpr int64_t firstSteps = int64_t(1) << 22, growthOfSteps = 8;

/// The same where plans are combined within rows: partial plans for an entry.
static constexpr uint32_t labelsOfCombined = 16;

int64_t Run::getSmallElimination() const {
  return std::min(options_.eliminationLimit, std::max<int64_t>(1 << 16, getIterationSize()));
}

int64_t Run::getDiveLimit() const {
  int64_t limit =
      std::min(options_.eliminationLimit, std::max<int64_t>(1 << 22, getIterationSize()));
  // Effort: where the plan is far from the bound, a better one is worth as much as all iterations
  // took, within four times the memory.
  if (gap() > options_.farGap)
    limit = std::max(limit, std::min(4 * options_.eliminationLimit, getEntriesOfWork()));
  return limit;
}

bool Run::closeByElimination(int64_t limit) {
  auto found = eliminateNetwork(*network_, scales_, priceSearch_.prices(), limit,
                                [&] { return mustStop(); });
  if (!found)
    return false;
  if (!found->choice) {
    prove(incumbent_.cost, BoundSource::Elimination);
    return true;
  }
  tryChoice(*found->choice);
  // Rows of memory only make plans more expensive.
  prove(scales_.toPicoseconds(found->bound), BoundSource::Elimination);
  return isDone();
}

std::optional<std::vector<std::vector<bool>>>
Run::findCheapStates(const ExactBound &bound, Wide most,
                     const std::optional<std::vector<uint32_t>> &choice) const {
  std::vector<std::vector<bool>> keep = keepAll(*network_);
  for (uint32_t i = 0; i < keep.size(); ++i)
    for (uint32_t s = 0; s < keep[i].size(); ++s)
      keep[i][s] = bound.excess(i, s) <= most || (choice && (*choice)[i] == s);
  Consistency next = makeConsistent(*network_, std::move(keep));
  return next.emptyNode ? std::nullopt : std::optional(std::move(next.keep));
}

bool Run::dive(int64_t limit) {
  if (!hasStage_)
    evaluate();
  if (!hasStage_ || gap() == 0)
    return false;
  int64_t before = incumbent_.cost;
  bool hasRows = !network_->rows().empty();
  if (!hasRows || options_.divesAtPrices)
    diveAtPrices(limit);
  if (hasRows)
    diveWithRows();
  return incumbent_.cost < before;
}

void Run::diveAtPrices(int64_t limit) {
  auto choice = incumbent_.isKnown() ? network_->toChoice(incumbent_.assignment) : std::nullopt;
  if (auto found = findAtPrices(choice, limit)) {
    tryChoice(std::move(*found));
    improve(64);
  }
}

std::optional<std::vector<uint32_t>>
Run::findAtPrices(const std::optional<std::vector<uint32_t>> &choice, int64_t limit) {
  ExactBound bound(*network_, scales_, potentials_, prices_);
  Wide rest =
      static_cast<Wide>(std::min(incumbent_.cost, problem_.getLargestCost())) * scales_.common() -
      bound.bound();
  using States = std::vector<std::vector<bool>>;
  // The most states with which elimination keeps its limit.
  std::optional<States> best;
  Wide most = std::max<Wide>(rest / 64, 1);
  for (int trial = 0; trial < 8 && !mustStop(); ++trial) {
    auto states = findCheapStates(bound, most, choice);
    bool fits = states && predictElimination(*network_, *states, limit) <= limit;
    if (fits) {
      best = std::move(states);
      if (most >= rest)
        break;
      most *= 4;
    } else if (states && best) {
      break;
    } else {
      // Too few states have no plan, too many no room.
      most = states ? most / 8 : most * 4;
    }
  }
  if (!best)
    return std::nullopt;
  Network small = network_->restrict(*best);
  auto found = eliminateNetwork(small, scales_, prices_, limit, [&] { return mustStop(); });
  if (!found || !found->choice)
    return std::nullopt;
  return network_->toChoice(small.toAssignment(*found->choice));
}

/// Rows are kept, beside those that are to be, once the cheapest plan exceeds them, or leaves room
/// there that has a price. `effort.steps` are those of an elimination, all are taken off `steps`.
Run::RowTrial Run::eliminateCheapStates(const ExactBound &bound, Wide most, int64_t cutoff,
                                        std::set<uint32_t> &rowsToKeep, RowEliminationEffort effort,
                                        int64_t &steps) {
  auto choice = incumbent_.isKnown() ? network_->toChoice(incumbent_.assignment) : std::nullopt;
  auto states = findCheapStates(bound, most, choice);
  // Plans with other states cost more than the bound by `most`.
  const int64_t ofOthers = scales_.toPicoseconds(bound.bound() + most);
  if (!states) {
    prove(std::min(cutoff, ofOthers), BoundSource::Elimination);
    return RowTrial::NoPlan;
  }
  RowEliminator eliminator(network_->restrict(*states), scales_,
                           restrictPotentials(*network_, potentials_, *states), prices_, cutoff);
  const int64_t stepsOfEach = effort.steps;
  while (steps > 0 && !mustStop() && !isDone()) {
    effort.steps = std::min(stepsOfEach, steps);
    const int64_t before = effort.steps, choicesBefore = eliminator.stepsOfChoices();
    cutoff = std::min(cutoff, getCutoff());
    auto trial = eliminateStates(eliminator, rowsToKeep, cutoff, effort);
    steps -= before - effort.steps;
    if (!trial)
      return RowTrial::TooMuch;
    prove(std::min({cutoff, ofOthers, trial->bound}), BoundSource::Elimination);
    proofWithinRows_ = {std::move(trial->rows), std::move(trial->order),
                        before - effort.steps + choicesBefore};
    // All is proved, or what the rows that are kept can prove.
    auto row = trial->exceeded ? trial->exceeded : trial->roomy;
    if (trial->bound >= std::min(cutoff, ofOthers) || !row || !rowsToKeep.insert(*row).second)
      return RowTrial::Done;
  }
  return RowTrial::TooMuch;
}

std::optional<Run::StatesTrial> Run::eliminateStates(RowEliminator &eliminator,
                                                     const std::set<uint32_t> &rowsToKeep,
                                                     int64_t cutoff, RowEliminationEffort &effort) {
  const Network &small = eliminator.network();
  std::vector<uint32_t> rows;
  for (uint32_t row : rowsToKeep)
    if (prices_[row] != 0 || std::binary_search(small.rows().begin(), small.rows().end(), row))
      rows.push_back(row);
  auto found = eliminator.run(rows, cutoff, effort, [&] { return mustStop(); });
  if (!found)
    return std::nullopt;
  StatesTrial trial;
  trial.bound = scales_.toPicoseconds(found->bound);
  trial.rows = std::move(rows);
  for (uint32_t node : found->order)
    trial.order.push_back(small.nodes()[node].variable);
  if (!found->choice)
    return trial;
  findRowsToKeep(small, *found->choice, rowsToKeep, trial);
  if (auto inNetwork = network_->toChoice(small.toAssignment(*found->choice)))
    tryChoice(std::move(*inNetwork));
  return trial;
}

/// Rows are much alike: with the one that is exceeded the most, most others are kept.
void Run::findRowsToKeep(const Network &network, const std::vector<uint32_t> &choice,
                         const std::set<uint32_t> &kept, StatesTrial &trial) const {
  const std::vector<int64_t> bytes = network.getBytes(choice);
  int64_t mostExcess = 0;
  Wide mostOfRoom = 0;
  for (uint32_t row = 0; row < prices_.size(); ++row) {
    if (kept.count(row))
      continue;
    const int64_t excess = bytes[row] - problem_.parts().rows[row].capacity;
    const Wide ofRoom = static_cast<Wide>(-excess) * prices_[row];
    if (excess > mostExcess) {
      mostExcess = excess;
      trial.exceeded = row;
    }
    if (ofRoom > mostOfRoom) {
      mostOfRoom = ofRoom;
      trial.roomy = row;
    }
  }
}

std::vector<const Assignment *> Run::getRecentPlans(size_t most) const {
  std::vector<const Assignment *> plans;
  for (size_t i = recent_.size(); i > 0 && plans.size() < most; --i)
    plans.push_back(&recent_[i - 1]);
  return plans;
}

std::optional<std::vector<std::vector<bool>>>
Run::findStatesOf(llvm::ArrayRef<const Assignment *> plans) const {
  std::vector<std::vector<bool>> keep;
  for (const Node &node : network_->nodes())
    keep.emplace_back(node.states.size(), false);
  auto add = [&](const Assignment &plan) {
    auto choice = network_->toChoice(plan);
    for (size_t i = 0; choice && i < choice->size(); ++i)
      keep[i][(*choice)[i]] = true;
    return choice.has_value();
  };
  int count = incumbent_.isKnown() && add(incumbent_.assignment);
  for (const Assignment *plan : plans)
    count += plan->size() == problem_.getNumVariables() && add(*plan);
  if (count < 2)
    return std::nullopt;
  Consistency next = makeConsistent(*network_, std::move(keep));
  return next.emptyNode ? std::nullopt : std::optional(std::move(next.keep));
}

void Run::combineRecent() {
  auto states = findStatesOf(getRecentPlans(mostCombined));
  int64_t limit =
      std::min(options_.eliminationLimit, std::max<int64_t>(1 << 22, getIterationSize()));
  if (!states || predictElimination(*network_, *states, limit) > limit)
    return;
  Network small = network_->restrict(*states);
  auto found =
      eliminateNetwork(small, scales_, priceSearch_.prices(), limit, [&] { return mustStop(); });
  if (!found || !found->choice)
    return;
  if (auto choice = network_->toChoice(small.toAssignment(*found->choice)))
    tryChoice(std::move(*choice));
}

std::vector<const Assignment *> Run::getPointers(llvm::ArrayRef<Assignment> plans) {
  std::vector<const Assignment *> pointers;
  pointers.reserve(plans.size());
  for (const Assignment &plan : plans)
    pointers.push_back(&plan);
  return pointers;
}

bool Run::combineWithinRows(llvm::ArrayRef<const Assignment *> plans) {
  auto states = findStatesOf(plans);
  if (!states)
    return true;
  RowEliminator eliminator(network_->restrict(*states), scales_,
                           restrictPotentials(*network_, potentials_, *states), prices_,
                           getCutoff());
  std::set<uint32_t> rows;
  while (!mustStop() && !isDone()) {
    RowEliminationEffort effort;
    effort.labels = labelsOfCombined;
    effort.keepsSmall = true;
    effort.steps = options_.rowSteps;
    auto trial = eliminateStates(eliminator, rows, getCutoff(), effort);
    if (!trial)
      return false;
    if (!trial->exceeded || !rows.insert(*trial->exceeded).second)
      return true;
  }
  return true;
}

void Run::combinePlansWithinRows() {
  combineWithinRows(getPointers(options_.plans));
  combineWithinRows(getPointers(warmStart_.combined));
  // As many of those that were tried last as the limits admit.
  for (size_t most = recent_.size(); most > 1; most /= 2)
    if (combineWithinRows(getRecentPlans(most)))
      return;
}

int64_t Run::getCutoff() const { return std::min(incumbent_.cost, problem_.getLargestCost() + 1); }

std::set<uint32_t> Run::getPricedRows() const {
  std::set<uint32_t> rows;
  for (uint32_t row = 0; row < prices_.size(); ++row)
    if (prices_[row] != 0)
      rows.insert(row);
  return rows;
}

/// Where rows bind, the cheapest plan with prices mostly exceeds them or leaves room.
void Run::diveWithRows() {
  ExactBound bound(*network_, scales_, potentials_, prices_);
  Wide rest = static_cast<Wide>(getCutoff()) * scales_.common() - bound.bound();
  Wide most = std::max<Wide>(rest / 64, 1);
  combinePlansWithinRows();
  std::set<uint32_t> rowsToKeep = getPricedRows();
  bool isFound = false;
  for (int trial = 0; trial < 12 && rowSteps_ > 0 && !mustStop() && !isDone(); ++trial) {
    RowTrial result = eliminateCheapStates(bound, most, getCutoff(), rowsToKeep,
                                           RowEliminationEffort(), rowSteps_);
    isFound |= result == RowTrial::Done;
    if (result == RowTrial::TooMuch ? isFound : result == RowTrial::Done && most >= rest)
      break;
    // Too few states have no plan.
    if (result == RowTrial::TooMuch)
      most /= 8;
    else
      most *= 4;
  }
}

/// In one order after the other, which decide how much it takes; the one that was best comes first,
/// and others have to be as much better.
Run::RowTrial Run::eliminateBelow(const ExactBound &bound, int64_t cutoff,
                                  std::set<uint32_t> &rowsToKeep,
                                  llvm::MutableArrayRef<OrderRule> rules, int64_t &first,
                                  int64_t &steps) {
  const Wide most = static_cast<Wide>(cutoff) * scales_.common() - bound.bound() - 1;
  const int64_t all = steps;
  const bool isBestKnown = first > 0;
  for (int64_t each = std::max(first, firstSteps); each / growthOfSteps < all;
       each *= growthOfSteps)
    for (OrderRule &rule : rules) {
      if (steps <= 0 || mustStop() || isDone())
        return RowTrial::TooMuch;
      RowEliminationEffort effort;
      // What the checker repeats.
      effort.allEntries = checkedEntriesWithin;
      effort.entries = effort.allEntries / 4;
      effort.labels = std::numeric_limits<uint32_t>::max();
      effort.steps = isBestKnown && &rule != rules.begin() ? each / growthOfSteps : each;
      effort.rule = rule;
      RowTrial result = eliminateCheapStates(bound, most, cutoff, rowsToKeep, effort, steps);
      if (result == RowTrial::TooMuch)
        continue;
      std::rotate(rules.begin(), &rule, &rule + 1);
      first = each;
      return result;
    }
  return RowTrial::TooMuch;
}

/// Elimination with all partial plans shows that no plan, or which one, costs less than a cutoff
/// not far above the bound; the next cutoff is further above, until that takes too much. Rows are
/// kept once a plan below a cutoff shows that their prices do not do: each takes more.
void Run::proveWithinRows() {
  if (!hasStage_ || network_->rows().empty())
    return;
  ExactBound bound(*network_, scales_, potentials_, prices_);
  int64_t steps = options_.provingSteps;
  OrderRule rules[] = {OrderRule::LeastFill, OrderRule::SmallestResult, OrderRule::SmallestTable};
  std::set<uint32_t> rowsToKeep;
  double share = firstShare;
  // What sufficed for a cutoff, those above it take, too.
  int64_t first = 0;
  for (int failures = 0; failures < maxFailures && steps > 0 && !mustStop() && !isDone();) {
    int64_t rest = getCutoff() - solution_.bound;
    int64_t cutoff = getCutoff() - static_cast<int64_t>((1 - share) * static_cast<double>(rest));
    int64_t ofCutoff = steps / 2;
    steps -= ofCutoff;
    RowTrial result = eliminateBelow(bound, cutoff, rowsToKeep, rules, first, ofCutoff);
    steps += ofCutoff;
    if (result == RowTrial::TooMuch) {
      share /= 4;
      ++failures;
    } else {
      share = std::min(1.0, 2 * share);
    }
  }
}

void Run::closeByIntegerProgram() {
  if (options_.solver == "none" || !hasStage_)
    return;
  std::string error;
  if (!solver::makeSolver(options_.solver, error)) {
    solution_.solverError = error;
    return;
  }
  // Most rows are never exceeded: they join when a plan exceeds them.
  std::set<uint32_t> rows(priceSearch_.active().begin(), priceSearch_.active().end());
  for (bool isExceeded = true; isExceeded && !mustStop();) {
    int64_t cutoff = incumbent_.isKnown() ? incumbent_.cost : problem_.getLargestCost() + 1;
    auto found = solveIntegerProgram(
        *network_, scales_, potentials_, prices_, rows, cutoff, maxColumns,
        std::min(options_.seconds - seconds(), options_.solverSeconds), options_.solver, error);
    if (!found) {
      solution_.solverError = error;
      return;
    }
    prove(found->bound, BoundSource::IntegerProgram);
    isExceeded = false;
    if (found->choice.empty())
      return;
    std::vector<int64_t> bytes = network_->getBytes(found->choice);
    for (uint32_t row : network_->rows())
      if (bytes[row] > problem_.parts().rows[row].capacity)
        isExceeded |= rows.insert(row).second;
    tryChoice(std::move(found->choice));
    // A plan that was found on the way may have closed the gap.
    if (isDone())
      return;
  }
}

void Run::close() {
  if (closeByElimination(options_.eliminationLimit) || mustStop())
    return;
  if (!hasStage_)
    evaluate();
  if (!hasStage_ || isDone() || mustStop())
    return;
  // A node of the search looks at all states, and at what they use.
  int64_t size = 1;
  for (const Node &node : network_->nodes())
    size += static_cast<int64_t>(node.states.size() * (1 + node.uses.size()));
  int64_t nodes = std::min(options_.searchNodes, 200'000'000 / size);
  if (searchTree(
          *network_, scales_, potentials_, prices_, nodes, [&] { return mustStop(); },
          incumbent_)) {
    prove(incumbent_.cost, BoundSource::Search);
    return;
  }
  if (!mustStop())
    closeByIntegerProgram();
}
