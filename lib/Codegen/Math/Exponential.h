//===- Exponential.h - exp and what is made of it ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All write x as n ln 2 + r with |r| at most half of ln 2, and e^x as 2^n (1 + p): 2^n is put
// together from bits, and p is a polynomial, so that e^x - 1 loses nothing near zero.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_MATH_EXPONENTIAL_H
#define DMC_LIB_CODEGEN_MATH_EXPONENTIAL_H

#include "Polynomial.h"

#include <cstdint>
#include <type_traits>

namespace dmc::codegen::elementary {

/// 1.5 * 2^23: adding it rounds an f32 below 2^22 to an integer, which is then in the low bits; a
/// conversion would be undefined on NaN. Its own nine low bits are zero, so shifting left by 23
/// drops it. A small integer that is added to it beforehand costs nothing, as the exponents' bias.
constexpr double magic = 12582912.0;
/// The same for f64: 1.5 * 2^52.
constexpr double wideMagic = 6755399441055744.0;

constexpr double log2OfE = 1.44269504088896341;
/// ln 2 in two parts; n times the first is exact, with and without fused multiply-add.
constexpr double ln2High = 0.693359375, ln2Low = -2.12194440054690583e-4;
constexpr double wideLn2High = 6.93147180369123816490e-01, wideLn2Low = 1.90821492927058770002e-10;

/// What the functions that both formats share take from the format: here f32. Argument reduction
/// and bounds: J.-M. Muller, Elementary Functions. The arrays are of scripts/minimax.py.
template <class F, bool isWide = std::is_same_v<F, typename F::Wide>>
struct Format {
  using Bits = int32_t;
  static constexpr int fraction = 23, bias = 127;
  static constexpr double magic = elementary::magic;
  static constexpr double ln2High = elementary::ln2High, ln2Low = elementary::ln2Low;
  static constexpr double smallestNormal = 0x1p-126, toNormal = 0x1p23;
  /// Beyond these exp and exp2 are zero or infinite, and expm1 and tanh round to -1 and 1.
  static constexpr double leastExp = -104, mostExp = 89, leastExp2 = -151, mostExp2 = 129;
  static constexpr double leastExpm1 = -18, mostTanh = 10;
  static constexpr double exp[] = {0.49999994, 0.166665167, 0.0416681021, 0.00836919434,
                                   0.00138389564};
  static constexpr double exp2[] = {0.693147182,   0.240225941,   0.0555036627,
                                    0.00962544419, 0.00133879285, 0.000133330526};
  static constexpr double tanh[] = {-0.333331525, 0.133192167, -0.0508143455};
};

/// f64: "f64 exp", "f64 exp2" and "f64 tanh".
template <class F>
struct Format<F, true> {
  using Bits = int64_t;
  static constexpr int fraction = 52, bias = 1023;
  static constexpr double magic = wideMagic;
  static constexpr double ln2High = wideLn2High, ln2Low = wideLn2Low;
  static constexpr double smallestNormal = 0x1p-1022, toNormal = 0x1p52;
  static constexpr double leastExp = -746, mostExp = 710, leastExp2 = -1076, mostExp2 = 1025;
  static constexpr double leastExpm1 = -38, mostTanh = 20;
  static constexpr double exp[] = {0.5,
                                   0.16666666666666682,
                                   0.041666666666666095,
                                   0.0083333333333170338,
                                   0.0013888888889115609,
                                   0.00019841269896385904,
                                   2.4801586926671061e-05,
                                   2.7557234860312797e-06,
                                   2.7557581818313832e-07,
                                   2.5112037305532102e-08,
                                   2.0826635449765683e-09};
  static constexpr double exp2[] = {
      0.69314718055994529,    0.24022650695910072,    0.055504108664821583,
      0.0096181291076284873,  0.0013333558146428307,  0.00015403530393354466,
      1.5252733804247948e-05, 1.3215486822647185e-06, 1.0178085887427296e-07,
      7.054891965176547e-09,  4.4455736732055068e-10, 2.5736850173160646e-11,
      1.3663086770509627e-12};
  static constexpr double tanh[] = {-0.33333333333333309,   0.13333333333323111,
                                    -0.053968253953752376,  0.021869487540381601,
                                    -0.0088631976482306165, 0.0035912860281314455,
                                    -0.0014449186773456291, 0.00051289193313172089};
};

template <class F>
struct ExpParts {
  F p;
  typename F::Integer n; // in its low bits: the exponent, its offset and its bias

