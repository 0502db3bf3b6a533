//===- LabelTable.h - Choices of states with partial plans ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_LABELTABLE_H
#define DMC_LIB_PLANNER_LABELTABLE_H

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace dmc::planner {

struct LabelRange;

/// Partial plans of some nodes. Costs are in picoseconds / `Scales::potential`.
struct Labels {
  /// What a plan costs more than the bound at least.
  std::vector<int64_t> excess;
  /// What it costs beside others of the same nodes, without prices.
  std::vector<int64_t> cost;
  /// Which states it has.
  std::vector<uint32_t> trace;
  /// Label by label, bytes in each row above the least of the nodes.
  std::vector<int64_t> bytes;

  size_t size() const { return excess.size(); }
  bool empty() const { return excess.empty(); }
  void clear() {
    excess.clear();
    cost.clear();
    trace.clear();
    bytes.clear();
  }
  /// One of others, which costs so much more.
  void append(const Labels &of, size_t label, int64_t costs = 0) {
    const size_t numRows = of.bytes.size() / of.size();
    excess.push_back(of.excess[label] + costs);
    cost.push_back(of.cost[label] + costs);
    trace.push_back(of.trace[label]);
    bytes.insert(bytes.end(), of.bytes.begin() + label * numRows,
                 of.bytes.begin() + (label + 1) * numRows);
  }
  void append(const LabelRange &range);
};

/// The labels of one choice, among those of its table.
struct LabelRange {
  const Labels &of;
  size_t begin, end;
  size_t size() const { return end - begin; }
};

inline void Labels::append(const LabelRange &range) {
  for (size_t label = range.begin; label < range.end; ++label)
    append(range.of, label);
}

/// Those choices of states of some nodes that have partial plans: where little may be paid above
/// the bound, few of them do. The states of a choice are in the order of the scope; its labels in
/// that of their excess.
struct LabelTable {
  std::vector<uint32_t> scope;
  /// Choice by choice.
  std::vector<uint32_t> states;
  /// By choice: the first of its labels.
  std::vector<size_t> starts;
  Labels labels;
  /// By row: the most bytes of the nodes below, above their least.
  std::vector<int64_t> most;

  size_t size() const { return starts.size(); }
  llvm::ArrayRef<uint32_t> ofChoice(size_t choice) const {
    return llvm::ArrayRef(states).slice(choice * scope.size(), scope.size());
  }
  LabelRange labelsOf(size_t choice) const {
    return {labels, starts[choice], choice + 1 < size() ? starts[choice + 1] : labels.size()};
  }
  int64_t getLeast(size_t choice) const { return labels.excess[starts[choice]]; }
  /// Adds a choice whose labels are added next.
  void startChoice(llvm::ArrayRef<uint32_t> choice) {
    states.insert(states.end(), choice.begin(), choice.end());
    starts.push_back(labels.size());
  }
};

/// What the states of two nodes cost together, the second one's changing fastest.
struct PairTable {
  std::array<uint32_t, 2> scope;
  std::vector<int64_t> costs;
};

/// The choices of a table by the states of some of its nodes, given by their places in its scope.
class LabelIndex {
public:
  LabelIndex(const LabelTable &table, std::vector<uint32_t> places);

  /// Those with these states.
  llvm::ArrayRef<uint32_t> find(llvm::ArrayRef<uint32_t> states) const;

private:
  /// Less than 0, 0, or more, as the choice comes before, with or after the states.
  int compare(uint32_t choice, llvm::ArrayRef<uint32_t> states) const;

  const LabelTable &table_;
  std::vector<uint32_t> places_, order_;
};

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_LABELTABLE_H
