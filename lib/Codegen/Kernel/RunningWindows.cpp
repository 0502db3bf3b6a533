//===- RunningWindows.cpp - Windows that begin where their line does ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A prefix sum is a reduction of windows that end with their result and begin before the line does,
// where there is padding. What padding gives does not change what a reduction begins with, so that
// each result is the one before and an element more: a thread walks a line, in the order of each
// window, and the results are those of the windows, bit by bit.
//
//===----------------------------------------------------------------------===//

#include "Kernel/BankedMemory.h"
#include "Kernel/Buffers.h"
#include "Kernel/RunTiles.h"
#include "Kernel/TeamWindows.h"

#include "dmc/Dialect/DMC/CudaChips.h"
#include "dmc/Dialect/DMC/ThreadRegisters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// Whether a combiner of this value and itself gives it, to the last bit.
static bool isIdempotent(Operation *combiner, Attribute value) {
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
          arith::MinUIOp, arith::AndIOp, arith::OrIOp>(combiner))
    return true;
  if (auto number = dyn_cast<FloatAttr>(value))
    return isa<arith::AddFOp>(combiner)   ? number.getValue().isZero()
           : isa<arith::MulFOp>(combiner) ? number.getValue().isExactlyValue(1)
                                          : false;
  if (auto number = dyn_cast<IntegerAttr>(value))
    return isa<arith::AddIOp>(combiner)   ? number.getValue().isZero()
           : isa<arith::MulIOp>(combiner) ? number.getValue().isOne()
                                          : false;
  return false;
}

namespace {
class RunningWindows {
public:
  RunningWindows(Scalarizer &s, const Task &task)
      : s(s), task(task), op(cast<linalg::LinalgOp>(task.op)) {}

  bool match() {
    if (op->getNumResults() != 1 || op.getNumReductionLoops() != 1 || !op.hasPureTensorSemantics())
      return false;
    shape = shapeOf(op->getResult(0));
    unsigned loops = op.getNumLoops();
    // The window's loop is the last one, behind those of the results.
    AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (op.getIteratorTypesArray().back() != utils::IteratorType::reduction ||
        out != AffineMap::getMultiDimIdentityMap(loops, op.getContext()).getMajorSubMap(loops - 1))
      return false;
    for (const Root &root : task.roots)
      if (root.value.getDefiningOp() != op.getOperation())
        return false;
    return matchOperand() && matchCombiner();
  }

  void emit() {
    int64_t narrowest = s.target.getVectorBytes();
    auto add = [&](Value value) {
      int64_t bytes = elementBytes(getElementTypeOrSelf(value));
      widest = std::max(widest, bytes);
      narrowest = std::min(narrowest, bytes);
    };
    add(op->getResult(0));
    llvm::for_each(task.reads, add);
    columns = llvm::product_of(shape.drop_front(dim + 1));
    lines = llvm::product_of(shape.take_front(dim));
    held = countHeldElements(s.target, llvm::divideCeil(widest, 4));
    // Columns that do not fill sectors are a thread's together.
    bool fillSectors = columns * narrowest % s.target.getLineBytes() == 0;
    if (fillSectors || columns > held || !emitRuns())
      emitColumns();
  }

private:
  //===--- Threads that have whole lines ---===//

  /// A thread has a line with all of its columns, which is a run in memory. Runs of more than an
  /// access are walked by pairs of threads, which share sectors. False, and nothing is emitted, if
  /// neither registers nor shared memory have room.
  bool emitRuns() {
    int64_t run = shape[dim] * columns;
    lanes = std::max<int64_t>(1, s.target.getVectorBytes() / widest);
    bool arePaired = lines > 1 && run % (2 * lanes) == 0, isAccess = run <= lanes;
    if (arePaired)
      lanes *= 2;
    while (run % lanes)
      lanes /= 2;
    isAccess &= lanes == run;
    // Where threads are fewer than a device runs at once, each may have twice the registers.
    int64_t most =
        lines < 2 * s.target.getBlockThreads() * countMultiprocessors(s.target) ? 2 * held : held;
    // Each group of accesses begins with the first column.
    int64_t unit = columns / std::gcd(columns, lanes);
    bool isHeld = lanes * unit <= most;
    if (lines > 1 && !(arePaired && isHeld) && !isAccess && stageRuns(run))
      return true;
    if (!isHeld)
      return false;
    together = std::min(most, run) / (lanes * unit) * unit;
    for (const Root &root : task.roots)
      s.limitVectors(s.arguments.lookup(root.dest), lanes);
    if (arePaired) {
      walkPairs(run);
      return true;
    }
    s.loadVectors();
    SmallVector<int64_t> walked(shape.take_front(dim));
    walked.push_back(1);
    s.divide(walked, run, /*isContiguous=*/true,
             [&](ArrayRef<Index> line) { walkRun(line.drop_back(), run, [](const Index &) {}); });
    return true;
  }

