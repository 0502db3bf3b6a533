//===- TensorOps.cpp - The tensor dialect ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rank computes the elements that it holds of a result from elements at
// global indices that it holds of the operands.
//
//===----------------------------------------------------------------------===//
#include "Loops.h"
#include "Machine.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

/// Fills a shard: `source` gives per index an element, or nothing to fail.
static LogicalResult fill(const Shard &to,
                          function_ref<std::optional<Word>(ArrayRef<int64_t>)> source) {
  const unsigned bytes = getNumBytes(to.kind);
  if (!to.extent->held)
    return success();
  return success(forEachIndex(to.extent->begin, to.extent->end, [&](ArrayRef<int64_t> index) {
    std::optional<Word> word = source(index);
    if (word)
      storeWord(to.find(index), *word, bytes);
    return word.has_value();
  }));
}

LogicalResult Machine::executeTensor(Operation *op, Ranks ranks) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tensor::EmptyOp o) {
        for (unsigned rank : ranks)
          makeShard(o.getResult(), rank);
        return success();
      })
      .Case([&](tensor::DimOp o) {
        auto type = dyn_cast<RankedTensorType>(o.getSource().getType());
        for (unsigned rank : ranks) {
          auto dim = static_cast<int64_t>(getScalar(o.getIndex(), rank));
          if (dim < 0 || dim >= type.getRank())
            return LogicalResult(o.emitOpError("expected a dimension of ")
                                 << type << ", found " << dim);
          setScalar(o.getResult(), rank, type.getDimSize(dim));
        }
        return success();
      })
      .Case([&](tensor::ExtractOp o) { return executeExtract(o, ranks); })
      .Case([&](tensor::InsertOp o) -> LogicalResult {
        for (unsigned rank : ranks) {
          Shard shard = makeShard(o.getResult(), rank, o.getDest());
          Index index = getIndices(getAsOpFoldResult(o.getIndices()), rank);
          if (char *element = shard.find(index)) {
            const Distribution &d = getDistribution(o.getType());
            storeWord(element, getPartialOf(d, rank, getScalar(o.getScalar(), rank)),
                      getNumBytes(d.kind));
          }
        }
        return success();
      })
      .Case([&](tensor::SplatOp o) {
        for (unsigned rank : ranks)
          (void)fill(makeShard(o.getResult(), rank),
                     [&](ArrayRef<int64_t>) { return getScalar(o.getInput(), rank); });
        keepInFirstPartial(o.getResult(), ranks);
        return success();
      })
      .Case([&](tensor::FromElementsOp o) {
        for (unsigned rank : ranks)
          (void)fill(makeShard(o.getResult(), rank), [&](ArrayRef<int64_t> index) {
            int64_t linear = linearize(index, o.getType().getShape());
            return getScalar(o.getElements()[linear], rank);
          });
        keepInFirstPartial(o.getResult(), ranks);
        return success();
      })
      .Case([&](tensor::GenerateOp o) { return executeGenerate(o, ranks); })
      .Case([&](tensor::ExtractSliceOp o) { return executeExtractSlice(o, ranks); })
      .Case([&](tensor::InsertSliceOp o) { return executeInsertSlice(o, ranks); })
      .Case([&](tensor::PadOp o) { return executePad(o, ranks); })
      .Case([&](tensor::ConcatOp o) { return executeConcat(o, ranks); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp>(
          [&](auto o) { return executeReshape(o, ranks); })
      .Case<tensor::CastOp, tensor::BitcastOp>([&](auto o) { return executeCast(o, ranks); })
      .Default([&](Operation *o) { return unsupported(o); });
}

LogicalResult Machine::executeExtract(tensor::ExtractOp op, Ranks ranks) {
  for (unsigned rank : ranks) {
    Index index = getIndices(getAsOpFoldResult(op.getIndices()), rank);
    std::optional<Word> word = getShard(op.getTensor(), rank).get(index);
    if (!word)
      return notHeld(op, rank, index, op.getTensor());
    setScalar(op.getResult(), rank, *word);
  }
  return success();
}

LogicalResult Machine::executeGenerate(tensor::GenerateOp op, Ranks ranks) {
  FailureOr<ScalarProgram> program = ScalarProgram::compile(op.getBody().front());
  if (failed(program))
    return failure();
  Frame frame;
  std::vector<Word> slots;
  std::vector<Shard> tensors;
  for (unsigned rank : ranks) {
    initializeFrame(*program, rank, slots, tensors, frame);
    (void)fill(makeShard(op.getResult(), rank), [&](ArrayRef<int64_t> index) {
      llvm::copy(index, slots.begin());
      program->evaluate(frame);
      return slots[program->yields.front()];
    });
    if (frame.error)
      return op.emitOpError() << frame.error << " on rank " << rank;
  }
  keepInFirstPartial(op.getResult(), ranks);
  return success();
}

/// The dimensions of a slice that its rank-reduced form keeps.
static SmallVector<unsigned> getKeptDims(int64_t rank, const llvm::SmallBitVector &dropped) {
  SmallVector<unsigned> kept;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!dropped.test(dim))
      kept.push_back(dim);
  return kept;
}

LogicalResult Machine::executeExtractSlice(tensor::ExtractSliceOp op, Ranks ranks) {
  SmallVector<unsigned> kept = getKeptDims(op.getSourceType().getRank(), op.getDroppedDims());
  for (unsigned rank : ranks) {
    Shard source = getShard(op.getSource(), rank);
    Index offsets = getIndices(op.getMixedOffsets(), rank);
    Index strides = getIndices(op.getMixedStrides(), rank);
    Index from;
    if (failed(fill(makeShard(op.getResult(), rank),
                    [&](ArrayRef<int64_t> index) -> std::optional<Word> {
                      from = offsets;
                      for (auto [i, dim] : llvm::zip_equal(index, kept))
                        from[dim] += i * strides[dim];
                      return source.get(from);
                    })))
      return notHeld(op, rank, from, op.getSource());
  }
  return success();
}

