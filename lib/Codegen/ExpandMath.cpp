//===- ExpandMath.cpp - Mathematical functions that vectorize -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, tanh and erf of f32 as arithmetic within about two units in the last
// place; library functions would keep their loops scalar. Coefficients of exp
// and tanh are those of Cephes, of erf near zero those of fdlibm.
//
//===----------------------------------------------------------------------===//

#include "ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace dmc;

namespace {

/// f32 arithmetic. Products may fuse into sums; nothing else is reordered, since
/// the reductions of the argument depend on rounding.
struct F32 {
  ImplicitLocOpBuilder b;

  Value number(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(static_cast<float>(value)));
  }
  Value integer(int32_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  /// x * y + z, fused where the processor can.
  Value multiplyAdd(Value x, Value y, Value z) {
    Value product = arith::MulFOp::create(b, x, y, arith::FastMathFlags::contract);
    return arith::AddFOp::create(b, product, z, arith::FastMathFlags::contract);
  }
  /// Coefficients from the highest degree down.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.front());
    for (double next : coefficients.drop_front())
      sum = multiplyAdd(sum, x, number(next));
    return sum;
  }
  /// x within bounds; NaN stays.
  Value clamp(Value x, double lo, double hi) {
    auto bound = [&](arith::CmpFPredicate predicate, double limit) {
      Value beyond = arith::CmpFOp::create(b, predicate, x, number(limit));
      x = arith::SelectOp::create(b, beyond, number(limit), x);
    };
    bound(arith::CmpFPredicate::OLT, lo);
    bound(arith::CmpFPredicate::OGT, hi);
    return x;
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, b.getI32Type(), x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, b.getF32Type(), x); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }

  /// 2 to an integer between -126 and 127.
  Value powerOfTwo(Value exponent) {
    Value biased = arith::AddIOp::create(b, exponent, integer(127));
    return fromBits(arith::ShLIOp::create(b, biased, integer(23)));
  }

  /// e^x = y * 2^exponent, with y between 0.7 and 1.5; |x| at most 104.
  std::pair<Value, Value> expParts(Value x) {
    // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits; a
    // conversion would be undefined on NaN.
    constexpr double magic = 12582912.0;
    Value shifted = add(mul(x, number(1.44269504088896341)), number(magic));
    Value n = sub(shifted, number(magic));
    Value exponent = arith::SubIOp::create(b, bits(shifted), bits(number(magic)));
    // ln 2 in two parts: n times the first is exact.
    Value r = multiplyAdd(n, number(-0.693359375), x);
    r = multiplyAdd(n, number(2.12194440e-4), r);
    Value y = polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                             1.6666665459e-1, 5.0000001201e-1});
    return {add(multiplyAdd(y, mul(r, r), r), number(1.0)), exponent};
  }

  Value exp(Value x) {
    auto [y, exponent] = expParts(clamp(x, -104.0, 89.0));
    // Two factors: one alone would overflow before the result does.
    Value half = arith::ShRSIOp::create(b, exponent, integer(1));
    Value rest = arith::SubIOp::create(b, exponent, half);
    return mul(mul(y, powerOfTwo(half)), powerOfTwo(rest));
  }

  /// Of x between -80 and 80, where the result is a normal number: one factor is enough.
  Value expOfModerate(Value x) {
    auto [y, exponent] = expParts(x);
    return mul(y, powerOfTwo(exponent));
  }

  Value tanh(Value x) {
    Value magnitude = abs(x);
    Value square = mul(x, x);
    Value small = polynomial(square, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                                      1.33314422036e-1, -3.33332819422e-1});
    small = multiplyAdd(mul(small, square), x, x);
    // From 10 on the result rounds to 1.
    Value power = expOfModerate(clamp(add(magnitude, magnitude), 0.0, 20.0));
    Value large = sub(number(1.0), div(number(2.0), add(power, number(1.0))));
    return pick(x, 0.625, small, large);
  }

  Value erf(Value x) {
    // Near zero x + x * P(x^2) / Q(x^2), else 1 - erfc.
    Value square = mul(x, x);
    Value above = polynomial(square, {-2.37630166566501626e-5, -5.77027029648944159e-3,
                                      -2.84817495755985105e-2, -3.25042107247001499e-1,
                                      1.28379167095512559e-1});
    Value below =
        polynomial(square, {-3.96022827877536812e-6, 1.32494738004321645e-4, 5.08130628187576563e-3,
                            6.50222499887672944e-2, 3.97917223959155353e-1, 1.0});
    Value small = multiplyAdd(x, div(above, below), x);
    Value magnitude = clamp(abs(x), 0.0, 4.0);
    Value s = div(number(1.0), multiplyAdd(magnitude, number(0.5), number(1.0)));
    Value tail = polynomial(s, {0.0182792338, 0.0362299136, -0.307125515, 0.379747603, 0.0235213989,
                                0.291987777, 0.274842329, 0.282587617});
    Value minusSquare = mul(magnitude, sub(number(0.0), magnitude));
    Value large = sub(number(1.0), mul(mul(tail, s), expOfModerate(minusSquare)));
    return pick(x, 0.84375, small, large);
  }

  /// One of two values by the magnitude of x, with the sign of x.
  Value pick(Value x, double limit, Value below, Value above) {
    Value isBelow = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, abs(x), number(limit));
    return math::CopySignOp::create(b, arith::SelectOp::create(b, isBelow, below, above), x);
  }
};

} // namespace

void codegen::expandMath(ModuleOp module) {
  SmallVector<Operation *> work;
  module.walk([&](Operation *op) {
    if (isa<math::ExpOp, math::TanhOp, math::ErfOp>(op) && op->getResult(0).getType().isF32())
      work.push_back(op);
  });
  for (Operation *op : work) {
    F32 f{ImplicitLocOpBuilder(op->getLoc(), op)};
    Value x = op->getOperand(0);
    Value result = isa<math::ExpOp>(op) ? f.exp(x) : isa<math::TanhOp>(op) ? f.tanh(x) : f.erf(x);
    op->replaceAllUsesWith(ValueRange(result));
    op->erase();
  }
}
