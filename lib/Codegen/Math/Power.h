//===- Power.h - Powers and roots -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_MATH_POWER_H
#define DMC_LIB_CODEGEN_MATH_POWER_H

#include "Logarithm.h"

namespace dmc::codegen::elementary {

/// Without a library's rounding: from 2^23 on all numbers are integers, and below, adding 2^23
/// rounds to one.
template <class F>
auto isInteger(F x) {
  F magnitude = abs(x);
  return (((magnitude + 0x1p23) - 0x1p23) == magnitude) | (magnitude > 0x1p23);
}

/// 2^(y log2 |x|) in f64, whose error in the exponent, below 150 in magnitude, is under 2^-32.
/// Special cases are those of C's pow (ISO/IEC 9899, F.10.4.4).
template <class F>
F pow(F x, F y) {
  F magnitude = abs(x);
  auto wideY = widen(y);
  auto logarithm = wideLog2(widen(magnitude));
  logarithm = select(magnitude < infinity, logarithm, widen(magnitude));
  logarithm = select(magnitude == 0.0, -infinity, logarithm);
  auto exponent = clamp(wideY * logarithm, -200.0, 200.0);
  F value = narrow(wideExp(exponent * 0.693147180559945309));
  // Of a negative number: a sign where y is odd, no value where it is not an integer. Infinities
  // are even, and of an infinite or zero x any y counts.
  auto yIsInteger = isInteger(y);
  auto isOdd = yIsInteger & !isInteger(y * 0.5);
  value = select(isOdd, copySign(value, x), value);
  value = select((x < 0.0) & (x > -infinity) & !yIsInteger, notANumber, value);
  value = select((x == -1.0) & (abs(y) == infinity), 1.0, value);
  return select((x == 1.0) | (y == 0.0), 1.0, value);
}

template <class F>
F cbrt(F x) {
  // A third of the bits is within 4 % of the root; 715094163 = 2^20 (1023 - 1023 / 3 - 0.03) is
  // what the exponent's offset asks for and least error. Halley's steps cube the error: 2^-4.6,
  // 2^-14, 2^-41.
  F magnitude = abs(x);
  auto a = widen(magnitude);
  auto high = truncate(shiftRightLogical(bits(a), 32));
  auto third = toInteger(toFloat(high) * (1.0 / 3)) + 715094163;
  auto root = asFloat(extend(third) << 32);
  for (int step = 0; step < 2; ++step) {
    auto cube = root * root * root;
    root = root * ((cube + a + a) / (cube + cube + a));
  }
  // Zero, infinity and NaN are their own roots.
  F value = select((magnitude > 0.0) & (magnitude < infinity), narrow(root), magnitude);
  return copySign(value, x);
}

} // namespace dmc::codegen::elementary

#endif // DMC_LIB_CODEGEN_MATH_POWER_H