  void walkPairs(int64_t run) {
    Team pair(s, llvm::divideCeil(lines, 2), 2);
    s.loadVectors();
    const Index &lane = pair.getLane();
    Index even = s.scale(pair.getIteration(), 2), odd = s.add(even, LoopBuilder::constant(1));
    Value isOdd, isOwn;
    s.within(odd, 0, lines, isOdd);
    s.within(s.add(even, lane), 0, lines, isOwn);
    odd = s.clamp(odd, 0, lines - 1);
    ArrayRef<int64_t> sizes = shape.take_front(dim);
    Indices line = s.delinearize(s.clamp(s.add(even, lane), 0, lines - 1), sizes);
    Index own = s.linearize(line, sizes); // as positions in memory have it
    Scalarizer::PairOfChunks chunks;
    chunks.number = lane;
    chunks.distances[0] = s.scale(s.add(even, own, -1), run);
    chunks.distances[1] = s.scale(s.add(odd, own, -1), run);
    chunks.isThere[0] = pair.isActive({});
    chunks.isThere[1] = pair.isActive(isOdd);
    chunks.isOwnThere = pair.isActive(isOwn);
    walkRun(line, run, [&](const Index &position) {
      chunks.first = s.add(position, own, run);
      s.pairThreads(chunks, lanes);
    });
  }

  /// Runs that are no pairs of accesses: a team loads those of many lines as they lie in memory,
  /// and its threads walk them in shared memory. False, and nothing is emitted, if that has no room
  /// for the lines of a warp.
  bool stageRuns(int64_t run) {
    Type type = getElementTypeOrSelf(op->getResult(0));
    std::optional<int64_t> tile =
        chooseRunColumns(lines, s.target.getWarpThreads(), run * BankedMemory::countBytes(type));
    if (!tile)
      return false;
    Team team(s, llvm::divideCeil(lines, *tile), Launch::looseThreads);
    Index begin = s.scale(team.getIteration(), *tile);
    BankedMemory memory(s, team, run * *tile, type, run);
    auto forElements = [&](function_ref<void(const Index &, const Indices &)> body) {
      forTileElements(s, team, run * *tile, task.reads.size(),
                      [&](const Index &number, Value condition) {
                        Index position = s.add(number, begin, run);
                        if (s.within(position, 0, lines * run, condition) == std::optional(false))
                          return;
                        s.when(condition, [&] {
                          position = s.clamp(position, 0, lines * run - 1);
                          body(s.clamp(number, 0, run * *tile - 1), s.delinearize(position, shape));
                        });
                      });
    };
    forElements([&](const Index &number, const Indices &at) {
      memory.store(s.element(input, at), number);
    });
    team.wait();
    Value hasLine;
    s.within(team.getLane(), 0, *tile, hasLine);
    s.within(s.add(begin, team.getLane()), 0, lines, hasLine);
    s.when(hasLine,
           [&] { walkStaged(memory, s.scale(s.clamp(team.getLane(), 0, *tile - 1), run)); });
    team.wait();
    forElements([&](const Index &number, const Indices &at) {
      Value value = memory.load(number);
      for (const Root &root : task.roots)
        s.store(value, s.arguments.lookup(root.dest), at);
    });
    return true;
  }

  /// Replaces the elements of a line by results; its run begins at a position of the memory.
  void walkStaged(BankedMemory &memory, const Index &first) {
    s.loop(shape[dim], SmallVector<Value>(columns, getInitial()),
           [&](const Index &step, ValueRange before) {
             SmallVector<Value> running(before);
             for (int64_t column = 0; column < columns; ++column) {
               Index number = s.add(s.add(first, step, columns), LoopBuilder::constant(column));
               running[column] = advance(running[column], memory.load(number));
               memory.store(running[column], number);
             }
             return running;
           });
  }

