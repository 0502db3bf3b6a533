//===- TeamBlocks.cpp - Reductions over rows by teams of threads ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/TeamRows.h"

#include "Kernel/Buffers.h"

#include "dmc/Dialect/DMC/CudaChips.h"
#include "dmc/Dialect/DMC/SplitReduction.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

class TeamBlocks {
public:
  TeamBlocks(Scalarizer &s, const Task &task)
      : s(s), task(task), rows(s, task), shape(rows.shape), blocks(rows.rows.countBlocks()) {
    isTotal = llvm::all_of(task.splits, [](const Split &split) {
      return shapeOf(linalg::LinalgOp(split.op)->getResult(0)).empty();
    });
    bool areElements = rows.rows.elements.size() == task.roots.size();
    hasRowResults = !areElements || rows.hasWaves(rows.outer);
  }

  bool choose() {
    if (!rows.canShare())
      return false;
    return isTotal ? chooseTotal() : chooseColumns();
  }

  void emit() {
    s.loadVectors();
    if (isTotal)
      emitTotal();
    else if (isKept)
      emitKeptColumns();
    else if (isInMemory)
      emitLongColumns();
    else
      emitColumns();
  }

private:
  //===--- Sums of columns ---===//

  ArrayRef<int64_t> getColumns() const { return shape.drop_front(rows.outer); }

  bool chooseColumns() {
    for (const Split &split : task.splits)
      if (linalg::LinalgOp(split.op).getNumReductionLoops() != rows.outer)
        return false;
    if (rows.findNextLevel(rows.outer) != shape.size() || !rows.choose())
      return false;
    int64_t warp = s.target.getWarpThreads();
    if (hasRowResults) {
      // Teams of one warp may have different numbers of rows.
      rows.size = std::max(rows.size, warp);
      // Rather all registers than sums in memory.
      auto isTooLong = [&] { return rows.slotsOf(getColumns()).getGroups() > 1; };
      int64_t most = rows.most;
      if (isTooLong())
        rows.most = 2 * most;
      isInMemory = isTooLong();
      if (isInMemory) {
        rows.most = most;
        keepRows();
      }
      return true;
    }
    Slots slots = rows.slotsOf(getColumns());
    // Nothing is shared along a row: several teams have its columns, and each thread one chunk of
    // several rows at a time, as many as it has registers for.
    together = std::max<int64_t>(1, rows.most / slots.getLanes());
    int64_t chunks = llvm::product_of(getColumns()) / slots.getLanes();
    rows.size = std::min<int64_t>(llvm::bit_ceil<uint64_t>(chunks), Launch::looseThreads);
    if (rows.isInPlace)
      rows.size = std::max(rows.size, warp);
    rows.most = slots.getLanes();
    shareRows();
    return true;
  }

  /// Few columns give few threads: several have different rows of a block then, and exchange what
  /// they have summed. Where all threads of a block wait for each other at each row, all have as
  /// many of them.
  void shareRows() {
    int64_t length = countRowsOfBlock(), all = llvm::product_of(shape.take_front(rows.outer));
    int64_t most = llvm::bit_ceil<uint64_t>(length);
    if (rows.isInPlace)
      most = all % blocks == 0 ? length & -length : 1;
    // Of few blocks a multiprocessor has one or two at a time.
    int64_t largest = blocks < 2 * countMultiprocessors(s.target) ? getLargestTeam(s.target)
                                                                  : Launch::looseThreads;
    beside = std::min(most, std::max<int64_t>(1, largest / rows.size));
    together = std::min<int64_t>(together, llvm::divideCeil(length, beside));
  }

  int64_t countRowsOfBlock() const {
    return llvm::divideCeil(llvm::product_of(shape.take_front(rows.outer)), blocks);
  }

  /// Of rows that are too long for registers: keeps them in shared memory, and the sums alone in
  /// registers if a thread has these for all of its columns.
  void keepRows() {
    rows.keepRows(/*hasRows=*/true);
    Slots slots = rows.slotsOf(getColumns());
    isKept = rows.memory && rows.memory->getGroups() == slots.getGroups() && !rows.isOrdered() &&
             getSumSlots().getGroups() == 1;
  }

  /// The same chunks of each thread, in one group.
  Slots getSumSlots() const {
    int64_t words = 0;
    for (const Split &split : task.splits)
      words += countWords(split.partials);
    return Slots(getColumns(), rows.slotsOf(getColumns()).getLanes(), rows.size,
                 2 * countHeldElements(s.target, words));
  }

