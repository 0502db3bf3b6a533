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

/// A launch, a library call or a collective. Times are seconds since the rank began its step.
struct ProfileEvent {
  enum Kind : uint32_t { Launch, Collective, Call };
  Kind kind = Launch;
  uint32_t index = 0; // of the program's kernel, collective or call
  double begin = 0, end = 0;
  double wait = 0; // of a collective: the part in which this rank waited for others
  int threads = 1; // that ran a nest of the launch together, or that the library may use
};

/// A step of a rank.
struct RankProfile {
  int64_t rank = 0;
  double seconds = 0;
  std::vector<ProfileEvent> events;
};

/// What the threads of a rank reach at best while all other ranks do the same.
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

  /// A row for each kernel, library call and collective, by time: mean of a rank in a step, with
  /// its shares of the limits that are known.
  std::string toTable(const ProfileLimits &limits) const;
  /// The step that was added last as trace events in JSON, which Perfetto and chrome://tracing
  /// show: a track for each rank.
  std::string toTrace() const;

private:
  struct Row {
    int64_t count = 0;
    double seconds = 0, wait = 0;
    int threads = 1;
  };
  std::string rowText(const std::string &what, const std::string &name, const Row &row,
                      double bytes, double flops, const ProfileLimits &limits) const;

  const dmc_program &program_;
  std::map<std::pair<ProfileEvent::Kind, uint32_t>, Row> rows_;
  int64_t rankSteps_ = 0, steps_ = 0; // added: of all ranks; of the process
  double seconds_ = 0;
  int64_t pageFaults_ = 0, allocations_ = 0;
  std::vector<RankProfile> last_;
};

/// Bytes a second that so many threads of this process read and write together when each copies
/// memory far larger than the caches: the best of several tries.
double measureCopyRate(int threads);

} // namespace dmc::runtime

#endif // DMC_RUNTIME_PROFILE_H
