//===- ComputeOpsSharding.cpp - How gather, scatter and slices may be split ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of the compute operations with run-time indices, and the scalar
// operations that are combiners.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/Combiner.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

std::optional<CombinerKind> dmc::matchCombiner(Operation *op) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  // On i1 true is -1 as a signed number: signed maximum is and.
  bool isBool = op->getResult(0).getType().isInteger(1);
  using Result = std::optional<CombinerKind>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddFOp>([](auto) { return CombinerKind::sum; })
      .Case<arith::MulFOp>([](auto) { return CombinerKind::prod; })
      .Case<arith::MaximumFOp>([](auto) { return CombinerKind::max; })
      .Case<arith::MinimumFOp>([](auto) { return CombinerKind::min; })
      .Case<arith::AddIOp>([&](auto) { return isBool ? Result() : CombinerKind::sum; })
      .Case<arith::MulIOp>([&](auto) { return isBool ? CombinerKind::min : CombinerKind::prod; })
      .Case<arith::MaxSIOp>([&](auto) { return isBool ? CombinerKind::min : CombinerKind::max; })
      .Case<arith::MinSIOp>([&](auto) { return isBool ? CombinerKind::max : CombinerKind::min; })
      .Case<arith::MaxUIOp, arith::OrIOp>(
          [&](auto) { return isBool ? Result(CombinerKind::max) : Result(); })
      .Case<arith::MinUIOp, arith::AndIOp>(
          [&](auto) { return isBool ? Result(CombinerKind::min) : Result(); })
      .Default([](auto) { return Result(); });
}

/// True if `value` depends on `argument`, both within one block.
static bool dependsOn(Value value, BlockArgument argument) {
  if (value == argument)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != argument.getOwner())
    return false;
  // Bodies are a handful of scalar operations: no need to remember visits.
  return op->getNumRegions() != 0 ||
         llvm::any_of(op->getOperands(), [&](Value v) { return dependsOn(v, argument); });
}

std::optional<CombinerKind> dmc::matchAccumulation(Value yielded, BlockArgument accumulator) {
  Operation *op = yielded.getDefiningOp();
  if (!op || op->getNumOperands() != 2 || !accumulator.hasOneUse())
    return std::nullopt;
  Value other;
  if (op->getOperand(0) == accumulator)
    other = op->getOperand(1);
  else if (op->getOperand(1) == accumulator)
    other = op->getOperand(0);
  if (!other || dependsOn(other, accumulator))
    return std::nullopt;
  // acc - f sums the values -f.
  if (isa<arith::SubFOp, arith::SubIOp>(op) && op->getOperand(0) == accumulator &&
      !op->getResult(0).getType().isInteger(1))
    return CombinerKind::sum;
  return matchCombiner(op);
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static int64_t sizeOf(Value value, int64_t dim) {
  return cast<RankedTensorType>(value.getType()).getDimSize(dim);
}

static int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

/// An entry of as many dimensions as the value has, to be filled in.
static ValueFactors dimensionsOf(Value value) { return ValueFactors(rankOf(value)); }

/// The dimensions of a value that are not listed.
static SmallVector<int64_t> otherDims(int64_t rank, ArrayRef<int64_t> listed) {
  SmallVector<int64_t> result;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(listed, d))
      result.push_back(d);
  return result;
}

static std::optional<size_t> positionOf(ArrayRef<int64_t> list, int64_t value) {
  auto it = llvm::find(list, value);
  if (it == list.end())
    return std::nullopt;
  return it - list.begin();
}

