//===- RowPrices.cpp - Prices of memory in place of its rows --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RowPrices.h.
//
//===----------------------------------------------------------------------===//
#include "RowPrices.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc;

static double getCapacity(const planner::Row &row) {
  return static_cast<double>(std::max<int64_t>(row.capacity, 1));
}

void RowPrices::change(llvm::ArrayRef<planner::Row> rows, const planner::Assignment &plan) {
  std::vector<double> excess;
  excess.reserve(rows.size());
  for (const planner::Row &row : rows)
    excess.push_back(static_cast<double>(row.getBytes(plan)) / getCapacity(row) - 1);
  auto numExceeded = llvm::count_if(excess, [](double part) { return part > 0; });
  prices.resize(rows.size(), 0);
  for (auto [price, part] : llvm::zip_equal(prices, excess))
    price =
        std::max(0.0, price + step * part / static_cast<double>(std::max<int64_t>(numExceeded, 1)));
}

std::optional<planner::LayoutProblem> RowPrices::apply(const planner::LayoutProblem &problem,
                                                       llvm::ArrayRef<planner::Row> rows) const {
  planner::ProblemParts parts = problem.parts();
  parts.rows.clear();
  std::vector<std::vector<double>> added;
  added.reserve(parts.variables.size());
  for (const planner::Variable &variable : parts.variables)
    added.emplace_back(variable.states.size(), 0);
  for (auto [price, row] : llvm::zip_equal(prices, rows))
    for (const planner::MemoryUse &use : row.uses)
      added[use.variable][use.state] += price * static_cast<double>(use.bytes) / getCapacity(row);
  for (auto [variable, ofStates] : llvm::zip_equal(parts.variables, added)) {
    // Costs are paid in each iteration of a loop, memory once.
    auto trips = static_cast<double>(problem.getTrips(variable.loop));
    for (auto [state, more] : llvm::zip_equal(variable.states, ofStates))
      if (state.cost != planner::infeasible)
        state.cost +=
            static_cast<int64_t>(std::min(more / trips, static_cast<double>(planner::sumLimit)));
  }
  std::vector<planner::Mistake> mistakes;
  return planner::LayoutProblem::create(std::move(parts), mistakes);
}
