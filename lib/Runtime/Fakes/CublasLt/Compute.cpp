//===- Compute.cpp - Numerics of the simulated cuBLASLt -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums are those of the runtime's blocked loops: in f32, f64 or i32, in an order that the shape
// alone decides; slices of the sum are added up from the first to the last. What follows is
// computed in the type of the sums and rounded once, when it is stored.
//
//===----------------------------------------------------------------------===//

#include "Fakes/CublasLt/Problem.h"
#include "Matmul/Matmul.h"

#include "dmc/Runtime/Element.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

using namespace dmc;
using namespace dmc::cuda::blas;
using namespace dmc::runtime;

static double load(Type type, const void *base, int64_t index) {
  auto at = [&](auto value) {
    std::memcpy(&value, static_cast<const char *>(base) + index * int64_t(sizeof value),
                sizeof value);
    return value;
  };
  switch (type) {
  case Type::F64:
    return at(double());
  case Type::F32:
    return at(float());
  case Type::F16:
    return f16ToFloat(at(uint16_t()));
  case Type::BF16:
    return bf16ToFloat(at(uint16_t()));
  case Type::I8:
    return at(int8_t());
  default:
    return at(int32_t());
  }
}

/// The value has the precision of the sums, so it is rounded here for the first time.
static void store(Type type, void *base, int64_t index, double value) {
  auto put = [&](auto element) {
    std::memcpy(static_cast<char *>(base) + index * int64_t(sizeof element), &element,
                sizeof element);
  };
  switch (type) {
  case Type::F64:
    return put(value);
  case Type::F32:
    return put(static_cast<float>(value));
  case Type::F16:
    return put(floatToF16(static_cast<float>(value)));
  case Type::BF16:
    return put(floatToBf16(static_cast<float>(value)));
  default:
    return put(static_cast<int32_t>(value));
  }
}

//===----------------------------------------------------------------------===//
// The sums
//===----------------------------------------------------------------------===//

namespace {
/// An operand as it is multiplied.
struct Factor {
  const void *base;
  Type type;
  int64_t outer, step, batch; // strides: of m or n, of k, of the batch
};
} // namespace

static Factor factorOf(const Matrix &matrix, bool isTransposed, bool isLeft, const void *base) {
  bool outerIsRow = isLeft != isTransposed;
  return {base, matrix.type, outerIsRow ? matrix.rowStride() : matrix.columnStride(),
          outerIsRow ? matrix.columnStride() : matrix.rowStride(), matrix.batchStride};
}

/// To 10 bits behind the leading one, ties to even, as tensor cores read f32.
static float roundToTf32(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7f800000) != 0x7f800000)
    bits = (bits + 0xfff + ((bits >> 13) & 1)) & ~uint32_t(0x1fff);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// A copy of an f32 operand in the precision that a fast computation has; it replaces the operand.
static std::vector<float> roundFactor(Factor &factor, ComputeType compute, int64_t outer,
                                      int64_t steps, int64_t batch) {
  std::vector<float> rounded;
  if (compute != ComputeType::F32FastF16 && compute != ComputeType::F32FastBF16 &&
      compute != ComputeType::F32FastTF32)
    return rounded;
  rounded.reserve(static_cast<size_t>(outer * steps * batch));
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < outer; ++i)
      for (int64_t p = 0; p < steps; ++p) {
        auto value = static_cast<float>(
            load(factor.type, factor.base, b * factor.batch + i * factor.outer + p * factor.step));
        rounded.push_back(compute == ComputeType::F32FastF16    ? f16ToFloat(floatToF16(value))
                          : compute == ComputeType::F32FastBF16 ? bf16ToFloat(floatToBf16(value))
                                                                : roundToTf32(value));
      }
  factor = {rounded.data(), Type::F32, steps, 1, outer * steps};
  return rounded;
}

static uint32_t elementOf(Type type) {
  switch (type) {
  case Type::F64:
    return DMC_F64;
  case Type::F32:
    return DMC_F32;
  case Type::F16:
    return DMC_F16;
  default:
    return DMC_BF16;
  }
}

namespace {
struct Free {
  void operator()(void *memory) const { std::free(memory); }
};
} // namespace

static std::unique_ptr<void, Free> allocate(size_t bytes) {
  constexpr size_t line = 64;
  return std::unique_ptr<void, Free>(std::aligned_alloc(line, (bytes + line) / line * line));
}

