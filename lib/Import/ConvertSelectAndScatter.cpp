//===- ConvertSelectAndScatter.cpp - Gradients of pooling -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// select_and_scatter: a generic finds the position that each window selects. Where windows
// are small, each element then looks for itself among those of the windows that cover it;
// else dmc.scatter combines the source into the positions.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dmc;

namespace {
/// A dimension along which windows have several positions to select from, or do
/// not cover the operand one to one. The others are batches of the scatter.
struct WindowDim {
  int64_t dim;
  int64_t size;
  int64_t window;
  int64_t stride;
  int64_t low;
  int64_t high;
};

struct SelectAndScatter {
  SelectAndScatter(Converter &c, stablehlo::SelectAndScatterOp source);

  /// For each window the row-major position among the windowed dimensions of what
  /// it selects; negative if it covers no element.
  FailureOr<Value> selectPositions();
  /// True if few windows cover an element, so that looking for them is cheap.
  bool coversFew() const;
  /// Each element combined with the sources of the windows that select it, in their order.
  LogicalResult collect(Value positions);
  /// Positions as index vectors.
  Value makeIndices(Value positions);
  LogicalResult scatter(Value indices);
  /// The case of windows of one element: each selects its own.
  LogicalResult combineWithInit();

  Converter &c;
  stablehlo::SelectAndScatterOp source;
  Location loc;
  RankedTensorType type, sourceType;
  SmallVector<WindowDim> windows;
  SmallVector<int64_t> batchDims;
  /// Of a position among the windowed dimensions.
  Type positionElement;
};
} // namespace

SelectAndScatter::SelectAndScatter(Converter &c, stablehlo::SelectAndScatterOp source)
    : c(c), source(source), loc(source.getLoc()), type(c.typeOf(source.getOperand())),
      sourceType(c.typeOf(source.getSource())) {
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    WindowDim window = {dim,
                        type.getDimSize(dim),
                        source.getWindowSize(dim),
                        source.getStride(dim),
                        source.getPaddingLow(dim),
                        source.getPaddingHigh(dim)};
    if (window.window == 1 && window.stride == 1 && window.low == 0 && window.high == 0)
      batchDims.push_back(dim);
    else
      windows.push_back(window);
  }
  int64_t positions = 1;
  for (const WindowDim &window : windows)
    positions = std::min<int64_t>(positions * window.size, INT64_C(1) << 31);
  positionElement = c.b.getIntegerType(positions < (INT64_C(1) << 31) ? 32 : 64);
}

