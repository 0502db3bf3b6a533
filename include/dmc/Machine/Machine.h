//===- Machine.h - Rates, capacities and costs of a machine -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program runs on, in numbers: devices (one a rank) and the levels of links between them.
// docs/machine.md has the file's form, the units and where the numbers come from.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_MACHINE_MACHINE_H
#define DMC_MACHINE_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dmc {

/// The rates that a plan assumes without a machine: a CPU rank of one thread among others in its
/// process. Only the ratios decide a plan: 100 bytes take as long as a message, 8 FLOPs as long
/// as a byte on the link. Operations outside of contractions are charged what they read and write
/// without being fused; most are fused, so the memory rate is well above what memory gives.
struct DefaultRates {
  static constexpr double link = 1e9;
  static constexpr double latency = 1e-7;
  static constexpr double flops = 8e9;
  static constexpr double memory = 1e12;
  /// Of one thread: what a core reads and writes where all use the memory, and a scalar operation
  /// every two or three cycles. Errors by a factor of two cost little: work that takes about as
  /// long as waking threads gains or loses little by them.
  static constexpr double threadMemory = 10e9;
  static constexpr double threadFlops = 1e9;
};

/// A cache for data, as a core sees it.
struct MachineCache {
  int64_t level = 1;
  int64_t bytes = 0;
  int64_t lineBytes = 0;
  /// Cores that use the same one.
  int64_t sharedBy = 1;
};

/// Bytes a second that so many threads of one device read and write together.
struct CopyRate {
  int64_t threads = 1;
  /// In copies.
  double bytesPerSecond = 0;
  /// What each thread copies from and to, again and again: it stays in the caches that have room.
  /// 0: far more than all caches have.
  int64_t bytes = 0;
  /// Where they only read as much, and where they replace each element that they read; 0: not
  /// known, then all accesses are as fast as those of copies.
  double readBytesPerSecond = 0, updateBytesPerSecond = 0;
};

/// What a library's matrix multiplication of m x k by k x n reached.
struct MatmulRate {
  std::string type;
  int64_t m = 0, n = 0, k = 0;
  int64_t threads = 1;
  double flopsPerSecond = 0;
};

/// What a collective over all devices of a level took; `bytes` are those of one rank's larger
/// side: the operand of an all-reduce, a reduce-scatter and an all-to-all, the result of an
/// all-gather.
struct CollectiveTime {
  std::string kind;
  int64_t bytes = 0;
  double seconds = 0;
};

/// One level of links.
struct MachineLevel {
  std::string name;
  /// Groups of the next inner level (innermost: devices) that the level connects; 0: any number.
  int64_t size = 0;
  /// What one device can send while all others do the same, in one direction.
  double bytesPerSecond = DefaultRates::link;
  /// Of each message that waits for the one before.
  double latencySeconds = DefaultRates::latency;
  std::vector<CollectiveTime> collectives;
};

/// What one rank computes with.
struct MachineDevice {
  std::string name;
  /// FLOPs a second in contractions, by element type (`getKnownTypes`); at least one.
  std::map<std::string, double> flopsPerSecond = {{"f32", DefaultRates::flops}};
  double memoryBytesPerSecond = DefaultRates::memory;
  /// 0: no bound.
  double capacityBytes = 0;
  /// Cores that a rank's threads share; a GPU is one.
  int64_t cores = 1;
  /// To launch a kernel, to call the vendor's library, and to wake a rank's threads and wait for
  /// them: each on top of what is computed. Nothing: not known.
  std::optional<double> launchSeconds, callSeconds, forkSeconds;
  /// Operations a second of one core outside of the vendor's library. Nothing: not known.
  std::optional<double> coreFlopsPerSecond;
  std::vector<MachineCache> caches;
  std::vector<CopyRate> copies;
  std::vector<MatmulRate> matmuls;
};

struct Machine {
  /// Empty: none was named, all numbers are the defaults or those of the short form.
  std::string name;
  std::string note;
  MachineDevice device;
  /// Outermost to innermost, at least one.
  std::vector<MachineLevel> levels = {{}};

  /// The product of all levels' sizes; 0: any number.
  int64_t getNumDevices() const;
  /// Empty, or why the machine has no room for so many ranks.
  std::string checkRanks(int64_t numRanks) const;
  /// The slowest link and the largest latency within the first `numRanks` devices: ranks fill
  /// the innermost level first. What a collective among them takes at most.
  MachineLevel getLink(int64_t numRanks) const;
  /// The same among `size` devices whose numbers are `stride` apart: they use the levels that lie
  /// between a distance of `stride` and one of `stride * size`.
  MachineLevel getLinkAlong(int64_t stride, int64_t size) const;
  /// FLOPs a second for an element type, as `getKnownTypes` spells it: of a type without a rate
  /// that of the next wider one that has one (it is computed in), else the lowest of all.
  double getFlops(llvm::StringRef type) const;
  /// What so many threads of a device copy: the rates measured with at most as many threads. Null
  /// if the machine has none.
  const CopyRate *findCopy(int64_t threads) const;
  std::optional<double> getCopyRate(int64_t threads) const;
  /// The same of what stays in a cache where each thread has so many bytes: the rates of the most
  /// that were measured within it. Null if none were.
  const CopyRate *findCopy(int64_t threads, double cacheBytes) const;
  /// The most FLOPs a second that the library reached for a type with so many threads of a device,
  /// or with the next smaller number that was measured. Nothing if none was.
  std::optional<double> getMatmulRate(llvm::StringRef type, int64_t threads) const;
  /// What one thread reads and writes, and computes outside of the vendor's library, in a second:
  /// measured, or the defaults.
  double getThreadBytesPerSecond() const;
  double getThreadFlopsPerSecond() const;
  /// Bytes of a cache that one core may use while all others do the same: its part of the
  /// level. Nothing if the machine does not list the level.
  std::optional<int64_t> getCachePerCore(int64_t level) const;
  /// The sizes into which a mesh may divide the machine: of each level, outermost first, the
  /// prime factors in ascending order. A level of any size has none.
  std::vector<llvm::SmallVector<int64_t>> getSubAxes() const;
};

/// The element types that rates may be given for, narrow to wide.
llvm::ArrayRef<llvm::StringRef> getKnownTypes();

/// Whole picoseconds, rounded to the nearest, so that sums of times compare exactly; the largest
/// number where it does not fit (106 days).
int64_t toPicoseconds(double seconds);

/// A machine from the text of an option: empty (the defaults), the path of a machine file, or
/// `link=1e9,latency=1e-7,flops=8e9,memory=1e12,capacity=1e9`, each optional and all positive
/// (latency may be 0). Nothing, and why.
std::optional<Machine> parseMachine(llvm::StringRef text, std::string &error);

/// A machine from the JSON text of a file; `file` is for the message, which names the key.
std::optional<Machine> parseMachineFile(llvm::StringRef text, llvm::StringRef file,
                                        std::string &error);

/// The JSON text that parseMachineFile reads. The capacity is bounded and no level of any size.
std::string toJson(const Machine &machine);

} // namespace dmc

#endif // DMC_MACHINE_MACHINE_H