  /// 2^(exponent + offset), which is a normal number.
  F scale() const { return asFloat(n << Format<F>::fraction); }
};

/// Of `factor` times x, a power of two or its negative.
template <class F>
ExpParts<F> expParts(F x, double factor = 1, int offset = 0) {
  constexpr auto &c = Format<F>::exp;
  constexpr int count = sizeof(c) / sizeof(*c);
  double center = Format<F>::magic + Format<F>::bias + offset;
  F shifted = multiplyAdd(x, log2OfE * factor, center);
  F n = shifted - center;
  F r = multiplyAdd(n, -Format<F>::ln2High / factor, x);
  F first = r;
  r = multiplyAdd(n, -Format<F>::ln2Low / factor, first);
  // Of r / factor, which the coefficients of f r + c0 f^2 r^2 + c1 f^3 r^3 + ... make up for.
  double scaled[count], power = factor;
  for (int k = 0; k < count; ++k)
    scaled[k] = c[k] * (power *= factor);
  F square = r * r;
  F rest = polynomial(r, square, scaled);
  F linear = factor == 1 ? r : r * factor;
  if constexpr (std::is_same_v<F, typename F::Wide>) {
    // What rounding took from r: 2^n p - (1 - 2^n) would double it near ln(2) / 2.
    F lost = multiplyAdd(n, -Format<F>::ln2Low / factor, first - r) * factor;
    return {multiplyAdd(rest, square, lost) + linear, bits(shifted)};
  }
  F p = multiplyAdd(rest, square, linear);
  return {p, bits(shifted)};
}

/// 2^n (1 + p) where 2^n alone may lie beyond the format's numbers: in two factors. The offset of n
/// is `bias`, so that a shift halves its bias with it.
template <class F>
F scaleUp(ExpParts<F> parts) {
  auto half = parts.n >> 1;
  F first = asFloat(half << Format<F>::fraction);
  F second = asFloat((parts.n - half) << Format<F>::fraction);
  return multiplyAdd(first, parts.p, first) * second;
}

template <class F>
F exp(F x) {
  using Of = Format<F>;
  return scaleUp(expParts(clamp(x, Of::leastExp, Of::mostExp), 1, Of::bias));
}

template <class F>
F exp2(F x) {
  using Of = Format<F>;
  F bounded = clamp(x, Of::leastExp2, Of::mostExp2);
  constexpr double center = Of::magic + 2 * Of::bias;
  F shifted = bounded + center;
  F r = bounded - (shifted - center);
  return scaleUp(ExpParts<F>{r * polynomial(r, Of::exp2), bits(shifted)});
}

template <class F>
F expm1(F x) {
  // Half of it cannot overflow before the result does.
  auto parts = expParts(clamp(x, Format<F>::leastExpm1, Format<F>::mostExp), 1, -1);
  F half = parts.scale();
  F sum = multiplyAdd(half, parts.p, half - 0.5);
  return copySign(sum + sum, x);
}

template <class F>
F tanh(F x) {
  // Near zero a polynomial: the quotient below would round three times there.
  F square = x * x;
  F nearZero = multiplyAdd(x * square, polynomial(square, Format<F>::tanh), x);
  // With e = e^2|x| - 1 it is e / (e + 2).
  F magnitude = abs(x);
  auto parts = expParts(atMost(magnitude, Format<F>::mostTanh), 2);
  F scale = parts.scale();
  F e = multiplyAdd(scale, parts.p, scale - 1.0);
  return copySign(select(magnitude < 0.28, nearZero, e / (e + 2.0)), x);
}

/// 1 / (1 + e^(-factor x)); the factor is a power of two. Down to the smallest numbers of f32: the
/// divisor is formed 2^24 too small.
template <class F>
F sigmoid(F x, double factor = 1) {
  constexpr double unit = 0x1p-24;
  auto parts = expParts(clamp(x, -104.0 / factor, 60.0 / factor), -factor, -24);
  F scale = parts.scale();
  // The sum of two powers of two is exact, or what it lacks of one is (Dekker): one rounding
  // counts.
  F sum = scale + unit;
  F lacks = sum.of(unit) - (sum - scale);
  return x.of(unit) / (multiplyAdd(scale, parts.p, lacks) + sum);
}

//===--- In f64, for results in f32 ---------------------------------------===//

template <class W>
struct WideExpParts {
  W p, scale;
};

/// e^x = scale (1 + p), |x| below 700.
template <class W>
WideExpParts<W> wideExpParts(W x) {
  // scripts/minimax.py "wide exp"
  constexpr double c[] = {0.50000000464173466,   0.16666666817540218,   0.041666354648828716,
                          0.0083332729539552994, 0.0013941009366984477, 0.00019914217894031195};
  W shifted = multiplyAdd(x, log2OfE, wideMagic);
  W n = shifted - wideMagic;
  W r = multiplyAdd(n, -wideLn2High, x);
  r = multiplyAdd(n, -wideLn2Low, r);
  W square = r * r;
  W p = multiplyAdd(polynomial(r, square, c), square, r);
  W scale = asFloat((bits(shifted) << 52) + (int64_t(1023) << 52));
  return {p, scale};
}

template <class W>
W wideExp(W x) {
  auto [p, scale] = wideExpParts(x);
  return multiplyAdd(scale, p, scale);
}

template <class F>
F sinh(F x) {
  // Of e = e^|x| - 1: half of e + e / (e + 1).
  auto [p, scale] = wideExpParts(widen(atMost(abs(x), 100.0)));
  auto e = multiplyAdd(scale, p, scale - 1.0);
  return copySign(narrow((e + e / (e + 1.0)) * 0.5), x);
}

template <class F>
F cosh(F x) {
  auto e = wideExp(widen(atMost(abs(x), 100.0)));
  return narrow((e + e.of(1.0) / e) * 0.5);
}

} // namespace dmc::codegen::elementary

#endif // DMC_LIB_CODEGEN_MATH_EXPONENTIAL_H
