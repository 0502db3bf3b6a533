//===- ConvertReduction.cpp - Reductions over whole dimensions ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce of any number of inputs by any body; map with a body.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dmc;

static LogicalResult convertReduce(Converter &c, Operation *op) {
  auto source = cast<stablehlo::ReduceOp>(op);
  SmallVector<Value> inputs, inits;
  for (auto [input, init, result] :
       llvm::zip(source.getInputs(), source.getInitValues(), source->getResults())) {
    inputs.push_back(c[input]);
    inits.push_back(c.splat(op->getLoc(), c[init], c.typeOf(result)));
  }
  SmallVector<int64_t> dims(source.getDimensions());
  llvm::sort(dims);
  // StableHLO's body takes (accumulators, elements), linalg's the other way round.
  LogicalResult status = success();
  auto body = [&](OpBuilder &b, Location loc, ValueRange elements) {
    SmallVector<Value> arguments(elements.drop_front(inputs.size()));
    llvm::append_range(arguments, elements.take_front(inputs.size()));
    SmallVector<Value> results;
    status = buildScalarRegion(b, source.getBody(), arguments, results);
    if (succeeded(status))
      linalg::YieldOp::create(b, loc, results);
  };
  auto reduce = linalg::ReduceOp::create(c.b, op->getLoc(), inputs, inits, dims, body);
  c.map(op, reduce.getResults());
  return status;
}

static LogicalResult convertMap(Converter &c, Operation *op) {
  auto source = cast<stablehlo::MapOp>(op);
  SmallVector<Value> inputs;
  for (Value input : source.getInputs())
    inputs.push_back(c[input]);
  LogicalResult status = success();
  Value result =
      c.elementwise(op->getLoc(), inputs, c.typeOf(source.getResult()),
                    [&](OpBuilder &b, ValueRange elements) -> Value {
                      SmallVector<Value> results;
                      status = buildScalarRegion(b, source.getComputation(), elements, results);
                      return succeeded(status) ? results.front() : elements.front();
                    });
  c.map(source.getResult(), result);
  return status;
}

void dmc::registerReductionConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.map"] = convertMap;
  conversions["stablehlo.reduce"] = convertReduce;
}
