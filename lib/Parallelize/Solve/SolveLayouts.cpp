//===- SolveLayouts.cpp - All layouts as one problem ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States the problem, solves it from what was decided so far, and decides so. Memory comes in
// where a plan needs more than there is: what is alive at its fullest points bounds the next one.
//
//===----------------------------------------------------------------------===//
#include "DescribeProblem.h"
#include "PlanStatement.h"
#include "RowPrices.h"
#include "SearchRows.h"

#include "dmc/Planner/Solve.h"

#include "llvm/Support/DebugLog.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

#define DEBUG_TYPE "dmc-propagate-layouts"

using namespace mlir;
using namespace dmc;

/// Effort limits where memory binds: how often rows are added before the best plan so far is taken,
/// how often without coming nearer, and how many plans that do not fit local search begins with.
static constexpr unsigned maxRounds = 48, maxRoundsInVain = 16;
/// And how often before live ranges are split: a plan that needs that is mostly not found without.
static constexpr unsigned maxRoundsBeforeSplit = 6;
static constexpr size_t maxStarts = 4;
/// Effort limits of the search for a plan that fits, whose optimality they cost: so often one is
/// looked for in the end that exceeds rows by little, and one that fills less of them than the
/// fastest one that keeps them. By how much rows are exceeded is this part of it after each plan
/// that does not fit: half of it after five.
static constexpr unsigned maxBeyond = 16, maxFits = 8;
static constexpr double partOfExcess = 0.875;
/// Effort limits: of rows plans may fill no less than this part of what they might in the last
/// round, as new rows exclude what exceeds by more, and plans that exceed rows do so by no more
/// than that; shares nearer to all of the rows are all of them, and parts nearer to each other than
/// the last one are the same.
static constexpr double leastStep = 0.95, nearlyAll = 0.01, leastWay = 1e-3;
/// Effort limit where no plan keeps the rows: the part of the room between them and a known plan
/// below which none is looked for.
static constexpr double leastRoom = 1.0 / 64;
/// Effort limits where none fits: so many plans with prices of memory are tried, and what a row's
/// price rises by for a plan that needs twice its capacity, in costs of the plan that needs least.
/// With four an excess of half a percent, if it lasts for all trials, raises the price of all
/// memory to what the step costs: 48 * 4 * 0.005 = 0.96.
static constexpr unsigned maxPriced = 48;
static constexpr double priceStep = 4;
/// Until a plan fits, each round has this part of the effort: most of them only find further rows.
/// So often such a problem is solved with all effort.
static constexpr int64_t roughPart = 8;
static constexpr unsigned maxThorough = 4;
/// So often bounds are proved with further rows.
static constexpr unsigned maxProofs = 4;
/// Effort limits, in partial plans: of the last proof, up to a minute, of those before, until no
/// better plan is found any more, and of those that look for a plan alone, some tenths of a second.
static constexpr int64_t lastProvingSteps = planner::checkedSteps,
                         firstProvingSteps = lastProvingSteps / 16,
                         fewProvingSteps = lastProvingSteps / 64;
/// Effort limits of a problem with rows, and where the boundary is given and a propagated plan is
/// there: visits of states, a quarter of a second to a second, and entries of the tables of its
/// proof. What it costs shows in the gap.
static constexpr int64_t maxVisits = 5'000'000;
/// And where it is chosen, too: large programs get as much time as smaller ones need.
static constexpr int64_t maxVisitsOfAll = 40'000'000;
/// And while plan and bound are far from each other: three times as many, or `maxVisitsOfAll` with
/// a given boundary.
static constexpr int64_t maxVisitsFar = 3 * maxVisitsOfAll;
/// And where the bound of a large problem within rows is proved, which is done once: a thousand
/// iterations, what smaller problems have, of half a million states.
static constexpr int64_t maxVisitsOfProof = 500'000'000;
/// Effort limit: problems with so many states that these are fewer than a hundred iterations with
/// rows are, where live ranges are split next, solved no further than for plans to begin with then,
/// and bounds within rows are proved by iterations, not by elimination.
static constexpr int64_t mostStatesOfProof = maxVisits / 100;
/// A proved gap below this ends the search: predictions are not that exact.
static constexpr double searchedGap = 1e-3;

namespace {
/// Solves a program's problem, again with each row of memory that a plan exceeds.
class Search {
public:
  Search(Propagation &graph, LayoutChoice &choice, planner::LayoutProblem problem,
         const PlanSearch &search, MemoryMeter &meter, MemorySearch &memory, bool isBrief)
      : graph(graph), choice(choice), problem(std::move(problem)), search(search), meter(meter),
        memorySearch(memory), isBrief(isBrief), capacity(graph.getRates().capacity) {}

