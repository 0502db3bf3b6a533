//===- DriverTypes.h - Types of the CUDA driver's interface -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dmc needs of it, declared by dmc itself: no header of NVIDIA's is needed to build. The
// numbers are those of CUDA 13's cuda.h; test/unit/Fakes compares them where that file is.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_CUDA_DRIVERTYPES_H
#define DMC_LIB_RUNTIME_CUDA_DRIVERTYPES_H

#include <cstddef>
#include <cstdint>

// At global scope, as NVIDIA's own.
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;

namespace dmc::cuda {

using CUcontext = CUctx_st *;
using CUmodule = CUmod_st *;
using CUfunction = CUfunc_st *;
using CUstream = CUstream_st *;
using CUevent = CUevent_st *;
using CUgraph = CUgraph_st *;
using CUgraphExec = CUgraphExec_st *;
using CUgraphNode = CUgraphNode_st *;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUhostFn = void (*)(void *data);

enum class Result : int {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name
#define DMC_CUDA_RESULT(name, number, exported, text) name = number,
#include "CUDA/Results.def"
};

enum class DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxBlockX = 2,
  MaxBlockY = 3,
  MaxBlockZ = 4,
  MaxGridX = 5,
  MaxGridY = 6,
  MaxGridZ = 7,
  MaxSharedBytesPerBlock = 8,
  ConstantBytes = 9,
  WarpSize = 10,
  MaxRegistersPerBlock = 12,
  ClockKiloHertz = 13,
  Multiprocessors = 16,
  KernelTimeout = 17,
  Integrated = 18,
  CanMapHostMemory = 19,
  ComputeMode = 20,
  ConcurrentKernels = 31,
  EccEnabled = 32,
  PciBus = 33,
  PciDevice = 34,
  MemoryClockKiloHertz = 36,
  MemoryBusBits = 37,
  L2Bytes = 38,
  MaxThreadsPerMultiprocessor = 39,
  CopyEngines = 40,
  UnifiedAddressing = 41,
  PciDomain = 50,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  StreamPriorities = 78,
  SharedBytesPerMultiprocessor = 81,
  RegistersPerMultiprocessor = 82,
  ManagedMemory = 83,
  CooperativeLaunch = 95,
  MaxSharedBytesPerBlockOptIn = 97,
  MaxBlocksPerMultiprocessor = 106,
  ReservedSharedBytesPerBlock = 111,
  MemoryPools = 115,
  ClusterLaunch = 120,
  Multicast = 132
};

enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedBytes = 1,
  ConstantBytes = 2,
  LocalBytes = 3,
  Registers = 4,
  PtxVersion = 5,
  BinaryVersion = 6,
  CacheMode = 7,
  MaxDynamicSharedBytes = 8,
  SharedCarveout = 9
};

enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };
enum class CaptureStatus : int { None = 0, Active = 1, Invalidated = 2 };

/// Flags of streams and events.
constexpr unsigned streamNonBlocking = 1;
constexpr unsigned eventBlockingSync = 1, eventDisableTiming = 2, eventInterprocess = 4;
/// A record within a capture that launches of the graph make.
constexpr unsigned eventRecordExternal = 1;
/// Flags of memory of the host: seen by all contexts, mapped, write-combined.
constexpr unsigned hostPortable = 1, hostDeviceMap = 2, hostWriteCombined = 4;

// NOLINTBEGIN(performance-no-int-to-ptr): numbers that the interface gives in place of pointers.
/// The default stream by its other name, and the default stream of the thread.
inline CUstream legacyStream() { return reinterpret_cast<CUstream>(uintptr_t(1)); }
inline CUstream perThreadStream() { return reinterpret_cast<CUstream>(uintptr_t(2)); }

/// Keys of the list of `extra` arguments of a launch.
inline void *launchParamEnd() { return nullptr; }
inline void *launchParamBufferPointer() { return reinterpret_cast<void *>(uintptr_t(1)); }
inline void *launchParamBufferSize() { return reinterpret_cast<void *>(uintptr_t(2)); }
// NOLINTEND(performance-no-int-to-ptr)

enum class LaunchAttributeId : int {
  Ignore = 0,
  AccessPolicyWindow = 1,
  Cooperative = 2,
  SynchronizationPolicy = 3,
  ClusterDimension = 4,
  ClusterSchedulingPolicy = 5,
  ProgrammaticStreamSerialization = 6,
  ProgrammaticEvent = 7,
  Priority = 8,
  MemorySyncDomainMap = 9,
  MemorySyncDomain = 10
};

struct LaunchAttribute {
  LaunchAttributeId id;
  int padding;
  union {
    char bytes[64];
    int number;
    struct {
      unsigned x, y, z;
    } clusterDimension;
    void *alignment;
  } value;
};

struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  CUstream stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

struct GraphInstantiateParams {
  uint64_t flags;
  CUstream uploadStream;
  CUgraphNode errorNode;
  int result;
};

struct alignas(128) TensorMap {
  uint64_t opaque[16];
};

} // namespace dmc::cuda

#endif // DMC_LIB_RUNTIME_CUDA_DRIVERTYPES_H
