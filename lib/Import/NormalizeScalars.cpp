//===- NormalizeScalars.cpp - Scalar operations in forms of level 0 -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index dialect becomes arith; a few operations of math become others. What
// floats compute between tensors becomes a tensor: it is a kernel's work.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"
#include "Normalize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// Index
//===----------------------------------------------------------------------===//

template <typename To>
static LogicalResult replaceByArith(RewriterBase &b, Operation *op) {
  b.replaceOpWithNewOp<To>(op, op->getResultTypes(), op->getOperands());
  return success();
}

static LogicalResult convertIndexConstant(RewriterBase &b, Operation *op) {
  auto constant = cast<index::ConstantOp>(op);
  b.replaceOpWithNewOp<arith::ConstantOp>(op, constant.getValueAttr());
  return success();
}

static LogicalResult convertIndexCompare(RewriterBase &b, Operation *op) {
  auto compare = cast<index::CmpOp>(op);
  std::optional<arith::CmpIPredicate> predicate =
      arith::symbolizeCmpIPredicate(index::stringifyIndexCmpPredicate(compare.getPred()));
  b.replaceOpWithNewOp<arith::CmpIOp>(op, *predicate, compare.getLhs(), compare.getRhs());
  return success();
}

//===----------------------------------------------------------------------===//
// Math
//===----------------------------------------------------------------------===//

/// A constant of the type, of a scalar or of every element.
static Value createNumber(RewriterBase &b, Location loc, Type type, const APFloat &value) {
  TypedAttr number = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    number = DenseElementsAttr::get(shaped, number);
  return arith::ConstantOp::create(b, loc, number);
}

static const llvm::fltSemantics &getSemantics(Type type) {
  return cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
}

static LogicalResult expandIsInf(RewriterBase &b, Operation *op) {
  Value x = op->getOperand(0);
  Location loc = op->getLoc();
  Value infinity = createNumber(b, loc, x.getType(), APFloat::getInf(getSemantics(x.getType())));
  b.replaceOpWithNewOp<arith::CmpFOp>(op, arith::CmpFPredicate::OEQ,
                                      math::AbsFOp::create(b, loc, x), infinity);
  return success();
}

static LogicalResult expandIsNormal(RewriterBase &b, Operation *op) {
  Value x = op->getOperand(0);
  Location loc = op->getLoc();
  const llvm::fltSemantics &semantics = getSemantics(x.getType());
  Value magnitude = math::AbsFOp::create(b, loc, x);
  Value least = createNumber(b, loc, x.getType(), APFloat::getSmallestNormalized(semantics));
  Value infinity = createNumber(b, loc, x.getType(), APFloat::getInf(semantics));
  Value above = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, magnitude, least);
  Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, magnitude, infinity);
  b.replaceOpWithNewOp<arith::AndIOp>(op, above, below);
  return success();
}

static LogicalResult expandClamp(RewriterBase &b, Operation *op) {
  auto clamp = cast<math::ClampFOp>(op);
  Value lower = arith::MinimumFOp::create(b, op->getLoc(), clamp.getValue(), clamp.getMax());
  b.replaceOpWithNewOp<arith::MaximumFOp>(op, lower, clamp.getMin());
  return success();
}

static LogicalResult expandSinCos(RewriterBase &b, Operation *op) {
  Value x = op->getOperand(0);
  Value sine = math::SinOp::create(b, op->getLoc(), x);
  Value cosine = math::CosOp::create(b, op->getLoc(), x);
  b.replaceOp(op, {sine, cosine});
  return success();
}

/// By squaring over the exponent's bits. A negative exponent leaves 0 but for the
/// bases 1 and -1, whose powers the bits give as they are.
static LogicalResult expandIntegerPower(RewriterBase &b, Operation *op) {
  Location loc = op->getLoc();
  Value base = op->getOperand(0), exponent = op->getOperand(1);
  Type type = base.getType();
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto integer = [&](const APInt &value) -> Value {
    TypedAttr number = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      number = DenseElementsAttr::get(shaped, number);
    return arith::ConstantOp::create(b, loc, number);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  Value zero = integer(APInt::getZero(bits)), one = integer(APInt(bits, 1));
  Value result = one, square = base, rest = exponent;
  for (unsigned bit = 0; bit < bits; ++bit) {
    Value isSet = compare(arith::CmpIPredicate::ne, arith::AndIOp::create(b, loc, rest, one), zero);
    Value product = arith::MulIOp::create(b, loc, result, square);
    result = arith::SelectOp::create(b, loc, isSet, product, result);
    square = arith::MulIOp::create(b, loc, square, square);
    rest = arith::ShRUIOp::create(b, loc, rest, one);
  }
  Value isUnit = arith::OrIOp::create(
      b, loc, compare(arith::CmpIPredicate::eq, base, one),
      compare(arith::CmpIPredicate::eq, base, integer(APInt::getAllOnes(bits))));
  Value isNegative = compare(arith::CmpIPredicate::slt, exponent, zero);
  Value kept = arith::SelectOp::create(b, loc, isUnit, result, zero);
  b.replaceOpWithNewOp<arith::SelectOp>(op, isNegative, kept, result);
  return success();
}

//===----------------------------------------------------------------------===//
// Scalars outside of bodies
//===----------------------------------------------------------------------===//

/// The tensor of rank 0 that a scalar is the element of; null for other scalars.
static Value getTensorOf(Value scalar) {
  auto extract = scalar.getDefiningOp<tensor::ExtractOp>();
  return extract && extract.getIndices().empty() ? extract.getTensor() : Value();
}

/// Whether the operation is part of the program itself, and not of a body.
static bool isBetweenTensors(Operation *op) {
  Operation *parent = op->getParentOp();
  while (isa<scf::SCFDialect>(parent->getDialect()))
    parent = parent->getParentOp();
  return isa<func::FuncOp>(parent);
}

static bool computesFloats(Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrFloat(); };
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         op->getNumRegions() == 0 && op->getNumOperands() != 0 && op->getNumResults() == 1 &&
         llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar) &&
         (llvm::any_of(op->getOperandTypes(), isFloat) ||
          llvm::any_of(op->getResultTypes(), isFloat)) &&
         isBetweenTensors(op);
}