/// What each result is if the operands in `required` must be partial jointly and
/// those in `ignored` are not read.
static std::optional<SmallVector<std::optional<CombinerKind>>>
partialJointly(const llvm::BitVector &partial, ArrayRef<unsigned> required,
               ArrayRef<unsigned> ignored, CombinerKind combiner) {
  for (unsigned i = 0; i < partial.size(); ++i)
    if (!llvm::is_contained(ignored, i) && partial[i] != llvm::is_contained(required, i))
      return std::nullopt;
  return SmallVector<std::optional<CombinerKind>>{combiner};
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

ShardingRule GatherOp::getShardingRule() {
  ShardingRule rule;
  ValueFactors operand = dimensionsOf(getOperand()), indices = dimensionsOf(getIndices()),
               result = dimensionsOf(getResult());

  // The result's batch dimensions are the indices' dimensions but the vector.
  SmallVector<int64_t> batch = otherDims(rankOf(getResult()), getOffsetDims());
  unsigned next = 0;
  for (int64_t d = 0, e = rankOf(getIndices()); d < e; ++d) {
    bool isVector = d == static_cast<int64_t>(getIndexVectorDim());
    unsigned factor = rule.addFactor(
        sizeOf(getIndices(), d), isVector ? FactorKind::NeedsReplication : FactorKind::Parallel);
    indices[d] = {factor};
    if (!isVector)
      result[batch[next++]] = {factor};
  }

  // A rank that has only some of the rows contributes those that are asked for.
  bool isBool = cast<RankedTensorType>(getResult().getType()).getElementType().isInteger(1);
  CombinerKind combiner = isBool ? CombinerKind::max : CombinerKind::sum;
  unsigned nextOffset = 0;
  for (int64_t d = 0, e = rankOf(getOperand()); d < e; ++d) {
    int64_t size = sizeOf(getOperand(), d);
    if (auto k = positionOf(getOperandBatchingDims(), d)) {
      operand[d] = indices[getStartIndicesBatchingDims()[*k]];
      continue;
    }
    bool isCollapsed = llvm::is_contained(getCollapsedSliceDims(), d);
    int64_t slice = getSliceSizes()[d],
            offsetDim = isCollapsed ? -1 : getOffsetDims()[nextOffset++];
    if (!isCollapsed && slice == size) {
      operand[d] = result[offsetDim] = {rule.addFactor(size)};
      continue;
    }
    // Of slices of one element a rank has all or nothing; without an index they are at 0.
    operand[d] = {slice == 1 ? rule.addFactor(size, FactorKind::Reduction, combiner)
                             : rule.addFactor(size, FactorKind::NeedsReplication)};
    if (!isCollapsed)
      result[offsetDim] = {rule.addFactor(slice, FactorKind::NeedsReplication)};
  }
  rule.operands = {operand, indices, result};
  rule.results = {result};
  return rule;
}

std::optional<SmallVector<std::optional<CombinerKind>>>
GatherOp::getPartialResults(const llvm::BitVector &partial, CombinerKind combiner) {
  return partialJointly(partial, /*required=*/{0}, /*ignored=*/{2}, combiner);
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

/// For each operand the combiner of its updates, nothing unless the body computes exactly
/// `old (+) new` of this operand: only then a rank may combine its updates alone.
static SmallVector<std::optional<CombinerKind>> getCombiners(ScatterOp op) {
  Block &body = op.getCombiner().front();
  unsigned numTargets = op.getTargets().size();
  SmallVector<std::optional<CombinerKind>> combiners(numTargets);
  for (unsigned k = 0; k < numTargets; ++k) {
    Value old = body.getArgument(k), update = body.getArgument(numTargets + k);
    Operation *combine = body.getTerminator()->getOperand(k).getDefiningOp();
    if (!combine || combine->getNumOperands() != 2 || isa<arith::SubFOp, arith::SubIOp>(combine))
      continue;
    Value first = combine->getOperand(0), second = combine->getOperand(1);
    if ((first == old && second == update) || (first == update && second == old))
      combiners[k] = matchCombiner(combine);
  }
  return combiners;
}

ShardingRule ScatterOp::getShardingRule() {
  ShardingRule rule;
  Value firstUpdate = getUpdates().front(), firstTarget = getTargets().front();
  ValueFactors indices = dimensionsOf(getIndices()), updates = dimensionsOf(firstUpdate),
               operand = dimensionsOf(firstTarget);

  // A factor has one combiner, for all results.
  SmallVector<std::optional<CombinerKind>> combiners = getCombiners(*this);
  std::optional<CombinerKind> combiner = llvm::all_equal(combiners) ? combiners[0] : std::nullopt;
  SmallVector<int64_t> scatterDims = otherDims(rankOf(firstUpdate), getUpdateWindowDims());
  unsigned next = 0;
  for (int64_t d = 0, e = rankOf(getIndices()); d < e; ++d) {
    int64_t size = sizeOf(getIndices(), d);
    if (d == static_cast<int64_t>(getIndexVectorDim())) {
      indices[d] = {rule.addFactor(size, FactorKind::NeedsReplication)};
      continue;
    }
    unsigned factor;
    if (auto k = positionOf(getScatterIndicesBatchingDims(), d)) {
      factor = rule.addFactor(size);
      operand[getInputBatchingDims()[*k]] = {factor};
    } else if (combiner) {
      factor = rule.addFactor(size, FactorKind::Reduction, combiner);
    } else {
      // The last update wins: every position needs all of them.
      factor = rule.addFactor(size, FactorKind::NeedsReplication);
    }
    indices[d] = updates[scatterDims[next++]] = {factor};
  }

  unsigned nextWindow = 0;
  for (int64_t d = 0, e = rankOf(firstTarget); d < e; ++d) {
    if (llvm::is_contained(getInputBatchingDims(), d))
      continue;
    // A rank that has some of the rows takes the updates that concern them. Where no index
    // says which, they are the first: the updates of other ranks are dropped by an index.
    bool isAddressed = llvm::is_contained(getScatterDimsToOperandDims(), d);
    bool isInserted = llvm::is_contained(getInsertedWindowDims(), d);
    int64_t window = isInserted ? -1 : getUpdateWindowDims()[nextWindow++];
    bool isFullDim =
        !isInserted && !isAddressed && sizeOf(firstUpdate, window) == sizeOf(firstTarget, d);
    unsigned row = rule.addFactor(sizeOf(firstTarget, d), isAddressed || isFullDim
                                                              ? FactorKind::Parallel
                                                              : FactorKind::NeedsReplication);
    operand[d] = {row};
    if (!isInserted)
      updates[window] = {
          isFullDim ? row
                    : rule.addFactor(sizeOf(firstUpdate, window), FactorKind::NeedsReplication)};
  }
  rule.operands = {indices};
  rule.operands.append(getUpdates().size(), updates);
  rule.operands.append(getTargets().size(), operand);
  rule.results.append(getNumResults(), operand);
  return rule;
}

std::optional<SmallVector<std::optional<CombinerKind>>>
ScatterOp::getPartialResults(const llvm::BitVector &partial, CombinerKind combiner) {
  SmallVector<std::optional<CombinerKind>> combiners = getCombiners(*this), results;
  // A body that mixes operands carries none of their partial values over.
  if (partial[0] || llvm::is_contained(combiners, std::nullopt))
    return std::nullopt;
  for (auto [k, own] : llvm::enumerate(combiners)) {
    bool isPartial = partial[1 + k];
    if (isPartial != partial[1 + combiners.size() + k] || (isPartial && own != combiner))
      return std::nullopt;
    results.push_back(isPartial ? own : std::nullopt);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

ShardingRule SortOp::getShardingRule() {
  ShardingRule rule;
  ValueFactors all;
  for (auto [dim, size] : llvm::enumerate(getInputType().getShape()))
    all.push_back({rule.addFactor(size, dim == getDimension() ? FactorKind::NeedsReplication
                                                              : FactorKind::Parallel)});
  // The first ones alone are other positions than those of the inputs.
  ValueFactors order = all;
  int64_t first = cast<RankedTensorType>(getOrder().getType()).getDimSize(getDimension());
  if (first != getInputType().getDimSize(getDimension()))
    order[getDimension()] = {rule.addFactor(first, FactorKind::NeedsReplication)};
  rule.operands.append(getInputs().size(), all);
  rule.operands.append({order, all});
  rule.results.append({order, all});
  return rule;
}

std::optional<SmallVector<std::optional<CombinerKind>>>
SortOp::getPartialResults(const llvm::BitVector &, CombinerKind) {
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// dynamic_slice, dynamic_update_slice
//===----------------------------------------------------------------------===//

ShardingRule DynamicSliceOp::getShardingRule() {
  ShardingRule rule;
  ValueFactors operand = dimensionsOf(getOperand()), result = dimensionsOf(getResult());
  for (int64_t d = 0, e = rankOf(getOperand()); d < e; ++d) {
    int64_t size = sizeOf(getOperand(), d), taken = sizeOf(getResult(), d);
    if (size == taken) {
      operand[d] = result[d] = {rule.addFactor(size)};
    } else {
      operand[d] = {rule.addFactor(size, FactorKind::NeedsReplication)};
      result[d] = {rule.addFactor(taken, FactorKind::NeedsReplication)};
    }
  }
  rule.operands.push_back(operand);
  rule.operands.append(getStarts().size(), ValueFactors());
  rule.operands.push_back(result);
  rule.results = {result};
  return rule;
}

std::optional<SmallVector<std::optional<CombinerKind>>>
DynamicSliceOp::getPartialResults(const llvm::BitVector &partial, CombinerKind combiner) {
  return partialJointly(partial, /*required=*/{0}, /*ignored=*/{partial.size() - 1}, combiner);
}

ShardingRule DynamicUpdateSliceOp::getShardingRule() {
  ShardingRule rule;
  ValueFactors update = dimensionsOf(getUpdate()), operand = dimensionsOf(getOperand());
  for (int64_t d = 0, e = rankOf(getOperand()); d < e; ++d) {
    int64_t size = sizeOf(getOperand(), d), written = sizeOf(getUpdate(), d);
    // A rank that has a part of the dimension writes what falls into it.
    operand[d] = {rule.addFactor(size)};
    update[d] = size == written ? operand[d]
                                : DimFactors{rule.addFactor(written, FactorKind::NeedsReplication)};
  }
  rule.operands.push_back(update);
  rule.operands.append(getStarts().size(), ValueFactors());
  rule.operands.push_back(operand);
  rule.results = {operand};
  return rule;
}

std::optional<SmallVector<std::optional<CombinerKind>>>
DynamicUpdateSliceOp::getPartialResults(const llvm::BitVector &partial, CombinerKind combiner) {
  return partialJointly(partial, /*required=*/{0, partial.size() - 1}, /*ignored=*/{}, combiner);
}