  void emitKeptColumns() {
    Slots slots = getSumSlots();
    rows.begin(blocks);
    const Index &block = rows.team->getIteration();
    SmallVector<Chunk> chunks = slots.getChunks(s, *rows.team, LoopBuilder::constant(0));
    SmallVector<Value> initial;
    for (const Split &split : task.splits)
      initial.append(chunks.size() * slots.getLanes(), neutralOf(s, split.op));
    RowPass last = rows.rows.findPasses(rows.outer).passes.back();
    rows.isWrittenBeside = true;
    rows.fillMemory();
    ArrayRef<int64_t> outer = shape.take_front(rows.outer);
    SmallVector<Value> sums = overRows(block, llvm::product_of(outer), initial,
                                       [&](const Index &number, ValueRange carried) {
                                         SmallVector<Value> next(carried);
                                         Indices row = s.delinearize(number, outer);
                                         rows.level(row, [&] {
                                           for (size_t slot = 0; slot < chunks.size(); ++slot)
                                             visitChunk(row, last, slots, slot, next);
                                         });
                                         return next;
                                       });
    storeSums(sums, block, chunks, slots);
  }

  /// Writes a chunk of a row and adds it to the sums. What is computed of it is in registers until
  /// it is written: in a loop, though of one iteration, since nothing of it is for other chunks.
  void visitChunk(const Indices &row, const RowPass &pass, const Slots &slots, int64_t slot,
                  MutableArrayRef<Value> sums) {
    auto sumOf = [&](size_t split, int64_t lane) -> Value & {
      return sums[(split * slots.getCount() + slot) * slots.getLanes() + lane];
    };
    SmallVector<Value> carried;
    for (size_t i = 0; i < task.splits.size(); ++i)
      for (int64_t lane = 0; lane < slots.getLanes(); ++lane)
        carried.push_back(sumOf(i, lane));
    Value zero = s.materialize(LoopBuilder::constant(0));
    Value one = s.materialize(LoopBuilder::constant(1));
    SmallVector<Value> next =
        s.loop(zero, one, one, 0, carried, [&](const Index &group, ValueRange before) {
          Chunk chunk = slots.getChunk(s, *rows.team, group, slot);
          s.recordCopies({{LoopExecutor::lanes, slots.getLanes()}});
          rows.memory->visit(pass, row, chunk, LoopBuilder::constant(slot), *rows.team);
          SmallVector<Value> values;
          for (const Split &split : task.splits)
            for (int64_t lane = 0; lane < slots.getLanes(); ++lane) {
              Indices at = concatenate(row, getElement(chunk, lane));
              values.push_back(s.inlineStructured(split.op, at, before[values.size()]).front());
            }
          rows.writeChunks(row, chunk, slots.getLanes());
          return values;
        });
    for (size_t i = 0; i < task.splits.size(); ++i)
      for (int64_t lane = 0; lane < slots.getLanes(); ++lane)
        sumOf(i, lane) = next[i * slots.getLanes() + lane];
  }

  void storeSums(ArrayRef<Value> sums, const Index &block, ArrayRef<Chunk> chunks,
                 const Slots &slots) {
    for (auto [number, chunk] : llvm::enumerate(chunks)) {
      Value condition = chunk.isInside;
      s.within(rows.team->getLane(), 0, rows.size, condition);
      rows.team->store(condition, [&, number = number, &chunk = chunk] {
        for (auto [i, split] : llvm::enumerate(task.splits)) {
          size_t first = (i * chunks.size() + number) * slots.getLanes();
          s.storeVector(sums.slice(first, slots.getLanes()), s.arguments.lookup(split.partials),
                        concatenate(block, chunk.first));
        }
      });
    }
  }

