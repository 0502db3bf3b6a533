//===- Loops.cpp - linalg operations as loop nests ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any linalg operation by its indexing maps and body. With layouts, a rank runs
// the loops over its blocks and may read what it holds, nothing else.
//
//===----------------------------------------------------------------------===//
#include "Loops.h"

#include "Machine.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

int Access::getLoop(unsigned dim) const {
  auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
  return loop ? static_cast<int>(loop.getPosition()) : -1;
}

/// Adds factor * expr to the coefficients; false if it is not linear.
static bool addLinear(AffineExpr expr, int64_t factor, MutableArrayRef<int64_t> coefficients) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += factor;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    coefficients.back() += factor * constant.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, coefficients) &&
           addLinear(binary.getRHS(), factor, coefficients);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Mul && constant)
    return addLinear(binary.getLHS(), factor * constant.getValue(), coefficients);
  return false;
}

static int64_t evaluateExpr(AffineExpr expr, ArrayRef<int64_t> loops) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return loops[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = evaluateExpr(binary.getLHS(), loops), b = evaluateExpr(binary.getRHS(), loops);
  int64_t quotient = b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::FloorDiv:
    return quotient;
  case AffineExprKind::CeilDiv:
    return quotient + (b != 0 && a % b != 0);
  default:
    return a - quotient * b;
  }
}

static FailureOr<std::unique_ptr<LoopNest>> compileNest(linalg::LinalgOp op) {
  auto nest = std::make_unique<LoopNest>();
  nest->sizes.assign(op.getStaticLoopRanges());
  for (utils::IteratorType type : op.getIteratorTypesArray())
    nest->isParallel.push_back(type == utils::IteratorType::parallel);
  Block &block = *op.getBlock();
  FailureOr<ScalarProgram> body = ScalarProgram::compile(block);
  if (failed(body))
    return failure();
  nest->body = std::move(*body);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    bool isRead = number < block.getNumArguments() && !block.getArgument(number).use_empty();
    if (!isa<RankedTensorType>(operand.get().getType())) {
      if (isRead)
        nest->scalars.push_back({number, operand.get()});
      continue;
    }
    Access access;
    access.value = operand.get();
    access.slot = number;
    access.isRead = isRead;
    access.map = op.getMatchingIndexingMap(&operand);
    nest->readsTensors |= isRead;
    for (AffineExpr expr : access.map.getResults()) {
      access.linear.emplace_back(nest->sizes.size() + 1, 0);
      if (!addLinear(expr, 1, access.linear.back())) {
        access.linear.clear();
        break;
      }
    }
    (op.isDpsInit(&operand) ? nest->outputs : nest->inputs).push_back(std::move(access));
  }
  return nest;
}

/// Emits an error if operands split a reduction loop over axes that a result is
/// not partial over.
static LogicalResult checkReductions(linalg::LinalgOp op, LoopNest &nest, Machine &machine) {
  for (const Access &input : nest.inputs) {
    const Distribution &from = machine.getDistribution(input.value.getType());
    for (unsigned dim = 0; dim < from.shape.size(); ++dim) {
      int loop = input.getLoop(dim);
      if (loop < 0 || nest.isParallel[loop])
        continue;
      for (const Access &output : nest.outputs) {
        const Distribution &to = machine.getDistribution(output.value.getType());
        for (Digit digit : from.split[dim])
          if (!covers(to.partial, digit))
            return op.emitOpError("has reduction loop ")
                   << loop << " split by dimension " << dim << " of operand " << input.slot
                   << ", but a result that is not partial over the same axes";
      }
    }
  }
  return success();
}

