//===- SpecialFunctions.cpp - Gamma, zeta, Bessel, inverse error function -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In f64 whatever the type. Gamma functions by Lanczos (g = 7, nine addends), zeta by
// Euler and Maclaurin, Bessel functions by Chebyshev polynomials.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace dmc;

namespace {
constexpr double pi = 3.14159265358979323846;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Arithmetic on f64.
struct F64 {
  OpBuilder &b;
  Location loc;

  explicit F64(const ScalarOp &op) : b(op.b), loc(op.loc) {}

  Value number(double value) { return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value)); }
  Value widen(Value value) { return castScalar(b, loc, value, b.getF64Type(), false); }

  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value add(Value x, double y) { return add(x, number(y)); }
  Value sub(Value x, double y) { return sub(x, number(y)); }
  Value sub(double x, Value y) { return sub(number(x), y); }
  Value mul(Value x, double y) { return mul(x, number(y)); }
  Value div(Value x, double y) { return div(x, number(y)); }
  Value div(double x, Value y) { return div(number(x), y); }
  Value negate(Value x) { return arith::NegFOp::create(b, loc, x); }

  Value abs(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value floor(Value x) { return math::FloorOp::create(b, loc, x); }
  Value log(Value x) { return math::LogOp::create(b, loc, x); }
  Value log1p(Value x) { return math::Log1pOp::create(b, loc, x); }
  Value exp(Value x) { return math::ExpOp::create(b, loc, x); }
  Value sqrt(Value x) { return math::SqrtOp::create(b, loc, x); }
  Value sin(Value x) { return math::SinOp::create(b, loc, x); }
  Value cos(Value x) { return math::CosOp::create(b, loc, x); }
  Value power(Value x, Value y) { return math::PowFOp::create(b, loc, x, y); }
  Value erf(Value x) { return math::ErfOp::create(b, loc, x); }
  Value erfc(Value x) { return math::ErfcOp::create(b, loc, x); }
  Value withSignOf(Value x, Value sign) { return math::CopySignOp::create(b, loc, x, sign); }

  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value isLess(Value x, double y) { return compare(arith::CmpFPredicate::OLT, x, number(y)); }
  Value isAtMost(Value x, double y) { return compare(arith::CmpFPredicate::OLE, x, number(y)); }
  Value equals(Value x, Value y) { return compare(arith::CmpFPredicate::OEQ, x, y); }
  Value equals(Value x, double y) { return equals(x, number(y)); }
  Value differs(Value x, Value y) { return compare(arith::CmpFPredicate::UNE, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value select(Value condition, double x, Value y) { return select(condition, number(x), y); }

  /// Coefficients from the highest degree down.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.front());
    for (double next : coefficients.drop_front())
      sum = add(mul(sum, x), next);
    return sum;
  }

  /// Half the first coefficient plus the sum of c[k] T_k(t), by Clenshaw.
  Value chebyshev(Value t, ArrayRef<double> c) {
    Value twice = add(t, t), next = number(0), afterNext = number(0);
    for (double coefficient : llvm::reverse(c.drop_front())) {
      Value current = add(sub(mul(twice, next), afterNext), coefficient);
      afterNext = next;
      next = current;
    }
    return add(sub(mul(t, next), afterNext), c.front() / 2);
  }

  //===--- The gamma function ---===//

  struct Lanczos {
    Value sum, slope, t, logT;
  };

  /// The series at z >= -0.5, minus its derivative, and t = z + 7.5.
  Lanczos lanczos(Value z) {
    static constexpr double coefficients[] = {
        676.520368121885098567009190444019, -1259.13921672240287047156078755283,
        771.3234287776530788486528258894,   -176.61502916214059906584551354,
        12.507343278686904814458936853,     -0.13857109526572011689554707,
        9.984369578019570859563e-6,         1.50563273514931155834e-7};
    Value sum = number(0.99999999999980993227684700473478), slope = number(0);
    for (auto [i, coefficient] : llvm::enumerate(coefficients)) {
      Value place = add(z, i + 1.0);
      Value addend = div(coefficient, place);
      sum = add(sum, addend);
      slope = add(slope, div(addend, place));
    }
    return {sum, slope, add(z, 7.5), add(log1p(div(z, 7.5)), std::log(7.5))};
  }

  Value lgamma(Value x) {
    Value isSmall = isLess(x, 0.5);
    Value z = select(isSmall, negate(x), sub(x, 1.0));
    Lanczos l = lanczos(z);
    Value result = mul(sub(add(z, 0.5), div(l.t, l.logT)), l.logT);
    result = add(add(result, 0.91893853320467274178), log(l.sum)); // log(sqrt(2 pi))
    // gamma(x) gamma(1 - x) = pi / sin(pi x), of the distance from an integer.
    Value magnitude = abs(x);
    Value fraction = sub(magnitude, floor(magnitude));
    Value isUpper = compare(arith::CmpFPredicate::OGT, fraction, number(0.5));
    Value reduced = select(isUpper, sub(1.0, fraction), fraction);
    Value logSine = log(sin(mul(reduced, pi)));
    Value reflected = sub(sub(std::log(pi), logSine), result);
    Value isPole = equals(logSine, -infinity);
    result = select(isSmall, select(isPole, infinity, reflected), result);
    return select(equals(magnitude, infinity), infinity, result);
  }

  /// Of an argument that is not less than one; the power in two factors, which alone
  /// do not overflow.
  Value gammaOfNext(Value z) {
    Lanczos l = lanczos(z);
    Value root = power(l.t, mul(add(z, 0.5), 0.5));
    Value scaled = mul(mul(root, exp(negate(l.t))), root);
    return mul(mul(scaled, l.sum), 2.50662827463100050242); // sqrt(2 pi)
  }

  Value digamma(Value x) {
    Value isSmall = isLess(x, 0.5);
    Value z = select(isSmall, negate(x), sub(x, 1.0));
    Lanczos l = lanczos(z);
    Value result = sub(sub(l.logT, div(l.slope, l.sum)), div(7.0, l.t));
    // digamma(1 - x) - digamma(x) = pi / tan(pi x), x less the nearest integer.
    Value reduced = add(x, abs(floor(add(x, 0.5))));
    Value angle = mul(reduced, pi);
    Value cotangent = div(mul(cos(angle), pi), sin(angle));
    Value isPole = both(isAtMost(x, 0.0), equals(x, floor(x)));
    result = select(isPole, nan, select(isSmall, sub(result, cotangent), result));
    return select(equals(x, infinity), infinity, result);
  }

  //===--- Zeta ---===//

  /// The sum of (q + k)^-x over k >= 0.
  Value zeta(Value x, Value q) {
    // (2k)! / B_2k for k = 12 to 1.
    static constexpr double coefficients[] = {-7.1661652561756670113e18,
                                              1.8152105401943546773e17,
                                              -4.5979787224074726105e15,
                                              1.1646782814350067249e14,
                                              -2.950130727918164224e12,
                                              7.47242496e10,
                                              -1.8924375803183791606e9,
                                              47900160.0,
                                              -1209600.0,
                                              30240.0,
                                              -720.0,
                                              12.0};
    Value exponent = negate(x);
    Value place = q, addend = power(q, exponent), head = addend;
    for (unsigned i = 0; i < 9; ++i) {
      place = add(place, 1.0);
      addend = power(place, exponent);
      head = add(head, addend);
    }
    place = add(place, 1.0);
    addend = power(place, exponent);
    Value integral = div(mul(addend, place), sub(x, 1.0));
    Value inverseSquare = div(1.0, mul(place, place));
    Value tail = number(0);
    for (unsigned i = 0; i < 11; ++i) {
      Value factor = mul(add(x, 22.0 - 2 * i), add(x, 21.0 - 2 * i));
      tail = mul(mul(factor, inverseSquare), add(tail, 1 / coefficients[i]));
    }
    tail = add(mul(div(x, place), add(tail, 1 / coefficients[11])), 0.5);
    Value result = add(add(head, integral), mul(addend, tail));
    // The rest does not matter, and may have overflown.
    Value isNegligible = compare(arith::CmpFPredicate::OLT, abs(addend),
                                 mul(abs(head), std::numeric_limits<double>::epsilon()));
    result = select(isNegligible, head, result);
    // Poles: from both sides infinite of one sign where the power is even.
    Value isNegative = isAtMost(q, 0.0);
    Value half = mul(x, 0.5);
    Value pole = select(equals(half, floor(half)), number(infinity), number(nan));
    result = select(both(isNegative, differs(x, floor(x))), nan, result);
    result = select(both(isNegative, equals(q, floor(q))), pole, result);
    result = select(isLess(x, 1.0), nan, result);
    return select(equals(x, 1.0), infinity, result);
  }

  Value polygamma(Value order, Value x) {
    Value next = add(order, 1.0);
    Value half = mul(next, 0.5);
    Value isEven = equals(half, floor(half));
    Value magnitude = mul(gammaOfNext(order), zeta(next, x));
    Value result = select(isEven, magnitude, negate(magnitude));
    result = select(equals(order, 0.0), digamma(x), result);
    Value isInvalid = compare(arith::CmpFPredicate::ULT, order, number(0.0));
    result = select(isInvalid, nan, result);
    return select(differs(order, floor(order)), nan, result);
  }

  //===--- Others ---===//

  /// exp(-|x|) I_1(x): Chebyshev coefficients of exp(-x) I_1(x) / x on [0, 8] in
  /// x / 4 - 1, and of exp(-x) I_1(x) sqrt(x) beyond in 16 / x - 1.
  Value besselI1e(Value x) {
    static constexpr double small[] = {
        0.25258718644363365,     -0.17641651835783406,    0.1026436586898471,
        -0.052945981208094991,   0.024726449030626517,    -0.010564084894626198,
        0.0041564229443128882,   -0.0015135724506312531,  0.00051228595616857577,
        -0.00016176081582589675, 4.7815651075500542e-5,   -1.3273163656039436e-5,
        3.4702513081376785e-6,   -8.5687202646954547e-7,  2.0032947535521353e-7,
        -4.4450591287963281e-8,  9.3815373864957718e-9,   -1.8872497517228293e-9,
        3.625590281552117e-10,   -6.6634897235020277e-11, 1.1736186298890902e-11,
        -1.9839743977649437e-12, 3.2237933659455747e-13,  -5.0421855047279117e-14,
        7.6006842947354069e-15,  -1.1055969477353863e-15, 1.5536319577362005e-16,
        -2.1114212143581661e-17, 2.7779141127610464e-18};
    static constexpr double large[] = {
        0.77857623501828012,     -0.0097610974913614684,  -0.00011058893876262372,
        -3.8825648088776904e-6,  -2.5122362378702089e-7,  -2.6314688468895195e-8,
        -3.835380385964237e-9,   -5.5897434621965838e-10, -1.8974958123505412e-11,
        3.2526035830154882e-11,  1.4125807436613781e-11,  2.0356285441470895e-12,
        -7.1985517762459085e-13, -4.0835511110921973e-13, -2.1015418427726643e-14,
        4.2724400167119514e-14,  1.0420276984128803e-14,  -3.8144030724370078e-15,
        -1.8803547755107824e-15, 3.3082023109209283e-16,  2.9626289976459501e-16,
        -3.209525921993424e-17,  -4.6503053684893583e-17, 4.414348323071708e-18,
        7.5172963108421048e-18};
    Value magnitude = abs(x);
    Value nearZero = mul(chebyshev(sub(mul(magnitude, 0.25), 1.0), small), magnitude);
    Value beyond = div(chebyshev(sub(div(16.0, magnitude), 1.0), large), sqrt(magnitude));
    return withSignOf(select(isAtMost(magnitude, 8.0), nearZero, beyond), x);
  }

  /// Two polynomials in w = -log(1 - y^2), for the middle and for the tails (Giles,
  /// "Approximating the erfinv function"), which are accurate to single precision,
  /// and beyond that the first addends of the asymptotic series; then three steps of
  /// Newton's method.
  Value erfInv(Value y) {
    Value magnitude = abs(y);
    Value complement = sub(1.0, magnitude);
    Value w = negate(log(mul(complement, add(magnitude, 1.0))));
    Value middle = polynomial(sub(w, 2.5), {2.81022636e-08, 3.43273939e-07, -3.5233877e-06,
                                            -4.39150654e-06, 0.00021858087, -0.00125372503,
                                            -0.00417768164, 0.246640727, 1.50140941});
    Value tail = polynomial(sub(sqrt(w), 3.0),
                            {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
                             0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
    Value x = mul(select(isLess(w, 5.0), middle, tail), magnitude);
    Value size = negate(log(complement));
    Value far = sqrt(sub(size, mul(log(mul(size, pi)), 0.5)));
    x = select(isLess(w, 15.0), x, far);
    Value isTail = compare(arith::CmpFPredicate::OGT, magnitude, number(0.5));
    for (unsigned step = 0; step < 3; ++step) {
      // Toward one the complements are the exact ones.
      Value difference = select(isTail, sub(complement, erfc(x)), sub(erf(x), magnitude));
      Value slope = mul(exp(negate(mul(x, x))), 1.12837916709551257390); // 2 / sqrt(pi)
      Value newton = div(difference, slope);
      // Halley's correction: the second derivative is -2 x times the first.
      x = sub(x, div(newton, add(mul(x, newton), 1.0)));
    }
    x = select(equals(magnitude, 1.0), infinity, x);
    x = select(compare(arith::CmpFPredicate::OGT, magnitude, number(1.0)), nan, x);
    return withSignOf(x, y);
  }
};
} // namespace

template <Value (F64::*function)(Value)>
static Value buildUnary(const ScalarOp &op) {
  F64 f(op);
  return castScalar(op.b, op.loc, (f.*function)(f.widen(op[0])), op.type, false);
}

template <Value (F64::*function)(Value, Value)>
static Value buildBinary(const ScalarOp &op) {
  F64 f(op);
  Value result = (f.*function)(f.widen(op[0]), f.widen(op[1]));
  return castScalar(op.b, op.loc, result, op.type, false);
}

Value dmc::buildDoubleErfInv(const ScalarOp &op) { return buildUnary<&F64::erfInv>(op); }

/// One step in the order of bit patterns.
static Value buildNextAfter(const ScalarOp &op) {
  OpBuilder &b = op.b;
  unsigned bits = op.type.getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  Value x = op[0], y = op[1];
  auto constant = [&](const APInt &value) { return op.constant(integer, value); };
  auto compare = [&](arith::CmpFPredicate predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(b, op.loc, predicate, lhs, rhs);
  };
  auto select = [&](Value condition, Value onTrue, Value onFalse) -> Value {
    return arith::SelectOp::create(b, op.loc, condition, onTrue, onFalse);
  };
  Value zero = op.constant(op.type, 0.0);
  Value pattern = arith::BitcastOp::create(b, op.loc, integer, x);
  // Away from zero where the direction is that of the sign.
  Value isUp = compare(arith::CmpFPredicate::OLT, x, y);
  Value isPositive = compare(arith::CmpFPredicate::OGT, x, zero);
  Value isTowardZero = arith::XOrIOp::create(b, op.loc, isUp, isPositive);
  Value step = select(isTowardZero, constant(APInt::getAllOnes(bits)), constant(APInt(bits, 1)));
  Value next = arith::AddIOp::create(b, op.loc, pattern, step);
  // From zero to the smallest number of y's sign.
  Value sign = arith::AndIOp::create(b, op.loc, arith::BitcastOp::create(b, op.loc, integer, y),
                                     constant(APInt::getSignMask(bits)));
  Value smallest = arith::OrIOp::create(b, op.loc, sign, constant(APInt(bits, 1)));
  next = select(compare(arith::CmpFPredicate::OEQ, x, zero), smallest, next);
  Value result = arith::BitcastOp::create(b, op.loc, op.type, next);
  result = select(compare(arith::CmpFPredicate::OEQ, x, y), y, result);
  Value sum = arith::AddFOp::create(b, op.loc, x, y);
  return select(compare(arith::CmpFPredicate::UNO, x, y), sum, result);
}

void dmc::registerSpecialScalars(llvm::StringMap<ScalarBuilder> &builders) {
  builders["chlo.bessel_i1e"] = buildUnary<&F64::besselI1e>;
  builders["chlo.digamma"] = buildUnary<&F64::digamma>;
  builders["chlo.lgamma"] = buildUnary<&F64::lgamma>;
  builders["chlo.next_after"] = buildNextAfter;
  builders["chlo.polygamma"] = buildBinary<&F64::polygamma>;
  builders["chlo.zeta"] = buildBinary<&F64::zeta>;
}
