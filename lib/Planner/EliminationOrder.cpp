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
void EliminationOrder::measure(uint32_t variable) {
  int64_t size = sizes_[variable];
  for (uint32_t other : near_[variable])
    size = size > limit_ / sizes_[other] ? limit_ + 1 : size * sizes_[other];
  size = std::min(size, limit_ + 1);
  if (size == tableSizes_[variable])
    return;
  tableSizes_[variable] = size;
  queue_.push({size, variable});
}

std::optional<uint32_t> EliminationOrder::next() {
  while (!queue_.empty()) {
    auto [size, variable] = queue_.top();
    if (!isGone_[variable] && size == tableSizes_[variable])
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
