//===- Polynomial.h - Polynomials of elementary functions -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of this folder are templates over their arithmetic: a type F of f32 values with
// F::Integer (i32), F::Wide (f64) and F::Condition. Code generation evaluates them with types that
// emit operations (EmittedMath.h), tests with the numbers of the host.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_CODEGEN_MATH_POLYNOMIAL_H
#define DMC_LIB_CODEGEN_MATH_POLYNOMIAL_H

#include <cstddef>

namespace dmc::codegen::elementary {

/// The sum of coefficients[k] x^k. Even and odd powers are two chains of half the length, since
/// latency and not throughput bounds a loop that evaluates little else.
template <class F, std::size_t count>
F polynomial(F x, F square, const double (&coefficients)[count]) {
  static_assert(count >= 3, "shorter ones have no two chains");
  F last = x.of(coefficients[count - 1]), other = x.of(coefficients[count - 2]);
  for (std::size_t k = count - 2; k-- > 0;) {
    F next = multiplyAdd(last, square, coefficients[k]);
    last = other;
    other = next;
  }
  // `other` holds the powers with coefficient 0, `last` those with coefficient 1.
  return multiplyAdd(last, x, other);
}

template <class F, std::size_t count>
F polynomial(F x, const double (&coefficients)[count]) {
  return polynomial(x, x * x, coefficients);
}

/// x within bounds; NaN stays.
template <class F>
F atMost(F x, double limit) {
  return select(x > limit, limit, x);
}
template <class F>
F atLeast(F x, double limit) {
  return select(x < limit, limit, x);
}
template <class F>
F clamp(F x, double lo, double hi) {
  return atMost(atLeast(x, lo), hi);
}

constexpr double infinity = __builtin_inf();
constexpr double notANumber = __builtin_nan("");

} // namespace dmc::codegen::elementary

#endif // DMC_LIB_CODEGEN_MATH_POLYNOMIAL_H