LogicalResult Machine::executeLinalg(linalg::LinalgOp op, Ranks ranks) {
  if (op->getNumResults() != static_cast<unsigned>(op.getNumDpsInits()))
    return unsupported(op);
  std::unique_ptr<LoopNest> &entry = nests[op];
  if (!entry) {
    FailureOr<std::unique_ptr<LoopNest>> nest = compileNest(op);
    if (failed(nest))
      return failure();
    entry = std::move(*nest);
    if (level == Level::parallel && failed(checkReductions(op, *entry, *this)))
      return failure();
  }
  for (unsigned rank : ranks)
    if (failed(runNest(op, *entry, rank)))
      return failure();
  if (!entry->readsTensors)
    for (Value result : op->getResults())
      keepInFirstPartial(result, ranks);
  return success();
}

namespace {
/// The ranges that a rank's loops run over.
struct Ranges {
  Index begin, end;
  bool isElsewhere = false; // the result is placed on another rank
  bool narrow(unsigned loop, int64_t from, int64_t to) {
    begin[loop] = std::max(begin[loop], from);
    end[loop] = std::min(end[loop], to);
    return begin[loop] < end[loop];
  }
  bool isEmpty() const {
    if (isElsewhere)
      return true;
    for (auto [b, e] : llvm::zip_equal(begin, end))
      if (b >= e)
        return true;
    return false;
  }
};

/// An operand while its loops run.
struct Stream {
  char *data = nullptr; // the element at the loops' present position
  uint32_t slot = 0;
  uint32_t bytes = 4;
  SmallVector<int64_t, 6> steps; // in bytes per loop
  const Access *access = nullptr;
  Shard shard;
  bool isLinear() const { return access->linear.size() == access->map.getNumResults(); }
};
} // namespace

/// The loops' ranges on a rank: parallel loops by the results' blocks, reduction
/// loops by what the operands hold.
static FailureOr<Ranges> getRanges(linalg::LinalgOp op, const LoopNest &nest, Machine &machine,
                                   unsigned rank) {
  Ranges ranges{Index(nest.sizes.size(), 0), nest.sizes, /*isElsewhere=*/false};
  auto narrow = [&](const Access &access, bool parallel) {
    const Extent &extent = machine.getDistribution(access.value.getType()).extents[rank];
    for (unsigned dim = 0; dim < extent.begin.size(); ++dim) {
      int loop = access.getLoop(dim);
      if (loop >= 0 && nest.isParallel[loop] == parallel)
        ranges.narrow(loop, extent.begin[dim], extent.end[dim]);
    }
    return extent.held;
  };
  for (const Access &access : nest.outputs)
    if (!narrow(access, true))
      ranges.isElsewhere = true;
  for (const Access &access : nest.inputs)
    narrow(access, false);
  // Operands of one loop split in two ways, or results of different blocks: then
  // the common part is not what one of them stands for.
  auto agrees = [&](const Access &access, bool parallel) {
    const Distribution &d = machine.getDistribution(access.value.getType());
    const Extent &extent = d.extents[rank];
    for (unsigned dim = 0; dim < extent.begin.size(); ++dim) {
      int loop = access.getLoop(dim);
      if (loop < 0 || nest.isParallel[loop] != parallel || !extent.held)
        continue;
      bool whole = !parallel && d.split[dim].empty();
      bool same = ranges.begin[loop] == extent.begin[dim] && ranges.end[loop] == extent.end[dim];
      bool bothEmpty =
          ranges.begin[loop] >= ranges.end[loop] && extent.begin[dim] >= extent.end[dim];
      if (!whole && !same && !bothEmpty) {
        op.emitOpError("has loop ") << loop << " split in different ways on rank " << rank;
        return false;
      }
    }
    return true;
  };
  if (!ranges.isElsewhere) {
    for (const Access &access : nest.outputs)
      if (!agrees(access, true))
        return failure();
    for (const Access &access : nest.inputs)
      if (!agrees(access, false))
        return failure();
  }
  return ranges;
}