/// sums[b][j][i] (+)= the sum over steps first .. first + count - 1.
static void multiply(const Problem &problem, const Factor &a, const Factor &b, int64_t first,
                     int64_t count, void *sums, Type sumType) {
  int64_t sizes[] = {problem.batch, problem.m, problem.n, count};
  int64_t aStrides[] = {a.batch, a.outer, 0, a.step}, bStrides[] = {b.batch, 0, b.outer, b.step};
  int64_t cStrides[] = {problem.m * problem.n, 1, problem.m, 0};
  dmc_contraction contraction = {};
  contraction.a_type = elementOf(a.type);
  contraction.b_type = elementOf(b.type);
  contraction.c_type = elementOf(sumType);
  contraction.num_batch = contraction.num_m = contraction.num_n = contraction.num_k = 1;
  contraction.accumulate = first != 0;
  contraction.sizes = sizes;
  contraction.a_strides = aStrides;
  contraction.b_strides = bStrides;
  contraction.c_strides = cStrides;
  auto plan = matmul::Matmul::plan(contraction, /*threads=*/1);
  auto scratch = allocate(plan->scratchBytes()), packed = allocate(plan->packedBytes()),
       partial = allocate(plan->partialBytes());
  auto shift = [&](const Factor &factor) {
    return static_cast<const char *>(factor.base) +
           first * factor.step * int64_t(bytesOf(factor.type));
  };
  matmul::Matmul::Buffers buffers = {shift(a), shift(b), sums, packed.get(), partial.get()};
  for (int64_t task = 0; task < plan->numPackTasks(); ++task)
    plan->pack(task, buffers, scratch.get());
  for (int64_t task = 0; task < plan->numTasks(); ++task)
    plan->run(task, buffers, scratch.get());
  for (int64_t task = 0; task < plan->numFinalTasks(); ++task)
    plan->finish(task, buffers, scratch.get());
}

template <typename Sum>
static std::vector<Sum> sumsOf(const Problem &problem, const Method &method, Factor a, Factor b) {
  std::vector<float> roundedA =
                         roundFactor(a, problem.compute, problem.m, problem.k, problem.batch),
                     roundedB =
                         roundFactor(b, problem.compute, problem.n, problem.k, problem.batch);
  std::vector<Sum> sums(static_cast<size_t>(problem.m * problem.n * problem.batch));
  int64_t slice = (problem.k + method.slices - 1) / method.slices;
  for (int64_t first = 0; first < problem.k; first += slice)
    multiply(problem, a, b, first, std::min(slice, problem.k - first), sums.data(), problem.scale);
  return sums;
}

/// Integers wrap around, as those of the instructions.
template <>
std::vector<int32_t> sumsOf(const Problem &problem, const Method &, Factor a, Factor b) {
  std::vector<int32_t> sums;
  sums.reserve(static_cast<size_t>(problem.m * problem.n * problem.batch));
  auto *left = static_cast<const int8_t *>(a.base), *right = static_cast<const int8_t *>(b.base);
  for (int64_t batch = 0; batch < problem.batch; ++batch)
    for (int64_t j = 0; j < problem.n; ++j)
      for (int64_t i = 0; i < problem.m; ++i) {
        const int8_t *row = left + batch * a.batch + i * a.outer;
        const int8_t *column = right + batch * b.batch + j * b.outer;
        uint32_t sum = 0;
        for (int64_t p = 0; p < problem.k; ++p)
          sum += static_cast<uint32_t>(row[p * a.step] * column[p * b.step]);
        sums.push_back(static_cast<int32_t>(sum));
      }
  return sums;
}

//===----------------------------------------------------------------------===//
// The epilogue
//===----------------------------------------------------------------------===//

// GELU is the form with tanh: x / 2 (1 + tanh(s (x + q x^3))), s = sqrt(2 / pi).
static constexpr double geluScale = 0.79788456080286535588, geluCubic = 0.044715;

static double gelu(double x) {
  return x / 2 * (1 + std::tanh(geluScale * (x + geluCubic * x * x * x)));
}

static double geluGradient(double x) {
  double t = std::tanh(geluScale * (x + geluCubic * x * x * x));
  return (1 + t) / 2 + x / 2 * (1 - t * t) * geluScale * (1 + 3 * geluCubic * x * x);
}

namespace {
/// Applies an epilogue to the sums, column by column.
template <typename Sum>
class Finisher {
public:
  Finisher(const Problem &problem, const Operands &operands)
      : problem_(problem), operands_(operands), steps_(problem.epilogue),
        alpha_(static_cast<Sum>(operands.alpha)), beta_(static_cast<Sum>(operands.beta)) {}

