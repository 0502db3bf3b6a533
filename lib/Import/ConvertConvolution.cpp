//===- ConvertConvolution.cpp - Convolutions ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generic over the padded input: output dimensions, window and features. Groups
// are a dimension of their own; windows of one element are no loop, so that a
// convolution of 1x1 is a contraction.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include <numeric>

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

namespace {
/// A spatial dimension: how the result's positions read the input.
struct SpatialDim {
  int64_t stride, low, high, dilation, windowDilation;
  /// Positions of the result.
  int64_t size;
};

/// Builds convolutions with the dimension numbers and groups of one operation.
class ConvolutionBuilder {
public:
  ConvolutionBuilder(Converter &c, stablehlo::ConvolutionOp source)
      : c(c), source(source), numbers(source.getDimensionNumbers()),
        type(c.typeOf(source.getResult())), loc(source.getLoc()) {}

  Value build(Value lhs, Value rhs, ArrayRef<SpatialDim> dims);

private:
  Value buildPhases(Value lhs, Value rhs, ArrayRef<SpatialDim> dims, unsigned spatial);
  Value interleave(ArrayRef<Value> phases, int64_t dim, int64_t size);
  Value zero(Type element) { return c.zeros(loc, RankedTensorType::get({}, element)); }
  /// The result's type, with these spatial sizes.
  RankedTensorType getType(ArrayRef<SpatialDim> dims) {
    SmallVector<int64_t> shape(type.getShape());
    for (auto [i, dim] : llvm::enumerate(dims))
      shape[numbers.getOutputSpatialDimensions()[i]] = dim.size;
    return type.clone(shape);
  }

  Converter &c;
  stablehlo::ConvolutionOp source;
  stablehlo::ConvDimensionNumbersAttr numbers;
  RankedTensorType type;
  Location loc;
};
} // namespace

/// More parts than this are not made of one convolution.
static constexpr int64_t kMaxPhases = 16;

/// Positions that are not equal modulo the input's dilation read none of the same elements
/// and multiply nothing by the same part of the window: each class is a convolution of the
/// input as it is, and no zeros are multiplied.
Value ConvolutionBuilder::buildPhases(Value lhs, Value rhs, ArrayRef<SpatialDim> dims,
                                      unsigned spatial) {
  const SpatialDim &dim = dims[spatial];
  int64_t kernelDim = numbers.getKernelSpatialDimensions()[spatial];
  int64_t outDim = numbers.getOutputSpatialDimensions()[spatial];
  int64_t inSize = cast<RankedTensorType>(lhs.getType())
                       .getDimSize(numbers.getInputSpatialDimensions()[spatial]);
  RankedTensorType rhsType = cast<RankedTensorType>(rhs.getType());
  int64_t step = dim.dilation / std::gcd(dim.dilation, dim.windowDilation);
  int64_t numTaps = rhsType.getDimSize(kernelDim);
  SmallVector<Value> phases(dim.dilation);
  for (int64_t phase = 0; phase < std::min(dim.dilation, dim.size); ++phase) {
    // Position p reads p + k * windowDilation - low, where the dilation divides that.
    int64_t first = 0;
    auto at = [&] { return phase + first * dim.windowDilation - dim.low; };
    while (first < std::min(step, numTaps) && at() % dim.dilation != 0)
      ++first;
    if (first >= std::min(step, numTaps))
      continue;
    SmallVector<int64_t> offsets(rhsType.getRank(), 0), strides(rhsType.getRank(), 1);
    SmallVector<int64_t> sizes(rhsType.getShape());
    offsets[kernelDim] = first;
    sizes[kernelDim] = llvm::divideCeil(numTaps - first, step);
    strides[kernelDim] = sizes[kernelDim] > 1 ? step : 1;
    SmallVector<SpatialDim> phaseDims(dims);
    SpatialDim &mine = phaseDims[spatial];
    mine.dilation = 1;
    mine.windowDilation = dim.windowDilation * step / dim.dilation;
    mine.size = llvm::divideCeil(dim.size - phase, dim.dilation);
    mine.low = -(at() / dim.dilation);
    mine.high = mine.size + (sizes[kernelDim] - 1) * mine.windowDilation - mine.low - inSize;
    phases[phase] = build(lhs, c.slice(loc, rhs, offsets, sizes, strides), phaseDims);
  }
  for (Value &phase : phases)
    if (!phase && llvm::count_if(phases, [](Value other) { return bool(other); }) != 1) {
      SmallVector<SpatialDim> none(dims);
      none[spatial].size = llvm::divideCeil(dim.size, dim.dilation);
      phase = c.zeros(loc, getType(none));
    }
  return interleave(phases, outDim, dim.size);
}

