//===- ConvertShape.cpp - Operations that move elements -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broadcast, reshape, transpose, slice, concatenate, iota; pad and reverse.
//
//===----------------------------------------------------------------------===//
#include "Conversion.h"

using namespace mlir;
using namespace dmc;

static LogicalResult convertBroadcastInDim(Converter &c, Operation *op) {
  auto source = cast<stablehlo::BroadcastInDimOp>(op);
  c.map(source.getResult(),
        c.broadcast(op->getLoc(), c[source.getOperand()], c.typeOf(source.getResult()),
                    source.getBroadcastDimensions()));
  return success();
}

static LogicalResult convertReshape(Converter &c, Operation *op) {
  auto source = cast<stablehlo::ReshapeOp>(op);
  c.map(source.getResult(),
        c.reshape(op->getLoc(), c[source.getOperand()], c.typeOf(source.getResult()).getShape()));
  return success();
}

static LogicalResult convertTranspose(Converter &c, Operation *op) {
  auto source = cast<stablehlo::TransposeOp>(op);
  Value operand = c[source.getOperand()];
  TypedAttr element = c.getSplat(operand);
  c.map(source.getResult(), element ? c.fill(op->getLoc(), element, c.typeOf(source.getResult()))
                                    : c.transpose(op->getLoc(), operand, source.getPermutation()));
  return success();
}

static LogicalResult convertSlice(Converter &c, Operation *op) {
  auto source = cast<stablehlo::SliceOp>(op);
  c.map(source.getResult(), c.slice(op->getLoc(), c[source.getOperand()], source.getStartIndices(),
                                    c.typeOf(source.getResult()).getShape(), source.getStrides()));
  return success();
}

static LogicalResult convertConcatenate(Converter &c, Operation *op) {
  auto source = cast<stablehlo::ConcatenateOp>(op);
  int64_t dim = source.getDimension();
  // Inputs without elements add nothing.
  SmallVector<Value> inputs;
  for (Value input : source.getInputs())
    if (c.typeOf(input).getDimSize(dim) != 0)
      inputs.push_back(c[input]);
  if (inputs.empty())
    inputs.push_back(c[source.getInputs().front()]);
  Value result = inputs.size() == 1
                     ? inputs.front()
                     : Value(tensor::ConcatOp::create(c.b, op->getLoc(),
                                                      c.typeOf(source.getResult()), dim, inputs));
  c.map(source.getResult(), result);
  return success();
}

static LogicalResult convertIota(Converter &c, Operation *op) {
  auto source = cast<stablehlo::IotaOp>(op);
  c.map(source.getOutput(),
        c.iota(op->getLoc(), c.typeOf(source.getOutput()), source.getIotaDimension()));
  return success();
}

static LogicalResult convertPad(Converter &c, Operation *op) {
  auto source = cast<stablehlo::PadOp>(op);
  c.map(source.getResult(), c.pad(op->getLoc(), c[source.getOperand()], c[source.getPaddingValue()],
                                  source.getEdgePaddingLow(), source.getEdgePaddingHigh(),
                                  source.getInteriorPadding()));
  return success();
}

static LogicalResult convertReverse(Converter &c, Operation *op) {
  auto source = cast<stablehlo::ReverseOp>(op);
  c.map(source.getResult(),
        c.reverse(op->getLoc(), c[source.getOperand()], source.getDimensions()));
  return success();
}

void dmc::registerShapeConversions(llvm::StringMap<OpConversion> &conversions) {
  conversions["stablehlo.broadcast_in_dim"] = convertBroadcastInDim;
  conversions["stablehlo.concatenate"] = convertConcatenate;
  conversions["stablehlo.iota"] = convertIota;
  conversions["stablehlo.pad"] = convertPad;
  conversions["stablehlo.reshape"] = convertReshape;
  conversions["stablehlo.reverse"] = convertReverse;
  conversions["stablehlo.slice"] = convertSlice;
  conversions["stablehlo.transpose"] = convertTranspose;
}
