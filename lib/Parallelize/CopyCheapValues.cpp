//===- CopyCheapValues.cpp - dmc-copy-cheap-values ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is made from scalars and constants alone is recomputed for each user, so
// that its uses do not share one layout.
//
//===----------------------------------------------------------------------===//
#include "dmc/Parallelize/Passes.h"

#include "Factors.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-copy-cheap-values"

namespace dmc {
#define GEN_PASS_DEF_COPYCHEAPVALUES
#include "dmc/Parallelize/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

namespace {
struct CopyCheapValues : dmc::impl::CopyCheapValuesBase<CopyCheapValues> {
  using CopyCheapValuesBase::CopyCheapValuesBase;

  void runOnOperation() override;
  bool isCheap(Operation *op) const;
  Value copy(Value value, IRMapping &copies, OpBuilder &builder);

  /// How many operations make a cheap value.
  DenseMap<Operation *, unsigned> costs;
};
} // namespace

/// True if a tensor is made elementwise of scalars, constants and cheap tensors.
bool CopyCheapValues::isCheap(Operation *op) const {
  if (isLayoutAgnostic(op) || op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getRank() == 0)
    return false;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (linalgOp.getNumReductionLoops() != 0)
      return false;
  } else if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp>(op)) {
    return false;
  }
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    Operation *producer = operand.getDefiningOp();
    return !tensor || tensor.getRank() == 0 ||
           (producer && (isLayoutAgnostic(producer) || costs.contains(producer)));
  });
}

/// Copies all that makes a cheap value, once for each user.
Value CopyCheapValues::copy(Value value, IRMapping &copies, OpBuilder &builder) {
  Operation *op = value.getDefiningOp();
  if (!op || !costs.contains(op))
    return value;
  if (Value known = copies.lookupOrNull(value))
    return known;
  for (Value operand : op->getOperands())
    if (Value made = copy(operand, copies, builder); made != operand)
      copies.map(operand, made);
  return builder.clone(*op, copies)->getResult(0);
}

void CopyCheapValues::runOnOperation() {
  ProgramAttr program = ProgramAttr::of(getOperation());
  if (!program || program.getLevel() != Level::tensor)
    return;
  FailureOr<func::FuncOp> entry = getEntryFunction(getOperation());
  if (failed(entry))
    return signalPassFailure();

  SmallVector<Operation *> cheap, users;
  entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<func::FuncOp>(op))
      return WalkResult::advance();
    if (isCheap(op)) {
      unsigned cost = 1;
      for (Value operand : op->getOperands())
        cost += costs.lookup(operand.getDefiningOp());
      // Beyond that a copy for each user is not cheap.
      if (cost <= 16) {
        costs[op] = cost;
        cheap.push_back(op);
        return WalkResult::skip();
      }
    }
    if (llvm::any_of(op->getOperands(),
                     [&](Value value) { return costs.contains(value.getDefiningOp()); }))
      users.push_back(op);
    return isa<RegionBranchOpInterface>(op) ? WalkResult::advance() : WalkResult::skip();
  });

  LDBG() << cheap.size() << " cheap operations, copied for " << users.size() << " users";
  for (Operation *user : users) {
    IRMapping copies;
    OpBuilder builder(user);
    for (OpOperand &operand : user->getOpOperands())
      operand.set(copy(operand.get(), copies, builder));
  }
  for (Operation *op : llvm::reverse(cheap))
    if (op->use_empty())
      op->erase();
}
