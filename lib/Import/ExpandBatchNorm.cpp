//===- ExpandBatchNorm.cpp - Batch normalization --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By the definitions of the specification, narrow floats in f32; and the builder
// of expansions.
//
//===----------------------------------------------------------------------===//
#include "Derived.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// The builder
//===----------------------------------------------------------------------===//

Value Expander::constant(RankedTensorType type, int64_t value) {
  if (isa<FloatType>(type.getElementType()))
    return constant(type, static_cast<double>(value));
  if (auto complex = dyn_cast<ComplexType>(type.getElementType())) {
    auto part = [&](double number) {
      return b.getFloatAttr(complex.getElementType(), number).getValue();
    };
    std::complex<APFloat> number(part(static_cast<double>(value)), part(0));
    return create<stablehlo::ConstantOp>(type, DenseElementsAttr::get(type, number));
  }
  APInt integer(type.getElementTypeBitWidth(), value, /*isSigned=*/true, /*implicitTrunc=*/true);
  return create<stablehlo::ConstantOp>(type, DenseElementsAttr::get(type, integer));
}

Value Expander::constant(RankedTensorType type, double value) {
  auto attr = b.getFloatAttr(type.getElementType(), value);
  return create<stablehlo::ConstantOp>(type, DenseElementsAttr::get(type, attr.getValue()));
}

Value Expander::broadcast(Value value, RankedTensorType type, ArrayRef<int64_t> dims) {
  if (value.getType() == type && llvm::equal(dims, llvm::seq<int64_t>(0, type.getRank())))
    return value;
  return create<stablehlo::BroadcastInDimOp>(type, value, dims);
}

Value Expander::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(typeOf(value).getDimSize(dim));
  return create<stablehlo::TransposeOp>(typeOf(value).clone(shape), value, permutation);
}

Value Expander::convert(Value value, Type element) {
  RankedTensorType type = typeOf(value);
  if (type.getElementType() == element)
    return value;
  return create<stablehlo::ConvertOp>(type.clone(element), value);
}

Value Expander::sum(Value value, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < typeOf(value).getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(typeOf(value).getDimSize(dim));
  RankedTensorType scalar = RankedTensorType::get({}, typeOf(value).getElementType());
  Value zero = constant(scalar, int64_t(0));
  auto reduce = stablehlo::ReduceOp::create(b, loc, TypeRange(typeOf(value).clone(shape)),
                                            ValueRange(value), ValueRange(zero), dims);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value total =
      stablehlo::AddOp::create(b, loc, scalar, body->getArgument(0), body->getArgument(1));
  stablehlo::ReturnOp::create(b, loc, ValueRange(total));
  return reduce->getResult(0);
}

Value Expander::product(Value lhs, Value rhs, ArrayRef<int64_t> lhsBatch,
                        ArrayRef<int64_t> rhsBatch, ArrayRef<int64_t> lhsContracted,
                        ArrayRef<int64_t> rhsContracted, RankedTensorType type,
                        ArrayAttr precision) {
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(b.getContext(), lhsBatch, rhsBatch,
                                                         lhsContracted, rhsContracted);
  return create<stablehlo::DotGeneralOp>(type, lhs, rhs, numbers, precision,
                                         stablehlo::DotAlgorithmAttr());
}

