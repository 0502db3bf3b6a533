//===- TeamScatters.cpp - Scatters that teams of threads share ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team, which is a block, has a range of destinations. It looks through all indices, lists in the
// memory of the block those updates that hit the range, in their order, and sorts the list by
// destination. A thread then has an access of elements of a destination at a time: it combines
// their updates in registers, in their order, and writes them once. If the list is full before the
// last index, the destinations are written with what there is, and read again.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Buffers.h"
#include "Kernel/ScatterDims.h"
#include "Kernel/Slots.h"
#include "Kernel/Team.h"

#include "dmc/Dialect/DMC/CudaChips.h"
#include "dmc/Dialect/DMC/SparseUpdate.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

/// The most indices that a thread reads at a time: their counts in a warp are the bytes of a word.
constexpr int64_t mostIndices = 4;

class TeamScatter {
public:
  TeamScatter(Scalarizer &s, const Task &task)
      : s(s), task(task), op(cast<ScatterOp>(task.op)), dims(op),
        isUpdate(task.kind == Task::ScatterUpdate) {
    if (isUpdate)
      buffers = {s.arguments.lookup(task.scratch)};
    else
      buffers = resultBuffers(s, task);
    isInPlace = llvm::all_of(task.roots, [&](const Root &root) { return startsInPlace(root); });
    chooseChunks();
    divide();
  }

  void emit() {
    if (buffers.empty())
      return;
    Team running(s, llvm::product_of(grid), threads);
    team = &running;
    number = s.delinearize(team->getIteration(), grid);
    part = number.pop_back_val();
    firstKey = s.scale(number.pop_back_val(), keys);
    listedKeys = allocate(mostListed());
    listedEntries = allocate(mostListed());
    order = allocate(mostListed());
    begins = allocate(paddedKeys());
    ends = allocate(paddedKeys());
    if (hasRounds())
      forOwnKeys({}, [&](const Index &key, ValueRange) {
        wasHit = wasHit ? wasHit : allocate(paddedKeys());
        for (Value buffer : {begins, ends, wasHit})
          s.store(word(0), buffer, key);
        return SmallVector<Value>();
      });
    lookThrough();
  }

private:
  //===--- How the work is divided ---===//

  bool startsInPlace(const Root &root) {
    Value initial = isUpdate ? getUnscattered(root.value, op)
                             : op.getTargets()[cast<OpResult>(root.value).getResultNumber()];
    auto read = initial.getDefiningOp<bufferization::ToTensorOp>();
    return read && s.arguments.lookup(read.getBuffer()) == s.arguments.lookup(root.dest);
  }

  void chooseChunks() {
    int64_t common = 1;
    if (dims.endsInRow())
      common = std::gcd(dims.rowSizes.back(), dims.rowWindows.back());
    // Threads beside each other access what lies together in the updates and in the targets.
    lanes = countTeamLanes(
        s, task, common,
        std::min(op.getUpdateType().getNumElements(), op.getTargetType().getNumElements()));
    chunkSizes = dims.rowSizes;
    if (!chunkSizes.empty())
      chunkSizes.back() /= lanes;
    chunks = llvm::product_of(chunkSizes);
    int64_t words = 0, widest = 1;
    for (Value update : op.getUpdates()) {
      words += countWords(update);
      widest = std::max(widest, elementBytes(getElementTypeOrSelf(update)));
    }
    together = std::max<int64_t>(1, countHeldElements(s.target, words) * widest /
                                        s.target.getVectorBytes());
  }

  /// A block reads all indices. There are so many blocks that this adds no more than an eighth to
  /// what the scatter reads and writes, if they are as many as four for each multiprocessor.
  int64_t countWantedBlocks() {
    constexpr int64_t share = 8;
    int64_t fewest = 4 * countMultiprocessors(s.target);
    int64_t bytes = 0, again = bytesOf(op.getIndices());
    for (Value update : op.getUpdates())
      bytes += bytesOf(update);
    for (Value target : op.getTargets())
      bytes += bytesOf(target);
    return std::max(fewest, bytes / share / std::max<int64_t>(1, again));
  }

  static int64_t bytesOf(Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return type.getNumElements() * elementBytes(type.getElementType());
  }

