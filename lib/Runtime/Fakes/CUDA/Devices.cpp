//===- Devices.cpp - Devices, contexts and errors -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every simulated device has the properties of an H100 SXM, as its data sheet and NVIDIA's CUDA
// programming guide (compute capability 9.0) state them.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Fakes/CUDA/Lifetime.h"

#include <cstdio>
#include <cstring>

using namespace dmc;
using namespace dmc::fakes;

static bool isDevice(CUdevice device) {
  return device >= 0 && device < simulation().settings.devices;
}

/// At most `length` characters with the final 0.
static Result copyText(char *target, int length, const std::string &text) {
  if (!target || length <= 0)
    return Result::InvalidValue;
  std::snprintf(target, static_cast<size_t>(length), "%s", text.c_str());
  return Result::Success;
}

static bool attributeOf(DeviceAttribute attribute, CUdevice device, int &value) {
  static const std::pair<DeviceAttribute, int> known[] = {
      {DeviceAttribute::MaxThreadsPerBlock, 1024},
      {DeviceAttribute::MaxBlockX, 1024},
      {DeviceAttribute::MaxBlockY, 1024},
      {DeviceAttribute::MaxBlockZ, 64},
      {DeviceAttribute::MaxGridX, 2147483647},
      {DeviceAttribute::MaxGridY, 65535},
      {DeviceAttribute::MaxGridZ, 65535},
      {DeviceAttribute::MaxSharedBytesPerBlock, 48 << 10},
      {DeviceAttribute::ConstantBytes, 64 << 10},
      {DeviceAttribute::WarpSize, 32},
      {DeviceAttribute::MaxRegistersPerBlock, 65536},
      {DeviceAttribute::ClockKiloHertz, 1980000},
      {DeviceAttribute::Multiprocessors, 132},
      {DeviceAttribute::KernelTimeout, 0},
      {DeviceAttribute::Integrated, 0},
      {DeviceAttribute::CanMapHostMemory, 0}, // not simulated
      {DeviceAttribute::ComputeMode, 0},
      {DeviceAttribute::ConcurrentKernels, 1},
      {DeviceAttribute::EccEnabled, 1},
      {DeviceAttribute::PciDevice, 0},
      {DeviceAttribute::MemoryClockKiloHertz, 2619000},
      {DeviceAttribute::MemoryBusBits, 5120},
      {DeviceAttribute::L2Bytes, 50 << 20},
      {DeviceAttribute::MaxThreadsPerMultiprocessor, 2048},
      {DeviceAttribute::CopyEngines, 3},
      {DeviceAttribute::UnifiedAddressing, 1},
      {DeviceAttribute::PciDomain, 0},
      {DeviceAttribute::ComputeCapabilityMajor, 9},
      {DeviceAttribute::ComputeCapabilityMinor, 0},
      {DeviceAttribute::StreamPriorities, 1},
      {DeviceAttribute::SharedBytesPerMultiprocessor, 228 << 10},
      {DeviceAttribute::RegistersPerMultiprocessor, 65536},
      {DeviceAttribute::ManagedMemory, 0}, // not simulated, as what follows
      {DeviceAttribute::CooperativeLaunch, 0},
      {DeviceAttribute::MaxSharedBytesPerBlockOptIn, 227 << 10},
      {DeviceAttribute::MaxBlocksPerMultiprocessor, 32},
      {DeviceAttribute::ReservedSharedBytesPerBlock, 1 << 10},
      {DeviceAttribute::MemoryPools, 0},
      {DeviceAttribute::ClusterLaunch, 0},
      {DeviceAttribute::Multicast, 0}};
  if (attribute == DeviceAttribute::PciBus) {
    value = device + 1;
    return true;
  }
  for (auto [name, number] : known)
    if (name == attribute) {
      value = number;
      return true;
    }
  return false;
}

