//===- OtherPrices.cpp - Partial plans at other prices --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OtherPrices.h.
//
//===----------------------------------------------------------------------===//
#include "OtherPrices.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc::planner;

/// Effort limit: what choices cost ahead is kept for so many in all, which takes 256 MiB. Fewer
/// prices leave more labels.
static constexpr int64_t maxBounds = int64_t(1) << 25;

static int64_t countChoices(const ChoiceElimination &choices) {
  int64_t count = 0;
  for (const EliminatedNode &node : choices.nodes)
    for (const ChoiceJoin &join : node.joins)
      count += static_cast<int64_t>(join.from.size());
  return count;
}

/// Each row free, or dearer; all rows cheaper or dearer by half; and what one row costs on top of
/// another one: partial plans that use much of one row mostly use little of another one.
std::vector<std::vector<Wide>> OtherPrices::choosePrices(llvm::ArrayRef<int64_t> prices) const {
  std::vector<Wide> own;
  Wide all = 0;
  for (int64_t price : prices) {
    own.push_back(static_cast<Wide>(price) * scales_.potential);
    all += own.back();
  }
  std::vector<std::vector<Wide>> others;
  auto add = [&](std::vector<Wide> of) {
    if (of != own && !llvm::is_contained(others, of))
      others.push_back(std::move(of));
  };
  auto scale = [&](Wide by) {
    std::vector<Wide> scaled;
    scaled.reserve(own.size());
    for (Wide price : own)
      scaled.push_back(price * by / 2);
    add(std::move(scaled));
  };
  scale(1);
  scale(3);
  for (size_t row = 0; row < own.size(); ++row) {
    std::vector<Wide> changed = own;
    changed[row] = 0;
    add(changed);
    changed[row] = own[row] != 0 ? 2 * own[row] : all;
    add(changed);
    for (size_t other = 0; other < own.size(); ++other) {
      if (other == row || own[other] == 0)
        continue;
      changed = own;
      changed[row] += own[other];
      changed[other] = 0;
      add(changed);
    }
  }
  return others;
}

/// By node and state: with prices, rounded down.
std::vector<std::vector<int64_t>> OtherPrices::getCosts(const LabelCosts &costs,
                                                        llvm::ArrayRef<Wide> prices) const {
  std::vector<std::vector<int64_t>> withPrices(costs.ofNodes.begin(), costs.ofNodes.end());
  for (auto [node, ofNode] : llvm::enumerate(withPrices))
    for (auto [state, cost] : llvm::enumerate(ofNode)) {
      Wide priced = 0;
      for (size_t row = 0; row < prices.size(); ++row)
        priced += prices[row] * costs.bytes[node][state * prices.size() + row];
      priced = std::min(priced, Wide(largestExcess) * scales_.price);
      cost = addExcess(cost, divideDown(priced, scales_.price));
    }
  return withPrices;
}

bool OtherPrices::start(const ChoiceElimination &choices, const LabelCosts &costs, Wide limit,
                        ChoiceBounds &bounds, int64_t &steps) {
  const int64_t count = countChoices(choices);
  for (std::vector<Wide> &others : choosePrices(costs.prices)) {
    if (static_cast<int64_t>(views_.size() + 1) * count > maxBounds)
      break;
    View view{std::move(others), limit, {}};
    for (auto [price, room] : llvm::zip_equal(view.prices, costs.room))
      view.limit += price * room;
    const int64_t budget = divideDown(view.limit + scales_.price - 1, scales_.price);
    steps -= count;
    view.bounds = findBounds(choices, getCosts(costs, view.prices), costs.ofPairs, budget, &bounds);
    if (view.bounds.least >= budget)
      return false;
    removeInfeasible(bounds, view.bounds);
    views_.push_back(std::move(view));
  }
  return true;
}

llvm::MutableArrayRef<LabelLimit> OtherPrices::getLimits(size_t node, size_t join, size_t choice) {
  limits_.clear();
  for (const View &view : views_)
    limits_.push_back({view.prices, view.limit - static_cast<Wide>(scales_.price) *
                                                     view.bounds.nodes[node].joins[join][choice]});
  return limits_;
}
