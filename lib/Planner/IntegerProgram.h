//===- IntegerProgram.h - What is left as an integer program ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_PLANNER_INTEGERPROGRAM_H
#define DMC_LIB_PLANNER_INTEGERPROGRAM_H

#include "ExactBound.h"

#include <set>
#include <string>

namespace dmc::planner {

struct IntegerProgramResult {
  /// Empty: none better than the cutoff was found.
  std::vector<uint32_t> choice;
  /// No plan among the states costs less; within the tolerances of the solver.
  int64_t bound = 0;
};

/// Looks for the best plan among a network's states that costs less than `cutoff`, with `name`, a
/// solver of `dmc::solver`; only the rows of memory in `rows`, and those with prices, count.
/// Nothing, if the program would have more than `maxColumns` columns, or if the solver failed,
/// which `error` explains.
std::optional<IntegerProgramResult>
solveIntegerProgram(const Network &network, const Scales &scales, const Potentials &potentials,
                    const std::vector<int64_t> &prices, const std::set<uint32_t> &rows,
                    int64_t cutoff, int64_t maxColumns, double seconds, const std::string &name,
                    std::string &error);

} // namespace dmc::planner

#endif // DMC_LIB_PLANNER_INTEGERPROGRAM_H
