//===- ScalarArithmetic.cpp - Arithmetic, comparison and choice -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar forms with StableHLO's semantics: NaN-keeping extremes, total integer
// division and shifts.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace dmc;

/// Float, signed and unsigned form of a binary operation.
template <typename FloatOp, typename SignedOp, typename UnsignedOp>
static Value buildBinary(const ScalarOp &op) {
  if (op.isFloat())
    return FloatOp::create(op.b, op.loc, op[0], op[1]);
  if (op.isUnsigned())
    return UnsignedOp::create(op.b, op.loc, op[0], op[1]);
  return SignedOp::create(op.b, op.loc, op[0], op[1]);
}

template <typename IntegerOp>
static Value buildBitwise(const ScalarOp &op) {
  return IntegerOp::create(op.b, op.loc, op[0], op[1]);
}

static Value compare(const ScalarOp &op, arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpIOp::create(op.b, op.loc, predicate, lhs, rhs);
}

static Value compare(const ScalarOp &op, arith::CmpFPredicate predicate, Value lhs, Value rhs) {
  return arith::CmpFOp::create(op.b, op.loc, predicate, lhs, rhs);
}

static Value select(const ScalarOp &op, Value condition, Value onTrue, Value onFalse) {
  return arith::SelectOp::create(op.b, op.loc, condition, onTrue, onFalse);
}

/// On booleans a sum is or, a product is and.
static Value buildAdd(const ScalarOp &op) {
  if (op.type.isInteger(1))
    return arith::OrIOp::create(op.b, op.loc, op[0], op[1]);
  return buildBinary<arith::AddFOp, arith::AddIOp, arith::AddIOp>(op);
}

static Value buildMultiply(const ScalarOp &op) {
  if (op.type.isInteger(1))
    return arith::AndIOp::create(op.b, op.loc, op[0], op[1]);
  return buildBinary<arith::MulFOp, arith::MulIOp, arith::MulIOp>(op);
}

/// The integer splat that a divisor is, where it is a constant.
static std::optional<APInt> getConstantInteger(Value value) {
  if (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>())
    value = broadcast.getOperand();
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!elements || !elements.isSplat() || !isa<IntegerType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APInt>();
}

/// Integer division is total: x / 0 = -1 (all ones), x % 0 = x, and the smallest
/// integer by -1 is itself, with remainder 0. The operations of arith are not.
template <typename FloatOp, typename SignedOp, typename UnsignedOp, bool isRemainder>
static Value buildDivision(const ScalarOp &op) {
  std::optional<APInt> divisor = getConstantInteger(op.source->getOperand(1));
  bool isSafe = divisor && !divisor->isZero() && !divisor->isAllOnes();
  if (op.isFloat() || isSafe)
    return buildBinary<FloatOp, SignedOp, UnsignedOp>(op);
  Value zero = op.constant(op.type, int64_t(0));
  Value one = op.constant(op.type, APInt(op.type.getIntOrFloatBitWidth(), 1));
  Value allOnes = op.constant(op.type, APInt::getAllOnes(op.type.getIntOrFloatBitWidth()));
  Value isZero = compare(op, arith::CmpIPredicate::eq, op[1], zero);
  Value isTrap = isZero;
  if (!op.isUnsigned()) {
    Value smallest =
        op.constant(op.type, APInt::getSignedMinValue(op.type.getIntOrFloatBitWidth()));
    Value overflows =
        arith::AndIOp::create(op.b, op.loc, compare(op, arith::CmpIPredicate::eq, op[0], smallest),
                              compare(op, arith::CmpIPredicate::eq, op[1], allOnes));
    isTrap = arith::OrIOp::create(op.b, op.loc, isZero, overflows);
  }
  SmallVector<Value> operands = {op[0], select(op, isTrap, one, op[1])};
  Value result =
      buildBinary<FloatOp, SignedOp, UnsignedOp>({op.b, op.loc, op.source, operands, op.type});
  return select(op, isZero, isRemainder ? op[0] : allOnes, result);
}