/// The first index of an operand that the ranges reach and the rank lacks, from
/// the corners of a linear map.
static std::optional<Index> findNotHeld(const Stream &stream, const Ranges &ranges) {
  const Extent &extent = *stream.shard.extent;
  Index low, high;
  for (ArrayRef<int64_t> coefficients : stream.access->linear) {
    low.push_back(coefficients.back());
    high.push_back(coefficients.back());
    for (size_t loop = 0; loop < ranges.begin.size(); ++loop) {
      int64_t a = coefficients[loop] * ranges.begin[loop];
      int64_t b = coefficients[loop] * (ranges.end[loop] - 1);
      low.back() += std::min(a, b);
      high.back() += std::max(a, b);
    }
  }
  if (!extent.contains(low))
    return low;
  if (!extent.contains(high))
    return high;
  return std::nullopt;
}

LogicalResult Machine::runNest(linalg::LinalgOp op, LoopNest &nest, unsigned rank) {
  FailureOr<Ranges> ranges = getRanges(op, nest, *this, rank);
  if (failed(ranges))
    return failure();

  std::vector<Stream> inputs, outputs;
  for (auto [access, result] : llvm::zip_equal(nest.outputs, op->getResults())) {
    Stream stream;
    stream.access = &access;
    stream.shard = makeShard(result, rank, access.isRead ? access.value : Value());
    outputs.push_back(stream);
  }
  if (ranges->isEmpty())
    return success();
  for (const Access &access : nest.inputs)
    if (access.isRead) {
      Stream stream;
      stream.access = &access;
      stream.shard = getShard(access.value, rank);
      inputs.push_back(stream);
    }

  const size_t numLoops = nest.sizes.size();
  bool allLinear = true;
  auto prepare = [&](Stream &stream) -> LogicalResult {
    stream.slot = stream.access->slot;
    stream.bytes = getNumBytes(stream.shard.kind);
    stream.steps.assign(numLoops, 0);
    if (!stream.isLinear()) {
      allLinear = false;
      return success();
    }
    if (std::optional<Index> index = findNotHeld(stream, *ranges))
      return notHeld(op, rank, *index, stream.access->value);
    const Extent &extent = *stream.shard.extent;
    stream.data = stream.shard.data;
    for (auto [dim, coefficients] : llvm::enumerate(stream.access->linear)) {
      int64_t stride = extent.strides[dim] * stream.bytes;
      stream.data += (coefficients.back() - extent.begin[dim]) * stride;
      for (size_t loop = 0; loop < numLoops; ++loop) {
        stream.steps[loop] += coefficients[loop] * stride;
        stream.data += coefficients[loop] * ranges->begin[loop] * stride;
      }
    }
    return success();
  };
  for (Stream &stream : inputs)
    if (failed(prepare(stream)))
      return failure();
  for (Stream &stream : outputs)
    if (failed(prepare(stream)))
      return failure();

  Frame frame;
  std::vector<Word> slots;
  std::vector<Shard> tensors;
  initializeFrame(nest.body, rank, slots, tensors, frame);
  for (auto [slot, value] : nest.scalars)
    slots[slot] = getScalar(value, rank);
  Index loops = ranges->begin;
  frame.loops = loops.data();

  while (true) {
    if (!allLinear) {
      for (std::vector<Stream> *streams : {&inputs, &outputs})
        for (Stream &stream : *streams) {
          if (stream.isLinear())
            continue;
          Index index;
          for (AffineExpr expr : stream.access->map.getResults())
            index.push_back(evaluateExpr(expr, loops));
          stream.data = stream.shard.find(index);
          if (!stream.data)
            return notHeld(op, rank, index, stream.access->value);
        }
    }
    for (const Stream &stream : inputs)
      slots[stream.slot] = loadWord(stream.data, stream.bytes);
    for (const Stream &stream : outputs)
      if (stream.access->isRead)
        slots[stream.slot] = loadWord(stream.data, stream.bytes);
    nest.body.evaluate(frame);
    for (size_t i = 0; i < outputs.size(); ++i)
      storeWord(outputs[i].data, slots[nest.body.yields[i]], outputs[i].bytes);

    int64_t loop = static_cast<int64_t>(numLoops) - 1;
    for (; loop >= 0; --loop) {
      bool more = ++loops[loop] < ranges->end[loop];
      int64_t back = more ? 0 : ranges->end[loop] - ranges->begin[loop];
      for (Stream &stream : inputs)
        stream.data += (1 - back) * stream.steps[loop];
      for (Stream &stream : outputs)
        stream.data += (1 - back) * stream.steps[loop];
      if (more)
        break;
      loops[loop] = ranges->begin[loop];
    }
    if (loop < 0)
      break;
  }
  if (frame.error)
    return op.emitOpError() << frame.error << " on rank " << rank;
  return success();
}

