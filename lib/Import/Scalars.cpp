//===- Scalars.cpp - Bodies on scalars ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the scalar form of elementwise operations, and converts regions on tensors
// of rank 0 into scalar code.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dmc;

Type dmc::toSignless(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return toSignless(tensor);
  if (auto integer = dyn_cast<IntegerType>(type); integer && !integer.isSignless())
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

RankedTensorType dmc::toSignless(RankedTensorType type) {
  Type element = toSignless(type.getElementType());
  return element == type.getElementType()
             ? type
             : RankedTensorType::get(type.getShape(), element, type.getEncoding());
}

bool dmc::isUnsigned(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isUnsignedInteger() || element.isInteger(1);
}

InFlightDiagnostic dmc::unsupported(Operation *op) {
  return op->emitError() << "unsupported: '" << op->getName() << "' ";
}

Type ScalarOp::sourceType(unsigned i) const {
  return getElementTypeOrSelf(source->getOperand(i).getType());
}

Value ScalarOp::constant(Type type, int64_t value) const {
  if (isa<FloatType>(type))
    return constant(type, static_cast<double>(value));
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Value ScalarOp::constant(Type type, double value) const {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

Value ScalarOp::constant(Type type, const APInt &value) const {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

static const llvm::StringMap<ScalarBuilder> &getScalarBuilders() {
  static const llvm::StringMap<ScalarBuilder> builders = [] {
    llvm::StringMap<ScalarBuilder> map;
    registerArithmeticScalars(map);
    registerFunctionScalars(map);
    registerSpecialScalars(map);
    registerConversionScalars(map);
    return map;
  }();
  return builders;
}

bool dmc::isElementwise(Operation *op) {
  return getScalarBuilders().contains(op->getName().getStringRef());
}

Value dmc::buildScalar(const ScalarOp &op) {
  return getScalarBuilders().lookup(op.source->getName().getStringRef())(op);
}

/// The scalar that all elements of a constant are; null if they are not one.
static Value buildConstant(OpBuilder &b, Location loc, stablehlo::ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || !elements.isSplat())
    return {};
  Type type = toSignless(elements.getElementType());
  TypedAttr value = isa<FloatType>(type) ? cast<TypedAttr>(elements.getSplatValue<Attribute>())
                                         : b.getIntegerAttr(type, elements.getSplatValue<APInt>());
  return arith::ConstantOp::create(b, loc, value);
}

LogicalResult dmc::buildScalarRegion(OpBuilder &b, Region &region, ValueRange arguments,
                                     SmallVectorImpl<Value> &results) {
  Block &block = region.front();
  IRMapping values;
  values.map(block.getArguments(), arguments);
  // A value of the computation, or a constant from outside of it, where MLIR's canonicalization
  // moves those of regions.
  auto lookup = [&](Value value) -> Value {
    if (Value mapped = values.lookupOrNull(value))
      return mapped;
    auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
    return constant ? buildConstant(b, constant.getLoc(), constant) : Value();
  };
  for (Operation &op : block.without_terminator()) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands()) {
      Value mapped = lookup(operand);
      if (!mapped)
        return unsupported(&op) << "in a computation uses a value from outside of it; expected "
                                   "arguments and constants";
      operands.push_back(mapped);
    }
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
      Value value = buildConstant(b, op.getLoc(), constant);
      if (!value)
        return unsupported(&op) << "in a computation is not a dense scalar";
      values.map(constant.getResult(), value);
      continue;
    }
    bool isView =
        isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp, stablehlo::TransposeOp>(op);
    bool isScalar = llvm::all_of(op.getResultTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.getRank() == 0;
    });
    if (!isScalar || !(isView || isElementwise(&op)))
      return unsupported(&op) << "in a computation; expected elementwise operations on tensors of "
                                 "rank 0";
    Value result = isView ? operands[0]
                          : buildScalar({b, op.getLoc(), &op, operands,
                                         toSignless(getElementTypeOrSelf(op.getResult(0)))});
    if (!result)
      return failure();
    values.map(op.getResult(0), result);
  }
  for (Value result : block.getTerminator()->getOperands()) {
    Value mapped = lookup(result);
    if (!mapped)
      return unsupported(block.getTerminator())
             << "returns a value from outside of the computation";
    results.push_back(mapped);
  }
  return success();
}
