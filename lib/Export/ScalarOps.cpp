//===- ScalarOps.cpp - Scalars of arith and math in StableHLO -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise, in the shape in which the writer computes scalars. Integers of arith
// have no sign: operations that read one convert to unsigned types and back.
//
//===----------------------------------------------------------------------===//
#include "RankWriter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using stablehlo::ComparisonDirection;

/// Operations with the same meaning in StableHLO.
static StringRef getSameName(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"arith.addf", "arith.addi"}, "stablehlo.add")
      .Cases({"arith.subf", "arith.subi"}, "stablehlo.subtract")
      .Cases({"arith.mulf", "arith.muli"}, "stablehlo.multiply")
      .Cases({"arith.divf", "arith.divsi"}, "stablehlo.divide")
      .Cases({"arith.remf", "arith.remsi"}, "stablehlo.remainder")
      .Cases({"arith.maximumf", "arith.maxsi"}, "stablehlo.maximum")
      .Cases({"arith.minimumf", "arith.minsi"}, "stablehlo.minimum")
      .Case("arith.negf", "stablehlo.negate")
      .Case("arith.andi", "stablehlo.and")
      .Case("arith.ori", "stablehlo.or")
      .Case("arith.xori", "stablehlo.xor")
      .Case("arith.shli", "stablehlo.shift_left")
      .Case("arith.shrsi", "stablehlo.shift_right_arithmetic")
      .Case("arith.shrui", "stablehlo.shift_right_logical")
      .Cases({"math.absf", "math.absi"}, "stablehlo.abs")
      .Case("math.acos", "chlo.acos")
      .Case("math.acosh", "chlo.acosh")
      .Case("math.asin", "chlo.asin")
      .Case("math.asinh", "chlo.asinh")
      .Case("math.atan", "chlo.atan")
      .Case("math.atan2", "stablehlo.atan2")
      .Case("math.atanh", "chlo.atanh")
      .Case("math.cbrt", "stablehlo.cbrt")
      .Case("math.ceil", "stablehlo.ceil")
      .Case("math.cos", "stablehlo.cosine")
      .Case("math.cosh", "chlo.cosh")
      .Case("math.ctlz", "stablehlo.count_leading_zeros")
      .Case("math.ctpop", "stablehlo.popcnt")
      .Case("math.erf", "chlo.erf")
      .Case("math.erfc", "chlo.erfc")
      .Case("math.exp", "stablehlo.exponential")
      .Case("math.expm1", "stablehlo.exponential_minus_one")
      .Case("math.floor", "stablehlo.floor")
      .Cases({"math.ipowi", "math.powf"}, "stablehlo.power")
      .Case("math.log", "stablehlo.log")
      .Case("math.log1p", "stablehlo.log_plus_one")
      .Case("math.round", "stablehlo.round_nearest_afz")
      .Case("math.roundeven", "stablehlo.round_nearest_even")
      .Case("math.rsqrt", "stablehlo.rsqrt")
      .Case("math.sin", "stablehlo.sine")
      .Case("math.sinh", "chlo.sinh")
      .Case("math.sqrt", "stablehlo.sqrt")
      .Case("math.tan", "stablehlo.tan")
      .Case("math.tanh", "stablehlo.tanh")
      .Default("");
}

/// Those of booleans, which arith takes for integers of one bit whose set value is -1.
static StringRef getBooleanName(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"arith.addi", "arith.subi", "arith.xori"}, "stablehlo.xor")
      .Cases({"arith.andi", "arith.maxsi", "arith.minui", "arith.muli"}, "stablehlo.and")
      .Cases({"arith.ori", "arith.maxui", "arith.minsi"}, "stablehlo.or")
      .Default("");
}

/// Those of unsigned integers.
static StringRef getUnsignedName(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"arith.divui", "arith.floordivui"}, "stablehlo.divide")
      .Case("arith.remui", "stablehlo.remainder")
      .Case("arith.maxui", "stablehlo.maximum")
      .Case("arith.minui", "stablehlo.minimum")
      .Default("");
}

