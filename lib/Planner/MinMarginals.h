//===- MinMarginals.h - The least of a sum by state -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_MINMARGINALS_H
#define DMC_LIB_PLANNER_MINMARGINALS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dmc::planner {

/// What a sum of tables is at least with each state of each variable, in two passes over the tables
/// that elimination makes (S. Aji and R. McEliece, The generalized distributive law, 2000).
class MinMarginals {
public:
  using Table = std::vector<double>;

  /// For variables of so many states and tables over these scopes, each of one variable or more.
  /// Nothing, if elimination makes tables of more than `limit` entries together.
  static std::optional<MinMarginals>
  create(std::vector<uint32_t> sizes, std::vector<std::vector<uint32_t>> scopes, int64_t limit);

  /// The least, and in `marginals` by variable that with each of its states. `tables` are in the
  /// order of their scopes, entries of the last variable side by side; they may be infinite, but
  /// not with all choices.
  double compute(llvm::ArrayRef<Table> tables, std::vector<Table> &marginals) const;
  /// Of all tables of a pass.
  int64_t entries() const { return entries_; }

private:
  MinMarginals() = default;
  /// A variable goes: what names it is joined in a table over its neighbours and itself.
  struct Step {
    uint32_t variable = 0;
    std::vector<uint32_t> scope;
    /// Tables, and earlier steps, that it joins.
    std::vector<size_t> tables, steps;
    size_t entries = 1;

    llvm::ArrayRef<uint32_t> neighbours() const { return llvm::ArrayRef(scope).drop_back(); }
  };

  std::vector<uint32_t> sizes_;
  std::vector<std::vector<uint32_t>> scopes_;
  std::vector<Step> steps_;
  int64_t entries_ = 0;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_MINMARGINALS_H
