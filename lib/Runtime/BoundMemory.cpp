//===- BoundMemory.cpp - Memory of the caller in a step -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BoundMemory.h"

#include <algorithm>
#include <iterator>

using namespace dmc::runtime;

bool BoundMemory::meets(const Ranges &ranges, uintptr_t begin, uintptr_t end) {
  auto next = ranges.lower_bound(end); // the first that begins behind it
  return next != ranges.begin() && std::prev(next)->second > begin;
}

void BoundMemory::join(Ranges &ranges, uintptr_t begin, uintptr_t end) {
  auto range = ranges.upper_bound(begin);
  if (range != ranges.begin() && std::prev(range)->second >= begin)
    --range;
  while (range != ranges.end() && range->first <= end) {
    begin = std::min(begin, range->first);
    end = std::max(end, range->second);
    range = ranges.erase(range);
  }
  ranges.emplace_hint(range, begin, end);
}

bool BoundMemory::add(const uint8_t *data, int64_t bytes, bool isWritten) {
  if (bytes == 0)
    return true;
  auto begin = reinterpret_cast<uintptr_t>(data), end = begin + static_cast<uintptr_t>(bytes);
  if (meets(written_, begin, end) || (isWritten && meets(read_, begin, end)))
    return false;
  if (isWritten)
    written_.emplace(begin, end);
  else
    join(read_, begin, end);
  return true;
}

void BoundMemory::clear() {
  written_.clear();
  read_.clear();
}
