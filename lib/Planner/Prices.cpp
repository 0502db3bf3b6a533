//===- Prices.cpp - Prices of memory --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Prices.h.
//
//===----------------------------------------------------------------------===//
#include "Prices.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace dmc::planner;

/// Effort limit: rows that have prices.
static constexpr size_t maxActive = 256;
/// Effort limits: the search ends once steps are this share of the way to the target, or bytes are
/// this near the capacities on average.
static constexpr double leastPace = 1e-4, leastExcess = 1e-4;

/// How steps change, which costs effort alone: they get longer where the last one went the right
/// way, and shorter after so many that did not; they begin with half of the way to the target, or
/// this share of the bound if that is nearer, as there. A new plan has between these shares in the
/// average.
static constexpr double firstPace = 0.5, longer = 1.5, shorter = 0.6, mostOfBound = 0.05,
                        leastShare = 0.01, mostShare = 0.1;
static constexpr int maxFailures = 5;

PriceSearch::PriceSearch(const LayoutProblem &problem, const Scales &scales)
    : problem_(problem), scales_(scales), prices_(problem.parts().rows.size(), 0),
      excess_(problem.parts().rows.size(), 0), average_(problem.parts().rows.size(), 0),
      pace_(firstPace) {}

void PriceSearch::activate(uint32_t row) {
  if (active_.size() == maxActive || llvm::is_contained(active_, row))
    return;
  active_.push_back(row);
  best_.push_back(0);
  current_.push_back(0);
}

void PriceSearch::start(const std::vector<double> &prices) {
  // The other problem may have more rows.
  for (uint32_t row = 0; row < std::min(prices.size(), prices_.size()); ++row)
    if (prices[row] > 0)
      activate(row);
  for (size_t i = 0; i < active_.size(); ++i)
    best_[i] = active_[i] < prices.size()
                   ? prices[active_[i]] * static_cast<double>(std::max<int64_t>(
                                              problem_.parts().rows[active_[i]].capacity, 1))
                   : 0;
  setPrices(best_);
}

void PriceSearch::addPlan(double cost, const std::vector<int64_t> &bytes) {
  cost_ = cost;
  for (uint32_t row = 0; row < bytes.size(); ++row) {
    int64_t capacity = problem_.parts().rows[row].capacity;
    excess_[row] = static_cast<double>(bytes[row] - capacity) /
                   static_cast<double>(std::max<int64_t>(capacity, 1));
    if (bytes[row] > capacity)
      activate(row);
  }
}

bool PriceSearch::addBound(double bound) {
  if (!hasAverage_) {
    average_ = excess_;
    averageCost_ = cost_;
    hasAverage_ = true;
  }
  bool isBetter = !hasBound_ || bound > bestBound_;
  if (hasBound_) {
    // A step may be longer if the plan there still exceeds what it was taken for.
    double agreement = 0;
    for (uint32_t row : active_)
      agreement += average_[row] * excess_[row];
    if (isBetter && agreement > 0) {
      pace_ *= longer;
    } else if (!isBetter && ++failures_ == maxFailures) {
      pace_ *= shorter;
      failures_ = 0;
    }
    if (isBetter)
      failures_ = 0;
  }
  // The share of the last plan that brings the average nearest to the capacities.
  double along = 0, length = 0;
  for (uint32_t row : active_) {
    double change = excess_[row] - average_[row];
    along -= average_[row] * change;
    length += change * change;
  }
  double share = length > 0 ? std::clamp(along / length, leastShare, mostShare) : 0;
  for (size_t row = 0; row < average_.size(); ++row)
    average_[row] += share * (excess_[row] - average_[row]);
  averageCost_ += share * (cost_ - averageCost_);
  if (!isBetter)
    return false;
  hasBound_ = true;
  bestBound_ = bound;
  best_ = current_;
  bestExcess_ = excess_;
  bestCost_ = cost_;
  return true;
}

bool PriceSearch::keepRows(const std::vector<uint32_t> &rows) {
  bool isChanged = false;
  for (size_t i = active_.size(); i-- > 0;) {
    if (std::binary_search(rows.begin(), rows.end(), active_[i]))
      continue;
    isChanged |= prices_[active_[i]] != 0;
    prices_[active_[i]] = 0;
    active_.erase(active_.begin() + i);
    best_.erase(best_.begin() + i);
    current_.erase(current_.begin() + i);
  }
  return isChanged;
}

void PriceSearch::setPrices(const std::vector<double> &weights) {
  current_ = weights;
  for (auto [index, row] : llvm::enumerate(active_)) {
    const Row &of = problem_.parts().rows[row];
    double most = static_cast<double>(of.capacity) + 1;
    for (const MemoryUse &use : of.uses)
      most += static_cast<double>(use.bytes);
    // What the checker accepts, and what its sums hold.
    double largest = std::min(0x1p62, 0x1p110 / static_cast<double>(scales_.potential) / most);
    double price = weights[index] / static_cast<double>(std::max<int64_t>(of.capacity, 1)) *
                   static_cast<double>(scales_.price);
    prices_[row] = static_cast<int64_t>(std::clamp(std::round(price), 0.0, largest));
  }
}

bool PriceSearch::step(double target, double least) {
  if (active_.empty())
    return false;
  double length = 0, most = 0;
  auto measure = [&] {
    length = most = 0;
    for (size_t index = 0; index < active_.size(); ++index) {
      double excess = average_[active_[index]];
      // A price cannot fall below 0.
      if (best_[index] == 0 && excess < 0)
        continue;
      length += excess * excess;
      most = std::max(most, excess);
    }
  };
  measure();
  // An average of plans within the capacities says how high bounds can be.
  if (most <= leastExcess && averageCost_ - bestBound_ <= least)
    return false;
  const double way = std::min(target - bestBound_, mostOfBound * std::abs(bestBound_));
  std::vector<double> next = current_;
  for (; pace_ >= leastPace; pace_ *= shorter) {
    if (length > 0) {
      double size = pace_ * std::max(way, least) / length;
      for (size_t index = 0; index < active_.size(); ++index)
        next[index] = std::max(0.0, best_[index] + size * average_[active_[index]]);
      if (next != current_)
        break;
    }
    // The average does not say where to go, or to the same prices, as all are 0: steps were too
    // long.
    average_ = bestExcess_;
    averageCost_ = bestCost_;
    measure();
  }
  if (next == current_)
    return false;
  setPrices(next);
  return true;
}
