//===- ProcessRanks.cpp - Ranks as processes of one job -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ranks/ProcessRanks.h"
#include "CUDA/CudaDevice.h"

#include <algorithm>
#include <cstdio>

#include <sched.h>
#include <unistd.h>

using namespace dmc;
using namespace dmc::runtime;

/// How long answers may take.
static constexpr double answerSeconds = 1;
/// How long another process may take to report and to end the job.
static constexpr double endSeconds = 10;

/// What a launcher has bound this process to is its own; unbound processes share
/// the machine.
static int threadsOf(const Transport &transport) {
  auto all = std::max<int64_t>(sysconf(_SC_NPROCESSORS_ONLN), 1);
  cpu_set_t bound;
  int64_t own = sched_getaffinity(0, sizeof bound, &bound) == 0 ? CPU_COUNT(&bound) : all;
  int64_t share = all / std::max<int64_t>(transport.localSize(), 1);
  return static_cast<int>(std::max<int64_t>(1, own < all ? std::min(own, all) : share));
}

template <typename TimePoint>
static double secondsSince(TimePoint start) {
  return std::chrono::duration<double>(TimePoint::clock::now() - start).count();
}

ProcessRanks::ProcessRanks(const dmc_program &program, const Mesh &mesh,
                           const SessionOptions &options)
    : Ranks(program, mesh), transport_(*options.transport),
      watchdogSeconds_(options.watchdogSeconds) {
  int threads = options.threadsPerRank;
  bool isSimulated = options.device == DeviceChoice::Simulated;
  int device = program.device == DMC_DEVICE_CUDA
                   ? cuda::chooseDevice(transport_.localRank(), isSimulated)
                   : 0;
  add(transport_.rank(), threads > 0 ? threads : threadsOf(transport_), device, options);
}

Failure ProcessRanks::start() { return transport_.agree(self().device->start()); }

Failure ProcessRanks::run(std::shared_ptr<const Body> body) {
  if (failed_)
    return std::string("an earlier step has failed");
  reset();
  int32_t code = (*body)(self());
  if (code == 0 && !failed_)
    return std::nullopt;
  if (!failed_)
    fail("rank " + std::to_string(self().rank) + " ended with code " + std::to_string(code));
  return awaitEnd() ? failure_ : std::string();
}

//===----------------------------------------------------------------------===//
// Failures and hangs
//===----------------------------------------------------------------------===//

/// "rank 1 at collective 3 (all_reduce over {"data"} at model.py:7): ".
std::string ProcessRanks::here() const {
  const dmc_rank_context &rank = self();
  return "rank " + std::to_string(rank.rank) +
         (rank.collective < 0 ? "" : " at " + describe(rank.collective)) + ": ";
}

bool ProcessRanks::check(const Failure &why) {
  if (!why)
    return true;
  // Without a text, another process has failed or reports.
  if (!why->empty())
    fail(here() + *why);
  failed_ = true;
  return false;
}

ProcessRanks::Note ProcessRanks::note(Note::Kind kind) const {
  const dmc_rank_context &rank = self();
  int64_t collective = rank.collective;
  return {kind, collective, collective < 0 ? 0 : rank.executions[collective].load(), rank.progress};
}

void ProcessRanks::tellAll(Note::Kind kind) {
  Note said = note(kind);
  for (int64_t r = 0; r < transport_.size(); ++r)
    if (r != self().rank)
      transport_.sendNote(r, &said, sizeof said);
}

int32_t ProcessRanks::fail(const std::string &message) {
  if (!failed_) {
    failed_ = true;
    failure_ = message;
    tellAll(Note::Failed);
  }
  return 1;
}

void ProcessRanks::receiveNotes() {
  int64_t rank;
  Note heard;
  while (transport_.receiveNote(rank, &heard, sizeof heard)) {
    switch (heard.kind) {
    case Note::Stalls:
      if (isWaiting())
        stalled_[rank] = heard;
      heard = note(isWaiting() && hasWaitedLong() ? Note::Waits : Note::Runs);
      transport_.sendNote(rank, &heard, sizeof heard);
      break;
    case Note::Waits:
      waiting_[rank] = heard;
      break;
    case Note::Runs: {
      // Others wait for it in vain only if it does not get on either.
      uint64_t &last = progressOf_[rank];
      if (last != heard.progress) {
        last = heard.progress;
        waitsSince_ = Clock::now();
        hasAsked_ = false;
      }
      break;
    }
    case Note::Failed:
      if (firstFailed_ < 0 || rank < firstFailed_)
        firstFailed_ = rank;
      break;
    default:
      break;
    }
  }
}

bool ProcessRanks::isWaiting() const {
  return isWaiting_ || self().state.load(std::memory_order_relaxed) == RankState::Waiting;
}

/// A device executes while its rank waits for it: only after a while does it count as waiting for
/// others. All ranks of a hang wait about as long.
bool ProcessRanks::hasWaitedLong() const {
  return isWaiting_ || secondsSince(waitsSince_) > watchdogSeconds_ / 2;
}

void ProcessRanks::beginWait() {
  hasAsked_ = false;
  waitsSince_ = Clock::now();
  waitsAt_ = self().progress;
  stalled_.clear();
}

bool ProcessRanks::onWait(dmc_rank_context &rank) {
  if (rank.progress != waitsAt_)
    beginWait();
  if (!failed_ && !watch())
    failed_ = true;
  return !failed_;
}

/// Called while a collective waits; false ends the wait.
bool ProcessRanks::watch() {
  receiveNotes();
  if (firstFailed_ >= 0)
    return false;
  if (auto why = transport_.checkProcesses()) {
    fail(here() + *why);
    return false;
  }
  if (watchdogSeconds_ <= 0)
    return true;
  if (!hasAsked_) {
    if (secondsSince(waitsSince_) > watchdogSeconds_) {
      hasAsked_ = true;
      askedAt_ = Clock::now();
      waiting_.clear();
      tellAll(Note::Stalls);
    }
    return true;
  }
  if (secondsSince(askedAt_) <= answerSeconds)
    return true;
  if (!stalled_.empty() && stalled_.begin()->first < self().rank)
    return secondsSince(askedAt_) <= answerSeconds + endSeconds; // that one reports
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.3g", watchdogSeconds_);
  fail(std::string("no progress for ") + seconds + " s:" + describeRanks());
  return false;
}

std::string ProcessRanks::describeRanks() const {
  std::string text;
  for (int64_t r = 0; r < transport_.size(); ++r) {
    auto answer = waiting_.find(r);
    Note said = r == self().rank ? note(Note::Waits) : Note();
    if (answer != waiting_.end())
      said = answer->second;
    if (r == self().rank || answer != waiting_.end())
      text += said.collective < 0 ? "\n  rank " + std::to_string(r) + " waits for others to connect"
                                  : describeWait(r, said.collective, said.executions);
    else
      text += "\n  rank " + std::to_string(r) + " runs or has ended its step: it does not answer";
  }
  return text;
}

/// After a failure. True if it is this process that has to report it.
bool ProcessRanks::awaitEnd() {
  auto start = Clock::now();
  auto isFirst = [&] {
    return !failure_.empty() && (firstFailed_ < 0 || firstFailed_ > self().rank);
  };
  // Time for the failures that others have at the same moment to become known.
  while (secondsSince(start) < (isFirst() ? 0.2 : endSeconds)) {
    receiveNotes();
    usleep(1000);
  }
  return isFirst();
}
