//===- StreamOrder.cpp - What happens before what on streams --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StreamOrder.h"

#include <algorithm>

using namespace mlir;
using namespace dmc;

void Clock::join(const Clock &other) {
  for (auto [stream, time] : llvm::enumerate(other.times))
    set(static_cast<int64_t>(stream), std::max(get(stream), time));
}

//===----------------------------------------------------------------------===//
// Uses of bytes
//===----------------------------------------------------------------------===//

/// Of one stream the last use stands for those before it.
static void addUse(SmallVectorImpl<StreamUse> &uses, const StreamUse &use) {
  for (StreamUse &other : uses)
    if (other.stream == use.stream) {
      if (other.time < use.time)
        other = use;
      return;
    }
  uses.push_back(use);
}

void ByteUses::split(Ranges &ranges, int64_t at) {
  auto next = ranges.lower_bound(at);
  if (next == ranges.begin())
    return;
  auto previous = std::prev(next);
  if (previous->second.end <= at)
    return;
  Range tail = previous->second;
  previous->second.end = at;
  ranges.emplace_hint(next, at, std::move(tail));
}

void ByteUses::cover(Ranges &ranges, int64_t begin, int64_t end) {
  split(ranges, begin);
  split(ranges, end);
  for (auto next = ranges.lower_bound(begin); begin < end; ++next) {
    if (next == ranges.end() || next->first > begin) {
      int64_t until = next == ranges.end() ? end : std::min(end, next->first);
      next = ranges.emplace_hint(next, begin, Range{until, {}, {}});
    }
    begin = next->second.end;
  }
}

void ByteUses::visitConflicts(const Access &access, bool isWrite,
                              function_ref<void(const StreamUse &, bool)> visit) const {
  const Ranges &ranges = memories[access.memory];
  int64_t end = access.offset + access.bytes;
  auto next = ranges.upper_bound(access.offset);
  if (next != ranges.begin())
    --next;
  for (; next != ranges.end() && next->first < end; ++next) {
    if (next->second.end <= access.offset)
      continue;
    for (const StreamUse &use : next->second.writes)
      visit(use, /*isWrite=*/true);
    if (isWrite)
      for (const StreamUse &use : next->second.reads)
        visit(use, /*isWrite=*/false);
  }
}

void ByteUses::add(const Access &access, bool isWrite, const StreamUse &use) {
  if (access.bytes == 0)
    return;
  Ranges &ranges = memories[access.memory];
  int64_t end = access.offset + access.bytes;
  cover(ranges, access.offset, end);
  auto first = ranges.find(access.offset), last = ranges.lower_bound(end);
  if (isWrite) {
    ranges.erase(first, last);
    ranges[access.offset] = {end, {use}, {}};
    return;
  }
  for (; first != last; ++first)
    addUse(first->second.reads, use);
}

void ByteUses::merge(const ByteUses &other) {
  for (auto [mine, theirs] : llvm::zip_equal(memories, other.memories))
    for (const auto &[begin, range] : theirs) {
      cover(mine, begin, range.end);
      for (auto next = mine.find(begin); next != mine.end() && next->first < range.end; ++next) {
        for (const StreamUse &use : range.writes)
          addUse(next->second.writes, use);
        for (const StreamUse &use : range.reads)
          addUse(next->second.reads, use);
      }
    }
}

//===----------------------------------------------------------------------===//
// The order of streams
//===----------------------------------------------------------------------===//

void StreamOrder::visitUnordered(int64_t stream, const Access &access, bool isWrite,
                                 function_ref<void(const StreamUse &, bool)> visit) const {
  uses.visitConflicts(access, isWrite, [&](const StreamUse &use, bool isUseWrite) {
    bool isKnown = stream < getNumStreams() && clocks[stream].get(use.stream) >= use.time;
    if (use.stream != stream && !isKnown)
      visit(use, isUseWrite);
  });
}

StreamUse StreamOrder::run(int64_t stream, Operation *op, int64_t time) {
  getStream(stream).set(stream, time);
  return {stream, time, op};
}

void StreamOrder::meet(const StreamOrder &other) {
  StreamOrder theirs = other;
  int64_t numStreams = std::max(getNumStreams(), theirs.getNumStreams());
  std::vector<Clock> both(numStreams);
  for (int64_t s = 0; s < numStreams; ++s)
    for (int64_t t = 0; t < numStreams; ++t) {
      int64_t a = getClock(s).get(t), b = theirs.getClock(s).get(t);
      int64_t lastA = getClock(t).get(t), lastB = theirs.getClock(t).get(t);
      // What has all of a stream behind it on each path has so whichever is taken.
      bool hasAll = a == lastA && b == lastB;
      both[s].set(t, hasAll ? std::max(a, b) : std::min(a, b));
    }
  clocks = std::move(both);
  uses.merge(theirs.uses);
}
