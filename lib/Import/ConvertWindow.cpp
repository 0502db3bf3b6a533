//===- ConvertWindow.cpp - Reductions over windows ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce_window: a generic over the padded inputs with one loop for each window
// dimension, whose extent a second, empty operand gives.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dmc;

static LogicalResult convertReduceWindow(Converter &c, Operation *op) {
  auto source = cast<stablehlo::ReduceWindowOp>(op);
  Location loc = op->getLoc();
  OpBuilder &b = c.b;
  int64_t rank = c.typeOf(source.getInputs().front()).getRank();
  ArrayRef<int64_t> window = source.getWindowDimensions();

  SmallVector<int64_t> low, high, interior, windowShape;
  SmallVector<AffineExpr> inputExprs, windowExprs;
  for (int64_t dim = 0; dim < rank; ++dim) {
    low.push_back(source.getPaddingLow(dim));
    high.push_back(source.getPaddingHigh(dim));
    interior.push_back(source.getBaseDilation(dim) - 1);
    AffineExpr expr = b.getAffineDimExpr(dim) * source.getStride(dim);
    // A window of one element needs no loop.
    if (window[dim] != 1) {
      windowExprs.push_back(b.getAffineDimExpr(rank + windowShape.size()));
      windowShape.push_back(window[dim]);
      expr = expr + windowExprs.back() * source.getWindowDilation(dim);
    }
    inputExprs.push_back(expr);
  }
  unsigned numLoops = rank + windowShape.size();
  AffineMap inputMap = AffineMap::get(numLoops, 0, inputExprs, b.getContext());
  AffineMap resultMap = getLeadingLoops(numLoops, rank, b.getContext());

  SmallVector<Value> inputs, inits;
  SmallVector<Type> types;
  SmallVector<AffineMap> maps;
  for (auto [input, init, result] :
       llvm::zip(source.getInputs(), source.getInitValues(), source->getResults())) {
    inputs.push_back(c.pad(loc, c[input], c[init], low, high, interior));
    maps.push_back(inputMap);
    types.push_back(c.typeOf(result));
    inits.push_back(c.splat(loc, c[init], c.typeOf(result)));
  }
  unsigned numInputs = inputs.size();
  if (!windowShape.empty()) {
    Type element = getElementTypeOrSelf(inputs.front());
    inputs.push_back(c.empty(loc, RankedTensorType::get(windowShape, element)));
    maps.push_back(AffineMap::get(numLoops, 0, windowExprs, b.getContext()));
  }
  maps.append(numInputs, resultMap);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.append(windowShape.size(), utils::IteratorType::reduction);

  LogicalResult status = success();
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
    SmallVector<Value> arguments(elements.take_back(numInputs));
    llvm::append_range(arguments, elements.take_front(numInputs));
    SmallVector<Value> results;
    status = buildScalarRegion(b, source.getBody(), arguments, results);
    if (succeeded(status))
      linalg::YieldOp::create(b, loc, results);
  };
  auto generic = linalg::GenericOp::create(b, loc, types, inputs, inits, maps, iterators, body);
  c.map(op, generic.getResults());
  return status;
}

void dmc::registerWindowConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.reduce_window"] = convertReduceWindow;
}
