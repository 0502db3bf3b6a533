//===- ComplexMath.cpp - Functions of complex numbers ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In operations on real and imaginary parts. The inverse functions are Kahan's
// ("Branch cuts for complex elementary functions"), the quotient is Smith's.
//
//===----------------------------------------------------------------------===//
#include "ComplexMath.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace dmc;

using Order = stablehlo::ComparisonDirection;

//===----------------------------------------------------------------------===//
// The builder
//===----------------------------------------------------------------------===//

Value RealBuilder::op(StringRef name, ValueRange operands, Type type,
                      ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc, name);
  state.addOperands(operands);
  state.addTypes(type);
  state.addAttributes(attributes);
  return b.create(state)->getResult(0);
}

Value RealBuilder::compare(Order direction, Value x, Value y) {
  auto type = cast<RankedTensorType>(x.getType());
  return op("stablehlo.compare", {x, y}, type.clone(b.getI1Type()),
            b.getNamedAttr("comparison_direction",
                           stablehlo::ComparisonDirectionAttr::get(b.getContext(), direction)));
}

Value RealBuilder::constant(Value x, double number) {
  auto type = cast<RankedTensorType>(x.getType());
  auto element = b.getFloatAttr(type.getElementType(), number);
  return stablehlo::ConstantOp::create(b, loc, DenseElementsAttr::get(type, element.getValue()));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Complex conj(RealBuilder &r, Complex z) { return {z.re, r.neg(z.im)}; }

static Complex multiply(RealBuilder &r, Complex x, Complex y) {
  return {r.sub(r.mul(x.re, y.re), r.mul(x.im, y.im)), r.add(r.mul(x.re, y.im), r.mul(x.im, y.re))};
}

/// i z
static Complex timesI(RealBuilder &r, Complex z) { return {r.neg(z.im), z.re}; }
/// -i z
static Complex timesMinusI(RealBuilder &r, Complex z) { return {z.im, r.neg(z.re)}; }

/// Smith's quotient: by the greater part of the divisor, so that nothing overflows on the way.
static Complex divide(RealBuilder &r, Complex x, Complex y) {
  Value isReal = r.compare(Order::GE, r.abs(y.re), r.abs(y.im));
  Value major = r.select(isReal, y.re, y.im), minor = r.select(isReal, y.im, y.re);
  Value ratio = r.div(minor, major);
  Value zero = r.constant(ratio, 0.0);
  // Of zero by zero as well: the quotient is then that of the parts by zero.
  Value isZero = r.compare(Order::EQ, major, zero);
  ratio = r.select(isZero, zero, ratio);
  Value divisor = r.add(major, r.mul(minor, ratio));
  // With a real divisor: (x.re + x.im ratio, x.im - x.re ratio); else the parts change places.
  Value first = r.select(isReal, x.re, x.im), second = r.select(isReal, x.im, x.re);
  Value re = r.div(r.add(first, r.mul(second, ratio)), divisor);
  Value im = r.div(r.sub(second, r.mul(first, ratio)), divisor);
  return {re, r.select(isReal, im, r.neg(im))};
}

Value dmc::buildComplexAbs(RealBuilder &r, Complex z) {
  Value x = r.abs(z.re), y = r.abs(z.im);
  Value major = r.max(x, y), minor = r.min(x, y);
  Value zero = r.constant(x, 0.0), one = r.constant(x, 1.0);
  Value infinity = r.constant(x, std::numeric_limits<double>::infinity());
  Value isZero = r.compare(Order::EQ, major, zero);
  // An infinite part decides, even beside NaN.
  Value isInfinite =
      r.op("stablehlo.or", {r.compare(Order::EQ, x, infinity), r.compare(Order::EQ, y, infinity)},
           isZero.getType());
  Value ratio = r.select(isZero, zero, r.div(minor, major));
  Value length = r.mul(major, r.unary("stablehlo.sqrt", r.add(one, r.mul(ratio, ratio))));
  return r.select(isInfinite, infinity, length);
}

/// z / |z|, and zero of zero.
static Complex sign(RealBuilder &r, Complex z) {
  Value length = buildComplexAbs(r, z), zero = r.constant(length, 0.0);
  Value isZero = r.compare(Order::EQ, length, zero);
  return {r.select(isZero, zero, r.div(z.re, length)), r.select(isZero, zero, r.div(z.im, length))};
}

//===----------------------------------------------------------------------===//
// Exponentials and logarithms
//===----------------------------------------------------------------------===//

static Value cosine(RealBuilder &r, Value x) { return r.unary("stablehlo.cosine", x); }
static Value sine(RealBuilder &r, Value x) { return r.unary("stablehlo.sine", x); }

/// scale * x, where x = 0 counts more than an infinite scale.
static Value scaled(RealBuilder &r, Value scale, Value x) {
  Value isZero = r.compare(Order::EQ, x, r.constant(x, 0.0));
  return r.select(isZero, x, r.mul(scale, x));
}

static Complex exponential(RealBuilder &r, Complex z) {
  Value length = r.unary("stablehlo.exponential", z.re);
  return {r.mul(length, cosine(r, z.im)), scaled(r, length, sine(r, z.im))};
}

/// Near zero exp(a) cos(b) - 1 = expm1(a) cos(b) - 2 sin(b / 2)^2.
static Complex exponentialMinusOne(RealBuilder &r, Complex z) {
  Value half = sine(r, r.mul(z.im, r.constant(z.im, 0.5)));
  Value re = r.sub(r.mul(r.unary("stablehlo.exponential_minus_one", z.re), cosine(r, z.im)),
                   r.mul(r.constant(half, 2.0), r.mul(half, half)));
  return {re, exponential(r, z).im};
}

static Value atan2(RealBuilder &r, Value y, Value x) { return r.binary("stablehlo.atan2", y, x); }

/// log |z|: by log1p where |z| is near one, elsewhere without overflow of the squares.
static Value logOfAbs(RealBuilder &r, Complex z) {
  Value x = r.abs(z.re), y = r.abs(z.im);
  Value major = r.max(x, y), minor = r.min(x, y);
  Value zero = r.constant(x, 0.0), one = r.constant(x, 1.0), half = r.constant(x, 0.5);
  auto log1p = [&](Value value) { return r.unary("stablehlo.log_plus_one", value); };
  Value near = r.add(r.mul(r.sub(major, one), r.add(major, one)), r.mul(minor, minor));
  Value ofNear = r.mul(half, log1p(near));
  Value isZero = r.compare(Order::EQ, minor, zero);
  Value ratio = r.select(isZero, zero, r.div(minor, major));
  Value ofFar = r.add(r.unary("stablehlo.log", major), r.mul(half, log1p(r.mul(ratio, ratio))));
  Value isNear =
      r.op("stablehlo.and",
           {r.compare(Order::GT, major, half), r.compare(Order::LT, major, r.constant(x, 2.0))},
           isZero.getType());
  Value infinity = r.constant(x, std::numeric_limits<double>::infinity());
  Value isInfinite =
      r.op("stablehlo.or", {r.compare(Order::EQ, x, infinity), r.compare(Order::EQ, y, infinity)},
           isZero.getType());
  return r.select(isInfinite, infinity, r.select(isNear, ofNear, ofFar));
}

static Complex log(RealBuilder &r, Complex z) { return {logOfAbs(r, z), atan2(r, z.im, z.re)}; }

/// log(1 + z): of small z by log1p(2 a + a^2 + b^2).
static Complex logPlusOne(RealBuilder &r, Complex z) {
  Value one = r.constant(z.re, 1.0), half = r.constant(z.re, 0.5);
  Complex next{r.add(z.re, one), z.im};
  Value square = r.add(r.mul(z.re, r.add(z.re, r.constant(z.re, 2.0))), r.mul(z.im, z.im));
  Value small = r.mul(half, r.unary("stablehlo.log_plus_one", square));
  Value isSmall = r.compare(Order::LT, r.max(r.abs(z.re), r.abs(z.im)), half);
  return {r.select(isSmall, small, logOfAbs(r, next)), atan2(r, next.im, next.re)};
}

/// exp(w log z); of zero, zero but for exponents of which the real part is not positive.
static Complex power(RealBuilder &r, Complex z, Complex w) {
  Complex result = exponential(r, multiply(r, w, log(r, z)));
  Value zero = r.constant(z.re, 0.0), one = r.constant(z.re, 1.0);
  auto both = [&](Value x, Value y) { return r.op("stablehlo.and", {x, y}, x.getType()); };
  Value isZero = both(r.compare(Order::EQ, z.re, zero), r.compare(Order::EQ, z.im, zero));
  Value vanishes = both(isZero, r.compare(Order::GT, w.re, zero));
  Value isOne = both(r.compare(Order::EQ, w.re, zero), r.compare(Order::EQ, w.im, zero));
  return {r.select(isOne, one, r.select(vanishes, zero, result.re)),
          r.select(isOne, zero, r.select(vanishes, zero, result.im))};
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// A number with the magnitude of x and the sign of y, the sign of zero as well.
static Value copySign(RealBuilder &r, Value x, Value y) {
  // 1 / y tells the zeros apart, and y itself the infinities.
  Value zero = r.constant(y, 0.0), one = r.constant(y, 1.0);
  Value isZero = r.compare(Order::EQ, y, zero);
  Value probe = r.select(isZero, r.div(one, y), y);
  Value magnitude = r.abs(x);
  return r.select(r.compare(Order::LT, probe, zero), r.neg(magnitude), magnitude);
}

/// The root with a real part that is not negative; the halves are added, so that the sum does not
/// overflow.
static Complex sqrt(RealBuilder &r, Complex z) {
  Value zero = r.constant(z.re, 0.0), half = r.constant(z.re, 0.5);
  Value length = buildComplexAbs(r, z);
  Value major = r.unary("stablehlo.sqrt", r.add(r.mul(half, r.abs(z.re)), r.mul(half, length)));
  Value minor = r.div(r.mul(half, r.abs(z.im)), major);
  Value isZero = r.compare(Order::EQ, major, zero);
  minor = r.select(isZero, zero, minor);
  Value isPositive = r.compare(Order::GE, z.re, zero);
  Value re = r.select(isPositive, major, minor);
  Value im = copySign(r, r.select(isPositive, minor, major), z.im);
  Value infinity = r.constant(z.re, std::numeric_limits<double>::infinity());
  Value isInfinite = r.compare(Order::EQ, r.abs(z.im), infinity);
  return {r.select(isInfinite, infinity, re), r.select(isInfinite, z.im, im)};
}

/// The conjugate of the root, divided by |z|.
static Complex rsqrt(RealBuilder &r, Complex z) {
  Complex root = sqrt(r, z);
  Value length = buildComplexAbs(r, z);
  return {r.div(root.re, length), r.neg(r.div(root.im, length))};
}

//===----------------------------------------------------------------------===//
// Circular and hyperbolic functions
//===----------------------------------------------------------------------===//

static Value hyperbolicSine(RealBuilder &r, Value x) { return r.unary("chlo.sinh", x); }
static Value hyperbolicCosine(RealBuilder &r, Value x) { return r.unary("chlo.cosh", x); }

static Complex sinh(RealBuilder &r, Complex z) {
  return {scaled(r, cosine(r, z.im), hyperbolicSine(r, z.re)),
          scaled(r, hyperbolicCosine(r, z.re), sine(r, z.im))};
}

static Complex cosh(RealBuilder &r, Complex z) {
  return {r.mul(hyperbolicCosine(r, z.re), cosine(r, z.im)),
          scaled(r, hyperbolicSine(r, z.re), sine(r, z.im))};
}

/// (sinh a cosh a + i sin b cos b) / (sinh(a)^2 + cos(b)^2), where nothing cancels. Beyond `limit`
/// the real part is one to the last bit, and the squares do not overflow before it.
static Complex tanh(RealBuilder &r, Complex z) {
  double limit = cast<RankedTensorType>(z.re.getType()).getElementType().isF64() ? 350.0 : 40.0;
  Value a = r.max(r.min(z.re, r.constant(z.re, limit)), r.constant(z.re, -limit));
  Value s = hyperbolicSine(r, a), c = cosine(r, z.im);
  Value divisor = r.add(r.mul(s, s), r.mul(c, c));
  return {r.div(r.mul(s, hyperbolicCosine(r, a)), divisor),
          r.div(r.mul(sine(r, z.im), c), divisor)};
}

/// 1 - z and 1 + z, whose imaginary parts have the sign of -z and z: zeros on branch cuts count.
static Complex oneMinus(RealBuilder &r, Complex z) {
  return {r.sub(r.constant(z.re, 1.0), z.re), r.neg(z.im)};
}
static Complex onePlus(RealBuilder &r, Complex z) {
  return {r.add(r.constant(z.re, 1.0), z.re), z.im};
}

/// asinh(Im(conj(x) y))
static Value asinhOfCross(RealBuilder &r, Complex x, Complex y) {
  return r.unary("chlo.asinh", r.sub(r.mul(x.re, y.im), r.mul(x.im, y.re)));
}

static Complex asin(RealBuilder &r, Complex z) {
  Complex x = sqrt(r, oneMinus(r, z)), y = sqrt(r, onePlus(r, z));
  return {atan2(r, z.re, r.sub(r.mul(x.re, y.re), r.mul(x.im, y.im))), asinhOfCross(r, x, y)};
}

static Complex acos(RealBuilder &r, Complex z) {
  Complex x = sqrt(r, oneMinus(r, z)), y = sqrt(r, onePlus(r, z));
  return {r.mul(r.constant(z.re, 2.0), atan2(r, x.re, y.re)), asinhOfCross(r, y, x)};
}

static Complex acosh(RealBuilder &r, Complex z) {
  Complex x = sqrt(r, {r.sub(z.re, r.constant(z.re, 1.0)), z.im}), y = sqrt(r, onePlus(r, z));
  Value re = r.unary("chlo.asinh", r.add(r.mul(x.re, y.re), r.mul(x.im, y.im)));
  return {re, r.mul(r.constant(z.re, 2.0), atan2(r, x.im, y.re))};
}

static Complex asinh(RealBuilder &r, Complex z) { return timesMinusI(r, asin(r, timesI(r, z))); }

/// log1p(4 a / ((1 - a)^2 + b^2)) / 4 of |a|, for both signs alike.
static Complex atanh(RealBuilder &r, Complex z) {
  Value one = r.constant(z.re, 1.0), a = r.abs(z.re);
  Value rest = r.sub(one, a), square = r.mul(z.im, z.im);
  Value quotient = r.div(r.mul(r.constant(a, 4.0), a), r.add(r.mul(rest, rest), square));
  Value re = r.mul(r.constant(a, 0.25), r.unary("stablehlo.log_plus_one", quotient));
  Value angle =
      atan2(r, r.mul(r.constant(a, 2.0), z.im), r.sub(r.mul(rest, r.add(one, a)), square));
  return {copySign(r, re, z.re), r.mul(r.constant(a, 0.5), angle)};
}

/// 1 / (1 + exp(-z))
static Complex logistic(RealBuilder &r, Complex z) {
  Complex one{r.constant(z.re, 1.0), r.constant(z.re, 0.0)};
  return divide(r, one, onePlus(r, exponential(r, {r.neg(z.re), r.neg(z.im)})));
}

//===----------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------===//

using Unary = Complex (*)(RealBuilder &, Complex);

static Unary getUnary(StringRef name) {
  return llvm::StringSwitch<Unary>(name)
      .Case("chlo.acos", acos)
      .Case("chlo.acosh", acosh)
      .Case("chlo.asin", asin)
      .Case("chlo.asinh", asinh)
      .Case("chlo.atan",
            [](RealBuilder &r, Complex z) { return timesMinusI(r, atanh(r, timesI(r, z))); })
      .Case("chlo.atanh", atanh)
      .Case("chlo.conj", conj)
      .Case("chlo.cosh", cosh)
      .Case("chlo.sinh", sinh)
      .Case("chlo.square", [](RealBuilder &r, Complex z) { return multiply(r, z, z); })
      .Cases({"chlo.tan", "stablehlo.tan"},
             [](RealBuilder &r, Complex z) { return timesMinusI(r, tanh(r, timesI(r, z))); })
      .Case("stablehlo.cosine", [](RealBuilder &r, Complex z) { return cosh(r, timesI(r, z)); })
      .Case("stablehlo.exponential", exponential)
      .Case("stablehlo.exponential_minus_one", exponentialMinusOne)
      .Case("stablehlo.log", log)
      .Case("stablehlo.log_plus_one", logPlusOne)
      .Case("stablehlo.logistic", logistic)
      .Case("stablehlo.rsqrt", rsqrt)
      .Case("stablehlo.sign", sign)
      .Case("stablehlo.sine",
            [](RealBuilder &r, Complex z) { return timesMinusI(r, sinh(r, timesI(r, z))); })
      .Case("stablehlo.sqrt", sqrt)
      .Case("stablehlo.tanh", tanh)
      .Default(nullptr);
}

std::optional<Complex> dmc::buildComplex(RealBuilder &r, StringRef name,
                                         ArrayRef<Complex> operands) {
  using Binary = Complex (*)(RealBuilder &, Complex, Complex);
  if (operands.size() == 1)
    if (Unary unary = getUnary(name))
      return unary(r, operands[0]);
  Binary binary = llvm::StringSwitch<Binary>(name)
                      .Case("stablehlo.divide", divide)
                      .Case("stablehlo.multiply", multiply)
                      .Case("stablehlo.power", power)
                      .Default(nullptr);
  if (operands.size() == 2 && binary)
    return binary(r, operands[0], operands[1]);
  return std::nullopt;
}
