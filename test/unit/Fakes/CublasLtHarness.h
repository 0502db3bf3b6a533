//===- CublasLtHarness.h - Calls the simulated cuBLASLt ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TEST_UNIT_FAKES_CUBLASLTHARNESS_H
#define DMC_TEST_UNIT_FAKES_CUBLASLTHARNESS_H

#include "CUDA/CublasLt.h"
#include "Harness.h"

#include "dmc/Runtime/Element.h"

#include <cmath>
#include <cstring>
#include <functional>

namespace dmc::fakes::test {

inline const blas::CublasLt &lt() {
  static const blas::CublasLt *functions = [] {
    cu(); // the driver that it uses
    std::string error;
    const blas::CublasLt *loaded = blas::CublasLt::load(/*simulated=*/true, error);
    if (!loaded) {
      ADD_FAILURE() << error;
      std::abort();
    }
    return loaded;
  }();
  return *functions;
}

/// A call fails with this status, and says why.
template <typename Function>
void expectStatus(blas::Status expected, const std::string &why, Function call) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(call(), expected) << why;
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("simulated cuBLASLt: "), std::string::npos) << why;
  EXPECT_NE(said.find(why), std::string::npos) << said;
}

inline size_t sizeOf(blas::Type type) {
  return type == blas::Type::F64    ? 8
         : type == blas::Type::I8   ? 1
         : type == blas::Type::F16  ? 2
         : type == blas::Type::BF16 ? 2
                                    : 4;
}

inline void encode(blas::Type type, double value, void *to) {
  auto put = [&](auto element) { std::memcpy(to, &element, sizeof element); };
  auto narrow = static_cast<float>(value);
  if (type == blas::Type::F64)
    put(value);
  else if (type == blas::Type::F32)
    put(narrow);
  else if (type == blas::Type::F16)
    put(runtime::floatToF16(narrow));
  else if (type == blas::Type::BF16)
    put(runtime::floatToBf16(narrow));
  else if (type == blas::Type::I32)
    put(static_cast<int32_t>(value));
  else
    put(static_cast<int8_t>(value));
}

inline double decode(blas::Type type, const void *from) {
  auto take = [&](auto element) {
    std::memcpy(&element, from, sizeof element);
    return element;
  };
  if (type == blas::Type::F64)
    return take(double());
  if (type == blas::Type::F32)
    return take(float());
  if (type == blas::Type::F16)
    return runtime::f16ToFloat(take(uint16_t()));
  if (type == blas::Type::BF16)
    return runtime::bf16ToFloat(take(uint16_t()));
  return type == blas::Type::I32 ? take(int32_t()) : take(int8_t());
}

inline double rounded(blas::Type type, double value) {
  char bytes[8];
  encode(type, value, bytes);
  return decode(type, bytes);
}

/// A matrix on the host and on the device.
struct TestMatrix {
  blas::Type type = blas::Type::F32;
  blas::Order order = blas::Order::Column;
  int64_t rows = 0, columns = 0, ld = 0, batch = 1, stride = 0;
  std::vector<char> bytes;
  CUdeviceptr address = 0;
  blas::Layout layout = nullptr;

  size_t at(int64_t b, int64_t i, int64_t j) const {
    return static_cast<size_t>(b * stride + (order == blas::Order::Row ? i * ld + j : j * ld + i)) *
           sizeOf(type);
  }
  double get(int64_t b, int64_t i, int64_t j) const { return decode(type, &bytes[at(b, i, j)]); }

