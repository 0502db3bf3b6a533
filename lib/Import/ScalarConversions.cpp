//===- ScalarConversions.cpp - Conversions between element types ----------===//
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

static Value buildReducePrecision(const ScalarOp &op) {
  auto source = cast<stablehlo::ReducePrecisionOp>(op.source);
  auto type = cast<FloatType>(op.type);
  auto matches = [&](FloatType format, unsigned exponentBits) {
    return source.getExponentBits() == exponentBits &&
           source.getMantissaBits() == format.getFPMantissaWidth() - 1;
  };
  struct Candidate {
    FloatType format;
    unsigned exponentBits;
  };
  Candidate candidates[] = {{op.b.getF64Type(), 11},
                            {op.b.getF32Type(), 8},
                            {op.b.getF16Type(), 5},
                            {op.b.getBF16Type(), 8}};
  for (Candidate &candidate : candidates) {
    if (!matches(candidate.format, candidate.exponentBits))
      continue;
    // A format that holds the type loses nothing.
    if (candidate.format.getWidth() > type.getWidth() || candidate.format == type)
      return op[0];
    Value rounded = castScalar(op.b, op.loc, op[0], candidate.format, false);
    return castScalar(op.b, op.loc, rounded, type, false);
  }
  unsupported(op.source) << "to " << source.getExponentBits() << " bits of exponent and "
                         << source.getMantissaBits()
                         << " of mantissa; expected the format of f16, bf16, f32 or f64";
  return {};
}

static Value buildBitcast(const ScalarOp &op) {
  if (op[0].getType() == op.type)
    return op[0];
  if (op[0].getType().getIntOrFloatBitWidth() != op.type.getIntOrFloatBitWidth()) {
    unsupported(op.source) << "between element types of different width, "
                           << op.source->getOperand(0).getType() << " and "
                           << op.source->getResult(0).getType();
    return {};
  }
  return arith::BitcastOp::create(op.b, op.loc, op.type, op[0]);
}

void dmc::registerConversionScalars(llvm::StringMap<ScalarBuilder> &builders) {
  builders["stablehlo.bitcast_convert"] = buildBitcast;
  builders["stablehlo.convert"] = buildConvert;
  builders["stablehlo.reduce_precision"] = buildReducePrecision;
}