static void tensorize(RewriterBase &b, Operation *op) {
  Location loc = op->getLoc();
  SmallVector<Value> inputs, elements;
  for (Value operand : op->getOperands()) {
    if (operand.getDefiningOp<arith::ConstantOp>())
      continue;
    Value tensor = getTensorOf(operand);
    if (!tensor)
      tensor = tensor::FromElementsOp::create(b, loc, RankedTensorType::get({}, operand.getType()),
                                              operand);
    inputs.push_back(tensor);
    elements.push_back(operand);
  }
  if (inputs.empty())
    return;
  auto type = RankedTensorType::get({}, op->getResult(0).getType());
  Value init = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>(), type.getElementType());
  auto body = [&](OpBuilder &nested, Location loc, ValueRange arguments) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (auto constant = operand.getDefiningOp<arith::ConstantOp>())
        mapping.map(operand, nested.clone(*constant)->getResult(0));
    for (auto [element, argument] : llvm::zip(elements, arguments))
      mapping.map(element, argument);
    linalg::YieldOp::create(nested, loc, nested.clone(*op, mapping)->getResults());
  };
  auto map = linalg::MapOp::create(b, loc, inputs, init, body);
  b.replaceOpWithNewOp<tensor::ExtractOp>(op, map->getResult(0), ValueRange());
}

void dmc::tensorizeFloats(RewriterBase &b, Operation *function) {
  SmallVector<Operation *> work;
  function->walk([&](Operation *op) {
    if (computesFloats(op))
      work.push_back(op);
  });
  for (Operation *op : work) {
    b.setInsertionPoint(op);
    tensorize(b, op);
  }
  work.clear();
  function->walk([&](Operation *op) {
    if (isa<tensor::FromElementsOp, linalg::FillOp>(op))
      work.push_back(op);
  });
  // Where a tensor takes its element's place.
  for (Operation *op : work) {
    b.setInsertionPoint(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value tensor = getTensorOf(op->getOperand(0));
    if (!tensor)
      continue;
    if (isa<tensor::FromElementsOp>(op)) {
      if (type.getRank() == 0)
        b.replaceOp(op, tensor);
      continue;
    }
    SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    Value init = tensor::EmptyOp::create(b, op->getLoc(), type.getShape(), type.getElementType());
    b.replaceOp(op, linalg::BroadcastOp::create(b, op->getLoc(), tensor, init, dims)->getResults());
  }
}

void dmc::registerScalarNormalizations(Normalizations &table) {
  table["index.add"] = replaceByArith<arith::AddIOp>;
  table["index.and"] = replaceByArith<arith::AndIOp>;
  table["index.bool.constant"] = [](RewriterBase &b, Operation *op) {
    b.replaceOpWithNewOp<arith::ConstantOp>(op, cast<index::BoolConstantOp>(op).getValueAttr());
    return success();
  };
  table["index.casts"] = replaceByArith<arith::IndexCastOp>;
  table["index.castu"] = replaceByArith<arith::IndexCastUIOp>;
  table["index.ceildivs"] = replaceByArith<arith::CeilDivSIOp>;
  table["index.ceildivu"] = replaceByArith<arith::CeilDivUIOp>;
  table["index.cmp"] = convertIndexCompare;
  table["index.constant"] = convertIndexConstant;
  table["index.divs"] = replaceByArith<arith::DivSIOp>;
  table["index.divu"] = replaceByArith<arith::DivUIOp>;
  table["index.floordivs"] = replaceByArith<arith::FloorDivSIOp>;
  table["index.maxs"] = replaceByArith<arith::MaxSIOp>;
  table["index.maxu"] = replaceByArith<arith::MaxUIOp>;
  table["index.mins"] = replaceByArith<arith::MinSIOp>;
  table["index.minu"] = replaceByArith<arith::MinUIOp>;
  table["index.mul"] = replaceByArith<arith::MulIOp>;
  table["index.or"] = replaceByArith<arith::OrIOp>;
  table["index.rems"] = replaceByArith<arith::RemSIOp>;
  table["index.remu"] = replaceByArith<arith::RemUIOp>;
  table["index.shl"] = replaceByArith<arith::ShLIOp>;
  table["index.shrs"] = replaceByArith<arith::ShRSIOp>;
  table["index.shru"] = replaceByArith<arith::ShRUIOp>;
  table["index.sub"] = replaceByArith<arith::SubIOp>;
  table["index.xor"] = replaceByArith<arith::XOrIOp>;
  table["math.clampf"] = expandClamp;
  table["math.ipowi"] = expandIntegerPower;
  table["math.isinf"] = expandIsInf;
  table["math.isnormal"] = expandIsNormal;
  table["math.sincos"] = expandSinCos;
}
