//===- ScalarConversions.cpp - Conversions between element types ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion by value (floats to integers saturate, NaN becomes 0), by bits, and
// rounding to a narrower format.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace dmc;

Value dmc::castScalar(OpBuilder &b, Location loc, Value value, Type type, bool isUnsigned) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (isa<FloatType>(from) && isa<FloatType>(type)) {
    unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = type.getIntOrFloatBitWidth();
    // f16 and bf16: neither holds the other.
    if (fromBits == toBits) {
      value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
      return arith::TruncFOp::create(b, loc, type, value);
    }
    if (fromBits < toBits)
      return arith::ExtFOp::create(b, loc, type, value);
    return arith::TruncFOp::create(b, loc, type, value);
  }
  if (isa<IntegerType>(from) && isa<FloatType>(type)) {
    if (isUnsigned)
      return arith::UIToFPOp::create(b, loc, type, value);
    return arith::SIToFPOp::create(b, loc, type, value);
  }
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, loc, type, value);
  if (isUnsigned)
    return arith::ExtUIOp::create(b, loc, type, value);
  return arith::ExtSIOp::create(b, loc, type, value);
}

/// arith's conversion is undefined out of range, so out of range values are
/// chosen around it.
static Value buildFloatToInteger(const ScalarOp &op, bool toUnsigned) {
  OpBuilder &b = op.b;
  Type from = op[0].getType();
  unsigned bits = op.type.getIntOrFloatBitWidth();
  auto compare = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(b, op.loc, predicate, op[0], op.constant(from, bound));
  };
  // The bounds are powers of two (or -1): exact in every format that has them in
  // range, infinite in others. Both compare right, since equality saturates too.
  double low = toUnsigned ? -1.0 : -std::ldexp(1.0, bits - 1);
  Value tooLarge =
      compare(arith::CmpFPredicate::OGE, std::ldexp(1.0, toUnsigned ? bits : bits - 1));
  Value tooSmall = compare(arith::CmpFPredicate::OLE, low);
  Value isNaN = arith::CmpFOp::create(b, op.loc, arith::CmpFPredicate::UNO, op[0], op[0]);
  Value isOut =
      arith::OrIOp::create(b, op.loc, isNaN, arith::OrIOp::create(b, op.loc, tooLarge, tooSmall));
  Value safe = arith::SelectOp::create(b, op.loc, isOut, op.constant(from, 0.0), op[0]);
  Value converted = toUnsigned ? Value(arith::FPToUIOp::create(b, op.loc, op.type, safe))
                               : Value(arith::FPToSIOp::create(b, op.loc, op.type, safe));
  APInt largest = toUnsigned ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits);
  Value result =
      arith::SelectOp::create(b, op.loc, tooLarge, op.constant(op.type, largest), converted);
  // Of an unsigned type the smallest is 0, which `safe` has given.
  if (toUnsigned)
    return result;
  Value smallest = op.constant(op.type, APInt::getSignedMinValue(bits));
  return arith::SelectOp::create(b, op.loc, tooSmall, smallest, result);
}

static Value buildConvert(const ScalarOp &op) {
  Type from = op.sourceType(0);
  Type to = getElementTypeOrSelf(op.source->getResult(0).getType());
  if (to.isInteger(1)) {
    if (op.isFloat())
      return arith::CmpFOp::create(op.b, op.loc, arith::CmpFPredicate::UNE, op[0],
                                   op.constant(op[0].getType(), 0.0));
    if (from.isInteger(1))
      return op[0];
    return arith::CmpIOp::create(op.b, op.loc, arith::CmpIPredicate::ne, op[0],
                                 op.constant(op[0].getType(), int64_t(0)));
  }
  if (op.isFloat() && isa<IntegerType>(op.type))
    return buildFloatToInteger(op, isUnsigned(to));
  return castScalar(op.b, op.loc, op[0], op.type, isUnsigned(from));
}

