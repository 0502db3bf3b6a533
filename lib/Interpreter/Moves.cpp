//===- Moves.cpp - The movement operators on shards -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each by its definition: who holds what a rank needs, and whose partial values combine.
//
//===----------------------------------------------------------------------===//
#include "Loops.h"
#include "Machine.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

LogicalResult Machine::executeMove(Operation *op, Ranks ranks) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return unsupported(op);
  if (auto halo = dyn_cast<HaloOp>(op); halo && level != Level::ranks)
    return executeHalo(halo, ranks);
  assert(level == Level::parallel && "only types of a parallel program have layouts");
  // Every rank's shard comes from those of a group that holds the same partial value.
  auto collectAlong = [&](AxesAttr axes) -> LogicalResult {
    Digits digits = getDigits(mesh, axes);
    for (unsigned rank : ranks)
      if (failed(collect(op, rank, getGroup(digits, rank), ranks)))
        return failure();
    return success();
  };
  auto keepOwn = [&]() -> LogicalResult {
    for (unsigned rank : ranks)
      if (failed(collect(op, rank, rank, ranks)))
        return failure();
    return success();
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<PartitionOp, PlaceOp>([&](auto) { return keepOwn(); })
      .Case<CombineOp, ExchangeOp, ReplicateOp>([&](auto o) { return collectAlong(o.getAxes()); })
      .Case([&](ReduceOp o) { return executeReduce(o, ranks); })
      .Case([&](SpreadOp o) { return executeSpread(o, ranks); })
      .Case([&](PermuteOp o) { return executePermute(o, ranks); })
      .Case<RedistributeOp, ReshardOp>([&](auto o) { return executeReshard(o, ranks); })
      .Default([&](Operation *o) { return unsupported(o); });
}

/// Makes rank's shard of the result from what the sources hold of the operand.
LogicalResult Machine::collect(Operation *op, unsigned rank, Ranks sources, Ranks ranks) {
  if (failed(checkGroup(op, sources, ranks)))
    return failure();
  Value operand = op->getOperand(0);
  Shard result = makeShard(op->getResult(0), rank);
  int64_t found = 0;
  for (unsigned source : sources)
    found += copyCommon(result, getShard(operand, source));
  if (found == getNumElements(*result.extent))
    return success();
  return op->emitOpError("leaves rank ")
         << rank << " with " << found << " of the " << getNumElements(*result.extent)
         << " elements that its layout says it holds";
}

LogicalResult Machine::executeReduce(ReduceOp op, Ranks ranks) {
  Digits digits = getDigits(mesh, op.getAxes());
  const Distribution &from = getDistribution(op.getOperand().getType());
  const unsigned bytes = getNumBytes(from.kind);
  for (unsigned rank : ranks) {
    SmallVector<unsigned> group = getGroup(digits, rank);
    if (failed(checkGroup(op, group, ranks)))
      return failure();
    SmallVector<Shard> partials;
    for (unsigned member : group)
      partials.push_back(getShard(op.getOperand(), member));
    Shard result = makeShard(op.getResult(), rank);
    if (!result.extent->held)
      continue;
    SmallVector<Word> words(partials.size());
    bool complete =
        forEachIndex(result.extent->begin, result.extent->end, [&](ArrayRef<int64_t> index) {
          for (auto [word, partial] : llvm::zip_equal(words, partials)) {
            std::optional<Word> element = partial.get(index);
            if (!element)
              return false;
            word = *element;
          }
          storeWord(result.find(index), foldPartials(from.combiner, from.kind, words), bytes);
          return true;
        });
    if (!complete)
      return op.emitOpError("has partial values of different blocks in the group of rank ") << rank;
  }
  return success();
}

LogicalResult Machine::executeSpread(SpreadOp op, Ranks ranks) {
  Digits digits = getDigits(mesh, op.getAxes());
  const Distribution &from = getDistribution(op.getOperand().getType());
  const Distribution &to = getDistribution(op.getResult().getType());
  const unsigned bytes = getNumBytes(to.kind);
  const Word neutral = getNeutral(to.combiner, to.kind);
  // Of the axes, those that neither split nor place the operand: there only
  // coordinate 0 keeps it.
  LayoutAttr layout = LayoutAttr::of(op.getOperand().getType());
  Digits used;
  for (ArrayRef<Digit> split : from.split)
    llvm::append_range(used, split);
  for (PlacedAttr placed : layout.getPlaced())
    used.push_back(getDigit(mesh, placed.getAxis()));
  Digits replicated;
  for (Digit digit : digits)
    if (!covers(used, digit))
      replicated.push_back(digit);
  for (unsigned rank : ranks) {
    Shard source = getShard(op.getOperand(), rank), result = makeShard(op.getResult(), rank);
    if (!result.extent->held)
      continue;
    bool keeps = getPosition(replicated, rank) == 0;
    forEachIndex(result.extent->begin, result.extent->end, [&](ArrayRef<int64_t> index) {
      std::optional<Word> word = keeps ? source.get(index) : std::nullopt;
      storeWord(result.find(index), word.value_or(neutral), bytes);
      return true;
    });
  }
  return success();
}

