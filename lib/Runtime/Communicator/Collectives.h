//===- Collectives.h - The data movement of collectives ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one position of a group does once it can read the operands of all.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_COMMUNICATOR_COLLECTIVES_H
#define DMC_LIB_RUNTIME_COMMUNICATOR_COLLECTIVES_H

#include "dmc/Runtime/Program.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dmc::runtime {

/// The part of a group's elements that one position reduces for all.
struct Slice {
  size_t begin = 0, end = 0;
};
Slice sliceOf(size_t numElements, size_t elementBytes, size_t position, size_t groupSize);

size_t operandElements(const dmc_collective &collective);

/// Reduces a slice of an all-reduce's operands into the same place of `target`.
void reduceSlice(const dmc_collective &collective, Slice slice,
                 const std::vector<const uint8_t *> &operands, uint8_t *target);

/// Fills the result of the position. `operands` are in group order; none
/// overlaps the result.
void moveData(const dmc_collective &collective, size_t position,
              const std::vector<const uint8_t *> &operands, uint8_t *result);

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_COMMUNICATOR_COLLECTIVES_H
