//===- LocalWatch.cpp - Hangs of ranks that are threads -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that started a step watches over it: it reports ranks that wait for
// each other at once, and a lack of progress after a while.
//
//===----------------------------------------------------------------------===//

#include "Ranks/LocalRanks.h"

#include <chrono>
#include <cstdio>

using namespace dmc;
using namespace dmc::runtime;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string LocalRanks::describeRanks() const {
  std::string text;
  for (const auto &rank : ranks_) {
    int64_t collective = rank->collective.load(std::memory_order_relaxed);
    std::string name = "\n  rank " + std::to_string(rank->rank);
    switch (rank->state.load(std::memory_order_acquire)) {
    case RankState::Waiting:
      text += describeWait(rank->rank, collective,
                           rank->executions[collective].load(std::memory_order_relaxed));
      break;
    case RankState::Finished:
      text += name + " has ended its step";
      break;
    case RankState::Idle:
    case RankState::Running:
      text += name + (collective < 0 ? " runs before its first collective"
                                     : " runs, last seen at " + describe(collective));
      break;
    }
  }
  return text;
}

uint64_t LocalRanks::totalProgress() const {
  uint64_t total = 0;
  for (const auto &rank : ranks_)
    total += rank->progress.load(std::memory_order_relaxed);
  return total;
}

/// True if every rank that has not ended waits in a meeting that is not complete:
/// then nobody is left to complete it.
bool LocalRanks::isDeadlocked() const {
  uint64_t before = totalProgress();
  bool someoneWaits = false;
  for (const auto &rank : ranks_) {
    RankState state = rank->state.load(std::memory_order_acquire);
    if (state == RankState::Finished)
      continue;
    Barrier *barrier = rank->barrier.load(std::memory_order_relaxed);
    if (state != RankState::Waiting || !barrier ||
        barrier->epoch() != rank->epoch.load(std::memory_order_relaxed))
      return false;
    someoneWaits = true;
  }
  return someoneWaits && totalProgress() == before;
}

/// Waits until all ranks have ended; `lock` holds the ranks' mutex.
void LocalRanks::supervise(std::unique_lock<std::mutex> &lock) {
  auto done = [&] { return running_ == 0; };
  uint64_t progress = totalProgress();
  auto lastChange = Clock::now();
  std::optional<Clock::time_point> failedAt;
  int deadlocks = 0;
  while (!ended_.wait_for(lock, std::chrono::milliseconds(50), done)) {
    if (failed_.load(std::memory_order_acquire)) {
      if (!failedAt)
        failedAt = Clock::now();
      if (secondsSince(*failedAt) > graceSeconds_) {
        stuck_ = true;
        return;
      }
      continue;
    }
    bool someoneWaits = false;
    for (const auto &rank : ranks_)
      someoneWaits |= rank->state.load(std::memory_order_acquire) == RankState::Waiting;
    uint64_t now = totalProgress();
    if (now != progress || !someoneWaits) {
      progress = now;
      lastChange = Clock::now();
      deadlocks = 0;
      continue;
    }
    // Seen twice: a rank between two states cannot be mistaken for a waiting one.
    deadlocks = isDeadlocked() ? deadlocks + 1 : 0;
    if (deadlocks == 2)
      fail("ranks wait for each other:" + describeRanks());
    else if (watchdogSeconds_ > 0 && secondsSince(lastChange) > watchdogSeconds_) {
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%.3g", watchdogSeconds_);
      fail(std::string("no progress for ") + seconds + " s:" + describeRanks());
    }
  }
}