static Value isNotEqual(RankWriter &b, Value x, Value y) {
  return b.compare(x, y, ComparisonDirection::NE);
}

/// True where neither operand is NaN.
static Value areOrdered(RankWriter &b, Value x, Value y) {
  Value isX = b.compare(x, x, ComparisonDirection::EQ);
  return b.make("stablehlo.and", {isX, b.compare(y, y, ComparisonDirection::EQ)});
}

static Value compareFloats(RankWriter &b, arith::CmpFPredicate predicate, Value x, Value y) {
  using P = arith::CmpFPredicate;
  using D = ComparisonDirection;
  auto negated = [&](D direction) { return b.make("stablehlo.not", {b.compare(x, y, direction)}); };
  auto type = RankedTensorType::get(tensorOf(x).getShape(), b.getI1Type());
  switch (predicate) {
  case P::AlwaysFalse:
    return b.makeInteger(0, type);
  case P::AlwaysTrue:
    return b.makeConstant(b.getBoolAttr(true), type);
  case P::OEQ:
    return b.compare(x, y, D::EQ);
  case P::OGT:
    return b.compare(x, y, D::GT);
  case P::OGE:
    return b.compare(x, y, D::GE);
  case P::OLT:
    return b.compare(x, y, D::LT);
  case P::OLE:
    return b.compare(x, y, D::LE);
  case P::ONE:
    return b.make("stablehlo.and", {isNotEqual(b, x, y), areOrdered(b, x, y)});
  case P::ORD:
    return areOrdered(b, x, y);
  case P::UEQ: {
    Value isUnordered = b.make("stablehlo.not", {areOrdered(b, x, y)});
    return b.make("stablehlo.or", {b.compare(x, y, D::EQ), isUnordered});
  }
  case P::UGT:
    return negated(D::LE);
  case P::UGE:
    return negated(D::LT);
  case P::ULT:
    return negated(D::GE);
  case P::ULE:
    return negated(D::GT);
  case P::UNE:
    return isNotEqual(b, x, y);
  case P::UNO:
    return b.make("stablehlo.not", {areOrdered(b, x, y)});
  }
  llvm_unreachable("all predicates are listed");
}

static Value compareIntegers(RankWriter &b, arith::CmpIPredicate predicate, Value x, Value y) {
  using P = arith::CmpIPredicate;
  using D = ComparisonDirection;
  bool isBoolean = tensorOf(x).getElementType().isInteger(1);
  bool isUnsigned = predicate >= P::ult;
  // A set bit is -1 where it has a sign.
  if (isBoolean && !isUnsigned && predicate != P::eq && predicate != P::ne)
    std::swap(x, y);
  if (isUnsigned) {
    x = b.toUnsigned(x);
    y = b.toUnsigned(y);
  }
  switch (predicate) {
  case P::eq:
    return b.compare(x, y, D::EQ);
  case P::ne:
    return b.compare(x, y, D::NE);
  case P::slt:
  case P::ult:
    return b.compare(x, y, D::LT);
  case P::sle:
  case P::ule:
    return b.compare(x, y, D::LE);
  case P::sgt:
  case P::ugt:
    return b.compare(x, y, D::GT);
  case P::sge:
  case P::uge:
    return b.compare(x, y, D::GE);
  }
  llvm_unreachable("all predicates are listed");
}

/// The larger or smaller number where one operand is NaN.
static Value selectNumber(RankWriter &b, StringRef name, Value x, Value y) {
  Value both = b.make(name, {x, y});
  Value otherwise = b.select(isNotEqual(b, y, y), x, both);
  return b.select(isNotEqual(b, x, x), y, otherwise);
}

