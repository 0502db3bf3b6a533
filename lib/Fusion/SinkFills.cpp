//===- SinkFills.cpp - Splats beside what reads them ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "SinkFills.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace dmc;

/// A fill, or a constant with one value for all elements.
static bool isSplat(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa<linalg::FillOp>(op);
}

/// A copy at a place that the operation dominates.
static Value copyTo(OpBuilder builder, Operation *splat) {
  auto fill = dyn_cast<linalg::FillOp>(splat);
  if (!fill)
    return builder.clone(*splat)->getResult(0);
  auto type = cast<RankedTensorType>(fill->getResult(0).getType());
  Value empty = tensor::EmptyOp::create(builder, fill.getLoc(), type.getShape(),
                                        type.getElementType(), type.getEncoding());
  return linalg::FillOp::create(builder, fill.getLoc(), fill.getInputs().front(), empty)
      .getResult(0);
}

/// One copy in each block with linalg operations that read the splat from outside.
static void copyIntoBlocks(Operation *splat) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : splat->getUses())
    if (isa<linalg::LinalgOp>(use.getOwner()) && use.getOwner()->getBlock() != splat->getBlock())
      uses.push_back(&use);
  llvm::DenseMap<Block *, Value> copies;
  for (OpOperand *use : uses) {
    Block *block = use->getOwner()->getBlock();
    Value &copy = copies[block];
    if (!copy)
      copy = copyTo(OpBuilder::atBlockBegin(block), splat);
    use->set(copy);
  }
}

/// One copy for each value that a loop starts from, which is written where the loop keeps it.
static void copyForLoops(Operation *splat) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : splat->getUses())
    if (isa<scf::ForOp, scf::WhileOp>(use.getOwner()))
      uses.push_back(&use);
  if (splat->hasOneUse())
    return;
  for (OpOperand *use : llvm::reverse(uses)) // the last use comes first
    use->set(copyTo(OpBuilder(use->getOwner()), splat));
}

void dmc::sinkFills(func::FuncOp function) {
  SmallVector<Operation *> splats;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isSplat(op) && isa<RankedTensorType>(op->getResult(0).getType()))
      splats.push_back(op);
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  for (Operation *splat : splats) {
    copyIntoBlocks(splat);
    copyForLoops(splat);
    if (splat->use_empty())
      splat->erase();
  }
}
