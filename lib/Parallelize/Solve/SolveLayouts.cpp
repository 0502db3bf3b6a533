//===- SolveLayouts.cpp - All layouts as one problem ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States the problem, solves it from what was decided so far, and decides so. Memory comes in
// where a plan needs more than there is: what is alive at its fullest points bounds the next one.
//
//===----------------------------------------------------------------------===//
#include "DescribeProblem.h"
#include "MemoryRows.h"
#include "PlanStatement.h"

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
static constexpr unsigned maxRounds = 24, maxRoundsInVain = 10;
static constexpr size_t maxStarts = 4;
/// The same for a problem with rows, and where the boundary is given and a propagated plan is
/// there: visits of states, about a second. What it costs shows in the gap.
static constexpr int64_t maxVisits = 5'000'000;
/// And where it is chosen, too: large programs get as much time as smaller ones need.
static constexpr int64_t maxVisitsOfAll = 40'000'000;
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

  /// Decides the graph by the best plan found; false: none was, or live ranges are to be split.
  bool run();
  PlanSummary getSummary() const;
  /// Why there is no plan.
  const std::string &getConflict() const { return conflict; }
  /// Of rows that no plan keeps together: what made them.
  ArrayRef<RowOrigin> getConflictingRows() const { return conflicting; }
  LogicalResult writeFiles(func::FuncOp entry, ProgramAttr program) const;
  SolvedProblem describe(ProgramAttr program) const {
    return describeProblem(problem, choice, getSavedPlan(program), origins);
  }

private:
  double toMs(int64_t costs) const { return 1e3 * problem.getSeconds(costs); }
  planner::SavedPlan getSavedPlan(ProgramAttr program) const;
  planner::SolveOptions getOptions() const;
  bool setRows(std::vector<planner::Row> rows);
  bool splits(const MeasuredMemory &memory);
  void addRows(const MeasuredMemory &memory, const planner::Assignment &assignment);
  std::vector<uint32_t> getConflict(ArrayRef<uint32_t> together) const;
  bool mustStop() const {
    return (search.seconds && seconds >= *search.seconds) ||
           (search.interrupt && search.interrupt->load());
  }
  void addStarts();
  void deferReductions();

  Propagation &graph;
  LayoutChoice &choice;
  planner::LayoutProblem problem;
  const PlanSearch &search;
  MemoryMeter &meter;
  MemorySearch &memorySearch;
  bool isBrief;
  double capacity;
  std::vector<planner::Row> rows;
  /// A plan that fits, or the one that needs the least; its rows, and what it needs of memory.
  planner::Solution best;
  std::vector<planner::Row> bestRows;
  double bestPeak = std::numeric_limits<double>::infinity();
  /// Others that do not fit, those that need the least first.
  std::vector<std::pair<double, planner::Assignment>> others;
  /// By row: the plan that made it, and what that holds.
  std::vector<planner::Assignment> exceeding;
  std::vector<RowOrigin> origins;
  double seconds = 0;
  std::string conflict = "the search ended before one was found";
  std::vector<RowOrigin> conflicting;
};
} // namespace

planner::SolveOptions Search::getOptions() const {
  planner::SolveOptions options;
  options.gap = searchedGap;
  // Their limits are seconds: plans would depend on the machine that compiles.
  options.solver = "none";
  int64_t numStates = 1;
  for (const planner::Variable &variable : problem.parts().variables)
    numStates += static_cast<int64_t>(variable.states.size());
  // Where a time is given, that is the limit.
  if (!search.seconds)
    options.iterations =
        std::min(options.iterations,
                 1 + (isBrief || !exceeding.empty() ? maxVisits : maxVisitsOfAll) / numStates);
  if (search.seconds)
    options.seconds = std::max(0.0, *search.seconds - seconds);
  if (search.interrupt)
    options.isInterrupted = [flag = search.interrupt] { return flag->load(); };
  if (search.onProgress)
    options.onProgress = [this](const planner::SolveProgress &progress) {
      search.onProgress(toMs(progress.cost), toMs(progress.bound), progress.gap);
    };
  return options;
}

