//===- CacheContents.cpp - What of a rank's buffers is in caches ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Host/CacheContents.h"

#include <algorithm>

using namespace dmc;
using namespace dmc::codegen;

llvm::SmallVector<double> CacheContents::touch(const Buffer &buffer, int64_t bytes) {
  llvm::SmallVector<double> found(levels.size(), 0);
  const void *base = buffer.base ? buffer.base.getAsOpaquePointer()
                                 : static_cast<const void *>(buffer.global.data());
  // A part may lie anywhere in the buffer, as rows that are gathered do.
  Range touched{base, buffer.offset, buffer.offset + buffer.size};
  if (!base || touched.begin >= touched.end) {
    found.back() = static_cast<double>(bytes);
    return found;
  }
  double since = 0, missing = static_cast<double>(touched.end - touched.begin);
  auto own = missing;
  for (auto range = ranges.begin(); range != ranges.end();) {
    // What no cache has room for is forgotten.
    if (since > levels[levels.size() - 1 - (levels.size() > 1)].bytes) {
      ranges.erase(range, ranges.end());
      break;
    }
    int64_t begin = std::max(range->begin, touched.begin), end = std::min(range->end, touched.end);
    if (range->base != base || begin >= end) {
      since += static_cast<double>(range->end - range->begin);
      ++range;
      continue;
    }
    auto *level =
        llvm::find_if(levels, [&](const MemoryLevel &level) { return since + own <= level.bytes; });
    found[level - levels.begin()] += static_cast<double>(end - begin);
    missing -= static_cast<double>(end - begin);
    // What lies on either side stays where it was.
    if (range->begin < begin)
      ranges.insert(range, {base, range->begin, begin});
    if (end < range->end)
      ranges.insert(range, {base, end, range->end});
    since += static_cast<double>(range->end - range->begin - (end - begin));
    range = ranges.erase(range);
  }
  found.back() += missing;
  ranges.push_front(touched);
  for (double &part : found)
    part *= static_cast<double>(std::min(bytes, buffer.size)) / own;
  return found;
}
