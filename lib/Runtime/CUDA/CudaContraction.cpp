//===- CudaContraction.cpp - Contractions by cuBLASLt ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/CudaContraction.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <optional>

using namespace dmc;
using namespace dmc::cuda;
using namespace dmc::cuda::blas;
using namespace dmc::runtime;

static std::optional<Type> typeOf(uint32_t element) {
  switch (element) {
  case DMC_F16:
    return Type::F16;
  case DMC_BF16:
    return Type::BF16;
  case DMC_F32:
    return Type::F32;
  case DMC_F64:
    return Type::F64;
  default:
    return std::nullopt;
  }
}

CudaContraction::~CudaContraction() {
  for (blas::Layout layout : {first_, second_, result_})
    if (layout)
      (void)library_.layoutDestroy(layout);
  if (operation_)
    (void)library_.operationDestroy(operation_);
}

namespace {
/// A matrix of a product as cuBLASLt describes it: columns lie one after the other.
struct Matrix {
  uint64_t rows, columns;
  int64_t ld;
  bool isTransposed;
};
} // namespace

/// Of a matrix of which one stride is 1.
static Matrix describeMatrix(int64_t rows, int64_t columns, int64_t rowStride,
                             int64_t columnStride) {
  bool isColumnMajor = rowStride == 1 && (columns == 1 || columnStride >= rows);
  auto size = [](int64_t value) { return static_cast<uint64_t>(value); };
  if (isColumnMajor)
    return {size(rows), size(columns), std::max(columnStride, rows), false};
  return {size(columns), size(rows), std::max(rowStride, columns), true};
}

/// The product C = A * B, rows of C one after the other, is C^T = B^T * A^T with its columns one
/// after the other, which every version and type of the library takes.
bool CudaContraction::describe(const dmc_matmul &matmul, std::string &error) {
  bool isDouble = matmul.c_type == DMC_F64;
  Type scale = isDouble ? Type::F64 : Type::F32;
  std::optional<Type> a = typeOf(matmul.a_type), b = typeOf(matmul.b_type),
                      c = typeOf(matmul.c_type);
  auto check = [&](Status status) {
    if (status == Status::Success)
      return true;
    const char *text = library_.getStatusString(status);
    error = std::string("cuBLASLt: ") + (text ? text : "unknown status");
    return false;
  };
  if (!a || !b || !c) {
    error = "unsupported element type";
    return false;
  }
  if (!check(library_.operationCreate(&operation_, isDouble ? ComputeType::F64 : ComputeType::F32,
                                      scale)))
    return false;
  Matrix first = describeMatrix(matmul.n, matmul.k, matmul.b_n, matmul.b_k);
  Matrix second = describeMatrix(matmul.k, matmul.m, matmul.a_k, matmul.a_m);
  Matrix result = describeMatrix(matmul.n, matmul.m, matmul.c_n, matmul.c_m);
  auto setTranspose = [&](OperationAttribute attribute, bool isTransposed) {
    auto value = static_cast<int32_t>(isTransposed ? Transpose::Transposed : Transpose::None);
    return check(library_.operationSetAttribute(operation_, attribute, &value, sizeof value));
  };
  if (!setTranspose(OperationAttribute::TransA, first.isTransposed) ||
      !setTranspose(OperationAttribute::TransB, second.isTransposed))
    return false;
  if (result.isTransposed) {
    error = "expected a product whose rows lie one after the other";
    return false;
  }
  // The longest batch loop is the library's.
  uint32_t inner = matmul.num_batch;
  for (uint32_t i = 0; i < matmul.num_batch; ++i)
    if (inner == matmul.num_batch || matmul.batch[i] > matmul.batch[inner])
      inner = i;
  bool hasBatch = inner < matmul.num_batch;
  auto create = [&](blas::Layout &layout, Type type, const Matrix &matrix, int64_t stride) {
    if (!check(library_.layoutCreate(&layout, type, matrix.rows, matrix.columns, matrix.ld)))
      return false;
    if (!hasBatch)
      return true;
    auto count = static_cast<int32_t>(matmul.batch[inner]);
    return check(library_.layoutSetAttribute(layout, LayoutAttribute::BatchCount, &count,
                                             sizeof count)) &&
           check(library_.layoutSetAttribute(layout, LayoutAttribute::BatchStride, &stride,
                                             sizeof stride));
  };
  auto strideOf = [&](const int64_t *strides) { return hasBatch ? strides[inner] : 0; };
  if (!create(first_, *b, first, strideOf(matmul.b_batch)) ||
      !create(second_, *a, second, strideOf(matmul.a_batch)) ||
      !create(result_, *c, result, strideOf(matmul.c_batch)))
    return false;
  calls_ = {{0, 0, 0}};
  auto repeat = [&](int64_t size, Offsets step) {
    std::vector<Offsets> all;
    for (const Offsets &call : calls_)
      for (int64_t i = 0; i < size; ++i)
        all.push_back({call.a + i * step.a, call.b + i * step.b, call.c + i * step.c});
    calls_ = std::move(all);
  };
  for (const ContractionLoop &loop : plan_.outer)
    repeat(loop.size,
           plan_.isSwapped ? Offsets{loop.b, loop.a, loop.c} : Offsets{loop.a, loop.b, loop.c});
  for (uint32_t i = 0; i < matmul.num_batch; ++i)
    if (i != inner)
      repeat(matmul.batch[i], {matmul.a_batch[i], matmul.b_batch[i], matmul.c_batch[i]});
  return true;
}

