//===- ChoiceElimination.h - Choices below a budget ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_CHOICEELIMINATION_H
#define DMC_LIB_PLANNER_CHOICEELIMINATION_H

#include "EliminationOrder.h"

#include "dmc/Planner/LayoutProblem.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace dmc::planner {

/// Effort limit: as many steps count for a choice that is looked at, so that tables without partial
/// plans come to an end, too.
inline constexpr int64_t stepsOfChoice = 4;

/// Excess beyond all budgets, which adds up to no overflow.
inline constexpr int64_t largestExcess = int64_t(1) << 60;
inline int64_t addExcess(int64_t a, int64_t b) {
  return a == infeasible || b == infeasible ? infeasible : std::min(a + b, largestExcess);
}

/// What the states of two nodes cost together, the second one's changing fastest.
struct PairTable {
  std::array<uint32_t, 2> scope;
  std::vector<int64_t> costs;
};

/// What a network's choices cost above a bound: 0 or more, or `infeasible`.
struct ExcessTables {
  /// By node: of its states.
  std::vector<std::vector<int64_t>> ofNodes;
  std::vector<PairTable> ofPairs;
};

/// The tables that name a node are joined one after the other. A choice of states that comes out
/// extends one of the join before, which is a state of the node itself at first, by an entry of a
/// pair's table, or by a choice that an earlier node left.
struct ChoiceJoin {
  bool isPair = false;
  /// Of the pair's table, or of the earlier node among those eliminated.
  uint32_t number = 0;
  /// By choice.
  std::vector<uint32_t> from, with;
};

/// A node that was eliminated.
struct EliminatedNode {
  uint32_t node = 0;
  std::vector<ChoiceJoin> joins;
  /// By choice of the last join, or by state: the choice of the neighbours' states that it leaves,
  /// and how many these are.
  std::vector<uint32_t> left;
  size_t numLeft = 0;
  /// Nothing is left to connect it.
  bool isLast = false;
};

struct ChoiceElimination {
  std::vector<EliminatedNode> nodes;
  /// Some choices of all nodes may cost less than the budget.
  bool hasPlans = true;
};

struct ChoiceEffort {
  /// Choices of one join, and of all of them.
  int64_t entries, allEntries;
  int64_t &steps;
};

/// Eliminates the nodes of a network, of so many states each, in an order by a rule. Tables have
/// those choices of states alone that may cost less than `budget`. Nothing, if that takes more than
/// the effort, or once `isInterrupted` says so.
std::optional<ChoiceElimination> eliminateChoices(llvm::ArrayRef<uint32_t> sizes,
                                                  const ExcessTables &tables, int64_t budget,
                                                  OrderRule rule, ChoiceEffort effort,
                                                  const std::function<bool()> &isInterrupted);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_CHOICEELIMINATION_H
