//===- Solve.h - Plans with lower bounds ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solver of layout problems; docs/planner-problem.md says how it works.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PLANNER_SOLVE_H
#define DMC_PLANNER_SOLVE_H

#include "dmc/Planner/Certificate.h"

#include <functional>
#include <memory>
#include <optional>

namespace dmc::planner {

/// What is known while a problem is being solved.
struct SolveProgress {
  double seconds = 0;
  int64_t iterations = 0;
  /// Of the best plan; infeasible: none is known.
  int64_t cost = infeasible;
  int64_t bound = 0;
  /// (cost - bound) / cost; 1 without a plan.
  double gap = 1;
};

/// Where messages and prices were at the end of a search.
struct WarmStart {
  /// Of a byte, by row.
  std::vector<double> prices;
  /// By pair of variables that have costs in common, in their order: to all states of the first and
  /// of the second one.
  std::vector<double> messages;
  /// What messages that started from a folded problem last did not prove there, as a share of the
  /// cost of the best plan; nothing: none did.
  std::optional<double> leftByFolded;
  /// Of which the last one was combined that became the best plan; not all keep rows of memory.
  std::vector<Assignment> combined;
};

struct SolveOptions {
  /// A plan to start from; ignored where it is not one.
  Assignment start;
  /// Plans that a better one may combine; they need not keep rows of memory.
  std::vector<Assignment> plans;
  /// Where another problem ended that differs in rows, of which it has the first ones; may be null.
  std::shared_ptr<const WarmStart> warmStart;
  /// The search ends once (cost - bound) / cost is no more than this.
  double gap = 0;
  /// Without this limit equal problems and options give equal solutions.
  double seconds = std::numeric_limits<double>::infinity();
  /// Passes of messages over all variables.
  int64_t iterations = 1000;
  /// The same while the gap is above `farGap`, if that is more: effort limits, both.
  int64_t iterationsFar = 0;
  double farGap = 0.01;
  /// Iterations after which memory has prices at latest; else once bounds hardly rise without.
  int64_t pricesAfter = std::numeric_limits<int64_t>::max();
  /// Entries of all tables of an elimination.
  int64_t eliminationLimit = int64_t(1) << 25;
  /// Entries of all clusters, or of all mini-buckets, with which a bound is proved; at most
  /// `checkedEntriesOfBuckets`.
  int64_t bucketLimit = checkedEntriesOfBuckets;
  /// Where rows of memory have prices that suit pairs of nodes: entries of tables that it may take
  /// to find prices which suit clusters; 0: prices stay as they are.
  int64_t clusterPricing = int64_t(1) << 38;
  /// Whether the best plan at the prices of rows is looked for, from which plans that keep them are
  /// combined: after few iterations prices say little.
  bool divesAtPrices = true;
  /// Whether local search begins with `start` and `plans` where they exceed rows of memory, too.
  bool repairsStarts = true;
  /// Steps of all eliminations that keep rows of memory.
  int64_t rowSteps = int64_t(1) << 24;
  /// Steps of those that prove a bound where these leave a gap, and find better plans on the way.
  int64_t provingSteps = checkedSteps;
  /// Nodes of the search among the states that are left.
  int64_t searchNodes = 200'000;
  /// Of the integer problem of what is left: `best`, `highs`, `cbc`, `own`; or `none`.
  std::string solver = "best";
  /// The integer program ends after this, or what `seconds` leaves.
  double solverSeconds = 60;
  /// Whether to keep the potentials; without them the bound cannot be checked by others.
  bool keepCertificate = true;
  /// Whether to find out why a problem has no plan.
  bool explains = true;
  /// Called after each iteration, on the calling thread.
  std::function<void(const SolveProgress &)> onProgress;
  /// Asked between steps; true ends the search with the best so far.
  std::function<bool()> isInterrupted;
};

enum class SolveStatus {
  /// The assignment is a best one, within the gap that was asked for. A gap of 1e-9 counts as none:
  /// solvers of integer programs are not more exact.
  Optimal,
  /// A limit was reached, or the user interrupted: the assignment is a plan.
  Feasible,
  /// There is no plan; `conflict` says why.
  Infeasible,
  /// A limit was reached before a plan was found.
  Unknown
};
const char *stringify(SolveStatus status);

/// What makes a problem infeasible: the parts that cannot be kept together, not always the fewest.
/// With rows of memory the variables are those that use it in any case, the largest use first.
struct Conflict {
  std::vector<uint32_t> rows, requests, variables;
  /// One sentence for the user.
  std::string message;
};

/// What proved the bound.
enum class BoundSource { Potentials, Clusters, Elimination, Search, IntegerProgram };
const char *stringify(BoundSource source);

struct Solution {
  SolveStatus status = SolveStatus::Unknown;
  /// Empty unless `Optimal` or `Feasible`.
  Assignment assignment;
  int64_t cost = infeasible;
  /// No plan costs less; `infeasible`: there is no plan.
  int64_t bound = 0;
  BoundSource boundSource = BoundSource::Potentials;
  /// What `checkCertificate` computes from the certificate and the assignment: at most `bound`.
  int64_t certifiedBound = 0;
  Certificate certificate;
  /// Where the bound was best, for a problem with further rows.
  std::shared_ptr<const WarmStart> warmStart;
  /// Of an infeasible problem.
  Conflict conflict;
  double seconds = 0;
  int64_t iterations = 0;
  /// States of all variables, and those that may still be in a better plan.
  int64_t states = 0, statesLeft = 0;
  bool wasInterrupted = false;
  /// Why the solver of integer programs that was asked for could not be used, or failed; empty: it
  /// could, or was not needed.
  std::string solverError;

  /// (cost - bound) / cost; 1 without a plan.
  double gap() const;
};

/// A plan with a lower bound. The bound is never above the optimum.
Solution solve(const LayoutProblem &problem, const SolveOptions &options = {});

} // namespace dmc::planner

#endif // DMC_PLANNER_SOLVE_H
