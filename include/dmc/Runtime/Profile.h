//===- Profile.h - Where the time of a step goes ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank did in a step, as it was recorded; sums over steps as a table, and one step as a
// trace. C++ standard library only.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_PROFILE_H
#define DMC_RUNTIME_PROFILE_H

#include "dmc-c/Program.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dmc::runtime {

/// A launch, a library call, a collective or a copy. Times are seconds since the rank began its
/// step.
struct ProfileEvent {
  enum Kind : uint32_t { Launch, Collective, Call, Copy };
  Kind kind = Launch;
  uint32_t index = 0; // of the program's kernel, collective or call; of a copy: copyIndex
  double begin = 0, end = 0;
  double wait = 0;     // of a collective, by the host: this rank waited for others
  int threads = 1;     // that ran a nest of the launch together, or that the library may use; 0:
                       // not known
  uint32_t stream = 0; // of the device
  int64_t bytes = 0;   // of a copy
};

/// Between which memory spaces a copy goes.
constexpr uint32_t copyIndex(uint32_t fromSpace, uint32_t toSpace) {
  return 2 * fromSpace + toSpace;
}

/// What times are by: the host's clock, events of a device, or a simulated device's model of them.
enum class ProfileClock { Host, Device, Modelled };

/// A step of a rank.
struct RankProfile {
  int64_t rank = 0;
  double seconds = 0; // by `clock`; on a device until its last event
  std::vector<ProfileEvent> events;
  ProfileClock clock = ProfileClock::Host;
  double hostSeconds = 0; // by the host, in any case
};

/// What the threads of a rank, or its device, reach at best while all other ranks do the same.
struct ProfileLimits {
  double copyBytes = 0; // that a copy reads and writes in a second; 0: not known
  double flops = 0;     // of matrix multiplications in a second; 0: not known
};

/// Sums over steps and ranks.
class Profile {
public:
  explicit Profile(const dmc_program &program) : program_(program) {}

  /// Adds a step of all ranks of this process.
  void add(const std::vector<RankProfile> &ranks);
  /// Page faults and allocations of a step, in this process.
  void addCounts(int64_t pageFaults, int64_t allocations);

  /// A row for each kernel, library call, collective and copy, by time: mean of a rank in a step,
  /// with its shares of the limits that are known, and what it was predicted to take if the program
  /// says so.
  std::string toTable(const ProfileLimits &limits) const;
  /// The step that was added last as trace events in JSON, which Perfetto and chrome://tracing
  /// show: a track for each rank, or for each stream of each rank's device.
  std::string toTrace() const;

private:
  struct Row {
    int64_t count = 0;
    double seconds = 0, wait = 0, bytes = 0;
    int threads = 0;
  };
  std::string headText(const ProfileLimits &limits) const;
  std::string sumText(const char *what, double seconds) const;
  std::string streamsText() const;
  std::string rowText(const std::string &what, const std::string &name, const Row &row,
                      double bytes, double flops, double predicted,
                      const ProfileLimits &limits) const;
  /// The predicted step beside the measured one, and what is predicted badly.
  std::string predictionText() const;

  const dmc_program &program_;
  std::map<std::pair<ProfileEvent::Kind, uint32_t>, Row> rows_;
  int64_t rankSteps_ = 0, steps_ = 0; // added: of all ranks; of the process
  double seconds_ = 0, hostSeconds_ = 0;
  ProfileClock clock_ = ProfileClock::Host;
  std::map<uint32_t, double> streams_; // seconds in which each stream of a device had work
  double busy_ = 0;                    // and in which any had
  int64_t pageFaults_ = 0, allocations_ = 0;
  std::vector<RankProfile> last_;
};

/// Bytes a second that so many threads of this process read and write together when each copies
/// memory far larger than the caches: the best of several tries.
double measureCopyRate(int threads);

} // namespace dmc::runtime

#endif // DMC_RUNTIME_PROFILE_H
