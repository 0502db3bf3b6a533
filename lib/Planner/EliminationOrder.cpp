//===- EliminationOrder.cpp - Which variable goes next --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See EliminationOrder.h.
//
//===----------------------------------------------------------------------===//
#include "EliminationOrder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc::planner;

void EliminationOrder::start() {
  for (uint32_t variable = 0; variable < near_.size(); ++variable) {
    auto &near = near_[variable];
    llvm::sort(near);
    near.erase(std::unique(near.begin(), near.end()), near.end());
    measure(variable);
  }
}

/// At most the limit and one.
int64_t EliminationOrder::getTableSizeOf(uint32_t variable, int64_t ownSize) const {
  int64_t size = ownSize;
  for (uint32_t other : near_[variable])
    size = size > limit_ / sizes_[other] ? limit_ + 1 : size * sizes_[other];
  return std::min(size, limit_ + 1);
}

/// Pairs of states of neighbours that are none of each other, at most the limit and one.
int64_t EliminationOrder::getFill(uint32_t variable) const {
  const auto &near = near_[variable];
  int64_t fill = 0;
  for (size_t i = 0; i < near.size() && fill <= limit_; ++i)
    for (size_t j = i + 1; j < near.size(); ++j)
      if (!std::binary_search(near_[near[i]].begin(), near_[near[i]].end(), near[j]))
        fill += static_cast<int64_t>(sizes_[near[i]]) * sizes_[near[j]];
  return std::min(fill, limit_ + 1);
}

void EliminationOrder::measure(uint32_t variable) {
  Place place = {0, getTableSizeOf(variable, sizes_[variable])};
  if (rule_ == OrderRule::SmallestResult)
    place.first = getTableSizeOf(variable, 1);
  else if (rule_ == OrderRule::LeastFill)
    place.first = getFill(variable);
  if (place == places_[variable])
    return;
  places_[variable] = place;
  queue_.push({place, variable});
}

std::optional<uint32_t> EliminationOrder::next() {
  while (!queue_.empty()) {
    auto [place, variable] = queue_.top();
    if (!isGone_[variable] && place == places_[variable])
      return variable;
    queue_.pop();
  }
  return std::nullopt;
}

void EliminationOrder::remove(uint32_t variable) {
  isGone_[variable] = true;
  auto around = std::move(near_[variable]);
  llvm::SmallVector<uint32_t, 16> merged;
  for (uint32_t other : around) {
    merged.clear();
    std::set_union(near_[other].begin(), near_[other].end(), around.begin(), around.end(),
                   std::back_inserter(merged));
    llvm::erase_if(merged, [&](uint32_t v) { return v == other || v == variable; });
    near_[other].assign(merged.begin(), merged.end());
    measure(other);
  }
}
