//===- ComputeOps.cpp - Operations with run-time indices ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts are clamped by the global sizes. Where an operand's dimension is split
// over axes that the result is partial over, a rank contributes what it holds
// and the neutral element for the rest.
//
//===----------------------------------------------------------------------===//
#include "Loops.h"
#include "Machine.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

LogicalResult Machine::executeDMC(Operation *op, Ranks ranks) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](GatherOp o) { return executeGather(o, ranks); })
      .Case([&](ScatterOp o) { return executeScatter(o, ranks); })
      .Case([&](SortOp o) { return executeSort(o, ranks); })
      .Case([&](CustomCallOp o) { return executeCustomCall(o, ranks); })
      .Case([&](DynamicSliceOp o) { return executeDynamicSlice(o, ranks); })
      .Case([&](DynamicUpdateSliceOp o) { return executeDynamicUpdateSlice(o, ranks); })
      .Case([&](KernelOp o) { return executeKernel(o, ranks); })
      .Case([&](LaunchOp o) { return executeLaunch(o, ranks); })
      .Case([&](ManualOp o) { return executeManual(o, ranks); })
      .Case<ConstrainOp, OptimizationBarrierOp>([&](auto o) {
        setCells(o.getResult(), getCells(o.getOperand()), ranks);
        return success();
      })
      .Default([&](Operation *o) { return executeMove(o, ranks); });
}

/// An element of an operand for a result; neutral where another partial value holds it.
static std::optional<Word> getPartial(const Shard &shard, const Distribution &from,
                                      const Distribution &to, ArrayRef<int64_t> index) {
  if (std::optional<Word> word = shard.get(index))
    return word;
  if (!shard.extent->held)
    return std::nullopt;
  for (size_t dim = 0; dim < index.size(); ++dim) {
    if (index[dim] >= shard.extent->begin[dim] && index[dim] < shard.extent->end[dim])
      continue;
    if (index[dim] < 0 || index[dim] >= from.shape[dim])
      return std::nullopt;
    for (Digit digit : from.split[dim])
      if (!covers(to.partial, digit))
        return std::nullopt;
  }
  return getNeutral(to.combiner, to.kind);
}

