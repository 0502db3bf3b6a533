//===- TeamColumns.cpp - Sums of columns by teams of threads -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team has as many neighbouring columns as fill a sector that memory is read by. Neighbouring
// threads have an access of these each, and those behind them the same of the next rows: what
// blocks of rows have summed, or the rows of a reduction that has too few columns for a thread
// each to keep a device busy.
//
//===----------------------------------------------------------------------===//

#include "Kernel/TeamRows.h"

#include "Kernel/Buffers.h"
#include "Kernel/ReductionOrder.h"

#include "dmc/Dialect/DMC/CudaChips.h"
#include "dmc/Dialect/DMC/SplitReduction.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

class TeamColumns {
public:
  /// `ops` are summed over so many rows, from what `element` has at a row and a column on.
  using Combine =
      llvm::function_ref<Value(size_t op, const Index &row, ArrayRef<Index> column, Value before)>;

  TeamColumns(Scalarizer &s, ArrayRef<linalg::LinalgOp> ops, int64_t rows)
      : s(s), ops(ops), rows(rows), shape(shapeOf(ops.front()->getResult(0))) {}

  void emit(Combine combineRow, ArrayRef<Root> roots) {
    int64_t words = 0, bytes = 1;
    together = s.target.getVectorBytes();
    for (linalg::LinalgOp op : ops) {
      Type type = getElementTypeOrSelf(op->getResult(0));
      words += countWords(op->getResult(0));
      together = std::min(together, s.target.getLanes(type));
      bytes = std::max(bytes, elementBytes(type));
    }
    while (!shape.empty() && shape.back() % together)
      together /= 2;
    if (shape.empty())
      together = 1;
    s.loadVectors();
    int64_t most = countHeldElements(s.target, words * together), warp = s.target.getWarpThreads();
    int64_t columns = llvm::product_of(shape) / together;
    int64_t apart = std::max<int64_t>(1, s.target.getLineBytes() / (together * bytes));
    // Rows of a few columns that are no multiple of a sector lie behind each other: a team has all.
    if (columns % apart && columns <= warp)
      apart = llvm::bit_ceil<uint64_t>(columns);
    // Its warps exchange what they have as one warp. A team of one thread would be none.
    int64_t size = Slots::chooseTeam(rows * apart, 1, most, s.target);
    size = std::clamp<int64_t>(size, 2, std::min(Launch::looseThreads, warp * warp / apart));
    Team team(s, llvm::divideCeil(columns, apart), size);
    Value isFirst;
    s.within(team.getLane(), 0, apart, isFirst);
    if (!shape.empty()) {
      SmallVector<int64_t> chunks(shape);
      chunks.back() /= together;
      Index neighbour = s.mod(team.getLane(), apart);
      Index number = s.add(neighbour, team.getIteration(), apart);
      s.within(number, 0, columns, isFirst);
      column = s.delinearize(s.clamp(number, 0, columns - 1), chunks);
      column.back() = s.scale(column.back(), together);
    }
    // Values of an operation lie together.
    auto combine = [&](ValueRange a, ValueRange b) {
      SmallVector<Value> values;
      for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(a, b)))
        values.push_back(
            s.combine(getSplitCombiner(ops[i / together]), std::get<0>(pair), std::get<1>(pair)));
      return values;
    };
    SmallVector<Value> own;
    for (linalg::LinalgOp op : ops)
      own.append(together, neutralOf(s, op));
    own = Slots({rows, apart}, 1, size, most)
              .forGroups(s, team, own, [&](ArrayRef<Chunk> chunks, ValueRange carried) {
                SmallVector<Value> values(carried);
                for (const Chunk &chunk : chunks) {
                  SmallVector<Value> next;
                  for (size_t op = 0; op < ops.size(); ++op)
                    for (int64_t i = 0; i < together; ++i)
                      next.push_back(
                          combineRow(op, chunk.first.front(), at(i), values[op * together + i]));
                  values = selectInside(s, chunk, next, values);
                }
                return values;
              });
    SmallVector<Value> sums = team.combine(own, combine, apart);
    team.store(isFirst, [&] {
      // Read by the threads that write alone: it may lie where the result does.
      SmallVector<Value> initial;
      for (linalg::LinalgOp op : ops)
        for (int64_t i = 0; i < together; ++i)
          initial.push_back(s.element(op.getDpsInitOperand(0)->get(), at(i)));
      for (auto [i, value] : llvm::enumerate(combine(initial, sums)))
        s.remember(ops[i / together]->getResult(0), at(i % together), value);
      SmallVector<Value> results;
      for (const Root &root : roots)
        for (int64_t i = 0; i < together; ++i)
          results.push_back(s.element(root.value, at(i)));
      for (auto [number, root] : llvm::enumerate(roots))
        s.storeVector(ArrayRef(results).slice(number * together, together),
                      s.arguments.lookup(root.dest), column);
    });
  }

private:
  /// The position of a neighbour among a thread's columns.
  Indices at(int64_t number) {
    Indices indices(column);
    if (!indices.empty())
      indices.back().constant += number;
    return indices;
  }

  Scalarizer &s;
  ArrayRef<linalg::LinalgOp> ops;
  int64_t rows, together = 1;
  ArrayRef<int64_t> shape;
  Indices column;
};

} // namespace

void codegen::emitTeamCombination(Scalarizer &s, const Task &task) {
  SmallVector<linalg::LinalgOp> ops;
  for (const Split &split : task.splits)
    ops.push_back(split.op);
  int64_t blocks = cast<MemRefType>(task.splits.front().partials.getType()).getDimSize(0);
  TeamColumns(s, ops, blocks)
      .emit(
          [&](size_t number, const Index &block, ArrayRef<Index> column, Value before) {
            const Split &split = task.splits[number];
            Value partial = s.load(s.arguments.lookup(split.partials), concatenate(block, column));
            return s.combine(getSplitCombiner(split.op), before, partial);
          },
          task.roots);
}

bool codegen::emitTeamColumns(Scalarizer &s, const Task &task) {
  auto op = cast<linalg::LinalgOp>(task.op);
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 || !getSplitCombiner(op) ||
      !mayReorder(op))
    return false;
  // The loops that are reduced come before those of the results.
  unsigned leading = op.getNumReductionLoops();
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  if (!leading || leading + shape.size() != op.getNumLoops())
    return false;
  for (auto [dim, expr] : llvm::enumerate(out.getResults()))
    if (expr != getAffineDimExpr(leading + dim, op.getContext()))
      return false;
  for (const Root &root : task.roots)
    if (shapeOf(root.value) != shape)
      return false;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t rows = llvm::product_of(ArrayRef(sizes).take_front(leading));
  int64_t columns = llvm::product_of(shape);
  // A multiprocessor has twice the threads of the largest block.
  int64_t threads = 2 * s.target.getBlockThreads() * countMultiprocessors(s.target);
  if (rows < 2 || columns == 0 || columns >= threads)
    return false;
  TeamColumns(s, op, rows)
      .emit(
          [&](size_t, const Index &row, ArrayRef<Index> column, Value before) {
            Indices loops = s.delinearize(row, ArrayRef(sizes).take_front(leading));
            return s.inlineStructured(op, concatenate(loops, column), before).front();
          },
          task.roots);
  return true;
}
