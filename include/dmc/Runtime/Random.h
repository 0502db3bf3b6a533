//===- Random.h - Arguments made up from a seed -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same values for a seed in every tool and on every machine.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_RANDOM_H
#define DMC_RUNTIME_RANDOM_H

#include <cstddef>
#include <cstdint>

namespace dmc::runtime {

/// Writes elements first .. first + count - 1, in row-major order, of argument `index` of a
/// program: floats of a spread that keeps products small; integers from 0 to `below` - 1, as far as
/// the type has them, or without a bound (0) 0 and 1, which are valid indices nearly everywhere.
void fillRandom(uint32_t type, uint64_t seed, size_t index, int64_t below, int64_t first,
                int64_t count, uint8_t *target);

} // namespace dmc::runtime

#endif // DMC_RUNTIME_RANDOM_H
