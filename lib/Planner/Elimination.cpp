//===- Elimination.cpp - Exact optimum by variable elimination ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables go one after the other, the one with the smallest table first: all tables that name it
// are added, and its best state for each choice of the others is kept for reading the plan back.
//
//===----------------------------------------------------------------------===//
#include "Factors.h"

#include "dmc/Planner/Elimination.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

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
  std::vector<uint32_t> getNeighbours(uint32_t variable) const;
  int64_t getTableSize(uint32_t variable) const;
  void eliminate(uint32_t variable);
  Factor join(const std::vector<uint32_t> &scope, const std::vector<Factor> &factors) const;

  llvm::ArrayRef<uint32_t> sizes_;
  int64_t limit_;
  const std::function<bool()> &isInterrupted_;
  std::vector<Factor> factors_;
  /// By variable: the factors that name it.
  std::vector<std::set<size_t>> uses_;
  std::vector<Step> steps_;
  int64_t constant_ = 0;
};

/// Feasible costs add up to at most `sumLimit`.
int64_t add(int64_t a, int64_t b) {
  return a == infeasible || b == infeasible ? infeasible : a + b;
}
} // namespace

Eliminator::Eliminator(llvm::ArrayRef<uint32_t> sizes, std::vector<Factor> factors, int64_t limit,
                       const std::function<bool()> &isInterrupted)
    : sizes_(sizes), limit_(limit), isInterrupted_(isInterrupted), uses_(sizes.size()) {
  for (Factor &factor : factors)
    addFactor(std::move(factor));
}

void Eliminator::addFactor(Factor factor) {
  for (uint32_t v : factor.scope)
    uses_[v].insert(factors_.size());
  factors_.push_back(std::move(factor));
}

std::vector<uint32_t> Eliminator::getNeighbours(uint32_t variable) const {
  std::set<uint32_t> found;
  for (size_t use : uses_[variable])
    found.insert(factors_[use].scope.begin(), factors_[use].scope.end());
  found.erase(variable);
  return {found.begin(), found.end()};
}

/// At most the limit and one.
int64_t Eliminator::getTableSize(uint32_t variable) const {
  int64_t size = sizes_[variable];
  for (uint32_t v : getNeighbours(variable))
    size = size > limit_ / sizes_[v] ? limit_ + 1 : size * sizes_[v];
  return std::min(size, limit_ + 1);
}

Factor Eliminator::join(const std::vector<uint32_t> &scope,
                        const std::vector<Factor> &factors) const {
  size_t size = 1;
  for (uint32_t v : scope)
    size *= sizes_[v];
  Factor sum{scope, std::vector<int64_t>(size, 0)};
  for (const Factor &factor : factors) {
    std::vector<size_t> strides(scope.size(), 0);
    size_t stride = 1;
    for (size_t i = factor.scope.size(); i-- > 0;) {
      strides[llvm::find(scope, factor.scope[i]) - scope.begin()] = stride;
      stride *= sizes_[factor.scope[i]];
    }
    std::vector<uint32_t> states(scope.size(), 0);
    size_t at = 0;
    for (int64_t &cost : sum.costs) {
      cost = add(cost, factor.costs[at]);
      for (size_t i = scope.size(); i-- > 0;) {
        at += strides[i];
        if (++states[i] < sizes_[scope[i]])
          break;
        at -= strides[i] * states[i];
        states[i] = 0;
      }
    }
  }
  return sum;
}

void Eliminator::eliminate(uint32_t variable) {
  Step step{variable, getNeighbours(variable), {}};
  std::vector<Factor> joined;
  for (size_t use : std::set<size_t>(uses_[variable])) {
    for (uint32_t v : factors_[use].scope)
      uses_[v].erase(use);
    joined.push_back(std::move(factors_[use]));
  }
  std::vector<uint32_t> scope = step.scope;
  scope.push_back(variable);
  Factor sum = join(scope, joined), rest{step.scope, {}};
  uint32_t states = sizes_[variable];
  for (auto at = sum.costs.begin(); at != sum.costs.end(); at += states) {
    auto best = std::min_element(at, at + states);
    rest.costs.push_back(*best);
    step.best.push_back(static_cast<uint32_t>(best - at));
  }
  if (rest.scope.empty())
    constant_ = add(constant_, rest.costs[0]);
  else
    addFactor(std::move(rest));
  steps_.push_back(std::move(step));
}

std::optional<Optimum> Eliminator::run() {
  std::set<std::pair<int64_t, uint32_t>> queue;
  std::vector<int64_t> sizes;
  for (uint32_t v = 0; v < static_cast<uint32_t>(sizes_.size()); ++v) {
    sizes.push_back(getTableSize(v));
    queue.insert({sizes[v], v});
  }
  while (!queue.empty()) {
    auto [size, variable] = *queue.begin();
    if (size > limit_ || (isInterrupted_ && isInterrupted_()))
      return std::nullopt;
    queue.erase(queue.begin());
    eliminate(variable);
    for (uint32_t v : steps_.back().scope) {
      queue.erase({sizes[v], v});
      sizes[v] = getTableSize(v);
      queue.insert({sizes[v], v});
    }
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
                                         llvm::ArrayRef<std::vector<uint32_t>> scopes,
                                         int64_t limit) {
  auto count = static_cast<uint32_t>(sizes.size());
  std::vector<std::set<uint32_t>> near(count);
  for (const auto &scope : scopes)
    for (uint32_t v : scope)
      near[v].insert(scope.begin(), scope.end());
  auto getSize = [&](uint32_t variable) {
    int64_t size = sizes[variable];
    for (uint32_t v : near[variable])
      if (v != variable)
        size = size > limit / sizes[v] ? limit + 1 : size * sizes[v];
    return std::min(size, limit + 1);
  };
  std::set<std::pair<int64_t, uint32_t>> queue;
  std::vector<int64_t> size;
  for (uint32_t v = 0; v < count; ++v) {
    near[v].erase(v);
    size.push_back(getSize(v));
    queue.insert({size[v], v});
  }
  int64_t total = 0;
  while (!queue.empty()) {
    auto [entries, variable] = *queue.begin();
    queue.erase(queue.begin());
    total += entries;
    if (total > limit)
      return limit + 1;
    for (uint32_t v : near[variable]) {
      near[v].insert(near[variable].begin(), near[variable].end());
      near[v].erase(v);
      near[v].erase(variable);
    }
    for (uint32_t v : near[variable]) {
      queue.erase({size[v], v});
      size[v] = getSize(v);
      queue.insert({size[v], v});
    }
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