  void run(const std::vector<Sum> &sums) {
    int64_t m = problem_.m, n = problem_.n;
    for (int64_t batch = 0; batch < problem_.batch; ++batch) {
      std::vector<Sum> gradient(steps_.gradBias ? static_cast<size_t>(m) : 0);
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
          Sum sum = sums[static_cast<size_t>((batch * n + j) * m + i)];
          Sum value = finish(sum, batch, i, j);
          store(problem_.d.type, operands_.d, offsetIn(problem_.d, batch, i, j), value);
          if (steps_.gradBias)
            gradient[static_cast<size_t>(i)] += value;
        }
      for (size_t i = 0; i < gradient.size(); ++i)
        storeBias(batch, static_cast<int64_t>(i), gradient[i]);
    }
  }

  /// The sums over k of an operand, for the gradients of biases.
  void sumOperand(const Factor &factor, int64_t outer) {
    for (int64_t batch = 0; batch < problem_.batch; ++batch)
      for (int64_t i = 0; i < outer; ++i) {
        Sum sum = 0;
        for (int64_t p = 0; p < problem_.k; ++p)
          sum += static_cast<Sum>(load(factor.type, factor.base,
                                       batch * factor.batch + i * factor.outer + p * factor.step));
        storeBias(batch, i, sum);
      }
  }

private:
  static int64_t offsetIn(const Matrix &matrix, int64_t batch, int64_t i, int64_t j) {
    return batch * matrix.batchStride + i * matrix.rowStride() + j * matrix.columnStride();
  }
  int64_t biasAt(int64_t batch, int64_t i) const { return batch * problem_.biasBatchStride + i; }
  void storeBias(int64_t batch, int64_t i, Sum value) {
    store(problem_.d.type, operands_.bias, biasAt(batch, i), value);
  }
  uint8_t &maskByte(int64_t bit) const { return static_cast<uint8_t *>(operands_.aux)[bit / 8]; }

  Sum scaled(Sum sum, int64_t batch, int64_t i, int64_t j) const {
    // By zero is not a multiplication: neither operand nor C are looked at.
    Sum value = alpha_ == 0 ? 0 : alpha_ * sum;
    if (beta_ != 0)
      value += beta_ * static_cast<Sum>(
                           load(problem_.c.type, operands_.c, offsetIn(problem_.c, batch, i, j)));
    return value;
  }

  Sum finish(Sum sum, int64_t batch, int64_t i, int64_t j) {
    Sum value = scaled(sum, batch, i, j);
    if (steps_.isDefault())
      return value;
    if (steps_.bias)
      value += static_cast<Sum>(load(problem_.d.type, operands_.bias, biasAt(batch, i)));
    int64_t at = batch * problem_.aux.batchStride + j * problem_.aux.ld + i;
    auto bit = static_cast<uint8_t>(1 << (at & 7));
    if (steps_.relu) {
      bool isPositive = value > 0; // NaN becomes 0, as in the real library
      if (steps_.aux)
        maskByte(at) = static_cast<uint8_t>(isPositive ? maskByte(at) | bit : maskByte(at) & ~bit);
      return isPositive ? value : 0;
    }
    if (steps_.gradRelu)
      return maskByte(at) & bit ? value : 0;
    if (steps_.gelu) {
      if (steps_.aux)
        store(problem_.d.type, operands_.aux, at, value);
      return static_cast<Sum>(gelu(value));
    }
    if (steps_.gradGelu)
      return value * static_cast<Sum>(geluGradient(load(problem_.d.type, operands_.aux, at)));
    return value;
  }

  const Problem &problem_;
  const Operands &operands_;
  Steps steps_;
  Sum alpha_, beta_;
};
} // namespace

template <typename Sum>
static void computeIn(const Problem &problem, const Method &method, const Operands &operands) {
  Factor a = factorOf(problem.a, problem.transA, /*isLeft=*/true, operands.a);
  Factor b = factorOf(problem.b, problem.transB, /*isLeft=*/false, operands.b);
  Steps steps(problem.epilogue);
  Finisher<Sum> finisher(problem, operands);
  finisher.run(sumsOf<Sum>(problem, method, a, b));
  if (steps.gradA)
    finisher.sumOperand(a, problem.m);
  if (steps.gradB)
    finisher.sumOperand(b, problem.n);
}

void dmc::cuda::blas::compute(const Problem &problem, const Method &method,
                              const Operands &operands) {
  if (problem.scale == Type::F64)
    computeIn<double>(problem, method, operands);
  else if (problem.scale == Type::F32)
    computeIn<float>(problem, method, operands);
  else
    computeIn<int32_t>(problem, method, operands);
}