FailureOr<Value> SelectAndScatter::selectPositions() {
  OpBuilder &b = c.b;
  int64_t rank = type.getRank();
  unsigned numLoops = rank + windows.size();
  SmallVector<AffineExpr> operandExprs, windowExprs;
  for (int64_t dim = 0; dim < rank; ++dim)
    operandExprs.push_back(b.getAffineDimExpr(dim));
  SmallVector<int64_t> windowShape, low(rank, 0), high(rank, 0), none(rank, 0);
  for (auto [i, window] : llvm::enumerate(windows)) {
    windowExprs.push_back(b.getAffineDimExpr(rank + i));
    windowShape.push_back(window.window);
    operandExprs[window.dim] = operandExprs[window.dim] * window.stride + windowExprs.back();
    low[window.dim] = window.low;
    high[window.dim] = window.high;
  }
  AffineMap resultMap = getLeadingLoops(numLoops, rank, b.getContext());
  AffineMap maps[] = {AffineMap::get(numLoops, 0, operandExprs, b.getContext()),
                      AffineMap::get(numLoops, 0, windowExprs, b.getContext()), resultMap,
                      resultMap};
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.append(windows.size(), utils::IteratorType::reduction);

  // What the padding holds does not matter: it is never selected.
  Type element = type.getElementType();
  Value padding = c.zeros(loc, RankedTensorType::get({}, element));
  Value operand = c.pad(loc, c[source.getOperand()], padding, low, high, none);
  Value window = c.empty(loc, RankedTensorType::get(windowShape, element));
  RankedTensorType positionType = sourceType.clone(positionElement);
  Value inits[] = {c.zeros(loc, sourceType),
                   c.fill(loc, b.getIntegerAttr(positionElement, -1), positionType)};

  LogicalResult status = success();
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
    Type index = positionElement;
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(index, value));
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) -> Value {
      return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
    };
    auto loop = [&](unsigned dim) -> Value {
      return arith::IndexCastOp::create(b, loc, index, linalg::IndexOp::create(b, loc, dim));
    };
    Value position = constant(0), inBounds;
    for (auto [i, window] : llvm::enumerate(windows)) {
      Value start = arith::MulIOp::create(b, loc, loop(window.dim), constant(window.stride));
      Value offset = arith::AddIOp::create(b, loc, start, loop(rank + i));
      Value coordinate = arith::SubIOp::create(b, loc, offset, constant(window.low));
      // As unsigned numbers, negative ones are beyond the size.
      Value fits = compare(arith::CmpIPredicate::ult, coordinate, constant(window.size));
      inBounds = inBounds ? Value(arith::AndIOp::create(b, loc, inBounds, fits)) : fits;
      position = arith::MulIOp::create(b, loc, position, constant(window.size));
      position = arith::AddIOp::create(b, loc, position, coordinate);
    }
    Value isFirst = compare(arith::CmpIPredicate::slt, elements[3], constant(0));
    SmallVector<Value> keeps;
    status = buildScalarRegion(b, source.getSelect(), {elements[2], elements[0]}, keeps);
    if (failed(status))
      return;
    Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    Value isBetter = arith::XOrIOp::create(b, loc, keeps.front(), yes);
    Value takes =
        arith::AndIOp::create(b, loc, inBounds, arith::OrIOp::create(b, loc, isFirst, isBetter));
    Value value = arith::SelectOp::create(b, loc, takes, elements[0], elements[2]);
    Value where = arith::SelectOp::create(b, loc, takes, position, elements[3]);
    linalg::YieldOp::create(b, loc, {value, where});
  };
  auto generic =
      linalg::GenericOp::create(b, loc, TypeRange({sourceType, positionType}),
                                ValueRange({operand, window}), inits, maps, iterators, body);
  if (failed(status))
    return failure();
  return generic.getResult(1);
}

/// How many windows may cover an element, of which the last begins at most there.
static int64_t countCovering(const WindowDim &window) {
  return (window.window - 1) / window.stride + 1;
}

/// Whether a region adds its arguments, which are floats.
static bool addsFloats(Region &region) {
  Block &block = region.front();
  auto add = dyn_cast<stablehlo::AddOp>(block.front());
  return add && llvm::hasNItems(block, 2) &&
         block.getTerminator()->getOperand(0) == add.getResult() &&
         llvm::is_contained(add->getOperands(), block.getArgument(0)) &&
         llvm::is_contained(add->getOperands(), block.getArgument(1)) &&
         isa<FloatType>(getElementTypeOrSelf(add.getResult().getType()));
}

bool SelectAndScatter::coversFew() const {
  int64_t looks = 1;
  for (const WindowDim &window : windows)
    looks = std::min<int64_t>(looks * countCovering(window), 1 << 20);
  return looks <= 64;
}

