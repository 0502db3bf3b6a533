//===- RankRates.cpp - What moves and computing cost a rank ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RankRates.h.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/RankRates.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace dmc;

RankRates::RankRates(Machine given, int64_t numRanks)
    : memory(given.device.memoryBytesPerSecond), capacity(given.device.capacityBytes),
      machine(std::move(given)) {
  MachineLevel slowest = machine.getLink(numRanks);
  link = slowest.bytesPerSecond;
  latency = slowest.latencySeconds;
}

double RankRates::getFlops(Type element) const {
  // All formats of a byte have one rate: f8E4M3FN, f8E5M2, ...
  if (auto type = dyn_cast<FloatType>(element); type && type.getWidth() == 8)
    return machine.getFlops("f8");
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return machine.getFlops(name);
}

ReshardOptions RankRates::getReshardOptions() const {
  ReshardOptions options;
  options.rates = {link, latency};
  if (capacity > 0 && capacity < static_cast<double>(options.memoryBytes))
    options.memoryBytes = static_cast<int64_t>(capacity);
  return options;
}