  /// Decides the graph by the best plan found; false: none was, or none that fits where live ranges
  /// may be split.
  bool run();
  PlanSummary getSummary() const;
  /// Why there is no plan.
  const std::string &getConflict() const { return conflict; }
  /// Of rows that no plan keeps together: what made them.
  ArrayRef<RowOrigin> getConflictingRows() const { return conflicting; }
  /// What is asked for in files.
  PlanTexts getTexts(ProgramAttr program) const;
  SolvedProblem describe(ProgramAttr program) const {
    return describeProblem(problem, choice, getSavedPlan(program), rows.getOrigins());
  }

private:
  /// What it needs of memory, and a plan.
  using TriedPlan = std::pair<double, planner::Assignment>;
  double toMs(int64_t costs) const { return 1e3 * problem.getSeconds(costs); }
  planner::SavedPlan getSavedPlan(ProgramAttr program) const;
  /// Of a solve: a part of the effort, all of it, and a brief proof, which finds better plans
  /// within rows, too, or what proves bounds there.
  enum class Effort { Rough, Thorough, Extended, Proof };
  planner::SolveOptions getOptions(Effort effort) const;
  void tell(const planner::SolveProgress &progress, bool isOfAllRows);
  std::vector<const TriedPlan *> getPlansToCombine() const;
  OtherPlan makeOther(const TriedPlan &plan);
  planner::Solution solve(planner::Assignment start, Effort effort, double part = 1);
  bool setRows(std::vector<planner::Row> rows);
  planner::Solution solveWithin(double part) {
    return solveWithin(part, rows.size(), Effort::Rough);
  }
  planner::Solution solveWithin(double part, size_t numRows, Effort effort);
  planner::Solution solveRoughly();
  void fitBest();
  bool mayUseRoom() const;
  double getLargestShare() const { return isTooTight ? 2 : 1; }
  void raiseShare();
  /// The part of what plans fill of rows that they may fill after one that needs so many bytes.
  double getStep(double bytes) const { return std::max(leastStep, capacity / bytes); }
  void lowerShare(double bytes);
  bool mayGainByShare();
  bool splitsNext() const { return !memorySearch.tooFull.empty(); }
  int64_t getNumStates() const;
  bool isLarge() const { return getNumStates() > mostStatesOfProof; }
  void noteTooFull(const MeasuredMemory &memory);
  void apply(const planner::Assignment &plan);
  MeasuredMemory tryPlan(const planner::Assignment &plan);
  std::vector<uint32_t> getConflict(ArrayRef<uint32_t> together) const;
  bool mustStop() const {
    return (search.seconds && seconds >= *search.seconds) || search.isInterrupted();
  }
  bool searchWithPrices();
  bool searchBeyondRows(Effort effort);
  void noteConflict(const planner::Conflict &found);
  bool take(const planner::Assignment &plan, double bytes);
  void takeKnown(const Propagation &known);
  bool runRound();
  void returnToRows();
  bool isCertified() const {
    return static_cast<double>(best.cost - best.certifiedBound) <=
           searchedGap * static_cast<double>(best.cost);
  }
  void proveBest(unsigned mostProofs);
  bool proveFrom(planner::Assignment plan);
  bool proveWithItsRows();
  void proveLast();
  bool mayProveMore() const;
  bool mayGain() const;
  void dropRows();
  void addStarts();

  Propagation &graph;
  LayoutChoice &choice;
  planner::LayoutProblem problem;
  const PlanSearch &search;
  MemoryMeter &meter;
  MemorySearch &memorySearch;
  bool isBrief;
  double capacity;
  /// That the graph is decided by; empty: by none.
  planner::Assignment applied;
  /// The next round begins with this plan, and has all effort or a part.
  planner::Assignment start;
  bool isRough = false, isLast = false;
  unsigned numRounds = 0, inVain = 0, numThorough = 0;
  SearchRows rows;
  /// The share of rows that plans of rough rounds may fill: rows hold what the plans that made them
  /// hold at their fullest points, and other plans hold a little more at others. Where no plan
  /// keeps the rows, which say too much of plans unlike those that made them, from 1 to 2: the way
  /// from their capacities to what the plan that is taken holds there.
  double share = 1;
  /// No plan keeps the rows as they were made, and none was found within that share.
  bool isTooTight = false;
  double leastShare = 1;
  /// Of the last plan that keeps all rows of its round.
  int64_t costWithinAll = 0;
  /// A plan of the problem with the first of the rows.
  struct Plan {
    planner::Assignment assignment;
    int64_t cost = planner::infeasible;
    double peak = std::numeric_limits<double>::infinity();
    size_t numRows = 0;
  };
  /// The one that fits, or needs the least.
  Plan taken;
  bool hasFitting() const { return taken.peak <= capacity; }
  /// A solution of the problem with rows that it keeps, whose bound holds for it, and what that
  /// needs of memory.
  planner::Solution best;
  size_t bestRows = 0;
  /// How many capacities had been raised then.
  unsigned bestRaised = 0;
  /// The solution without rows, once it is known.
  planner::Solution free;
  double bestPeak = std::numeric_limits<double>::infinity();
  /// Partial plans that the next proof may make.
  int64_t provingSteps = firstProvingSteps;
  /// All that were tried; what is taken aside, local search begins with those that need the least.
  std::vector<TriedPlan> others;
  /// Where the last solution ended.
  std::shared_ptr<const planner::WarmStart> warmStart;
  double seconds = 0;
  /// The largest one that was proved so far.
  int64_t boundToTell = 0;
  std::string conflict = "the search ended before one was found";
  std::vector<RowOrigin> conflicting;
};
} // namespace