/// Shifts by the width or more give 0, or the sign.
template <typename ShiftOp>
static Value buildShift(const ScalarOp &op) {
  int64_t bits = op.type.getIntOrFloatBitWidth();
  constexpr bool isArithmetic = std::is_same_v<ShiftOp, arith::ShRSIOp>;
  Value width = op.constant(op.type, bits);
  Value inRange = compare(op, arith::CmpIPredicate::ult, op[1], width);
  Value other = op.constant(op.type, isArithmetic ? bits - 1 : int64_t(0));
  Value amount = select(op, inRange, op[1], other);
  Value shifted = ShiftOp::create(op.b, op.loc, op[0], amount);
  return isArithmetic ? shifted : select(op, inRange, shifted, other);
}

static Value buildNegate(const ScalarOp &op) {
  if (op.isFloat())
    return arith::NegFOp::create(op.b, op.loc, op[0]);
  return arith::SubIOp::create(op.b, op.loc, op.constant(op.type, int64_t(0)), op[0]);
}

static Value buildNot(const ScalarOp &op) {
  Value ones = op.constant(op.type, APInt::getAllOnes(op.type.getIntOrFloatBitWidth()));
  return arith::XOrIOp::create(op.b, op.loc, op[0], ones);
}

static Value buildAbs(const ScalarOp &op) {
  if (op.isFloat())
    return math::AbsFOp::create(op.b, op.loc, op[0]);
  if (op.isUnsigned())
    return op[0];
  return math::AbsIOp::create(op.b, op.loc, op[0]);
}

/// Keeps -0 and NaN.
static Value buildSign(const ScalarOp &op) {
  Value zero = op.constant(op.type, int64_t(0));
  Value one = op.constant(op.type, int64_t(1));
  if (op.isFloat()) {
    Value sign = math::CopySignOp::create(op.b, op.loc, one, op[0]);
    Value isOrdinary = compare(op, arith::CmpFPredicate::ONE, op[0], zero);
    return select(op, isOrdinary, sign, op[0]);
  }
  if (op.isUnsigned())
    return arith::MinUIOp::create(op.b, op.loc, op[0], one);
  Value atMostOne = arith::MinSIOp::create(op.b, op.loc, op[0], one);
  return arith::MaxSIOp::create(op.b, op.loc, atMostOne, op.constant(op.type, int64_t(-1)));
}

static Value buildPower(const ScalarOp &op) {
  if (op.isFloat())
    return math::PowFOp::create(op.b, op.loc, op[0], op[1]);
  // By squaring over the exponent's bits. A negative exponent leaves 0 but for
  // the bases 1 and -1, whose powers the bits give as they are.
  unsigned bits = op.type.getIntOrFloatBitWidth();
  Value zero = op.constant(op.type, int64_t(0)), one = op.constant(op.type, APInt(bits, 1));
  Value result = one, square = op[0], exponent = op[1];
  for (unsigned bit = 0; bit < bits; ++bit) {
    Value isSet = compare(op, arith::CmpIPredicate::ne,
                          arith::AndIOp::create(op.b, op.loc, exponent, one), zero);
    Value product = arith::MulIOp::create(op.b, op.loc, result, square);
    result = select(op, isSet, product, result);
    if (bit + 1 == bits)
      break;
    square = arith::MulIOp::create(op.b, op.loc, square, square);
    exponent = arith::ShRUIOp::create(op.b, op.loc, exponent, one);
  }
  if (op.isUnsigned())
    return result;
  Value allOnes = op.constant(op.type, APInt::getAllOnes(bits));
  Value isUnit =
      arith::OrIOp::create(op.b, op.loc, compare(op, arith::CmpIPredicate::eq, op[0], one),
                           compare(op, arith::CmpIPredicate::eq, op[0], allOnes));
  Value vanishes = arith::AndIOp::create(
      op.b, op.loc, compare(op, arith::CmpIPredicate::slt, op[1], zero),
      arith::XOrIOp::create(op.b, op.loc, isUnit, op.constant(op.b.getI1Type(), APInt(1, 1))));
  return select(op, vanishes, zero, result);
}

