//===- ConvertBits.cpp - Bits as elements of another width ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bitcast_convert between widths: an element is split into parts, the lowest bits
// first, or put together from them.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dmc;

static Value castBits(OpBuilder &b, Location loc, Value value, Type type) {
  return value.getType() == type ? value : Value(arith::BitcastOp::create(b, loc, type, value));
}

/// The number of the lowest bit of the part at a position of dimension `dim`.
static Value buildShift(OpBuilder &b, Location loc, unsigned dim, unsigned partBits, Type type) {
  Value index = arith::IndexCastOp::create(b, loc, type, linalg::IndexOp::create(b, loc, dim));
  Value width = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, partBits));
  return arith::MulIOp::create(b, loc, index, width);
}

static LogicalResult convertBitcast(Converter &c, Operation *op) {
  auto source = cast<stablehlo::BitcastConvertOp>(op);
  RankedTensorType type = c.typeOf(source.getResult());
  RankedTensorType fromType = c.typeOf(source.getOperand());
  unsigned bits = type.getElementTypeBitWidth(), fromBits = fromType.getElementTypeBitWidth();
  if (bits == fromBits)
    return c.convertElementwise(op);
  OpBuilder &b = c.b;
  Location loc = op->getLoc();
  bool isSplit = bits < fromBits;
  unsigned numLoops = std::max(type.getRank(), fromType.getRank()), last = numLoops - 1;
  AffineMap all = b.getMultiDimIdentityMap(numLoops);
  AffineMap leading = getLeadingLoops(numLoops, last, b.getContext());
  SmallVector<utils::IteratorType> iterators(numLoops, utils::IteratorType::parallel);
  Type integer = b.getIntegerType(bits), fromInteger = b.getIntegerType(fromBits);
  Value operand = c[source.getOperand()];
  Value result;
  if (isSplit) {
    AffineMap maps[] = {leading, all};
    auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
      Value whole = castBits(b, loc, elements[0], fromInteger);
      Value shifted =
          arith::ShRUIOp::create(b, loc, whole, buildShift(b, loc, last, bits, fromInteger));
      Value part = arith::TruncIOp::create(b, loc, integer, shifted);
      linalg::YieldOp::create(b, loc, castBits(b, loc, part, type.getElementType()));
    };
    result =
        linalg::GenericOp::create(b, loc, type, operand, c.empty(loc, type), maps, iterators, body)
            .getResult(0);
  } else {
    iterators.back() = utils::IteratorType::reduction;
    AffineMap maps[] = {all, leading};
    RankedTensorType sumType = type.clone(integer);
    auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
      Value part = castBits(b, loc, elements[0], fromInteger);
      Value extended = arith::ExtUIOp::create(b, loc, integer, part);
      Value shifted =
          arith::ShLIOp::create(b, loc, extended, buildShift(b, loc, last, fromBits, integer));
      linalg::YieldOp::create(b, loc, Value(arith::OrIOp::create(b, loc, elements[1], shifted)));
    };
    result = linalg::GenericOp::create(b, loc, sumType, operand, c.zeros(loc, sumType), maps,
                                       iterators, body)
                 .getResult(0);
    if (integer != type.getElementType())
      result = c.elementwise(loc, result, type, [&](OpBuilder &body, ValueRange elements) {
        return castBits(body, loc, elements[0], type.getElementType());
      });
  }
  c.map(source.getResult(), result);
  return success();
}

void dmc::registerBitConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.bitcast_convert"] = convertBitcast;
}
