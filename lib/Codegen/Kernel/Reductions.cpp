//===- Reductions.cpp - Loops of reductions -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the order of a reduction's loops by what lies contiguous in memory.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelTasks.h"
#include "Kernel/ReductionOrder.h"
#include "Kernel/RowTask.h"
#include "Kernel/TeamWindows.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

static SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Strides in memory of a tensor's dimensions, seen through what it is computed
/// from: of the operand with the worst locality, roughly.
static SmallVector<int64_t> memoryStrides(Value tensor, unsigned depth = 0) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (std::optional<StridedView> view = viewOf(tensor))
    return view->strides;
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumReductionLoops() || depth > 16)
    return rowMajorStrides(type.getShape());
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<int64_t> strides(type.getRank(), 0);
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(input->get().getType()))
      continue;
    SmallVector<int64_t> inner = memoryStrides(input->get(), depth + 1);
    AffineMap map = op.getMatchingIndexingMap(input);
    for (auto [position, expr] : llvm::enumerate(map.getResults()))
      if (auto at = out.getResultPosition(expr))
        strides[*at] = std::max(strides[*at], inner[position]);
  }
  return strides;
}

/// The loop to run innermost: the one along which most accesses are contiguous.
static unsigned chooseInnermost(linalg::LinalgOp op, int64_t fewest = 8) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<int64_t> score(sizes.size(), 0);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  auto rate = [&](AffineMap map, ArrayRef<int64_t> strides) {
    for (auto [loop, points] : llvm::enumerate(score)) {
      int64_t stride = 0;
      for (auto [expr, dimStride] : llvm::zip_equal(map.getResults(), strides))
        if (expr.isFunctionOfDim(loop))
          stride += dimStride;
      points += stride == 0 ? 1 : stride == 1 ? 3 : 0;
    }
  };
  // The sizes of windows are those of an operand that nothing reads.
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<RankedTensorType>(input->get().getType()) && op.payloadUsesValueFromOperand(input))
      rate(op.getMatchingIndexingMap(input), memoryStrides(input->get()));
  OpOperand *init = op.getDpsInitOperand(0);
  rate(op.getMatchingIndexingMap(init),
       rowMajorStrides(cast<RankedTensorType>(init->get().getType()).getShape()));
  unsigned best = sizes.size() - 1;
  auto rank = [&](unsigned loop) {
    // A short loop is a poor innermost one; carrying scalars beats memory.
    return std::tuple(sizes[loop] >= fewest, score[loop],
                      iterators[loop] == utils::IteratorType::reduction, sizes[loop]);
  };
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    if (rank(loop) > rank(best))
      best = loop;
  return best;
}

bool codegen::walksReduction(linalg::LinalgOp op, bool areShort) {
  unsigned innermost = areShort ? chooseInnermost(op, /*fewest=*/2) : chooseInnermost(op);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  return iterators[innermost] == utils::IteratorType::reduction &&
         !llvm::is_contained(ArrayRef(iterators).drop_front(innermost + 1),
                             utils::IteratorType::reduction);
}

/// Where a root has the element of the reduction's result at some indices: the
/// root may be a reshape of the result.
static Indices destIndices(Scalarizer &s, ArrayRef<Index> indices, Value result, const Root &root) {
  auto from = cast<RankedTensorType>(result.getType()).getShape();
  auto to = cast<RankedTensorType>(root.value.getType()).getShape();
  if (from == to)
    return Indices(indices);
  return s.delinearize(s.linearize(indices, from), to);
}

//===--- Short rows of results --------------------------------------------===//

/// Accumulators that are kept side by side: those of a tiny matrix product fill a few vector
/// registers, and leave the others for operands.
static constexpr int64_t maxTogether = 16;