static Value buildClamp(const ScalarOp &op) {
  SmallVector<Value> lower = {op[1], op[0]};
  Value raised = buildBinary<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(
      {op.b, op.loc, op.source, lower, op.type});
  SmallVector<Value> upper = {raised, op[2]};
  return buildBinary<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(
      {op.b, op.loc, op.source, upper, op.type});
}

static Value buildSelect(const ScalarOp &op) { return select(op, op[0], op[1], op[2]); }

/// The bits as an integer, those of negative numbers flipped but for the sign.
Value dmc::buildTotalOrderKey(OpBuilder &b, Location loc, Value value) {
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(integer, value));
  };
  Value pattern = arith::BitcastOp::create(b, loc, integer, value);
  Value sign = arith::ShRSIOp::create(b, loc, pattern, constant(APInt(bits, bits - 1)));
  Value flip = arith::AndIOp::create(b, loc, sign, constant(APInt::getSignedMaxValue(bits)));
  return arith::XOrIOp::create(b, loc, pattern, flip);
}

static Value buildCompare(const ScalarOp &op) {
  using Direction = stablehlo::ComparisonDirection;
  auto source = cast<stablehlo::CompareOp>(op.source);
  Direction direction = source.getComparisonDirection();
  Value lhs = op[0], rhs = op[1];
  bool isTotal = source.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  if (op.isFloat() && !isTotal) {
    static constexpr arith::CmpFPredicate predicates[] = {
        arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE, arith::CmpFPredicate::OGE,
        arith::CmpFPredicate::OGT, arith::CmpFPredicate::OLE, arith::CmpFPredicate::OLT};
    return compare(op, predicates[static_cast<unsigned>(direction)], lhs, rhs);
  }
  if (isTotal) {
    lhs = buildTotalOrderKey(op.b, op.loc, lhs);
    rhs = buildTotalOrderKey(op.b, op.loc, rhs);
  }
  static constexpr arith::CmpIPredicate signedPredicates[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,  arith::CmpIPredicate::sge,
      arith::CmpIPredicate::sgt, arith::CmpIPredicate::sle, arith::CmpIPredicate::slt};
  static constexpr arith::CmpIPredicate unsignedPredicates[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,  arith::CmpIPredicate::uge,
      arith::CmpIPredicate::ugt, arith::CmpIPredicate::ule, arith::CmpIPredicate::ult};
  bool useUnsigned = !isTotal && op.isUnsigned();
  return compare(
      op, (useUnsigned ? unsignedPredicates : signedPredicates)[static_cast<unsigned>(direction)],
      lhs, rhs);
}

static Value buildIsFinite(const ScalarOp &op) {
  Value magnitude = math::AbsFOp::create(op.b, op.loc, op[0]);
  Value infinity = op.constant(op[0].getType(), std::numeric_limits<double>::infinity());
  return compare(op, arith::CmpFPredicate::OLT, magnitude, infinity);
}