static Value extendSigned(RankWriter &b, Value x, Type element) {
  Value result = b.convert(x, element);
  // A set bit is -1.
  return tensorOf(x).getElementType().isInteger(1) ? b.make("stablehlo.negate", {result}) : result;
}

static Value extendUnsigned(RankWriter &b, Value x, Type element) {
  x = b.toUnsigned(x);
  if (!element.isInteger())
    return b.convert(x, element);
  auto type =
      IntegerType::get(b.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  return b.toSignless(b.convert(x, type));
}

static Value truncate(RankWriter &b, Value x, Type element) {
  if (element.isInteger(1))
    x = b.make("stablehlo.and", {x, b.makeInteger(1, tensorOf(x))});
  return b.convert(x, element);
}

static Value toUnsignedInteger(RankWriter &b, Value x, Type element) {
  if (element.isInteger(1))
    return b.convert(x, element);
  auto type =
      IntegerType::get(b.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  return b.toSignless(b.convert(x, type));
}

/// Conversions; null for other operations.
static Value writeConversion(RankWriter &b, Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return {};
  Type element = getForm(op->getResult(0).getType()).getElementType();
  if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::SIToFPOp, arith::ExtUIOp,
           arith::UIToFPOp, arith::TruncIOp, arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp,
           arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return {};
  Value x = b.getScalar(op->getOperand(0));
  unsigned from = tensorOf(x).getElementType().getIntOrFloatBitWidth();
  bool isWider = element.getIntOrFloatBitWidth() > from;
  return TypeSwitch<Operation *, Value>(op)
      .Case<arith::ExtFOp, arith::TruncFOp, arith::FPToSIOp>(
          [&](auto) { return b.convert(x, element); })
      .Case<arith::ExtSIOp, arith::SIToFPOp>([&](auto) { return extendSigned(b, x, element); })
      .Case<arith::ExtUIOp, arith::UIToFPOp>([&](auto) { return extendUnsigned(b, x, element); })
      .Case([&](arith::TruncIOp) { return truncate(b, x, element); })
      .Case([&](arith::FPToUIOp) { return toUnsignedInteger(b, x, element); })
      .Case([&](arith::BitcastOp) { return b.bitcast(x, element); })
      .Case([&](arith::IndexCastOp) {
        return isWider ? extendSigned(b, x, element) : truncate(b, x, element);
      })
      .Case([&](arith::IndexCastUIOp) {
        return isWider ? extendUnsigned(b, x, element) : truncate(b, x, element);
      })
      .Default(Value());
}

static Value multiplyBy(RankWriter &b, Value x, double factor) {
  RankedTensorType type = tensorOf(x);
  return b.make("stablehlo.multiply",
                {x, b.makeConstant(b.getFloatAttr(type.getElementType(), factor), type)});
}

static Value copySign(RankWriter &b, Value magnitude, Value sign) {
  Value bits =
      b.bitcast(sign, b.getIntegerType(tensorOf(sign).getElementType().getIntOrFloatBitWidth()));
  Value isNegative = b.compare(bits, b.makeInteger(0, tensorOf(bits)), ComparisonDirection::LT);
  Value absolute = b.make("stablehlo.abs", {magnitude});
  return b.select(isNegative, b.make("stablehlo.negate", {absolute}), absolute);
}

/// Both halves of a product of integers of at most 32 bits.
static LogicalResult writeExtended(RankWriter &b, Operation *op, bool isUnsigned, bool &isKnown) {
  Type element = getForm(op->getResult(0).getType()).getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  if (width > 32) {
    isKnown = false;
    return success();
  }
  Type wide = b.getIntegerType(2 * width);
  auto extend = [&](Value x) {
    return isUnsigned ? extendUnsigned(b, x, wide) : extendSigned(b, x, wide);
  };
  Value x = extend(b.getScalar(op->getOperand(0))), y = extend(b.getScalar(op->getOperand(1)));
  Value product = b.make("stablehlo.multiply", {x, y});
  Value high =
      b.make("stablehlo.shift_right_logical", {product, b.makeInteger(width, tensorOf(product))});
  b.set(op->getResult(0), b.convert(product, element));
  b.set(op->getResult(1), b.convert(high, element));
  return success();
}

/// A few of more than one operation; null for others.
static Value writeComposed(RankWriter &b, Operation *op) {
  auto x = [&] { return b.getScalar(op->getOperand(0)); };
  auto y = [&] { return b.getScalar(op->getOperand(1)); };
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::CmpFOp cmp) { return compareFloats(b, cmp.getPredicate(), x(), y()); })
      .Case([&](arith::CmpIOp cmp) { return compareIntegers(b, cmp.getPredicate(), x(), y()); })
      .Case([&](arith::MaxNumFOp) { return selectNumber(b, "stablehlo.maximum", x(), y()); })
      .Case([&](arith::MinNumFOp) { return selectNumber(b, "stablehlo.minimum", x(), y()); })
      .Case([&](arith::SelectOp) { return b.select(x(), y(), b.getScalar(op->getOperand(2))); })
      .Case([&](math::FmaOp) {
        return b.make("stablehlo.add",
                      {b.make("stablehlo.multiply", {x(), y()}), b.getScalar(op->getOperand(2))});
      })
      .Case([&](math::CopySignOp) { return copySign(b, x(), y()); })
      .Case([&](math::IsNaNOp) {
        Value value = x();
        return isNotEqual(b, value, value);
      })
      .Case([&](math::IsFiniteOp) {
        Value value = x();
        return b.make("stablehlo.is_finite",
                      RankedTensorType::get(tensorOf(value).getShape(), b.getI1Type()), {value});
      })
      .Case([&](math::IsInfOp) {
        Value value = b.make("stablehlo.abs", {x()});
        RankedTensorType type = tensorOf(value);
        auto infinity = APFloat::getInf(cast<FloatType>(type.getElementType()).getFloatSemantics());
        return b.compare(value,
                         b.makeConstant(b.getFloatAttr(type.getElementType(), infinity), type),
                         ComparisonDirection::EQ);
      })
      .Case([&](math::TruncOp) {
        Value value = x(), zero = b.makeInteger(0, tensorOf(value));
        return b.select(b.compare(value, zero, ComparisonDirection::LT),
                        b.make("stablehlo.ceil", {value}), b.make("stablehlo.floor", {value}));
      })
      .Case([&](math::Exp2Op) {
        return b.make("stablehlo.exponential", {multiplyBy(b, x(), llvm::numbers::ln2)});
      })
      .Case([&](math::Log2Op) {
        return multiplyBy(b, b.make("stablehlo.log", {x()}), llvm::numbers::log2e);
      })
      .Case([&](math::Log10Op) {
        return multiplyBy(b, b.make("stablehlo.log", {x()}), llvm::numbers::log10e);
      })
      .Case([&](math::FPowIOp) {
        Value value = x();
        return b.make("stablehlo.power", {value, b.convert(y(), tensorOf(value).getElementType())});
      })
      .Default(Value());
}

