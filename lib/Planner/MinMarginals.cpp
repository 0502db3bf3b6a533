//===- MinMarginals.cpp - The least of a sum by state ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MinMarginals.h.
//
//===----------------------------------------------------------------------===//
#include "MinMarginals.h"
#include "EliminationOrder.h"
#include "Factors.h"

#include <algorithm>
#include <limits>

using namespace dmc::planner;

static constexpr double infinity = std::numeric_limits<double>::infinity();

std::optional<MinMarginals> MinMarginals::create(std::vector<uint32_t> sizes,
                                                 std::vector<std::vector<uint32_t>> scopes,
                                                 int64_t limit) {
  MinMarginals result;
  result.sizes_ = std::move(sizes);
  result.scopes_ = std::move(scopes);
  EliminationOrder order(result.sizes_, limit);
  for (const std::vector<uint32_t> &scope : result.scopes_)
    order.addScope(scope);
  order.start();
  std::vector<bool> isTableJoined(result.scopes_.size(), false), isStepJoined;
  auto joinThoseOf = [](uint32_t variable, auto getScope, std::vector<bool> &isJoined,
                        std::vector<size_t> &joined) {
    for (size_t i = 0; i < isJoined.size(); ++i)
      if (!isJoined[i] && llvm::is_contained(getScope(i), variable)) {
        isJoined[i] = true;
        joined.push_back(i);
      }
  };
  while (std::optional<uint32_t> variable = order.next()) {
    llvm::ArrayRef<uint32_t> near = order.getNeighbours(*variable);
    Step step{*variable, {near.begin(), near.end()}, {}, {}};
    step.scope.push_back(*variable);
    result.entries_ += order.getTableSize(*variable);
    if (result.entries_ > limit)
      return std::nullopt;
    for (uint32_t named : step.scope)
      step.entries *= result.sizes_[named];
    joinThoseOf(
        *variable, [&](size_t i) { return llvm::ArrayRef(result.scopes_[i]); }, isTableJoined,
        step.tables);
    joinThoseOf(
        *variable, [&](size_t i) { return result.steps_[i].neighbours(); }, isStepJoined,
        step.steps);
    order.remove(*variable);
    result.steps_.push_back(std::move(step));
    isStepJoined.push_back(false);
  }
  return result;
}

/// Forward, each step's table is what it joins; its least by choice of the neighbours goes to a
/// later step. Back, it gets what all the rest is at least with such a choice.
double MinMarginals::compute(llvm::ArrayRef<Table> tables, std::vector<Table> &marginals) const {
  std::vector<Table> sums(steps_.size()), sent(steps_.size());
  auto add = [](double from, double &to) { to += from; };
  double least = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step &step = steps_[i];
    sums[i].assign(step.entries, 0);
    llvm::MutableArrayRef<double> sum = sums[i];
    for (size_t table : step.tables)
      visitEntries(sizes_, step.scope, scopes_[table], tables[table].data(), sum, add);
    for (size_t joined : step.steps)
      visitEntries(sizes_, step.scope, steps_[joined].neighbours(), sent[joined].data(), sum, add);
    const size_t count = sizes_[step.variable];
    for (auto at = sum.begin(); at != sum.end(); at += count)
      sent[i].push_back(*std::min_element(at, at + count));
    if (step.neighbours().empty())
      least += sent[i].front();
  }
  marginals.assign(sizes_.size(), {});
  for (size_t i = steps_.size(); i-- > 0;) {
    const Step &step = steps_[i];
    llvm::MutableArrayRef<double> sum = sums[i];
    // Of other parts, of which none has to do with this one.
    if (step.neighbours().empty())
      for (double &entry : sum)
        entry += least - sent[i].front();
    const size_t count = sizes_[step.variable];
    Table &marginal = marginals[step.variable];
    marginal.assign(count, infinity);
    for (auto at = sum.begin(); at != sum.end(); at += count)
      for (size_t s = 0; s < count; ++s)
        marginal[s] = std::min(marginal[s], at[s]);
    for (size_t joined : step.steps) {
      const Step &below = steps_[joined];
      Table all(sent[joined].size(), infinity);
      visitEntries(sizes_, step.scope, below.neighbours(), all.data(), sum,
                   [](double &to, double from) { to = std::min(to, from); });
      const size_t width = sizes_[below.variable];
      for (size_t choice = 0; choice < all.size(); ++choice) {
        // What no choice below can have is infinite there already.
        double rest = sent[joined][choice] == infinity ? 0 : all[choice] - sent[joined][choice];
        for (size_t s = 0; s < width; ++s)
          sums[joined][choice * width + s] += rest;
      }
    }
  }
  return least;
}
