//===- Rows.cpp - Nests whose rows are reduced within them ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row is passed over a few times while it is in the first cache: once for each wave of reductions
// that do not need each other, and once to write it. What is slow to compute is computed in the
// first pass that needs it and kept beside for the others. The first pass waits for memory and the
// others compute: the last of the reductions fetches the next row.
//
//===----------------------------------------------------------------------===//

#include "CPU/ReadAhead.h"
#include "Kernel/Buffers.h"
#include "Kernel/RowTask.h"
#include "Kernel/RunWriter.h"

#include "dmc/Dialect/DMC/ScalarWork.h"
#include "dmc/Dialect/DMC/SplitReduction.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

class RowEmitter {
public:
  RowEmitter(Scalarizer &s, const Task &task) : s(s), task(task), rows(task), shape(rows.shape) {}

  void emit() {
    size_t outer = rows.countOuterDims();
    if (!task.splits.empty())
      outer = countBlockedDims(outer);
    if (!rows.elements.empty() && outer < shape.size())
      writer.emplace(s, task, rows.elements);
    if (!task.splits.empty())
      return emitBlocks(outer);
    s.divide(shape.take_front(outer), rows.countElements(outer), /*isContiguous=*/false,
             [&](ArrayRef<Index> indices) { level(Indices(indices)); });
  }

private:
  //===--- Reductions by blocks of rows ---===//

  /// No more loops are run as one than give so many blocks: their indices take divisions.
  size_t countBlockedDims(size_t outer) const {
    while (outer > 1 && llvm::product_of(shape.take_front(outer - 1)) >= rows.countBlocks())
      --outer;
    return outer;
  }

  void emitBlocks(size_t outer) {
    int64_t count = rows.countBlocks();
    int64_t numRows = llvm::product_of(shape.take_front(outer));
    s.divideBlocks(count, [&](const Index &number) {
      blockNumber = number;
      for (const Split &split : task.splits)
        s.nest(shapeOf(linalg::LinalgOp(split.op)->getResult(0)), [&](ArrayRef<Index> indices) {
          Indices at(indices);
          at.insert(at.begin(), number);
          Value neutral = neutralOf(s, split.op);
          s.store(neutral, s.arguments.lookup(split.partials), at);
        });
      s.part(number, llvm::divideCeil(numRows, count), numRows,
             [&](const Index &row) { level(s.delinearize(row, shape.take_front(outer))); });
    });
  }

  void accumulate(ArrayRef<Index> indices) {
    for (const Split &split : task.splits) {
      linalg::LinalgOp op = split.op;
      Indices at(indices.drop_front(op.getNumReductionLoops()));
      at.insert(at.begin(), blockNumber);
      Value partials = s.arguments.lookup(split.partials);
      Value sum = s.load(partials, at);
      s.store(s.inlineStructured(op, indices, sum).front(), partials, at);
    }
  }

  /// What begins with the given leading indices: its reductions, the roots with as many dimensions,
  /// then what is within. What that reads of these buffers is read before it, so they are written
  /// after it.
  void level(const Indices &row) {
    SmallVector<Value> kept = emitReductions(row);
    SmallVector<std::pair<const Root *, Value>> values;
    for (const Root &root : task.roots)
      if (shapeOf(root.value).size() == row.size())
        values.push_back({&root, s.element(root.value, row)});
    Run whole{LoopBuilder::constant(0), shape.back(), shape.back(), {}};
    auto beside = [&](ArrayRef<Index> indices) { accumulate(indices); };
    if (row.size() == shape.size()) {
      accumulate(row);
    } else if (row.size() + 1 == shape.size() && writer) {
      writer->write(row, whole, beside);
    } else if (row.size() + 1 == shape.size()) {
      Indices indices(row);
      s.overRun(whole, [&](const Index &index) {
        indices.push_back(index);
        accumulate(indices);
        indices.pop_back();
      });
    } else {
      s.loop(shape[row.size()], {}, [&](const Index &index, ValueRange) {
        Indices inner(row);
        inner.push_back(index);
        level(inner);
        return SmallVector<Value>();
      });
    }
    for (auto [root, value] : values)
      s.store(value, s.arguments.lookup(root->dest), row);
    for (Value tensor : kept)
      s.drop(tensor);
  }

  //===--- Passes over the row ---===//

