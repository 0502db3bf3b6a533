//===- ShardingRule.h - Factors of an operation -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answer to "how may this operation be split": its factors (loops) and the
// dimensions that they index. Data only.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_SHARDINGRULE_H
#define DMC_DIALECT_DMC_SHARDINGRULE_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace dmc {

enum class CombinerKind : uint32_t;

/// What splitting a factor means.
enum class FactorKind {
  /// Positions compute different elements of the results.
  Parallel,
  /// Positions compute partial values; results that the factor does not index become
  /// partial under `combiner`.
  Reduction,
  /// Neighbouring positions overlap: split only once `dmc-split-windows` made windows of
  /// what they read.
  Window,
  /// Every position needs all of it: never split.
  NeedsReplication
};

struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::Parallel;
  std::optional<CombinerKind> combiner;
  /// Sizes of dimensions that have the first elements of the factor, or more than these: a
  /// split cuts them into blocks of the same size.
  llvm::SmallVector<int64_t, 1> alikeSizes;
  /// A split cuts it into blocks that begin at multiples of their size: windows are read
  /// around them.
  bool needsUniformBlocks = false;
};

/// The factors of one dimension, major to minor (several: a reshape).
using DimFactors = llvm::SmallVector<unsigned, 1>;
/// The factors of each dimension of one operand or result.
using ValueFactors = llvm::SmallVector<DimFactors, 4>;

/// Operands and results are those of ranked tensor type, in order.
struct ShardingRule {
  llvm::SmallVector<Factor, 4> factors;
  llvm::SmallVector<ValueFactors, 4> operands;
  llvm::SmallVector<ValueFactors, 2> results;

  unsigned addFactor(int64_t size, FactorKind kind = FactorKind::Parallel,
                     std::optional<CombinerKind> combiner = std::nullopt) {
    factors.push_back({size, kind, combiner, {}, false});
    return factors.size() - 1;
  }
};

} // namespace dmc

#endif // DMC_DIALECT_DMC_SHARDINGRULE_H
