//===- CudaClock.cpp - Times of a CUDA device's work ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/CudaClock.h"

using namespace dmc;
using namespace dmc::cuda;

static constexpr uint32_t ofGraph = uint32_t(1) << 31;

CudaClock::~CudaClock() {
  for (const Marks *marks : {&step_, &graph_})
    for (CUevent event : marks->events)
      (void)driver_.eventDestroy(event);
}

std::optional<std::string> CudaClock::mark(uint32_t stream, uint32_t &number) {
  Marks &marks = isInGraph_ ? graph_ : step_;
  number = marks.used | (isInGraph_ ? ofGraph : 0);
  Result result = driver_.ctxSetCurrent(context_);
  if (result == Result::Success && marks.used == marks.events.size()) {
    CUevent event = nullptr;
    result = driver_.eventCreate(&event, 0);
    if (result == Result::Success)
      marks.events.push_back(event);
  }
  if (result == Result::Success) {
    CUevent event = marks.events[marks.used++];
    // Without the flag a captured record is an order between streams alone.
    result = isInGraph_ ? driver_.eventRecordWithFlags(event, streams_[stream], eventRecordExternal)
                        : driver_.eventRecord(event, streams_[stream]);
  }
  if (result == Result::Success)
    return std::nullopt;
  return "cannot time the device: " + describe(result);
}

std::optional<std::string> CudaClock::secondsAt(uint32_t number, double &seconds) {
  CUevent event = number & ofGraph ? graph_.events[number & ~ofGraph] : step_.events[number];
  float milliseconds = 0;
  Result result = driver_.eventElapsedTime(&milliseconds, step_.events[0], event);
  if (result != Result::Success)
    return "cannot time the device: " + describe(result);
  seconds = 1e-3 * static_cast<double>(milliseconds);
  return std::nullopt;
}
