//===- ThreadRegisters.h - What a device's threads hold ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of their registers threads use: what kernels are formed by, and code is made by.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_DIALECT_DMC_THREADREGISTERS_H
#define DMC_DIALECT_DMC_THREADREGISTERS_H

#include "dmc/Dialect/DMC/DMC.h"

namespace dmc {

/// How many elements a thread may hold in registers if so many words are kept of each.
int64_t countHeldElements(TargetAttr target, int64_t words);

/// The largest team for nests that keep elements in registers.
int64_t getLargestTeam(TargetAttr target);

} // namespace dmc

#endif // DMC_DIALECT_DMC_THREADREGISTERS_H