LogicalResult Machine::executeInsertSlice(tensor::InsertSliceOp op, Ranks ranks) {
  SmallVector<unsigned> kept = getKeptDims(op.getDestType().getRank(), op.getDroppedDims());
  const Distribution &d = getDistribution(op.getType());
  for (unsigned rank : ranks) {
    Shard source = getShard(op.getSource(), rank);
    Shard result = makeShard(op.getResult(), rank, op.getDest());
    if (!result.extent->held)
      continue;
    Index offsets = getIndices(op.getMixedOffsets(), rank);
    Index strides = getIndices(op.getMixedStrides(), rank);
    Index sizes = getIndices(op.getMixedSizes(), rank);
    Index zeros(sizes.size(), 0), to, from;
    bool complete = forEachIndex(zeros, sizes, [&](ArrayRef<int64_t> index) {
      to = offsets;
      from.clear(); // stays so where an element lies outside
      for (auto [position, i] : llvm::enumerate(index)) {
        to[position] += i * strides[position];
        if (to[position] < 0 || to[position] >= d.shape[position])
          return false;
      }
      char *element = result.find(to);
      if (!element)
        return true; // another rank's
      for (unsigned dim : kept)
        from.push_back(index[dim]);
      std::optional<Word> word = source.get(from);
      if (word)
        storeWord(element, *word, getNumBytes(d.kind));
      return word.has_value();
    });
    if (!complete && from.empty() && !kept.empty())
      return op.emitOpError("writes outside of its destination on rank ") << rank;
    if (!complete)
      return notHeld(op, rank, from, op.getSource());
  }
  return success();
}

LogicalResult Machine::executePad(tensor::PadOp op, Ranks ranks) {
  FailureOr<ScalarProgram> program = ScalarProgram::compile(op.getRegion().front());
  if (failed(program))
    return failure();
  const Distribution &from = getDistribution(op.getSourceType());
  const Distribution &to = getDistribution(op.getType());
  Frame frame;
  std::vector<Word> slots;
  std::vector<Shard> tensors;
  for (unsigned rank : ranks) {
    initializeFrame(*program, rank, slots, tensors, frame);
    Shard source = getShard(op.getSource(), rank);
    Index low = getIndices(op.getMixedLowPad(), rank), inner;
    if (failed(fill(makeShard(op.getResult(), rank),
                    [&](ArrayRef<int64_t> index) -> std::optional<Word> {
                      inner.assign(index.begin(), index.end());
                      bool inside = true;
                      for (size_t dim = 0; dim < inner.size(); ++dim) {
                        inner[dim] -= low[dim];
                        inside &= inner[dim] >= 0 && inner[dim] < from.shape[dim];
                      }
                      if (inside)
                        return source.get(inner);
                      llvm::copy(index, slots.begin());
                      program->evaluate(frame);
                      return getPartialOf(to, rank, slots[program->yields.front()]);
                    })))
      return notHeld(op, rank, inner, op.getSource());
    if (frame.error)
      return op.emitOpError() << frame.error << " on rank " << rank;
  }
  return success();
}

LogicalResult Machine::executeConcat(tensor::ConcatOp op, Ranks ranks) {
  const auto dim = static_cast<size_t>(op.getDim());
  for (unsigned rank : ranks) {
    SmallVector<Shard> sources;
    for (Value input : op.getInputs())
      sources.push_back(getShard(input, rank));
    Index inner;
    size_t which = 0;
    if (failed(fill(makeShard(op.getResult(), rank),
                    [&](ArrayRef<int64_t> index) -> std::optional<Word> {
                      inner.assign(index.begin(), index.end());
                      for (which = 0;; ++which) {
                        auto type = cast<RankedTensorType>(op.getInputs()[which].getType());
                        int64_t size = type.getDimSize(dim);
                        if (inner[dim] < size)
                          return sources[which].get(inner);
                        inner[dim] -= size;
                      }
                    })))
      return notHeld(op, rank, inner, op.getInputs()[which]);
  }
  return success();
}

LogicalResult Machine::executeReshape(Operation *op, Ranks ranks) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  const Distribution &from = getDistribution(operand.getType());
  const Distribution &to = getDistribution(result.getType());
  for (unsigned rank : ranks) {
    const Extent &whole = from.extents[rank], &part = to.extents[rank];
    if (whole.end == from.shape && part.end == to.shape && whole.numLocal == part.numLocal &&
        whole.held == part.held && getNumElements(whole) == whole.numLocal &&
        getNumElements(part) == part.numLocal) {
      // Both hold everything: one buffer, another view.
      define(result)[rank] = env.find(operand)->second[rank];
      continue;
    }
    Shard source = getShard(operand, rank);
    Index inner;
    if (failed(fill(makeShard(result, rank), [&](ArrayRef<int64_t> index) {
          delinearize(linearize(index, to.shape), from.shape, inner);
          return source.get(inner);
        })))
      return notHeld(op, rank, inner, operand);
  }
  return success();
}

LogicalResult Machine::executeCast(Operation *op, Ranks ranks) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  auto from = cast<RankedTensorType>(operand.getType());
  auto to = cast<RankedTensorType>(result.getType());
  if (from.getEncoding() != to.getEncoding())
    return op->emitOpError("changes a layout, which only moves do");
  setCells(result, getCells(operand), ranks);
  return success();
}
