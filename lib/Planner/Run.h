//===- Run.h - One run of the solver ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solve.cpp has the iterations, Close.cpp the exact methods.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_RUN_H
#define DMC_LIB_PLANNER_RUN_H

#include "Incumbent.h"
#include "Prices.h"
#include "RowElimination.h"
#include "Stages.h"

#include "dmc/Planner/Solve.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>
#include <deque>
#include <set>

namespace dmc::planner {

/// Why a problem has no plan. `candidates`, unless empty, are variables that have none together.
Conflict explainConflict(const LayoutProblem &problem, std::vector<uint32_t> candidates);

class Run {
public:
  Run(const LayoutProblem &problem, const SolveOptions &options);
  Solution run();

private:
  using Clock = std::chrono::steady_clock;

  bool setUp();
  /// Messages, unless there are warm ones that prove more, and a plan in which alike nodes agree.
  void startFolded(bool isWarm);
  void startFromFolded(const Solution &folded, Messages &messages, const NodeClasses &classes,
                       bool isWarm);
  void startWithPrices(const Solution &folded, Messages &messages);
  double getShareLeft();
  /// Iterations until unfolded messages suit prices.
  void settle();
  /// False if the problem is another one.
  bool startWarm(const WarmStart &start);
  void saveWarmStart();
  /// Returns how many there were.
  int64_t iterateFolded(Messages &messages);
  int64_t iterateWhileRising(int64_t limit, double least, llvm::function_ref<double()> iterate);
  int64_t getIterationsInFolded(const Network &folded) const;
  int64_t getIterationLimit() const {
    int64_t limit = gap() > options_.farGap ? std::max(options_.iterations, options_.iterationsFar)
                                            : options_.iterations;
    return limit + iterationsOfDives_;
  }
  bool hasIterations() const { return solution_.iterations < getIterationLimit(); }
  /// What the capacities of rows are worth at the prices of messages.
  double getPriceOfCapacities(const Messages &messages) const;
  /// One iteration of messages; returns the bound, as exact as doubles are.
  double iterateMessages();
  /// The same, and the plan that it suggests.
  void iterate();
  /// Changes trees of nodes of the best plan, as long as that makes it better.
  void improve(int maxMoves);
  /// Computes the bound of the messages exactly, and leaves out the states that it rules out.
  void evaluate();
  void prune(const ExactBound &bound);
  bool keepsPlan(const ExactBound &bound) const;
  /// Improves a choice of `network_`, and keeps it if it is the best.
  void tryChoice(std::vector<uint32_t> choice);
  bool isDue();
  bool isEstimatedDone() const;
  bool isStalled() const;
  bool leavesGap(double riseOfIteration) const;
  bool stepPrices();
  void iterateUntilStalled();
  void certify();
  void certifyExactly();
  void finishCertificate();
  /// Raises the bound by clusters, and tries the plan that they suggest.
  void proveInClusters();
  void certifyInClusters(int64_t enough);
  std::vector<uint32_t> searchClusters();
  bool maySearchClusters();
  void iterateAtPrices(const std::vector<int64_t> &prices, int64_t &workLeft);
  struct ClusterStage;
  ClusterStage makeClusterStage() const;
  void passInClusters(ClusterStage &stage, int64_t mostPasses, int64_t &workLeft);
  void scalePrices(ClusterStage &best, int64_t &workLeft);
  void stepPricesInClusters(ClusterStage &stage, int64_t &workLeft);
  void certifyInBuckets(int64_t enough);
  /// What the certificate leaves between its bound and the plan.
  double getRest() const;
  void certifyBy(const std::function<void(Certificate &)> &change, int64_t steps = checkedSteps);
  void finish();