int64_t Search::getNumStates() const {
  int64_t count = 0;
  for (const planner::Variable &variable : problem.parts().variables)
    count += static_cast<int64_t>(variable.states.size());
  return count;
}

planner::SolveOptions Search::getOptions(Effort effort) const {
  planner::SolveOptions options;
  bool hasRows = !problem.parts().rows.empty();
  options.gap = searchedGap;
  // Of smaller problems eliminations within rows find better ones, further away.
  options.repairsStarts = isLarge();
  options.iterationsFar = hasRows ? 0 : options.iterations;
  // Their limits are seconds: plans would depend on the machine that compiles.
  options.solver = "none";
  int64_t numStates = 1 + getNumStates();
  // Where a time is given, that is the limit.
  int64_t visits = isBrief || hasRows ? maxVisits : maxVisitsOfAll;
  if (effort == Effort::Proof)
    visits = maxVisitsOfProof;
  if (!search.seconds)
    options.iterations = std::min(options.iterations, 1 + visits / numStates);
  if (!hasRows)
    options.iterationsFar = std::min<int64_t>(
        options.iterationsFar, 1 + (isBrief ? maxVisitsOfAll : maxVisitsFar) / numStates);
  if (isBrief) {
    options.bucketLimit = maxVisits;
  }
  options.provingSteps = 0;
  if (!isLarge() && effort >= Effort::Extended)
    options.provingSteps = effort == Effort::Proof ? provingSteps : fewProvingSteps;
  if (effort != Effort::Proof)
    options.clusterPricing = 0;
  // Effort: a quarter of the iterations at most goes before the first step of prices, which raise
  // the bound more than better messages at the first ones.
  if (effort == Effort::Proof && isLarge())
    options.pricesAfter = options.iterations / 4;
  if (effort == Effort::Rough) {
    options.iterations = 1 + options.iterations / roughPart;
    options.iterationsFar = 0;
    options.eliminationLimit /= roughPart;
    // Plans of which better ones were combined are worth all of it.
    if (!warmStart || warmStart->combined.empty())
      options.rowSteps /= roughPart;
    options.searchNodes /= roughPart;
    options.divesAtPrices = !isLarge();
  }
  // Of plans that are looked for alone nothing is certified.
  options.keepCertificate = effort == Effort::Thorough || effort == Effort::Proof;
  if (search.seconds)
    options.seconds = std::max(0.0, *search.seconds - seconds);
  if (search.interrupt)
    options.isInterrupted = [this] { return search.isInterrupted(); };
  return options;
}

/// Without a capacity the best plan is the solver's; else it is one whose buffers fit.
void Search::tell(const planner::SolveProgress &progress, bool isOfAllRows) {
  PlanProgress told;
  if (capacity > 0 ? hasFitting() : progress.cost != planner::infeasible)
    told.bestMs = toMs(capacity > 0 ? taken.cost : progress.cost);
  // Of other rows a bound says nothing.
  if (isOfAllRows)
    boundToTell = std::max(boundToTell, progress.bound);
  told.boundMs = toMs(boundToTell);
  told.rounds = rows.empty() ? 0 : numRounds;
  search.onProgress(told);
}

/// The problem with other rows; false: it would not be one.
bool Search::setRows(std::vector<planner::Row> rows) {
  if (rows.empty() && problem.parts().rows.empty())
    return true;
  planner::ProblemParts parts = problem.parts();
  parts.rows = std::move(rows);
  std::vector<planner::Mistake> mistakes;
  std::optional<planner::LayoutProblem> bounded =
      planner::LayoutProblem::create(std::move(parts), mistakes);
  if (bounded)
    problem = std::move(*bounded);
  return bounded.has_value();
}

/// Notes what runs while too much is alive in the fastest plan, where live ranges may be split.
void Search::noteTooFull(const MeasuredMemory &memory) {
  if (!memorySearch.maySplit || !memorySearch.tooFull.empty())
    return;
  double limit = memory.getLimit(capacity);
  for (const MeasuredMemory::Step &step : memory.steps)
    if (step.bytes > limit)
      llvm::append_range(memorySearch.tooFull, step.ops);
}

/// Decides the graph by a plan.
void Search::apply(const planner::Assignment &plan) {
  if (plan == applied)
    return;
  choice.apply(plan);
  applied = plan;
}

/// Measures a plan, which others may be combined of; one that fits is given room in all rows.
MeasuredMemory Search::tryPlan(const planner::Assignment &plan) {
  apply(plan);
  MeasuredMemory memory = capacity > 0 ? meter.measure(graph) : MeasuredMemory();
  LDBG() << toMs(problem.getCost(plan)) << " ms, needs " << memory.bytes << " of " << capacity
         << " bytes";
  if (memory.bytes <= capacity)
    rows.allow(plan);
  others.push_back({memory.bytes, plan});
  return memory;
}

