//===- Problem.h - What a call of the simulated cuBLASLt computes -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_RUNTIME_FAKES_CUBLASLT_PROBLEM_H
#define DMC_LIB_RUNTIME_FAKES_CUBLASLT_PROBLEM_H

#include "Fakes/CublasLt/Objects.h"
#include "Fakes/Enqueue.h"

namespace dmc::cuda::blas {

/// Matrices in device memory, one for each position of the batch.
struct Matrix {
  uint64_t address = 0;
  Type type = Type::F32;
  Order order = Order::Column;
  int64_t rows = 0, columns = 0, ld = 0; // in elements
  int64_t batch = 1, batchStride = 0;    // in elements

  int64_t rowStride() const { return order == Order::Row ? ld : 1; }
  int64_t columnStride() const { return order == Order::Row ? 1 : ld; }
  /// Elements next to each other, and how many times.
  int64_t run() const { return order == Order::Row ? columns : rows; }
  int64_t runs() const { return order == Order::Row ? rows : columns; }
  /// From the first byte to the last.
  uint64_t bytes() const;
  /// Whether all rows and batches begin at multiples of that many bytes from the first.
  bool isAligned(uint64_t bytes) const;
  bool isShapedAs(const Matrix &other) const;
  /// Appends the bytes of its elements: what lies between rows belongs to somebody else.
  void append(std::vector<dmc_fake_range> &ranges) const;
};

/// What the bits of an epilogue mean.
struct Steps {
  bool relu, bias, gradRelu, gradBias, gelu, gradGelu, aux, gradA, gradB;

  explicit Steps(Epilogue epilogue);
  bool writesBias() const { return gradBias || gradA || gradB; }
  bool usesBias() const { return bias || writesBias(); }
  bool isDefault() const;
  /// The auxiliary matrix has one bit an element.
  bool hasMask() const { return aux && (relu || gradRelu); }
};

/// D = epilogue(alpha op(A) op(B) + beta C), op(A) m x k and op(B) k x n.
struct Problem {
  Matrix a, b, c, d;
  Matrix aux; // ld and batch stride in bits if it is a mask
  bool transA = false, transB = false;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  ComputeType compute = ComputeType::F32;
  Type scale = Type::F32;
  PointerMode pointerMode = PointerMode::Host;
  Epilogue epilogue = Epilogue::Default;
  uint64_t bias = 0;
  int64_t biasBatchStride = 0;

  int64_t biasLength() const { return Steps(epilogue).gradB ? n : m; }
};

/// The problem of these descriptors, without addresses; a status and its reason on the standard
/// error stream for one that cuBLASLt refuses.
Status describe(const char *function, Operation operation, Layout a, Layout b, Layout c, Layout d,
                Problem &problem);

/// How a problem is computed. The real library has hundreds of algorithms; these differ in what
/// they ask for, and in the order in which they sum.
struct Method {
  int32_t id = 0;
  uint32_t slices = 1; // of the sum over k

  /// Bytes that the rows, batches and addresses of all matrices must be multiples of.
  uint64_t alignment(const Problem &problem, Type type) const;
  /// Of the partial sums of all slices.
  uint64_t workspaceBytes(const Problem &problem) const;
};

Algorithm encode(const Method &method);
bool decode(const Algorithm &algorithm, Method &method);

/// What a caller promises of addresses and allows.
struct Limits {
  uint64_t workspaceBytes = 0;
  uint64_t alignment[4] = {256, 256, 256, 256}; // A, B, C, D
  uint32_t reductionSchemes = 7;
};

/// Whether the method can compute the problem within the limits; if not, why.
bool canUse(const Method &method, const Problem &problem, const Limits &limits, std::string &why);
/// Those that can, the fastest first.
std::vector<Method> methodsFor(const Problem &problem, const Limits &limits, std::string &why);

/// Computes a problem whose matrices lie on the host at these addresses.
struct Operands {
  const void *a, *b, *c; // c may be null if beta is zero
  void *d;
  void *aux, *bias;
  double alpha, beta;
};
void compute(const Problem &problem, const Method &method, const Operands &operands);

} // namespace dmc::cuda::blas

#endif // DMC_LIB_RUNTIME_FAKES_CUBLASLT_PROBLEM_H
