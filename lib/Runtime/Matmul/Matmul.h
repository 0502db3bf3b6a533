//===- Matmul.h - Contractions as blocked matrix products -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes a contraction of any strides in tasks: each packs blocks of its operands, as large as
// the caches, and multiplies them. A convolution is such a contraction, whose windows are
// gathered while they are packed. Elements are summed in an order that the shape alone decides, so
// that results do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_MATMUL_MATMUL_H
#define DMC_LIB_RUNTIME_MATMUL_MATMUL_H

#include "Matmul/Kernels.h"

#include "dmc/Runtime/Contraction.h"

#include <cstddef>
#include <optional>

namespace dmc::runtime::matmul {

/// Loops of one role, seen by the operand that they index and by the result.
struct Extent {
  std::vector<int64_t> sizes, operand, result;
  int64_t size = 1;

  /// How many positions from a multiple of that many are next to each other in memory.
  int64_t operandRun() const;
  int64_t resultRun() const;
};

class Matmul {
public:
  /// A method for a contraction of float types or of integers, and positive sizes; nothing if the
  /// result does not index all loops but those of the sum. Sums of floats are computed in f32, or
  /// f64 if a type is; those of integers in 32 bits, or 64 if the result has as many.
  static std::optional<Matmul> plan(const dmc_contraction &contraction, int threads);

  struct Buffers {
    const void *a, *b;
    void *c;
    void *packed;  // of packedBytes()
    void *partial; // of partialBytes()
  };

  int threads() const { return threads_; }
  /// Bytes that each thread needs, and bytes that all threads share, all 64-byte aligned.
  size_t scratchBytes() const;
  size_t packedBytes() const;
  size_t partialBytes() const;
  /// The most that the contraction needs for any number of threads on any processor that there are
  /// kernels for.
  static ContractionScratch mostScratch(const dmc_contraction &contraction);
  /// Before all others: the tasks that pack the left operand for all tiles, if that pays.
  int64_t numPackTasks() const;
  void pack(int64_t task, const Buffers &buffers, void *scratch) const;
  int64_t numTasks() const { return slices_ * batchChunks_ * rowTiles_ * columnTiles_; }
  /// Tasks in any order and on any threads: they write different elements.
  void run(int64_t task, const Buffers &buffers, void *scratch) const;
  /// After all of these: the tasks that add up slices of the sum.
  int64_t numFinalTasks() const;
  void finish(int64_t task, const Buffers &buffers, void *scratch) const;

private:
  Matmul() = default;
  int64_t countInterleaved() const;
  bool isDirect() const;
  void divideSums();
  double panelCycles(int64_t rows, int64_t columns) const;
  double taskCycles(int64_t rows, int64_t columns, bool packsLeft) const;
  double inPlaceCycles(int64_t rows, int64_t columns) const;
  double leftCycles() const;
  bool canPackLeft() const;
  bool canReadInPlace() const;
  bool hasAdjacentColumns() const;
  int64_t packedOffset(int64_t row, int64_t step, int64_t stepsOfBlock) const;
  /// The largest tile for so many threads.
  struct Tile {
    int64_t rows, columns;
  };
  Tile largestTile(int threads) const;
  void setTiles(int threads);
  size_t scratchOf(const Tile &tile, bool packsLeft) const;
  static std::optional<Matmul> plan(const dmc_contraction &contraction, const Kernels &kernels);

  const Kernels *kernels_ = nullptr;
  int threads_ = 1;
  bool isSwapped_ = false, accumulates_ = false;
  bool packsLeft_ = false;    // once, for all tasks
  bool readsInPlace_ = false; // the right operand, for few rows
  uint32_t types_[3] = {};    // left, right, result
  uint32_t sumType_ = 0;
  int64_t sumBytes_ = 0;
  Extent rows_, columns_;
  /// Steps of the sum and batches: sizes and strides in left, right and result.
  std::vector<int64_t> stepSizes_, stepLeft_, stepRight_;
  std::vector<int64_t> batchSizes_, batchLeft_, batchRight_, batchResult_;
  int64_t steps_ = 1, batches_ = 1;
  /// Sizes of a task's tile and of its blocks.
  int64_t rowTile_ = 0, columnTile_ = 0, rowBlock_ = 0, stepBlock_ = 0, batchChunk_ = 1;
  int64_t rowTiles_ = 0, columnTiles_ = 0, batchChunks_ = 0;
  /// Slices of the sum, and the steps of each.
  int64_t slices_ = 1, slice_ = 0;
  double cost_ = 0; // processor cycles, roughly: only to choose between methods to compute the same
};

} // namespace dmc::runtime::matmul

#endif // DMC_LIB_RUNTIME_MATMUL_MATMUL_H
