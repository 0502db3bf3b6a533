//===- ScalarFunctions.cpp - Functions of floats, and bit counts ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar forms that the math dialect has under another name.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace dmc;

template <typename MathOp>
static Value buildUnary(const ScalarOp &op) {
  return MathOp::create(op.b, op.loc, op[0]);
}

static Value buildAtan2(const ScalarOp &op) {
  return math::Atan2Op::create(op.b, op.loc, op[0], op[1]);
}

/// 1 / (1 + exp(-x))
static Value buildLogistic(const ScalarOp &op) {
  Value one = op.constant(op.type, int64_t(1));
  Value negated = arith::NegFOp::create(op.b, op.loc, op[0]);
  Value exponential = math::ExpOp::create(op.b, op.loc, negated);
  Value denominator = arith::AddFOp::create(op.b, op.loc, one, exponential);
  return arith::DivFOp::create(op.b, op.loc, one, denominator);
}

/// Two polynomials in w = -log(1 - x^2), for the middle and for the tails (Giles,
/// "Approximating the erfinv function"); accurate to single precision.
static Value buildErfInv(const ScalarOp &op) {
  OpBuilder &b = op.b;
  if (op.type.isF64())
    return buildDoubleErfInv(op);
  Type type = b.getF32Type();
  Value x = castScalar(b, op.loc, op[0], type, false);
  auto constant = [&](double value) { return op.constant(type, value); };
  auto evaluate = [&](Value w, ArrayRef<double> coefficients) {
    Value result = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      result = arith::AddFOp::create(b, op.loc, arith::MulFOp::create(b, op.loc, result, w),
                                     constant(coefficient));
    return result;
  };
  // 1 - x^2 as a product: towards one its factors are exact.
  Value one = constant(1.0), magnitude = math::AbsFOp::create(b, op.loc, x);
  Value product = arith::MulFOp::create(b, op.loc, arith::SubFOp::create(b, op.loc, one, magnitude),
                                        arith::AddFOp::create(b, op.loc, one, magnitude));
  Value w = arith::NegFOp::create(b, op.loc, math::LogOp::create(b, op.loc, product));
  Value isMiddle = arith::CmpFOp::create(b, op.loc, arith::CmpFPredicate::OLT, w, constant(5.0));
  Value middle = evaluate(arith::SubFOp::create(b, op.loc, w, constant(2.5)),
                          {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
                           0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  Value root = math::SqrtOp::create(b, op.loc, w);
  Value tail = evaluate(arith::SubFOp::create(b, op.loc, root, constant(3.0)),
                        {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
                         0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  Value factor = arith::SelectOp::create(b, op.loc, isMiddle, middle, tail);
  // At the ends the polynomial of an infinity is NaN.
  Value isEnd = arith::CmpFOp::create(b, op.loc, arith::CmpFPredicate::OEQ, magnitude, one);
  factor = arith::SelectOp::create(b, op.loc, isEnd,
                                   constant(std::numeric_limits<double>::infinity()), factor);
  return castScalar(b, op.loc, arith::MulFOp::create(b, op.loc, factor, x), op.type, false);
}

void dmc::registerFunctionScalars(llvm::StringMap<ScalarBuilder> &builders) {
  builders["chlo.acos"] = buildUnary<math::AcosOp>;
  builders["chlo.acosh"] = buildUnary<math::AcoshOp>;
  builders["chlo.asin"] = buildUnary<math::AsinOp>;
  builders["chlo.asinh"] = buildUnary<math::AsinhOp>;
  builders["chlo.atan"] = buildUnary<math::AtanOp>;
  builders["chlo.atanh"] = buildUnary<math::AtanhOp>;
  builders["chlo.cosh"] = buildUnary<math::CoshOp>;
  builders["chlo.erf"] = buildUnary<math::ErfOp>;
  builders["chlo.erf_inv"] = buildErfInv;
  builders["chlo.erfc"] = buildUnary<math::ErfcOp>;
  builders["chlo.sinh"] = buildUnary<math::SinhOp>;
  builders["chlo.tan"] = buildUnary<math::TanOp>;
  builders["stablehlo.atan2"] = buildAtan2;
  builders["stablehlo.cbrt"] = buildUnary<math::CbrtOp>;
  builders["stablehlo.ceil"] = buildUnary<math::CeilOp>;
  builders["stablehlo.cosine"] = buildUnary<math::CosOp>;
  builders["stablehlo.count_leading_zeros"] = buildUnary<math::CountLeadingZerosOp>;
  builders["stablehlo.exponential"] = buildUnary<math::ExpOp>;
  builders["stablehlo.exponential_minus_one"] = buildUnary<math::ExpM1Op>;
  builders["stablehlo.floor"] = buildUnary<math::FloorOp>;
  builders["stablehlo.log"] = buildUnary<math::LogOp>;
  builders["stablehlo.log_plus_one"] = buildUnary<math::Log1pOp>;
  builders["stablehlo.logistic"] = buildLogistic;
  builders["stablehlo.popcnt"] = buildUnary<math::CtPopOp>;
  builders["stablehlo.round_nearest_afz"] = buildUnary<math::RoundOp>;
  builders["stablehlo.round_nearest_even"] = buildUnary<math::RoundEvenOp>;
  builders["stablehlo.rsqrt"] = buildUnary<math::RsqrtOp>;
  builders["stablehlo.sine"] = buildUnary<math::SinOp>;
  builders["stablehlo.sqrt"] = buildUnary<math::SqrtOp>;
  builders["stablehlo.tan"] = buildUnary<math::TanOp>;
  builders["stablehlo.tanh"] = buildUnary<math::TanhOp>;
}
