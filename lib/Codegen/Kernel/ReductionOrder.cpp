//===- ReductionOrder.cpp - Which reductions keep their order -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/ReductionOrder.h"

#include "dmc/Dialect/DMC/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dmc;

/// Whether a result is accumulated by an operation that is associative and commutative, but for the
/// rounding of floats.
static bool hasCombiner(linalg::LinalgOp op, unsigned result) {
  Value yielded = op.getBlock()->getTerminator()->getOperand(result);
  BlockArgument accumulator = op.getRegionOutputArgs()[result];
  if (matchAccumulation(yielded, accumulator))
    return true;
  Operation *combiner = yielded.getDefiningOp();
  if (!isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp, arith::MinUIOp>(
          combiner))
    return false;
  // The accumulator is read by the combiner alone.
  return accumulator.hasOneUse() && *accumulator.user_begin() == combiner;
}

/// Whether an element of an input belongs to several windows: an index is the sum of a parallel and
/// a reduction loop. A convolution, whose elements are products of two inputs, is none.
static bool reducesWindows(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  unsigned numRead = 0;
  bool hasWindow = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getMatchingBlockArgument(input).use_empty())
      continue;
    ++numRead;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
      bool isOver[2] = {false, false};
      for (auto [loop, iterator] : llvm::enumerate(iterators))
        if (expr.isFunctionOfDim(loop))
          isOver[iterator == utils::IteratorType::reduction] = true;
      hasWindow |= isOver[0] && isOver[1];
    }
  }
  return hasWindow && numRead <= op->getNumResults();
}

bool codegen::mayReorder(linalg::LinalgOp op) {
  for (unsigned result = 0; result < op->getNumResults(); ++result)
    if (!hasCombiner(op, result))
      return false;
  return !reducesWindows(op);
}
