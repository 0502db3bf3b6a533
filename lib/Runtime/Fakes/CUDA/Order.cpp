//===- Order.cpp - Which operations have ended before which ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Order.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace dmc::fakes;

void Clock::advance(size_t lane, uint32_t position) {
  if (lane >= ended_.size())
    ended_.resize(lane + 1);
  ended_[lane] = std::max(ended_[lane], position);
}

void Clock::join(const Clock &other) {
  if (other.ended_.size() > ended_.size())
    ended_.resize(other.ended_.size());
  for (size_t lane = 0; lane < other.ended_.size(); ++lane)
    ended_[lane] = std::max(ended_[lane], other.ended_[lane]);
}

uint32_t History::add(const Record &record) {
  if (next_ == mostOperations) {
    std::fputs("simulated CUDA driver: more than 2^31 operations\n", stderr);
    std::abort();
  }
  auto &chunk = chunks_[next_ / chunkSize];
  if (!chunk)
    chunk = std::make_unique<Record[]>(chunkSize);
  chunk[next_ % chunkSize] = record;
  return next_++;
}

std::string History::describe(uint32_t number) const {
  const Record &record = (*this)[number];
  return *record.name + " (" + *record.stream + ", #" + std::to_string(number) + ")";
}

void History::clear() {
  for (auto &chunk : chunks_)
    chunk.reset();
  next_ = 1;
}
