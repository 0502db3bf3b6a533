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

/// The registers of 32 bits that a value, or an element of a tensor, of this type takes.
int64_t countWords(mlir::Type type);

/// How many elements a thread may hold in registers if so many words are kept of each.
int64_t countHeldElements(TargetAttr target, int64_t words);

/// Of rows of columns that are summed, those of which the largest team has an access each at once,
/// or as many as its threads hold, if it has a sector of each: of columns of so many bytes in the
/// narrowest and the widest array that is read, of which each row has so many.
int64_t countRowsAtOnce(TargetAttr target, int64_t columns, int64_t narrowest, int64_t widest);

/// The largest team for nests that keep elements in registers.
int64_t getLargestTeam(TargetAttr target);

} // namespace dmc

#endif // DMC_DIALECT_DMC_THREADREGISTERS_H