/// An expression of indices.
static Value writeExpr(RankWriter &b, AffineExpr expr, ArrayRef<Value> dims,
                       ArrayRef<Value> symbols) {
  auto type = RankedTensorType::get(b.shape, b.getI64Type());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return b.makeInteger(constant.getValue(), type);
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value x = writeExpr(b, binary.getLHS(), dims, symbols);
  Value y = writeExpr(b, binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return b.make("stablehlo.add", {x, y});
  case AffineExprKind::Mul:
    return b.make("stablehlo.multiply", {x, y});
  default:
    break;
  }
  // The remainder is never negative, as divisors are positive.
  Value rest = b.make("stablehlo.remainder", {x, y});
  Value zero = b.makeInteger(0, type);
  Value isNegative = b.compare(rest, zero, ComparisonDirection::LT);
  rest = b.select(isNegative, b.make("stablehlo.add", {rest, y}), rest);
  if (expr.getKind() == AffineExprKind::Mod)
    return rest;
  Value quotient = b.make("stablehlo.divide", {b.make("stablehlo.subtract", {x, rest}), y});
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return quotient;
  Value isMore = b.compare(rest, zero, ComparisonDirection::GT);
  return b.make("stablehlo.add", {quotient, b.convert(isMore, b.getI64Type())});
}