/// Position p of the dimension from phase p modulo their number; where there is but one, the
/// others are zero.
Value ConvolutionBuilder::interleave(ArrayRef<Value> phases, int64_t dim, int64_t size) {
  int64_t count = phases.size();
  SmallVector<int64_t> none(type.getRank(), 0), ones(type.getRank(), 1);
  Value padding = zero(type.getElementType());
  SmallVector<Value> parts;
  for (auto [number, phase] : llvm::enumerate(phases)) {
    SmallVector<int64_t> low = none, high = none, interior = none;
    if (!phase)
      continue;
    int64_t length = cast<RankedTensorType>(phase.getType()).getDimSize(dim);
    if (llvm::count_if(phases, [](Value other) { return bool(other); }) == 1) {
      low[dim] = number;
      high[dim] = size - 1 - static_cast<int64_t>(number) - (length - 1) * count;
      interior[dim] = count - 1;
      return c.pad(loc, phase, padding, low, high, interior);
    }
    high[dim] = llvm::divideCeil(size, count) - length;
    Value part = c.pad(loc, phase, padding, low, high, interior);
    SmallVector<int64_t> shape(cast<RankedTensorType>(part.getType()).getShape());
    shape.insert(shape.begin() + dim + 1, 1);
    parts.push_back(c.reshape(loc, part, shape));
  }
  Value joined = tensor::ConcatOp::create(c.b, loc, dim + 1, parts);
  SmallVector<int64_t> shape(cast<RankedTensorType>(joined.getType()).getShape());
  shape[dim] *= count;
  shape.erase(shape.begin() + dim + 1);
  joined = c.reshape(loc, joined, shape);
  shape[dim] = size;
  return c.slice(loc, joined, none, shape, ones);
}

/// The reversals of the kernel have been done.
Value ConvolutionBuilder::build(Value lhs, Value rhs, ArrayRef<SpatialDim> dims) {
  int64_t numPhases = 1;
  for (const SpatialDim &dim : dims)
    numPhases *= dim.stride == 1 ? dim.dilation : 1;
  for (unsigned i = 0; i < dims.size() && numPhases <= kMaxPhases; ++i)
    if (dims[i].dilation > 1 && dims[i].stride == 1)
      return buildPhases(lhs, rhs, dims, i);

  OpBuilder &b = c.b;
  RankedTensorType type = getType(dims);
  int64_t rank = type.getRank();
  unsigned numSpatial = rank - 2;
  // The padded input, cut to what windows of one element read.
  SmallVector<int64_t> low(rank, 0), high(rank, 0), interior(rank, 0);
  for (unsigned i = 0; i < numSpatial; ++i) {
    int64_t dim = numbers.getInputSpatialDimensions()[i];
    low[dim] = dims[i].low;
    high[dim] = dims[i].high;
    interior[dim] = dims[i].dilation - 1;
  }
  // Groups are dimensions before that: what reads the input looks through its padding.
  int64_t featureGroups = source.getFeatureGroupCount();
  int64_t batchGroups = source.getBatchGroupCount();
  int64_t groups = std::max(featureGroups, batchGroups);
  int64_t lhsDim = groups == 1         ? rank
                   : featureGroups > 1 ? numbers.getInputFeatureDimension()
                                       : numbers.getInputBatchDimension();
  if (groups > 1) {
    lhs = splitDim(c, loc, lhs, lhsDim, groups);
    for (SmallVector<int64_t> *padding : {&low, &high, &interior})
      padding->insert(padding->begin() + lhsDim, 0);
  }
  lhs = c.pad(loc, lhs, zero(getElementTypeOrSelf(lhs)), low, high, interior);
  SmallVector<int64_t> kernel(cast<RankedTensorType>(rhs.getType()).getShape());
  SmallVector<int64_t> cutSizes(cast<RankedTensorType>(lhs.getType()).getShape());
  SmallVector<int64_t> cutStrides(cutSizes.size(), 1);
  for (unsigned i = 0; i < numSpatial; ++i) {
    if (kernel[numbers.getKernelSpatialDimensions()[i]] != 1)
      continue;
    int64_t dim = numbers.getInputSpatialDimensions()[i];
    dim += dim > lhsDim;
    cutSizes[dim] = type.getDimSize(numbers.getOutputSpatialDimensions()[i]);
    cutStrides[dim] = dims[i].stride;
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
      expr = expr * dims[i].stride + window * dims[i].windowDilation;
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
  Value result = c.contract(loc, lhs, rhs, maps, numParallel, resultType,
                            isUnsigned(source.getLhs().getType()),
                            isUnsigned(source.getRhs().getType()), c.permitsNarrowPartials());
  return c.reshape(loc, result, type.getShape());
}

static LogicalResult convertConvolution(Converter &c, Operation *op) {
  auto source = cast<stablehlo::ConvolutionOp>(op);
  stablehlo::ConvDimensionNumbersAttr numbers = source.getDimensionNumbers();
  RankedTensorType type = c.typeOf(source.getResult());
  SmallVector<SpatialDim> dims;
  SmallVector<int64_t> reversed;
  for (unsigned i = 0; i < type.getRank() - 2; ++i) {
    dims.push_back({source.getStride(i), source.getPaddingLow(i), source.getPaddingHigh(i),
                    source.getLhsDilationOf(i), source.getRhsDilationOf(i),
                    type.getDimSize(numbers.getOutputSpatialDimensions()[i])});
    if (source.isReversed(i))
      reversed.push_back(numbers.getKernelSpatialDimensions()[i]);
  }
  Value rhs = c.reverse(op->getLoc(), c[source.getRhs()], reversed);
  c.map(source.getResult(), ConvolutionBuilder(c, source).build(c[source.getLhs()], rhs, dims));
  return success();
}

void dmc::registerConvolutionConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.convolution"] = convertConvolution;
}