/// Of rows that no plan keeps together: one that no plan keeps alone, if there is one, by the most.
std::vector<uint32_t> Search::getConflict(ArrayRef<uint32_t> together) const {
  int64_t most = 0;
  std::vector<uint32_t> alone;
  for (uint32_t number : together) {
    const planner::Row &row = problem.parts().rows[number];
    std::map<uint32_t, std::vector<int64_t>> ofVariables;
    for (const planner::MemoryUse &use : row.uses)
      ofVariables.try_emplace(use.variable, problem.getNumStates(use.variable), 0)
          .first->second[use.state] += use.bytes;
    int64_t excess = -row.capacity;
    for (const auto &[variable, ofStates] : ofVariables)
      excess += *llvm::min_element(ofStates);
    if (excess > most) {
      most = excess;
      alone = {number};
    }
  }
  return alone.empty() ? together.vec() : alone;
}

/// The fastest one of those that do not fit, and those that need the least.
std::vector<const Search::TriedPlan *> Search::getPlansToCombine() const {
  std::vector<const TriedPlan *> found;
  auto add = [&](auto isBetter) {
    const TriedPlan *best = nullptr;
    for (const TriedPlan &other : others)
      if (!llvm::is_contained(found, &other) && (!best || isBetter(other, *best)))
        best = &other;
    if (best)
      found.push_back(best);
  };
  add([&](const auto &a, const auto &b) {
    return problem.getCost(a.second) < problem.getCost(b.second);
  });
  while (found.size() < std::min(others.size(), maxStarts))
    add([](const auto &a, const auto &b) { return a.first < b.first; });
  return found;
}

/// Within a part of the rows.
planner::Solution Search::solve(planner::Assignment start, Effort effort, double part) {
  planner::SolveOptions options = getOptions(effort);
  // Less than all rows leave, or live ranges that are split next, proves nothing.
  options.explains = part == 1 && !splitsNext();
  options.start = std::move(start);
  if (search.onProgress)
    options.onProgress = [this, isOfAllRows = part == 1](const planner::SolveProgress &progress) {
      tell(progress, isOfAllRows);
    };
  options.warmStart = std::move(warmStart);
  for (const TriedPlan *plan : getPlansToCombine())
    options.plans.push_back(plan->second);
  planner::Solution solution = planner::solve(problem, options);
  warmStart = solution.warmStart;
  seconds += solution.seconds;
  LDBG() << (effort == Effort::Rough ? "solved roughly: " : "solved: ")
         << stringify(solution.status) << " in " << solution.seconds << " s and "
         << solution.iterations << " iterations: " << toMs(solution.cost) << " ms, bound "
         << toMs(solution.bound) << " by " << stringify(solution.boundSource) << ", states "
         << solution.states << ", left " << solution.statesLeft;
  return solution;
}

/// Rows may exclude plans that fit, which a search that was cut short has not tried.
void Search::noteConflict(const planner::Conflict &found) {
  if (!conflicting.empty() || mustStop())
    return;
  conflict = found.message;
  for (uint32_t row : getConflict(found.rows))
    conflicting.push_back(rows.getOrigin(row));
  LDBG() << "no plan: " << conflict;
}

/// The certificate is that of a problem which the plan solves, with all effort.
void Search::returnToRows() {
  bool hasBest = !best.assignment.empty();
  // Plans that fit keep all rows.
  bool addsRows = hasFitting() && !isLarge() && bestRows < rows.size();
  if (addsRows)
    bestRows = rows.size();
  else if (!hasBest)
    bestRows = taken.numRows;
  setRows(rows.getFirst(bestRows));
  if (hasBest && !addsRows && (bestRows == 0 || bestRaised == rows.getNumRaised()))
    return;
  best = solve(hasBest && !addsRows ? best.assignment : taken.assignment, Effort::Thorough);
  apply(best.assignment);
  bestPeak = meter.getBytes(graph);
}

/// Where rows bind, bounds take more effort than plans do, which is worth it for the problem of the
/// certificate. The plan may become better on the way: where it does not fit then, there is more to
/// prove once there are rows for what it holds.
void Search::proveBest(unsigned mostProofs) {
  if (isCertified() || mustStop() || !proveFrom(best.assignment))
    return;
  for (unsigned proofs = 1; proofs < mostProofs && mayProveMore(); ++proofs)
    if (!proveWithItsRows())
      return;
}

/// With all effort, and with more rows as long as the problem is solved: the bound is its optimum
/// then.
void Search::proveLast() {
  if (isLarge())
    return;
  provingSteps = lastProvingSteps;
  proveBest(/*mostProofs=*/1);
  for (unsigned proofs = 1; proofs < maxProofs && isCertified() && mayProveMore(); ++proofs)
    if (!proveWithItsRows())
      return;
}

