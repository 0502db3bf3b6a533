//===- LabelProducts.h - Partial plans within rows of memory ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_LABELPRODUCTS_H
#define DMC_LIB_PLANNER_LABELPRODUCTS_H

#include "Labels.h"
#include "OtherPrices.h"
#include "RowElimination.h"

namespace dmc::planner {

/// Combines partial plans of different nodes, and leaves out those that lead to no better plan.
class LabelProducts {
public:
  /// `capacities` are those of the rows that count, in bytes; `priceScale` as in `Scales`.
  LabelProducts(std::vector<int64_t> capacities, int64_t priceScale, RowEliminationEffort &effort)
      : effort_(effort), priceScale_(priceScale), room_(std::move(capacities)),
        totalMost_(room_.size(), 0) {}

  /// A node whose states use from `least` to `most` bytes of a row.
  void addUse(size_t row, int64_t least, int64_t most) {
    room_[row] -= least;
    totalMost_[row] += most - least;
  }
  /// By row: what is left of the capacity once all nodes use their least.
  const std::vector<int64_t> &room() const { return room_; }
  /// By row: the most that nodes use above their least that are not among those below.
  std::vector<int64_t> getRest(llvm::ArrayRef<int64_t> below) const;
  /// The trace of a label of no node, or of a node's state.
  uint32_t startTrace();
  uint32_t startTrace(uint32_t node, uint32_t state);
  /// The states of a label, node by node; 0 of those that it does not have.
  std::vector<uint32_t> trace(uint32_t label, size_t numNodes) const;

  /// Whether a label of that cost and bytes costs less than each of the limits. The one that it
  /// does not cost less than comes first then: the next label is mostly alike.
  bool isBelow(llvm::MutableArrayRef<LabelLimit> limits, int64_t cost, const int64_t *bytes) const {
    const Wide own = static_cast<Wide>(cost) * priceScale_;
    for (LabelLimit &limit : limits) {
      Wide priced = own;
      for (size_t r = 0; r < room_.size(); ++r)
        priced += limit.prices[r] * bytes[r];
      if (priced >= limit.cost) {
        std::swap(limits.front(), limit);
        return false;
      }
    }
    return true;
  }
  /// Of all pairs of labels of different nodes those of less excess than `budget`, and below the
  /// limits, that keep the rows, pruned. `rest` is the most that other nodes use. False: it takes
  /// too many steps.
  bool multiply(const LabelRange &ofA, const LabelRange &ofB, int64_t budget,
                llvm::MutableArrayRef<LabelLimit> limits, llvm::ArrayRef<int64_t> rest,
                Labels &product);
  /// Leaves the labels, in the order of their excess, that no other is as good as in everything; at
  /// most as many as the limit says. Bytes of a row that the others cannot exceed any more are of
  /// no account.
  void prune(Labels &labels, llvm::ArrayRef<int64_t> rest);
  /// The least excess of what limits left out; infeasible: nothing.
  int64_t leastDropped() const { return leastDropped_; }

private:
  /// Where a label comes from: a node's state, or two labels of different nodes.
  struct Origin {
    static constexpr uint32_t none = ~uint32_t(0);
    uint32_t first = none, second = none;
    uint32_t node = none, state = 0;
  };

  bool dominates(const Labels &labels, uint32_t a, uint32_t b) const;
  void spread(const Labels &labels, std::vector<uint32_t> &kept);

  RowEliminationEffort &effort_;
  int64_t priceScale_;
  std::vector<int64_t> room_, totalMost_;
  std::vector<Origin> origins_;
  /// Of the pairs of labels of one product, of which most are pruned.
  std::vector<Origin> pairs_;
  int64_t leastDropped_ = infeasible;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_LABELPRODUCTS_H
