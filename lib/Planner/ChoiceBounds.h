//===- ChoiceBounds.h - What choices of states cost ahead -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_CHOICEBOUNDS_H
#define DMC_LIB_PLANNER_CHOICEBOUNDS_H

#include "ChoiceElimination.h"

namespace dmc::planner {

/// What all that is not joined costs at least with each choice of an elimination. `infeasible`: no
/// plan below the budget has it.
struct ChoiceBounds {
  struct OfNode {
    /// By state, and by join and choice.
    std::vector<int64_t> states;
    std::vector<std::vector<int64_t>> joins;
  };
  /// In the order of the elimination; nothing, if no plan costs less than the budget.
  std::vector<OfNode> nodes;
  /// No plan costs less, or the budget.
  int64_t least = 0;
};

/// Finds them for nodes whose states cost `ofNodes`, in the network's order, and pairs of states
/// `ofPairs`: exactly, as long as a plan with the choice costs less than `budget`. Two passes, as
/// for min-marginals (S. Aji and R. McEliece, The generalized distributive law, 2000), over the
/// choices of the elimination; those that are infeasible in `known` are not there.
ChoiceBounds findBounds(const ChoiceElimination &choices,
                        llvm::ArrayRef<std::vector<int64_t>> ofNodes,
                        llvm::ArrayRef<PairTable> ofPairs, int64_t budget,
                        const ChoiceBounds *known = nullptr);

/// The choices that are feasible.
ChoiceElimination keepFeasible(const ChoiceElimination &choices, const ChoiceBounds &bounds);

/// Choices that are infeasible in others are so in `bounds`.
void removeInfeasible(ChoiceBounds &bounds, const ChoiceBounds &others);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CHOICEBOUNDS_H