  void divide() {
    threads = Launch::looseThreads;
    int64_t batches = llvm::product_of(dims.batchSizes), all = dims.countKeys();
    int64_t wanted = countWantedBlocks();
    // Three words for each of these destinations, and for each of twice as many updates that are
    // listed, are 36 KB of the 48 that a block has without asking for more.
    int64_t mostKeys = 4 * threads;
    int64_t ranges = std::min<int64_t>(all, llvm::divideCeil(wanted, batches)), parts = 1;
    if (!dims.endsInRow()) {
      // Destinations lie together, and those of a window apart: blocks have some of the window.
      parts = std::clamp<int64_t>(wanted / batches, 1,
                                  std::max<int64_t>(1, chunks * std::min(all, mostKeys) / threads));
      parts = std::min(parts, chunks);
      ranges = std::clamp<int64_t>(wanted / (batches * parts), 1,
                                   llvm::divideCeil(all, s.target.getWarpThreads()));
    }
    keys = std::min<int64_t>(mostKeys, llvm::divideCeil(all, ranges));
    ranges = llvm::divideCeil(all, keys);
    if (dims.endsInRow())
      parts = std::clamp<int64_t>(wanted / (batches * ranges), 1,
                                  std::max<int64_t>(1, chunks / threads));
    partChunks = llvm::divideCeil(chunks, parts);
    // Blocks that write what lies together begin with a sector.
    if (!dims.endsInRow() && keys == all)
      partChunks = std::min<int64_t>(
          chunks, llvm::alignTo(partChunks, s.target.getLineElements(
                                                getElementTypeOrSelf(op.getTargets().front()))));
    grid = dims.batchSizes;
    grid.push_back(ranges);
    grid.push_back(llvm::divideCeil(chunks, partChunks));
    // Several warps, since a team of one has no memory of its own.
    int64_t needed = std::max(keys * partChunks, dims.countEntries() / mostIndices);
    threads = std::clamp<int64_t>(llvm::bit_ceil<uint64_t>(needed), 2 * s.target.getWarpThreads(),
                                  threads);
    // No thread reads an index behind the last one.
    stepsOfTile = std::min<int64_t>(mostIndices, llvm::divideCeil(dims.countEntries(), threads));
  }

  int64_t tile() const { return threads * stepsOfTile; }
  int64_t mostListed() const { return 2 * tile(); }
  int64_t paddedKeys() const { return llvm::alignTo(keys, threads); }
  /// Whether the list may be full before the last index.
  bool hasRounds() const { return dims.countEntries() > mostListed(); }

  //===--- Scalars ---===//