  /// Operations to compute an element from memory and from what is kept.
  static unsigned countWork(Value value, const RowPass &kept, RowPass &seen) {
    Operation *op = value.getDefiningOp();
    if (!op || kept.contains(value) || isReduction(dyn_cast<linalg::LinalgOp>(op)) ||
        !seen.insert(value).second)
      return 0;
    unsigned work = getElementWork(op);
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.getType());
          type && type.getRank() == cast<RankedTensorType>(value.getType()).getRank())
        work += countWork(operand, kept, seen);
    return work;
  }

  /// What several passes compute and is slower to compute again than to read.
  SmallVector<Value> chooseKept(size_t rank, ArrayRef<RowPass> passes) const {
    SmallVector<Value> chosen;
    RowPass kept;
    int64_t elements = llvm::product_of(shape.drop_front(rank)), bytes = 0;
    for (Operation &op : *rows.block()) {
      if (op.getNumResults() != 1 || isReduction(dyn_cast<linalg::LinalgOp>(op)) ||
          isa<linalg::FillOp>(op))
        continue;
      Value value = op.getResult(0);
      auto type = dyn_cast<RankedTensorType>(value.getType());
      auto computes = [&](const RowPass &pass) { return pass.contains(value); };
      RowPass seen;
      if (!type || type.getShape() != shape || !isa<FloatType>(type.getElementType()) ||
          llvm::count_if(passes, computes) < 2 || countWork(value, kept, seen) < slowScalarWork)
        continue;
      bytes += elements * type.getElementTypeBitWidth() / 8;
      if (bytes > s.caches.core / 2) // and what is read and written beside it
        break;
      kept.insert(value);
      chosen.push_back(value);
    }
    return chosen;
  }

  /// Computes the reductions of a row. Returns what is kept of it.
  SmallVector<Value> emitReductions(const Indices &row) {
    size_t rank = row.size();
    auto [waves, passes] = rows.findPasses(rank);
    if (waves.empty())
      return {};
    SmallVector<Value> kept = chooseKept(rank, passes), later(kept), written;
    bool waits = waves.size() > 1 && rank + 1 == shape.size();
    std::optional<ReadAhead> ahead =
        waits ? findReadAhead(waves.front(), kept) : std::optional<ReadAhead>();
    for (auto [wave, pass] : llvm::zip(waves, passes)) {
      SmallVector<Value> fill;
      if (ArrayRef(wave.sizes) == shape.drop_front(rank))
        for (Value value : later)
          if (pass.contains(value))
            fill.push_back(value);
      for (Value value : fill)
        llvm::erase(later, value);
      emitWave(wave, row, fill, &wave == &waves.back() && ahead ? &*ahead : nullptr);
      llvm::append_range(written, fill);
    }
    return written;
  }

  /// What the first wave of a row reads, one row after the other, if the next row fits into the
  /// cache beside this one and what is kept of it.
  std::optional<ReadAhead> findReadAhead(const Wave &first, ArrayRef<Value> kept) const {
    ReadAhead ahead(s, shape);
    for (linalg::LinalgOp op : first.ops)
      for (OpOperand *input : op.getDpsInputOperands())
        if (isa<RankedTensorType>(input->get().getType()) && shapeOf(input->get()) == shape)
          ahead.add(input->get());
    int64_t bytes = 2 * ahead.getRowBytes();
    for (Value value : kept)
      bytes += shape.back() * elementBytes(getElementTypeOrSelf(value));
    return ahead.isEmpty() || bytes > s.caches.core ? std::nullopt : std::optional(ahead);
  }

  /// Runs the loops of a wave, and keeps the values `fill` of the row. May fetch the next row
  /// meanwhile.
  void emitWave(const Wave &wave, const Indices &row, ArrayRef<Value> fill, ReadAhead *ahead) {
    struct Reduction {
      linalg::LinalgOp op;
      Indices dims;
      SmallVector<unsigned> loops;
      size_t firstCarried;
    };
    std::vector<Reduction> reductions;
    SmallVector<Value> initial, buffers;
    for (linalg::LinalgOp op : wave.ops) {
      Reduction reduction{op, RowTask::locate(op, row), {}, initial.size()};
      for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
        if (iterator == utils::IteratorType::reduction)
          reduction.loops.push_back(loop);
      for (OpOperand &init : op.getDpsInitsMutable())
        initial.push_back(s.element(init.get(), row));
      reductions.push_back(std::move(reduction));
    }
    for (Value value : fill)
      buffers.push_back(s.scratch(shape.drop_front(row.size()),
                                  cast<RankedTensorType>(value.getType()).getElementType()));

    Indices inner;
    std::function<SmallVector<Value>(ValueRange)> descend = [&](ValueRange carried) {
      auto step = [&](const Index &index, ValueRange next) {
        inner.push_back(index);
        SmallVector<Value> results = descend(next);
        inner.pop_back();
        return results;
      };
      if (inner.size() < wave.sizes.size() && ahead &&
          ArrayRef(wave.sizes) == shape.drop_front(row.size()))
        return ahead->loop(row, carried, step);
      if (inner.size() < wave.sizes.size())
        return s.loop(wave.sizes[inner.size()], carried, step);
      Indices at(row);
      llvm::append_range(at, inner);
      for (auto [value, buffer] : llvm::zip_equal(fill, buffers))
        s.store(s.element(value, at), buffer, inner);
      SmallVector<Value> next;
      for (Reduction &reduction : reductions) {
        for (auto [loop, index] : llvm::zip_equal(reduction.loops, inner))
          reduction.dims[loop] = index;
        llvm::append_range(next, s.inlineStructured(reduction.op, reduction.dims,
                                                    carried.slice(reduction.firstCarried,
                                                                  reduction.op.getNumDpsInits())));
      }
      return next;
    };
    SmallVector<Value> results = descend(initial);
    for (const Reduction &reduction : reductions)
      for (OpResult result : reduction.op->getResults())
        s.remember(result, row, results[reduction.firstCarried + result.getResultNumber()]);
    for (auto [value, buffer] : llvm::zip_equal(fill, buffers))
      keep(value, row, buffer);
  }

  void keep(Value value, const Indices &row, Value buffer) {
    Indices origin(row);
    origin.resize(shape.size(), LoopBuilder::constant(0));
    s.keep(value, origin, llvm::to_vector(llvm::seq<unsigned>(row.size(), shape.size())), buffer);
  }

  Scalarizer &s;
  const Task &task;
  RowTask rows;
  ArrayRef<int64_t> shape;
  Index blockNumber; // of the reductions by blocks, the current one
  std::optional<RunWriter> writer;
};

} // namespace