LogicalResult Expander::verify(Operation *op) {
  Operation *built = previous ? previous->getNextNode() : &block->front();
  for (; built != op; built = built->getNextNode())
    if (failed(mlir::verify(built)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Batch normalization
//===----------------------------------------------------------------------===//

namespace {
/// What the three operations compute alike.
class BatchNorm {
public:
  BatchNorm(Expander &e, Operation *op, int64_t feature)
      : e(e), op(op), feature(feature), original(typeOf(op->getOperand(0))) {
    Type element = original.getElementType();
    computed = original.clone(element.isF64() ? element : Type(e.b.getF32Type()));
  }

  LogicalResult verify() const {
    if (feature < 0 || feature >= original.getRank())
      return op->emitError() << "'" << op->getName() << "' expects a feature dimension of "
                             << original << ", found " << feature;
    for (Value operand : op->getOperands().drop_front())
      if (operand.getType() != original &&
          typeOf(operand).getShape() != ArrayRef<int64_t>{original.getDimSize(feature)})
        return op->emitError() << "'" << op->getName() << "' expects a vector of "
                               << original.getDimSize(feature) << " features, found "
                               << operand.getType();
    return success();
  }

  /// An operand in the type that is computed in; of features to all elements.
  Value widen(Value value) { return e.convert(value, computed.getElementType()); }
  Value spread(Value value) { return e.broadcast(value, computed, {feature}); }
  Value narrow(Value value) { return e.convert(value, original.getElementType()); }
  Value number(RankedTensorType type, double value) { return e.constant(type, value); }
  Value sum(Value value) {
    SmallVector<int64_t> dims;
    for (int64_t dim = 0; dim < original.getRank(); ++dim)
      if (dim != feature)
        dims.push_back(dim);
    return e.sum(value, dims);
  }
  double elementsPerFeature() const {
    double count = 1;
    for (int64_t dim = 0; dim < original.getRank(); ++dim)
      if (dim != feature)
        count *= original.getDimSize(dim);
    return count;
  }
  Value mean(Value value) {
    Value total = sum(value);
    return e.elementwise<stablehlo::DivOp>(total, number(typeOf(total), elementsPerFeature()));
  }
  Value stddev(Value variance, double epsilon) {
    Value shifted = e.elementwise<stablehlo::AddOp>(variance, number(typeOf(variance), epsilon));
    return stablehlo::SqrtOp::create(e.b, e.loc, shifted);
  }
  Value normalize(Value operand, Value scale, Value offset, Value mean, Value variance,
                  double epsilon) {
    Value centered = e.elementwise<stablehlo::SubtractOp>(operand, spread(mean));
    Value normalized = e.elementwise<stablehlo::DivOp>(centered, spread(stddev(variance, epsilon)));
    return e.elementwise<stablehlo::AddOp>(
        e.elementwise<stablehlo::MulOp>(spread(scale), normalized), spread(offset));
  }

  Expander &e;
  Operation *op;
  int64_t feature;
  RankedTensorType original, computed;
};
} // namespace

FailureOr<Values> dmc::expandBatchNormInference(Expander &e, Operation *op) {
  auto source = cast<stablehlo::BatchNormInferenceOp>(op);
  BatchNorm norm(e, op, source.getFeatureIndex());
  if (failed(norm.verify()))
    return failure();
  return Values{norm.narrow(
      norm.normalize(norm.widen(source.getOperand()), norm.widen(source.getScale()),
                     norm.widen(source.getOffset()), norm.widen(source.getMean()),
                     norm.widen(source.getVariance()), source.getEpsilon().convertToDouble()))};
}

FailureOr<Values> dmc::expandBatchNormTraining(Expander &e, Operation *op) {
  auto source = cast<stablehlo::BatchNormTrainingOp>(op);
  BatchNorm norm(e, op, source.getFeatureIndex());
  if (failed(norm.verify()))
    return failure();
  Value operand = norm.widen(source.getOperand());
  Value mean = norm.mean(operand);
  Value centered = e.elementwise<stablehlo::SubtractOp>(operand, norm.spread(mean));
  Value variance = norm.mean(e.elementwise<stablehlo::MulOp>(centered, centered));
  Value output =
      norm.normalize(operand, norm.widen(source.getScale()), norm.widen(source.getOffset()), mean,
                     variance, source.getEpsilon().convertToDouble());
  return Values{norm.narrow(output), norm.narrow(mean), norm.narrow(variance)};
}

FailureOr<Values> dmc::expandBatchNormGrad(Expander &e, Operation *op) {
  auto source = cast<stablehlo::BatchNormGradOp>(op);
  BatchNorm norm(e, op, source.getFeatureIndex());
  if (failed(norm.verify()))
    return failure();
  using stablehlo::AddOp, stablehlo::DivOp, stablehlo::MulOp, stablehlo::SubtractOp;
  double epsilon = source.getEpsilon().convertToDouble();
  Value operand = norm.widen(source.getOperand()), scale = norm.widen(source.getScale());
  Value grad = norm.widen(source.getGradOutput()), variance = norm.widen(source.getVariance());
  Value centered = e.elementwise<SubtractOp>(operand, norm.spread(norm.widen(source.getMean())));
  Value stddev = norm.stddev(variance, epsilon);
  Value normalized = e.elementwise<DivOp>(centered, norm.spread(stddev));
  Value gradScale = norm.sum(e.elementwise<MulOp>(grad, normalized));
  Value gradOffset = norm.sum(grad);

  // (n * grad - sum(grad) - centered * sum(grad * centered) / (variance + epsilon))
  // * scale / stddev / n
  Value count = norm.number(norm.computed, norm.elementsPerFeature());
  Value product = norm.sum(e.elementwise<MulOp>(grad, centered));
  Value shifted = e.elementwise<AddOp>(variance, norm.number(typeOf(variance), epsilon));
  Value linear = e.elementwise<DivOp>(e.elementwise<MulOp>(norm.spread(product), centered),
                                      norm.spread(shifted));
  Value rest = e.elementwise<SubtractOp>(
      e.elementwise<SubtractOp>(e.elementwise<MulOp>(grad, count), norm.spread(gradOffset)),
      linear);
  Value factor = e.elementwise<DivOp>(norm.spread(e.elementwise<DivOp>(scale, stddev)), count);
  Value gradOperand = e.elementwise<MulOp>(factor, rest);
  return Values{norm.narrow(gradOperand), norm.narrow(gradScale), norm.narrow(gradOffset)};
}
