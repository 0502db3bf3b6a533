//===- Release.cpp - Objects that JAX gives back --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jaxlib destroys its objects while Python unwinds an exception, and after Python's
// end. No Python may run then: these functions of the PJRT table note what was
// given back, and the package looks at the notes at its next call.
//
//===----------------------------------------------------------------------===//
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

namespace {
/// The argument of all PJRT functions of this kind: the size, extensions, and the object.
struct Arguments {
  size_t structSize;
  void *extensions;
  void *object;
};

struct Notes {
  std::mutex mutex;
  std::deque<uintptr_t> objects;
};
} // namespace

/// Never freed: it is used while the process ends.
static Notes &notes() {
  static auto *theNotes = new Notes();
  return *theNotes;
}

static void note(void *arguments, uintptr_t mark) {
  auto object = reinterpret_cast<uintptr_t>(static_cast<Arguments *>(arguments)->object);
  std::lock_guard<std::mutex> lock(notes().mutex);
  notes().objects.push_back(object | mark);
}

#define DMC_EXPORT extern "C" __attribute__((visibility("default")))

/// PJRT_*_Destroy; null means success.
DMC_EXPORT void *dmc_pjrt_destroy(void *arguments) {
  note(arguments, 0);
  return nullptr;
}

/// PJRT_Buffer_DecreaseExternalReferenceCount.
DMC_EXPORT void *dmc_pjrt_unreference(void *arguments) {
  note(arguments, 1);
  return nullptr;
}

/// The next object that was destroyed, or with 1 added to its address, which is even, lost a
/// reference; 0: there is none.
DMC_EXPORT uintptr_t dmc_pjrt_next(void) {
  std::lock_guard<std::mutex> lock(notes().mutex);
  if (notes().objects.empty())
    return 0;
  uintptr_t object = notes().objects.front();
  notes().objects.pop_front();
  return object;
}