/// With rows for what the plan holds that does not fit. False: that proves less.
bool Search::proveWithItsRows() {
  apply(best.assignment);
  const MeasuredMemory memory = meter.measure(graph);
  others.push_back({bestPeak, best.assignment});
  rows.add(makeRows(choice, memory, capacity, best.assignment), best.assignment);
  return setRows(rows.getAll()) && proveFrom(taken.assignment);
}

/// Proves the bound of the problem as it is, and measures the plan that this starts from or finds.
/// What fewer rows, or another proof, prove holds as well: false, and the problem is that again, if
/// it is more.
bool Search::proveFrom(planner::Assignment plan) {
  planner::Solution before = std::move(best);
  const size_t rowsBefore = bestRows;
  const double peakBefore = bestPeak;
  best = solve(std::move(plan), Effort::Proof);
  bestRows = problem.parts().rows.size();
  provingSteps /= 2;
  apply(best.assignment);
  bestPeak = meter.getBytes(graph);
  if (bestPeak <= capacity && (!hasFitting() || best.cost < taken.cost))
    taken = {best.assignment, best.cost, bestPeak, bestRows};
  if (best.certifiedBound >= before.certifiedBound)
    return true;
  best = std::move(before);
  bestRows = rowsBefore;
  bestPeak = peakBefore;
  setRows(rows.getFirst(bestRows));
  return false;
}

/// Whether the problem of the certificate has a better plan than fits. A proof of a large problem
/// takes minutes: there is one.
bool Search::mayProveMore() const {
  return !isLarge() && hasFitting() && bestPeak > capacity && !isTooTight && mayGain();
}

/// Whether what is proved leaves room for a better plan.
bool Search::mayGain() const {
  return !mustStop() && static_cast<double>(taken.cost - best.certifiedBound) >
                            searchedGap * static_cast<double>(taken.cost);
}

/// Without rows a problem is easier, and what it proves holds with them, too.
void Search::dropRows() {
  if (isCertified() || mustStop())
    return;
  setRows({});
  if (free.assignment.empty()) {
    warmStart = nullptr;
    free = solve(best.assignment, Effort::Thorough);
  }
  if (free.certifiedBound <= best.certifiedBound) {
    setRows(rows.getFirst(bestRows));
    return;
  }
  best = free;
  bestRows = 0;
  apply(best.assignment);
  bestPeak = meter.getBytes(graph);
}

/// The search mostly ends with a plan that is somewhat faster than the one taken and does not fit:
/// one that fills as much less of the rows as that exceeds may, and others between them.
void Search::fitBest() {
  if (bestPeak <= capacity)
    return;
  others.push_back({bestPeak, best.assignment});
  // What no plan keeps, none fills less of.
  if (isTooTight)
    return;
  // The best plan of a small problem is found, and of more parts; large ones take minutes.
  const Effort effort = isLarge() ? Effort::Rough : Effort::Extended;
  // Plans within the first part fit or are no better, those within the second one do not fit.
  double enough = 0, tooMuch = 1, part = getStep(bestPeak);
  start = best.assignment;
  for (unsigned trial = 0;
       trial < (isLarge() ? maxFits / 2 : maxFits) && tooMuch - enough > leastWay && !mustStop();
       ++trial) {
    planner::Solution solution = solveWithin(part, bestRows, effort);
    // So small a part leaves no plan, or no better one.
    if (solution.assignment.empty() || (hasFitting() && solution.cost >= taken.cost)) {
      enough = part;
      part = (tooMuch + part) / 2;
      if (solution.assignment.empty())
        warmStart = nullptr;
      continue;
    }
    start = solution.assignment;
    apply(start);
    const double bytes = meter.getBytes(graph);
    others.push_back({bytes, start});
    take(start, bytes);
    if (bytes > capacity) {
      tooMuch = part;
      part = std::max(part * getStep(bytes), (enough + part) / 2);
    } else if (isLarge()) {
      break;
    } else {
      enough = part;
      part = (tooMuch + part) / 2;
    }
  }
  // What is proved is that of rows as they were.
  setRows(rows.getFirst(bestRows));
}

/// Takes a plan that fits, or needs less than the one before; false: that is better.
bool Search::take(const planner::Assignment &plan, double bytes) {
  ++inVain;
  if (bytes > capacity && bytes >= taken.peak)
    return false;
  // Plans that fit are given room in all rows.
  bool keepsRows = share <= 1 || bytes <= capacity;
  taken = {plan, problem.getCost(plan), bytes, keepsRows ? rows.size() : 0};
  inVain = 0;
  return true;
}

/// Starts from a plan that fits, which gives rows that come later the room that it takes, if it
/// still fits as the problem states it.
void Search::takeKnown(const Propagation &known) {
  planner::Assignment plan = choice.getAlike(known);
  if (problem.getCost(plan) == planner::infeasible)
    return;
  double bytes = tryPlan(plan).bytes;
  if (bytes > capacity)
    return;
  take(plan, bytes);
  start = std::move(plan);
}

