//===- NcclTypes.h - Types of NCCL's interface ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dmc needs of it, declared by dmc itself: no header of NVIDIA's is needed to build. The
// numbers are those of nccl.h of NCCL 2.28.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_CUDA_NCCLTYPES_H
#define DMC_LIB_RUNTIME_CUDA_NCCLTYPES_H

#include <climits>
#include <cstddef>
#include <cstdint>

// At global scope, as NVIDIA's own.
struct CUstream_st;
struct ncclComm;
struct ncclWindow_vidmem;

namespace dmc::cuda::nccl {

using Stream = CUstream_st *;
using Communicator = ncclComm *;
using Window = ncclWindow_vidmem *;

enum class Result : int {
  Success = 0,
  UnhandledCudaError = 1,
  SystemError = 2,
  InternalError = 3,
  InvalidArgument = 4,
  InvalidUsage = 5,
  RemoteError = 6,
  InProgress = 7,
};

enum class Type : int {
  I8 = 0,
  U8 = 1,
  I32 = 2,
  U32 = 3,
  I64 = 4,
  U64 = 5,
  F16 = 6,
  F32 = 7,
  F64 = 8,
  BF16 = 9,
  F8E4M3 = 10,
  F8E5M2 = 11,
};

/// Those that users make have larger numbers.
enum class Reduction : int { Sum = 0, Product = 1, Max = 2, Min = 3, Average = 4 };
inline constexpr int numReductions = 5;

/// Where the factor of a reduction is.
enum class Residence : int { Device = 0, HostImmediate = 1 };

/// The color of a rank that is in none of the new communicators.
inline constexpr int noColor = -1;
/// A window that has the same offsets on all ranks.
inline constexpr int symmetricWindow = 1;
/// What windows must begin at multiples of, in bytes.
inline constexpr size_t windowAlignment = 4096;

struct UniqueId {
  char internal[128];
};

/// A member that is not set has one of these values.
inline constexpr int unsetInt = INT_MIN;

/// ncclConfig_t of version 2.28; older libraries read as many members as they know.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 22809;
  int blocking = unsetInt;
  int cgaClusterSize = unsetInt;
  int minCTAs = unsetInt;
  int maxCTAs = unsetInt;
  const char *netName = nullptr;
  int splitShare = unsetInt;
  int trafficClass = unsetInt;
  const char *commName = nullptr;
  int collnetEnable = unsetInt;
  int ctaPolicy = unsetInt;
  int shrinkShare = unsetInt;
  int nvlsCTAs = unsetInt;
  int nChannelsPerNetPeer = unsetInt;
  int nvlinkCentricSched = unsetInt;
};

} // namespace dmc::cuda::nccl

#endif // DMC_LIB_RUNTIME_CUDA_NCCLTYPES_H