LogicalResult SelectAndScatter::collect(Value positions) {
  OpBuilder &b = c.b;
  int64_t rank = type.getRank();
  // Of the padded operand, position t * stride + r may be covered by windows t and those right
  // before it, whatever r is: a dimension is the two loops t and r.
  SmallVector<AffineExpr> sourceExprs, windowExprs;
  SmallVector<int64_t> shape, windowShape, low(rank, 0), high(rank, 0), none(rank, 0);
  SmallVector<int64_t> paddedShape, offsets(rank, 0), ones(rank, 1);
  SmallVector<unsigned> loops; // t of each windowed dimension
  const auto *window = windows.begin();
  for (int64_t dim = 0; dim < rank; ++dim) {
    sourceExprs.push_back(b.getAffineDimExpr(shape.size()));
    if (window == windows.end() || window->dim != dim) {
      shape.push_back(type.getDimSize(dim));
      paddedShape.push_back(shape.back());
      continue;
    }
    int64_t covering = countCovering(*window);
    int64_t begins = llvm::divideCeil(window->low + window->size, window->stride);
    offsets[dim] = window->low;
    low[dim] = covering - 1;
    high[dim] = begins - sourceType.getDimSize(dim);
    loops.push_back(shape.size());
    shape.append({begins, window->stride});
    paddedShape.push_back(begins * window->stride);
    windowShape.push_back(covering);
    ++window;
  }
  unsigned numParallel = shape.size(), numLoops = numParallel + windows.size();
  for (auto [i, window] : llvm::enumerate(windows)) {
    windowExprs.push_back(b.getAffineDimExpr(numParallel + i));
    sourceExprs[window.dim] = sourceExprs[window.dim] + windowExprs.back();
  }
  AffineMap sourceMap = AffineMap::get(numLoops, 0, sourceExprs, b.getContext());
  AffineMap maps[] = {sourceMap, sourceMap,
                      AffineMap::get(numLoops, 0, windowExprs, b.getContext()),
                      getLeadingLoops(numLoops, numParallel, b.getContext())};
  SmallVector<utils::IteratorType> iterators(numParallel, utils::IteratorType::parallel);
  iterators.append(windows.size(), utils::IteratorType::reduction);

  Value zero = c.zeros(loc, RankedTensorType::get({}, type.getElementType()));
  Value nothing = c.fill(loc, b.getIntegerAttr(positionElement, -1),
                         RankedTensorType::get({}, positionElement));
  Value inputs[] = {c.pad(loc, c[source.getSource()], zero, low, high, none),
                    c.pad(loc, positions, nothing, low, high, none),
                    c.empty(loc, RankedTensorType::get(windowShape, type.getElementType()))};
  RankedTensorType splitType = type.clone(shape);
  Value init = c.splat(loc, c[source.getInitValue()], splitType);
  LogicalResult status = success();
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(positionElement, value));
    };
    auto loop = [&](unsigned dim) -> Value {
      return arith::IndexCastOp::create(b, loc, positionElement,
                                        linalg::IndexOp::create(b, loc, dim));
    };
    Value own = constant(0);
    for (auto [window, dim] : llvm::zip_equal(windows, loops)) {
      Value coordinate = arith::MulIOp::create(b, loc, loop(dim), constant(window.stride));
      coordinate = arith::AddIOp::create(b, loc, coordinate, loop(dim + 1));
      coordinate = arith::SubIOp::create(b, loc, coordinate, constant(window.low));
      own = arith::MulIOp::create(b, loc, own, constant(window.size));
      own = arith::AddIOp::create(b, loc, own, coordinate);
    }
    Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, elements[1], own);
    // Adding -0 changes nothing, and a sum that is stored in either case takes no masked store,
    // which costs tens of cycles on some processors.
    Value value = elements[0];
    bool addsAlways = addsFloats(source.getScatter());
    if (addsAlways) {
      Value none = arith::ConstantOp::create(b, loc, b.getFloatAttr(value.getType(), -0.0));
      value = arith::SelectOp::create(b, loc, isOwn, value, none);
    }
    SmallVector<Value> combined;
    status = buildScalarRegion(b, source.getScatter(), {elements[3], value}, combined);
    if (failed(status))
      return;
    Value result = combined.front();
    if (!addsAlways)
      result = arith::SelectOp::create(b, loc, isOwn, result, elements[3]);
    linalg::YieldOp::create(b, loc, result);
  };
  auto generic = linalg::GenericOp::create(b, loc, TypeRange({splitType}), inputs, ValueRange(init),
                                           maps, iterators, body);
  Value joined = c.reshape(loc, generic.getResult(0), paddedShape);
  c.map(source.getResult(), c.slice(loc, joined, offsets, type.getShape(), ones));
  return status;
}