LogicalResult Machine::executePermute(PermuteOp op, Ranks ranks) {
  const Distribution &from = getDistribution(op.getOperand().getType());
  const Distribution &to = getDistribution(op.getResult().getType());
  for (unsigned rank : ranks) {
    std::optional<unsigned> source;
    for (unsigned other : ranks) {
      bool same =
          from.extents[other].held && from.getPartial(other) == to.getPartial(rank) &&
          (from.extents[other] == to.extents[rank] || getNumElements(to.extents[rank]) == 0);
      if (same && (!source || other == rank))
        source = other;
    }
    if (!source)
      return op.emitOpError("finds no rank that holds the block of rank ") << rank;
    if (failed(collect(op, rank, *source, ranks)))
      return failure();
  }
  return success();
}

LogicalResult Machine::executeReshard(Operation *op, Ranks ranks) {
  SmallVector<unsigned> all;
  for (unsigned rank = 0; rank < numRanks; ++rank)
    all.push_back(rank);
  if (failed(checkGroup(op, all, ranks)))
    return failure();
  const Distribution &from = getDistribution(op->getOperand(0).getType());
  const Distribution &to = getDistribution(op->getResult(0).getType());
  const unsigned bytes = getNumBytes(from.kind);

  // The unsharded tensor of each partial value.
  int64_t numPartials = 1;
  for (Digit digit : from.partial)
    numPartials *= digit.size;
  Distribution whole = distribute(from.shape, from.kind, {}, 1);
  const Extent &extent = whole.extents.front();
  SmallVector<Shard> partials;
  std::vector<std::shared_ptr<char[]>> buffers;
  for (int64_t partial = 0; partial < numPartials; ++partial) {
    buffers.push_back(allocate(whole));
    partials.push_back({buffers.back().get(), &extent, from.kind});
    int64_t found = 0;
    for (unsigned rank : ranks)
      if (from.getPartial(rank) == partial && from.original[rank] == rank)
        found += copyCommon(partials.back(), getShard(op->getOperand(0), rank));
    if (found != getNumElements(extent))
      return op->emitOpError("finds ")
             << found << " of " << getNumElements(extent) << " elements of its operand";
  }

  bool keepsPartials =
      from.isPartial() && from.partial == to.partial && from.combiner == to.combiner;
  if (!keepsPartials && from.isPartial()) {
    SmallVector<Word> words(partials.size());
    forEachIndex(extent.begin, extent.end, [&](ArrayRef<int64_t> index) {
      for (auto [word, partial] : llvm::zip_equal(words, partials))
        word = *partial.get(index);
      storeWord(partials.front().find(index), foldPartials(from.combiner, from.kind, words), bytes);
      return true;
    });
  }
  for (unsigned rank : ranks)
    copyCommon(makeShard(op->getResult(0), rank),
               partials[keepsPartials ? to.getPartial(rank) : 0]);
  if (!keepsPartials)
    keepInFirstPartial(op->getResult(0), ranks);
  return success();
}

/// Each element from any rank of the group that has it.
LogicalResult Machine::executeHalo(HaloOp op, Ranks ranks) {
  Digits digits;
  if (LayoutAttr layout = LayoutAttr::of(op.getOperand().getType()))
    digits = getDigits(mesh, layout.getDims()[op.getDim()]);
  const Distribution &to = getDistribution(op.getResult().getType());
  const unsigned bytes = getNumBytes(to.kind);
  const int64_t size = cast<RankedTensorType>(op.getOperand().getType()).getDimSize(op.getDim());
  const int64_t dim = op.getDim(), step = op.getStep(), offset = op.getOffset();
  const int64_t dilation = op.getDilation();
  for (unsigned rank : ranks) {
    SmallVector<unsigned> group = getGroup(digits, rank);
    if (failed(checkGroup(op, group, ranks)))
      return failure();
    SmallVector<Shard> sources;
    for (unsigned member : group)
      sources.push_back(getShard(op.getOperand(), member));
    Shard result = makeShard(op.getResult(), rank);
    if (!result.extent->held)
      continue;
    Index missing;
    bool complete =
        forEachIndex(result.extent->begin, result.extent->end, [&](ArrayRef<int64_t> index) {
          int64_t position = step * index[dim] + offset + index[dim + 1];
          Word word = getWord(op.getPadding());
          if (position >= 0 && position % dilation == 0 && position / dilation < size) {
            Index from(index);
            from.erase(from.begin() + dim);
            from[dim] = position / dilation;
            std::optional<Word> found;
            for (const Shard &source : sources)
              if (!found)
                found = source.get(from);
            if (!found) {
              missing = from;
              return false;
            }
            word = *found;
          }
          storeWord(result.find(index), word, bytes);
          return true;
        });
    if (!complete)
      return notHeld(op, rank, missing, op.getOperand());
  }
  return success();
}
