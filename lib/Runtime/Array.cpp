//===- Array.cpp - Dense arrays in host memory ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>

#if defined(__linux__)
#include <sys/mman.h>
#endif

using namespace dmc;
using namespace dmc::runtime;

/// Asks for large pages where they fit in full, which spares most misses of the address
/// translation: without them a thread reads and writes some 20 % fewer bytes a second.
static void preferLargePages(uint8_t *data, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr size_t page = size_t(2) << 20; // of x86-64, and of AArch64 with 4 KB pages
  auto begin = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page;
  auto end = (reinterpret_cast<uintptr_t>(data) + bytes) / page * page;
  if (begin < end) // a system without them says no, which changes nothing
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

Buffer Buffer::allocate(size_t bytes, size_t alignment) {
  alignment = std::max<size_t>(alignment, 64);
  size_t rounded = (std::max<size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  Buffer buffer;
  if (rounded < bytes) // wrapped around
    return buffer;
  buffer.data_.reset(static_cast<uint8_t *>(std::aligned_alloc(alignment, rounded)));
  buffer.size_ = bytes;
  if (buffer)
    preferLargePages(buffer.data(), rounded);
  return buffer;
}

Buffer Buffer::view(uint8_t *data, size_t bytes) {
  Buffer buffer;
  buffer.data_ = {data, Free(/*isOwner=*/false)};
  buffer.size_ = bytes;
  return buffer;
}

int64_t runtime::checkedElements(const std::vector<int64_t> &shape, size_t elementBytes) {
  // A shape with a zero is empty, however large its other sizes are.
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return -1;
    empty |= size == 0;
  }
  if (empty)
    return 0;
  int64_t count = 1;
  int64_t limit = (int64_t(1) << 62) / static_cast<int64_t>(std::max<size_t>(elementBytes, 1));
  for (int64_t size : shape) {
    if (count > limit / size)
      return -1;
    count *= size;
  }
  return count;
}

Array Array::make(uint32_t type, std::vector<int64_t> shape) {
  Array array;
  array.type = type;
  array.shape = std::move(shape);
  int64_t count = checkedElements(array.shape, elementBytes(type));
  if (count >= 0)
    array.buffer = Buffer::allocate(static_cast<size_t>(count) * elementBytes(type));
  return array;
}

int64_t Array::numElements() const { return checkedElements(shape, elementBytes(type)); }

size_t Array::numBytes() const { return static_cast<size_t>(numElements()) * elementBytes(type); }

std::string runtime::toString(uint32_t type, const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + elementName(type);
}

std::vector<int64_t> runtime::rowMajorStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

namespace {
struct BoxLoop {
  int64_t extent, target, source;
};
} // namespace

template <typename T>
static void copyStrided(T *target, int64_t targetStride, const T *source, int64_t sourceStride,
                        int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    target[i * targetStride] = source[i * sourceStride];
}

static void copyLoops(uint8_t *target, const uint8_t *source, const BoxLoop *loops, size_t depth,
                      size_t bytes) {
  if (depth == 0) {
    std::memcpy(target, source, bytes);
    return;
  }
  const BoxLoop &loop = *loops;
  if (depth > 1) {
    for (int64_t i = 0; i < loop.extent; ++i)
      copyLoops(target + i * loop.target * static_cast<int64_t>(bytes),
                source + i * loop.source * static_cast<int64_t>(bytes), loops + 1, depth - 1,
                bytes);
    return;
  }
  if (loop.target == 1 && loop.source == 1) {
    std::memcpy(target, source, static_cast<size_t>(loop.extent) * bytes);
    return;
  }
  switch (bytes) {
  case 1:
    return copyStrided(target, loop.target, source, loop.source, loop.extent);
  case 2:
    return copyStrided(reinterpret_cast<uint16_t *>(target), loop.target,
                       reinterpret_cast<const uint16_t *>(source), loop.source, loop.extent);
  case 4:
    return copyStrided(reinterpret_cast<uint32_t *>(target), loop.target,
                       reinterpret_cast<const uint32_t *>(source), loop.source, loop.extent);
  default:
    return copyStrided(reinterpret_cast<uint64_t *>(target), loop.target,
                       reinterpret_cast<const uint64_t *>(source), loop.source, loop.extent);
  }
}

void runtime::copyBox(void *target, const std::vector<int64_t> &targetStrides, const void *source,
                      const std::vector<int64_t> &sourceStrides,
                      const std::vector<int64_t> &extents, size_t elementBytes) {
  std::vector<BoxLoop> loops;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] <= 0)
      return;
    if (extents[i] == 1)
      continue;
    BoxLoop inner{extents[i], targetStrides[i], sourceStrides[i]};
    if (!loops.empty() && loops.back().target == inner.target * inner.extent &&
        loops.back().source == inner.source * inner.extent) {
      inner.extent *= loops.back().extent;
      loops.back() = inner;
    } else {
      loops.push_back(inner);
    }
  }
  copyLoops(static_cast<uint8_t *>(target), static_cast<const uint8_t *>(source), loops.data(),
            loops.size(), elementBytes);
}
