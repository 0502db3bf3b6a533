//===- Float8.cpp - Conversions of pairs of 8-bit floats ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// E4M3 has no infinities, one NaN of each sign, and numbers up to 448; E5M2 is an IEEE format
// (Micikevicius et al., FP8 Formats for Deep Learning, 2022).
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"
#include "Opcode.h"

using namespace dmc::ptx;

namespace {
template <bool IsE4M3>
struct Float8 {
  static constexpr int digits = IsE4M3 ? 4 : 3, low = IsE4M3 ? -6 : -14, high = IsE4M3 ? 8 : 15;
  static constexpr double largest = IsE4M3 ? 448 : 57344;

  /// Rounded to the nearest; what is too large becomes the largest number.
  static uint8_t of(double value) {
    if (std::isnan(value))
      return 0x7f;
    double rounded = std::fabs(roundTo(value, digits, low, high, Rounding::Nearest));
    rounded = rounded > largest ? largest : rounded;
    auto sign = static_cast<uint8_t>(std::signbit(value) ? 0x80 : 0);
    if (rounded == 0)
      return sign;
    int exponent = std::ilogb(rounded);
    if (exponent < low) // subnormal
      return sign | static_cast<uint8_t>(std::ldexp(rounded, digits - 1 - low));
    auto fraction = static_cast<int>(std::ldexp(rounded, digits - 1 - exponent));
    return static_cast<uint8_t>(sign | (exponent - low + 1) << (digits - 1) |
                                (fraction - (1 << (digits - 1))));
  }
  static double value(uint8_t bits) {
    int exponent = (bits & 0x7f) >> (digits - 1), fraction = bits & ((1 << (digits - 1)) - 1);
    double result;
    if (IsE4M3 ? (bits & 0x7f) == 0x7f : exponent == 31 && fraction)
      result = std::numeric_limits<double>::quiet_NaN();
    else if (!IsE4M3 && exponent == 31)
      result = std::numeric_limits<double>::infinity();
    else if (exponent == 0)
      result = std::ldexp(fraction, low - digits + 1);
    else
      result = std::ldexp(fraction + (1 << (digits - 1)), exponent - 1 + low - digits + 1);
    return bits & 0x80 ? -result : result;
  }
};

double clamped(double value) { return value > 0 || std::isnan(value) ? value : 0; }

/// The first operand is the upper half.
template <bool IsE4M3, bool Clamps>
uint64_t packSingles(uint64_t a, uint64_t b, uint64_t) {
  double x = as<float>(a), y = as<float>(b);
  return uint64_t(Float8<IsE4M3>::of(Clamps ? clamped(x) : x)) << 8 |
         Float8<IsE4M3>::of(Clamps ? clamped(y) : y);
}
template <bool IsE4M3, bool Clamps>
uint64_t packHalves(uint64_t a, uint64_t, uint64_t) {
  double x = as<Half>(a >> 16).value(), y = as<Half>(a).value();
  return uint64_t(Float8<IsE4M3>::of(Clamps ? clamped(x) : x)) << 8 |
         Float8<IsE4M3>::of(Clamps ? clamped(y) : y);
}
template <bool IsE4M3, bool Clamps>
uint64_t unpack(uint64_t a, uint64_t, uint64_t) {
  double x = Float8<IsE4M3>::value(static_cast<uint8_t>(a >> 8)),
         y = Float8<IsE4M3>::value(static_cast<uint8_t>(a));
  return uint64_t(Half::of(Clamps ? clamped(x) : x).bits) << 16 |
         Half::of(Clamps ? clamped(y) : y).bits;
}

template <bool IsE4M3, bool Clamps>
LaneForm decode(Type other, bool isResult) {
  LaneForm form;
  if (!isResult && other == Type::F16x2) {
    form.function = op<unpack<IsE4M3, Clamps>>();
    form.result = Type::F16x2;
    form.operands[0] = Type::B16;
    form.numSources = 1;
  } else if (isResult && (other == Type::F32 || other == Type::F16x2)) {
    bool areSingles = other == Type::F32;
    form.function =
        areSingles ? op<packSingles<IsE4M3, Clamps>>() : op<packHalves<IsE4M3, Clamps>>();
    form.result = Type::B16;
    form.operands[0] = form.operands[1] = other;
    form.numSources = areSingles ? 2 : 1;
  }
  return form;
}
} // namespace

LaneForm dmc::ptx::decodeFloat8(Opcode &o) {
  bool isE4M3 = o.take("e4m3x2");
  if ((!isE4M3 && !o.take("e5m2x2")) || o.types.size() != 1 || !o.take("rn"))
    return {};
  // Only results in 8 bits are saturated, and have to be.
  bool isResult = o.take("satfinite"), clamps = o.take("relu");
  if (isE4M3)
    return clamps ? decode<true, true>(o.type(), isResult)
                  : decode<true, false>(o.type(), isResult);
  return clamps ? decode<false, true>(o.type(), isResult)
                : decode<false, false>(o.type(), isResult);
}
