//===- MemoryRows.h - What is alive at once, as rows ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of memory of a program's layout problem, for the search and for the check of what it found.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_MEMORYROWS_H
#define DMC_LIB_PARALLELIZE_SOLVE_MEMORYROWS_H

#include "../MemoryMeter.h"
#include "LayoutChoice.h"

namespace dmc {

/// What a plan that needs too much holds at a point.
struct RowOrigin {
  /// The node that runs there.
  std::optional<unsigned> node;
  /// The bytes that a tensor takes there in a state of a variable that decides its layout.
  struct Use {
    unsigned value = 0;
    uint32_t variable = 0, state = 0;
    int64_t bytes = 0;
  };
  std::vector<Use> uses;
};

/// A row of the layout problem, and what made it.
struct MemoryRow {
  planner::Row row;
  RowOrigin origin;
};

/// A row for each point of a graph that `current` decides and that needs more than `capacity`: the
/// bytes of what it holds there, for all states of the variables that decide them, are at most what
/// is left by that which no variable decides.
std::vector<MemoryRow> makeRows(const LayoutChoice &choice, const MeasuredMemory &memory,
                                double capacity, llvm::ArrayRef<uint32_t> current);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_MEMORYROWS_H
