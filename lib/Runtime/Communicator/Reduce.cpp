//===- Reduce.cpp - Combining buffers in a fixed order --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Communicator/Reduce.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <type_traits>

using namespace dmc;
using namespace dmc::runtime;

namespace {

template <size_t bytes>
struct BitsOf;
template <>
struct BitsOf<4> {
  using type = uint32_t;
};
template <>
struct BitsOf<8> {
  using type = uint64_t;
};

/// Equal floats differ in nothing but the sign of a zero: `and` of the bits is
/// the larger one, `or` the smaller one.
template <typename T, typename Combine>
T combineEqual(T a, T b, Combine combine) {
  typename BitsOf<sizeof(T)>::type x, y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  x = combine(x, y);
  std::memcpy(&a, &x, sizeof x);
  return a;
}

struct Sum {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
      return a + b;
  }
};

struct Prod {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else
      return a * b;
  }
};

struct Max {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a > b ? a : b;
    } else {
      T equal = combineEqual(a, b, [](auto x, auto y) { return x & y; });
      T result = a > b ? a : b;
      result = a == b ? equal : result;
      return a != a ? a : result; // where b is NaN, a > b fails and b is taken
    }
  }
};

struct Min {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a < b ? a : b;
    } else {
      T equal = combineEqual(a, b, [](auto x, auto y) { return x | y; });
      T result = a < b ? a : b;
      result = a == b ? equal : result;
      return a != a ? a : result;
    }
  }
};

/// How a stored element is computed with.
template <typename T>
struct Plain {
  using Stored = T;
  using Computed = T;
  static T load(T value) { return value; }
  static T store(T value) { return value; }
};

struct Bool : Plain<uint8_t> {
  static uint8_t store(uint8_t value) { return value & 1; }
};

struct Bf16 {
  using Stored = uint16_t;
  using Computed = float;
  static float load(uint16_t value) { return bf16ToFloat(value); }
  static uint16_t store(float value) { return floatToBf16(value); }
};

struct F16 {
  using Stored = uint16_t;
  using Computed = float;
  static float load(uint16_t value) { return f16ToFloat(value); }
  static uint16_t store(float value) { return floatToF16(value); }
};

} // namespace

template <typename Element, typename Op>
static void reduceBlocks(void *target, const uint8_t *const *sources, size_t numSources,
                         size_t numElements) {
  using Stored = typename Element::Stored;
  constexpr size_t blockSize = 1024; // the accumulators stay in the first cache
  typename Element::Computed sums[blockSize];
  for (size_t begin = 0; begin < numElements; begin += blockSize) {
    size_t count = std::min(blockSize, numElements - begin);
    const Stored *first = reinterpret_cast<const Stored *>(sources[0]) + begin;
    for (size_t i = 0; i < count; ++i)
      sums[i] = Element::load(first[i]);
    for (size_t s = 1; s < numSources; ++s) {
      const Stored *source = reinterpret_cast<const Stored *>(sources[s]) + begin;
      for (size_t i = 0; i < count; ++i)
        sums[i] = Op::apply(sums[i], Element::load(source[i]));
    }
    Stored *out = static_cast<Stored *>(target) + begin;
    for (size_t i = 0; i < count; ++i)
      out[i] = Element::store(sums[i]);
  }
}

template <typename Element>
static void reduceAs(uint32_t combiner, void *target, const uint8_t *const *sources,
                     size_t numSources, size_t numElements) {
  switch (combiner) {
  case DMC_SUM:
    return reduceBlocks<Element, Sum>(target, sources, numSources, numElements);
  case DMC_PROD:
    return reduceBlocks<Element, Prod>(target, sources, numSources, numElements);
  case DMC_MAX:
    return reduceBlocks<Element, Max>(target, sources, numSources, numElements);
  case DMC_MIN:
    return reduceBlocks<Element, Min>(target, sources, numSources, numElements);
  }
}

void runtime::reduce(uint32_t type, uint32_t combiner, void *target, const uint8_t *const *sources,
                     size_t numSources, size_t numElements) {
  switch (type) {
  case DMC_I1:
    return reduceAs<Bool>(combiner, target, sources, numSources, numElements);
  case DMC_I8:
    return reduceAs<Plain<int8_t>>(combiner, target, sources, numSources, numElements);
  case DMC_I16:
    return reduceAs<Plain<int16_t>>(combiner, target, sources, numSources, numElements);
  case DMC_I32:
    return reduceAs<Plain<int32_t>>(combiner, target, sources, numSources, numElements);
  case DMC_I64:
    return reduceAs<Plain<int64_t>>(combiner, target, sources, numSources, numElements);
  case DMC_UI8:
    return reduceAs<Plain<uint8_t>>(combiner, target, sources, numSources, numElements);
  case DMC_UI16:
    return reduceAs<Plain<uint16_t>>(combiner, target, sources, numSources, numElements);
  case DMC_UI32:
    return reduceAs<Plain<uint32_t>>(combiner, target, sources, numSources, numElements);
  case DMC_UI64:
    return reduceAs<Plain<uint64_t>>(combiner, target, sources, numSources, numElements);
  case DMC_F16:
    return reduceAs<F16>(combiner, target, sources, numSources, numElements);
  case DMC_BF16:
    return reduceAs<Bf16>(combiner, target, sources, numSources, numElements);
  case DMC_F32:
    return reduceAs<Plain<float>>(combiner, target, sources, numSources, numElements);
  case DMC_F64:
    return reduceAs<Plain<double>>(combiner, target, sources, numSources, numElements);
  }
}
