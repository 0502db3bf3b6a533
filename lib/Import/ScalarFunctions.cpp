//===- ScalarFunctions.cpp - Functions of floats, and bit counts ----------===//
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

void dmc::registerFunctionScalars(llvm::StringMap<ScalarBuilder> &builders) {
  builders["chlo.acos"] = buildUnary<math::AcosOp>;
  builders["chlo.acosh"] = buildUnary<math::AcoshOp>;
  builders["chlo.asin"] = buildUnary<math::AsinOp>;
  builders["chlo.asinh"] = buildUnary<math::AsinhOp>;
  builders["chlo.atan"] = buildUnary<math::AtanOp>;
  builders["chlo.atanh"] = buildUnary<math::AtanhOp>;
  builders["chlo.cosh"] = buildUnary<math::CoshOp>;
  builders["chlo.erf"] = buildUnary<math::ErfOp>;
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
