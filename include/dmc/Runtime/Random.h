//===- Random.h - Arguments made up from a seed -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same values for a seed in every tool and on every machine.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_RANDOM_H
#define DMC_RUNTIME_RANDOM_H

#include "dmc/Runtime/Array.h"

namespace dmc::runtime {

/// Fills argument `index` of a program: floats of a spread that keeps products
/// small; integers 0 and 1, which are valid indices nearly everywhere.
void fillRandom(Array &array, uint64_t seed, size_t index);

} // namespace dmc::runtime

#endif // DMC_RUNTIME_RANDOM_H
