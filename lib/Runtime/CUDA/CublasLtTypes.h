//===- CublasLtTypes.h - Types of cuBLASLt's interface ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dmc needs of it, declared by dmc itself: no header of NVIDIA's is needed to build. The
// numbers are those of cublasLt.h and library_types.h of CUDA 12 and 13.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_CUDA_CUBLASLTTYPES_H
#define DMC_LIB_RUNTIME_CUDA_CUBLASLTTYPES_H

#include <cstddef>
#include <cstdint>

// At global scope, as NVIDIA's own.
struct CUstream_st;
struct cublasLtContext;

namespace dmc::cuda::blas {

struct LayoutObject;
struct OperationObject;
struct PreferenceObject;

using Stream = CUstream_st *;
using Handle = cublasLtContext *;
using Layout = LayoutObject *;
using Operation = OperationObject *;
using Preference = PreferenceObject *;

enum class Status : int {
  Success = 0,
  NotInitialized = 1,
  AllocFailed = 3,
  InvalidValue = 7,
  ArchMismatch = 8,
  MappingError = 11,
  ExecutionFailed = 13,
  InternalError = 14,
  NotSupported = 15,
  LicenseError = 16,
};

/// cudaDataType
enum class Type : int { F32 = 0, F64 = 1, F16 = 2, I8 = 3, U8 = 8, I32 = 10, BF16 = 14 };

enum class ComputeType : int {
  F16 = 64,
  F16Pedantic = 65,
  F32 = 68,
  F32Pedantic = 69,
  F64 = 70,
  F64Pedantic = 71,
  I32 = 72,
  I32Pedantic = 73,
  F32FastF16 = 74,
  F32FastBF16 = 75,
  F32FastTF32 = 77,
};

enum class Transpose : int { None = 0, Transposed = 1, Conjugated = 2 };
enum class Order : int { Column = 0, Row = 1 };

/// Where alpha and beta are.
enum class PointerMode : int {
  Host = 0,
  Device = 1,
  DeviceVector = 2,
  AlphaDeviceVectorBetaZero = 3,
  AlphaDeviceVectorBetaHost = 4,
};

/// What is done with the sums before they are stored. The values are sets of these: 2 a relu, 4 a
/// bias, 8 the gradient of a relu, 16 of a bias, 32 a gelu, 64 its gradient, 128 an auxiliary
/// matrix.
enum class Epilogue : int {
  Default = 1,
  Relu = 2,
  ReluAux = 130,
  Bias = 4,
  ReluBias = 6,
  ReluAuxBias = 134,
  DRelu = 136,
  DReluBGrad = 152,
  Gelu = 32,
  GeluAux = 160,
  GeluBias = 36,
  GeluAuxBias = 164,
  DGelu = 192,
  DGeluBGrad = 208,
  BGradA = 256,
  BGradB = 512,
};

/// cublasLtMatmulDescAttributes_t, with the type of each.
enum class OperationAttribute : int {
  ComputeType = 0,             // int32_t
  ScaleType = 1,               // int32_t
  PointerMode = 2,             // int32_t
  TransA = 3,                  // int32_t
  TransB = 4,                  // int32_t
  TransC = 5,                  // int32_t
  FillMode = 6,                // int32_t
  Epilogue = 7,                // uint32_t
  BiasPointer = 8,             // void *
  BiasBatchStride = 10,        // int64_t
  AuxPointer = 11,             // void *
  AuxLd = 12,                  // int64_t
  AuxBatchStride = 13,         // int64_t
  AlphaVectorBatchStride = 14, // int64_t
  MultiprocessorTarget = 15,   // int32_t
  AScalePointer = 17,          // const void *
  BScalePointer = 18,          // const void *
  CScalePointer = 19,          // const void *
  DScalePointer = 20,          // const void *
  AmaxDPointer = 21,           // void *
  AuxType = 22,                // int32_t
  AuxScalePointer = 23,        // const void *
  AuxAmaxPointer = 24,         // void *
  FastAccumulation = 25,       // int8_t
  BiasType = 26,               // int32_t
};

/// cublasLtMatrixLayoutAttribute_t
enum class LayoutAttribute : int {
  Type = 0,        // uint32_t
  Order = 1,       // int32_t
  Rows = 2,        // uint64_t
  Columns = 3,     // uint64_t
  Ld = 4,          // int64_t
  BatchCount = 5,  // int32_t
  BatchStride = 6, // int64_t, in elements
  PlaneOffset = 7, // int64_t
};

/// cublasLtMatmulPreferenceAttributes_t
enum class PreferenceAttribute : int {
  SearchMode = 0,       // uint32_t
  MaxWorkspace = 1,     // uint64_t
  ReductionSchemes = 3, // uint32_t
  AlignmentA = 5,       // uint32_t
  AlignmentB = 6,       // uint32_t
  AlignmentC = 7,       // uint32_t
  AlignmentD = 8,       // uint32_t
  MaxWaves = 9,         // float
  Implementations = 12, // uint64_t
};

/// cublasLtMatmulAlgoConfigAttributes_t
enum class AlgorithmAttribute : int {
  Id = 0,              // int32_t
  TileId = 1,          // uint32_t
  SplitK = 2,          // uint32_t
  ReductionScheme = 3, // uint32_t
  Swizzling = 4,       // uint32_t
  CustomOption = 5,    // uint32_t
  StagesId = 6,        // uint32_t
  InnerShapeId = 7,    // uint16_t
  ClusterShapeId = 8,  // uint16_t
};

struct Algorithm {
  uint64_t data[8];
};

struct HeuristicResult {
  Algorithm algorithm;
  size_t workspaceBytes;
  Status state;
  float waves;
  int reserved[4];
};

} // namespace dmc::cuda::blas

#endif // DMC_LIB_RUNTIME_CUDA_CUBLASLTTYPES_H
