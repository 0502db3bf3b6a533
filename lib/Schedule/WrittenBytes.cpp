//===- WrittenBytes.cpp - Which buffer each byte holds --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WrittenBytes.h"

using namespace mlir;
using namespace dmc;

/// Whether an operation stands behind another one, if deeper within regions.
static bool isBehind(Operation *op, Operation *other) {
  Operation *ancestor = other->getBlock()->findAncestorOpInBlock(*op);
  return ancestor && other->isBeforeInBlock(ancestor);
}

void WrittenBytes::write(int64_t offset, int64_t bytes, Value buffer, Operation *writer) {
  if (bytes == 0)
    return;
  split(offset);
  split(offset + bytes);
  ranges.erase(ranges.lower_bound(offset), ranges.lower_bound(offset + bytes));
  ranges[offset] = {offset + bytes, buffer, writer};
}

WrittenBytes::Found WrittenBytes::find(int64_t offset, int64_t bytes, Value buffer,
                                       Operation *initial) const {
  int64_t at = offset, end = offset + bytes;
  auto next = ranges.upper_bound(offset);
  if (next != ranges.begin())
    --next;
  for (; at < end; ++next) {
    while (next != ranges.end() && next->second.end <= at)
      ++next;
    if (next == ranges.end() || next->first > at)
      return {false, nullptr};
    if (next->second.buffer != buffer && !(initial && next->second.writer == initial))
      return {true, next->second.writer};
    at = next->second.end;
  }
  return {};
}

void WrittenBytes::meet(const WrittenBytes &other, Operation *initial) {
  std::map<int64_t, Range> mine;
  mine.swap(ranges);
  auto a = mine.begin();
  auto b = other.ranges.begin();
  while (a != mine.end() && b != other.ranges.end()) {
    int64_t begin = std::max(a->first, b->first);
    int64_t end = std::min(a->second.end, b->second.end);
    if (begin < end) {
      // Where buffers differ, it is the later writer that overwrote the other's.
      bool isOther = a->second.writer == initial || isBehind(b->second.writer, a->second.writer);
      Range both = isOther ? b->second : a->second;
      if (a->second.buffer != b->second.buffer && a->second.writer != initial &&
          b->second.writer != initial)
        both.buffer = Value();
      both.end = end;
      ranges[begin] = both;
    }
    if (a->second.end < b->second.end)
      ++a;
    else
      ++b;
  }
}

void WrittenBytes::split(int64_t at) {
  auto next = ranges.lower_bound(at);
  if (next == ranges.begin())
    return;
  auto previous = std::prev(next);
  if (previous->first < at && previous->second.end > at) {
    Range tail = previous->second;
    previous->second.end = at;
    ranges[at] = tail;
  }
}
