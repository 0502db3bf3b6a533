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

/// Variables in the order in which they go: the one with the smallest table first, the first of
/// equal ones. A table has an entry for each choice of the variable and of its neighbours, which
/// become neighbours of each other once it goes.
class EliminationOrder {
public:
  /// Sizes of tables are counted up to `limit` + 1.
  EliminationOrder(llvm::ArrayRef<uint32_t> sizes, int64_t limit)
      : sizes_(sizes), limit_(limit), near_(sizes.size()), tableSizes_(sizes.size(), 0),
        isGone_(sizes.size(), false) {}

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
  int64_t getTableSize(uint32_t variable) const { return tableSizes_[variable]; }
  /// In order.
  llvm::ArrayRef<uint32_t> getNeighbours(uint32_t variable) const { return near_[variable]; }
  /// The variable goes.
  void remove(uint32_t variable);

private:
  void measure(uint32_t variable);

  llvm::ArrayRef<uint32_t> sizes_;
  int64_t limit_;
  /// In order, each once.
  std::vector<llvm::SmallVector<uint32_t, 8>> near_;
  std::vector<int64_t> tableSizes_;
  std::vector<bool> isGone_;
  /// Entries of tables that have changed since, or whose variables are gone, are passed over.
  using Entry = std::pair<int64_t, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_ELIMINATIONORDER_H
