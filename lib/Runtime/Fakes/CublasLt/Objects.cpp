//===- Objects.cpp - Descriptors of the simulated cuBLASLt ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/CublasLt/Objects.h"
#include "Fakes/Enqueue.h"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>

using namespace dmc::cuda::blas;

namespace {
struct Live {
  std::mutex mutex;
  std::set<const void *> objects;
};
} // namespace

static Live &live() {
  static auto *state = new Live();
  return *state;
}

bool dmc::cuda::blas::isLive(const void *object) {
  std::lock_guard<std::mutex> lock(live().mutex);
  return live().objects.count(object);
}

Status dmc::cuda::blas::refuse(Status status, const char *function, const std::string &why) {
  std::fprintf(stderr, "simulated cuBLASLt: %s: %s\n", function, why.c_str());
  return status;
}

size_t dmc::cuda::blas::bytesOf(Type type) {
  switch (type) {
  case Type::F64:
    return 8;
  case Type::F32:
  case Type::I32:
    return 4;
  case Type::F16:
  case Type::BF16:
    return 2;
  case Type::I8:
    return 1;
  default:
    return 0;
  }
}

const char *dmc::cuda::blas::nameOf(Type type) {
  switch (type) {
  case Type::F64:
    return "f64";
  case Type::F32:
    return "f32";
  case Type::I32:
    return "i32";
  case Type::F16:
    return "f16";
  case Type::BF16:
    return "bf16";
  case Type::I8:
    return "i8";
  default:
    return "a type that is not simulated";
  }
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attributes::Attributes(const std::vector<AttributeKind> &kinds) : kinds_(kinds) {
  for (const AttributeKind &kind : kinds)
    values_[kind.number] = kind.initial;
}

Status Attributes::set(const char *function, int number, const void *value, size_t bytes) {
  for (const AttributeKind &kind : kinds_) {
    if (kind.number != number)
      continue;
    if (!value || bytes != kind.bytes)
      return refuse(Status::InvalidValue, function,
                    "attribute " + std::to_string(number) + " has " + std::to_string(kind.bytes) +
                        " bytes, not " + std::to_string(bytes));
    // Sign-extended: -1 is the default of some.
    int64_t wide = 0;
    int32_t word;
    int8_t byte;
    if (bytes == 8)
      std::memcpy(&wide, value, 8);
    else if (bytes == 4)
      std::memcpy(&word, value, 4), wide = word;
    else
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, which keeps its sign
      std::memcpy(&byte, value, 1), wide = byte;
    if (!kind.isSimulated && wide != kind.initial)
      return refuse(Status::NotSupported, function,
                    "attribute " + std::to_string(number) + " is not simulated");
    values_[number] = wide;
    return Status::Success;
  }
  return refuse(Status::InvalidValue, function,
                "there is no attribute " + std::to_string(number) + ", or it is not simulated");
}

static const std::vector<AttributeKind> &layoutKinds() {
  static const std::vector<AttributeKind> kinds = {
      {int(LayoutAttribute::Type), 4, 0, true},
      {int(LayoutAttribute::Order), 4, 0, true},
      {int(LayoutAttribute::Rows), 8, 0, true},
      {int(LayoutAttribute::Columns), 8, 0, true},
      {int(LayoutAttribute::Ld), 8, 0, true},
      {int(LayoutAttribute::BatchCount), 4, 1, true},
      {int(LayoutAttribute::BatchStride), 8, 0, true},
      {int(LayoutAttribute::PlaneOffset), 8, 0, false},
  };
  return kinds;
}

static const std::vector<AttributeKind> &operationKinds() {
  using A = OperationAttribute;
  constexpr int64_t full = 2; // CUBLAS_FILL_MODE_FULL
  static const std::vector<AttributeKind> kinds = {
      {int(A::ComputeType), 4, 0, true},
      {int(A::ScaleType), 4, 0, true},
      {int(A::PointerMode), 4, int(PointerMode::Host), true},
      {int(A::TransA), 4, 0, true},
      {int(A::TransB), 4, 0, true},
      {int(A::TransC), 4, 0, false},
      {int(A::FillMode), 4, full, false},
      {int(A::Epilogue), 4, int(Epilogue::Default), true},
      {int(A::BiasPointer), 8, 0, true},
      {int(A::BiasBatchStride), 8, 0, true},
      {int(A::AuxPointer), 8, 0, true},
      {int(A::AuxLd), 8, 0, true},
      {int(A::AuxBatchStride), 8, 0, true},
      {int(A::AlphaVectorBatchStride), 8, 0, false},
      // A hint, of which results do not depend.
      {int(A::MultiprocessorTarget), 4, 0, true},
      {int(A::AScalePointer), 8, 0, false},
      {int(A::BScalePointer), 8, 0, false},
      {int(A::CScalePointer), 8, 0, false},
      {int(A::DScalePointer), 8, 0, false},
      {int(A::AmaxDPointer), 8, 0, false},
      {int(A::AuxType), 4, -1, true},
      {int(A::AuxScalePointer), 8, 0, false},
      {int(A::AuxAmaxPointer), 8, 0, false},
      {int(A::FastAccumulation), 1, 0, false},
      {int(A::BiasType), 4, -1, true},
  };
  return kinds;
}

static const std::vector<AttributeKind> &preferenceKinds() {
  using A = PreferenceAttribute;
  static const std::vector<AttributeKind> kinds = {
      {int(A::SearchMode), 4, 0, false},      {int(A::MaxWorkspace), 8, 0, true},
      {int(A::ReductionSchemes), 4, 7, true}, // all
      {int(A::AlignmentA), 4, 256, true},     {int(A::AlignmentB), 4, 256, true},
      {int(A::AlignmentC), 4, 256, true},     {int(A::AlignmentD), 4, 256, true},
      {int(A::MaxWaves), 4, 0, false},        {int(A::Implementations), 8, -1, false},
  };
  return kinds;
}

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

template <typename Object>
static Object *remember(Object *object) {
  std::lock_guard<std::mutex> lock(live().mutex);
  live().objects.insert(object);
  return object;
}

template <typename Object>
static Status forget(const char *function, Object *object) {
  {
    std::lock_guard<std::mutex> lock(live().mutex);
    if (!live().objects.erase(object))
      return refuse(Status::InvalidValue, function, "the object does not exist");
  }
  delete object;
  return Status::Success;
}

template <typename Object, typename Attribute>
static Status setAttribute(const char *function, Object *object, Attribute attribute,
                           const void *value, size_t bytes) {
  if (!isLive(object))
    return refuse(Status::InvalidValue, function, "the object does not exist");
  return object->attributes.set(function, static_cast<int>(attribute), value, bytes);
}

struct cublasLtContext {
  int device;
};

Status dmc::cuda::blas::checkHandle(const char *function, Handle handle) {
  if (!isLive(handle))
    return refuse(Status::NotInitialized, function, "the handle does not exist");
  if (handle->device != dmcFakeDevice())
    return refuse(Status::InvalidValue, function,
                  "the handle is for device " + std::to_string(handle->device) +
                      ", but the current one is " + std::to_string(dmcFakeDevice()));
  return Status::Success;
}

namespace dmc::cuda::blas {
extern "C" {

Status cublasLtCreate(Handle *handle) {
  if (!handle)
    return Status::InvalidValue;
  int device = dmcFakeDevice();
  if (device < 0)
    return refuse(Status::NotInitialized, __func__, "the thread has no current device");
  *handle = remember(new cublasLtContext{device});
  return Status::Success;
}

Status cublasLtDestroy(Handle handle) { return forget(__func__, handle); }

size_t cublasLtGetVersion() { return 130100; }

const char *cublasLtGetStatusString(Status status) {
  switch (status) {
  case Status::Success:
    return "CUBLAS_STATUS_SUCCESS";
  case Status::NotInitialized:
    return "CUBLAS_STATUS_NOT_INITIALIZED";
  case Status::AllocFailed:
    return "CUBLAS_STATUS_ALLOC_FAILED";
  case Status::InvalidValue:
    return "CUBLAS_STATUS_INVALID_VALUE";
  case Status::ArchMismatch:
    return "CUBLAS_STATUS_ARCH_MISMATCH";
  case Status::MappingError:
    return "CUBLAS_STATUS_MAPPING_ERROR";
  case Status::ExecutionFailed:
    return "CUBLAS_STATUS_EXECUTION_FAILED";
  case Status::InternalError:
    return "CUBLAS_STATUS_INTERNAL_ERROR";
  case Status::NotSupported:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  case Status::LicenseError:
    return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "<unknown status>";
}

Status cublasLtMatrixLayoutCreate(Layout *layout, Type type, uint64_t rows, uint64_t columns,
                                  int64_t ld) {
  if (!layout)
    return Status::InvalidValue;
  auto *object = new LayoutObject{Attributes(layoutKinds())};
  object->attributes.put(int(LayoutAttribute::Type), int64_t(type));
  object->attributes.put(int(LayoutAttribute::Rows), int64_t(rows));
  object->attributes.put(int(LayoutAttribute::Columns), int64_t(columns));
  object->attributes.put(int(LayoutAttribute::Ld), ld);
  *layout = remember(object);
  return Status::Success;
}

Status cublasLtMatrixLayoutDestroy(Layout layout) { return forget(__func__, layout); }

Status cublasLtMatrixLayoutSetAttribute(Layout layout, LayoutAttribute attribute, const void *value,
                                        size_t bytes) {
  return setAttribute(__func__, layout, attribute, value, bytes);
}

Status cublasLtMatmulDescCreate(Operation *operation, ComputeType compute, Type scale) {
  if (!operation)
    return Status::InvalidValue;
  auto *object = new OperationObject{Attributes(operationKinds())};
  object->attributes.put(int(OperationAttribute::ComputeType), int64_t(compute));
  object->attributes.put(int(OperationAttribute::ScaleType), int64_t(scale));
  *operation = remember(object);
  return Status::Success;
}

Status cublasLtMatmulDescDestroy(Operation operation) { return forget(__func__, operation); }

Status cublasLtMatmulDescSetAttribute(Operation operation, OperationAttribute attribute,
                                      const void *value, size_t bytes) {
  return setAttribute(__func__, operation, attribute, value, bytes);
}

Status cublasLtMatmulPreferenceCreate(Preference *preference) {
  if (!preference)
    return Status::InvalidValue;
  *preference = remember(new PreferenceObject{Attributes(preferenceKinds())});
  return Status::Success;
}

Status cublasLtMatmulPreferenceDestroy(Preference preference) {
  return forget(__func__, preference);
}

Status cublasLtMatmulPreferenceSetAttribute(Preference preference, PreferenceAttribute attribute,
                                            const void *value, size_t bytes) {
  return setAttribute(__func__, preference, attribute, value, bytes);
}
}
} // namespace dmc::cuda::blas
