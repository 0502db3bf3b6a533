//===- ErrorFunction.h - erf and erfc ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_MATH_ERRORFUNCTION_H
#define DMC_LIB_CODEGEN_MATH_ERRORFUNCTION_H

#include "Exponential.h"

namespace dmc::codegen::elementary {

/// 1 - e^-q with q = -log(1 - erf |x|), which is smooth: |x| (1 + a polynomial). The result's error
/// is that of q times 1 - erf |x|, so the polynomial needs to be accurate near zero alone.
template <class F>
F erf(F x) {
  // scripts/minimax.py erf
  constexpr double c[] = {0.128379166,     0.636619568,     0.102776304,
                          -0.0191478264,   -0.000169485458, 0.00167564175,
                          -0.000637333898, 0.000118849581,  -9.3862036e-06};
  F a = atMost(abs(x), 4.0); // from there on the result rounds to 1
  F q = multiplyAdd(polynomial(a, c), a, a);
  auto parts = expParts(q, -1);
  F scale = parts.scale();
  return copySign(multiplyAdd(-scale, parts.p, scale.of(1.0) - scale), x);
}

template <class F>
F erfc(F x) {
  // scripts/minimax.py "wide erfc": of erfc(a) e^(a^2) (1 + 2 a) in (a - 4) / (a + 4)
  constexpr double c[] = {1.2329951188172594,    -0.13962113153357811,   0.015379616406881111,
                          0.068097857929750302,  -0.10103746350327486,   0.093721420551133722,
                          -0.066357484314528328, 0.037217629969512299,   -0.016019480929447001,
                          0.0050600604199138206, -0.0011222474306272715, -0.00063777762657614878};
  auto a = widen(atMost(abs(x), 10.2)); // from there on the result rounds to 0 or 2
  auto scaled = polynomial((a - 4.0) / (a + 4.0), c) / (a + a + 1.0);
  auto value = wideExp(-a * a) * scaled;
  return narrow(select(x < 0.0, value.of(2.0) - value, value));
}

} // namespace dmc::codegen::elementary

#endif // DMC_LIB_CODEGEN_MATH_ERRORFUNCTION_H