  /// Exact methods for what is left, as far as the limits allow; true: the incumbent is proved.
  void close();
  bool closeByElimination(int64_t limit);
  void closeByIntegerProgram();
  /// The best plan among the states of small excess, as many as an elimination with so many entries
  /// takes; true: it is better than the incumbent.
  bool dive(int64_t limit);
  /// The same with the prices of rows for the rows.
  void diveAtPrices(int64_t limit);
  /// The cheapest plan at the prices among the states of small excess and those of a choice; it may
  /// exceed rows. Nothing: within the limit there is none.
  std::optional<std::vector<uint32_t>>
  findAtPrices(const std::optional<std::vector<uint32_t>> &choice, int64_t limit);
  double getCostAtPrices(const std::vector<uint32_t> &choice) const;
  /// Where rows bind, the plan that shows where the bound may rise: it costs the least at the
  /// prices, as far as it is found.
  std::optional<std::vector<uint32_t>> findCheapestAtPrices();
  int64_t getDiveLimit() const;
  void diveWithRows();
  void proveWithinRows();
  /// Elimination within rows among the states of at most so much excess, and those of the best
  /// plan.
  enum class RowTrial {
    Done,
    NoPlan, // the states have none
    TooMuch // for the limits
  };
  RowTrial eliminateCheapStates(const ExactBound &bound, Wide most, int64_t cutoff,
                                std::set<uint32_t> &rowsToKeep, RowEliminationEffort effort,
                                int64_t &steps);
  /// The same of all partial plans below a cutoff. `first` are the steps that sufficed for
  /// the last cutoff, or 0.
  RowTrial eliminateBelow(const ExactBound &bound, int64_t cutoff, std::set<uint32_t> &rowsToKeep,
                          llvm::MutableArrayRef<OrderRule> rules, int64_t &first, int64_t &steps);
  /// What the plans of some states cost at least. Of rows that count by their prices alone, the one
  /// that the best plan exceeds the most, and the one whose room to spare lowers the bound the
  /// most.
  struct StatesTrial {
    int64_t bound = 0;
    std::optional<uint32_t> exceeded, roomy;
    /// The rows that were kept, and the variables, in which they were eliminated.
    std::vector<uint32_t> rows, order;
  };
  /// Elimination within some of the rows; nothing: it took too much.
  std::optional<StatesTrial> eliminateStates(RowEliminator &eliminator,
                                             const std::set<uint32_t> &rowsToKeep, int64_t cutoff,
                                             RowEliminationEffort &effort);
  std::set<uint32_t> getPricedRows() const;
  void findRowsToKeep(const Network &network, const std::vector<uint32_t> &choice,
                      const std::set<uint32_t> &kept, StatesTrial &trial) const;
  /// Elimination within rows among the states of the incumbent and of plans that are given: where a
  /// program repeats its layers, some may be as in one plan, and some as in another. False: it took
  /// more than its limits.
  bool combineWithinRows(llvm::ArrayRef<const Assignment *> plans);
  /// The same of the incumbent and a choice that is the cheapest at the prices, if that exceeds
  /// rows, and the last such one that did not.
  void combineCheapest(const std::vector<uint32_t> &choice);
  /// The same of the plans that the options have, of those that the best one was combined of
  /// before, and of those that were tried last.
  void combinePlansWithinRows();
  /// The best plan among the states of those that were tried last, where there are no rows.
  void combineRecent();
  std::vector<const Assignment *> getRecentPlans(size_t most) const;
  static std::vector<const Assignment *> getPointers(llvm::ArrayRef<Assignment> plans);
  /// Marks the states of plans that are known; nothing: of fewer than two.
  std::optional<std::vector<std::vector<bool>>>
  findStatesOf(llvm::ArrayRef<const Assignment *> plans) const;
  /// What better plans cost less than.
  int64_t getCutoff() const;
  /// The states of at most so much excess, and those of the choice; nothing: they have no plan.
  std::optional<std::vector<std::vector<bool>>>
  findCheapStates(const ExactBound &bound, Wide most,
                  const std::optional<std::vector<uint32_t>> &choice) const;