LogicalResult Machine::executeConstant(Operation *op, Attribute value, Ranks ranks) {
  Value result = op->getResult(0);
  if (isa<FloatAttr, IntegerAttr>(value)) {
    for (unsigned rank : ranks)
      setScalar(result, rank, getWord(value));
    return success();
  }
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return op->emitOpError("has a value that is unsupported by the interpreter: ") << value;
  std::vector<Word> words;
  const Distribution &d = getDistribution(result.getType());
  if (isFloat(d.kind))
    for (const APFloat &element : elements.getValues<APFloat>())
      words.push_back(element.bitcastToAPInt().getZExtValue());
  else
    for (const APInt &element : elements.getValues<APInt>())
      words.push_back(element.getZExtValue());
  for (unsigned rank : ranks) {
    Shard shard = makeShard(result, rank);
    forEachIndex(shard.extent->begin, shard.extent->end, [&](ArrayRef<int64_t> index) {
      if (char *element = shard.find(index))
        storeWord(element, words[linearize(index, d.shape)], getNumBytes(d.kind));
      return true;
    });
  }
  keepInFirstPartial(result, ranks);
  return success();
}

LogicalResult Machine::executeElementwise(Operation *op, Ranks ranks) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return executeConstant(op, constant.getValue(), ranks);
  std::unique_ptr<ScalarProgram> &program = programs[op];
  if (!program) {
    FailureOr<ScalarProgram> compiled = ScalarProgram::compile(op);
    if (failed(compiled))
      return failure();
    program = std::make_unique<ScalarProgram>(std::move(*compiled));
  }
  Frame frame;
  std::vector<Word> slots;
  std::vector<Shard> none;
  for (unsigned rank : ranks) {
    initializeFrame(*program, rank, slots, none, frame);
    SmallVector<std::pair<uint32_t, Shard>> tensors;
    for (auto [slot, operand] : llvm::enumerate(op->getOperands())) {
      if (isa<RankedTensorType>(operand.getType()))
        tensors.push_back({slot, getShard(operand, rank)});
      else
        slots[slot] = getScalar(operand, rank);
    }
    auto tensorType = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!tensorType) {
      program->evaluate(frame);
      for (auto [result, slot] : llvm::zip_equal(op->getResults(), program->yields))
        setScalar(result, rank, slots[slot]);
    } else {
      SmallVector<Shard> results;
      for (Value result : op->getResults())
        results.push_back(makeShard(result, rank));
      const Extent &extent = *results.front().extent;
      bool complete = forEachIndex(extent.begin, extent.end, [&](ArrayRef<int64_t> index) {
        if (!extent.held)
          return true;
        for (auto &[slot, shard] : tensors) {
          std::optional<Word> word = shard.get(index);
          if (!word) {
            (void)notHeld(op, rank, index, op->getOperand(slot));
            return false;
          }
          slots[slot] = *word;
        }
        program->evaluate(frame);
        for (auto [result, slot] : llvm::zip_equal(results, program->yields))
          storeWord(result.find(index), slots[slot], getNumBytes(result.kind));
        return true;
      });
      if (!complete)
        return failure();
    }
    if (frame.error)
      return op->emitOpError() << frame.error << " on rank " << rank;
  }
  return success();
}
