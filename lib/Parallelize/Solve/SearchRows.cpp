//===- SearchRows.cpp - The rows of memory of a search --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SearchRows.h.
//
//===----------------------------------------------------------------------===//
#include "SearchRows.h"

using namespace dmc;

std::vector<planner::Row> SearchRows::getWithin(double share,
                                                const planner::Assignment &known) const {
  std::vector<planner::Row> within = rows;
  for (auto [row, made] : llvm::zip_equal(within, capacities)) {
    auto bytes = static_cast<double>(made);
    if (share <= 1) {
      bytes *= share;
    } else {
      int64_t room = std::max(row.capacity, row.getBytes(known)) - made;
      bytes += (share - 1) * static_cast<double>(room);
    }
    row.capacity = static_cast<int64_t>(bytes);
  }
  return within;
}

std::vector<planner::Row> SearchRows::getBeyond(double factor) const {
  std::vector<planner::Row> beyond = rows;
  for (auto [row, made, maker] : llvm::zip_equal(beyond, capacities, makers)) {
    const auto most = static_cast<int64_t>(factor * static_cast<double>(made));
    row.capacity = std::max(row.capacity, std::min(most, made + (row.getBytes(maker) - made) / 2));
  }
  return beyond;
}

void SearchRows::add(std::vector<MemoryRow> made, const planner::Assignment &maker) {
  size_t before = rows.size();
  for (MemoryRow &row : made) {
    rows.push_back(std::move(row.row));
    rows.back().name = "point" + std::to_string(rows.size());
    capacities.push_back(rows.back().capacity);
    makers.push_back(maker);
    origins.push_back(std::move(row.origin));
  }
  for (const planner::Assignment &plan : fitting)
    allow(plan, before);
}

void SearchRows::allow(const planner::Assignment &plan) {
  fitting.push_back(plan);
  allow(plan, 0);
}

void SearchRows::allow(const planner::Assignment &plan, size_t firstRow) {
  for (planner::Row &row : llvm::MutableArrayRef<planner::Row>(rows).drop_front(firstRow)) {
    int64_t bytes = row.getBytes(plan);
    if (bytes <= row.capacity)
      continue;
    row.capacity = bytes;
    ++numRaised;
  }
}
