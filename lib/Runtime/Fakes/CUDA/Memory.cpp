//===- Memory.cpp - Allocations, copies and fills -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Call.h"
#include "Fakes/CUDA/Accesses.h"
#include "Fakes/CUDA/Cost.h"

#include <cstring>
#include <new>

using namespace dmc;
using namespace dmc::fakes;

/// Whether the context has all of the bytes, as a driver checks when a copy is given.
static bool hasBytes(const Context &context, CUdeviceptr address, uint64_t bytes) {
  int numDevices = simulation().settings.devices;
  return simulation().regionOf(address, bytes) &&
         address >= firstAddressOf(context.device, numDevices) &&
         address < firstAddressOf(context.device + 1, numDevices);
}

/// A copy's end on the host. What is not pinned is accessed while the call runs: the source is
/// copied, and the caller waits for the target.
static bool isPinned(const void *pointer, uint64_t bytes) {
  return simulation().host.isPinned(pointer, bytes);
}

static Result submitFill(Context &context, CUdeviceptr target, const std::vector<uint8_t> &pattern,
                         uint64_t bytes, CUstream handle) {
  std::shared_ptr<Stream> stream = streamOf(context, handle);
  if (!stream)
    return Result::InvalidHandle;
  if (!bytes)
    return Result::Success;
  if (target % pattern.size() || !hasBytes(context, target, bytes))
    return Result::InvalidValue;
  Work work;
  work.name = "memset";
  work.uses = {{target, bytes}};
  work.run = [=](Operation &operation) {
    if (uint8_t *to = accessBytes(operation, {target, bytes}, /*isWrite=*/true))
      for (uint64_t i = 0; i < bytes; ++i)
        to[i] = pattern[i % pattern.size()];
    return secondsOfBytes(bytes);
  };
  return submit(stream, std::move(work));
}

namespace dmc::cuda {
extern "C" {

Result cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  return Call("cuMemAlloc_v2", bytes).inContext([&](Context &context, Lock &lock) {
    if (!address || !bytes)
      return Result::InvalidValue;
    if (isUnsafeInCapture())
      return Result::StreamCaptureUnsupported;
    if (bytes > simulation().settings.memory - context.usedBytes)
      return Result::OutOfMemory;
    quiesce(lock, context);
    try {
      *address = context.memory->allocate(bytes);
    } catch (const std::bad_alloc &) {
      return refuse(Result::OutOfMemory, "the host has no memory for " + std::to_string(bytes) +
                                             " simulated bytes and what is known of them");
    }
    context.usedBytes += bytes;
    context.allocated.insert(*address);
    simulation().regions[*address] = context.memory->find(*address);
    return Result::Success;
  });
}

Result cuMemFree_v2(CUdeviceptr address) {
  return Call("cuMemFree_v2", address).inContext([&](Context &context, Lock &lock) {
    Simulation &state = simulation();
    if (!address)
      return Result::Success;
    if (isUnsafeInCapture())
      return Result::StreamCaptureUnsupported;
    quiesce(lock, context);
    if (!context.allocated.erase(address))
      return Result::InvalidValue;
    auto found = state.regions.find(address);
    checkFree(context, *found->second);
    context.usedBytes -= found->second->size;
    state.regions.erase(found);
    context.memory->free(address);
    return Result::Success;
  });
}

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  return Call("cuMemGetInfo_v2").inContext([&](Context &context, Lock &) {
    if (isAnyNull(free, total))
      return Result::InvalidValue;
    *total = simulation().settings.memory;
    *free = *total - context.usedBytes;
    return Result::Success;
  });
}

Result cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return Call("cuMemHostAlloc", bytes, flags).inContext([&](Context &, Lock &) {
    if (!pointer || !bytes || flags > (hostPortable | hostDeviceMap | hostWriteCombined))
      return Result::InvalidValue;
    if (isUnsafeInCapture())
      return Result::StreamCaptureUnsupported;
    *pointer = simulation().host.allocate(bytes);
    return *pointer ? Result::Success : Result::OutOfMemory;
  });
}

Result cuMemFreeHost(void *pointer) {
  return Call("cuMemFreeHost", pointer).inContext([&](Context &context, Lock &) {
    Simulation &state = simulation();
    if (isUnsafeInCapture())
      return Result::StreamCaptureUnsupported;
    uint32_t user = pointer ? state.host.user(pointer) : 0;
    if (user) // and stays mapped for it
      report(&context, "free in use",
             "pinned memory is freed, which " + state.history.describe(user) +
                 " uses, and the host has not waited for it",
             Result::IllegalAddress);
    else if (!pointer || !state.host.free(pointer))
      return Result::InvalidValue;
    return Result::Success;
  });
}

