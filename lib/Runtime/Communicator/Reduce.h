//===- Reduce.h - Combining buffers in a fixed order ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_COMMUNICATOR_REDUCE_H
#define DMC_LIB_RUNTIME_COMMUNICATOR_REDUCE_H

#include "Communicator/Collectives.h"

#include <cstddef>
#include <cstdint>

namespace dmc::runtime {

/// Buffers of equally many elements that are combined into as many copies of the result.
struct Reduction {
  uint32_t type;     // dmc_element_type
  uint32_t combiner; // dmc_combiner
  const uint8_t *const *sources;
  size_t numSources; // at least 1
  uint8_t *const *targets;
  size_t numTargets;
  /// Store past the caches: for what is larger than they are. Costs time where it is not.
  bool streams = false;
};

/// Combines the elements of a slice: for each target, target[offset + i] = x0 (+) x1 (+) ... from
/// left to right, x being the elements slice.begin + i of the sources. The 16-bit floats accumulate
/// in f32 and round once. Max and min keep NaN and order -0 below 0; integers wrap; on i1, max is
/// or, min is and, sum is modulo 2. A target may share bytes with a source if it is at the same
/// elements. Each element is read and written once.
void reduce(const Reduction &reduction, Slice slice, size_t offset);
inline void reduce(const Reduction &reduction, Slice slice) {
  reduce(reduction, slice, slice.begin);
}

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_COMMUNICATOR_REDUCE_H
