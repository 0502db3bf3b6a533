//===- RankRates.cpp - What moves and computing cost a rank ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RankRates.h.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/RankRates.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace dmc;

RankRates::RankRates(Machine given, int64_t numRanks)
    : memory(given.device.memoryBytesPerSecond), capacity(given.device.capacityBytes),
      machine(std::move(given)) {
  MachineLevel slowest = machine.getLink(numRanks);
  link = slowest.bytesPerSecond;
  latency = slowest.latencySeconds;
}

RankRates::RankRates(Machine given, const Mesh &mesh)
    : RankRates(std::move(given), mesh.numRanks()) {
  int64_t stride = 1;
  for (size_t axis = mesh.size(); axis-- > 0;) {
    strides.insert(strides.begin(), stride);
    sizes.insert(sizes.begin(), mesh.axis(axis).size);
    stride *= mesh.axis(axis).size;
  }
}

LinkRates RankRates::getRates(llvm::ArrayRef<AxisRef> axes) const {
  if (axes.empty() || strides.empty() || machine.levels.size() == 1)
    return {link, latency};
  LinkRates rates{std::numeric_limits<double>::infinity(), 0};
  for (const AxisRef &axis : axes) {
    // Of an axis, the part that is its minor end has its stride.
    int64_t minor = sizes[axis.axis] / (axis.preSize * axis.size);
    MachineLevel used = machine.getLinkAlong(strides[axis.axis] * minor, axis.size);
    rates.bytesPerSecond = std::min(rates.bytesPerSecond, used.bytesPerSecond);
    rates.secondsPerMessage = std::max(rates.secondsPerMessage, used.latencySeconds);
  }
  return rates;
}

double RankRates::getSeconds(llvm::ArrayRef<Move> moves) const {
  double seconds = 0;
  for (const Move &move : moves)
    seconds += getSeconds(move.traffic, move.axes);
  return seconds;
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
  options.fastest = options.rates;
  // Of the levels that the ranks use, the outermost comes first.
  const int64_t numRanks = strides.empty() ? 1 : strides.front() * sizes.front();
  int64_t inner = 1;
  for (const MachineLevel &level : llvm::reverse(machine.levels)) {
    if (inner >= numRanks)
      break;
    options.fastest.bytesPerSecond = std::max(options.fastest.bytesPerSecond, level.bytesPerSecond);
    options.fastest.secondsPerMessage =
        std::min(options.fastest.secondsPerMessage, level.latencySeconds);
    if (level.size == 0 || llvm::MulOverflow(inner, level.size, inner))
      break;
  }
  if (options.fastest.bytesPerSecond != link || options.fastest.secondsPerMessage != latency)
    options.ratesAlong = [rates = *this](const std::vector<AxisRef> &axes) {
      return rates.getRates(axes);
    };
  if (capacity > 0 && capacity < static_cast<double>(options.memoryBytes))
    options.memoryBytes = static_cast<int64_t>(capacity);
  return options;
}
