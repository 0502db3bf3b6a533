//===- HeaderTest.cpp - What dmc declares, and NVIDIA's header ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles where CUDA 13's cuda.h says what CUDA/DriverTypes.h and the tables say.
//
//===----------------------------------------------------------------------===//

#ifdef TEST_HAS_CUDA_HEADER
#include "CUDA/DriverTypes.h"

#include <type_traits>

#include <cuda.h>

namespace {
/// Whether values of both types are passed in the same way: enumerations as integers, pointers to
/// what is alike, structures of one size.
template <typename A, typename B>
struct Alike;

template <typename A, typename B>
constexpr bool isAlike() {
  if constexpr (std::is_same_v<A, B>)
    return true;
  else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>)
    return isAlike<std::remove_cv_t<std::remove_pointer_t<A>>,
                   std::remove_cv_t<std::remove_pointer_t<B>>>();
  else if constexpr (std::is_function_v<A> && std::is_function_v<B>)
    return Alike<A, B>::value;
  else if constexpr ((std::is_enum_v<A> || std::is_integral_v<A>) &&
                     (std::is_enum_v<B> || std::is_integral_v<B>))
    return sizeof(A) == sizeof(B);
  else if constexpr (std::is_class_v<A> && std::is_class_v<B>)
    return sizeof(A) == sizeof(B) && alignof(A) == alignof(B);
  else
    return false;
}

template <typename A, typename... P, typename B, typename... Q>
struct Alike<A(P...), B(Q...)> {
  static constexpr bool check() {
    if constexpr (sizeof...(P) == sizeof...(Q))
      return isAlike<A, B>() && (... && isAlike<P, Q>());
    else
      return false;
  }
  static constexpr bool value = check();
};

} // namespace

namespace dmc::cuda {
#define DMC_CUDA_FUNCTION(exported, name, parameters)                                              \
  static_assert(isAlike<Result parameters, decltype(::exported)>(), #exported);
#include "CUDA/Driver.def"
} // namespace dmc::cuda

namespace {

#define DMC_CUDA_RESULT(name, number, exported, text)                                              \
  static_assert((exported) == (number), #exported);
#include "CUDA/Results.def"

#define SAME(type, name, exported) static_assert(static_cast<int>(type::name) == (exported))
using dmc::cuda::DeviceAttribute;
using dmc::cuda::FunctionAttribute;
using dmc::cuda::LaunchAttributeId;
SAME(DeviceAttribute, MaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(DeviceAttribute, MaxSharedBytesPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME(DeviceAttribute, MaxRegistersPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
SAME(DeviceAttribute, ClockKiloHertz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME(DeviceAttribute, Multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(DeviceAttribute, EccEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
SAME(DeviceAttribute, PciBus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
SAME(DeviceAttribute, MemoryClockKiloHertz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME(DeviceAttribute, MemoryBusBits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME(DeviceAttribute, L2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(DeviceAttribute, CopyEngines, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
SAME(DeviceAttribute, UnifiedAddressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
SAME(DeviceAttribute, PciDomain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
SAME(DeviceAttribute, ComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(DeviceAttribute, StreamPriorities, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
SAME(DeviceAttribute, SharedBytesPerMultiprocessor,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME(DeviceAttribute, ManagedMemory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
SAME(DeviceAttribute, CooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
SAME(DeviceAttribute, MaxSharedBytesPerBlockOptIn,
     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(DeviceAttribute, MaxBlocksPerMultiprocessor,
     CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
SAME(DeviceAttribute, ReservedSharedBytesPerBlock,
     CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
SAME(DeviceAttribute, MemoryPools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
SAME(DeviceAttribute, ClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
SAME(DeviceAttribute, Multicast, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED);
SAME(FunctionAttribute, LocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME(FunctionAttribute, BinaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
SAME(FunctionAttribute, MaxDynamicSharedBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(FunctionAttribute, SharedCarveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
SAME(dmc::cuda::CaptureMode, Relaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME(dmc::cuda::CaptureMode, ThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME(dmc::cuda::CaptureStatus, Invalidated, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
SAME(LaunchAttributeId, ClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(LaunchAttributeId, ProgrammaticStreamSerialization,
     CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME(LaunchAttributeId, MemorySyncDomain, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);
static_assert(dmc::cuda::streamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(dmc::cuda::eventDisableTiming == CU_EVENT_DISABLE_TIMING);
static_assert(dmc::cuda::eventInterprocess == CU_EVENT_INTERPROCESS);
static_assert(dmc::cuda::eventRecordExternal == CU_EVENT_RECORD_EXTERNAL);
static_assert(dmc::cuda::hostWriteCombined == CU_MEMHOSTALLOC_WRITECOMBINED);
static_assert(offsetof(dmc::cuda::LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(dmc::cuda::LaunchConfig, numAttributes) ==
              offsetof(CUlaunchConfig, numAttrs));
static_assert(offsetof(dmc::cuda::LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(dmc::cuda::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(dmc::cuda::GraphInstantiateParams, result) ==
              offsetof(CUDA_GRAPH_INSTANTIATE_PARAMS, result_out));
} // namespace
#endif
