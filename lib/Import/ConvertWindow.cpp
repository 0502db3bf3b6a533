//===- ConvertWindow.cpp - Reductions over windows ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce_window: a generic over the padded inputs with one loop for each window
// dimension, whose extent a second, empty operand gives.
//
//===----------------------------------------------------------------------===//
#include "Windows.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dmc;

LogicalResult dmc::buildWindows(Converter &c, Location loc, const Windows &windows,
                                ValueRange inputs, ValueRange inits,
                                ArrayRef<RankedTensorType> types, Region &combiner,
                                SmallVectorImpl<Value> &results) {
  OpBuilder &b = c.b;
  int64_t rank = windows.size.size();
  SmallVector<AffineExpr> inputExprs, windowExprs;
  SmallVector<int64_t> windowShape;
  for (int64_t dim = 0; dim < rank; ++dim) {
    AffineExpr expr = b.getAffineDimExpr(dim) * windows.stride[dim];
    // A window of one element needs no loop.
    if (windows.size[dim] != 1) {
      windowExprs.push_back(b.getAffineDimExpr(rank + windowShape.size()));
      windowShape.push_back(windows.size[dim]);
      expr = expr + windowExprs.back() * windows.dilation[dim];
    }
    inputExprs.push_back(expr);
  }
  unsigned numLoops = rank + windowShape.size(), numInputs = inputs.size();
  AffineMap inputMap = AffineMap::get(numLoops, 0, inputExprs, b.getContext());
  AffineMap resultMap = getLeadingLoops(numLoops, rank, b.getContext());

  SmallVector<Value> operands, starts;
  SmallVector<AffineMap> maps(numInputs, inputMap);
  for (auto [input, init, type] : llvm::zip_equal(inputs, inits, types)) {
    operands.push_back(c.pad(loc, input, init, windows.low, windows.high, windows.interior));
    starts.push_back(c.splat(loc, init, type));
  }
  if (!windowShape.empty()) {
    Type element = getElementTypeOrSelf(operands.front());
    operands.push_back(c.empty(loc, RankedTensorType::get(windowShape, element)));
    maps.push_back(AffineMap::get(numLoops, 0, windowExprs, b.getContext()));
  }
  maps.append(numInputs, resultMap);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.append(windowShape.size(), utils::IteratorType::reduction);

  LogicalResult status = success();
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
    SmallVector<Value> arguments(elements.take_back(numInputs)), values;
    llvm::append_range(arguments, elements.take_front(numInputs));
    status = buildScalarRegion(b, combiner, arguments, values);
    if (succeeded(status))
      linalg::YieldOp::create(b, loc, values);
  };
  SmallVector<Type> resultTypes(types);
  auto generic =
      linalg::GenericOp::create(b, loc, resultTypes, operands, starts, maps, iterators, body);
  results.assign(generic.getResults().begin(), generic.getResults().end());
  return status;
}

static LogicalResult convertReduceWindow(Converter &c, Operation *op) {
  auto source = cast<stablehlo::ReduceWindowOp>(op);
  int64_t rank = c.typeOf(source.getInputs().front()).getRank();
  Windows windows(rank);
  windows.size.assign(source.getWindowDimensions().begin(), source.getWindowDimensions().end());
  for (int64_t dim = 0; dim < rank; ++dim) {
    windows.low[dim] = source.getPaddingLow(dim);
    windows.high[dim] = source.getPaddingHigh(dim);
    windows.interior[dim] = source.getBaseDilation(dim) - 1;
    windows.stride[dim] = source.getStride(dim);
    windows.dilation[dim] = source.getWindowDilation(dim);
  }
  SmallVector<Value> inputs, inits, results;
  SmallVector<RankedTensorType> types;
  for (auto [input, init, result] :
       llvm::zip(source.getInputs(), source.getInitValues(), source->getResults())) {
    inputs.push_back(c[input]);
    inits.push_back(c[init]);
    types.push_back(c.typeOf(result));
  }
  if (std::optional<Prefixes> prefixes = findPrefixes(windows, inputs, inits, source.getBody())) {
    FailureOr<Value> result = prefixes->build(c, op->getLoc(), inputs.front());
    if (failed(result))
      return failure();
    c.map(source->getResult(0), *result);
    return success();
  }
  LogicalResult status =
      buildWindows(c, op->getLoc(), windows, inputs, inits, types, source.getBody(), results);
  c.map(op, results);
  return status;
}

void dmc::registerWindowConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.reduce_window"] = convertReduceWindow;
}
