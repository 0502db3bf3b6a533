//===- Inputs.h - What functions are evaluated on ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RULECHECK_INPUTS_H
#define DMC_LIB_RULECHECK_INPUTS_H

#include "dmc/Interpreter/Interpreter.h"

#include <optional>
#include <utility>

namespace dmc::rulecheck {

enum class DataKind {
  Plain,   // multiples of a quarter, of which small sums and products are exact
  Special, // NaN, infinities, zeros of both signs; the ends of an integer's range
  Zeros    // mostly zeros and one special value
};
inline constexpr DataKind allDataKinds[] = {DataKind::Plain, DataKind::Special, DataKind::Zeros};

struct DataOptions {
  DataKind kind = DataKind::Plain;
  uint64_t seed = 1;
  /// A sum of partial values is not a sum of their products where they are infinite.
  bool allowsInfinities = true;
};

/// A random value; numbers from `range`, if there is one.
interpreter::Tensor makeInput(mlir::RankedTensorType type, const DataOptions &options,
                              std::optional<std::pair<int64_t, int64_t>> range, size_t argument);

} // namespace dmc::rulecheck

#endif // DMC_LIB_RULECHECK_INPUTS_H
