//===- LinalgRules.cpp - Factors of linalg operations ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factors are the loops: read off indexing maps, iterator types and body.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include "dmc/Dialect/DMC/Combiner.h"

using namespace mlir;
using namespace dmc;

/// True if the body reads a tensor that is not an operand: no layout says what of
/// it a position has.
static bool readsForeignTensors(linalg::LinalgOp op) {
  bool found = false;
  op.getBlock()->walk([&](Operation *nested) {
    found |= llvm::any_of(nested->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
  });
  return found;
}

/// The one combiner of all results' reductions, if there is one.
static std::optional<CombinerKind> getReductionCombiner(linalg::LinalgOp op) {
  std::optional<CombinerKind> common;
  Operation *yield = op.getBlock()->getTerminator();
  for (auto [value, accumulator] : llvm::zip(yield->getOperands(), op.getRegionOutputArgs())) {
    std::optional<CombinerKind> combiner = matchAccumulation(value, accumulator);
    if (!combiner || (common && common != combiner))
      return std::nullopt;
    common = combiner;
  }
  return common;
}

namespace {
/// What the indexing maps say about each loop.
struct Loops {
  SmallVector<int64_t> sizes;
  /// Occurs in an expression that is not just the loop, or twice in one map.
  SmallVector<bool> isWindow;
};
} // namespace

static void noteOccurrences(AffineMap map, ArrayRef<int64_t> shape, Loops &loops) {
  SmallVector<unsigned> timesInMap(loops.sizes.size());
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      loops.sizes[loop.getPosition()] = size;
      loops.isWindow[loop.getPosition()] |= ++timesInMap[loop.getPosition()] > 1;
      continue;
    }
    expr.walk([&](AffineExpr part) {
      if (auto loop = dyn_cast<AffineDimExpr>(part))
        loops.isWindow[loop.getPosition()] = true;
    });
  }
}

ShardingRule dmc::rules::getLinalgRule(linalg::LinalgOp op) {
  if (readsForeignTensors(op))
    return getReplicatedRule(op);

  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  Loops loops;
  loops.sizes.assign(iterators.size(), 1);
  loops.isWindow.assign(iterators.size(), false);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [operand, map] : llvm::zip_equal(op->getOpOperands(), maps))
    if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()))
      noteOccurrences(map, type.getShape(), loops);

  SmallVector<bool> indexesEveryResult(iterators.size(), true);
  SmallVector<bool> indexesSomeResult(iterators.size(), false);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = maps[init.getOperandNumber()];
    for (unsigned loop = 0; loop < iterators.size(); ++loop) {
      bool isIndexed = map.isFunctionOfDim(loop);
      indexesEveryResult[loop] = indexesEveryResult[loop] && isIndexed;
      indexesSomeResult[loop] = indexesSomeResult[loop] || isIndexed;
    }
  }

  ShardingRule rule;
  std::optional<CombinerKind> combiner;
  if (llvm::is_contained(iterators, utils::IteratorType::reduction))
    combiner = getReductionCombiner(op);
  for (auto [loop, iterator] : llvm::enumerate(iterators)) {
    int64_t size = loops.sizes[loop];
    if (loops.isWindow[loop])
      rule.addFactor(size, FactorKind::Window);
    else if (iterator == utils::IteratorType::parallel && indexesEveryResult[loop])
      rule.addFactor(size);
    else if (iterator == utils::IteratorType::reduction && combiner && !indexesSomeResult[loop])
      rule.addFactor(size, FactorKind::Reduction, combiner);
    else
      rule.addFactor(size, FactorKind::NeedsReplication);
  }

  auto getFactors = [&](Value value, AffineMap map) {
    ValueFactors factors;
    auto shape = cast<RankedTensorType>(value.getType()).getShape();
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      factors.push_back(
          {loop ? loop.getPosition() : rule.addFactor(size, FactorKind::NeedsReplication)});
    }
    return factors;
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      rule.operands.push_back(getFactors(operand.get(), maps[operand.getOperandNumber()]));
  for (OpResult result : getTensorResults(op))
    rule.results.push_back(
        getFactors(result, maps[op.getTiedOpOperand(result)->getOperandNumber()]));
  // One factor for a dimension of a destination and of its result.
  for (auto [result, destination] : llvm::zip_equal(rule.results, getDestinations(op)))
    if (destination)
      rule.operands[*destination] = result;
  return rule;
}
