//===- Numbers.h - The values of lanes --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows hold 64 bits a lane; values of fewer bits have zeros above.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PTX_NUMBERS_H
#define DMC_LIB_PTX_NUMBERS_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace dmc::ptx {

template <typename T>
T as(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value); // little endian
  return value;
}
template <typename T>
uint64_t toBits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

enum class Rounding { Nearest, Zero, Down, Up, NearestAway };

/// A double rounded to a binary format of `digits` bits of precision (with the hidden one) and the
/// exponents of a normal number from `low` to `high`, as a double; overflow is infinity, or the
/// largest number where the rounding goes towards it.
double roundTo(double value, int digits, int low, int high, Rounding rounding);

/// An IEEE format of 16 bits.
template <int Digits, int Low, int High>
struct Narrow {
  uint16_t bits = 0;

  static Narrow of(double value, Rounding rounding = Rounding::Nearest) {
    constexpr int exponentBits = 16 - Digits;
    constexpr uint16_t infinity = ((1 << exponentBits) - 1) << (Digits - 1);
    Narrow result;
    if (std::isnan(value)) {
      result.bits = 0x7fff; // PTX's canonical NaN
      return result;
    }
    if (uint64_t wide = toBits(value); rounding == Rounding::Nearest) {
      // Numbers that are normal in both formats: the digits that do not fit are rounded away.
      int exponent = static_cast<int>(wide >> 52 & 0x7ff) - 1023;
      if (exponent >= Low && exponent < High) {
        constexpr unsigned dropped = 53 - Digits;
        uint64_t half = (uint64_t(1) << (dropped - 1)) - 1 + (wide >> dropped & 1);
        uint64_t magnitude = ((wide & ~(uint64_t(1) << 63)) + half) >> dropped;
        result.bits = static_cast<uint16_t>((wide >> 63) << 15 |
                                            (magnitude - (uint64_t(1022 + Low) << (Digits - 1))));
        return result;
      }
    }
    double rounded = std::fabs(roundTo(value, Digits, Low, High, rounding));
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isinf(rounded)) {
      result.bits = sign | infinity;
    } else if (rounded == 0) {
      result.bits = sign;
    } else {
      int exponent;
      double fraction = std::frexp(rounded, &exponent); // in [0.5, 1)
      --exponent;
      if (exponent < Low) // subnormal
        result.bits = sign | static_cast<uint16_t>(std::ldexp(rounded, Digits - 1 - Low));
      else
        result.bits = static_cast<uint16_t>(
            sign | ((exponent - Low + 1) << (Digits - 1)) |
            (static_cast<uint32_t>(std::ldexp(fraction, Digits)) - (1 << (Digits - 1))));
    }
    return result;
  }

  double value() const {
    constexpr int exponentBits = 16 - Digits;
    if constexpr (Digits == 8) // the upper half of an f32; NaN are PTX's
      if ((bits & 0x7fff) <= 0x7f80)
        return as<float>(uint64_t(bits) << 16);
    int exponent = (bits >> (Digits - 1)) & ((1 << exponentBits) - 1);
    int fraction = bits & ((1 << (Digits - 1)) - 1);
    double result;
    if (exponent == (1 << exponentBits) - 1)
      result = fraction ? std::numeric_limits<double>::quiet_NaN()
                        : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
      result = std::ldexp(fraction, Low - Digits + 1);
    else
      result = std::ldexp(fraction + (1 << (Digits - 1)), exponent - 1 + Low - Digits + 1);
    return bits & 0x8000 ? -result : result;
  }
};
using Half = Narrow<11, -14, 15>;
using BFloat = Narrow<8, -126, 127>;

template <typename T>
struct IsNarrow : std::false_type {};
template <int D, int L, int H>
struct IsNarrow<Narrow<D, L, H>> : std::true_type {};

/// A subnormal number becomes a zero of its sign.
inline float flush(float value) {
  auto bits = static_cast<uint32_t>(toBits(value));
  return as<float>(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

/// The sum or product of doubles rounded to odd: what is rounded again to at most half of the
/// digits is then rounded once (Boldo and Melquiond, 2008).
inline double oddSum(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  double part = sum - a, error = (a - (sum - part)) + (b - part);
  uint64_t bits = toBits(sum);
  if (error != 0 && !(bits & 1))
    bits += (error > 0) == (sum > 0) ? 1 : -1;
  return as<double>(bits);
}

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_NUMBERS_H
