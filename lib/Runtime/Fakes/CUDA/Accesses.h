//===- Accesses.h - Checked accesses of operations --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_FAKES_CUDA_ACCESSES_H
#define DMC_LIB_RUNTIME_FAKES_CUDA_ACCESSES_H

#include "Fakes/CUDA/Simulation.h"

namespace dmc::fakes {

/// Notes that an operation, while it runs, reads or writes bytes of its device, and reports what is
/// wrong. Where they are; null if they are not in one allocation.
uint8_t *accessBytes(const Operation &operation, const Range &range, bool isWrite,
                     bool checksValues = true);

/// Reports work that the host has not waited for and that accesses an allocation about to be freed.
void checkFree(Context &context, ptx::Region &region);

} // namespace dmc::fakes

#endif // DMC_LIB_RUNTIME_FAKES_CUDA_ACCESSES_H