static int64_t toIndex(Word word, Kind kind, bool isUnsigned) {
  if (!isUnsigned || kind == Kind::Index)
    return signExtend(word, getWidth(kind));
  // Beyond any size all the same.
  return word > Word(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(word);
}

static int64_t clamp(int64_t value, int64_t last) {
  return std::max<int64_t>(0, std::min(value, last));
}

FailureOr<Index> Machine::readStarts(Operation *op, OperandRange starts, ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> sizes, bool isUnsigned, unsigned rank) {
  Index result;
  for (auto [dim, start] : llvm::enumerate(starts)) {
    Shard shard = getShard(start, rank);
    std::optional<Word> word = shard.get({});
    if (!word)
      return notHeld(op, rank, {}, start);
    result.push_back(clamp(toIndex(*word, shard.kind, isUnsigned), shape[dim] - sizes[dim]));
  }
  return result;
}

LogicalResult Machine::executeDynamicSlice(DynamicSliceOp op, Ranks ranks) {
  const Distribution &from = getDistribution(op.getOperand().getType());
  const Distribution &to = getDistribution(op.getResult().getType());
  for (unsigned rank : ranks) {
    Shard source = getShard(op.getOperand(), rank), result = makeShard(op.getResult(), rank);
    if (!result.extent->held)
      continue;
    FailureOr<Index> starts =
        readStarts(op, op.getStarts(), from.shape, to.shape, op.getStartsAreUnsigned(), rank);
    if (failed(starts))
      return failure();
    Index at;
    bool complete =
        forEachIndex(result.extent->begin, result.extent->end, [&](ArrayRef<int64_t> index) {
          at = *starts;
          for (size_t dim = 0; dim < at.size(); ++dim)
            at[dim] += index[dim];
          std::optional<Word> word = getPartial(source, from, to, at);
          if (word)
            storeWord(result.find(index), *word, getNumBytes(result.kind));
          return word.has_value();
        });
    if (!complete)
      return notHeld(op, rank, at, op.getOperand());
  }
  return success();
}

LogicalResult Machine::executeDynamicUpdateSlice(DynamicUpdateSliceOp op, Ranks ranks) {
  const Distribution &from = getDistribution(op.getUpdate().getType());
  const Distribution &to = getDistribution(op.getResult().getType());
  for (unsigned rank : ranks) {
    Shard update = getShard(op.getUpdate(), rank);
    Shard result = makeShard(op.getResult(), rank, op.getOperand());
    if (!result.extent->held)
      continue;
    FailureOr<Index> starts =
        readStarts(op, op.getStarts(), to.shape, from.shape, op.getStartsAreUnsigned(), rank);
    if (failed(starts))
      return failure();
    Index zeros(from.shape.size(), 0), at, missing;
    bool complete = forEachIndex(zeros, from.shape, [&](ArrayRef<int64_t> index) {
      at = *starts;
      for (size_t dim = 0; dim < at.size(); ++dim)
        at[dim] += index[dim];
      char *element = result.find(at);
      if (!element)
        return true; // another rank's
      std::optional<Word> word = update.get(index);
      if (word)
        storeWord(element, *word, getNumBytes(result.kind));
      else
        missing.assign(index.begin(), index.end());
      return word.has_value();
    });
    if (!complete)
      return notHeld(op, rank, missing, op.getUpdate());
  }
  return success();
}

namespace {
/// The positions of gather and scatter: index vectors name a start in the
/// operand, the other dimensions an offset from it.
struct Positions {
  int64_t indexVectorDim;
  ArrayRef<int64_t> batchingDims, indicesBatchingDims, startMap, windowDims;
  SmallVector<int64_t> sliceDims; // operand dimensions that the window runs over
  Shard indices;
  ArrayRef<int64_t> indicesShape;
  bool isUnsigned;

  Positions(ArrayRef<int64_t> collapsed, ArrayRef<int64_t> batching,
            ArrayRef<int64_t> indicesBatching, ArrayRef<int64_t> startMap,
            ArrayRef<int64_t> windowDims, int64_t indexVectorDim, int64_t operandRank,
            Shard indices, ArrayRef<int64_t> indicesShape, bool isUnsigned)
      : indexVectorDim(indexVectorDim), batchingDims(batching),
        indicesBatchingDims(indicesBatching), startMap(startMap), windowDims(windowDims),
        indices(indices), indicesShape(indicesShape), isUnsigned(isUnsigned) {
    for (int64_t dim = 0; dim < operandRank; ++dim)
      if (!llvm::is_contained(collapsed, dim) && !llvm::is_contained(batching, dim))
        sliceDims.push_back(dim);
  }

  /// Sets start and offset for an index of the result (gather) or the updates
  /// (scatter); false if the rank lacks the index vector, then `batch` says which.
  bool locate(ArrayRef<int64_t> index, Index &start, Index &offset, Index &batch) const {
    start.assign(offset.size(), 0);
    batch.clear();
    SmallVector<int64_t> window;
    for (auto [dim, i] : llvm::enumerate(index))
      if (llvm::is_contained(windowDims, static_cast<int64_t>(dim)))
        window.push_back(i);
      else
        batch.push_back(i);
    llvm::fill(offset, 0);
    for (auto [dim, i] : llvm::zip_equal(sliceDims, window))
      offset[dim] = i;
    // A batch position counts the indices' dimensions without the vector's.
    for (auto [dim, indicesDim] : llvm::zip_equal(batchingDims, indicesBatchingDims))
      start[dim] = batch[indicesDim - (indicesDim > indexVectorDim)];
    bool hasVector = indexVectorDim < static_cast<int64_t>(indicesShape.size());
    if (hasVector)
      batch.insert(batch.begin() + indexVectorDim, 0);
    for (auto [component, dim] : llvm::enumerate(startMap)) {
      if (hasVector)
        batch[indexVectorDim] = component;
      std::optional<Word> word = indices.get(batch);
      if (!word)
        return false;
      start[dim] = toIndex(*word, indices.kind, isUnsigned);
    }
    return true;
  }
};
} // namespace

LogicalResult Machine::executeGather(GatherOp op, Ranks ranks) {
  const Distribution &from = getDistribution(op.getOperand().getType());
  const Distribution &to = getDistribution(op.getResult().getType());
  auto indicesShape = cast<RankedTensorType>(op.getIndices().getType()).getShape();
  ArrayRef<int64_t> sizes = op.getSliceSizes();
  for (unsigned rank : ranks) {
    Positions positions(op.getCollapsedSliceDims(), op.getOperandBatchingDims(),
                        op.getStartIndicesBatchingDims(), op.getStartIndexMap(), op.getOffsetDims(),
                        op.getIndexVectorDim(), from.shape.size(), getShard(op.getIndices(), rank),
                        indicesShape, op.getIndicesAreUnsigned());
    Shard source = getShard(op.getOperand(), rank), result = makeShard(op.getResult(), rank);
    if (!result.extent->held)
      continue;
    Index start, offset(from.shape.size(), 0), batch;
    bool located = true;
    bool complete =
        forEachIndex(result.extent->begin, result.extent->end, [&](ArrayRef<int64_t> index) {
          located = positions.locate(index, start, offset, batch);
          if (!located)
            return false;
          for (size_t dim = 0; dim < start.size(); ++dim)
            start[dim] = clamp(start[dim], from.shape[dim] - sizes[dim]) + offset[dim];
          std::optional<Word> word = getPartial(source, from, to, start);
          if (word)
            storeWord(result.find(index), *word, getNumBytes(result.kind));
          return word.has_value();
        });
    if (!complete)
      return located ? notHeld(op, rank, start, op.getOperand())
                     : notHeld(op, rank, batch, op.getIndices());
  }
  return success();
}

LogicalResult Machine::executeScatter(ScatterOp op, Ranks ranks) {
  FailureOr<ScalarProgram> program = ScalarProgram::compile(op.getCombiner().front());
  if (failed(program))
    return failure();
  const Distribution &from = getDistribution(op.getUpdateType());
  const Distribution &to = getDistribution(op.getTargetType());
  auto indicesShape = cast<RankedTensorType>(op.getIndices().getType()).getShape();

  // A rank applies the updates that it holds: those of other ranks must arrive as partial values.
  // Batching dimensions aside, which are the operand's own.
  Digits aligned(to.partial);
  for (int64_t dim : op.getInputBatchingDims())
    llvm::append_range(aligned, to.split[dim]);
  for (size_t dim = 0; dim < from.shape.size(); ++dim)
    if (!llvm::is_contained(op.getUpdateWindowDims(), static_cast<int64_t>(dim)))
      for (Digit digit : from.split[dim])
        if (!covers(aligned, digit))
          return op.emitOpError("has updates split in dimension ")
                 << dim << ", but a result that is not partial over the same axes";

  Frame frame;
  std::vector<Word> slots;
  std::vector<Shard> tensors;
  for (unsigned rank : ranks) {
    initializeFrame(*program, rank, slots, tensors, frame);
    Positions positions(op.getInsertedWindowDims(), op.getInputBatchingDims(),
                        op.getScatterIndicesBatchingDims(), op.getScatterDimsToOperandDims(),
                        op.getUpdateWindowDims(), op.getIndexVectorDim(), to.shape.size(),
                        getShard(op.getIndices(), rank), indicesShape, op.getIndicesAreUnsigned());
    SmallVector<Shard> updates, results;
    for (auto [update, target, result] :
         llvm::zip_equal(op.getUpdates(), op.getTargets(), op.getResults())) {
      updates.push_back(getShard(update, rank));
      results.push_back(makeShard(result, rank, target));
    }
    if (!results.front().extent->held)
      continue;
    for (auto [shard, update] : llvm::zip_equal(updates, op.getUpdates()))
      if (!shard.extent->held)
        return notHeld(op, rank, shard.extent->begin, update);
    const Extent &extent = *updates.front().extent;
    Index at, offset(to.shape.size(), 0), batch;
    Value missing = op.getIndices();
    bool complete = forEachIndex(extent.begin, extent.end, [&](ArrayRef<int64_t> index) {
      if (!positions.locate(index, at, offset, batch))
        return false;
      for (size_t dim = 0; dim < at.size(); ++dim) {
        // Not even near the operand: adding the offset could overflow.
        if (at[dim] < -to.shape[dim] || at[dim] > to.shape[dim])
          return true;
        at[dim] += offset[dim];
      }
      const size_t count = results.size();
      for (size_t i = 0; i < count; ++i) {
        char *element = results[i].find(at);
        if (!element)
          return true; // outside of the operand, or another rank's
        slots[i] = loadWord(element, getNumBytes(results[i].kind));
        std::optional<Word> update = updates[i].get(index);
        if (!update) {
          missing = op.getUpdates()[i];
          batch.assign(index.begin(), index.end());
          return false;
        }
        slots[count + i] = *update;
      }
      program->evaluate(frame);
      for (size_t i = 0; i < count; ++i)
        storeWord(results[i].find(at), slots[program->yields[i]], getNumBytes(results[i].kind));
      return true;
    });
    if (!complete)
      return notHeld(op, rank, batch, missing);
    if (frame.error)
      return op.emitOpError() << frame.error << " on rank " << rank;
  }
  return success();
}

/// Merges runs of 1, 2, 4, ... positions: the order is that of generated code for
/// any comparator.
static void sortPositions(std::vector<int64_t> &order,
                          function_ref<bool(int64_t, int64_t)> isBefore) {
  size_t count = order.size();
  std::vector<int64_t> merged(count);
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * width) {
      size_t middle = std::min(begin + width, count), end = std::min(middle + width, count);
      size_t left = begin, right = middle;
      for (size_t next = begin; next < end; ++next) {
        bool takesRight = right < end && (left >= middle || isBefore(order[right], order[left]));
        merged[next] = order[takesRight ? right++ : left++];
      }
    }
    order.swap(merged);
  }
}

