//===- ThreadRates.cpp - What one thread does in a second -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Machine/ThreadRates.h"

#include <cmath>

using namespace dmc;

ThreadRates dmc::getThreadRates(const Machine &machine) {
  double ofCore = machine.getFlops("f32") / static_cast<double>(machine.device.cores);
  return {std::llround(machine.getThreadBytesPerSecond()),
          std::llround(machine.getThreadFlopsPerSecond()),
          std::llround(4 * machine.getMatmulRate("f32", 1).value_or(ofCore) *
                       machine.device.forkSeconds.value_or(5e-6))};
}
