//===- NormalizeControl.cpp - Parallel loops in forms of level 0 ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scf.forall becomes nested loops that hand the shared tensors on.
//
//===----------------------------------------------------------------------===//
#include "Normalize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dmc;

static Value toValue(RewriterBase &b, Location loc, OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(b, loc, value);
}

/// Iterations of a forall write disjoint parts, so that their order is free.
static LogicalResult normalizeForall(RewriterBase &b, Operation *op) {
  auto forall = cast<scf::ForallOp>(op);
  Location loc = op->getLoc();
  SmallVector<Value> carried(forall.getOutputs()), indices;
  SmallVector<scf::ForOp> loops;
  SmallVector<OpFoldResult> lower = forall.getMixedLowerBound(),
                            upper = forall.getMixedUpperBound(), step = forall.getMixedStep();
  for (auto [from, to, by] : llvm::zip_equal(lower, upper, step)) {
    auto loop = scf::ForOp::create(b, loc, toValue(b, loc, from), toValue(b, loc, to),
                                   toValue(b, loc, by), carried);
    if (Block *body = loop.getBody(); body->mightHaveTerminator())
      b.eraseOp(body->getTerminator());
    loops.push_back(loop);
    indices.push_back(loop.getInductionVar());
    carried = SmallVector<Value>(loop.getRegionIterArgs());
    b.setInsertionPointToEnd(loop.getBody());
  }
  scf::InParallelOp end = forall.getTerminator();
  Block *from = forall.getBody();
  SmallVector<Value> arguments(indices);
  llvm::append_range(arguments, carried);
  Block *innermost = loops.back().getBody();
  b.inlineBlockBefore(from, innermost, innermost->end(), arguments);
  b.setInsertionPoint(end);
  SmallVector<Value> next(carried);
  for (Operation &nested : llvm::make_early_inc_range(end.getRegion().front())) {
    // No other operation may stand here.
    auto insert = cast<tensor::ParallelInsertSliceOp>(nested);
    auto *place = llvm::find(carried, insert.getDest());
    Value &value = next[place - carried.begin()];
    value = tensor::InsertSliceOp::create(b, nested.getLoc(), insert.getSource(), value,
                                          insert.getMixedOffsets(), insert.getMixedSizes(),
                                          insert.getMixedStrides());
  }
  scf::YieldOp::create(b, loc, next);
  b.eraseOp(end);
  for (size_t i = loops.size() - 1; i-- > 0;) {
    b.setInsertionPointToEnd(loops[i].getBody());
    scf::YieldOp::create(b, loc, loops[i + 1].getResults());
  }
  b.replaceOp(op, loops.front().getResults());
  return success();
}

/// A chain of choices.
static LogicalResult normalizeSwitch(RewriterBase &b, Operation *op) {
  auto choice = cast<scf::IndexSwitchOp>(op);
  Location loc = op->getLoc();
  scf::IfOp first;
  for (auto [number, region] : llvm::zip_equal(choice.getCases(), choice.getCaseRegions())) {
    Value constant = arith::ConstantIndexOp::create(b, loc, number);
    Value isThis =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, choice.getArg(), constant);
    OperationState state(loc, scf::IfOp::getOperationName());
    state.addOperands(isThis);
    state.addTypes(op->getResultTypes());
    state.addRegion();
    state.addRegion();
    auto next = cast<scf::IfOp>(b.create(state));
    next.getThenRegion().takeBody(region);
    b.createBlock(&next.getElseRegion());
    if (!first)
      first = next;
    b.setInsertionPointToEnd(next.elseBlock());
  }
  // The innermost one's other branch is the default; each hands its results out.
  Region &rest = choice.getDefaultRegion();
  Operation *end = rest.front().getTerminator();
  SmallVector<Value> results(end->getOperands());
  Block *place = b.getInsertionBlock();
  if (!first) {
    b.eraseOp(end);
    b.inlineBlockBefore(&rest.front(), op);
    b.replaceOp(op, results);
    return success();
  }
  b.eraseOp(end);
  b.inlineBlockBefore(&rest.front(), place, place->end());
  b.setInsertionPointToEnd(place);
  scf::YieldOp::create(b, loc, results);
  for (auto inner = cast<scf::IfOp>(place->getParentOp()); inner != first;) {
    auto outer = cast<scf::IfOp>(inner->getParentOp());
    b.setInsertionPointToEnd(outer.elseBlock());
    scf::YieldOp::create(b, loc, inner.getResults());
    inner = outer;
  }
  b.replaceOp(op, first);
  return success();
}

/// A condition that always holds is dropped from the program.
static LogicalResult dropAssertion(RewriterBase &b, Operation *op) {
  if (matchPattern(op->getOperand(0), m_One()))
    b.eraseOp(op);
  return success();
}

void dmc::registerControlNormalizations(Normalizations &table) {
  table["cf.assert"] = dropAssertion;
  table["scf.forall"] = normalizeForall;
  table["scf.index_switch"] = normalizeSwitch;
}