  void emitColumns() {
    Slots slots = rows.slotsOf(getColumns());
    int64_t tiles = slots.getGroups();
    rows.team.emplace(s, blocks * tiles, rows.size * beside);
    Index block = s.div(rows.team->getIteration(), tiles);
    SmallVector<Chunk> chunks =
        slots.getChunks(s, *rows.team, s.mod(rows.team->getIteration(), tiles));
    rows.columns = chunks;
    SmallVector<Value> initial;
    for (const Split &split : task.splits)
      initial.append(chunks.size() * slots.getLanes(), neutralOf(s, split.op));
    ArrayRef<int64_t> outer = shape.take_front(rows.outer);
    SmallVector<Value> sums = overRows(
        block, llvm::product_of(outer), initial, [&](const Index &number, ValueRange carried) {
          SmallVector<Value> next;
          Indices row = s.delinearize(number, outer);
          rows.level(row, [&] { next = accumulate(row, chunks, slots, carried); });
          return next;
        });
    if (beside > 1) {
      size_t ofSplit = chunks.size() * slots.getLanes();
      sums = rows.team->combine(
          sums,
          [&](ValueRange a, ValueRange b) {
            SmallVector<Value> values;
            for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(a, b)))
              values.push_back(s.combine(getSplitCombiner(task.splits[i / ofSplit].op),
                                         std::get<0>(pair), std::get<1>(pair)));
            return values;
          },
          rows.size);
    }
    storeSums(sums, block, chunks, slots);
  }

  /// Rows of which a team has a part at a time: the sums are in memory, where each thread has its
  /// own columns.
  void emitLongColumns() {
    Slots slots = rows.slotsOf(getColumns());
    rows.begin(blocks);
    const Index &block = rows.team->getIteration();
    auto storeAll =
        [&](ArrayRef<Chunk> chunks,
            function_ref<Value(const Split &, const Chunk &, int64_t, ArrayRef<Index>)> compute) {
          for (const Chunk &chunk : chunks)
            for (const Split &split : task.splits) {
              SmallVector<Value> values;
              for (int64_t lane = 0; lane < slots.getLanes(); ++lane)
                values.push_back(
                    compute(split, chunk, lane, concatenate(block, getElement(chunk, lane))));
              rows.team->store(chunk.isInside, [&] {
                s.storeVector(values, s.arguments.lookup(split.partials),
                              concatenate(block, chunk.first));
              });
            }
          return SmallVector<Value>();
        };
    slots.forGroups(s, *rows.team, {}, [&](ArrayRef<Chunk> chunks, ValueRange) {
      return storeAll(chunks, [&](const Split &split, const Chunk &, int64_t, ArrayRef<Index>) {
        return neutralOf(s, split.op);
      });
    });
    rows.fillMemory();
    ArrayRef<int64_t> outer = shape.take_front(rows.outer);
    RowPass last = rows.rows.findPasses(rows.outer).passes.back();
    auto overRow = [&](const Index &number, ValueRange) {
      Indices row = s.delinearize(number, outer);
      rows.level(row, [&] {
        rows.forGroups(getColumns(), last, row, {}, [&](ArrayRef<Chunk> chunks, ValueRange) {
          auto add = [&](const Split &split, const Chunk &chunk, int64_t lane, ArrayRef<Index> at) {
            Value sum = loadInside(split, chunk, at);
            return s.inlineStructured(split.op, concatenate(row, getElement(chunk, lane)), sum)
                .front();
          };
          return storeAll(chunks, add);
        });
      });
      return SmallVector<Value>();
    };
    overRows(block, llvm::product_of(outer), {}, overRow);
  }

  /// A partial sum. Outside of the row there is one of another thread, which must not be read.
  Value loadInside(const Split &split, const Chunk &chunk, ArrayRef<Index> at) {
    Value partials = s.arguments.lookup(split.partials);
    Type type = getElementTypeOrSelf(split.partials);
    auto load = [&] { return SmallVector<Value>{s.load(partials, at)}; };
    if (!chunk.isInside)
      return load().front();
    return s
        .choose(chunk.isInside, type, load,
                [&] { return SmallVector<Value>{neutralOf(s, split.op)}; })
        .front();
  }

  SmallVector<Value> accumulate(ArrayRef<Index> row, ArrayRef<Chunk> chunks, const Slots &slots,
                                ValueRange carried) {
    SmallVector<Value> next;
    for (const Split &split : task.splits)
      for (const Chunk &chunk : chunks)
        for (int64_t lane = 0; lane < slots.getLanes(); ++lane)
          next.push_back(s.inlineStructured(split.op, concatenate(row, getElement(chunk, lane)),
                                            carried[next.size()])
                             .front());
    return next;
  }

  /// Runs the rows of a block, several of them at a time, so that a thread waits for memory once
  /// for all of these.
  SmallVector<Value> overRows(const Index &block, int64_t count, SmallVector<Value> carried,
                              LoopBuilder::Body body) {
    int64_t length = llvm::divideCeil(count, blocks);
    Index first = s.scale(block, length);
    Index rest = count % blocks == 0
                     ? LoopBuilder::constant(length)
                     : s.clamp(s.add(LoopBuilder::constant(count), first, -1), 0, length);
    if (beside > 1) {
      Index own = s.div(rows.team->getLane(), rows.size);
      first = s.add(first, own);
      Index others = s.add(LoopBuilder::constant(beside - 1), own, -1);
      rest = rest.isConstant() && length % beside == 0 ? LoopBuilder::constant(length / beside)
                                                       : s.div(s.add(rest, others), beside);
      length = llvm::divideCeil(length, beside);
    }
    Index whole = s.div(rest, together);
    auto loop = [&](const Index &from, const Index &to, int64_t most, int64_t step) {
      Value bounds[] = {s.materialize(from), s.materialize(to),
                        s.materialize(LoopBuilder::constant(1))};
      carried = s.loop(
          bounds[0], bounds[1], bounds[2], most - 1, carried,
          [&](const Index &index, ValueRange values) {
            SmallVector<Value> next(values);
            s.recordCopies({{LoopExecutor::unrolled, step}});
            for (int64_t i = 0; i < step; ++i)
              next =
                  body(s.add(s.add(first, index, step * beside), LoopBuilder::constant(i * beside)),
                       next);
            return next;
          },
          most);
    };
    if (length / together)
      loop(LoopBuilder::constant(0), whole, length / together, together);
    if (length % together || !rest.isConstant())
      if (together > 1)
        loop(s.scale(whole, together), rest, together, 1);
    return carried;
  }

  //===--- Sums of everything ---===//

  bool chooseTotal() {
    if (hasRowResults)
      return false;
    int64_t words = 0;
    for (const Split &split : task.splits)
      words += countWords(split.partials);
    rows.most = countHeldElements(s.target, words);
    int64_t elements = llvm::product_of(shape);
    lanes = countTeamLanes(s, task, shape.back(), elements);
    int64_t chunks = elements / lanes;
    rows.size = std::min<int64_t>(llvm::bit_ceil<uint64_t>(chunks), Launch::looseThreads);
    // No more than a thread's share, so that each block has a group of slots.
    rows.most = std::min<int64_t>(rows.most, lanes * llvm::divideCeil(chunks, blocks * rows.size));
    return rows.size > 1;
  }

  /// A block has the groups of slots whose number is its own modulo the blocks.
  void emitTotal() {
    Slots slots(shape, lanes, rows.size, rows.most);
    rows.begin(blocks);
    SmallVector<Value> initial;
    for (const Split &split : task.splits)
      initial.push_back(neutralOf(s, split.op));
    SmallVector<Value> own =
        s.loop(llvm::divideCeil(slots.getGroups(), blocks), initial,
               [&](const Index &index, ValueRange carried) {
                 Index group = s.add(rows.team->getIteration(), index, blocks);
                 SmallVector<Chunk> chunks = slots.getChunks(s, *rows.team, group);
                 SmallVector<Value> values(carried);
                 for (const Chunk &chunk : chunks) {
                   SmallVector<Value> before(values);
                   for (auto [split, value] : llvm::zip_equal(task.splits, values))
                     for (int64_t lane = 0; lane < slots.getLanes(); ++lane)
                       value = s.inlineStructured(split.op, getElement(chunk, lane), value).front();
                   values = selectInside(s, chunk, values, before);
                 }
                 rows.writeChunks({}, chunks, slots.getLanes());
                 return values;
               });
    SmallVector<Value> all = rows.team->combine(own, [&](ValueRange a, ValueRange b) {
      SmallVector<Value> values;
      for (auto [split, x, y] : llvm::zip_equal(task.splits, a, b))
        values.push_back(s.combine(getSplitCombiner(split.op), x, y));
      return values;
    });
    rows.team->storeOnce([&] {
      for (auto [split, value] : llvm::zip_equal(task.splits, all))
        s.store(value, s.arguments.lookup(split.partials), rows.team->getIteration());
    });
  }

  Scalarizer &s;
  const Task &task;
  TeamRows rows;
  ArrayRef<int64_t> shape;
  int64_t blocks, together = 1; // rows at a time
  int64_t beside = 1;           // threads that have different rows
  int64_t lanes = 1;            // of sums of everything
  bool isTotal, hasRowResults, isInMemory = false, isKept = false;
};

} // namespace

bool codegen::emitTeamBlocks(Scalarizer &s, const Task &task) {
  TeamBlocks blocks(s, task);
  if (!blocks.choose())
    return false;
  blocks.emit();
  return true;
}
