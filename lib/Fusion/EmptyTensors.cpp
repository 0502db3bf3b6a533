//===- EmptyTensors.cpp - Values of tensors without a value ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "EmptyTensors.h"

#include "dmc/Dialect/Comm/Comm.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dmc;

/// True if the value is read anywhere, by more than an operation that overwrites all of it.
static bool isRead(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return !linalgOp || !linalgOp.isDpsInit(&use) ||
           !linalgOp.getMatchingBlockArgument(&use).use_empty();
  });
}

/// The value that the body of a loop has for what the loop starts from; null for others.
static Value getCarried(OpOperand &use) {
  if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
    return loop.getTiedLoopRegionIterArg(&use);
  if (auto loop = dyn_cast<scf::WhileOp>(use.getOwner()))
    return loop.getBeforeArguments()[use.getOperandNumber()];
  return {};
}

/// True where an operation that is in no kernel needs a value.
static bool needsValue(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto collective = dyn_cast<comm::CollectiveOpInterface>(op))
    return use.get() != collective.getDestination() || collective.getOperandValue() == use.get();
  if (Value carried = getCarried(use))
    return isRead(carried);
  return isa<scf::YieldOp, scf::ConditionOp, func::ReturnOp, tensor::ExtractOp>(op);
}

static void replaceReshape(Operation *op) {
  if (!op->getOperand(0).getDefiningOp<tensor::EmptyOp>())
    return;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  OpBuilder builder(op);
  op->getResult(0).replaceAllUsesWith(
      tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(), type.getElementType()));
  op->erase();
}

static void fillWithZeros(tensor::EmptyOp empty) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : empty->getUses())
    if (needsValue(use))
      uses.push_back(&use);
  RankedTensorType type = empty.getType();
  if (uses.empty() || type.getNumElements() == 0)
    return;
  OpBuilder builder(empty);
  builder.setInsertionPointAfter(empty);
  Value zero = arith::ConstantOp::create(builder, empty.getLoc(),
                                         builder.getZeroAttr(type.getElementType()));
  Value filled =
      linalg::FillOp::create(builder, empty.getLoc(), zero, empty.getResult()).getResult(0);
  for (OpOperand *use : uses)
    use->set(filled);
}

void dmc::defineEmptyTensors(func::FuncOp function) {
  function.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<linalg::LinalgOp>(op))
      return WalkResult::skip();
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      replaceReshape(op);
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  SmallVector<tensor::EmptyOp> empties;
  function.walk([&](tensor::EmptyOp op) { empties.push_back(op); });
  for (tensor::EmptyOp empty : empties)
    fillWithZeros(empty);
}
