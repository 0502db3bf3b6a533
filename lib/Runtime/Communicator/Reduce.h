//===- Reduce.h - Combining buffers in a fixed order ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_COMMUNICATOR_REDUCE_H
#define DMC_LIB_RUNTIME_COMMUNICATOR_REDUCE_H

#include <cstddef>
#include <cstdint>

namespace dmc::runtime {

/// target[i] = sources[0][i] (+) sources[1][i] (+) ..., from left to right. The
/// 16-bit floats accumulate in f32 and round once. Max and min keep NaN and order
/// -0 below 0; integers wrap; on i1, max is or, min is and, sum is modulo 2.
/// `target` is none of the sources. Types are dmc_element_type, combiners
/// dmc_combiner.
void reduce(uint32_t type, uint32_t combiner, void *target, const uint8_t *const *sources,
            size_t numSources, size_t numElements);

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_COMMUNICATOR_REDUCE_H