/// The results of an affine map of an operation's operands.
static SmallVector<Value> writeMap(RankWriter &b, AffineMap map, ValueRange operands) {
  SmallVector<Value> values =
      llvm::map_to_vector(operands, [&](Value value) { return b.getScalar(value); });
  ArrayRef<Value> all(values);
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return writeExpr(b, expr, all.take_front(map.getNumDims()), all.drop_front(map.getNumDims()));
  });
}

static LogicalResult writeTensorConstant(RankWriter &b, arith::ConstantOp op) {
  // Scalars are constants of their users.
  if (!isa<RankedTensorType>(op.getType()))
    return success();
  RankedTensorType type = getForm(op.getType());
  Attribute value = op.getValue();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    value = DenseResourceElementsAttr::get(type, resource.getRawHandle());
  else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (dense.getElementType().isIndex())
      value = dense.mapValues(b.getI64Type(),
                              [](const APInt &element) { return element.sextOrTrunc(64); });
    else
      value = dense.reshape(type);
  }
  b.set(op, b.makeConstant(value, type));
  return success();
}

LogicalResult dmc::writeScalarOp(Operation *op, RankWriter &b, bool &isKnown) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return writeTensorConstant(b, constant);
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    b.set(index, b.loopIndices[index.getDim()]);
    return success();
  }
  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op))
    return writeExtended(b, op, isa<arith::MulUIExtendedOp>(op), isKnown);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    b.set(apply, writeMap(b, apply.getAffineMap(), apply.getOperands()).front());
    return success();
  }
  if (isa<affine::AffineMinOp, affine::AffineMaxOp>(op)) {
    auto map = op->getAttrOfType<AffineMapAttr>("map").getValue();
    SmallVector<Value> values = writeMap(b, map, op->getOperands());
    for (Value value : ArrayRef<Value>(values).drop_front())
      values[0] = b.make(isa<affine::AffineMinOp>(op) ? "stablehlo.minimum" : "stablehlo.maximum",
                         {values[0], value});
    b.set(op->getResult(0), values[0]);
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<Value> indices =
        llvm::map_to_vector(extract.getIndices(), [&](Value value) { return b.getScalar(value); });
    Value tensor = b.get(extract.getTensor());
    b.set(extract,
          indices.empty() ? b.makeSplat(tensor, b.shape) : gatherElements(b, tensor, indices));
    return success();
  }
  StringRef name = op->getName().getStringRef();
  bool isBoolean =
      op->getNumResults() == 1 && getForm(op->getResult(0).getType()).getElementType().isInteger(1);
  StringRef same = isBoolean ? getBooleanName(name) : getSameName(name);
  if (!same.empty()) {
    SmallVector<Value> operands =
        llvm::map_to_vector(op->getOperands(), [&](Value value) { return b.getScalar(value); });
    b.set(op->getResult(0), b.make(same, operands));
    return success();
  }
  if (StringRef ofUnsigned = getUnsignedName(name); !ofUnsigned.empty()) {
    SmallVector<Value> operands = llvm::map_to_vector(
        op->getOperands(), [&](Value value) { return b.toUnsigned(b.getScalar(value)); });
    b.set(op->getResult(0), b.toSignless(b.make(ofUnsigned, operands)));
    return success();
  }
  Value value = writeConversion(b, op);
  if (!value)
    value = writeComposed(b, op);
  isKnown = value != nullptr;
  if (value)
    b.set(op->getResult(0), value);
  return success();
}