  /// Walks the run of a line; `begin` is called with where in it each group of elements that are
  /// accessed at once begins.
  void walkRun(ArrayRef<Index> line, int64_t run, function_ref<void(const Index &)> begin) {
    SmallVector<Value> carried(columns, getInitial());
    int64_t steps = run / lanes;
    auto walk = [&](int64_t first, int64_t count, int64_t atOnce) {
      carried = s.loop(count, carried, [&](const Index &number, ValueRange before) {
        s.recordCopies({{LoopExecutor::unrolled, atOnce}, {LoopExecutor::lanes, lanes}});
        Index start = s.add(LoopBuilder::constant(first * lanes), number, atOnce * lanes);
        SmallVector<Value> running(before), values;
        for (int64_t step = 0; step < atOnce; ++step) {
          begin(s.add(start, LoopBuilder::constant(step * lanes)));
          for (int64_t lane = 0; lane < lanes; ++lane) {
            s.setLane(lane);
            Index at = s.add(start, LoopBuilder::constant(step * lanes + lane));
            values.push_back(s.element(input, locate(line, at)));
          }
        }
        for (auto [index, value] : llvm::enumerate(values))
          value = running[index % columns] = advance(running[index % columns], value);
        for (int64_t step = 0; step < atOnce; ++step) {
          Index at = s.add(start, LoopBuilder::constant(step * lanes));
          begin(at);
          store(ArrayRef(values).slice(step * lanes, lanes), locate(line, at));
        }
        return running;
      });
    };
    if (steps / together)
      walk(0, steps / together, together);
    if (steps % together)
      walk(steps / together * together, 1, steps % together);
  }

  /// The indices of what is at a position of a line's run.
  Indices locate(ArrayRef<Index> line, const Index &position) {
    Indices at(line);
    llvm::append_range(at, s.delinearize(position, shape.drop_front(dim)));
    return at;
  }

  //===--- Threads that have columns ---===//

  void emitColumns() {
    lanes = std::max<int64_t>(1, s.target.getVectorBytes() / widest);
    while (shape.back() % lanes)
      lanes /= 2;
    // Lines are few: a thread has several neighbours only if all threads of a device have some.
    int64_t threads = 2 * s.target.getBlockThreads() * countMultiprocessors(s.target);
    while (lanes > 1 && lines * columns / lanes < threads)
      lanes /= 2;
    SmallVector<int64_t> walked(shape);
    walked[dim] = 1;
    walked.back() /= lanes;
    together = std::clamp<int64_t>(held / lanes, 1, shape[dim]);
    s.loadVectors();
    for (const Root &root : task.roots)
      s.limitVectors(s.arguments.lookup(root.dest), lanes);
    s.divide(walked, shape[dim] * lanes, /*isContiguous=*/true, [&](ArrayRef<Index> line) {
      Indices first(line);
      first.back() = s.scale(first.back(), lanes);
      SmallVector<Value> carried(lanes, getInitial());
      int64_t steps = shape[dim];
      carried = walkColumns(first, 0, steps / together, together, carried);
      walkColumns(first, steps / together * together, steps % together, 1, carried);
    });
  }

  /// Steps from `first` on along the columns, as many at a time.
  SmallVector<Value> walkColumns(const Indices &line, int64_t first, int64_t count, int64_t atOnce,
                                 SmallVector<Value> carried) {
    if (count == 0)
      return carried;
    return s.loop(count, carried, [&](const Index &number, ValueRange before) {
      s.recordCopies({{LoopExecutor::unrolled, atOnce}, {LoopExecutor::lanes, lanes}});
      SmallVector<Indices> places;
      SmallVector<Value> values;
      for (int64_t step = 0; step < atOnce; ++step) {
        Indices &at = places.emplace_back(line);
        at[dim] = s.add(LoopBuilder::constant(first + step), number, atOnce);
        for (int64_t lane = 0; lane < lanes; ++lane) {
          Indices element(at);
          element.back() = s.add(element.back(), LoopBuilder::constant(lane));
          values.push_back(s.element(input, element));
        }
      }
      SmallVector<Value> running(before);
      for (auto [index, value] : llvm::enumerate(values))
        value = running[index % lanes] = advance(running[index % lanes], value);
      for (auto [step, at] : llvm::enumerate(places))
        store(ArrayRef(values).slice(step * lanes, lanes), at);
      return running;
    });
  }

