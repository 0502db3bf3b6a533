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

/// A row for each point of a graph that `current` decides and that needs more than `capacity`.
std::vector<planner::Row> makeRows(const LayoutChoice &choice, const MeasuredMemory &memory,
                                   double capacity, llvm::ArrayRef<uint32_t> current);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_MEMORYROWS_H
