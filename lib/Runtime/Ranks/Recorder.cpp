//===- Recorder.cpp - What a rank does in a step --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ranks/Recorder.h"

#include <algorithm>

using namespace dmc;
using namespace dmc::runtime;

void Recorder::begin(int64_t rank, DeviceClock *clock) {
  // Steps of a program are of one length: they allocate nothing.
  profile_ = {rank, 0, std::move(profile_.events), ProfileClock::Host, 0};
  profile_.events.clear();
  marks_.clear();
  failure_.reset();
  wait_ = 0;
  clock_ = clock;
  start_ = Clock::now();
  if (!clock_)
    return;
  profile_.clock = clock_->isModelled() ? ProfileClock::Modelled : ProfileClock::Device;
  clock_->restart();
  uint32_t first = 0;
  failure_ = clock_->mark(0, first);
}

Recorder::Begun Recorder::open(ProfileEvent::Kind kind, uint32_t index, uint32_t stream,
                               int64_t bytes) {
  Begun begun;
  begun.event.kind = kind;
  begun.event.index = index;
  begun.event.stream = stream;
  begun.event.bytes = bytes;
  if (clock_)
    begun.event.threads = 0; // unless the device says
  if (!clock_)
    begun.event.begin = now();
  else if (!failure_)
    failure_ = clock_->mark(stream, begun.mark);
  return begun;
}

void Recorder::add(const Begun &begun) {
  ProfileEvent event = begun.event;
  if (clock_) {
    uint32_t last = 0;
    if (!failure_)
      failure_ = clock_->mark(event.stream, last);
    (isInGraph_ ? graphMarks_ : marks_).push_back({begun.mark, last});
  } else {
    event.end = now();
    event.wait = wait_;
  }
  wait_ = 0;
  (isInGraph_ ? graphEvents_ : profile_.events).push_back(event);
}

void Recorder::beginGraph() {
  graphEvents_.clear();
  graphMarks_.clear();
  isInGraph_ = true;
  if (clock_)
    clock_->beginGraph();
}

void Recorder::endGraph() {
  isInGraph_ = false;
  if (clock_)
    clock_->endGraph();
}

void Recorder::addGraph() {
  profile_.events.insert(profile_.events.end(), graphEvents_.begin(), graphEvents_.end());
  marks_.insert(marks_.end(), graphMarks_.begin(), graphMarks_.end());
}

Recorder::Failure Recorder::end() {
  profile_.hostSeconds = profile_.seconds = now();
  if (!clock_)
    return std::nullopt;
  profile_.seconds = 0;
  for (size_t i = 0; i < marks_.size() && !failure_; ++i) {
    ProfileEvent &event = profile_.events[i];
    failure_ = clock_->secondsAt(marks_[i].first, event.begin);
    if (!failure_)
      failure_ = clock_->secondsAt(marks_[i].second, event.end);
    profile_.seconds = std::max(profile_.seconds, event.end);
  }
  return failure_;
}
