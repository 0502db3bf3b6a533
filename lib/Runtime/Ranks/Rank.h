//===- Rank.h - One rank and where it is in its step ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program holds as its context.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_RANKS_RANK_H
#define DMC_LIB_RUNTIME_RANKS_RANK_H

#include "Device/Device.h"
#include "Ranks/Recorder.h"
#include "dmc/Layout/Layout.h"
#include "dmc/Runtime/Array.h"

#include <atomic>
#include <memory>
#include <vector>

namespace dmc::runtime {

class Barrier;
class Engine;

enum class RankState : int { Idle, Running, Waiting, Finished };

} // namespace dmc::runtime

/// What several threads read, when they report a hang, is atomic; the rest belongs to the thread
/// that runs the rank.
struct alignas(64) dmc_rank_context {
  dmc::runtime::Engine *engine = nullptr;
  int64_t rank = 0;
  std::vector<int64_t> coordinates;
  std::unique_ptr<dmc::runtime::Device> device;
  dmc::runtime::Buffer staging[2];                  // of collectives on memory of a device
  std::unique_ptr<dmc::runtime::Recorder> recorder; // null unless the session profiles

  std::atomic<dmc::runtime::RankState> state{dmc::runtime::RankState::Idle};
  std::atomic<int64_t> collective{-1}; // the current or the last one
  std::atomic<uint64_t> progress{0};
  std::unique_ptr<std::atomic<int64_t>[]> executions; // per collective, in this step
  /// Where the rank waits for others, or has waited last, and the meeting that it waits for.
  std::atomic<dmc::runtime::Barrier *> barrier{nullptr};
  std::atomic<uint64_t> epoch{0};

  std::vector<int32_t> started; // per collective: starts that were not waited for
  bool failsAllocation = false; // of the next buffer: a fault that was asked for

  void advance() { progress.fetch_add(1, std::memory_order_relaxed); }
};

#endif // DMC_LIB_RUNTIME_RANKS_RANK_H
