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

/// What f32 adds to exponents.
constexpr int bias = 127;

template <class F>
struct ExpParts {
  F p;
  typename F::Integer n; // in its low bits: the exponent, its offset and its bias

  /// 2^(exponent + offset), which is between -126 and 127.
  F scale() const { return asFloat(n << 23); }
};

/// Of `factor` times x, a power of two or its negative.
template <class F>
ExpParts<F> expParts(F x, double factor = 1, int offset = 0) {
  // scripts/minimax.py exp
  constexpr double c[] = {0.49999994, 0.166665167, 0.0416681021, 0.00836919434, 0.00138389564};
  double center = magic + bias + offset;
  F shifted = multiplyAdd(x, log2OfE * factor, center);
  F n = shifted - center;
  F r = multiplyAdd(n, -ln2High / factor, x);
  r = multiplyAdd(n, -ln2Low / factor, r);
  // Of r / factor, which the coefficients of f r + c0 f^2 r^2 + c1 f^3 r^3 + ... make up for.
  double scaled[5], power = factor;
  for (int k = 0; k < 5; ++k)
    scaled[k] = c[k] * (power *= factor);
  F square = r * r;
  F rest = polynomial(r, square, scaled);
  F p = multiplyAdd(rest, square, factor == 1 ? r : r * factor);
  return {p, bits(shifted)};
}

/// 2^n (1 + p) where 2^n alone may lie beyond the numbers of f32: in two factors. The offset of n
/// is `bias`, so that a shift halves its bias with it.
template <class F>
F scaleUp(ExpParts<F> parts) {
  auto half = parts.n >> 1;
  F first = asFloat(half << 23), second = asFloat((parts.n - half) << 23);
  return multiplyAdd(first, parts.p, first) * second;
}

template <class F>
F exp(F x) {
  // Beyond the bounds the result is zero or infinite.
  return scaleUp(expParts(clamp(x, -104.0, 89.0), 1, bias));
}

template <class F>
F exp2(F x) {
  // scripts/minimax.py exp2
  constexpr double c[] = {0.693147182,   0.240225941,   0.0555036627,
                          0.00962544419, 0.00133879285, 0.000133330526};
  F bounded = clamp(x, -151.0, 129.0);
  constexpr double center = magic + 2 * bias;
  F shifted = bounded + center;
  F r = bounded - (shifted - center);
  return scaleUp(ExpParts<F>{r * polynomial(r, c), bits(shifted)});
}

template <class F>
F expm1(F x) {
  // From -18 down the result rounds to -1. Half of it cannot overflow before the result does.
  auto parts = expParts(clamp(x, -18.0, 89.0), 1, -1);
  F half = parts.scale();
  F sum = multiplyAdd(half, parts.p, half - 0.5);
  return copySign(sum + sum, x);
}

template <class F>
F tanh(F x) {
  // Near zero a polynomial: the quotient below would round three times there.
  // scripts/minimax.py tanh
  constexpr double c[] = {-0.333331525, 0.133192167, -0.0508143455};
  F square = x * x;
  F nearZero = multiplyAdd(x * square, polynomial(square, c), x);
  // With e = e^2|x| - 1 it is e / (e + 2). From 10 on the result rounds to 1.
  F magnitude = abs(x);
  auto parts = expParts(atMost(magnitude, 10.0), 2);
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
