//===- StepModel.cpp - What the parts of a step take -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dmc/Machine/StepModel.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>
#include <map>

using namespace dmc;

/// Of all ranks that share what was measured. A copy of a byte reads one and writes one, and so
/// does an update, whose write begins with a line that was read.
static AccessSeconds getSeconds(const CopyRate &rate, double sharing) {
  if (rate.readBytesPerSecond <= 0) {
    double any = sharing / rate.bytesPerSecond;
    return {any, any, any};
  }
  double read = sharing / rate.readBytesPerSecond;
  return {read, std::max(0.0, 2 * sharing / rate.updateBytesPerSecond - read),
          std::max(0.0, 2 * sharing / rate.bytesPerSecond - read)};
}

StepModel::StepModel(const Machine &machine, int64_t numRanks)
    : machine(machine), numRanks(numRanks) {
  const MachineDevice &device = machine.device;
  int64_t local = numRanks;
  if (int64_t size = machine.levels.back().size)
    local = std::min(local, size);
  // Ranks that are threads of a process were measured together, by the threads of all of them.
  for (const CopyRate &copy : device.copies)
    if (copy.threads > device.cores)
      sharing = local;
  int64_t threads = device.cores * sharing;
  // What copies of a core kept to has room for as much again, as caches were measured by halves; a
  // part of a last cache may be faster than all of it, which others use, too.
  std::map<int64_t, double> roomOf;
  for (const CopyRate &copy : device.copies)
    if (copy.bytes)
      roomOf[copy.bytes] = 2 * static_cast<double>(copy.bytes);
  for (const MachineCache &cache : device.caches) {
    double ofCore = static_cast<double>(cache.bytes) / static_cast<double>(cache.sharedBy);
    if (const CopyRate *rate = machine.findCopy(threads, ofCore))
      roomOf[rate->bytes] = std::max(roomOf[rate->bytes], ofCore);
  }
  for (auto [bytes, room] : roomOf)
    levels.push_back({room * static_cast<double>(device.cores),
                      getSeconds(*machine.findCopy(threads, static_cast<double>(bytes)),
                                 static_cast<double>(sharing))});
  const CopyRate *rate = machine.findCopy(threads);
  levels.push_back({std::numeric_limits<double>::infinity(),
                    rate ? getSeconds(*rate, static_cast<double>(sharing))
                         : getSeconds({1, device.memoryBytesPerSecond}, 1)});
}

double StepModel::getMoving(const AccessedBytes &bytes) const {
  double moving = 0;
  for (auto [read, update, write, level] :
       llvm::zip_equal(bytes.read, bytes.update, bytes.write, levels))
    moving +=
        read * level.seconds.read + update * level.seconds.update + write * level.seconds.write;
  return moving;
}

double StepModel::getNest(const AccessedBytes &bytes, double flops) const {
  const MachineDevice &device = machine.device;
  double computing = 0;
  if (device.coreFlopsPerSecond)
    computing = flops / (*device.coreFlopsPerSecond * static_cast<double>(device.cores));
  return std::max(getMoving(bytes), computing) + device.launchSeconds.value_or(0);
}

/// Bytes of an element of a type, as its name says.
static double getElementBytes(llvm::StringRef type) {
  unsigned bits = 32;
  type.ltrim("abcdefghijklmnopqrstuvwxyz").getAsInteger(10, bits);
  return bits / 8.0;
}

/// Without what its operands took to move while it was measured, when they were in the innermost
/// memory that has room for all of them; at most the best rate of the type.
double StepModel::getComputingRate(const MatmulRate &rate, double bestRate) const {
  auto m = static_cast<double>(rate.m), n = static_cast<double>(rate.n),
       k = static_cast<double>(rate.k);
  double element = getElementBytes(rate.type), read = element * (m * k + k * n),
         written = element * m * n;
  const MemoryLevel &level = *llvm::find_if(
      levels, [&](const MemoryLevel &level) { return read + written <= level.bytes; });
  double flops = 2 * m * n * k;
  double computing =
      flops / rate.flopsPerSecond - read * level.seconds.read - written * level.seconds.write;
  return computing > flops / bestRate ? flops / computing : bestRate;
}

/// The mean of the logarithms of measured rates, weighted by the inverse fourth power of the
/// distance between the logarithms of the sizes (Shepard 1968, "A two-dimensional interpolation
/// function for irregularly-spaced data"): exact at measured shapes. An exponent above the three
/// dimensions keeps the many that are far away from deciding.
double StepModel::getMatmulRate(llvm::StringRef type, double m, double n, double k) const {
  int64_t threads = 0;
  for (const MatmulRate &rate : machine.device.matmuls)
    if (rate.type == type && rate.threads <= machine.device.cores)
      threads = std::max(threads, rate.threads);
  double best = 0;
  for (const MatmulRate &rate : machine.device.matmuls)
    if (rate.type == type && rate.threads == threads)
      best = std::max(best, rate.flopsPerSecond);
  double weights = 0, logs = 0;
  for (const MatmulRate &rate : machine.device.matmuls) {
    if (rate.type != type || rate.threads != threads)
      continue;
    double squared = 0;
    for (auto [asked, known] : {std::pair(m, rate.m), std::pair(n, rate.n), std::pair(k, rate.k)})
      squared += std::pow(std::log2(asked / static_cast<double>(known)), 2);
    double computing = getComputingRate(rate, best);
    if (squared == 0)
      return computing;
    double weight = 1 / (squared * squared);
    weights += weight;
    logs += weight * std::log(computing);
  }
  return weights > 0 ? std::exp(logs / weights) : machine.getFlops(type);
}

double StepModel::getMatmuls(llvm::StringRef type, double count, double m, double n, double k,
                             const AccessedBytes &bytes) const {
  return 2 * count * m * n * k / getMatmulRate(type, m, n, k) + getMoving(bytes) +
         machine.device.callSeconds.value_or(0);
}

double StepModel::getCollective(llvm::StringRef kind, double bytes, int64_t groupSize,
                                double sentBytes, double messages) const {
  // Times were measured between all devices of a level.
  const MachineLevel &level = machine.levels.back();
  const CollectiveTime *below = nullptr, *above = nullptr;
  if (level.size == groupSize && groupSize == numRanks)
    for (const CollectiveTime &time : level.collectives) {
      if (time.kind != kind)
        continue;
      auto known = static_cast<double>(time.bytes);
      if (known <= bytes && (!below || time.bytes > below->bytes))
        below = &time;
      if (known >= bytes && (!above || time.bytes < above->bytes))
        above = &time;
    }
  if (!below && !above) {
    MachineLevel link = machine.getLink(numRanks);
    return sentBytes / link.bytesPerSecond + messages * link.latencySeconds;
  }
  if (!below)
    return above->seconds;
  auto first = static_cast<double>(below->bytes);
  if (!above)
    return below->seconds * bytes / first;
  if (above == below)
    return below->seconds;
  // Straight between the logarithms: sizes are powers apart.
  double share = std::log(bytes / first) / std::log(static_cast<double>(above->bytes) / first);
  return below->seconds * std::pow(above->seconds / below->seconds, share);
}
