//===- Logarithm.h - Logarithms and inverse hyperbolic functions -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All write x as 2^n m with m between the roots of 1/2 and 2.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_MATH_LOGARITHM_H
#define DMC_LIB_CODEGEN_MATH_LOGARITHM_H

#include "Exponential.h"

namespace dmc::codegen::elementary {

/// The bits of the root of 1/2, from which mantissas count.
constexpr int32_t rootBits = 0x3F3504F3;
constexpr int64_t wideRootBits = 0x3FE6A09E667F3BCD;
template <class F>
constexpr typename Format<F>::Bits rootOf =
    std::is_same_v<F, typename F::Wide> ? wideRootBits : rootBits;
/// The bits of a fraction.
template <class F>
constexpr typename Format<F>::Bits fractionOf =
    (typename Format<F>::Bits(1) << Format<F>::fraction) - 1;

template <class F>
struct LogParts {
  F n, f, rest; // log(x) = n ln 2 + f + rest, f = m - 1
};

/// What log(1 + f) adds to f.
template <class F>
F logRest(F f) {
  if constexpr (std::is_same_v<F, typename F::Wide>) {
    // With s = f / (2 + f) it is 2 atanh(s) = f - s (f - c0 s^2 - c1 s^4 - ...), whose parts after
    // f, at most a fifth of it, hardly count with their roundings (J.-M. Muller, Elementary
    // Functions). scripts/minimax.py "f64 log"
    constexpr double c[] = {0.66666666666666663, 0.40000000000006247, 0.28571428569085805,
                            0.22222222646803616, 0.18181775665286229, 0.15387090755307872,
                            0.13250118409845904, 0.13251324864759342};
    F s = f / (f + 2.0);
    F square = s * s;
    return s * multiplyAdd(polynomial(square, c), square, -f);
  }
  // scripts/minimax.py log
  constexpr double c[] = {0.333333313, -0.250008225, 0.200012609, -0.166233331,
                          0.142009765, -0.131597668, 0.12767157,  -0.0764245689};
  F square = f * f;
  return multiplyAdd(polynomial(f, square, c) * f, square, square * -0.5);
}

/// Of x above zero and finite.
template <class F>
LogParts<F> logParts(F x) {
  // Numbers below the smallest normal one are first scaled up.
  auto isTiny = x < Format<F>::smallestNormal;
  F scaled = select(isTiny, x * Format<F>::toNormal, x);
  auto offset = bits(scaled) - rootOf<F>;
  F n =
      toFloat(offset >> Format<F>::fraction) - select(isTiny, x.of(Format<F>::fraction), x.of(0.0));
  F f = asFloat((offset & fractionOf<F>)+rootOf<F>) - 1.0;
  return {n, f, logRest(f)};
}

/// The logarithm's values where x is not a positive finite number.
template <class F>
F withPoles(F x, F value) {
  value = select(x < infinity, value, x); // infinity and NaN
  value = select(x < 0.0, notANumber, value);
  return select(x == 0.0, -infinity, value);
}

template <class F>
F log(F x) {
  auto [n, f, rest] = logParts(x);
  return withPoles(x,
                   multiplyAdd(n, Format<F>::ln2High, multiplyAdd(n, Format<F>::ln2Low, rest) + f));
}

template <class F>
F log2(F x) {
  auto [n, f, rest] = logParts(x);
  return withPoles(x, multiplyAdd(f, log2OfE, rest * log2OfE) + n);
}

template <class F>
F log10(F x) {
  // The logarithm of 2 in two parts; n times the first is exact.
  constexpr double high = 0.30078125, low = 2.48745663981195213e-4, ofE = 0.434294481903251828;
  auto [n, f, rest] = logParts(x);
  return withPoles(x, multiplyAdd(n, high, multiplyAdd(f, ofE, multiplyAdd(n, low, rest * ofE))));
}

template <class F>
F log1p(F x) {
  // log of u = 1 + x, rounded, and what the rounding lost: c / u. In units of u's power of two both
  // join f, which for small x is x itself.
  F u = x + 1.0;
  F lost = x - (u - 1.0);
  auto offset = bits(u) - rootOf<F>;
  auto exponent = offset >> Format<F>::fraction;
  // Above the power `most` nothing is lost, and 2^-n would be no normal number.
  using Bits = typename Format<F>::Bits;
  constexpr Bits most = Format<F>::bias - 1, one = Bits(1) << Format<F>::fraction;
  F scale = asFloat(
      (most - select(exponent < most, exponent, exponent.of(most)) << Format<F>::fraction) + one);
  F f = multiplyAdd(lost, scale, asFloat((offset & fractionOf<F>)+rootOf<F>) - 1.0);
  F n = toFloat(exponent);
  F value = multiplyAdd(n, Format<F>::ln2High, multiplyAdd(n, Format<F>::ln2Low, logRest(f)) + f);
  value = select(x < infinity, value, x);
  value = select(x < -1.0, notANumber, value);
  value = select(x == -1.0, -infinity, value);
  return copySign(value, x);
}

//===--- In f64, for results in f32 ---------------------------------------===//

/// Of x above zero and finite, relative error about 2^-40.
template <class W>
W wideLog2(W x) {
  // scripts/minimax.py "wide log2": of (log2((1 + s) / (1 - s)) / s - 2 log2(e)) / s^2 in s^2
  constexpr double c[] = {0.96179669405780266, 0.57707795317794497, 0.41220840325736835,
                          0.31993472265567674, 0.28254027567518203};
  auto offset = bits(x) - wideRootBits;
  // The exponent as the low bits of a number of about 2^52: vectors have no conversion from 64
  // bits.
  constexpr int64_t bias = 1024;
  auto exponent = shiftRightLogical(offset + (bias << 52), 52);
  W n = asFloat(exponent + 0x4330000000000000) - (0x1p52 + bias);
  W f = asFloat((offset & 0xFFFFFFFFFFFFF) + wideRootBits) - 1.0;
  W s = f / (f + 2.0);
  W square = s * s;
  W rest = polynomial(square, c) * square;
  return multiplyAdd(s, rest + 2 * log2OfE, n);
}

template <class W>
W wideLog1p(W x) {
  W u = x + 1.0;
  W lost = x - (u - 1.0);
  W value = multiplyAdd(wideLog2(u), 0.693147180559945309, lost / u);
  value = select(x < infinity, value, x);
  value = select(x < -1.0, notANumber, value);
  return select(x == -1.0, -infinity, value);
}

template <class F>
F asinh(F x) {
  // log(a + sqrt(a^2 + 1)) without cancellation near zero.
  auto a = widen(abs(x));
  auto square = a * a;
  auto value = wideLog1p(a + square / (sqrt(square + 1.0) + 1.0));
  return copySign(select(abs(x) < infinity, narrow(value), abs(x)), x);
}

template <class F>
F acosh(F x) {
  auto f = widen(x) - 1.0;
  return select(x < 1.0, notANumber, narrow(wideLog1p(f + sqrt(f * (f + 2.0)))));
}

template <class F>
F atanh(F x) {
  auto a = widen(abs(x));
  return copySign(narrow(wideLog1p((a + a) / (a.of(1.0) - a)) * 0.5), x);
}

} // namespace dmc::codegen::elementary

#endif // DMC_LIB_CODEGEN_MATH_LOGARITHM_H
