//===- Factors.h - Elimination of variables from tables ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_FACTORS_H
#define DMC_LIB_PLANNER_FACTORS_H

#include "dmc/Planner/Oracle.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <functional>

namespace dmc::planner {

/// A cost for each choice of states of the variables; the last one's state changes fastest.
struct Factor {
  std::vector<uint32_t> scope;
  std::vector<int64_t> costs;
};

/// By variable of a scope: how far a factor's entries lie apart for its states; 0 where the factor
/// does not name it.
inline llvm::SmallVector<size_t, 8> getStrides(llvm::ArrayRef<uint32_t> sizes,
                                               llvm::ArrayRef<uint32_t> scope,
                                               llvm::ArrayRef<uint32_t> ofFactor) {
  llvm::SmallVector<size_t, 8> strides(scope.size(), 0);
  size_t stride = 1;
  for (size_t i = ofFactor.size(); i-- > 0;) {
    strides[llvm::find(scope, ofFactor[i]) - scope.begin()] = stride;
    stride *= sizes[ofFactor[i]];
  }
  return strides;
}

/// Visits all entries of a table over a scope, in their order, each with that of a factor over some
/// of the variables: `visit` is given a reference to either.
template <typename OfFactor, typename OfTable, typename Visit>
void visitEntries(llvm::ArrayRef<uint32_t> sizes, llvm::ArrayRef<uint32_t> scope,
                  llvm::ArrayRef<uint32_t> scopeOfFactor, OfFactor *factor,
                  llvm::MutableArrayRef<OfTable> table, Visit visit) {
  llvm::SmallVector<size_t, 8> strides = getStrides(sizes, scope, scopeOfFactor);
  const size_t count = sizes[scope.back()], step = strides.back();
  llvm::SmallVector<uint32_t, 8> states(scope.size(), 0);
  for (OfTable *row = table.begin(); row != table.end(); row += count) {
    if (step == 1)
      for (size_t s = 0; s < count; ++s)
        visit(factor[s], row[s]);
    else
      for (size_t s = 0; s < count; ++s)
        visit(factor[s * step], row[s]);
    for (size_t i = scope.size() - 1; i-- > 0;) {
      factor += strides[i];
      if (++states[i] < sizes[scope[i]])
        break;
      factor -= strides[i] * states[i];
      states[i] = 0;
    }
  }
}

/// Adds a factor that names the last variable of a scope to the table of all of its choices; `add`
/// is given two costs.
template <typename Add>
void joinFactor(llvm::ArrayRef<uint32_t> sizes, llvm::ArrayRef<uint32_t> scope,
                const Factor &factor, std::vector<int64_t> &table, Add add) {
  visitEntries(sizes, scope, factor.scope, factor.costs.data(), llvm::MutableArrayRef(table),
               [&](int64_t from, int64_t &to) { to = add(to, from); });
}

/// The least sum of all factors, whose feasible costs add up to at most 2^62. Nothing, if a table
/// would have more than `limit` entries, or once `isInterrupted` says so.
std::optional<Optimum> eliminateFactors(llvm::ArrayRef<uint32_t> sizes, std::vector<Factor> factors,
                                        int64_t limit,
                                        const std::function<bool()> &isInterrupted = {});

/// Entries of all tables that elimination makes, in the same order of variables; `limit` + 1, if
/// that is above the limit.
int64_t predictElimination(llvm::ArrayRef<uint32_t> sizes,
                           llvm::ArrayRef<std::array<uint32_t, 2>> pairs, int64_t limit);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_FACTORS_H