/// The upper half of a product: of 64 bits by the school's method on halves.
static Value buildMulhi(const ScalarOp &op) {
  OpBuilder &b = op.b;
  unsigned bits = op.type.getIntOrFloatBitWidth();
  Type wide = b.getI64Type();
  auto shift = [&](Value value, unsigned count) -> Value {
    return arith::ShRUIOp::create(b, op.loc, value, op.constant(wide, int64_t(count)));
  };
  auto add = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, op.loc, x, y); };
  auto multiply = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, op.loc, x, y); };
  if (bits < 64) {
    Value product = multiply(castScalar(b, op.loc, op[0], wide, op.isUnsigned()),
                             castScalar(b, op.loc, op[1], wide, op.isUnsigned()));
    return castScalar(b, op.loc, shift(product, bits), op.type, true);
  }
  Value mask = op.constant(wide, int64_t(0xffffffff));
  auto low = [&](Value x) -> Value { return arith::AndIOp::create(b, op.loc, x, mask); };
  auto high = [&](Value x) { return shift(x, 32); };
  Value carried = high(multiply(low(op[0]), low(op[1])));
  Value first = add(multiply(high(op[0]), low(op[1])), carried);
  Value second = add(multiply(low(op[0]), high(op[1])), low(first));
  Value result = add(multiply(high(op[0]), high(op[1])), add(high(first), high(second)));
  if (op.isUnsigned())
    return result;
  // A negative factor stands for itself plus 2^64.
  Value zero = op.constant(wide, int64_t(0));
  for (unsigned i = 0; i < 2; ++i) {
    Value isNegative = compare(op, arith::CmpIPredicate::slt, op[i], zero);
    Value excess = select(op, isNegative, op[1 - i], zero);
    result = arith::SubIOp::create(b, op.loc, result, excess);
  }
  return result;
}

static Value buildSquare(const ScalarOp &op) {
  if (op.isFloat())
    return arith::MulFOp::create(op.b, op.loc, op[0], op[0]);
  return arith::MulIOp::create(op.b, op.loc, op[0], op[0]);
}

/// Equality with an infinity; of the magnitude where the sign does not matter.
template <bool isMagnitude, bool isNegative>
static Value buildIsInfinite(const ScalarOp &op) {
  Value value = isMagnitude ? Value(math::AbsFOp::create(op.b, op.loc, op[0])) : op[0];
  double infinity = std::numeric_limits<double>::infinity();
  return compare(op, arith::CmpFPredicate::OEQ, value,
                 op.constant(value.getType(), isNegative ? -infinity : infinity));
}

void dmc::registerArithmeticScalars(llvm::StringMap<ScalarBuilder> &builders) {
  builders["chlo.is_inf"] = buildIsInfinite<true, false>;
  builders["chlo.is_neg_inf"] = buildIsInfinite<false, true>;
  builders["chlo.is_pos_inf"] = buildIsInfinite<false, false>;
  builders["chlo.mulhi"] = buildMulhi;
  builders["chlo.square"] = buildSquare;
  builders["stablehlo.abs"] = buildAbs;
  builders["stablehlo.add"] = buildAdd;
  builders["stablehlo.and"] = buildBitwise<arith::AndIOp>;
  builders["stablehlo.clamp"] = buildClamp;
  builders["stablehlo.compare"] = buildCompare;
  builders["stablehlo.divide"] =
      buildDivision<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, false>;
  builders["stablehlo.is_finite"] = buildIsFinite;
  builders["stablehlo.maximum"] = buildBinary<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>;
  builders["stablehlo.minimum"] = buildBinary<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>;
  builders["stablehlo.multiply"] = buildMultiply;
  builders["stablehlo.negate"] = buildNegate;
  builders["stablehlo.not"] = buildNot;
  builders["stablehlo.or"] = buildBitwise<arith::OrIOp>;
  builders["stablehlo.power"] = buildPower;
  builders["stablehlo.remainder"] =
      buildDivision<arith::RemFOp, arith::RemSIOp, arith::RemUIOp, true>;
  builders["stablehlo.select"] = buildSelect;
  builders["stablehlo.shift_left"] = buildShift<arith::ShLIOp>;
  builders["stablehlo.shift_right_arithmetic"] = buildShift<arith::ShRSIOp>;
  builders["stablehlo.shift_right_logical"] = buildShift<arith::ShRUIOp>;
  builders["stablehlo.sign"] = buildSign;
  builders["stablehlo.subtract"] = buildBinary<arith::SubFOp, arith::SubIOp, arith::SubIOp>;
  builders["stablehlo.xor"] = buildBitwise<arith::XOrIOp>;
}
