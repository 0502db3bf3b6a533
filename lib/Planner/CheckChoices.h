//===- CheckChoices.h - Choices below a cutoff, recomputed ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of the checker: as plain as can be, and with none of the solver's code.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PLANNER_CHECKCHOICES_H
#define DMC_LIB_PLANNER_CHECKCHOICES_H

#include "CheckElimination.h"

namespace dmc::planner {

/// A table that is joined to those before it, by number: first come the tables of costs, then what
/// each eliminated variable left, in their order. Each of its choices extends one of the join
/// before by a choice of the table.
struct CheckedJoin {
  size_t table = 0;
  std::vector<size_t> from, with;
};

/// Of an eliminated variable: the first join is the table of its own costs.
struct CheckedVariable {
  std::vector<CheckedJoin> joins;
  /// By choice of the last join: that of the other variables alone. How many there are.
  std::vector<size_t> left;
  size_t numLeft = 0;
  /// Nothing has to do with those that come later.
  bool isLast = false;
};

struct CheckedChoices {
  std::vector<CheckedVariable> variables;
  /// By table of costs and choice: its place in the table.
  std::vector<std::vector<size_t>> entries;
  /// There is none below the cutoff.
  bool isEmpty = false;
};

/// The choices of the elimination of variables without rows, which may lie above the bound by less
/// than `cutoff`. Nothing, if they are more than `limit`, or take more than `steps`,
/// from which that is taken off. The variables of `order`, each once, go first, then the one whose
/// table would have the fewest choices.
std::optional<CheckedChoices> findChoices(const CheckedRows &rows, __int128 cutoff, int64_t limit,
                                          int64_t &steps, const std::vector<uint32_t> &order);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CHECKCHOICES_H