/// With the first rows as they were made, of which plans fill a part, or with a part of the room
/// that the plan which is taken has beyond them.
planner::Solution Search::solveWithin(double part, size_t numRows, Effort effort) {
  std::vector<planner::Row> within = rows.getWithin(part, taken.assignment);
  within.resize(std::min(numRows, within.size()));
  setRows(std::move(within));
  planner::Solution solution = solve(start, effort, part);
  setRows(rows.getAll());
  return solution;
}

/// Whether rows that no plan keeps are exceeded by as much as a known plan does. What is left of
/// the effort is for the problem with split live ranges where that comes next.
bool Search::mayUseRoom() const { return !splitsNext() && !isLarge() && !taken.assignment.empty(); }

/// Within a share, or else, if no plan is, within all, or within the room of the plan that is
/// taken.
planner::Solution Search::solveRoughly() {
  planner::Solution solution;
  if (share < 1) {
    solution = solveWithin(share);
    if (!solution.assignment.empty())
      return solution;
    share = 1;
    warmStart = nullptr;
  }
  if (!isTooTight) {
    solution = solveWithin(1);
    if (solution.status != planner::SolveStatus::Infeasible || !mayUseRoom())
      return solution;
    noteConflict(solution.conflict);
    isTooTight = true;
    leastShare = 1;
  } else {
    solution = solveWithin(share);
    if (!solution.assignment.empty())
      return solution;
    leastShare = share;
  }
  while (solution.assignment.empty() && 2 - leastShare > leastRoom && !mustStop()) {
    share = (leastShare + 2) / 2;
    warmStart = nullptr;
    solution = solveWithin(share);
    if (solution.assignment.empty())
      leastShare = share;
  }
  return solution;
}

/// Where no plan was found within rows, or in the room beyond them: the fastest ones with prices of
/// memory, which change until one fits. True: one does.
bool Search::searchWithPrices() {
  if (hasFitting() || rows.empty() || splitsNext() || isLarge() || taken.assignment.empty())
    return false;
  RowPrices prices(priceStep * static_cast<double>(taken.cost));
  for (unsigned trial = 0; trial < maxPriced && !hasFitting() && !mustStop(); ++trial) {
    prices.change(rows.getAll(), applied);
    std::optional<planner::LayoutProblem> priced = prices.apply(problem, rows.getAll());
    if (!priced)
      break;
    planner::SolveOptions options = getOptions(Effort::Rough);
    // Its costs are not those of the program: nothing is told of them.
    options.explains = false;
    options.start = taken.assignment;
    planner::Solution solution = planner::solve(*priced, options);
    seconds += solution.seconds;
    if (solution.assignment.empty())
      break;
    MeasuredMemory memory = tryPlan(solution.assignment);
    if (memory.bytes > capacity)
      rows.add(makeRows(choice, memory, capacity, solution.assignment), solution.assignment);
    take(solution.assignment, memory.bytes);
  }
  start = taken.assignment;
  return hasFitting();
}

/// Rows say too much of plans unlike those that made them: faster plans that exceed them by little
/// may fit. What those hold that do not becomes rows, which the next ones exceed by less. True: one
/// fits.
bool Search::searchBeyondRows(Effort effort) {
  if (!hasFitting() || rows.empty() || splitsNext() || isLarge())
    return false;
  const int64_t before = taken.cost;
  double beyond = 1 / leastStep;
  for (unsigned trial = 0; trial < maxBeyond && !mustStop(); ++trial) {
    setRows(rows.getBeyond(beyond));
    planner::Solution solution = solve(taken.assignment, effort, beyond);
    setRows(rows.getAll());
    if (solution.assignment.empty() || solution.cost >= taken.cost)
      break;
    MeasuredMemory memory = tryPlan(solution.assignment);
    if (memory.bytes > capacity) {
      rows.add(makeRows(choice, memory, capacity, solution.assignment), solution.assignment);
      beyond = 1 + partOfExcess * (beyond - 1);
    }
    take(solution.assignment, memory.bytes);
  }
  return taken.cost < before;
}

/// Half of the way back to all of the rows, or to all of the room beyond them.
void Search::raiseShare() {
  double largest = getLargestShare();
  share = (largest + share) / 2;
  if (share > largest - nearlyAll)
    share = largest;
}

/// After a plan that needs so many bytes, more than there are.
void Search::lowerShare(double bytes) {
  if (isTooTight)
    share = (leastShare + share) / 2;
  else if (isLarge() || numRounds >= maxRoundsBeforeSplit)
    // The more rows there are, the better is the last plan: rounds of small problems take little.
    share *= getStep(bytes);
}

/// Whether a larger share may give a better plan than the one taken, where this one gave none.
bool Search::mayGainByShare() {
  // What keeps all rows tells how much there is to gain.
  return share < getLargestShare() && ++inVain < maxRoundsInVain && !mustStop() &&
         static_cast<double>(taken.cost - costWithinAll) >
             searchedGap * static_cast<double>(taken.cost);
}