Value SelectAndScatter::makeIndices(Value positions) {
  OpBuilder &b = c.b;
  unsigned rank = sourceType.getRank();
  SmallVector<int64_t> shape(sourceType.getShape());
  shape.push_back(windows.size());
  auto indexType = RankedTensorType::get(shape, b.getI64Type());
  AffineMap maps[] = {getLeadingLoops(rank + 1, rank, b.getContext()),
                      AffineMap::getMultiDimIdentityMap(rank + 1, b.getContext())};
  SmallVector<utils::IteratorType> iterators(rank + 1, utils::IteratorType::parallel);
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
    };
    Value component =
        arith::IndexCastOp::create(b, loc, b.getI64Type(), linalg::IndexOp::create(b, loc, rank));
    // From the last coordinate to the first; the first keeps the sign of "none".
    Value remaining = elements[0], result;
    if (positionElement != b.getI64Type())
      remaining = arith::ExtSIOp::create(b, loc, b.getI64Type(), remaining);
    for (int64_t i = windows.size() - 1; i >= 0; --i) {
      Value size = constant(windows[i].size);
      Value coordinate =
          i == 0 ? remaining : Value(arith::RemSIOp::create(b, loc, remaining, size));
      Value isThis =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, component, constant(i));
      result =
          result ? Value(arith::SelectOp::create(b, loc, isThis, coordinate, result)) : coordinate;
      // Floor division keeps -1 at -1.
      if (i != 0)
        remaining = arith::FloorDivSIOp::create(b, loc, remaining, size);
    }
    linalg::YieldOp::create(b, loc, result);
  };
  return linalg::GenericOp::create(b, loc, indexType, positions, c.empty(loc, indexType), maps,
                                   iterators, body)
      .getResult(0);
}

LogicalResult SelectAndScatter::scatter(Value indices) {
  SmallVector<int64_t> windowDims;
  for (const WindowDim &window : windows)
    windowDims.push_back(window.dim);
  Value init = c.splat(loc, c[source.getInitValue()], type);
  auto scatter = ScatterOp::create(
      c.b, loc, TypeRange(type), indices, c[source.getSource()], init, /*update_window_dims=*/{},
      windowDims,
      /*input_batching_dims=*/batchDims, /*scatter_indices_batching_dims=*/batchDims, windowDims,
      /*index_vector_dim=*/type.getRank(), /*indices_are_unsigned=*/false,
      /*unique_indices=*/false);
  OpBuilder::InsertionGuard guard(c.b);
  Type element = type.getElementType();
  Block *body = c.b.createBlock(&scatter.getCombiner(), {}, {element, element}, {loc, loc});
  SmallVector<Value> results;
  if (failed(buildScalarRegion(c.b, source.getScatter(), body->getArguments(), results)))
    return failure();
  YieldOp::create(c.b, loc, results);
  c.map(source.getResult(), scatter.getResult(0));
  return success();
}

LogicalResult SelectAndScatter::combineWithInit() {
  LogicalResult status = success();
  Value inputs[] = {c.splat(loc, c[source.getInitValue()], type), c[source.getSource()]};
  Value result = c.elementwise(loc, inputs, type, [&](OpBuilder &b, ValueRange elements) -> Value {
    SmallVector<Value> results;
    status = buildScalarRegion(b, source.getScatter(), elements, results);
    return succeeded(status) ? results.front() : elements.front();
  });
  c.map(source.getResult(), result);
  return status;
}

static LogicalResult convertSelectAndScatter(Converter &c, Operation *op) {
  SelectAndScatter conversion(c, cast<stablehlo::SelectAndScatterOp>(op));
  if (conversion.windows.empty())
    return conversion.combineWithInit();
  FailureOr<Value> positions = conversion.selectPositions();
  if (failed(positions))
    return failure();
  if (conversion.coversFew())
    return conversion.collect(*positions);
  return conversion.scatter(conversion.makeIndices(*positions));
}

void dmc::registerSelectAndScatterConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.select_and_scatter"] = convertSelectAndScatter;
}
