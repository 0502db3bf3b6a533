//===- TeamColumns.cpp - Sums of columns by teams of threads -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team has neighbouring columns, which fill a sector that memory is read by: neighbouring threads
// have an access of these each, and those behind them the same of the next rows. Columns are what
// blocks of rows have summed, or the results of a reduction over other dimensions than the last.
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

/// What is summed: so many rows of each batch, whose results have one shape behind the dimensions
/// of batches.
struct ColumnSums {
  ArrayRef<linalg::LinalgOp> ops;
  int64_t rows;
  size_t batchDims = 0;
  /// What has an element for each row and column; and the results, of which sectors that are
  /// touched twice count where they are more than a twentieth of all.
  SmallVector<Type> streamed;

  void addResults(ArrayRef<Root> roots) {
    int64_t ofRows = 0, ofResults = 0;
    for (Type type : streamed)
      ofRows += rows * elementBytes(type);
    for (const Root &root : roots)
      ofResults += elementBytes(getElementTypeOrSelf(root.dest));
    if (20 * ofResults > ofRows)
      for (const Root &root : roots)
        streamed.push_back(getElementTypeOrSelf(root.dest));
  }
};

class TeamColumns {
public:
  /// The sum of an operation at a column when a row of it is added to what was `before`.
  using Combine =
      llvm::function_ref<Value(size_t op, const Index &row, ArrayRef<Index> column, Value before)>;

  TeamColumns(Scalarizer &s, const ColumnSums &sums)
      : s(s), ops(sums.ops), rows(sums.rows), shape(shapeOf(ops.front()->getResult(0))),
        batchShape(shape.take_front(sums.batchDims)), rowShape(shape.drop_front(sums.batchDims)) {
    chooseChunks(sums.streamed);
    chooseTeam();
  }

  void emit(Combine combineRow, ArrayRef<Root> roots) {
    s.loadVectors();
    int64_t groups = llvm::divideCeil(columns, apart);
    Team team(s, llvm::product_of(batchShape) * groups, size);
    Value isFirst;
    s.within(team.getLane(), 0, apart, isFirst);
    column = s.delinearize(s.div(team.getIteration(), groups), batchShape);
    if (!rowShape.empty()) {
      SmallVector<int64_t> chunks(rowShape);
      chunks.back() /= together;
      Index neighbour = s.mod(team.getLane(), apart);
      Index number = s.add(neighbour, s.mod(team.getIteration(), groups), apart);
      s.within(number, 0, columns, isFirst);
      llvm::append_range(column, s.delinearize(s.clamp(number, 0, columns - 1), chunks));
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
  /// Columns of an access of the widest of what is streamed, of which those of neighbouring threads
  /// lie beside each other.
  void chooseChunks(ArrayRef<Type> streamed) {
    int64_t widest = 1, narrowest = s.target.getVectorBytes(), words = 0;
    for (Type type : streamed) {
      widest = std::max(widest, elementBytes(type));
      narrowest = std::min(narrowest, elementBytes(type));
    }
    for (linalg::LinalgOp op : ops)
      words += countWords(op->getResult(0));
    together = std::max<int64_t>(1, s.target.getVectorBytes() / widest);
    while (!rowShape.empty() && rowShape.back() % together)
      together /= 2;
    if (rowShape.empty())
      together = 1;
    most = countHeldElements(s.target, words * together);
    columns = llvm::product_of(rowShape) / together;
    bytes = together * narrowest;
  }

  /// The threads beside each other have a sector of the narrowest of what is streamed; more of them
  /// if there are enough of others for all threads of a device.
  void chooseTeam() {
    int64_t warp = s.target.getWarpThreads(), sector = s.target.getLineBytes();
    // A multiprocessor has twice the threads of the largest block.
    int64_t threads = 2 * s.target.getBlockThreads() * countMultiprocessors(s.target);
    int64_t batches = llvm::product_of(batchShape);
    apart = std::clamp<int64_t>(sector / bytes, 1, warp);
    // Rows that begin within sectors lie behind each other: a team has all of a short one, and of
    // a long one as much as a warp accesses, of which the sectors at both ends are little.
    bool areAligned = columns % apart == 0 && columns * bytes % sector == 0;
    if (!areAligned)
      apart = std::min<int64_t>(llvm::bit_ceil<uint64_t>(columns), warp);
    auto countTeams = [&] { return batches * int64_t(llvm::divideCeil(columns, apart)); };
    while (areAligned && apart < warp && columns % (2 * apart) == 0 &&
           countTeams() * apart >= 2 * threads)
      apart *= 2;
    // A team of one thread would be none. Where there are few, they are as large as can be.
    int64_t largest = countTeams() < countMultiprocessors(s.target) ? getLargestTeam(s.target)
                                                                    : Launch::looseThreads;
    size = std::clamp<int64_t>(Slots::chooseTeam(rows * apart, 1, most, s.target),
                               std::max<int64_t>(2, apart), largest);
    // Threads for all columns are enough: those that share one would only exchange its sums.
    while (areAligned && size / 2 >= std::max<int64_t>(2, apart) &&
           countTeams() * size / 2 >= threads)
      size /= 2;
  }

  /// The position of a neighbour among a thread's columns.
  Indices at(int64_t number) {
    Indices indices(column);
    if (!indices.empty())
      indices.back().constant += number;
    return indices;
  }

  Scalarizer &s;
  ArrayRef<linalg::LinalgOp> ops;
  int64_t rows;
  ArrayRef<int64_t> shape, batchShape, rowShape;
  /// Neighbouring columns that a thread has, as many of which a batch has `columns`, and the bytes
  /// of the narrowest of what is streamed that they are.
  int64_t together = 1, columns = 1, bytes = 1;
  /// Rows that a thread has at a time, threads of a team, and how many of them have other columns.
  int64_t most = 1, size = 2, apart = 1;
  Indices column;
};

} // namespace

void codegen::emitTeamCombination(Scalarizer &s, const Task &task) {
  SmallVector<linalg::LinalgOp> ops;
  ColumnSums sums;
  for (const Split &split : task.splits) {
    ops.push_back(split.op);
    sums.streamed.push_back(getElementTypeOrSelf(split.partials));
  }
  sums.ops = ops;
  sums.rows = cast<MemRefType>(task.splits.front().partials.getType()).getDimSize(0);
  sums.addResults(task.roots);
  TeamColumns(s, sums).emit(
      [&](size_t number, const Index &block, ArrayRef<Index> column, Value before) {
        const Split &split = task.splits[number];
        Value partial = s.load(s.arguments.lookup(split.partials), concatenate(block, column));
        return s.combine(getSplitCombiner(split.op), before, partial);
      },
      task.roots);
}

/// The loops of a reduction over other dimensions than the last: those of the results are in their
/// order, of which some come after all that are reduced.
namespace {
struct ColumnLoops {
  SmallVector<unsigned> results, reduced;
  size_t batchDims = 0;

