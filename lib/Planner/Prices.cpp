//===- Prices.cpp - Prices of memory --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Prices.h.
//
//===----------------------------------------------------------------------===//
#include "Prices.h"

#include "dmc/Solver/Solver.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace dmc;
using namespace dmc::planner;

PriceSearch::PriceSearch(const LayoutProblem &problem, const Scales &scales)
    : problem_(problem), scales_(scales), prices_(problem.parts().rows.size(), 0) {}

void PriceSearch::addPlan(double cost, const std::vector<int64_t> &bytes) {
  Cut cut{cost, {}};
  for (uint32_t row = 0; row < bytes.size(); ++row) {
    int64_t capacity = problem_.parts().rows[row].capacity;
    cut.excess.push_back(static_cast<double>(bytes[row] - capacity) /
                         static_cast<double>(std::max<int64_t>(capacity, 1)));
    // More rows would make the prices' own problem the slow part.
    if (bytes[row] > capacity && active_.size() < 48 && !llvm::is_contained(active_, row)) {
      active_.push_back(row);
      best_.push_back(0);
      current_.push_back(0);
    }
  }
  unit_ = std::max(unit_, cost);
  if (cuts_.size() == 96)
    cuts_.erase(cuts_.begin());
  cuts_.push_back(std::move(cut));
}

bool PriceSearch::addBound(double bound) {
  if (bound <= bestBound_)
    return false;
  bestBound_ = bound;
  best_ = current_;
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

std::vector<double> PriceSearch::getPrices() const {
  std::vector<double> prices;
  prices.reserve(prices_.size());
  for (int64_t price : prices_)
    prices.push_back(static_cast<double>(price) / static_cast<double>(scales_.price));
  return prices;
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

/// The weights at which the cuts allow the highest bound, in units, and that bound.
std::optional<std::vector<double>> PriceSearch::solveMaster(double &promised) {
  solver::LinearProblem master;
  for (size_t i = 0; i < active_.size(); ++i)
    master.addColumn({1e-9, 0, box_, false});
  int32_t bound = master.addColumn({-1, -solver::infinity, solver::infinity, false});
  for (const Cut &cut : cuts_) {
    solver::Row row;
    row.upper = cut.cost / unit_;
    row.entries.push_back({bound, 1});
    for (size_t i = 0; i < active_.size(); ++i)
      if (cut.excess[active_[i]] != 0)
        row.entries.push_back({static_cast<int32_t>(i), -cut.excess[active_[i]]});
    master.addRow(std::move(row));
  }
  std::string error;
  auto result = solver::makeSolver("own", error)->solve(master, {}, error);
  if (!result || result->status != solver::Status::Optimal)
    return std::nullopt;
  promised = result->values[bound] * unit_;
  result->values.pop_back();
  return result->values;
}

bool PriceSearch::step(double least) {
  if (active_.empty() || unit_ <= 0)
    return false;
  double promised = 0;
  auto weights = solveMaster(promised);
  if (!weights)
    return false;
  // At the edge of the box the cuts say nothing of what is beyond.
  bool isAtEdge = llvm::any_of(*weights, [&](double weight) { return weight >= box_ * 0.999; });
  if (isAtEdge && box_ < 1e12)
    box_ *= 4;
  else if (promised - bestBound_ <= least)
    return false;
  std::vector<double> next;
  for (size_t i = 0; i < active_.size(); ++i) {
    double target = (*weights)[i] * unit_;
    // Half of the way keeps one bad cut from throwing prices far off.
    next.push_back(isAtEdge ? target : best_[i] + 0.6 * (target - best_[i]));
  }
  if (next == current_)
    return false;
  setPrices(next);
  return true;
}
