//===- ProcessWatch.cpp - Failures and hangs of processes -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who has waited too long asks the others what they do, and the first of those who
// ask reports. A failure is reported by the first who has one.
//
//===----------------------------------------------------------------------===//

#include "ProcessEngine.h"

#include <cstdio>

#include <unistd.h>

using namespace dmc;
using namespace dmc::runtime;

/// How long answers may take.
static constexpr double answerSeconds = 1;
/// How long another process may take to report and to end the job.
static constexpr double endSeconds = 10;

template <typename TimePoint>
static double secondsSince(TimePoint start) {
  return std::chrono::duration<double>(TimePoint::clock::now() - start).count();
}

ProcessEngine::Note ProcessEngine::note(Note::Kind kind) const {
  int64_t collective = context_.collective;
  return {kind, collective, collective < 0 ? 0 : context_.executions[collective].load(),
          context_.progress};
}

void ProcessEngine::tellAll(Note::Kind kind) {
  Note said = note(kind);
  for (int64_t r = 0; r < transport_.size(); ++r)
    if (r != context_.rank)
      transport_.sendNote(r, &said, sizeof said);
}

int32_t ProcessEngine::fail(const std::string &message) {
  if (!failed_) {
    failed_ = true;
    failure_ = message;
    tellAll(Note::Failed);
  }
  return 1;
}

void ProcessEngine::receiveNotes() {
  int64_t rank;
  Note heard;
  while (transport_.receiveNote(rank, &heard, sizeof heard)) {
    switch (heard.kind) {
    case Note::Stalls:
      if (isWaiting_)
        stalled_[rank] = heard;
      heard = note(isWaiting_ ? Note::Waits : Note::Runs);
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
    }
  }
}

void ProcessEngine::onProgress(dmc_rank_context &context) { receiveNotes(); }

/// Called while a collective waits; false ends the wait.
bool ProcessEngine::watch() {
  receiveNotes();
  if (firstFailed_ >= 0)
    return false;
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
  if (!stalled_.empty() && stalled_.begin()->first < context_.rank)
    return secondsSince(askedAt_) <= answerSeconds + endSeconds; // that one reports
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.3g", watchdogSeconds_);
  fail(std::string("no progress for ") + seconds + " s:" + describeRanks());
  return false;
}

std::string ProcessEngine::describeRanks() const {
  std::string text;
  for (int64_t r = 0; r < transport_.size(); ++r) {
    auto answer = waiting_.find(r);
    Note said = r == context_.rank ? note(Note::Waits) : Note();
    if (answer != waiting_.end())
      said = answer->second;
    if (r == context_.rank || answer != waiting_.end())
      text += describeWait(r, said.collective, said.executions);
    else
      text += "\n  rank " + std::to_string(r) + " runs or has ended its step: it does not answer";
  }
  return text;
}

/// After a failure. True if it is this process that has to report it.
bool ProcessEngine::awaitEnd() {
  auto start = Clock::now();
  auto isFirst = [&] {
    return !failure_.empty() && (firstFailed_ < 0 || firstFailed_ > context_.rank);
  };
  // Time for the failures that others have at the same moment to become known.
  while (secondsSince(start) < (isFirst() ? 0.2 : endSeconds)) {
    receiveNotes();
    usleep(1000);
  }
  return isFirst();
}
