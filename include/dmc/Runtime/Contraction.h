//===- Contraction.h - Contractions on one rank -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes contractions over any number of loops: by the runtime's own blocked products, or
// by a vendor's library where the processor multiplies a type in instructions that only it uses.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_CONTRACTION_H
#define DMC_RUNTIME_CONTRACTION_H

#include "dmc-c/Program.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dmc::runtime {

class Team;

/// One loop of a contraction: its size, and its stride in each buffer.
struct ContractionLoop {
  int64_t size = 1;
  int64_t a = 0, b = 0, c = 0;
};

/// Loops by role; within a role, the outer ones first.
struct ContractionLoops {
  std::vector<ContractionLoop> batch, m, n, k;
};

/// Drops loops of one iteration and merges loops whose strides collapse in every
/// buffer.
ContractionLoops simplify(ContractionLoops loops);

/// Runs contractions for one rank, and remembers how it ran each shape.
class Contractor {
public:
  /// With that many threads, of the team that `run` is given; with one for contractions of fewer
  /// operations than `leastDividedFlops`.
  explicit Contractor(int threads, double leastDividedFlops = 0);
  ~Contractor();
  /// Returns what went wrong, or nothing. Without a team, the calling thread computes.
  std::optional<std::string> run(const dmc_contraction &contraction, const void *a, const void *b,
                                 void *c, Team *team = nullptr);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace dmc::runtime

#endif // DMC_RUNTIME_CONTRACTION_H