/// The problem with other rows; false: it would not be one.
bool Search::setRows(std::vector<planner::Row> rows) {
  planner::ProblemParts parts = problem.parts();
  parts.rows = std::move(rows);
  std::vector<planner::Mistake> mistakes;
  std::optional<planner::LayoutProblem> bounded =
      planner::LayoutProblem::create(std::move(parts), mistakes);
  if (bounded)
    problem = std::move(*bounded);
  return bounded.has_value();
}

/// Whether live ranges are split around what runs while too much is alive, before anything else.
bool Search::splits(const MeasuredMemory &memory) {
  if (!memorySearch.maySplit || mustStop())
    return false;
  double limit = memory.getLimit(capacity);
  for (const MeasuredMemory::Step &step : memory.steps)
    if (step.bytes > limit)
      llvm::append_range(memorySearch.tooFull, step.ops);
  return !memorySearch.tooFull.empty();
}

/// What the graph holds at its fullest points becomes rows.
void Search::addRows(const MeasuredMemory &memory, const planner::Assignment &assignment) {
  for (auto [point, row] :
       llvm::zip_equal(memory.points, makeRows(choice, memory, capacity, assignment))) {
    rows.push_back(std::move(row));
    rows.back().name = "point" + std::to_string(rows.size());
    exceeding.push_back(assignment);
    origins.push_back(getRowOrigin(graph, choice, point, assignment));
  }
}

