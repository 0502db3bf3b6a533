//===- Arena.h - Offsets of buffers in one arena ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic storage allocation with all live ranges known: the problem, what
// makes an answer right, and a solver. Knows nothing of the IR.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SCHEDULE_ARENA_H
#define DMC_SCHEDULE_ARENA_H

#include <cstdint>
#include <string>
#include <vector>

namespace dmc {

/// The arena's size is a multiple of this.
constexpr int64_t arenaAlignment = 64;

/// What a buffer's offset is a multiple of: small ones share a cache line.
constexpr int64_t getArenaAlignment(int64_t bytes) {
  return bytes < arenaAlignment ? 16 : arenaAlignment;
}

/// A buffer that holds `bytes` bytes from step `first` to step `last`, both
/// included: two buffers that share a step must not share a byte.
struct ArenaBuffer {
  int64_t first = 0;
  int64_t last = 0;
  int64_t bytes = 0;
};

struct ArenaProblem {
  std::vector<ArenaBuffer> buffers;

  /// Empty if the problem is well formed, else what is wrong with it.
  std::string check() const;
  /// The largest sum of aligned sizes alive at one step, aligned: no plan is smaller.
  /// `*at` becomes the first such step.
  int64_t getLowerBound(int64_t *at = nullptr) const;
};

struct ArenaPlan {
  /// One for each buffer; 0 for a buffer without bytes.
  std::vector<int64_t> offsets;
  int64_t bytes = 0;

  /// Empty if the plan solves the problem, else what is wrong with it.
  std::string verify(const ArenaProblem &problem) const;
};

/// Places buffers one after the other, each at the lowest end of the tightest
/// gap between those already placed that are alive with it, in several orders
/// (by size; by size times length; by time), and returns the smallest plan.
/// By size is "greedy by size for offset calculation" of Pisarchyk and Lee,
/// "Efficient Memory Management for Deep Neural Net Inference" (2020).
/// Quadratic in the number of buffers at worst. The problem must be well formed.
///
/// Where no order reaches the lower bound, a search from each of them on changes the order at
/// random, always in the same way, until it has compared as many pairs of buffers as it may.
ArenaPlan planArena(const ArenaProblem &problem, int64_t comparisons = 0);

/// What a program's final plan may take: at most about an eighth of a second, at 1 ns a pair.
constexpr int64_t finalComparisons = int64_t(1) << 27;

} // namespace dmc

#endif // DMC_SCHEDULE_ARENA_H
