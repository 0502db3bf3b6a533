//===- Solve.cpp - Plans with lower bounds --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations of messages raise the bound and suggest plans; states that no better plan has are
// left out; elimination, or a search, closes what is left.
//
//===----------------------------------------------------------------------===//
#include "dmc/Planner/Solve.h"
#include "Factors.h"
#include "Incumbent.h"
#include "Stages.h"
#include "TreeMoves.h"
#include "TreeSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <cmath>

using namespace dmc::planner;

const char *dmc::planner::stringify(SolveStatus status) {
  static constexpr const char *names[] = {"optimal", "feasible", "infeasible", "unknown"};
  return names[static_cast<size_t>(status)];
}

const char *dmc::planner::stringify(BoundSource source) {
  static constexpr const char *names[] = {"potentials", "elimination", "search", "integer program"};
  return names[static_cast<size_t>(source)];
}

static double getGap(int64_t cost, int64_t bound) {
  if (cost == infeasible)
    return 1;
  return cost <= bound ? 0 : static_cast<double>(cost - bound) / static_cast<double>(cost);
}

double Solution::gap() const { return getGap(cost, bound); }

namespace {
using Clock = std::chrono::steady_clock;

class Run {
public:
  Run(const LayoutProblem &problem, const SolveOptions &options)
      : problem_(problem), options_(options), scales_(problem) {}
  Solution run();

private:
  void iterate();
  void evaluate();
  void prune(const ExactBound &bound);
  void tryChoice(std::vector<uint32_t> choice);
  void improve();
  bool close(int64_t eliminationLimit, int64_t searchNodes);
  bool eliminateRest(int64_t limit);
  void prove(int64_t bound, BoundSource source);
  void finish();
  void explain(const Network &network, const Consistency &consistency);
  void report();
  bool isStalled();
  bool isDone() const { return incumbent_.isKnown() && gap() <= options_.gap; }
  double gap() const { return getGap(incumbent_.cost, solution_.bound); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool mustStop();

  const LayoutProblem &problem_;
  const SolveOptions &options_;
  Scales scales_;
  Clock::time_point start_ = Clock::now();
  /// All consistent states, and those that may be in a better plan.
  std::unique_ptr<Network> whole_, network_;
  std::unique_ptr<Messages> messages_;
  /// Of `network_`: the best so far.
  Potentials potentials_;
  std::vector<int64_t> prices_;
  Wide stageBound_ = -(Wide(1) << 126);
  Incumbent incumbent_;
  Solution solution_;
  std::vector<double> estimates_;
};
} // namespace

bool Run::mustStop() {
  if (!solution_.wasInterrupted && options_.isInterrupted && options_.isInterrupted())
    solution_.wasInterrupted = true;
  return solution_.wasInterrupted || seconds() > options_.seconds;
}

void Run::prove(int64_t bound, BoundSource source) {
  if (incumbent_.isKnown())
    bound = std::min(bound, incumbent_.cost);
  if (bound <= solution_.bound)
    return;
  solution_.bound = bound;
  solution_.boundSource = source;
}

void Run::report() {
  if (options_.onProgress)
    options_.onProgress({seconds(), solution_.iterations, incumbent_.cost, solution_.bound, gap()});
}

void Run::tryChoice(std::vector<uint32_t> choice) {
  LocalSearch(*network_).improve(choice, 10);
  incumbent_.offer(problem_, network_->toAssignment(choice));
}

/// Changes trees of nodes of the best plan, as long as that makes it better.
void Run::improve() {
  if (!incumbent_.isKnown())
    return;
  auto choice = network_->toChoice(incumbent_.assignment);
  // States of the best plan may have been left out, as no better one has them.
  if (!choice)
    choice = messages_->decode();
  TreeMoves moves(*network_, messages_->prices());
  for (int failures = 0; failures < 4 && !mustStop();) {
    moves.move(*choice);
    int64_t before = incumbent_.cost;
    tryChoice(*choice);
    failures = incumbent_.cost < before ? 0 : failures + 1;
  }
}

/// One iteration of messages, and the plan that it suggests.
void Run::iterate() {
  double bound = messages_->iterate();
  for (uint32_t row : network_->rows())
    bound -= messages_->prices()[row] * static_cast<double>(problem_.parts().rows[row].capacity);
  estimates_.push_back(bound);
  ++solution_.iterations;
  tryChoice(messages_->decode());
}

/// Computes the bound of the messages exactly, and leaves out the states that it rules out.
void Run::evaluate() {
  Potentials potentials = messages_->getPotentials(scales_.potential);
  ExactBound bound(*network_, scales_, potentials, prices_);
  if (bound.bound() > stageBound_) {
    stageBound_ = bound.bound();
    potentials_ = std::move(potentials);
  }
  int64_t proved = bound.toPicoseconds();
  if (!incumbent_.isKnown() && proved > problem_.getLargestCost())
    proved = infeasible;
  prove(proved, BoundSource::Potentials);
  if (!isDone())
    prune(bound);
}

void Run::prune(const ExactBound &bound) {
  if (!incumbent_.isKnown())
    return;
  Consistency next = makeConsistent(*network_, keepBetter(*network_, bound, incumbent_.cost));
  if (next.emptyNode) {
    // The stage proves that no better plan is left.
    stageBound_ = bound.bound();
    potentials_ = messages_->getPotentials(scales_.potential);
    prove(incumbent_.cost, BoundSource::Potentials);
    return;
  }
  int64_t left = 0;
  for (const auto &states : next.keep)
    left += llvm::count(states, true);
  if (left * 10 > network_->getNumStates() * 9)
    return;
  if (options_.keepCertificate)
    solution_.certificate.stages.push_back(
        makeStage(*network_, messages_->getPotentials(scales_.potential), prices_));
  auto network = std::make_unique<Network>(network_->restrict(next.keep));
  auto messages = std::make_unique<Messages>(*network);
  messages->continueFrom(*messages_, next.keep);
  messages_ = std::move(messages);
  network_ = std::move(network);
  stageBound_ = -(Wide(1) << 126);
  estimates_.clear();
  potentials_ = {};
}

bool Run::eliminateRest(int64_t limit) {
  std::vector<uint32_t> sizes;
  std::vector<std::vector<uint32_t>> scopes;
  for (const Node &node : network_->nodes())
    sizes.push_back(static_cast<uint32_t>(node.states.size()));
  for (const Edge &edge : network_->edges())
    scopes.push_back({edge.first, edge.second});
  EliminationSize size = predictElimination(sizes, scopes, limit);
  if (size.largest > limit || size.total > 16 * limit)
    return false;
  std::vector<Factor> factors;
  for (uint32_t i = 0; i < sizes.size(); ++i)
    factors.push_back({{i}, network_->nodes()[i].costs});
  for (const Edge &edge : network_->edges()) {
    Factor factor{{edge.first, edge.second}, {}};
    for (uint32_t a = 0; a < sizes[edge.first]; ++a)
      for (uint32_t b = 0; b < sizes[edge.second]; ++b)
        factor.costs.push_back(network_->table(edge).at(a, b));
    factors.push_back(std::move(factor));
  }
  auto found = eliminateFactors(sizes, std::move(factors), limit, [&] { return mustStop(); });
  if (!found)
    return false;
  if (found->cost == infeasible) {
    prove(incumbent_.cost, BoundSource::Elimination);
    return true;
  }
  std::vector<uint32_t> choice(found->assignment.begin(), found->assignment.end());
  incumbent_.offer(problem_, network_->toAssignment(choice));
  // Rows only make plans more expensive.
  prove(found->cost, BoundSource::Elimination);
  return incumbent_.isKnown() && incumbent_.cost <= solution_.bound;
}

/// Exact methods for what is left, as far as the limits allow.
bool Run::close(int64_t eliminationLimit, int64_t searchNodes) {
  if (eliminateRest(eliminationLimit))
    return true;
  if (potentials_.toFirst.size() != network_->edges().size())
    evaluate();
  if (isDone())
    return true;
  if (potentials_.toFirst.size() != network_->edges().size())
    return false;
  if (!searchTree(
          *network_, scales_, potentials_, prices_, searchNodes, [&] { return mustStop(); },
          incumbent_))
    return false;
  prove(incumbent_.cost, BoundSource::Search);
  return true;
}

bool Run::isStalled() {
  constexpr size_t span = 10;
  if (estimates_.size() <= span)
    return false;
  double now = estimates_.back(), before = estimates_[estimates_.size() - 1 - span];
  double rest = incumbent_.isKnown() ? static_cast<double>(incumbent_.cost) - now : std::abs(now);
  return now - before <= 1e-3 * rest + 1e-9 * std::abs(now);
}

void Run::explain(const Network &network, const Consistency &consistency) {
  Conflict &conflict = solution_.conflict;
  for (uint32_t node : consistency.involved)
    conflict.variables.push_back(network.nodes()[node].variable);
  conflict.rows = consistency.rows;
  for (auto [index, request] : llvm::enumerate(problem_.parts().requests))
    if (llvm::is_contained(conflict.variables, request.variable))
      conflict.requests.push_back(index);
  conflict.message = "there is no plan";
}

void Run::finish() {
  solution_.seconds = seconds();
  solution_.cost = incumbent_.cost;
  solution_.assignment = incumbent_.assignment;
  solution_.statesLeft = network_->getNumStates();
  Certificate &certificate = solution_.certificate;
  certificate.scale = scales_.potential;
  certificate.priceScale = scales_.price;
  if (options_.keepCertificate && potentials_.toFirst.size() == network_->edges().size())
    certificate.stages.push_back(makeStage(*network_, potentials_, prices_));
  if (certificate.stages.empty())
    certificate.stages.push_back(makeStage(*whole_, Messages(*whole_).getPotentials(1),
                                           std::vector<int64_t>(problem_.parts().rows.size(), 0)));
  solution_.certifiedBound = computeBound(*whole_, certificate, incumbent_.cost);
  prove(solution_.certifiedBound, BoundSource::Potentials);
  if (solution_.bound == infeasible && !incumbent_.isKnown())
    solution_.status = SolveStatus::Infeasible;
  else if (!incumbent_.isKnown())
    solution_.status = SolveStatus::Unknown;
  else
    solution_.status = isDone() ? SolveStatus::Optimal : SolveStatus::Feasible;
  solution_.seconds = seconds();
}

Solution Run::run() {
  whole_ = std::make_unique<Network>(problem_);
  solution_.states = whole_->getNumStates();
  prices_.assign(problem_.parts().rows.size(), 0);
  Consistency consistency = makeConsistent(*whole_, keepAll(*whole_));
  if (consistency.emptyNode) {
    explain(*whole_, consistency);
    solution_.status = SolveStatus::Infeasible;
    solution_.bound = solution_.certifiedBound = infeasible;
    solution_.certificate.stages.emplace_back();
    solution_.certificate.stages[0].prices = prices_;
    size_t potentials = 0;
    for (const Edge &edge : whole_->edges())
      potentials += problem_.getNumStates(edge.first) + problem_.getNumStates(edge.second);
    solution_.certificate.stages[0].potentials.assign(potentials, 0);
    return std::move(solution_);
  }
  whole_ = std::make_unique<Network>(whole_->restrict(consistency.keep));
  network_ = std::make_unique<Network>(*whole_);
  messages_ = std::make_unique<Messages>(*network_);
  if (!options_.start.empty() && problem_.check(options_.start).empty())
    incumbent_.offer(problem_, options_.start);
  while (!isDone() && !mustStop() && solution_.iterations < options_.iterations) {
    iterate();
    if (solution_.iterations % 10 == 1 || isStalled() ||
        (incumbent_.isKnown() && static_cast<double>(incumbent_.cost) - estimates_.back() <=
                                     options_.gap * static_cast<double>(incumbent_.cost) + 1)) {
      bool wasStalled = isStalled();
      improve();
      evaluate();
      if (solution_.bound == infeasible)
        break;
      if (!isDone() && wasStalled) {
        close(options_.eliminationLimit, options_.searchNodes);
        break;
      }
    }
    report();
  }
  finish();
  return std::move(solution_);
}

Solution dmc::planner::solve(const LayoutProblem &problem, const SolveOptions &options) {
  return Run(problem, options).run();
}
