//===- Facts.cpp - What is known of buffers and events --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jaxlib asks a buffer for its type, shape, device and so on after every execution.
// The package writes these into the memory that a buffer's address is of, and the
// functions of the PJRT table here read them, without Python. Everything is done when
// an execution returns: there is one event, which has happened.
//
//===----------------------------------------------------------------------===//
#include <cstddef>
#include <cstdint>

namespace {
/// The memory of a buffer: `_Facts` in python/dmc/pjrt/buffers.py.
struct Buffer {
  uint64_t reserved[8]; // jaxlib reads the first words of some objects
  void *device, *memory;
  const int64_t *dims, *minorToMajor;
  size_t rank, numBytes;
  uint32_t elementType;
  bool isDeleted;
};

// Arguments of functions: the size, extensions, the object, and what is returned.
struct Head {
  size_t structSize;
  void *extensions;
  union {
    const Buffer *buffer;
    void *event;
  };
};

template <typename T>
struct One : Head {
  T value;
};

template <typename T>
struct List : Head {
  const T *items;
  size_t count;
};

struct Layout : Head {
  size_t structSize;
  void *extensions;
  size_t tiledSize;
  void *tiledExtensions;
  const int64_t *minorToMajor;
  size_t rank;
  const int64_t *tileDims;
  const size_t *tileSizes;
  size_t numTiles;
  uint32_t type;
};

struct OnReady : Head {
  void (*callback)(void *error, void *argument);
  void *argument;
};
} // namespace

/// Zeros behind the address of the event, and of lists without elements.
static uint64_t theZeros[32];

#define DMC_EXPORT extern "C" __attribute__((visibility("default")))

DMC_EXPORT void *dmc_pjrt_event(void) { return theZeros; }

//===----------------------------------------------------------------------===//
// PJRT_Event_*
//===----------------------------------------------------------------------===//

DMC_EXPORT void *dmc_pjrt_event_destroy(void *) { return nullptr; }
DMC_EXPORT void *dmc_pjrt_event_error(void *) { return nullptr; }
DMC_EXPORT void *dmc_pjrt_event_await(void *) { return nullptr; }

DMC_EXPORT void *dmc_pjrt_event_is_ready(One<bool> *arguments) {
  arguments->value = true;
  return nullptr;
}

DMC_EXPORT void *dmc_pjrt_event_on_ready(OnReady *arguments) {
  arguments->callback(nullptr, arguments->argument);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// PJRT_Memory_*
//===----------------------------------------------------------------------===//

/// Every memory is that of a rank.
DMC_EXPORT void *dmc_pjrt_memory_kind(List<char> *arguments) {
  static constexpr char theKind[] = "device";
  arguments->items = theKind;
  arguments->count = sizeof(theKind) - 1;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// PJRT_Buffer_*
//===----------------------------------------------------------------------===//

DMC_EXPORT void *dmc_pjrt_buffer_element_type(One<uint32_t> *arguments) {
  arguments->value = arguments->buffer->elementType;
  return nullptr;
}

/// PJRT_Buffer_Dimensions and PJRT_Buffer_UnpaddedDimensions.
DMC_EXPORT void *dmc_pjrt_buffer_dimensions(List<int64_t> *arguments) {
  arguments->items = arguments->buffer->dims;
  arguments->count = arguments->buffer->rank;
  return nullptr;
}

DMC_EXPORT void *dmc_pjrt_buffer_dynamic_dimensions(List<size_t> *arguments) {
  arguments->items = reinterpret_cast<const size_t *>(theZeros);
  arguments->count = 0;
  return nullptr;
}

DMC_EXPORT void *dmc_pjrt_buffer_layout(Layout *arguments) {
  const Buffer &buffer = *arguments->buffer;
  // The members between are of this kind alone, an order of dimensions without tiles.
  arguments->structSize = sizeof(Layout) - sizeof(Head);
  arguments->type = 0;
  arguments->minorToMajor = buffer.minorToMajor;
  arguments->rank = buffer.rank;
  arguments->numTiles = 0;
  return nullptr;
}

DMC_EXPORT void *dmc_pjrt_buffer_size(One<size_t> *arguments) {
  arguments->value = arguments->buffer->numBytes;
  return nullptr;
}

DMC_EXPORT void *dmc_pjrt_buffer_device(One<void *> *arguments) {
  arguments->value = arguments->buffer->device;
  return nullptr;
}

DMC_EXPORT void *dmc_pjrt_buffer_memory(One<void *> *arguments) {
  arguments->value = arguments->buffer->memory;
  return nullptr;
}

DMC_EXPORT void *dmc_pjrt_buffer_is_deleted(One<bool> *arguments) {
  arguments->value = arguments->buffer->isDeleted;
  return nullptr;
}

DMC_EXPORT void *dmc_pjrt_buffer_is_on_cpu(One<bool> *arguments) {
  arguments->value = true;
  return nullptr;
}

DMC_EXPORT void *dmc_pjrt_buffer_ready_event(One<void *> *arguments) {
  arguments->value = theZeros;
  return nullptr;
}
