//===- CheckPrices.cpp - Plans at several prices, recomputed --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code.
//
//===----------------------------------------------------------------------===//
#include "CheckPrices.h"

#include <algorithm>
#include <set>

using namespace dmc::planner;

using Wide = __int128;

/// Effort limit: what choices cost ahead is kept for so many of them in all, which takes 512 MiB.
/// Fewer prices leave more plans.
static constexpr size_t mostKept = size_t(1) << 25;

/// All prices halved, or half as much more; a row free, or dearer by as much as it is, or by all
/// prices if it is free, or by what another one costs, which is free then.
static std::set<std::vector<Wide>> getPricesAround(const std::vector<Wide> &prices) {
  std::set<std::vector<Wide>> around;
  std::vector<Wide> less = prices, more = prices;
  Wide sum = 0;
  for (size_t row = 0; row < prices.size(); ++row) {
    less[row] = prices[row] / 2;
    more[row] += prices[row] / 2;
    sum += prices[row];
  }
  around.insert(less);
  around.insert(more);
  for (size_t row = 0; row < prices.size(); ++row) {
    std::vector<Wide> other = prices;
    other[row] = 0;
    around.insert(other);
    other[row] = prices[row] == 0 ? sum : 2 * prices[row];
    around.insert(other);
    for (size_t from = 0; from < prices.size(); ++from) {
      other = prices;
      other[row] += other[from];
      other[from] = 0;
      if (from != row)
        around.insert(other);
    }
  }
  around.erase(prices);
  return around;
}

static size_t countChoices(const CheckedChoices &choices) {
  size_t count = 0;
  for (const CheckedVariable &variable : choices.variables)
    for (const CheckedJoin &join : variable.joins)
      count += join.from.size();
  return count;
}

/// Where a choice has no plan in `other`, it has none.
static void removeWithoutPlan(CheckedAhead &ahead, const CheckedAhead &other) {
  for (size_t variable = 0; variable < ahead.size(); ++variable)
    for (size_t join = 0; join < ahead[variable].size(); ++join)
      for (size_t choice = 0; choice < ahead[variable][join].size(); ++choice)
        if (other[variable][join][choice] == noChoice)
          ahead[variable][join][choice] = noChoice;
}

std::optional<std::vector<PricedView>> dmc::planner::makeViews(const CheckedRows &rows,
                                                               const CheckedChoices &choices,
                                                               const CheckedBytes &bytes,
                                                               CheckedAhead &ahead) {
  std::vector<PricedView> views;
  const size_t count = countChoices(choices);
  for (const std::vector<Wide> &prices : getPricesAround(rows.prices)) {
    if ((views.size() + 1) * count > mostKept)
      break;
    PricedView view{prices, rows.costLimit, {}};
    std::vector<CheckedCosts> costs = rows.costs;
    for (size_t row = 0; row < prices.size(); ++row) {
      view.limit += prices[row] * bytes.room[row];
      for (size_t v = 0; v < rows.sizes.size(); ++v)
        for (uint32_t state = 0; state < rows.sizes[v]; ++state)
          costs[v].costs[state] += prices[row] * bytes.ofStates[v][state][row];
    }
    auto found = findAhead(choices, costs, view.limit, &ahead);
    if (!found)
      return std::nullopt;
    view.ahead = std::move(*found);
    removeWithoutPlan(ahead, view.ahead);
    views.push_back(std::move(view));
  }
  return views;
}
