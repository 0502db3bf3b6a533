//===- ElementsImpl.h - Elements of operands, as vectors --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of KernelsImpl.h: how elements of each type become those that sums are computed in, and
// vectors of them.
//
//===----------------------------------------------------------------------===//
#include "Matmul/Kernels.h"
#include "dmc-c/Program.h"

#include <cstdint>
#include <utility>

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace dmc::runtime {
uint16_t floatToF16(float value);
} // namespace dmc::runtime

namespace {
using namespace dmc::runtime::matmul;

struct Bf16 {
  uint16_t bits;
};
struct F16 {
  uint16_t bits;
};

//===--- Elements ---------------------------------------------------------===//

/// Integers are extended by the conversion to the type of the sums, by their own signs.
template <typename T>
T widen(T value) {
  return value;
}

float widen(Bf16 value) {
  uint32_t bits = uint32_t(value.bits) << 16;
  float wide;
  __builtin_memcpy(&wide, &bits, sizeof wide);
  return wide;
}

float widen(F16 value) {
#if defined(__F16C__)
  return _cvtsh_ss(value.bits);
#else
  // The exponent's bias grows from 15 to 127; subnormal numbers are scaled by the multiplication.
  uint32_t sign = uint32_t(value.bits & 0x8000) << 16, rest = value.bits & 0x7fff;
  uint32_t bits = rest << 13;
  float wide;
  __builtin_memcpy(&wide, &bits, sizeof wide);
  wide *= 0x1p112f;
  __builtin_memcpy(&bits, &wide, sizeof bits);
  if (rest >= 0x7c00)
    bits = 0x7f800000 | (rest & 0x3ff) << 13;
  bits |= sign;
  __builtin_memcpy(&wide, &bits, sizeof wide);
  return wide;
#endif
}

template <typename T, typename S>
void narrow(T value, S &to) {
  to = S(value);
}

// Both round to nearest, ties to even.
template <typename T>
void narrow(T value, Bf16 &to) {
  float single = float(value);
  uint32_t bits;
  __builtin_memcpy(&bits, &single, sizeof bits);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  to.bits = uint16_t((bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16 | 0x40) : rounded);
}

template <typename T>
void narrow(T value, F16 &to) {
  to.bits = dmc::runtime::floatToF16(float(value));
}

template <typename T, int count>
struct VectorOf {
  typedef T Type __attribute__((vector_size(count * sizeof(T))));
};
template <typename T>
using Quad = typename VectorOf<T, 4>::Type;

template <typename V>
V loadVector(const void *from) {
  V value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

template <typename V>
void storeVector(void *to, V value) {
  __builtin_memcpy(to, &value, sizeof value);
}

template <typename Pointer>
struct ElementOf;
template <typename S>
struct ElementOf<S *> {
  using Type = S;
};
template <typename Pointer>
using Element = typename ElementOf<Pointer>::Type;

/// Calls `body` with a null pointer to the type of the elements, of those that sums of type T have.
template <typename T, typename Body>
void dispatch(uint32_t type, Body body) {
  if constexpr (__is_same(T, float) || __is_same(T, double)) {
    switch (type) {
    case DMC_F16:
      return body(static_cast<F16 *>(nullptr));
    case DMC_BF16:
      return body(static_cast<Bf16 *>(nullptr));
    case DMC_F64:
      return body(static_cast<double *>(nullptr));
    default:
      return body(static_cast<float *>(nullptr));
    }
  } else {
    switch (type) {
    case DMC_I8:
      return body(static_cast<int8_t *>(nullptr));
    case DMC_UI8:
      return body(static_cast<uint8_t *>(nullptr));
    case DMC_I16:
      return body(static_cast<int16_t *>(nullptr));
    case DMC_UI16:
      return body(static_cast<uint16_t *>(nullptr));
    case DMC_I32:
      return body(static_cast<int32_t *>(nullptr));
    case DMC_UI32:
      return body(static_cast<uint32_t *>(nullptr));
    case DMC_I64:
      return body(static_cast<int64_t *>(nullptr));
    default:
      return body(static_cast<uint64_t *>(nullptr));
    }
  }
}

//===--- Vectors ----------------------------------------------------------===//

template <typename T>
constexpr int lanesOf = DMC_VECTOR_BYTES / sizeof(T);

/// Elements that lie next to each other.
template <typename T, int count, typename S>
typename VectorOf<T, count>::Type loadElements(const S *from) {
  using V = typename VectorOf<T, count>::Type;
  if constexpr (__is_same(T, S)) {
    return loadVector<V>(from);
  } else {
    V values;
    for (int i = 0; i < count; ++i)
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, which keeps its sign
      values[i] = T(widen(from[i]));
    return values;
  }
}

template <int first, typename V, int... lane>
auto takeLanes(V value, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(value, value, (first + lane)...);
}

constexpr int powerOfTwoWithin(int count) {
  int power = 1;
  while (2 * power <= count)
    power *= 2;
  return power;
}

/// Copies `count` elements as vectors, as long as they can be.
template <typename T, int count, typename S>
void copyElements(const S *from, T *to) {
  if constexpr (count > 0) {
    constexpr int most = count < lanesOf<T> ? count : lanesOf<T>, part = powerOfTwoWithin(most);
    storeVector(to, loadElements<T, part>(from));
    copyElements<T, count - part>(from + part, to + part);
  }
}

/// Stores the first `count` elements of a vector from `first` on.
template <int first, int count, typename T, typename V>
void storeFirst(T *to, V value) {
  if constexpr (count > 0) {
    constexpr int part = powerOfTwoWithin(count);
    storeVector(to, takeLanes<first>(value, std::make_integer_sequence<int, part>()));
    storeFirst<first + part, count - part>(to + part, value);
  }
}

/// Exchanges the upper right and the lower left blocks of `half` rows and columns, of which a and b
/// are rows.
template <int half, typename V, int... lane>
void exchangeBlocks(V &a, V &b, std::integer_sequence<int, lane...>) {
  constexpr int lanes = sizeof...(lane);
  V upper = __builtin_shufflevector(a, b, (lane & half ? lanes + lane - half : lane)...);
  V lower = __builtin_shufflevector(a, b, (lane & half ? lanes + lane : lane + half)...);
  a = upper;
  b = lower;
}

/// Transposes a square of as many rows as a vector has lanes: blocks of a half of them, then of a
/// quarter, and so on.
template <int half, int lanes, typename V>
void transposeSquare(V (&rows)[lanes]) {
  if constexpr (half > 0) {
    for (int i = 0; i < lanes; ++i)
      if (!(i & half))
        exchangeBlocks<half>(rows[i], rows[i + half], std::make_integer_sequence<int, lanes>());
    transposeSquare<half / 2>(rows);
  }
}

} // namespace