/// Sums that are added before they are reduced are outside of the problem.
void Search::deferReductions() {
  if (!graph.canDeferReductions())
    return;
  double before = ProgramCost(graph).getTotal().seconds;
  graph.deferReductions();
  if (ProgramCost(graph).getTotal().seconds > before ||
      (capacity > 0 && meter.getBytes(graph) > std::max(capacity, bestPeak)))
    choice.apply(best.assignment);
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

bool Search::run() {
  planner::SolveOptions options = getOptions();
  options.start = choice.getCurrent();
  LDBG() << "layout problem of " << problem.getNumVariables() << " variables, "
         << problem.parts().pairs.size() << " pairs, " << problem.parts().tables.size()
         << " tables; decided so far: " << toMs(problem.getCost(options.start)) << " ms, as priced "
         << ProgramCost(graph).getTotal().seconds * 1e3;
  unsigned inVain = 0;
  for (unsigned round = 0;; ++round) {
    planner::Solution solution = planner::solve(problem, options);
    seconds += solution.seconds;
    LDBG() << "solved " << stringify(solution.status) << " in " << solution.seconds << " s and "
           << solution.iterations << " iterations: " << toMs(solution.cost) << " ms, bound "
           << toMs(solution.bound) << " by " << stringify(solution.boundSource) << ", states "
           << solution.states << ", left " << solution.statesLeft;
    if (solution.assignment.empty()) {
      conflict = solution.conflict.message;
      for (uint32_t row : getConflict(solution.conflict.rows))
        conflicting.push_back(origins[row]);
      LDBG() << "no plan: " << conflict;
      break;
    }
    planner::Assignment assignment = solution.assignment;
    choice.apply(assignment);
    MeasuredMemory memory = capacity > 0 ? meter.measure(graph) : MeasuredMemory();
    LDBG() << "needs " << memory.bytes << " of " << capacity << " bytes";
    others.push_back({memory.bytes, assignment});
    bool fits = memory.bytes <= capacity;
    if (!fits && splits(memory))
      return false;
    ++inVain;
    if (fits || memory.bytes < bestPeak) {
      bestPeak = memory.bytes;
      best = std::move(solution);
      bestRows = problem.parts().rows;
      inVain = 0;
    }
    if (fits || round == maxRounds || inVain == maxRoundsInVain || mustStop())
      break;
    addRows(memory, assignment);
    if (!setRows(rows))
      break;
    options = getOptions();
    options.start = std::move(assignment);
  }
  if (best.assignment.empty())
    return false;
  // The certificate is that of the problem which the plan solves.
  if (bestRows.size() < problem.parts().rows.size())
    setRows(bestRows);
  if (capacity > 0)
    addStarts();
  choice.apply(best.assignment);
  if (capacity == 0)
    bestPeak = estimatePeakBytes(graph);
  deferReductions();
  return true;
}

/// Local search may bring a faster plan within the capacity, or another one than the nearest.
void Search::addStarts() {
  bool fits = bestPeak <= capacity;
  llvm::erase_if(others, [&](const auto &other) {
    return other.second == best.assignment || (fits && problem.getCost(other.second) >= best.cost);
  });
  llvm::stable_sort(others, [](const auto &a, const auto &b) { return a.first < b.first; });
  for (const auto &[peak, assignment] : ArrayRef(others).take_front(maxStarts)) {
    choice.apply(assignment);
    memorySearch.others.push_back(std::make_unique<Propagation>(graph));
    memorySearch.others.back()->observer = nullptr;
  }
}

PlanSummary Search::getSummary() const {
  PlanSummary summary;
  summary.boundMs = toMs(best.certifiedBound);
  summary.provedBoundMs = toMs(std::max(best.bound, best.certifiedBound));
  summary.seconds = seconds;
  summary.fingerprint = problem.getFingerprint();
  summary.isCertified =
      best.cost - best.certifiedBound <= searchedGap * static_cast<double>(best.cost);
  return summary;
}

planner::SavedPlan Search::getSavedPlan(ProgramAttr program) const {
  planner::SavedPlan plan{best.assignment, best.certificate};
  plan.about = describePlan(program, graph.getRates(), problem, memorySearch.splitAround);
  plan.setStated(best.cost, best.certifiedBound);
  plan.peak = toBytes(bestPeak);
  plan.limit = toBytes(capacity);
  for (auto [row, origin] : llvm::zip(problem.parts().rows, exceeding))
    plan.rows.push_back({row.name, origin});
  return plan;
}

LogicalResult Search::writeFiles(func::FuncOp entry, ProgramAttr program) const {
  auto write = [&](const std::string &path, llvm::function_ref<void(llvm::raw_ostream &)> print) {
    if (path.empty())
      return success();
    llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &stream) {
      print(stream);
      return llvm::Error::success();
    });
    if (!error)
      return success();
    return LogicalResult(entry.emitError("cannot write '")
                         << path << "': " << llvm::toString(std::move(error)));
  };
  if (failed(write(search.problemFile, [&](llvm::raw_ostream &stream) {
        planner::printProblem(problem.parts(), stream);
      })))
    return failure();
  return write(search.certificateFile, [&](llvm::raw_ostream &stream) {
    planner::printPlan(problem, getSavedPlan(program), stream);
  });
}

FailureOr<std::optional<PlanSummary>> Propagation::solve(func::FuncOp entry, ProgramAttr program,
                                                         bool choosesBoundary,
                                                         const PlanSearch &search,
                                                         MemoryMeter &meter, MemorySearch &memory,
                                                         std::optional<SolvedProblem> *solved) {
  std::optional<PlanSummary> nothing;
  if (mesh.numRanks() == 1)
    return nothing;
  LayoutChoice choice(*this, entry, program, choosesBoundary);
  std::string whyNot;
  auto giveUp = [&]() -> FailureOr<std::optional<PlanSummary>> {
    if (choosesBoundary)
      return entry.emitError("unsupported: the choice of layouts cannot be solved: ") << whyNot;
    return nothing;
  };
  std::optional<planner::LayoutProblem> problem = choice.build(whyNot);
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
  if (!memory.tooFull.empty())
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
  if (failed(run.writeFiles(entry, program)))
    return failure();
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
  return std::optional(run.getSummary());
}
