//===- Elimination.cpp - Exact optimum by variable elimination ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables go one after the other, the one with the smallest table first: all tables that name it
// are added, and its best state for each choice of the others is kept for reading the plan back.
//
//===----------------------------------------------------------------------===//
#include "EliminationOrder.h"
#include "Factors.h"

#include "dmc/Planner/Elimination.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace dmc::planner;

namespace {
/// An eliminated variable and its best state for each choice of the others.
struct Step {
  uint32_t variable = 0;
  std::vector<uint32_t> scope, best;
};

class Eliminator {
public:
  Eliminator(llvm::ArrayRef<uint32_t> sizes, std::vector<Factor> factors, int64_t limit,
             const std::function<bool()> &isInterrupted);
  std::optional<Optimum> run();

private:
  void addFactor(Factor factor);
  void eliminate(uint32_t variable);

  llvm::ArrayRef<uint32_t> sizes_;
  int64_t limit_;
  const std::function<bool()> &isInterrupted_;
  EliminationOrder order_;
  std::vector<Factor> factors_;
  /// By variable: the factors that name it; those that are joined already have no costs.
  std::vector<llvm::SmallVector<uint32_t, 8>> uses_;
  std::vector<Step> steps_;
  int64_t constant_ = 0;
  /// The table of the variable that goes.
  std::vector<int64_t> sum_;
};

/// Feasible costs add up to at most `sumLimit`.
struct Add {
  int64_t operator()(int64_t a, int64_t b) const {
    return a == infeasible || b == infeasible ? infeasible : a + b;
  }
};
} // namespace

Eliminator::Eliminator(llvm::ArrayRef<uint32_t> sizes, std::vector<Factor> factors, int64_t limit,
                       const std::function<bool()> &isInterrupted)
    : sizes_(sizes), limit_(limit), isInterrupted_(isInterrupted), order_(sizes, limit),
      uses_(sizes.size()) {
  for (Factor &factor : factors) {
    order_.addScope(factor.scope);
    addFactor(std::move(factor));
  }
  order_.start();
}

void Eliminator::addFactor(Factor factor) {
  for (uint32_t v : factor.scope)
    uses_[v].push_back(static_cast<uint32_t>(factors_.size()));
  factors_.push_back(std::move(factor));
}

void Eliminator::eliminate(uint32_t variable) {
  llvm::ArrayRef<uint32_t> near = order_.getNeighbours(variable);
  Step step{variable, {near.begin(), near.end()}, {}};
  std::vector<uint32_t> scope = step.scope;
  scope.push_back(variable);
  size_t size = 1;
  for (uint32_t v : scope)
    size *= sizes_[v];
  sum_.assign(size, 0);
  for (uint32_t use : uses_[variable]) {
    if (factors_[use].costs.empty())
      continue;
    joinFactor(sizes_, scope, factors_[use], sum_, Add());
    factors_[use] = Factor();
  }
  uses_[variable].clear();
  const uint32_t states = sizes_[variable];
  Factor rest{step.scope, {}};
  rest.costs.reserve(size / states);
  step.best.reserve(size / states);
  for (auto at = sum_.begin(); at != sum_.end(); at += states) {
    auto best = std::min_element(at, at + states);
    rest.costs.push_back(*best);
    step.best.push_back(static_cast<uint32_t>(best - at));
  }
  order_.remove(variable);
  if (rest.scope.empty())
    constant_ = Add()(constant_, rest.costs[0]);
  else
    addFactor(std::move(rest));
  steps_.push_back(std::move(step));
}

std::optional<Optimum> Eliminator::run() {
  while (std::optional<uint32_t> variable = order_.next()) {
    if (order_.getTableSize(*variable) > limit_ || (isInterrupted_ && isInterrupted_()))
      return std::nullopt;
    eliminate(*variable);
  }
  if (constant_ == infeasible)
    return Optimum();
  Optimum optimum{constant_, Assignment(static_cast<uint32_t>(sizes_.size()), 0)};
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    size_t at = 0;
    for (uint32_t v : step->scope)
      at = at * sizes_[v] + optimum.assignment[v];
    optimum.assignment[step->variable] = step->best[at];
  }
  return optimum;
}

std::optional<Optimum> dmc::planner::eliminateFactors(llvm::ArrayRef<uint32_t> sizes,
                                                      std::vector<Factor> factors, int64_t limit,
                                                      const std::function<bool()> &isInterrupted) {
  return Eliminator(sizes, std::move(factors), limit, isInterrupted).run();
}

int64_t dmc::planner::predictElimination(llvm::ArrayRef<uint32_t> sizes,
                                         llvm::ArrayRef<std::array<uint32_t, 2>> pairs,
                                         int64_t limit) {
  EliminationOrder order(sizes, limit);
  for (const auto &pair : pairs)
    order.addScope(pair);
  order.start();
  int64_t total = 0;
  while (std::optional<uint32_t> variable = order.next()) {
    total += order.getTableSize(*variable);
    if (total > limit)
      return limit + 1;
    order.remove(*variable);
  }
  return total;
}

std::optional<Optimum> dmc::planner::eliminate(const LayoutProblem &problem, int64_t limit) {
  if (!problem.parts().rows.empty())
    return std::nullopt;
  std::vector<uint32_t> sizes;
  std::vector<Factor> factors;
  for (uint32_t v = 0; v < problem.getNumVariables(); ++v) {
    sizes.push_back(problem.getNumStates(v));
    Factor factor{{v}, {}};
    for (uint32_t s = 0; s < sizes[v]; ++s)
      factor.costs.push_back(problem.getCost(v, s));
    factors.push_back(std::move(factor));
  }
  for (size_t p = 0; p < problem.parts().pairs.size(); ++p) {
    const Pair &pair = problem.parts().pairs[p];
    Factor factor{{pair.first, pair.second}, {}};
    for (uint32_t a = 0; a < sizes[pair.first]; ++a)
      for (uint32_t b = 0; b < sizes[pair.second]; ++b)
        factor.costs.push_back(problem.getPairCost(p, a, b));
    factors.push_back(std::move(factor));
  }
  return eliminateFactors(sizes, std::move(factors), limit);
}
