//===- Labels.h - Partial plans of some nodes ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_LABELS_H
#define DMC_LIB_PLANNER_LABELS_H

#include <cstddef>
#include <cstdint>
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

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_LABELS_H