void codegen::emitRows(Scalarizer &s, const Task &task) {
  if (!s.target.isDevice() || !emitTeamRows(s, task))
    RowEmitter(s, task).emit();
}

void codegen::emitCombination(Scalarizer &s, const Task &task) {
  if (s.target.isDevice())
    return emitTeamCombination(s, task);
  const Split &split = task.splits.front();
  linalg::LinalgOp op = split.op;
  Operation *combiner = getSplitCombiner(op);
  Value partials = s.arguments.lookup(split.partials);
  Value dest = s.arguments.lookup(task.roots.front().dest);
  Value init = op.getDpsInitOperand(0)->get();
  int64_t count = cast<MemRefType>(partials.getType()).getDimSize(0);
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  auto combineAt = [&](ArrayRef<Index> indices) {
    return s
        .loop(count, s.element(init, indices),
              [&](const Index &block, ValueRange carried) {
                Indices at(indices);
                at.insert(at.begin(), block);
                Value partial = s.load(partials, at);
                return SmallVector<Value>{s.combine(combiner, carried.front(), partial)};
              })
        .front();
  };
  if (shape.empty()) {
    s.remember(op->getResult(0), {}, combineAt({}));
    return storeElements(s, task.roots, {});
  }
  s.divideRuns(shape, count, /*isContiguous=*/true, [&](ArrayRef<Index> outer, const Run &run) {
    Indices indices(outer);
    auto overRun = [&](function_ref<Value()> compute) {
      s.overRun(run, [&](const Index &index) {
        indices.push_back(index);
        s.store(compute(), dest, indices);
        indices.pop_back();
      });
    };
    overRun([&] { return s.element(init, indices); });
    s.loop(count, {}, [&](const Index &block, ValueRange) {
      overRun([&] {
        Value sum = s.load(dest, indices);
        Indices at(indices);
        at.insert(at.begin(), block);
        Value partial = s.load(partials, at);
        return s.combine(combiner, sum, partial);
      });
      return SmallVector<Value>();
    });
  });
}