namespace dmc::cuda {
extern "C" {

Result cuInit(unsigned flags) {
  Call call("cuInit", flags);
  return call.anytime([&] {
    Simulation &state = simulation();
    Lock lock(state.mutex);
    if (flags)
      return Result::InvalidValue;
    if (!state.isInitialized) {
      if (std::string wrong = state.settings.read(); !wrong.empty())
        return refuse(Result::InvalidValue, wrong);
      if (!state.settings.devices)
        return Result::NoDevice;
      openDevices();
    }
    return Result::Success;
  });
}

Result cuDriverGetVersion(int *version) {
  return Call("cuDriverGetVersion").anytime([&] {
    if (!version)
      return Result::InvalidValue;
    *version = 13000;
    return Result::Success;
  });
}

Result cuGetErrorName(Result result, const char **name) {
  return Call("cuGetErrorName", result).anytime([&] {
    if (!name)
      return Result::InvalidValue;
    switch (result) {
#define DMC_CUDA_RESULT(name_, number, exported, text)                                             \
  case Result::name_:                                                                              \
    *name = #exported;                                                                             \
    return Result::Success;
#include "CUDA/Results.def"
    }
    *name = nullptr;
    return Result::InvalidValue;
  });
}

Result cuGetErrorString(Result result, const char **text) {
  return Call("cuGetErrorString", result).anytime([&] {
    if (!text)
      return Result::InvalidValue;
    switch (result) {
#define DMC_CUDA_RESULT(name, number, exported, text_)                                             \
  case Result::name:                                                                               \
    *text = text_;                                                                                 \
    return Result::Success;
#include "CUDA/Results.def"
    }
    *text = nullptr;
    return Result::InvalidValue;
  });
}

Result cuDeviceGetCount(int *count) {
  return Call("cuDeviceGetCount").initialized([&](Lock &) {
    if (!count)
      return Result::InvalidValue;
    *count = simulation().settings.devices;
    return Result::Success;
  });
}

Result cuDeviceGet(CUdevice *device, int ordinal) {
  return Call("cuDeviceGet", ordinal).initialized([&](Lock &) {
    if (!device)
      return Result::InvalidValue;
    if (!isDevice(ordinal))
      return Result::InvalidDevice;
    *device = ordinal;
    return Result::Success;
  });
}

Result cuDeviceGetName(char *name, int length, CUdevice device) {
  return Call("cuDeviceGetName", device).initialized([&](Lock &) {
    if (!isDevice(device))
      return Result::InvalidDevice;
    return copyText(name, length, "dmc simulated device");
  });
}

Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute, CUdevice device) {
  return Call("cuDeviceGetAttribute", attribute, device).initialized([&](Lock &) {
    if (!isDevice(device))
      return Result::InvalidDevice;
    return value && attributeOf(attribute, device, *value) ? Result::Success : Result::InvalidValue;
  });
}

Result cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return Call("cuDeviceTotalMem_v2", device).initialized([&](Lock &) {
    if (!bytes)
      return Result::InvalidValue;
    if (!isDevice(device))
      return Result::InvalidDevice;
    *bytes = simulation().settings.memory;
    return Result::Success;
  });
}

Result cuDeviceGetPCIBusId(char *id, int length, CUdevice device) {
  return Call("cuDeviceGetPCIBusId", device).initialized([&](Lock &) {
    if (!isDevice(device))
      return Result::InvalidDevice;
    char text[16];
    std::snprintf(text, sizeof text, "0000:%02X:00.0", unsigned(device) + 1);
    return copyText(id, length, text);
  });
}

Result cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return Call("cuDevicePrimaryCtxRetain", device).initialized([&](Lock &) {
    if (!context)
      return Result::InvalidValue;
    if (!isDevice(device))
      return Result::InvalidDevice;
    Context &found = *simulation().contexts[static_cast<size_t>(device)];
    if (!found.retained++)
      openContext(found);
    *context = reinterpret_cast<CUcontext>(&found);
    return Result::Success;
  });
}

Result cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return Call("cuDevicePrimaryCtxRelease_v2", device).initialized([&](Lock &lock) {
    if (!isDevice(device))
      return Result::InvalidDevice;
    Context &context = *simulation().contexts[static_cast<size_t>(device)];
    if (!context.retained)
      return Result::InvalidContext;
    if (context.retained == 1) {
      quiesce(lock, context);
      closeContext(context);
    }
    --context.retained;
    return Result::Success;
  });
}

Result cuCtxSetCurrent(CUcontext context) {
  return Call("cuCtxSetCurrent", context).initialized([&](Lock &) {
    Context *found = simulation().find(context);
    if (context && !found)
      return Result::InvalidContext;
    thread().current = found;
    return Result::Success;
  });
}

Result cuCtxGetCurrent(CUcontext *context) {
  return Call("cuCtxGetCurrent").initialized([&](Lock &) {
    if (!context)
      return Result::InvalidValue;
    *context = reinterpret_cast<CUcontext>(thread().current);
    return Result::Success;
  });
}

Result cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return Call("cuCtxGetStreamPriorityRange").inContext([&](Context &, Lock &) {
    if (least)
      *least = 0;
    if (greatest)
      *greatest = -5;
    return Result::Success;
  });
}

} // extern "C"
} // namespace dmc::cuda