/// The parallel loop along which results are contiguous, if it is too short for a vector loop of
/// its own: its results are computed together. Nothing if there is none.
static std::optional<unsigned> chooseTogether(linalg::LinalgOp op) {
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!out.getNumResults() || !isa<AffineDimExpr>(out.getResults().back()))
    return std::nullopt;
  unsigned loop = cast<AffineDimExpr>(out.getResults().back()).getPosition();
  int64_t size = op.getStaticLoopRanges()[loop];
  return size > 1 && size <= maxTogether ? std::optional(loop) : std::nullopt;
}

bool codegen::isTinyContraction(linalg::LinalgOp op, const ContractionLoops &loops) {
  // A product of fewer rows and columns than this takes less time than the call of a library, and
  // its operands need not be packed to be read from the first cache.
  constexpr int64_t fewColumns = 8;
  // Each product reads its operands once, a cache line of 64 bytes of each for a step of the
  // sum: 256 steps of both are the 32 KB of a first cache, and longer sums would push out what the
  // neighbouring product reads again.
  constexpr int64_t longSum = 256;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto product = [&](ArrayRef<unsigned> list) {
    int64_t all = 1;
    for (unsigned loop : list)
      all *= sizes[loop];
    return all;
  };
  return product(loops.batch) > 1 && std::min(product(loops.m), product(loops.n)) <= fewColumns &&
         std::max(product(loops.m), product(loops.n)) <= maxTogether &&
         product(loops.k) <= longSum && chooseTogether(op);
}

/// Runs the reduction loops of an operation with one result at several positions at once.
static SmallVector<Value> reduceTogether(Scalarizer &s, linalg::LinalgOp op,
                                         MutableArrayRef<Indices> positions,
                                         ArrayRef<unsigned> reductions) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  OpOperand *init = op.getDpsInitOperand(0);
  SmallVector<Value> initial;
  for (const Indices &dims : positions)
    initial.push_back(s.element(init->get(), s.apply(op.getMatchingIndexingMap(init), dims)));
  std::function<SmallVector<Value>(size_t, ValueRange)> descend =
      [&](size_t level, ValueRange carried) -> SmallVector<Value> {
    if (level == reductions.size()) {
      SmallVector<Value> next;
      s.recordCopies({{LoopExecutor::unrolled, static_cast<int64_t>(positions.size())}});
      for (auto [dims, value] : llvm::zip_equal(positions, carried))
        next.push_back(s.inlineStructured(op, dims, value).front());
      return next;
    }
    return s.loop(sizes[reductions[level]], carried, [&](const Index &index, ValueRange inner) {
      for (Indices &dims : positions)
        dims[reductions[level]] = index;
      return descend(level + 1, inner);
    });
  };
  return descend(0, initial);
}

void codegen::emitTinyContraction(Scalarizer &s, const Task &task) {
  auto op = cast<linalg::LinalgOp>(task.op);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  unsigned together = *chooseTogether(op);
  SmallVector<unsigned> outer, reductions;
  SmallVector<int64_t> shape;
  int64_t work = 1;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isReduction = iterator == utils::IteratorType::reduction;
    if (!isReduction && loop != together) {
      outer.push_back(loop);
      shape.push_back(sizes[loop]);
      continue;
    }
    work *= sizes[loop];
    if (isReduction)
      reductions.push_back(loop);
  }
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  s.divide(shape, work, /*isContiguous=*/false, [&](ArrayRef<Index> indices) {
    SmallVector<Indices> positions(sizes[together], Indices(sizes.size()));
    for (auto [number, dims] : llvm::enumerate(positions)) {
      for (auto [loop, index] : llvm::zip_equal(outer, indices))
        dims[loop] = index;
      dims[together] = LoopBuilder::constant(number);
    }
    SmallVector<Value> values = reduceTogether(s, op, positions, reductions);
    for (auto [dims, value] : llvm::zip_equal(positions, values))
      for (const Root &root : task.roots)
        s.store(value, s.arguments.lookup(root.dest),
                destIndices(s, s.apply(out, dims), op->getResult(0), root));
  });
}

