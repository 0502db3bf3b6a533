//===- Calibrate.h - Measurements of this machine ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMCCALIBRATE_CALIBRATE_H
#define DMC_TOOLS_DMCCALIBRATE_CALIBRATE_H

#include "dmc/Machine/Machine.h"
#include "dmc/Runtime/Session.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>

namespace dmc::calibrate {

using runtime::Failure;

/// How much is measured.
struct Effort {
  /// For each figure.
  double seconds = 0.12;
  /// Of an array that is copied: far above what caches hold.
  int64_t copyBytes = int64_t(64) << 20;
  int64_t largestMatrix = 2048;
  int64_t largestCollective = int64_t(64) << 20;
};

/// Seconds that `body` takes: the median of repetitions for so long, three at least, after a first
/// one, which may start threads and make plans. A step is as often disturbed as they are.
double measureSeconds(double seconds, llvm::function_ref<void()> body);

/// What so many threads read and write together when each copies memory (two bytes for each that
/// is copied), and in a[i] = b[i] + s * c[i] (three arrays): bytes a second. Each copies from and
/// to `bytes` in all, again and again.
double measureCopy(const Effort &effort, int threads, int64_t bytes);
/// What they read, each from `bytes`, and what they read and write there when each replaces its
/// elements: bytes a second.
double measureRead(const Effort &effort, int threads, int64_t bytes);
double measureUpdate(const Effort &effort, int threads, int64_t bytes);
double measureTriad(const Effort &effort, int threads);

/// Multiplications and additions a second of one core on data in its first cache, by vector
/// instructions of up to 32 bytes: what generated kernels are made of.
double measureCoreFlops(const Effort &effort);

/// The matrix library's rates with so many threads: each type by shape. As many ranks as `together`
/// measure it at once, of which it is what one reaches.
Failure measureMatmuls(const Effort &effort, int threads, int64_t together,
                       std::vector<MatmulRate> &rates);
/// Of a call of the library that has next to nothing to compute.
Failure measureCall(const Effort &effort, double &seconds);

/// Of a kernel that does nothing, and the extra time if so many threads run it; nothing of one.
Failure measureLaunch(const Effort &effort, int threads, double &launch,
                      std::optional<double> &fork);

/// All kinds of collectives between ranks, by size: of the job, or that are threads of this
/// process where there is none.
Failure measureCollectives(const Effort &effort, runtime::Transport *transport, int64_t numRanks,
                           std::vector<CollectiveTime> &times);

/// Bytes a second and seconds a message by which plans price collectives (bytes sent / rate +
/// messages * latency, docs/algebra.md, section 5): the rate that those of the largest size
/// reached, and the latency that remains of those of the least.
void fitLink(llvm::ArrayRef<CollectiveTime> times, int64_t numRanks, MachineLevel &level);

/// Bytes that leave a rank.
double getSentBytes(const CollectiveTime &time, int64_t numRanks);

/// Memory that the process may use, and the name of the processor.
double findMemoryBytes();
std::string findProcessorName();

/// What was measured, for people.
std::string toTable(const Machine &machine, llvm::ArrayRef<std::pair<int, double>> triads);

} // namespace dmc::calibrate

#endif // DMC_TOOLS_DMCCALIBRATE_CALIBRATE_H
