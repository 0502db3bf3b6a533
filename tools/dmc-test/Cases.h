//===- Cases.h - A folder of cases ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_TEST_CASES_H
#define DMC_TOOLS_DMC_TEST_CASES_H

#include "dmc/Runtime/Compare.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dmc::test {

/// A program, the arrays it is given and those it must return.
struct Case {
  std::string name;
  /// FOLDER/NAME: PREFIX.mlir, PREFIX.in0.npy, PREFIX.out0.npy, ...
  std::string prefix;
  /// The results' types, as "2x3xf32".
  std::vector<std::string> outputs;
  runtime::Tolerance tolerance;
  /// Set if every rank has arrays of its own: PREFIX.r0.in0.npy, ... It is the
  /// number of ranks, replicas times partitions.
  std::optional<int64_t> numRanks;
};

/// The cases that a cases.json lists, in its order; nothing, and why, if it is
/// malformed. A folder stands for its cases.json.
std::optional<std::vector<Case>> readCases(const std::string &path, std::string &error);

} // namespace dmc::test

#endif // DMC_TOOLS_DMC_TEST_CASES_H
