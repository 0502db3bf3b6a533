//===- Recorder.h - What a rank does in a step ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_RANKS_RECORDER_H
#define DMC_LIB_RUNTIME_RANKS_RECORDER_H

#include "Device/DeviceClock.h"
#include "dmc/Runtime/Profile.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace dmc::runtime {

/// Records the step of a rank, on its own thread: by the clock of the rank's device, or by that of
/// the host where it has none.
class Recorder {
public:
  using Clock = std::chrono::steady_clock;
  using Failure = std::optional<std::string>;
  /// Something that has begun. It is recorded when it is passed to `add`.
  struct Begun {
    ProfileEvent event;
    uint32_t mark = 0;
  };

  void begin(int64_t rank, DeviceClock *clock);
  /// When all work of the step has ended. Returns what went wrong, or nothing.
  Failure end();
  /// Seconds since the step began, by the host.
  double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Time inside of the event that is added next in which this rank waited.
  void addWait(double seconds) { wait_ += seconds; }
  /// What is done next on a stream begins.
  Begun open(ProfileEvent::Kind kind, uint32_t index, uint32_t stream, int64_t bytes = 0);
  void add(const Begun &begun);
  /// Until `endGraph`, what is added is executed by launches of a graph, which is being captured.
  void beginGraph();
  void endGraph();
  /// The step executes what was added to the graph.
  void addGraph();
  const RankProfile &profile() const { return profile_; }

private:
  Clock::time_point start_;
  double wait_ = 0;
  RankProfile profile_;
  DeviceClock *clock_ = nullptr;
  using Marks = std::vector<std::pair<uint32_t, uint32_t>>;
  Marks marks_; // of the events
  std::vector<ProfileEvent> graphEvents_;
  Marks graphMarks_;
  bool isInGraph_ = false;
  Failure failure_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_RANKS_RECORDER_H
