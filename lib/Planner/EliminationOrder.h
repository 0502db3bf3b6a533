//===- EliminationOrder.h - Which variable goes next ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_ELIMINATIONORDER_H
#define DMC_LIB_PLANNER_ELIMINATIONORDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

namespace dmc::planner {

/// Which variable goes first (the greedy rules that U. Kjaerulff compares, Triangulation of graphs:
/// algorithms giving small total state space, 1990).
enum class OrderRule {
  /// The one with the smallest table.
  SmallestTable,
  /// The one whose neighbours have the fewest choices.
  SmallestResult,
  /// The one that makes the fewest pairs of states of variables that were no neighbours before, as
  /// was counted when its own neighbours last changed.
  LeastFill
};

/// Variables in the order in which they go by a rule, the smallest table first of equal ones, then
/// the first of them. A table has an entry for each choice of the variable and of its neighbours,
/// which become neighbours of each other once it goes.
class EliminationOrder {
public:
  /// Sizes of tables are counted up to `limit` + 1.
  EliminationOrder(llvm::ArrayRef<uint32_t> sizes, int64_t limit,
                   OrderRule rule = OrderRule::SmallestTable)
      : sizes_(sizes), limit_(limit), rule_(rule), near_(sizes.size()),
        places_(sizes.size(), {-1, 0}), isGone_(sizes.size(), false) {}

  void addScope(llvm::ArrayRef<uint32_t> scope) {
    for (uint32_t variable : scope)
      for (uint32_t other : scope)
        if (other != variable)
          near_[variable].push_back(other);
  }
  /// After all scopes.
  void start();
  /// The next variable; nothing: all are gone.
  std::optional<uint32_t> next();
  int64_t getTableSize(uint32_t variable) const { return places_[variable].second; }
  /// In order.
  llvm::ArrayRef<uint32_t> getNeighbours(uint32_t variable) const { return near_[variable]; }
  /// The variable goes.
  void remove(uint32_t variable);

private:
  void measure(uint32_t variable);
  int64_t getTableSizeOf(uint32_t variable, int64_t ownSize) const;
  int64_t getFill(uint32_t variable) const;

  llvm::ArrayRef<uint32_t> sizes_;
  int64_t limit_;
  OrderRule rule_;
  /// In order, each once.
  std::vector<llvm::SmallVector<uint32_t, 8>> near_;
  /// What the rule counts, and the size of the table.
  using Place = std::pair<int64_t, int64_t>;
  std::vector<Place> places_;
  std::vector<bool> isGone_;
  /// Those that have changed since, or whose variables are gone, are passed over.
  using Entry = std::pair<Place, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_ELIMINATIONORDER_H
