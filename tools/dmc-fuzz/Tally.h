//===- Tally.h - Verdicts by kind and reason --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMC_FUZZ_TALLY_H
#define DMC_TOOLS_DMC_FUZZ_TALLY_H

#include "Trials.h"

#include <array>
#include <map>

namespace dmc::fuzz {

/// Counts verdicts, and prints failures with their seeds as they come.
class Tally {
public:
  /// Damaged texts may be refused for any reason; programs only for what is not
  /// supported.
  Tally(bool isMutating, bool listRefused) : isMutating(isMutating), listRefused(listRefused) {}

  void add(uint64_t seed, const Verdict &verdict);
  /// Prints the counts; false if anything failed.
  bool report() const;

private:
  struct Reason {
    size_t count;
    uint64_t seed;
  };

  bool isMutating, listRefused;
  std::array<size_t, 5> counts = {};
  size_t unexplained = 0;
  std::map<std::string, Reason> reasons;
};

} // namespace dmc::fuzz

#endif // DMC_TOOLS_DMC_FUZZ_TALLY_H
