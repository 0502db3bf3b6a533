//===- Random.h - Choices made from a seed ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_FUZZ_RANDOM_H
#define DMC_TOOLS_DMC_FUZZ_RANDOM_H

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace dmc::fuzz {

/// The same choices for a seed with every standard library.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed * 0x9e3779b97f4a7c15ull + 1) {}
  /// From 0 to `bound` - 1.
  int64_t below(int64_t bound) { return static_cast<int64_t>((engine() >> 11) % bound); }
  /// From `low` to `high`.
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T>
  const T &pick(const std::vector<T> &from) {
    return from[below(from.size())];
  }
  template <typename T>
  void shuffle(std::vector<T> &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }

private:
  std::mt19937_64 engine;
};

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_RANDOM_H
