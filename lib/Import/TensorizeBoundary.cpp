//===- TensorizeBoundary.cpp - Scalars at the entry's boundary ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmc-tensorize-boundary: scalar arguments and results of the entry become
// tensors of rank 0, tensors of indices ones of integers.
//
//===----------------------------------------------------------------------===//
#include "Normalize.h"
#include "dmc/Import/Import.h"
#include "dmc/Import/Passes.h"

using namespace mlir;

namespace dmc {
#define GEN_PASS_DEF_TENSORIZEBOUNDARY
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

/// The tensor that stands for a scalar; null for other types. Indices are 64 bits.
static RankedTensorType getTensorOf(Type type) {
  if (type.isIndex())
    return RankedTensorType::get({}, IntegerType::get(type.getContext(), 64));
  return type.isIntOrFloat() ? RankedTensorType::get({}, type) : RankedTensorType();
}

/// Gives the scalar argument the tensor's type.
static void tensorize(BlockArgument argument, OpBuilder &b) {
  Type scalar = argument.getType();
  Location loc = argument.getLoc();
  argument.setType(getTensorOf(scalar));
  auto element = tensor::ExtractOp::create(b, loc, argument, ValueRange());
  Value value = element;
  if (scalar.isIndex())
    value = arith::IndexCastOp::create(b, loc, scalar, element);
  argument.replaceAllUsesExcept(value, element);
}

static Value tensorize(Value result, Location loc, OpBuilder &b) {
  RankedTensorType type = getTensorOf(result.getType());
  if (result.getType().isIndex())
    result = arith::IndexCastOp::create(b, loc, type.getElementType(), result);
  return tensor::FromElementsOp::create(b, loc, type, result);
}

namespace {
struct TensorizeBoundary : dmc::impl::TensorizeBoundaryBase<TensorizeBoundary> {
  void runOnOperation() override {
    // A program's signature is settled.
    if (dmc::ProgramAttr::of(getOperation()))
      return markAllAnalysesPreserved();
    FailureOr<func::FuncOp> entry = dmc::getEntry(getOperation());
    if (failed(entry))
      return signalPassFailure();
    dmc::convertIndexTensors(*entry);
    auto isScalar = [](Type type) { return !!getTensorOf(type); };
    Block &body = entry->getBody().front();
    OpBuilder b = OpBuilder::atBlockBegin(&body);
    for (BlockArgument argument : body.getArguments())
      if (isScalar(argument.getType()))
        tensorize(argument, b);
    Operation *end = body.getTerminator();
    b.setInsertionPoint(end);
    for (OpOperand &operand : end->getOpOperands())
      if (isScalar(operand.get().getType()))
        operand.set(tensorize(operand.get(), end->getLoc(), b));
    entry->setFunctionType(b.getFunctionType(body.getArgumentTypes(), end->getOperandTypes()));
  }
};
} // namespace
