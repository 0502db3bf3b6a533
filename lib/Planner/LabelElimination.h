//===- LabelElimination.h - Partial plans within rows ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_LABELELIMINATION_H
#define DMC_LIB_PLANNER_LABELELIMINATION_H

#include "ChoiceBounds.h"
#include "LabelProducts.h"
#include "OtherPrices.h"

namespace dmc::planner {

/// What a node leaves: by choice of its neighbours' states, its labels.
struct LabelTable {
  /// By choice: the first of its labels, and the end of the last one's.
  std::vector<size_t> starts = {0};
  Labels labels;
  /// By row: the most bytes of the nodes below, above their least.
  std::vector<int64_t> most;

  LabelRange labelsOf(size_t choice) const { return {labels, starts[choice], starts[choice + 1]}; }
  /// The labels that were added since belong to the next choice.
  void endChoice() { starts.push_back(labels.size()); }
};

/// Partial plans of the choices of an elimination without rows, node by node.
class LabelEliminator {
public:
  LabelEliminator(const Network &network, const PricedNetwork &priced,
                  llvm::ArrayRef<uint32_t> rows, int64_t cutoff, RowEliminationEffort &effort,
                  const std::function<bool()> &isInterrupted);
  /// Even if all nodes use their least, a row is exceeded.
  bool isFull() const;
  /// That no plan is below the cutoff.
  RowElimination getNothing() const { return getResult({}); }
  /// Below the cutoff, among choices of which none was left out that is. Nothing: it takes too
  /// much.
  std::optional<RowElimination> run(const ChoiceElimination &choices);

private:
  void addNodes();
  bool findBounds(const ChoiceElimination &choices);
  LabelTable startNode(size_t number);
  bool join(LabelTable &joined, size_t number, size_t ofJoin);
  LabelTable project(const LabelTable &joined, const EliminatedNode &node);
  bool eliminate(size_t number);
  std::vector<int64_t> getMost(uint32_t node) const;
  RowElimination getResult(const Labels &all) const;

  const Network &network_;
  const PricedNetwork &priced_;
  llvm::ArrayRef<uint32_t> rows_;
  /// By row of these.
  std::vector<int64_t> prices_;
  int64_t cutoff_;
  RowEliminationEffort &effort_;
  const std::function<bool()> &isInterrupted_;
  /// A plan of this excess or more does not cost less than the cutoff.
  int64_t budget_;
  /// What prices that count among the costs are rounded by at most, and the budget of labels, so
  /// that none is left out for which another one was.
  int64_t rounding_ = 0, budgetOfLabels_;
  /// What all plans cost beside their labels, in picoseconds / `Scales::common`.
  Wide base_;
  const ChoiceElimination *choices_ = nullptr;
  ChoiceBounds bounds_;
  OtherPrices otherPrices_;
  LabelProducts products_;
  std::vector<std::vector<int64_t>> nodeCost_, nodeBytes_;
  /// By eliminated node.
  std::vector<LabelTable> tables_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_LABELELIMINATION_H