/// Solves the problem with the rows found so far, and adds those that the solution exceeds; false:
/// the search ends.
bool Search::runRound() {
  planner::Solution solution = isRough ? solveRoughly() : solve(std::move(start), Effort::Thorough);
  if (solution.status == planner::SolveStatus::Unknown && isRough) {
    isRough = false;
    start = {};
    return true;
  }
  if (solution.assignment.empty()) {
    noteConflict(solution.conflict);
    return false;
  }
  MeasuredMemory memory = tryPlan(solution.assignment);
  bool fits = memory.bytes <= capacity;
  if (!fits)
    noteTooFull(memory);
  if (rows.empty() && !isRough)
    free = solution;
  if (!isRough || share == getLargestShare())
    costWithinAll = solution.cost;
  // Rows that came later may rule out the plan that was found before them, and so may a share.
  if (hasFitting() && solution.cost >= taken.cost && taken.numRows < rows.size()) {
    if (!mayGainByShare())
      return false;
    raiseShare();
    return true;
  }
  bool isTaken = take(solution.assignment, memory.bytes);
  start = solution.assignment;
  if (isRough && fits) {
    if (splitsNext() && isLarge())
      return false;
    // The same problem may have a better plan.
    isRough = false;
    return true;
  }
  if (!isRough && (isTaken || !hasFitting() || taken.numRows == rows.size())) {
    best = std::move(solution);
    bestRows = rows.size();
    bestRaised = rows.getNumRaised();
    bestPeak = memory.bytes;
  }
  numThorough += !isRough;
  if (isRough && !fits && !rows.empty())
    lowerShare(memory.bytes);
  // What all effort finds within all rows says best by how much they have to be filled less.
  if (!isRough && !fits && !rows.empty())
    share = std::max(share, getStep(memory.bytes));
  if (fits || isLast || numThorough == maxThorough || (!isRough && mustStop()))
    return false;
  // What the graph holds at its fullest points.
  rows.add(makeRows(choice, memory, capacity, start), start);
  if (!setRows(rows.getAll()))
    return false;
  isLast = numRounds >= maxRounds || inVain >= maxRoundsInVain || mustStop();
  // What is left of the effort is for the problem with split live ranges.
  if (splitsNext() && (isLast || search.seconds || numRounds == maxRoundsBeforeSplit))
    return false;
  isRough = !isLast;
  return true;
}

bool Search::run() {
  start = choice.getCurrent();
  for (const OtherPlan &plan : memorySearch.whole)
    others.push_back({plan.bytes, choice.getAlike(*plan.graph)});
  // The fastest of them is mostly the fastest of this problem, too.
  for (const auto &[bytes, plan] : others)
    if (problem.getCost(plan) < problem.getCost(start))
      start = plan;
  memorySearch.whole.clear();
  LDBG() << "layout problem of " << problem.getNumVariables() << " variables, "
         << problem.parts().pairs.size() << " pairs, " << problem.parts().tables.size()
         << " tables; decided so far: " << toMs(problem.getCost(start)) << " ms, as priced "
         << ProgramCost(graph).getTotal().seconds * 1e3;
  memorySearch.mayRepeat = !isLarge();
  if (memorySearch.known)
    takeKnown(*memorySearch.known);
  // Once live ranges are split it is known that the fastest plan does not fit.
  isRough = memorySearch.splitAround != "none";
  while (runRound())
    ++numRounds;
  // The plan that fits shows how much room others have.
  if (searchWithPrices() && setRows(rows.getAll())) {
    isRough = true;
    isTooTight = isLast = false;
    share = leastShare = 1;
    inVain = 0;
    while (runRound())
      ++numRounds;
  }
  searchBeyondRows(Effort::Rough);
  if (splitsNext())
    for (const TriedPlan *plan : getPlansToCombine())
      memorySearch.whole.push_back(makeOther(*plan));
  if (taken.assignment.empty() || (splitsNext() && (isLarge() || !hasFitting())))
    return false;
  if (hasFitting())
    conflicting.clear();
  returnToRows();
  if (capacity > 0) {
    if (bestRows > 0) {
      proveBest(maxProofs);
      fitBest();
      // With as much effort as that, plans beyond the rows are found that were not before.
      // Rows may exclude plans that fit, even if nothing is to be gained within them.
      const bool isOpen = mayGain() && !isLarge() && hasFitting();
      const bool isBetter = searchBeyondRows(Effort::Extended);
      if (isBetter || isOpen) {
        // Rows for what plans beyond them hold that do not fit raise the bound, too.
        returnToRows();
        proveBest(maxProofs);
        if (isBetter)
          fitBest();
      } else {
        setRows(rows.getFirst(bestRows));
      }
      proveLast();
      dropRows();
    }
    addStarts();
  }
  apply(taken.assignment);
  if (capacity > 0)
    memorySearch.needed = taken.peak;
  return true;
}

