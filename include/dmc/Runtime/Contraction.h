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

/// Bytes that a contraction needs beside its operands, both multiples of 64: of all threads
/// together, and of each of them.
struct ContractionScratch {
  int64_t shared = 0, perThread = 0;

  int64_t bytes(int64_t threads) const { return shared + threads * perThread; }
};

/// The most that the runtime's own products need for any number of threads on any processor; zero
/// for a contraction that they do not compute, or that has no elements or sums over none.
ContractionScratch scratchOf(const dmc_contraction &contraction);

/// Runs contractions for one rank, and remembers how it ran each shape.
class Contractor {
public:
  /// With that many threads, of the team that `run` is given; with one for contractions of fewer
  /// operations than `leastDividedFlops`.
  explicit Contractor(int threads, double leastDividedFlops = 0);
  ~Contractor();
  /// Lets contractions that are prepared later use 64-byte aligned memory that stays where it is,
  /// of so many bytes for as many threads as there are. One that needs more allocates when it is
  /// prepared.
  void setScratch(void *memory, const ContractionScratch &size);
  /// Plans a contraction, and makes a library prepare it, so that `run` allocates nothing. Returns
  /// what went wrong, or nothing. The description stays where it is.
  std::optional<std::string> prepare(const dmc_contraction &contraction);
  /// Returns what went wrong, or nothing. Without a team, the calling thread computes.
  std::optional<std::string> run(const dmc_contraction &contraction, const void *a, const void *b,
                                 void *c, Team *team = nullptr);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace dmc::runtime

#endif // DMC_RUNTIME_CONTRACTION_H
