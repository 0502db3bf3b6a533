//===- Machine.cpp - Rates, capacities and costs of a machine -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Machine/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace dmc;

llvm::ArrayRef<llvm::StringRef> dmc::getKnownTypes() {
  static const llvm::StringRef types[] = {"i8", "f8", "f16", "bf16", "tf32", "f32", "f64"};
  return types;
}

int64_t Machine::getNumDevices() const {
  int64_t devices = 1;
  for (const MachineLevel &level : levels)
    devices = llvm::MulOverflow(devices, level.size, devices) ? std::numeric_limits<int64_t>::max()
                                                              : devices;
  return devices;
}

std::string Machine::checkRanks(int64_t numRanks) const {
  int64_t devices = getNumDevices();
  if (devices == 0 || numRanks <= devices)
    return {};
  return "the mesh has " + std::to_string(numRanks) + " ranks, but the machine " + name + " has " +
         std::to_string(devices) + (devices == 1 ? " device" : " devices");
}

MachineLevel Machine::getLink(int64_t numRanks) const {
  MachineLevel link = levels.back();
  int64_t covered = link.size;
  for (const MachineLevel &level : llvm::drop_begin(llvm::reverse(levels))) {
    if (covered == 0 || covered >= numRanks)
      break;
    link.name = level.name;
    link.bytesPerSecond = std::min(link.bytesPerSecond, level.bytesPerSecond);
    link.latencySeconds = std::max(link.latencySeconds, level.latencySeconds);
    covered *= level.size;
  }
  link.size = covered;
  link.collectives.clear();
  return link;
}

MachineLevel Machine::getLinkAlong(int64_t stride, int64_t size) const {
  MachineLevel link;
  bool isFirst = true;
  // Of each level, the distance between neighbours of it and the distance that it reaches.
  int64_t inner = 1;
  for (const MachineLevel &level : llvm::reverse(levels)) {
    int64_t outer = 0;
    if (level.size == 0 || llvm::MulOverflow(inner, level.size, outer))
      outer = std::numeric_limits<int64_t>::max();
    if (std::max(stride, inner) < std::min(stride * size, outer)) {
      link.name = level.name;
      link.bytesPerSecond =
          isFirst ? level.bytesPerSecond : std::min(link.bytesPerSecond, level.bytesPerSecond);
      link.latencySeconds =
          isFirst ? level.latencySeconds : std::max(link.latencySeconds, level.latencySeconds);
      isFirst = false;
    }
    inner = outer;
  }
  link.size = size;
  return isFirst ? getLink(stride * size) : link;
}

double Machine::getFlops(llvm::StringRef type) const {
  llvm::ArrayRef<llvm::StringRef> types = getKnownTypes();
  for (llvm::StringRef wider : llvm::make_range(llvm::find(types, type), types.end()))
    if (auto rate = device.flopsPerSecond.find(wider.str()); rate != device.flopsPerSecond.end())
      return rate->second;
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto &[known, rate] : device.flopsPerSecond)
    lowest = std::min(lowest, rate);
  return lowest;
}

/// That of at most so many threads, or else of the fewest, among copies of so many bytes.
static const CopyRate *findCopyOf(llvm::ArrayRef<CopyRate> copies, int64_t threads, int64_t bytes) {
  const CopyRate *best = nullptr;
  for (const CopyRate &rate : copies) {
    if (rate.bytes != bytes)
      continue;
    if (!best || (rate.threads <= threads ? rate.threads > best->threads || best->threads > threads
                                          : rate.threads < best->threads))
      best = &rate;
  }
  return best;
}

const CopyRate *Machine::findCopy(int64_t threads) const {
  return findCopyOf(device.copies, threads, /*bytes=*/0);
}

std::optional<double> Machine::getCopyRate(int64_t threads) const {
  const CopyRate *copy = findCopy(threads);
  return copy ? std::optional(copy->bytesPerSecond) : std::nullopt;
}

const CopyRate *Machine::findCopy(int64_t threads, double cacheBytes) const {
  int64_t most = 0;
  for (const CopyRate &rate : device.copies)
    if (static_cast<double>(rate.bytes) <= cacheBytes)
      most = std::max(most, rate.bytes);
  return most ? findCopyOf(device.copies, threads, most) : nullptr;
}

std::optional<double> Machine::getMatmulRate(llvm::StringRef type, int64_t threads) const {
  int64_t most = 0;
  double best = 0;
  for (const MatmulRate &rate : device.matmuls)
    if (rate.type == type && rate.threads <= threads)
      most = std::max(most, rate.threads);
  for (const MatmulRate &rate : device.matmuls)
    if (rate.type == type && rate.threads == most)
      best = std::max(best, rate.flopsPerSecond);
  return best > 0 ? std::optional(best) : std::nullopt;
}

double Machine::getThreadBytesPerSecond() const {
  return getCopyRate(1).value_or(DefaultRates::threadMemory);
}

double Machine::getThreadFlopsPerSecond() const {
  return device.coreFlopsPerSecond.value_or(DefaultRates::threadFlops);
}

std::optional<int64_t> Machine::getCachePerCore(int64_t level) const {
  for (const MachineCache &cache : device.caches)
    if (cache.level == level)
      return cache.bytes / cache.sharedBy;
  return std::nullopt;
}

std::vector<llvm::SmallVector<int64_t>> Machine::getSubAxes() const {
  std::vector<llvm::SmallVector<int64_t>> axes;
  for (const MachineLevel &level : levels) {
    llvm::SmallVector<int64_t> &factors = axes.emplace_back();
    int64_t rest = level.size;
    for (int64_t factor = 2; rest > 1; ++factor) {
      if (factor * factor > rest)
        factor = rest;
      for (; rest % factor == 0; rest /= factor)
        factors.push_back(factor);
    }
  }
  return axes;
}

int64_t dmc::toPicoseconds(double seconds) {
  double picoseconds = std::round(seconds * 1e12);
  // The largest int64_t is not a double; the next lower one is exact.
  return picoseconds < 0x1p63 ? static_cast<int64_t>(picoseconds)
                              : std::numeric_limits<int64_t>::max();
}