Result cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source, size_t bytes, CUstream handle) {
  Call call("cuMemcpyHtoDAsync_v2", target, source, bytes, handle);
  return call.inContext([&](Context &context, Lock &) {
    std::shared_ptr<Stream> stream = streamOf(context, handle);
    if (!stream)
      return Result::InvalidHandle;
    if (!bytes)
      return Result::Success;
    if (!source || !hasBytes(context, target, bytes))
      return Result::InvalidValue;
    Work work;
    work.name = "HtoD copy";
    work.uses = {{target, bytes}};
    std::shared_ptr<std::vector<uint8_t>> staged;
    const auto *from = static_cast<const uint8_t *>(source);
    if (isPinned(source, bytes)) {
      work.host = {{from, bytes, /*isWrite=*/false}};
      from = simulation().host.mapped(source);
    } else if (!stream->capture) {
      staged = std::make_shared<std::vector<uint8_t>>(from, from + bytes);
      from = staged->data();
    }
    work.run = [=](Operation &operation) {
      (void)staged;
      if (uint8_t *to = accessBytes(operation, {target, bytes}, /*isWrite=*/true))
        std::memcpy(to, from, bytes);
      return secondsOfHostCopy(bytes);
    };
    return submit(stream, std::move(work));
  });
}

Result cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source, size_t bytes, CUstream handle) {
  Call call("cuMemcpyDtoHAsync_v2", target, source, bytes, handle);
  return call.inContext([&](Context &context, Lock &lock) {
    std::shared_ptr<Stream> stream = streamOf(context, handle);
    if (!stream)
      return Result::InvalidHandle;
    if (!bytes)
      return Result::Success;
    if (!target || !hasBytes(context, source, bytes))
      return Result::InvalidValue;
    Work work;
    work.name = "DtoH copy";
    work.uses = {{source, bytes}};
    auto *to = static_cast<uint8_t *>(target);
    bool waits = !isPinned(target, bytes);
    if (!waits) {
      work.host = {{to, bytes, /*isWrite=*/true}};
      to = simulation().host.mapped(target);
    }
    work.run = [=](Operation &operation) {
      if (const uint8_t *from = accessBytes(operation, {source, bytes}, /*isWrite=*/false))
        std::memcpy(to, from, bytes);
      return secondsOfHostCopy(bytes);
    };
    std::shared_ptr<Operation> operation;
    Result result = submit(stream, std::move(work), &operation);
    return result == Result::Success && waits && operation ? wait(lock, context, operation)
                                                           : result;
  });
}

Result cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream handle) {
  Call call("cuMemcpyDtoDAsync_v2", target, source, bytes, handle);
  return call.inContext([&](Context &context, Lock &) {
    std::shared_ptr<Stream> stream = streamOf(context, handle);
    if (!stream)
      return Result::InvalidHandle;
    if (!bytes)
      return Result::Success;
    Simulation &state = simulation();
    if (!state.regionOf(target, bytes) || !state.regionOf(source, bytes))
      return Result::InvalidValue;
    if (!hasBytes(context, target, bytes) || !hasBytes(context, source, bytes))
      return refuse(Result::NotSupported, "unsupported: a copy between devices");
    Work work;
    work.name = "DtoD copy";
    work.uses = {{source, bytes}, {target, bytes}};
    work.run = [=](Operation &operation) {
      if (target < source + bytes && source < target + bytes)
        report(operation, "overlapping copy", "its source and its target share bytes");
      // Bytes without a value may be copied; whoever uses the copy is reported.
      const uint8_t *from =
          accessBytes(operation, {source, bytes}, /*isWrite=*/false, /*checksValues=*/false);
      uint8_t *to = accessBytes(operation, {target, bytes}, /*isWrite=*/true);
      if (from && to) {
        operation.stream->context->memory->copyInitialized(target, source, bytes);
        std::memmove(to, from, bytes);
      }
      return secondsOfBytes(2 * bytes);
    };
    return submit(stream, std::move(work));
  });
}

Result cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count, CUstream handle) {
  return Call("cuMemsetD8Async", target, value, count, handle)
      .inContext([&](Context &context, Lock &) {
        return submitFill(context, target, {value}, count, handle);
      });
}

Result cuMemsetD32Async(CUdeviceptr target, unsigned value, size_t count, CUstream handle) {
  return Call("cuMemsetD32Async", target, value, count, handle)
      .inContext([&](Context &context, Lock &) {
        std::vector<uint8_t> pattern(4);
        std::memcpy(pattern.data(), &value, 4);
        return submitFill(context, target, pattern, count * 4, handle);
      });
}

} // extern "C"
} // namespace dmc::cuda
