//===- Recorder.h - What a rank does in a step ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_RANKS_RECORDER_H
#define DMC_LIB_RUNTIME_RANKS_RECORDER_H

#include "dmc/Runtime/Profile.h"

#include <chrono>

namespace dmc::runtime {

/// Records the step of a rank, on its own thread.
class Recorder {
public:
  using Clock = std::chrono::steady_clock;
  void begin(int64_t rank) {
    profile_ = {rank, 0, std::move(profile_.events)};
    profile_.events.clear();
    start_ = Clock::now();
  }
  void end() { profile_.seconds = now(); }
  /// Seconds since the step began.
  double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Time inside of the event that is added next in which this rank waited.
  void addWait(double seconds) { wait_ += seconds; }
  void add(ProfileEvent event) {
    event.end = now();
    event.wait = wait_;
    wait_ = 0;
    profile_.events.push_back(event);
  }
  const RankProfile &profile() const { return profile_; }

private:
  Clock::time_point start_;
  double wait_ = 0;
  RankProfile profile_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_RANKS_RECORDER_H