  /// Rows or columns as far apart as `padding` more elements; these keep bytes of their own.
  void make(int64_t padding, const std::function<double(int64_t, int64_t, int64_t)> &value) {
    bool isRow = order == blas::Order::Row;
    ld = (isRow ? columns : rows) + padding;
    stride = ld * (isRow ? rows : columns);
    bytes.assign(static_cast<size_t>(stride * batch) * sizeOf(type), char(0x5a));
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          encode(type, value(b, i, j), &bytes[at(b, i, j)]);
    ASSERT_EQ(cu().memAlloc(&address, bytes.size()), Result::Success);
    upload();
    using A = blas::LayoutAttribute;
    ASSERT_EQ(lt().layoutCreate(&layout, type, uint64_t(rows), uint64_t(columns), ld),
              blas::Status::Success);
    auto number = int32_t(batch), ordered = int32_t(order);
    EXPECT_EQ(lt().layoutSetAttribute(layout, A::Order, &ordered, 4), blas::Status::Success);
    EXPECT_EQ(lt().layoutSetAttribute(layout, A::BatchCount, &number, 4), blas::Status::Success);
    EXPECT_EQ(lt().layoutSetAttribute(layout, A::BatchStride, &stride, 8), blas::Status::Success);
  }
  void upload() {
    ASSERT_EQ(cu().memcpyHtoDAsync(address, bytes.data(), bytes.size(), nullptr), Result::Success);
    ASSERT_EQ(cu().streamSynchronize(nullptr), Result::Success);
  }
  void download() {
    ASSERT_EQ(cu().memcpyDtoHAsync(bytes.data(), address, bytes.size(), nullptr), Result::Success);
    ASSERT_EQ(cu().streamSynchronize(nullptr), Result::Success);
  }
};

/// A multiplication of small integers, whose sums are exact in every type that they are computed
/// in.
struct Gemm {
  blas::Type in = blas::Type::F32, out = blas::Type::F32, scale = blas::Type::F32;
  blas::ComputeType compute = blas::ComputeType::F32;
  int64_t m = 12, n = 9, k = 20, batch = 1, padding = 4;
  bool transA = false, transB = false;
  blas::Order orders[4] = {};
  double alpha = 1, beta = 0;
  blas::Epilogue epilogue = blas::Epilogue::Default;
  bool skewsScalars = false; // to an address that is not a multiple of anything

  blas::Handle handle = nullptr;
  blas::Operation operation = nullptr;
  blas::Preference preference = nullptr;
  TestMatrix a, b, c, d, bias, aux;

  static double small(int64_t b, int64_t i, int64_t j) {
    return double((b * 5 + i * 3 + j * 7 + i * j) % 5 - 2);
  }

  void set(blas::OperationAttribute attribute, int32_t value) {
    EXPECT_EQ(lt().operationSetAttribute(operation, attribute, &value, 4), blas::Status::Success);
  }
  void setWide(blas::OperationAttribute attribute, uint64_t value) {
    EXPECT_EQ(lt().operationSetAttribute(operation, attribute, &value, 8), blas::Status::Success);
  }
  void prefer(blas::PreferenceAttribute attribute, uint64_t value, size_t bytes) {
    EXPECT_EQ(lt().preferenceSetAttribute(preference, attribute, &value, bytes),
              blas::Status::Success);
  }

  void make() {
    using A = blas::OperationAttribute;
    ASSERT_EQ(lt().create(&handle), blas::Status::Success);
    ASSERT_EQ(lt().operationCreate(&operation, compute, scale), blas::Status::Success);
    ASSERT_EQ(lt().preferenceCreate(&preference), blas::Status::Success);
    set(A::TransA, transA);
    set(A::TransB, transB);
    set(A::Epilogue, int32_t(epilogue));
    auto describe = [&](TestMatrix &matrix, int which, blas::Type type, int64_t rows,
                        int64_t columns) {
      matrix.type = type;
      matrix.order = orders[which];
      matrix.rows = rows;
      matrix.columns = columns;
      matrix.batch = batch;
      matrix.make(padding, small);
    };
    describe(a, 0, in, transA ? k : m, transA ? m : k);
    describe(b, 1, in, transB ? n : k, transB ? k : n);
    describe(c, 2, out, m, n);
    describe(d, 3, out, m, n);
    bias.type = out;
    bias.rows = std::max(m, n);
    bias.columns = 1;
    bias.make(0, [](int64_t, int64_t i, int64_t) { return double(i % 7 - 3); });
    setWide(A::BiasPointer, bias.address);
  }
  /// An auxiliary matrix of values of D's type.
  void makeAux() {
    using A = blas::OperationAttribute;
    aux.type = out;
    aux.rows = m;
    aux.columns = n;
    aux.batch = batch;
    aux.make((m + 7) / 8 * 8 - m,
             [](int64_t, int64_t i, int64_t j) { return double((i + 2 * j) % 9 - 4) / 2; });
    setWide(A::AuxPointer, aux.address);
    setWide(A::AuxLd, uint64_t(aux.ld));
    setWide(A::AuxBatchStride, uint64_t(aux.stride));
  }
  /// A bit an element, columns of 128.
  void makeMask() {
    using A = blas::OperationAttribute;
    aux.type = blas::Type::I8;
    aux.rows = 16;
    aux.columns = n * batch;
    aux.make(0,
             [](int64_t, int64_t i, int64_t j) { return double((i * 37 + j * 11) % 251 - 125); });
    setWide(A::AuxPointer, aux.address);
    setWide(A::AuxLd, 128);
    setWide(A::AuxBatchStride, uint64_t(128 * n));
  }
  bool maskBit(int64_t batchIndex, int64_t i, int64_t j) const {
    return aux.bytes[size_t((batchIndex * n + j) * 16 + i / 8)] >> (i % 8) & 1;
  }