/// Rounds to nearest even among the numbers of the narrower format, on the bits.
/// What it cannot hold becomes infinity, what is below its normal numbers zero.
static Value buildReducePrecision(const ScalarOp &op) {
  OpBuilder &b = op.b;
  auto source = cast<stablehlo::ReducePrecisionOp>(op.source);
  const llvm::fltSemantics &semantics = cast<FloatType>(op.type).getFloatSemantics();
  unsigned bits = op.type.getIntOrFloatBitWidth();
  unsigned mantissaBits = llvm::APFloat::semanticsPrecision(semantics) - 1;
  unsigned exponentBits = bits - 1 - mantissaBits;
  unsigned toMantissa = std::min<unsigned>(source.getMantissaBits(), mantissaBits);
  unsigned toExponent = std::min<unsigned>(source.getExponentBits(), exponentBits);
  if (toMantissa == mantissaBits && toExponent == exponentBits)
    return op[0];
  // Of these two only the mantissa differs: conversions say it shorter.
  if (op.type.isF32() && toExponent == 8 && toMantissa == 7) {
    Value rounded = arith::TruncFOp::create(b, op.loc, b.getBF16Type(), op[0]);
    return arith::ExtFOp::create(b, op.loc, op.type, rounded);
  }

  Type integer = b.getIntegerType(bits);
  auto constant = [&](const APInt &value) { return op.constant(integer, value); };
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(b, op.loc, predicate, lhs, rhs);
  };
  Value pattern = arith::BitcastOp::create(b, op.loc, integer, op[0]);
  Value result = pattern;
  if (unsigned dropped = mantissaBits - toMantissa) {
    APInt last = APInt::getOneBitSet(bits, dropped);
    Value isOdd = arith::AndIOp::create(
        b, op.loc, arith::ShRUIOp::create(b, op.loc, pattern, constant(APInt(bits, dropped))),
        constant(APInt(bits, 1)));
    Value bias = arith::AddIOp::create(b, op.loc, isOdd, constant(last.lshr(1) - 1));
    Value rounded = arith::AddIOp::create(b, op.loc, pattern, bias);
    result = arith::AndIOp::create(b, op.loc, rounded, constant(~(last - 1)));
  }
  APInt exponentMask = APInt::getBitsSet(bits, mantissaBits, bits - 1);
  if (toExponent < exponentBits) {
    APInt bias = APInt::getLowBitsSet(bits, exponentBits - 1);
    APInt toBias = APInt::getLowBitsSet(bits, toExponent - 1);
    Value exponent = arith::AndIOp::create(b, op.loc, result, constant(exponentMask));
    Value sign = arith::AndIOp::create(b, op.loc, result, constant(APInt::getSignMask(bits)));
    Value infinity = arith::OrIOp::create(b, op.loc, sign, constant(exponentMask));
    Value overflows =
        compare(arith::CmpIPredicate::ugt, exponent, constant((bias + toBias).shl(mantissaBits)));
    Value underflows =
        compare(arith::CmpIPredicate::ule, exponent, constant((bias - toBias).shl(mantissaBits)));
    result = arith::SelectOp::create(b, op.loc, overflows, infinity, result);
    result = arith::SelectOp::create(b, op.loc, underflows, sign, result);
  }
  Value number = arith::BitcastOp::create(b, op.loc, op.type, result);
  Value isNaN = arith::CmpFOp::create(b, op.loc, arith::CmpFPredicate::UNO, op[0], op[0]);
  return arith::SelectOp::create(b, op.loc, isNaN, op[0], number);
}

static Value buildBitcast(const ScalarOp &op) {
  if (op[0].getType() == op.type)
    return op[0];
  return arith::BitcastOp::create(op.b, op.loc, op.type, op[0]);
}

void dmc::registerConversionScalars(llvm::StringMap<ScalarBuilder> &builders) {
  builders["stablehlo.bitcast_convert"] = buildBitcast;
  builders["stablehlo.convert"] = buildConvert;
  builders["stablehlo.reduce_precision"] = buildReducePrecision;
}