/// Local search may bring a faster plan within the capacity, or another one than the nearest.
void Search::addStarts() {
  // That of a large program takes as long as a round here, which repairs such plans.
  if (hasFitting() && isLarge())
    return;
  llvm::erase_if(others, [&](const auto &other) {
    return other.second == taken.assignment ||
           (hasFitting() && problem.getCost(other.second) >= taken.cost);
  });
  llvm::stable_sort(others, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (const auto &other : ArrayRef(others).take_front(maxStarts))
    memorySearch.others.push_back(makeOther(other));
}

OtherPlan Search::makeOther(const TriedPlan &plan) {
  apply(plan.second);
  auto other = std::make_unique<Propagation>(graph);
  other->observer = nullptr;
  return {std::move(other), plan.first};
}

PlanSummary Search::getSummary() const {
  PlanSummary summary;
  summary.boundMs = toMs(best.certifiedBound);
  summary.provedBoundMs = toMs(std::max(best.bound, best.certifiedBound));
  summary.seconds = seconds;
  summary.fingerprint = problem.getFingerprint();
  summary.isCertified = isCertified();
  return summary;
}

planner::SavedPlan Search::getSavedPlan(ProgramAttr program) const {
  planner::SavedPlan plan{best.assignment, best.certificate};
  plan.about = describePlan(program, graph.getRates(), problem, memorySearch.splitAround);
  plan.setStated(best.cost, best.certifiedBound);
  plan.peak = toBytes(capacity > 0 ? bestPeak : estimatePeakBytes(graph));
  plan.limit = toBytes(capacity);
  for (auto [number, row] : llvm::enumerate(problem.parts().rows))
    plan.rows.push_back(
        {row.name, rows.getMaker(number),
         row.capacity > rows.getMadeCapacity(number) ? std::optional(row.capacity) : std::nullopt});
  return plan;
}

PlanTexts Search::getTexts(ProgramAttr program) const {
  PlanTexts texts;
  if (!search.problemFile.empty()) {
    llvm::raw_string_ostream stream(texts.problem);
    planner::printProblem(problem.parts(), stream);
  }
  if (!search.certificateFile.empty()) {
    llvm::raw_string_ostream stream(texts.certificate);
    planner::printPlan(problem, getSavedPlan(program), stream);
  }
  return texts;
}

FailureOr<std::optional<PlanSummary>> Propagation::solve(func::FuncOp entry, ProgramAttr program,
                                                         bool choosesBoundary,
                                                         const PlanSearch &search,
                                                         MemoryMeter &meter, MemorySearch &memory,
                                                         std::optional<SolvedProblem> *solved) {
  std::optional<PlanSummary> nothing;
  if (mesh.numRanks() == 1)
    return nothing;
  if (!memory.prices)
    memory.prices = std::make_shared<MovePrices>(plans, entry.getContext());
  StatedChoice stated = stateChoice(*this, entry, program, choosesBoundary, *memory.prices);
  LayoutChoice &choice = *stated.choice;
  std::string &whyNot = stated.whyNot;
  std::optional<planner::LayoutProblem> &problem = stated.problem;
  auto giveUp = [&]() -> FailureOr<std::optional<PlanSummary>> {
    // With split live ranges a problem may be too large that is not without.
    if (choosesBoundary && memory.splitAround == "none")
      return entry.emitError("unsupported: the choice of layouts cannot be solved: ") << whyNot;
    return nothing;
  };
  if (!problem)
    return giveUp();
  std::vector<Assignment> before;
  before.reserve(nodes.size());
  for (const Node &node : nodes)
    before.push_back(node.assignment);
  Cost costBefore = observer ? ProgramCost(*this).getTotal() : Cost();
  Search run(*this, choice, std::move(*problem), search, meter, memory,
             /*isBrief=*/!choosesBoundary);
  bool isFound = run.run();
  if (!isFound && !memory.tooFull.empty())
    return nothing;
  if (search.conflict) {
    search.conflict->reset();
    if (!run.getConflictingRows().empty())
      *search.conflict =
          describeConflict(*this, entry, program, getRates().capacity, run.getConflictingRows());
  }
  if (!isFound) {
    whyNot = run.getConflict();
    return giveUp();
  }
  memory.texts = run.getTexts(program);
  if (solved)
    *solved = run.describe(program);
  if (observer) {
    Cost cost = ProgramCost(*this).getTotal();
    std::vector<unsigned> changed, around;
    llvm::DenseSet<unsigned> seen;
    for (auto [number, node] : llvm::enumerate(nodes)) {
      if (node.assignment == before[number])
        continue;
      changed.push_back(number);
      for (unsigned result : node.results)
        if (seen.insert(result).second)
          around.push_back(result);
    }
    if (!changed.empty())
      observer->onRefined(changed, around, costBefore.seconds - cost.seconds,
                          costBefore.bytes - cost.bytes);
  }
  PlanSummary summary = run.getSummary();
  summary.axesTogether = std::move(stated.axesTogether);
  return std::optional(std::move(summary));
}
