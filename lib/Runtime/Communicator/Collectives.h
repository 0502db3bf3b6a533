//===- Collectives.h - The data movement of collectives ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one position of a group does once it can read the operands of all.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_COMMUNICATOR_COLLECTIVES_H
#define DMC_LIB_RUNTIME_COMMUNICATOR_COLLECTIVES_H

#include "dmc-c/Program.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dmc::runtime {

/// Elements [begin, end).
struct Slice {
  size_t begin = 0, end = 0;
};
/// The slice of a group's elements that one position reduces for all; no two slices share a cache
/// line of an aligned buffer.
Slice sliceOf(size_t numElements, size_t elementBytes, size_t position, size_t groupSize);

size_t operandElements(const dmc_collective &collective);

/// The product of sizes.
size_t productOf(const int64_t *begin, const int64_t *end);

/// A part of what a position does: one of several that threads do together, each in full.
struct Part {
  size_t index = 0, count = 1;
};

/// A collective in groups of one size. Executions allocate nothing.
class CollectivePlan {
public:
  CollectivePlan(const dmc_collective &collective, size_t groupSize);

  /// True if a position may write its result while others read its operand at that place: the
  /// buffers are apart, or equal elements of both are in the same bytes.
  bool canOverlap(size_t position, const uint8_t *operand, const uint8_t *result) const;
  /// Fills the result of the position. `operands` are in group order; those that overlap the
  /// result do so in a way that `canOverlap` permits.
  void move(size_t position, const uint8_t *const *operands, uint8_t *result, Part part = {}) const;
  /// Reduces the slice of the position of an all-reduce into the results of all.
  void reduceForAll(size_t position, const uint8_t *const *operands, uint8_t *const *results,
                    Part part = {}) const;
  /// What a position reads and writes.
  int64_t bytes() const { return collective_.operand_bytes + collective_.result_bytes; }

private:
  void allGather(const uint8_t *const *operands, uint8_t *result, Part part) const;
  void reduceScatter(size_t position, const uint8_t *const *operands, uint8_t *result,
                     Part part) const;
  void allToAll(size_t position, const uint8_t *const *operands, uint8_t *result, Part part) const;

  const dmc_collective &collective_;
  size_t groupSize_, elementBytes_, numElements_;
  /// The loops outside of `dim`, and the elements of one iteration of theirs.
  size_t outer_, run_;
  bool streams_; // the results of a group exceed the last cache
  /// Of an all-to-all: a block, and the strides in the operand and in the result.
  std::vector<int64_t> extents_, from_, to_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_COMMUNICATOR_COLLECTIVES_H
