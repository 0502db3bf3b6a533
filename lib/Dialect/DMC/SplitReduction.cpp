//===- SplitReduction.cpp - Reductions by blocks --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/Dialect/DMC/SplitReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dmc;

Operation *dmc::getSplitCombiner(linalg::LinalgOp op) {
  if (!op || op->getNumResults() != 1 || op.getNumReductionLoops() == 0 ||
      !op.hasPureTensorSemantics())
    return nullptr;
  Operation *combiner = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  BlockArgument accumulator = op.getRegionOutputArgs().front();
  if (!combiner || combiner->getBlock() != op.getBlock() || combiner->getNumOperands() != 2 ||
      !accumulator.hasOneUse() || *accumulator.user_begin() != combiner ||
      !arith::getNeutralElement(combiner))
    return nullptr;
  return combiner;
}

unsigned dmc::countReducedLeadingLoops(linalg::LinalgOp op) {
  if (!getSplitCombiner(op) ||
      llvm::any_of(op.getStaticLoopRanges(), [](int64_t size) { return size <= 0; }))
    return 0;
  unsigned reduced = op.getNumReductionLoops(), loops = op.getNumLoops();
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if ((iterator == utils::IteratorType::reduction) != (loop < reduced))
      return 0;
  // Windows, whose loops are added, keep their order.
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return 0;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return out == AffineMap::getMinorIdentityMap(loops, loops - reduced, op->getContext()) ? reduced
                                                                                         : 0;
}