//===--- Results of the same elements -------------------------------------===//

/// The parallel loops on which no operand that is read depends, as the positions of a pooling
/// window on which its gradient falls: their results read the same elements, and are a thread's
/// together if they are few. Not the last one: its results are written by threads beside each
/// other. Empty if there are none.
static SmallVector<unsigned> findRepeatedLoops(linalg::LinalgOp op) {
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<unsigned> loops;
  int64_t count = 1;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    auto isRead = [&, loop = unsigned(loop)](OpOperand *input) {
      return op.payloadUsesValueFromOperand(input) &&
             llvm::any_of(op.getMatchingIndexingMap(input).getResults(),
                          [&](AffineExpr expr) { return expr.isFunctionOfDim(loop); });
    };
    bool isLast = out.getNumResults() && out.getResults().back().isFunctionOfDim(loop);
    if (iterator == utils::IteratorType::reduction || isLast ||
        llvm::any_of(op.getDpsInputOperands(), isRead))
      continue;
    loops.push_back(loop);
    count *= op.getStaticLoopRanges()[loop];
  }
  bool isRepeated = op->getNumResults() == 1 && count > 1 && count <= maxTogether;
  return isRepeated ? loops : SmallVector<unsigned>();
}

static void emitRepeated(Scalarizer &s, const Task &task, ArrayRef<unsigned> repeated,
                         ArrayRef<unsigned> reductions) {
  auto op = cast<linalg::LinalgOp>(task.op);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges(), shape, inner;
  SmallVector<unsigned> outer;
  int64_t work = 1;
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    bool isRepeated = llvm::is_contained(repeated, loop);
    if (isRepeated)
      inner.push_back(size);
    if (isRepeated || llvm::is_contained(reductions, loop)) {
      work *= size;
      continue;
    }
    outer.push_back(loop);
    shape.push_back(size);
  }
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  s.divide(shape, work, /*isContiguous=*/false, [&](ArrayRef<Index> indices) {
    SmallVector<Indices> positions(llvm::product_of(inner), Indices(sizes.size()));
    for (auto [number, dims] : llvm::enumerate(positions)) {
      for (auto [loop, index] : llvm::zip_equal(outer, indices))
        dims[loop] = index;
      for (auto [loop, index] :
           llvm::zip_equal(repeated, s.delinearize(LoopBuilder::constant(number), inner)))
        dims[loop] = index;
    }
    SmallVector<Value> values = reduceTogether(s, op, positions, reductions);
    for (auto [dims, value] : llvm::zip_equal(positions, values))
      for (const Root &root : task.roots)
        s.store(value, s.arguments.lookup(root.dest),
                destIndices(s, s.apply(out, dims), op->getResult(0), root));
  });
}

//===--- Any reduction ----------------------------------------------------===//