LogicalResult Machine::executeSort(SortOp op, Ranks ranks) {
  FailureOr<ScalarProgram> program = ScalarProgram::compile(op.getComparator().front());
  if (failed(program))
    return failure();
  int64_t dim = op.getDimension();
  Frame frame;
  std::vector<Word> slots;
  std::vector<Shard> tensors;
  for (unsigned rank : ranks) {
    initializeFrame(*program, rank, slots, tensors, frame);
    SmallVector<Shard> inputs;
    for (Value input : op.getInputs())
      inputs.push_back(getShard(input, rank));
    Shard order = makeShard(op.getOrder(), rank), place = makeShard(op.getPlace(), rank);
    if (!order.extent->held)
      continue;
    std::vector<int64_t> positions(op.getInputType().getDimSize(dim));
    Index first(order.extent->begin), last(order.extent->end), at, missing;
    last[dim] = std::min(last[dim], first[dim] + 1);
    Value absent;
    bool complete = forEachIndex(first, last, [&](ArrayRef<int64_t> line) {
      at.assign(line.begin(), line.end());
      auto load = [&](int64_t position, unsigned number) {
        at[dim] = position;
        for (size_t i = 0; i < inputs.size(); ++i) {
          std::optional<Word> word = inputs[i].get(at);
          if (!word && !absent) {
            absent = op.getInputs()[i];
            missing = at;
          }
          slots[2 * i + number] = word.value_or(0);
        }
      };
      std::iota(positions.begin(), positions.end(), 0);
      sortPositions(positions, [&](int64_t x, int64_t y) {
        load(x, 0);
        load(y, 1);
        program->evaluate(frame);
        return slots[program->yields.front()] != 0;
      });
      auto store = [&](const Shard &shard, int64_t position, int64_t value) {
        at[dim] = position;
        if (char *element = shard.find(at))
          storeWord(element, value, getNumBytes(shard.kind));
      };
      int64_t count = cast<RankedTensorType>(op.getOrder().getType()).getDimSize(dim);
      for (auto [i, position] : llvm::enumerate(positions)) {
        int64_t rank = std::min<int64_t>(i, count);
        if (rank < count)
          store(order, i, position);
        store(place, position, rank);
      }
      return !absent;
    });
    if (!complete)
      return notHeld(op, rank, missing, absent);
    if (frame.error)
      return op.emitOpError() << frame.error << " on rank " << rank;
  }
  return success();
}