  static std::optional<ColumnLoops> match(linalg::LinalgOp op) {
    ColumnLoops loops;
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
      bool isReduced = iterator == utils::IteratorType::reduction;
      if (isReduced)
        loops.batchDims = loops.results.size();
      (isReduced ? loops.reduced : loops.results).push_back(loop);
    }
    AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (loops.reduced.empty() || loops.results.size() != out.getNumResults() ||
        (loops.batchDims && loops.batchDims == loops.results.size()))
      return std::nullopt;
    for (auto [loop, expr] : llvm::zip_equal(loops.results, out.getResults()))
      if (expr != getAffineDimExpr(loop, op.getContext()))
        return std::nullopt;
    return loops;
  }
};
} // namespace

bool codegen::emitTeamColumns(Scalarizer &s, const Task &task) {
  auto op = cast<linalg::LinalgOp>(task.op);
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 || !getSplitCombiner(op) ||
      !mayReorder(op))
    return false;
  std::optional<ColumnLoops> loops = ColumnLoops::match(op);
  if (!loops)
    return false;
  for (const Root &root : task.roots)
    if (shapeOf(root.value) != shapeOf(op->getResult(0)))
      return false;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<int64_t> reduced =
      llvm::map_to_vector(loops->reduced, [&](unsigned loop) { return sizes[loop]; });
  ColumnSums sums{op, llvm::product_of(reduced), loops->batchDims, {}};
  int64_t elements = llvm::product_of(sizes);
  if (sums.rows < 2 || elements == 0)
    return false;
  for (Value read : task.reads)
    if (auto type = cast<MemRefType>(read.getType()); type.getNumElements() >= elements)
      sums.streamed.push_back(type.getElementType());
  sums.addResults(task.roots);
  TeamColumns(s, sums).emit(
      [&](size_t, const Index &row, ArrayRef<Index> column, Value before) {
        Indices dims(sizes.size());
        for (auto [loop, index] : llvm::zip_equal(loops->reduced, s.delinearize(row, reduced)))
          dims[loop] = index;
        for (auto [loop, index] : llvm::zip_equal(loops->results, column))
          dims[loop] = index;
        return s.inlineStructured(op, dims, before).front();
      },
      task.roots);
  return true;
}
