//===- Supervision.cpp - Faults, hangs and their reports ------------------===//
//
// The thread that started a step watches over it: it reports ranks that wait for
// each other at once, and a lack of progress after a while.
//
//===----------------------------------------------------------------------===//

#include "LocalEngine.h"
#include "dmc/Runtime/Report.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace dmc;
using namespace dmc::runtime;
using Clock = std::chrono::steady_clock;

/// How long ranks may take to end after a failure, before they count as stuck.
static constexpr double graceSeconds = 10;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int32_t LocalEngine::fail(const std::string &message) {
  {
    std::lock_guard<std::mutex> lock(failureMutex_);
    if (!failed_.load(std::memory_order_relaxed))
      failure_ = message;
    failed_.store(true, std::memory_order_release);
  }
  for (auto &point : points_)
    point.second->barrier.wake();
  return 1;
}

std::string LocalEngine::describe(int64_t index) const {
  const dmc_collective &collective = program_.collectives[index];
  std::string text =
      "collective " + std::to_string(index) + " (" + collectiveName(collective.kind) + " over {";
  for (uint32_t i = 0; i < collective.num_axes; ++i)
    text += (i ? ", \"" : "\"") + toString(mesh_, axisRefOf(collective.axes[i])) + "\"";
  if (collective.num_groups)
    text += groupsText(collective);
  text += "}";
  if (collective.location && *collective.location)
    text += std::string(" at ") + collective.location;
  return text + ")";
}

std::string LocalEngine::describeRanks() const {
  std::string text;
  for (const auto &rank : ranks_) {
    const RankStatus &status = rank->status;
    int64_t collective = status.collective.load(std::memory_order_relaxed);
    text += "\n  rank " + std::to_string(rank->rank);
    switch (status.state.load(std::memory_order_acquire)) {
    case RankState::Waiting:
      text += " waits at " + describe(collective) + ", executed " +
              std::to_string(status.executions[collective].load(std::memory_order_relaxed)) +
              " times before";
      break;
    case RankState::Finished:
      text += " has ended its step";
      break;
    case RankState::Idle:
    case RankState::Running:
      text += collective < 0 ? " runs before its first collective"
                             : " runs, last seen at " + describe(collective);
      break;
    }
  }
  return text;
}

uint64_t LocalEngine::totalProgress() const {
  uint64_t total = 0;
  for (const auto &rank : ranks_)
    total += rank->status.progress.load(std::memory_order_relaxed);
  return total;
}

/// True if every rank that has not ended waits in a meeting that is not complete:
/// then nobody is left to complete it.
bool LocalEngine::isDeadlocked() const {
  uint64_t before = totalProgress();
  bool someoneWaits = false;
  for (const auto &rank : ranks_) {
    const RankStatus &status = rank->status;
    RankState state = status.state.load(std::memory_order_acquire);
    if (state == RankState::Finished)
      continue;
    Barrier *barrier = status.barrier.load(std::memory_order_relaxed);
    if (state != RankState::Waiting || !barrier ||
        barrier->epoch() != status.epoch.load(std::memory_order_relaxed))
      return false;
    someoneWaits = true;
  }
  return someoneWaits && totalProgress() == before;
}

/// Waits until all ranks have ended; `lock` holds the engine's mutex.
void LocalEngine::supervise(std::unique_lock<std::mutex> &lock) {
  auto done = [&] { return running_ == 0; };
  uint64_t progress = totalProgress();
  auto lastChange = Clock::now();
  std::optional<Clock::time_point> failedAt;
  int deadlocks = 0;
  while (!ended_.wait_for(lock, std::chrono::milliseconds(50), done)) {
    if (failed_.load(std::memory_order_acquire)) {
      if (!failedAt)
        failedAt = Clock::now();
      if (secondsSince(*failedAt) > graceSeconds) {
        stuck_ = true;
        return;
      }
      continue;
    }
    bool someoneWaits = false;
    for (const auto &rank : ranks_)
      someoneWaits |= rank->status.state.load(std::memory_order_acquire) == RankState::Waiting;
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

Failure LocalEngine::parseFault(const std::string &text) {
  if (text.empty())
    return std::nullopt;
  char action[16] = {};
  long long rank = -1, collective = -1;
  int end = 0;
  int fields = std::sscanf(text.c_str(), "rank=%lld,collective=%lld,action=%15[a-z]%n", &rank,
                           &collective, action, &end);
  std::string name = action;
  if (fields != 3 || static_cast<size_t>(end) != text.size() || rank < 0 || collective < 0 ||
      (name != "fail" && name != "stall"))
    return "malformed DMC_FAULT \"" + text +
           "\", expected \"rank=R,collective=C,action=fail|stall\"";
  faultRank_ = rank;
  faultCollective_ = collective;
  faultAction_ = name == "fail" ? FaultAction::Fail : FaultAction::Stall;
  return std::nullopt;
}

bool LocalEngine::injectFault(dmc_rank_context &rank, int64_t index) {
  if (rank.rank != faultRank_ || index != faultCollective_)
    return false;
  if (faultAction_ == FaultAction::Fail) {
    fail("rank " + std::to_string(rank.rank) + " failed at " + describe(index) +
         ", as DMC_FAULT asked for");
    return true;
  }
  while (!failed_.load(std::memory_order_acquire))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return true;
}

std::optional<SessionOptions> SessionOptions::fromEnvironment(std::string &error) {
  SessionOptions options;
  if (const char *text = std::getenv("DMC_WATCHDOG_SECONDS")) {
    char *end = nullptr;
    options.watchdogSeconds = std::strtod(text, &end);
    if (end == text || *end || !(options.watchdogSeconds >= 0)) {
      error = std::string("malformed DMC_WATCHDOG_SECONDS \"") + text +
              "\", expected a number of seconds";
      return std::nullopt;
    }
  }
  const char *poison = std::getenv("DMC_POISON");
  options.poison = poison && *poison && std::string(poison) != "0";
  if (const char *fault = std::getenv("DMC_FAULT"))
    options.fault = fault;
  return options;
}
