//===- Trigonometric.h - Sine, cosine, tangent and inverses -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_LIB_CODEGEN_MATH_TRIGONOMETRIC_H
#define DMC_LIB_CODEGEN_MATH_TRIGONOMETRIC_H

#include "Exponential.h"
#include "Polynomial.h"
#include "PowersModuloCircle.h"

namespace dmc::codegen::elementary {

constexpr double pi = 3.14159265358979323846;

template <class F>
struct Angle {
  typename F::Wide r;                 // at most pi / 4 in magnitude
  typename F::Wide::Integer quadrant; // in the low bits
};

/// |x| = quadrant pi / 2 + r, of any size. From 2^23 on x = f 2^e with an integer f below 2^24, and
/// 2^e modulo 2 pi is in a table. Of both factors of quadrant pi / 2 and f 2^e the first parts have
/// 27 bits behind the point: both products are exact, and so is their difference. What remains is
/// exact to 2^-56; no number of f32 is nearer to a multiple of pi / 2 than 2^-30.
template <class F>
Angle<F> reduceAngle(F x) {
  auto magnitude = bits(abs(x));
  auto exponent = (magnitude >> 23) - 150;
  exponent = select(exponent < 0, exponent.of(0), exponent);
  auto f = widen(asFloat(magnitude - (exponent << 23)));
  auto high = f * lookUp(powersModuloCircle, exponent);
  auto low = f * lookUp(powersModuloCircleRest, exponent);
  constexpr double first = 0x1.921fb54p+0, second = 0x1.10b4611a62633p-30;
  auto shifted = multiplyAdd(high, 2 / pi, wideMagic);
  auto n = shifted - wideMagic;
  auto r = multiplyAdd(n, -first, high) + multiplyAdd(n, -second, low);
  return {r, bits(shifted)};
}

template <class F>
F sinPolynomial(F r, F square) {
  // scripts/minimax.py sin
  constexpr double c[] = {-0.166666552, 0.00833219104, -0.000195186047};
  return multiplyAdd(r * square, polynomial(square, c), r);
}

template <class F>
F cosPolynomial(F square) {
  // scripts/minimax.py cos
  constexpr double c[] = {0.0416666456, -0.00138873013, 2.44306702e-05};
  F rest = multiplyAdd(square, -0.5, 1.0);
  return multiplyAdd(square * square, polynomial(square, c), rest);
}

/// The sine of x + quadrants pi / 2.
template <class F>
F sinOrCos(F x, int64_t quadrants) {
  auto [r, quadrant] = reduceAngle(x);
  auto q = truncate(quadrant + quadrants);
  F angle = narrow(r), square = angle * angle;
  F value = select((q & 1) == 0, sinPolynomial(angle, square), cosPolynomial(square));
  auto sign = (q & 2) << 30;
  return asFloat(bits(value) ^ sign);
}

template <class F>
F sin(F x) {
  F value = sinOrCos(x, 0);
  return asFloat(bits(value) ^ (bits(x) & INT32_MIN));
}

template <class F>
F cos(F x) {
  return sinOrCos(x, 1);
}

template <class F>
F tan(F x) {
  // scripts/minimax.py "wide sin" "wide cos"
  constexpr double sine[] = {-0.16666666641605196, 0.0083333293832971635, -0.00019839333991841229,
                             2.7183034156121093e-06};
  constexpr double cosine[] = {0.041666666622794085, -0.0013888883750419595, 2.4799519205158597e-05,
                               -2.7210170307465165e-07};
  auto [r, quadrant] = reduceAngle(x);
  auto square = r * r;
  auto s = multiplyAdd(r * square, polynomial(square, sine), r);
  auto c = multiplyAdd(square * square, polynomial(square, cosine), multiplyAdd(square, -0.5, 1.0));
  auto isOdd = (quadrant & 1) != 0;
  auto value = select(isOdd, c, s) / select(isOdd, -s, c);
  return asFloat(bits(narrow(value)) ^ (bits(x) & INT32_MIN));
}

//===--- Inverse functions ------------------------------------------------===//

/// The angle of (x, y), x and y not negative; zero at the origin.
template <class W>
W wideAngle(W y, W x) {
  // scripts/minimax.py "wide atan": of (atan(q) / q - 1) / q^2 in q^2
  constexpr double c[] = {-0.33333327431756421,  0.19999692555422696,   -0.14280130116204437,
                          0.11060241072850376,   -0.088188372196008988, 0.067595504267562403,
                          -0.044946180859559946, 0.02276014400863902,   -0.0074225562066864322,
                          0.0011348639388394244};
  auto isSteep = y > x;
  W most = select(isSteep, y, x), least = select(isSteep, x, y);
  // Zeros and infinities have no quotient, and NaN is not equal to itself.
  W q = select(most == least, select(most > 0.0, 1.0, most), least / most);
  W square = q * q;
  W angle = multiplyAdd(q * square, polynomial(square, c), q);
  return select(isSteep, angle.of(pi / 2) - angle, angle);
}

template <class F>
F atan2(F y, F x) {
  auto angle = wideAngle(widen(abs(y)), widen(abs(x)));
  angle = select(bits(x) < 0, angle.of(pi) - angle, angle);
  return copySign(narrow(angle), y);
}

template <class F>
F atan(F x) {
  auto a = widen(abs(x));
  return copySign(narrow(wideAngle(a, a.of(1.0))), x);
}

/// The other leg of a right triangle with hypotenuse 1; NaN where there is none.
template <class W>
W otherLeg(W leg) {
  return sqrt((leg.of(1.0) - leg) * (leg + 1.0));
}

template <class F>
F asin(F x) {
  auto a = widen(abs(x));
  return copySign(narrow(wideAngle(a, otherLeg(a))), x);
}

template <class F>
F acos(F x) {
  auto a = widen(abs(x));
  auto angle = wideAngle(otherLeg(a), a);
  return narrow(select(x < 0.0, angle.of(pi) - angle, angle));
}

} // namespace dmc::codegen::elementary

#endif // DMC_LIB_CODEGEN_MATH_TRIGONOMETRIC_H
