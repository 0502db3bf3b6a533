//===- OtherPrices.h - Partial plans at other prices -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_OTHERPRICES_H
#define DMC_LIB_PLANNER_OTHERPRICES_H

#include "ChoiceBounds.h"
#include "ExactBound.h"

namespace dmc::planner {

/// Labels that cost this much or more at prices, by row, in picoseconds / `Scales::common` of a
/// byte, lead to no plan below the cutoff.
struct LabelLimit {
  llvm::ArrayRef<Wide> prices;
  Wide cost;
};

/// What labels cost, and use of the rows that are kept.
struct LabelCosts {
  llvm::ArrayRef<std::vector<int64_t>> ofNodes;
  llvm::ArrayRef<PairTable> ofPairs;
  /// By node: state by state, in each row, above the least.
  llvm::ArrayRef<std::vector<int64_t>> bytes;
  /// By row: what is left once all nodes use their least, and the price, as certificates have it.
  llvm::ArrayRef<int64_t> room, prices;
};

/// Plans that keep rows cost no less than with any prices of the rows, less what these are worth
/// (weak duality). The best prices are those of all plans together: what a partial plan that uses
/// much of a row costs with all others is more where the row's price is higher, and of one that
/// uses little where it is lower. So partial plans are judged at several prices, each of which has
/// its own bounds of what choices cost ahead.
class OtherPrices {
public:
  explicit OtherPrices(const Scales &scales) : scales_(scales) {}

  /// Prices around those of the costs. `limit`: what plans cost without prices that are none below
  /// the cutoff. Removes choices that have no plan below it. False: no choice has one.
  bool start(const ChoiceElimination &choices, const LabelCosts &costs, Wide limit,
             ChoiceBounds &bounds, int64_t &steps);
  /// Of the labels of a choice, after a join of an eliminated node.
  llvm::MutableArrayRef<LabelLimit> getLimits(size_t node, size_t join, size_t choice);

private:
  struct View {
    std::vector<Wide> prices;
    Wide limit;
    ChoiceBounds bounds;
  };
  std::vector<std::vector<Wide>> choosePrices(llvm::ArrayRef<int64_t> prices) const;
  std::vector<std::vector<int64_t>> getCosts(const LabelCosts &costs,
                                             llvm::ArrayRef<Wide> prices) const;

  const Scales &scales_;
  std::vector<View> views_;
  std::vector<LabelLimit> limits_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_OTHERPRICES_H
