//===- NestPlan.h - What is decided of a loop nest --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions as values: what emits a nest reads them, and `#dmc.nest` lists them.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_KERNEL_NESTPLAN_H
#define DMC_LIB_CODEGEN_KERNEL_NESTPLAN_H

#include "dmc/Dialect/DMC/DMC.h"

namespace dmc::codegen {

/// How the loops of a nest become iterations that threads run: those outside of dimension `cut`
/// are one loop of `before` iterations, and that dimension has `chunks` parts of `chunk` indices,
/// of which the last may be shorter.
struct Division {
  size_t cut = 0;
  int64_t before = 1, chunk = 0, chunks = 1;

  int64_t getIterations() const { return before * chunks; }
  bool isDivided() const { return getIterations() > 1; }
  /// For a nest over a shape that computes `work` elements for each index; neighbours along the
  /// last dimension lie together in memory if `isContiguous`.
  static Division choose(llvm::ArrayRef<int64_t> shape, int64_t work, bool isContiguous);
  static Division intoChunks(int64_t size, int64_t chunk);
  static Division intoSingle(int64_t count) { return {0, 1, 1, count}; }
  /// How many iterations a nest that computes so many elements should be divided into.
  static int64_t countWanted(int64_t elements);
  /// Neighbouring elements that stay together in the innermost dimension: several cache lines of
  /// any type, so that iterations share few lines and a row of them is worth prefetching, and a few
  /// KB, which stay in the first cache while they are accumulated.
  static constexpr int64_t leastRow = 256;
};

/// The blocks of a device that run a nest's iterations: a block has so many teams, each of which
/// runs an iteration at a time. A team is a power of two of threads: one, a part of a warp, a warp,
/// or several warps, which are then a block.
struct Launch {
  int64_t blocks = 1, teams = 1, team = 1;

  static Launch choose(int64_t iterations, int64_t team, int64_t warp);
  /// Threads of a block that do not need each other.
  static constexpr int64_t looseThreads = 256;
  /// Bytes of shared memory that a block has without asking the driver for more.
  static constexpr int64_t mostShared = int64_t(48) << 10;
  int64_t getThreads() const { return teams * team; }
};

/// Copies in the code of what one iteration does: from the outermost to the innermost ones,
/// unrolled or lanes of a vector.
struct Copies {
  using Factor = std::pair<LoopExecutor, int64_t>;
  mlir::Operation *place; // the loop, or the function, that holds them
  llvm::SmallVector<Factor> factors;
};

struct NestPlan {
  NestKind kind = NestKind::elements;
  Division division;
  /// The loop over the iterations of the function's range; null if each does its part of all of
  /// the nest's loops.
  mlir::Operation *dividedLoop = nullptr;
  /// Threads of a device that run an iteration together, and the number of the running one among
  /// them: null where it runs alone.
  int64_t team = 1;
  mlir::Value lane;
  llvm::SmallVector<Copies> copies;
};

} // namespace dmc::codegen

#endif // DMC_LIB_CODEGEN_KERNEL_NESTPLAN_H
