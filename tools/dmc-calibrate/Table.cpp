//===- Table.cpp - What was measured, for people --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Calibrate.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace dmc;
using namespace dmc::calibrate;

/// As 64 KB or 8 MB.
static std::string bytesText(int64_t bytes) {
  if (bytes >= 1 << 20 && bytes % (1 << 20) == 0)
    return std::to_string(bytes >> 20) + " MB";
  return bytes >= 1 << 10 ? std::to_string(bytes >> 10) + " KB" : std::to_string(bytes) + " B";
}

static std::string secondsText(double seconds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (seconds < 1e-6)
    os << llvm::format("%.0f ns", seconds * 1e9);
  else if (seconds < 1e-3)
    os << llvm::format("%.1f us", seconds * 1e6);
  else
    os << llvm::format("%.2f ms", seconds * 1e3);
  return text;
}

std::string calibrate::toTable(const Machine &machine,
                               llvm::ArrayRef<std::pair<int, double>> triads) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const MachineDevice &device = machine.device;
  os << device.name << ": " << machine.getNumDevices() << " ranks of " << device.cores
     << (device.cores == 1 ? " core\n" : " cores\n");
  for (const MachineCache &cache : device.caches)
    os << "cache of level " << cache.level << ": " << bytesText(cache.bytes) << ", lines of "
       << cache.lineBytes << " bytes, shared by " << cache.sharedBy << "\n";
  os << "\nthreads    of each   copy GB/s   read GB/s update GB/s  triad GB/s\n";
  for (const CopyRate &copy : device.copies) {
    os << llvm::format("%7d %10s %11.2f %11.2f %11.2f", int(copy.threads),
                       copy.bytes ? bytesText(copy.bytes).c_str() : "memory",
                       copy.bytesPerSecond / 1e9, copy.readBytesPerSecond / 1e9,
                       copy.updateBytesPerSecond / 1e9);
    for (auto [threads, rate] : triads)
      if (threads == copy.threads && !copy.bytes)
        os << llvm::format(" %11.2f", rate / 1e9);
    os << "\n";
  }
  os << "\nmatmul    m     n     k  threads   GFLOP/s\n";
  for (const MatmulRate &rate : device.matmuls)
    os << llvm::format("%-6s %5d %5d %5d %8d %9.2f\n", rate.type.c_str(), int(rate.m), int(rate.n),
                       int(rate.k), int(rate.threads), rate.flopsPerSecond / 1e9);
  os << "\n";
  auto cost = [&](const char *what, std::optional<double> seconds) {
    if (seconds)
      os << llvm::format("%-34s", what) << secondsText(*seconds) << "\n";
  };
  cost("launch of a kernel", device.launchSeconds);
  cost("call of the matrix library", device.callSeconds);
  cost("waking the threads", device.forkSeconds);
  if (device.coreFlopsPerSecond)
    os << llvm::format("%-34s%.2f GFLOP/s\n", "elementwise, one core",
                       *device.coreFlopsPerSecond / 1e9);
  for (const MachineLevel &level : machine.levels) {
    os << "\n"
       << level.name << ", " << level.size
       << " ranks: " << llvm::format("%.2f GB/s, ", level.bytesPerSecond / 1e9)
       << secondsText(level.latencySeconds) << " a message\n"
       << "collective         bytes        time   sent GB/s\n";
    for (const CollectiveTime &time : level.collectives)
      os << llvm::format("%-15s %8s  %10s %11.2f\n", time.kind.c_str(),
                         bytesText(time.bytes).c_str(), secondsText(time.seconds).c_str(),
                         getSentBytes(time, level.size) / time.seconds / 1e9);
  }
  return text;
}
