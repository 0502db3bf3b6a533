//===- ConvertConvolution.cpp - Convolutions ------------------------------===//
//
// A generic over the padded input: output dimensions, window and features. Groups
// are a dimension of their own; windows of one element are no loop, so that a
// convolution of 1x1 is a contraction.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

using namespace mlir;
using namespace dmc;

/// A dimension of this size as [count, size / count].
static Value splitDim(Converter &c, Location loc, Value value, int64_t dim, int64_t count) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(value.getType()).getShape());
  int64_t size = shape[dim];
  shape[dim] = count;
  shape.insert(shape.begin() + dim + 1, size / count);
  return c.reshape(loc, value, shape);
}

static LogicalResult convertConvolution(Converter &c, Operation *op) {
  auto source = cast<stablehlo::ConvolutionOp>(op);
  stablehlo::ConvDimensionNumbersAttr numbers = source.getDimensionNumbers();
  Location loc = op->getLoc();
  OpBuilder &b = c.b;
  RankedTensorType type = c.typeOf(source.getResult());
  int64_t rank = type.getRank();
  unsigned numSpatial = rank - 2;
  Type lhsElement = getElementTypeOrSelf(source.getLhs());
  if (isa<FloatType>(lhsElement) != isa<FloatType>(type.getElementType()))
    return unsupported(op) << "of " << lhsElement << " with a result of " << type.getElementType()
                           << "; expected all floats or all integers";

  // The padded input, cut to what windows of one element read.
  Value zero = c.zeros(loc, RankedTensorType::get({}, toSignless(lhsElement)));
  SmallVector<int64_t> low(rank, 0), high(rank, 0), interior(rank, 0);
  SmallVector<int64_t> reversed;
  for (unsigned i = 0; i < numSpatial; ++i) {
    int64_t dim = numbers.getInputSpatialDimensions()[i];
    low[dim] = source.getPaddingLow(i);
    high[dim] = source.getPaddingHigh(i);
    interior[dim] = source.getLhsDilationOf(i) - 1;
    if (source.isReversed(i))
      reversed.push_back(numbers.getKernelSpatialDimensions()[i]);
  }
  // Groups are dimensions before that: what reads the input looks through its padding.
  int64_t featureGroups = source.getFeatureGroupCount();
  int64_t batchGroups = source.getBatchGroupCount();
  int64_t groups = std::max(featureGroups, batchGroups);
  int64_t lhsDim = groups == 1         ? rank
                   : featureGroups > 1 ? numbers.getInputFeatureDimension()
                                       : numbers.getInputBatchDimension();
  Value lhs = c[source.getLhs()];
  if (groups > 1) {
    lhs = splitDim(c, loc, lhs, lhsDim, groups);
    for (SmallVector<int64_t> *padding : {&low, &high, &interior})
      padding->insert(padding->begin() + lhsDim, 0);
  }
  lhs = c.pad(loc, lhs, zero, low, high, interior);
  Value rhs = c.reverse(loc, c[source.getRhs()], reversed);
  SmallVector<int64_t> kernel(c.typeOf(source.getRhs()).getShape());
  SmallVector<int64_t> cutSizes(cast<RankedTensorType>(lhs.getType()).getShape());
  SmallVector<int64_t> cutStrides(cutSizes.size(), 1);
  for (unsigned i = 0; i < numSpatial; ++i) {
    if (kernel[numbers.getKernelSpatialDimensions()[i]] != 1)
      continue;
    int64_t dim = numbers.getInputSpatialDimensions()[i];
    dim += dim > lhsDim;
    cutSizes[dim] = type.getDimSize(numbers.getOutputSpatialDimensions()[i]);
    cutStrides[dim] = source.getStride(i);
  }
  lhs = c.slice(loc, lhs, SmallVector<int64_t>(cutSizes.size(), 0), cutSizes, cutStrides);

  // Loops: the output's dimensions with its features as [group, feature], then the
  // window, then the input's features. Loops of the output are numbered after
  // the split.
  bool isGrouped = groups > 1;
  int64_t outFeature = numbers.getOutputFeatureDimension();
  auto outLoop = [&](int64_t dim) -> AffineExpr {
    return b.getAffineDimExpr(dim + (isGrouped && dim >= outFeature ? 1 : 0));
  };
  AffineExpr groupLoop = b.getAffineDimExpr(outFeature);
  unsigned numParallel = rank + isGrouped;
  unsigned numLoops = numParallel;
  SmallVector<AffineExpr> lhsExprs(rank), rhsExprs(rank);
  lhsExprs[numbers.getInputBatchDimension()] = outLoop(numbers.getOutputBatchDimension());
  rhsExprs[numbers.getKernelOutputFeatureDimension()] = outLoop(outFeature);
  for (unsigned i = 0; i < numSpatial; ++i) {
    int64_t kernelDim = numbers.getKernelSpatialDimensions()[i];
    AffineExpr expr = outLoop(numbers.getOutputSpatialDimensions()[i]);
    if (kernel[kernelDim] != 1) {
      AffineExpr window = b.getAffineDimExpr(numLoops++);
      rhsExprs[kernelDim] = window;
      expr = expr * source.getStride(i) + window * source.getRhsDilationOf(i);
    }
    lhsExprs[numbers.getInputSpatialDimensions()[i]] = expr;
  }
  AffineExpr featureLoop = b.getAffineDimExpr(numLoops++);
  lhsExprs[numbers.getInputFeatureDimension()] = featureLoop;
  rhsExprs[numbers.getKernelInputFeatureDimension()] = featureLoop;

  // Groups, and no kernel dimensions of one element.
  RankedTensorType resultType = type;
  if (isGrouped) {
    int64_t rhsDim = numbers.getKernelOutputFeatureDimension();
    lhsExprs.insert(lhsExprs.begin() + lhsDim, groupLoop);
    rhs = splitDim(c, loc, rhs, rhsDim, groups);
    rhsExprs.insert(rhsExprs.begin() + rhsDim, groupLoop);
    SmallVector<int64_t> shape(type.getShape());
    shape[outFeature] = groups;
    shape.insert(shape.begin() + outFeature + 1, type.getDimSize(outFeature) / groups);
    resultType = type.clone(shape);
  }
  SmallVector<int64_t> rhsShape;
  for (auto [size, expr] : llvm::zip(cast<RankedTensorType>(rhs.getType()).getShape(), rhsExprs))
    if (expr)
      rhsShape.push_back(size);
  llvm::erase_if(rhsExprs, [](AffineExpr expr) { return !expr; });
  rhs = c.reshape(loc, rhs, rhsShape);

  AffineMap maps[] = {AffineMap::get(numLoops, 0, lhsExprs, b.getContext()),
                      AffineMap::get(numLoops, 0, rhsExprs, b.getContext()),
                      getLeadingLoops(numLoops, numParallel, b.getContext())};
  Value result =
      c.contract(loc, lhs, rhs, maps, numParallel, resultType,
                 isUnsigned(source.getLhs().getType()), isUnsigned(source.getRhs().getType()));
  c.map(source.getResult(), c.reshape(loc, result, type.getShape()));
  return success();
}

void dmc::registerConvolutionConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.convolution"] = convertConvolution;
}