void codegen::emitReduction(Scalarizer &s, const Task &task) {
  if (s.target.isDevice() && (emitRunningWindows(s, task) || emitTeamWindows(s, task) ||
                              emitTeamResults(s, task) || emitTeamColumns(s, task)))
    return;
  auto op = cast<linalg::LinalgOp>(task.op);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<unsigned> parallel, reductions;
  for (auto [loop, iterator] : llvm::enumerate(iterators))
    (iterator == utils::IteratorType::reduction ? reductions : parallel).push_back(loop);

  // Which result each root is; a result may be written more than once.
  SmallVector<std::pair<unsigned, const Root *>> writes;
  llvm::SmallBitVector written(op->getNumResults());
  for (const Root &root : task.roots) {
    Value value = root.value;
    while (value.getDefiningOp() != op.getOperation())
      value = value.getDefiningOp()->getOperand(0);
    unsigned number = cast<OpResult>(value).getResultNumber();
    writes.push_back({number, &root});
    written.set(number);
  }
  auto outIndices = [&](unsigned number, ArrayRef<Index> dims) {
    return s.apply(op.getMatchingIndexingMap(op.getDpsInitOperand(number)), dims);
  };
  auto storeAll = [&](ArrayRef<Value> values, ArrayRef<Index> dims) {
    for (auto [number, root] : writes)
      s.store(values[number], s.arguments.lookup(root->dest),
              destIndices(s, outIndices(number, dims), op->getResult(number), *root));
  };

  Indices dims(sizes.size());
  std::function<void(ArrayRef<unsigned>, function_ref<void()>)> loops =
      [&](ArrayRef<unsigned> order, function_ref<void()> body) {
        if (order.empty())
          return body();
        s.loop(sizes[order.front()], {}, [&](const Index &index, ValueRange) {
          dims[order.front()] = index;
          loops(order.drop_front(), body);
          return SmallVector<Value>();
        });
      };
  for (auto [loop, size] : llvm::enumerate(sizes))
    dims[loop] = LoopBuilder::constant(0);
  int64_t reduced = 1;
  for (unsigned loop : reductions)
    reduced *= sizes[loop];

  unsigned innermost = chooseInnermost(op);
  bool inMemory = iterators[innermost] == utils::IteratorType::parallel && written.all() &&
                  !s.target.isDevice(); // whose neighbouring threads have neighbouring results
  if (!inMemory) {
    if (iterators[innermost] == utils::IteratorType::reduction && mayReorder(op)) {
      llvm::erase(reductions, innermost);
      reductions.push_back(innermost);
    }
    if (SmallVector<unsigned> repeated = findRepeatedLoops(op);
        s.target.isDevice() && !repeated.empty())
      return emitRepeated(s, task, repeated, reductions);
    SmallVector<int64_t> shape =
        llvm::map_to_vector(parallel, [&](unsigned loop) { return sizes[loop]; });
    s.divide(shape, reduced, /*isContiguous=*/false, [&](ArrayRef<Index> indices) {
      for (auto [loop, index] : llvm::zip_equal(parallel, indices))
        dims[loop] = index;
      storeAll(s.reduce(op, dims, reductions), dims);
    });
    return;
  }

  llvm::erase(parallel, innermost);
  // Where the outer loops alone cannot be divided well, the innermost one is cut into rows that
  // are still contiguous in memory.
  SmallVector<int64_t> shape =
      llvm::map_to_vector(parallel, [&](unsigned loop) { return sizes[loop]; });
  int64_t row = sizes[innermost], outer = llvm::product_of(shape);
  bool isCut =
      outer < Division::countWanted(outer * row * reduced) && row >= 2 * Division::leastRow;
  if (isCut)
    row = Division::leastRow;
  shape.push_back(llvm::divideCeil(sizes[innermost], row));
  s.divide(shape, row * reduced, /*isContiguous=*/false, [&](ArrayRef<Index> indices) {
    for (auto [loop, index] : llvm::zip(parallel, indices))
      dims[loop] = index;
    auto overRow = [&](function_ref<void()> body) {
      if (!isCut)
        return loops(innermost, body);
      s.part(indices.back(), row, sizes[innermost], [&](const Index &index) {
        dims[innermost] = index;
        body();
      });
    };
    overRow([&] {
      SmallVector<Value> initial;
      for (unsigned number = 0; number < op->getNumResults(); ++number)
        initial.push_back(s.element(op.getDpsInitOperand(number)->get(), outIndices(number, dims)));
      storeAll(initial, dims);
    });
    loops(reductions, [&] {
      overRow([&] {
        SmallVector<Value> accumulators(op->getNumResults());
        for (auto [number, root] : writes)
          if (!accumulators[number])
            accumulators[number] =
                s.load(s.arguments.lookup(root->dest),
                       destIndices(s, outIndices(number, dims), op->getResult(number), *root));
        storeAll(s.inlineStructured(op, dims, accumulators), dims);
      });
    });
  });
}