  //===--- Both ---===//

  /// What each line begins with.
  Value getInitial() {
    auto fill = op.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
    return s.scalar(fill.getInputs().front());
  }

  /// The next result, from the one before and the next element.
  Value advance(Value before, Value element) {
    bool isFirst = combiner->getOperand(0) == op.getRegionOutputArgs().front();
    return isFirst ? s.combine(combiner, before, element) : s.combine(combiner, element, before);
  }

  void store(ArrayRef<Value> values, const Indices &at) {
    for (const Root &root : task.roots)
      s.storeVector(values, s.arguments.lookup(root.dest), at);
  }

  bool matchOperand() {
    OpOperand *read = nullptr;
    for (OpOperand *input : op.getDpsInputOperands())
      if (op.payloadUsesValueFromOperand(input)) {
        if (read)
          return false;
        read = input;
      }
    auto pad = read ? read->get().getDefiningOp<tensor::PadOp>() : tensor::PadOp();
    if (!pad || ShapedType::isDynamicShape(pad.getStaticLow()) ||
        ShapedType::isDynamicShape(pad.getStaticHigh()) || !pad.getConstantPaddingValue())
      return false;
    input = pad.getSource();
    padding = pad.getConstantPaddingValue();
    if (shapeOf(input) != shape)
      return false;
    int64_t window = op.getStaticLoopRanges().back();
    std::optional<size_t> found;
    MLIRContext *context = op.getContext();
    AffineExpr loop = getAffineDimExpr(op.getNumLoops() - 1, context);
    for (auto [index, expr] : llvm::enumerate(op.getMatchingIndexingMap(read).getResults())) {
      bool isPadded = pad.getStaticLow()[index] || pad.getStaticHigh()[index];
      AffineExpr own = getAffineDimExpr(index, context);
      if (expr == own && !isPadded)
        continue;
      if (found || (expr != own + loop && expr != loop + own) || pad.getStaticHigh()[index] != 0 ||
          pad.getStaticLow()[index] != window - 1 || window < shape[index])
        return false;
      found = index;
    }
    dim = found.value_or(0);
    return found && shape[dim] > 1 && llvm::product_of(shape) > 0;
  }

  /// The body combines an element with what there is, and does nothing else.
  bool matchCombiner() {
    Block *body = op.getBlock();
    combiner = body->getTerminator()->getOperand(0).getDefiningOp();
    if (!combiner || combiner->getBlock() != body || combiner->getNumOperands() != 2 ||
        !llvm::all_of(combiner->getOperands(), llvm::IsaPred<BlockArgument>) ||
        combiner->getOperand(0) == combiner->getOperand(1) ||
        !llvm::is_contained(combiner->getOperands(), op.getRegionOutputArgs().front()))
      return false;
    auto fill = op.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
    Attribute initial, padded;
    return fill && matchPattern(fill.getInputs().front(), m_Constant(&initial)) &&
           matchPattern(padding, m_Constant(&padded)) && initial == padded &&
           isIdempotent(combiner, initial);
  }

  Scalarizer &s;
  const Task &task;
  linalg::LinalgOp op;
  ArrayRef<int64_t> shape;
  size_t dim = 0; // along which the windows lie
  Value input, padding;
  Operation *combiner = nullptr;
  int64_t columns = 1, lines = 1; // behind the dimension of the windows, and before it
  int64_t widest = 1, held = 1;   // bytes of an element, and elements in registers
  /// Neighbours that a thread accesses at once, and how many of these accesses it waits for
  /// together.
  int64_t lanes = 1, together = 1;
};
} // namespace

bool codegen::emitRunningWindows(Scalarizer &s, const Task &task) {
  RunningWindows windows(s, task);
  if (!windows.match())
    return false;
  windows.emit();
  return true;
}
