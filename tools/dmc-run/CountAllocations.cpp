//===- CountAllocations.cpp - How often the process asks for memory -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executable's own malloc takes the place of the C library's, for all libraries of the process.
// Counts, and passes on to the C library under the names that glibc keeps for this.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DMC_NO_COUNT 1 // the sanitizers have a malloc of their own
#endif
#endif

#if defined(__GLIBC__) && !defined(DMC_NO_COUNT)

static std::atomic<int64_t> allocations{0};

int64_t dmc::run::countAllocations() { return allocations.load(std::memory_order_relaxed); }

// Other libraries find only what is visible to them.
#pragma GCC visibility push(default)
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): names of the C library
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
// NOLINTEND(bugprone-reserved-identifier)

void *malloc(size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void **result, size_t alignment, size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
    return EINVAL;
  void *found = __libc_memalign(alignment, bytes);
  if (!found)
    return ENOMEM;
  *result = found;
  return 0;
}
void *memalign(size_t alignment, size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, bytes);
}
}
#pragma GCC visibility pop

#else

int64_t dmc::run::countAllocations() { return 0; }

#endif