bool CudaContraction::choose(size_t workspaceBytes, std::string &error) {
  Preference preference = nullptr;
  Status status = library_.preferenceCreate(&preference);
  uint64_t bytes = workspaceBytes;
  if (status == Status::Success)
    status = library_.preferenceSetAttribute(preference, PreferenceAttribute::MaxWorkspace, &bytes,
                                             sizeof bytes);
  // Of any alignment that the offsets in the arena and in a batch leave.
  uint32_t alignment = static_cast<uint32_t>(elementBytes(plan_.matmul.c_type));
  for (auto attribute : {PreferenceAttribute::AlignmentA, PreferenceAttribute::AlignmentB,
                         PreferenceAttribute::AlignmentC, PreferenceAttribute::AlignmentD})
    if (status == Status::Success)
      status = library_.preferenceSetAttribute(preference, attribute, &alignment, sizeof alignment);
  HeuristicResult found = {};
  int count = 0;
  if (status == Status::Success)
    status = library_.getHeuristic(handle_, operation_, first_, second_, result_, result_,
                                   preference, 1, &found, &count);
  if (preference)
    (void)library_.preferenceDestroy(preference);
  if (status == Status::Success && count > 0) {
    algorithm_ = found.algorithm;
    return true;
  }
  const char *text = library_.getStatusString(status);
  error = count == 0 && status == Status::Success ? std::string("cuBLASLt has no algorithm")
                                                  : std::string("cuBLASLt: ") + (text ? text : "");
  return false;
}

std::unique_ptr<CudaContraction> CudaContraction::prepare(const CublasLt &library, Handle handle,
                                                          const dmc_contraction &contraction,
                                                          size_t workspaceBytes,
                                                          std::string &error) {
  error = "unsupported: a contraction of loops that no matrix product has";
  for (ContractionPlan &plan : planContraction(contraction)) {
    std::unique_ptr<CudaContraction> prepared(new CudaContraction(library, handle));
    prepared->plan_ = std::move(plan);
    if (prepared->describe(prepared->plan_.matmul, error) &&
        prepared->choose(workspaceBytes, error))
      return prepared;
  }
  return nullptr;
}

Failure CudaContraction::run(void *a, void *b, void *c, void *workspace, size_t workspaceBytes,
                             Stream stream) const {
  const dmc_matmul &matmul = plan_.matmul;
  if (plan_.isSwapped)
    std::swap(a, b);
  const double one = 1, zero = 0;
  const float oneFloat = 1, zeroFloat = 0;
  bool isDouble = matmul.c_type == DMC_F64;
  const void *alpha = isDouble ? static_cast<const void *>(&one) : &oneFloat;
  const void *beta = isDouble ? static_cast<const void *>(&zero) : &zeroFloat;
  if (matmul.accumulate)
    beta = alpha;
  auto at = [](void *base, int64_t element, uint32_t type) {
    return static_cast<uint8_t *>(base) + element * static_cast<int64_t>(elementBytes(type));
  };
  for (const Offsets &call : calls_) {
    void *result = at(c, call.c, matmul.c_type);
    Status status =
        library_.matmul(handle_, operation_, alpha, at(b, call.b, matmul.b_type), first_,
                        at(a, call.a, matmul.a_type), second_, beta, result, result_, result,
                        result_, &algorithm_, workspace, workspaceBytes, stream);
    if (status != Status::Success) {
      const char *text = library_.getStatusString(status);
      return std::string("cuBLASLt: ") + (text ? text : "unknown status");
    }
  }
  return std::nullopt;
}