  std::vector<blas::HeuristicResult> heuristics(blas::Status expected = blas::Status::Success) {
    std::vector<blas::HeuristicResult> results(8);
    int returned = 0;
    EXPECT_EQ(lt().getHeuristic(handle, operation, a.layout, b.layout, c.layout, d.layout,
                                preference, int(results.size()), results.data(), &returned),
              expected);
    results.resize(size_t(returned));
    return results;
  }
  blas::Status enqueue(const blas::Algorithm *algorithm = nullptr, CUdeviceptr workspace = 0,
                       size_t workspaceBytes = 0, CUstream stream = nullptr) {
    alignas(8) char storage[24];
    char *alphaBytes = storage + (skewsScalars ? 1 : 0), *betaBytes = alphaBytes + 8;
    encode(scale, alpha, alphaBytes);
    encode(scale, beta, betaBytes);
    auto pointer = [](CUdeviceptr address) { return reinterpret_cast<void *>(address); };
    return lt().matmul(handle, operation, alphaBytes, pointer(a.address), a.layout,
                       pointer(b.address), b.layout, betaBytes, pointer(c.address), c.layout,
                       pointer(d.address), d.layout, algorithm, pointer(workspace), workspaceBytes,
                       stream);
  }
  void run() {
    ASSERT_EQ(enqueue(), blas::Status::Success);
    d.download();
  }

  /// alpha op(A) op(B) + beta C, exactly.
  double plain(int64_t batchIndex, int64_t i, int64_t j) const {
    double sum = 0;
    for (int64_t p = 0; p < k; ++p)
      sum += (transA ? a.get(batchIndex, p, i) : a.get(batchIndex, i, p)) *
             (transB ? b.get(batchIndex, j, p) : b.get(batchIndex, p, j));
    return alpha * sum + beta * small(batchIndex, i, j);
  }
  /// That all of D is `expected` of what plain says, and that nothing between its columns changed.
  void expect(const std::function<double(int64_t, int64_t, int64_t, double)> &expected,
              double tolerance = 0) const {
    std::vector<char> padded = d.bytes;
    for (int64_t l = 0; l < batch; ++l)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double wanted = rounded(out, expected(l, i, j, plain(l, i, j)));
          ASSERT_NEAR(d.get(l, i, j), wanted, tolerance * (std::abs(wanted) + 1))
              << "batch " << l << ", row " << i << ", column " << j;
          std::memset(&padded[d.at(l, i, j)], 0x5a, sizeOf(out));
        }
    EXPECT_EQ(padded, std::vector<char>(padded.size(), char(0x5a)));
  }
  void expectPlain() const {
    expect([](int64_t, int64_t, int64_t, double value) { return value; });
  }
};

} // namespace dmc::fakes::test

#endif // DMC_TEST_UNIT_FAKES_CUBLASLTHARNESS_H
