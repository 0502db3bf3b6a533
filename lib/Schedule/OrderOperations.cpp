//===- OrderOperations.cpp - An order that needs little memory ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries orders of each block and keeps those whose buffer plan is smaller.
//
//===----------------------------------------------------------------------===//
#include "BufferPlan.h"
#include "OperationOrder.h"

#include "dmc/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-order-operations"

namespace dmc {
#define GEN_PASS_DEF_ORDEROPERATIONS
#include "dmc/Schedule/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

static void apply(Block &block, ArrayRef<Operation *> order) {
  for (Operation *op : order)
    op->moveBefore(block.getTerminator());
}

/// Empty tensors stand where they are used first.
static void sinkEmpty(Block &block) {
  llvm::SmallPtrSet<Operation *, 32> moved;
  for (Operation &op : block)
    op.walk([&](Operation *user) {
      for (Value operand : user->getOperands())
        if (auto empty = operand.getDefiningOp<tensor::EmptyOp>();
            empty && empty->getBlock() == &block && moved.insert(empty).second)
          empty->moveBefore(&op);
    });
}

/// Operations up to which every order is planned.
static constexpr size_t kMaxPlannedAnyway = 1000;

namespace {
struct OrderOperations : dmc::impl::OrderOperationsBase<OrderOperations> {
  using OrderOperationsBase::OrderOperationsBase;

  void runOnOperation() override {
    ProgramAttr program = ProgramAttr::of(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || !function.getBody().hasOneBlock())
        continue;
      if (failed(runOnFunction(function, program)))
        return signalPassFailure();
    }
  }

  LogicalResult runOnFunction(func::FuncOp function, ProgramAttr program) {
    FailureOr<BufferPlan> plan = BufferPlan::compute(function, program);
    if (failed(plan))
      return failure();
    best = plan->arenaBytes;
    boundaryBytes = plan->getArgumentBytes(function) + plan->getResultBytes(function);
    // Inner blocks first: theirs is the memory of the operation around them.
    SmallVector<Block *> blocks;
    function.walk<WalkOrder::PostOrder>([&](Block *block) {
      if (block->getParentOp() == function ||
          !block->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>())
        blocks.push_back(block);
    });
    for (Block *block : blocks) {
      if (best == 0)
        break;
      OrderProblem problem(*block);
      // What is estimated to gain nothing is not planned where that takes long. Estimates do
      // not know what offsets cost.
      bool isLong = problem.getTextOrder().size() > kMaxPlannedAnyway;
      int64_t peak = problem.getPeak(problem.getTextOrder());
      for (const std::vector<unsigned> &order : {orderForwards(problem), orderBackwards(problem)}) {
        int64_t estimate = problem.getPeak(order);
        if (isLong && estimate >= peak)
          continue;
        FailureOr<bool> isSmaller = tryOrder(function, program, *block, problem, order, best);
        if (failed(isSmaller))
          return failure();
        if (*isSmaller)
          peak = std::min(peak, estimate);
      }
    }
    return BufferPlan::getWaits(function) == BufferPlan::Waits::AtOnce
               ? success()
               : overlap(function, program, blocks);
  }

  /// Lets collectives run beside kernels, where that takes no more memory than those that then
  /// run at one time.
  LogicalResult overlap(func::FuncOp function, ProgramAttr program, ArrayRef<Block *> blocks) {
    for (Block *block : blocks) {
      OrderProblem problem(*block);
      std::vector<unsigned> order = orderOverlapping(problem);
      if (order == problem.getTextOrder())
        continue;
      int64_t limit = best + getFlightBytes(problem) + 1;
      if (capacity > 0)
        limit = std::min(limit, capacity - boundaryBytes + 1);
      if (failed(tryOrder(function, program, *block, problem, order, limit)))
        return failure();
    }
    return success();
  }

  /// Keeps the order if it needs less memory than that, and says so; fails if it cannot be
  /// planned.
  FailureOr<bool> tryOrder(func::FuncOp function, ProgramAttr program, Block &block,
                           const OrderProblem &problem, ArrayRef<unsigned> order, int64_t limit) {
    SmallVector<Operation *> old, chosen;
    for (Operation &op : block.without_terminator())
      old.push_back(&op);
    for (unsigned node : order)
      chosen.push_back(problem.nodes[node].op);
    apply(block, chosen);
    FailureOr<BufferPlan> plan = BufferPlan::compute(function, program);
    if (failed(plan))
      return failure();
    LDBG() << "an order of " << order.size() << " operations needs " << plan->arenaBytes
           << " bytes of arena, the best so far " << best;
    if (plan->arenaBytes >= limit) {
      apply(block, old);
      return false;
    }
    best = plan->arenaBytes;
    sinkEmpty(block);
    return true;
  }

  int64_t best = 0, boundaryBytes = 0;
};
} // namespace
