//===- Reduce.cpp - Combining buffers in a fixed order --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Communicator/Reduce.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <type_traits>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

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
      // NOLINTNEXTLINE(misc-redundant-expression): a NaN differs from itself
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
      // NOLINTNEXTLINE(misc-redundant-expression): a NaN differs from itself
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

#if defined(__x86_64__)
/// The same by instructions of F16C, for functions compiled for it.
struct F16C {
  using Stored = _Float16;
  using Computed = float;
  static float load(_Float16 value) { return value; }
  static _Float16 store(float value) { return static_cast<_Float16>(value); }
};
#endif

} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Elements that are combined at a time: accumulators and results stay in the first cache.
static constexpr size_t blockSize = 1024;

/// Stores a block past the caches where its target is aligned. Ends with a fence of the caller.
static void streamBlock(uint8_t *target, const uint8_t *source, size_t bytes) {
#if defined(__x86_64__)
  size_t head = std::min(bytes, size_t(-reinterpret_cast<intptr_t>(target) & 15));
  std::memcpy(target, source, head);
  size_t at = head;
  for (; at + 16 <= bytes; at += 16)
    _mm_stream_si128(reinterpret_cast<__m128i *>(target + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i *>(source + at)));
  std::memcpy(target + at, source + at, bytes - at);
#else
  std::memcpy(target, source, bytes);
#endif
}

/// Makes what was streamed visible to other threads.
static void fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// Inlined into functions that are compiled for different instruction sets.
template <typename Element, typename Op>
[[gnu::always_inline]] static inline void reduceBlock(const Reduction &reduction, size_t begin,
                                                      size_t count, void *result) {
  using Stored = typename Element::Stored;
  using Computed = typename Element::Computed;
  auto at = [&](size_t s) {
    return reinterpret_cast<const Stored *>(reduction.sources[s]) + begin;
  };
  auto *__restrict out = static_cast<Stored *>(result);
  Computed sums[blockSize];
  const Stored *first = at(0);
  size_t last = reduction.numSources - 1;
  if (last == 0) {
    for (size_t i = 0; i < count; ++i)
      out[i] = Element::store(Element::load(first[i]));
    return;
  }
  if (last == 1) { // by far the most frequent
    const Stored *second = at(1);
    for (size_t i = 0; i < count; ++i)
      out[i] = Element::store(Op::apply(Element::load(first[i]), Element::load(second[i])));
    return;
  }
  for (size_t i = 0; i < count; ++i)
    sums[i] = Element::load(first[i]);
  for (size_t s = 1; s < last; ++s) {
    const Stored *source = at(s);
    for (size_t i = 0; i < count; ++i)
      sums[i] = Op::apply(sums[i], Element::load(source[i]));
  }
  const Stored *source = at(last);
  for (size_t i = 0; i < count; ++i)
    out[i] = Element::store(Op::apply(sums[i], Element::load(source[i])));
}

/// Combines [begin, begin + count) of the sources.
using BlockFn = void (*)(const Reduction &, size_t begin, size_t count, void *result);

template <typename Element, typename Op>
static void reduceBlockPlain(const Reduction &reduction, size_t begin, size_t count, void *result) {
  reduceBlock<Element, Op>(reduction, begin, count, result);
}

#if defined(__x86_64__)
template <typename Element, typename Op>
[[gnu::target("avx2,f16c")]] static void reduceBlockAvx2(const Reduction &reduction, size_t begin,
                                                         size_t count, void *result) {
  using Faster = std::conditional_t<std::is_same_v<Element, F16>, F16C, Element>;
  reduceBlock<Faster, Op>(reduction, begin, count, result);
}
#endif

template <typename Element, typename Op>
static BlockFn blockOf() {
#if defined(__x86_64__)
  static const bool hasAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  if (hasAvx2)
    return reduceBlockAvx2<Element, Op>;
#endif
  return reduceBlockPlain<Element, Op>;
}

template <typename Element>
static BlockFn blockOf(uint32_t combiner) {
  switch (combiner) {
  case DMC_SUM:
    return blockOf<Element, Sum>();
  case DMC_PROD:
    return blockOf<Element, Prod>();
  case DMC_MAX:
    return blockOf<Element, Max>();
  default:
    return blockOf<Element, Min>();
  }
}

static BlockFn blockOf(uint32_t type, uint32_t combiner) {
  switch (type) {
  case DMC_I1:
    return blockOf<Bool>(combiner);
  case DMC_I8:
    return blockOf<Plain<int8_t>>(combiner);
  case DMC_I16:
    return blockOf<Plain<int16_t>>(combiner);
  case DMC_I32:
    return blockOf<Plain<int32_t>>(combiner);
  case DMC_I64:
    return blockOf<Plain<int64_t>>(combiner);
  case DMC_UI8:
    return blockOf<Plain<uint8_t>>(combiner);
  case DMC_UI16:
    return blockOf<Plain<uint16_t>>(combiner);
  case DMC_UI32:
    return blockOf<Plain<uint32_t>>(combiner);
  case DMC_UI64:
    return blockOf<Plain<uint64_t>>(combiner);
  case DMC_F16:
    return blockOf<F16>(combiner);
  case DMC_BF16:
    return blockOf<Bf16>(combiner);
  case DMC_F64:
    return blockOf<Plain<double>>(combiner);
  default:
    return blockOf<Plain<float>>(combiner);
  }
}

void runtime::reduce(const Reduction &reduction, Slice slice, size_t offset) {
  BlockFn reduceBlock = blockOf(reduction.type, reduction.combiner);
  size_t bytes = elementBytes(reduction.type);
  alignas(64) uint8_t result[blockSize * sizeof(double)];
  for (size_t begin = slice.begin; begin < slice.end; begin += blockSize) {
    size_t count = std::min(blockSize, slice.end - begin);
    // Not into a target, which may be a source of this block.
    reduceBlock(reduction, begin, count, result);
    for (size_t t = 0; t < reduction.numTargets; ++t) {
      uint8_t *target = reduction.targets[t] + (offset + begin - slice.begin) * bytes;
      if (reduction.streams)
        streamBlock(target, result, count * bytes);
      else
        std::memcpy(target, result, count * bytes);
    }
  }
  if (reduction.streams)
    fence();
}
