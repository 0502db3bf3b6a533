//===- ThreadRates.h - What one thread does in a second ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_MACHINE_THREADRATES_H
#define DMC_MACHINE_THREADRATES_H

#include "dmc/Machine/Machine.h"

namespace dmc {

/// By which the runtime decides whether waking other threads pays: bytes that one thread reads and
/// writes and operations in nests in a second, and the operations from which a contraction pays.
struct ThreadRates {
  int64_t bytes = 0, flops = 0, leastDividedFlops = 0;
};

/// A contraction is taken to reach what the library did in f32 on one thread, else a core's part of
/// a device. Two threads save half of its time, which must be twice what waking them takes: from 4
/// * rate * fork operations on. A machine that does not say what waking takes is taken to need 5
/// us: a sleeping thread's wake-up by the system, and the way back.
ThreadRates getThreadRates(const Machine &machine);

} // namespace dmc

#endif // DMC_MACHINE_THREADRATES_H