  void prove(int64_t bound, BoundSource source);
  void report();
  bool isDone() const {
    return solution_.bound == infeasible || (incumbent_.isKnown() && gap() <= options_.gap);
  }
  double gap() const;
  /// Whether a change of the best plan's cost is only a small part of the gap that is asked for.
  bool isSmall(int64_t change) const {
    return static_cast<double>(change) <=
           smallPart * options_.gap * static_cast<double>(incumbent_.cost);
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool mustStop();
  /// What costs as much as an iteration, in entries of tables.
  static int64_t getIterationSize(const Network &network);
  int64_t getIterationSize() const { return getIterationSize(*network_); }
  /// Elimination, and messages of clusters, take as long for an entry of their tables as an
  /// iteration for so many of its own, as measured.
  static constexpr int64_t visitsOfEntry = 20;
  /// Entries of an elimination that takes as long as all iterations did.
  int64_t getEntriesOfWork() const { return work_ / visitsOfEntry; }
  /// Entries of an elimination that costs as much as some iterations.
  int64_t getSmallElimination() const;
  /// The same, a tenth of the time that all iterations took.
  int64_t getBriefElimination() const {
    return std::min(options_.eliminationLimit, std::max<int64_t>(1 << 16, getEntriesOfWork() / 10));
  }

  const LayoutProblem &problem_;
  const SolveOptions &options_;
  /// Of a folded problem: where its messages start.
  const Messages *foldedMessages_ = nullptr;
  /// The iteration of the best plan.
  int64_t improvedAt_ = 0;
  /// Iterations behind dives, beside those that there may be without.
  int64_t iterationsOfDives_ = 0;
  Scales scales_;
  Clock::time_point start_ = Clock::now();
  /// All consistent states, and those that may be in a better plan.
  std::shared_ptr<const Network> whole_, network_;
  std::unique_ptr<Messages> messages_;
  PriceSearch priceSearch_;
  /// Of `network_`: the best bound so far, with what proves it.
  Potentials potentials_;
  std::vector<int64_t> prices_;
  Wide stageBound_ = 0;
  bool hasStage_ = false;
  /// The cost of the best plan when that bound was found, if a better one may have its states.
  int64_t stageKeeps_ = infeasible;
  /// Nodes of clusters, chosen where the best bound of potentials and the best plan were these,
  /// and the bound with them.
  std::vector<std::vector<uint32_t>> clusters_;
  Wide clustersAt_ = -1;
  int64_t clustersFor_ = infeasible, clustersProve_ = 0;
  /// The plan that they were chosen for.
  std::vector<uint32_t> cheapest_;
  /// The last one that kept all rows.
  Assignment cheapestWithin_;
  Incumbent incumbent_;
  /// Effort limit: below this gap plans are looked for among the states of small excess, above it
  /// among those of recent plans.
  static constexpr double nearGap = 0.02;
  /// Effort limit: plans are not made better whose gap is less than this part of what is asked for.
  static constexpr double smallPart = 0.1;
  /// Effort limits: the plans that were tried last, of which parts are combined where rows bind;
  /// and the last of them, of which they are where none does.
  static constexpr size_t mostRecent = 256, mostCombined = 6;
  std::deque<Assignment> recent_;
  Solution solution_;
  WarmStart warmStart_;
  /// Of the iterations at the current prices: their bounds.
  std::vector<double> estimates_;
  double bestEstimate_ = 0, lastEstimate_ = 0;
  /// Prices may still change.
  bool isPricing() const { return priceSearch_.isNeeded() && priceSteps_ < maxPriceSteps; }
  bool isStepping() const { return isPricing() && priceSteps_ > 0; }
  /// Effort limit.
  static constexpr int maxPriceSteps = 400;
  int priceSteps_ = 0;
  /// The iteration after which the bound at the prices of then is computed exactly.
  int64_t nextDue_ = 0;
  /// Where the bound with prices was best.
  std::unique_ptr<Messages> bestMessages_;
  int64_t nextDive_ = 20;
  /// What elimination may still do where rows bind.
  int64_t rowSteps_;
  /// The elimination that last proved a bound within rows.
  struct {
    std::vector<uint32_t> rows;
    /// In which variables were eliminated.
    std::vector<uint32_t> order;
    int64_t steps = 0;
  } proofWithinRows_;
  /// Of all iterations, in entries of tables.
  int64_t work_ = 0, statesTried_ = 0;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_RUN_H
