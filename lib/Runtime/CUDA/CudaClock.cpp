//===- CudaClock.cpp - Times of a CUDA device's work ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/CudaClock.h"

using namespace dmc;
using namespace dmc::cuda;

CudaClock::~CudaClock() {
  for (CUevent event : events_)
    (void)driver_.eventDestroy(event);
}

std::optional<std::string> CudaClock::mark(uint32_t stream, uint32_t &number) {
  number = used_;
  Result result = driver_.ctxSetCurrent(context_);
  if (result == Result::Success && used_ == events_.size()) {
    CUevent event = nullptr;
    result = driver_.eventCreate(&event, 0);
    if (result == Result::Success)
      events_.push_back(event);
  }
  if (result == Result::Success)
    result = driver_.eventRecord(events_[used_++], streams_[stream]);
  if (result == Result::Success)
    return std::nullopt;
  return "cannot time the device: " + describe(result);
}

std::optional<std::string> CudaClock::secondsAt(uint32_t number, double &seconds) {
  float milliseconds = 0;
  Result result = driver_.eventElapsedTime(&milliseconds, events_[0], events_[number]);
  if (result != Result::Success)
    return "cannot time the device: " + describe(result);
  seconds = 1e-3 * static_cast<double>(milliseconds);
  return std::nullopt;
}