  Value allocate(int64_t count) { return team->allocate({count}, s.here().getI32Type()); }
  Value word(int64_t value) {
    return arith::ConstantOp::create(s.here(), s.loc, s.here().getI32IntegerAttr(value));
  }
  Value asWord(Value index) {
    return arith::IndexCastOp::create(s.here(), s.loc, s.here().getI32Type(), index);
  }
  Value asIndex(Value word) {
    return arith::IndexCastOp::create(s.here(), s.loc, s.here().getIndexType(), word);
  }
  /// A word, which is below a bound, as an index.
  Index position(Value word, int64_t bound) {
    return s.variable(asIndex(word), s.current(), 0, bound - 1);
  }
  template <typename Op>
  Value binary(Value x, Value y) {
    return Op::create(s.here(), s.loc, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(s.here(), s.loc, predicate, x, y);
  }
  Value number32(Value condition) {
    return arith::ExtUIOp::create(s.here(), s.loc, s.here().getI32Type(), condition);
  }
  /// Runs the body for positions of the list below `end`.
  SmallVector<Value> overList(Value end, ValueRange carried, LoopBuilder::Body body) {
    Value from = arith::ConstantIndexOp::create(s.here(), s.loc, 0);
    Value step = arith::ConstantIndexOp::create(s.here(), s.loc, 1);
    int64_t expected = std::min<int64_t>(
        mostListed(), llvm::divideCeil(dims.countEntries() * keys, dims.countKeys()));
    return s.loop(from, asIndex(end), step, mostListed() - 1, carried, body, expected);
  }
  SmallVector<Value> forOwnKeys(ValueRange carried, LoopBuilder::Body body) {
    return s.loop(paddedKeys() / threads, carried, [&](const Index &slot, ValueRange values) {
      return body(s.add(team->getLane(), slot, threads), values);
    });
  }

  //===--- The list of updates ---===//

  void lookThrough() {
    int64_t tiles = llvm::divideCeil(dims.countEntries(), tile());
    SmallVector<Value> count =
        s.loop(tiles, word(0), [&](const Index &number, ValueRange carried) -> SmallVector<Value> {
          Value listed = list(number, carried.front());
          if (!hasRounds())
            return {listed};
          Value isLast = compare(arith::CmpIPredicate::eq, s.materialize(number),
                                 arith::ConstantIndexOp::create(s.here(), s.loc, tiles - 1));
          Value isFull = compare(arith::CmpIPredicate::ugt, listed, word(mostListed() - tile()));
          return s.choose(
              binary<arith::OrIOp>(isFull, isLast), listed.getType(),
              [&]() -> SmallVector<Value> {
                write(listed, isLast);
                return {word(0)};
              },
              [&]() -> SmallVector<Value> { return {listed}; });
        });
    if (!hasRounds())
      write(count.front(), {});
  }

  struct Hit {
    Value condition;
    Index entry, key;
  };

  /// The entry of the running thread in a step over those of its warp; they lie together.
  Hit findHit(const Index &tileNumber, int64_t step) {
    int64_t warp = s.target.getWarpThreads();
    const Index &lane = team->getLane();
    Index entry = s.add(s.mod(lane, warp), tileNumber, tile());
    entry = s.add(entry, s.div(lane, warp), warp * stepsOfTile);
    entry = s.add(entry, LoopBuilder::constant(step * warp));
    Hit hit;
    bool isOne =
        s.within(entry, 0, dims.countEntries(), hit.condition) != std::optional<bool>(false);
    hit.entry = s.clamp(entry, 0, dims.countEntries() - 1);
    std::optional<Index> key = dims.findKey(s, number, hit.entry, hit.condition);
    if (isOne && key) {
      hit.key = s.add(*key, firstKey, -1);
      isOne = s.within(hit.key, 0, keys, hit.condition) != std::optional<bool>(false);
    }
    if (!isOne || !key || !hit.condition)
      hit.condition =
          arith::ConstantOp::create(s.here(), s.loc, s.here().getBoolAttr(isOne && key));
    return hit;
  }

  /// Appends the updates of a tile that hit the range to the list of `count`; returns how many it
  /// has now.
  Value list(const Index &tileNumber, Value count) {
    SmallVector<Hit> hits;
    auto byte = [&](Value word, int64_t step) {
      Value shifted = binary<arith::ShRUIOp>(word, this->word(8 * step));
      return binary<arith::AndIOp>(shifted, this->word(255));
    };
    Value packed = word(0);
    for (int64_t step = 0; step < stepsOfTile; ++step) {
      hits.push_back(findHit(tileNumber, step));
      packed = binary<arith::OrIOp>(
          packed, binary<arith::ShLIOp>(number32(hits.back().condition), word(8 * step)));
    }
    s.recordCopies({{LoopExecutor::unrolled, stepsOfTile}});
    Team::Sums within = team->scanWarp(packed);
    SmallVector<Value> firsts = {word(0)};
    for (int64_t step = 0; step < stepsOfTile; ++step)
      firsts.push_back(binary<arith::AddIOp>(firsts.back(), byte(within.all, step)));
    Team::Sums across = team->scanWarps(firsts.back());
    Value first = binary<arith::AddIOp>(count, across.before);
    for (int64_t step = 0; step < stepsOfTile; ++step) {
      const Hit &hit = hits[step];
      Value before = binary<arith::AddIOp>(firsts[step], byte(within.before, step));
      Index at = position(binary<arith::AddIOp>(first, before), mostListed());
      s.when(hit.condition, [&] {
        s.store(asWord(s.materialize(hit.entry)), listedEntries, at);
        s.store(asWord(s.materialize(hit.key)), listedKeys, at);
      });
    }
    return binary<arith::AddIOp>(count, across.all);
  }

  /// Sorts the list by destination: each thread has some of these, counts their updates and, once
  /// it knows how many the threads before it have, moves them.
  void sort(Value count) {
    auto isOf = [&](const Index &at, const Index &key) {
      return compare(arith::CmpIPredicate::eq, s.load(listedKeys, at), asWord(s.materialize(key)));
    };
    SmallVector<Value> own = forOwnKeys(word(0), [&](const Index &key, ValueRange counted) {
      if (hasRounds()) {
        Value wasHitBefore =
            compare(arith::CmpIPredicate::ult, s.load(begins, key), s.load(ends, key));
        s.store(binary<arith::OrIOp>(s.load(wasHit, key), number32(wasHitBefore)), wasHit, key);
      }
      return overList(count, counted, [&](const Index &at, ValueRange carried) {
        return SmallVector<Value>{binary<arith::AddIOp>(carried.front(), number32(isOf(at, key)))};
      });
    });
    forOwnKeys(team->scan(own.front()).before, [&](const Index &key, ValueRange first) {
      s.store(first.front(), begins, key);
      SmallVector<Value> next =
          overList(count, first, [&](const Index &at, ValueRange carried) -> SmallVector<Value> {
            Value isMine = isOf(at, key);
            s.when(isMine, [&] {
              s.store(s.load(listedEntries, at), order, position(carried.front(), mostListed()));
            });
            return {binary<arith::AddIOp>(carried.front(), number32(isMine))};
          });
      s.store(next.front(), ends, key);
      return next;
    });
  }

  //===--- The destinations ---===//

  /// Writes what the list changes, and with the last one what nothing changes.
  void write(Value count, Value isLast) {
    team->wait();
    sort(count);
    team->wait();
    int64_t items = keys * partChunks;
    s.loop(llvm::divideCeil(items, threads), {}, [&](const Index &slot, ValueRange) {
      Value condition;
      Index item = s.add(team->getLane(), slot, threads);
      s.within(item, 0, items, condition);
      item = s.clamp(item, 0, items - 1);
      // Neighbouring threads have what lies together.
      bool inRow = dims.endsInRow();
      Index key = inRow ? s.div(item, partChunks) : s.mod(item, keys);
      Index chunk = inRow ? s.mod(item, partChunks) : s.div(item, keys);
      writeItem(key, s.add(chunk, part, partChunks), condition, isLast);
      return SmallVector<Value>();
    });
  }

  void writeItem(const Index &key, Index chunk, Value condition, Value isLast) {
    Index global = s.add(firstKey, key);
    s.within(global, 0, dims.countKeys(), condition);
    s.within(chunk, 0, chunks, condition);
    global = s.clamp(global, 0, dims.countKeys() - 1);
    chunk = s.clamp(chunk, 0, chunks - 1);
    Value begin = s.load(begins, key), end = s.load(ends, key), had;
    if (hasRounds())
      had = compare(arith::CmpIPredicate::ne, s.load(wasHit, key), word(0));
    auto conjoin = [&](Value other) {
      condition = condition ? binary<arith::AndIOp>(condition, other) : other;
    };
    Value isHit = compare(arith::CmpIPredicate::ult, begin, end);
    if (isInPlace && isUpdate && isLast)
      conjoin(binary<arith::OrIOp>(isHit, binary<arith::AndIOp>(had, isLast)));
    else if (isInPlace)
      conjoin(isHit);
    else if (isLast)
      conjoin(binary<arith::OrIOp>(isHit, isLast));
    s.when(condition, [&] {
      s.loadVectors();
      Indices at = dims.locate(s, number, global, s.delinearize(chunk, chunkSizes), lanes);
      SmallVector<Value> values = combineAll(at, begin, end, start(at, had));
      if (!isUpdate)
        return store(buffers, values, at);
      if (!isLast)
        return storeRoot(values, at);
      s.choose(
          isLast, {},
          [&] {
            storeRoot(values, at);
            return SmallVector<Value>();
          },
          [&] {
            store(buffers, values, at);
            return SmallVector<Value>();
          });
    });
  }

  Indices getLane(ArrayRef<Index> at, int64_t lane) const {
    Indices indices(at);
    if (lane)
      indices.back().constant += lane;
    return indices;
  }

  /// The values of the operands: for each of them, lane by lane.
  SmallVector<Value> start(ArrayRef<Index> at, Value had) {
    auto forAll = [&](function_ref<Value(unsigned, ArrayRef<Index>)> compute) {
      SmallVector<Value> values;
      for (unsigned operand = 0; operand < op.getTargets().size(); ++operand)
        for (int64_t lane = 0; lane < lanes; ++lane)
          values.push_back(compute(operand, getLane(at, lane)));
      return values;
    };
    auto initial = [&] {
      s.loadVectors();
      return forAll([&](unsigned operand, ArrayRef<Index> indices) {
        return s.element(op.getTargets()[operand], indices);
      });
    };
    if (!had)
      return initial();
    SmallVector<Type> types;
    for (Value target : op.getTargets())
      types.append(lanes, getElementTypeOrSelf(target));
    SmallVector<Value> values = s.choose(
        had, types,
        [&] {
          s.loadVectors();
          return forAll([&](unsigned operand, ArrayRef<Index> indices) {
            return s.load(buffers[operand], indices);
          });
        },
        initial);
    s.loadVectors();
    return values;
  }

  /// Combines the updates between two positions of the order with values. Several are read before
  /// the first of them is combined, which then wait for memory together.
  SmallVector<Value> combineAll(ArrayRef<Index> at, Value begin, Value end,
                                SmallVector<Value> values) {
    Value condition;
    if (!dims.isInWindow(s, at, condition))
      return values;
    if (condition)
      end = arith::SelectOp::create(s.here(), s.loc, condition, end, begin);
    auto overOrder = [&](Value from, Value to, int64_t step) {
      int64_t expected = llvm::divideCeil(dims.countEntries(), dims.countKeys() * step);
      values = s.loop(
          asIndex(from), asIndex(to), arith::ConstantIndexOp::create(s.here(), s.loc, step),
          mostListed() - 1, values,
          [&](const Index &first, ValueRange carried) { return combine(at, first, step, carried); },
          expected);
    };
    if (together == 1) {
      overOrder(begin, end, 1);
      return values;
    }
    Value count = binary<arith::SubIOp>(end, begin);
    Value full = binary<arith::AndIOp>(count, word(-together));
    Value middle = binary<arith::AddIOp>(begin, full);
    overOrder(begin, middle, together);
    overOrder(middle, end, 1);
    return values;
  }

  SmallVector<Value> combine(ArrayRef<Index> at, const Index &first, int64_t count,
                             ValueRange carried) {
    s.recordCopies({{LoopExecutor::unrolled, count}, {LoopExecutor::lanes, lanes}});
    SmallVector<Index> entries;
    for (int64_t i = 0; i < count; ++i)
      entries.push_back(
          position(s.load(order, s.add(first, LoopBuilder::constant(i))), dims.countEntries()));
    SmallVector<Indices> places;
    SmallVector<Value> updates;
    for (const Index &entry : entries)
      for (int64_t lane = 0; lane < lanes; ++lane) {
        places.push_back(dims.findUpdate(s, entry, getLane(at, lane)));
        for (Value update : op.getUpdates())
          updates.push_back(s.element(update, places.back()));
      }
    size_t operands = op.getUpdates().size();
    SmallVector<Value> values(carried);
    for (size_t number = 0; number < places.size(); ++number) {
      size_t lane = number % lanes;
      SmallVector<Value> combined =
          s.inlineBody(&op.getCombiner().front(), places[number], [&](unsigned argument) {
            return argument < operands ? values[argument * lanes + lane]
                                       : updates[number * operands + argument - operands];
          });
      for (auto [operand, value] : llvm::enumerate(combined))
        values[operand * lanes + lane] = value;
    }
    return values;
  }

  void store(ArrayRef<Value> into, ArrayRef<Value> values, ArrayRef<Index> at) {
    for (auto [number, buffer] : llvm::enumerate(into))
      s.storeVector(values.slice(number * lanes, lanes), buffer, at);
  }

  /// The root where the scatter's result has these values.
  void storeRoot(ArrayRef<Value> values, ArrayRef<Index> at) {
    s.loadVectors();
    const Root &root = task.roots.front();
    SmallVector<Value> results;
    for (auto [lane, value] : llvm::enumerate(values))
      s.remember(op->getResult(0), getLane(at, lane), value);
    for (int64_t lane = 0; lane < lanes; ++lane)
      results.push_back(s.element(root.value, getLane(at, lane)));
    store(s.arguments.lookup(root.dest), results, at);
  }

  Scalarizer &s;
  const Task &task;
  ScatterOp op;
  const ScatterDims dims;
  const bool isUpdate;
  bool isInPlace = false;
  SmallVector<Value> buffers; // where the scatter's results are between two lists
  int64_t lanes = 1, chunks = 1, together = 1;
  SmallVector<int64_t> chunkSizes, grid;
  /// What a block has: destinations of a range, and chunks of each.
  int64_t keys = 1, partChunks = 1, threads = 1;
  int64_t stepsOfTile = mostIndices; // indices that a thread reads at a time
  Team *team = nullptr;
  Indices number; // of the batch
  Index firstKey, part;
  Value listedKeys, listedEntries, order, begins, ends, wasHit;
};

} // namespace

bool codegen::isTeamScatter(const Task &task, TargetAttr target) {
  auto op = dyn_cast_or_null<ScatterOp>(task.op);
  // Entries and destinations are numbers of 32 bits.
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  auto isSome = [](RankedTensorType type) {
    return type.getNumElements() > 0 && type.getNumElements() < most;
  };
  return op && target.isDevice() && isSome(op.getUpdateType()) && isSome(op.getTargetType());
}

void codegen::emitTeamScatter(Scalarizer &s, const Task &task) { TeamScatter(s, task).emit(); }
