//===- IndexTensors.cpp - Tensors of indices as integers ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index is a scalar of the program that runs; in memory it is 64 bits.
//
//===----------------------------------------------------------------------===//
#include "Normalize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dmc;

static bool isIndexTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isIndex();
}

static Type toIntegers(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(IntegerType::get(type.getContext(), 64));
}

/// Casts operands that are indices: the tensor's elements are integers now.
static void castOperands(RewriterBase &b, Operation *op, MutableArrayRef<OpOperand> operands) {
  b.setInsertionPoint(op);
  for (OpOperand &operand : operands)
    if (operand.get().getType().isIndex())
      operand.set(
          arith::IndexCastOp::create(b, op->getLoc(), b.getI64Type(), operand.get()).getOut());
}

/// Gives values of index type the integer type, and their users an index.
static void castUsers(RewriterBase &b, Value value) {
  value.setType(b.getI64Type());
  b.setInsertionPointAfterValue(value);
  auto cast = arith::IndexCastOp::create(b, value.getLoc(), b.getIndexType(), value);
  value.replaceAllUsesExcept(cast, cast);
}

static void convertBody(RewriterBase &b, linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands())
    if (BlockArgument argument = op.getMatchingBlockArgument(&operand);
        argument.getType().isIndex() && isa<RankedTensorType>(operand.get().getType()))
      castUsers(b, argument);
  Operation *yield = op.getBlock()->getTerminator();
  castOperands(b, yield, yield->getOpOperands());
}

/// A cast of tensors between index and integer.
static void convertCast(RewriterBase &b, Operation *op) {
  Value input = op->getOperand(0);
  Type type = op->getResult(0).getType();
  unsigned from = getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  b.setInsertionPoint(op);
  if (from == to)
    b.replaceOp(op, input);
  else if (from > to)
    b.replaceOpWithNewOp<arith::TruncIOp>(op, type, input);
  else if (isa<arith::IndexCastUIOp>(op))
    b.replaceOpWithNewOp<arith::ExtUIOp>(op, type, input);
  else
    b.replaceOpWithNewOp<arith::ExtSIOp>(op, type, input);
}

void dmc::convertIndexTensors(Operation *function) {
  SmallVector<Operation *> users;
  SmallVector<Value> values;
  function->walk([&](Operation *op) {
    if (llvm::any_of(op->getOperandTypes(), isIndexTensor) ||
        llvm::any_of(op->getResultTypes(), isIndexTensor))
      users.push_back(op);
    llvm::append_range(values, op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(values, block.getArguments());
  });
  for (Value value : values)
    if (isIndexTensor(value.getType()))
      value.setType(toIntegers(value.getType()));
  IRRewriter b(function->getContext());
  for (Operation *op : users) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(DenseElementsAttr::getFromRawBuffer(
            cast<ShapedType>(constant.getType()), dense.getRawData()));
    } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      convertCast(b, op);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      castUsers(b, extract.getResult());
    } else if (isa<tensor::SplatOp, tensor::FromElementsOp>(op)) {
      castOperands(b, op, op->getOpOperands());
    } else if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
      castOperands(b, op, insert.getScalarMutable());
    } else if (isa<tensor::GenerateOp, tensor::PadOp>(op)) {
      Operation *yield = op->getRegion(0).front().getTerminator();
      castOperands(b, yield, yield->getOpOperands());
    } else if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      if (isa<linalg::FillOp>(op))
        castOperands(b, op, op->getOpOperands());
      convertBody(b, structured);
    }
  }
}
