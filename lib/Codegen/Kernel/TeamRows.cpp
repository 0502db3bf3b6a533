//===- TeamRows.cpp - Rows that teams of threads share --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread has some elements of a row in registers for all passes over it: it reads them once,
// combines what it has of a reduction with the others of its team, and writes its results. Sums
// over rows stay in registers, too, while a team goes through its rows.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Buffers.h"
#include "Kernel/ReductionOrder.h"
#include "Kernel/RowTask.h"
#include "Kernel/Slots.h"

#include "dmc/Dialect/DMC/SplitReduction.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

namespace {

class TeamRowEmitter {
public:
  TeamRowEmitter(Scalarizer &s, const Task &task)
      : s(s), task(task), rows(task), shape(rows.shape), outer(rows.countOuterDims()) {
    for (const Root &root : task.roots)
      for (Value read : task.reads)
        isInPlace |= s.arguments.lookup(root.dest) == s.arguments.lookup(read);
  }

  /// Whether the team has several threads, and all reductions can be shared by them.
  bool plan() {
    if (!canShare() || (!task.splits.empty() && !canAccumulate()))
      return false;
    SmallVector<SmallVector<int64_t>> all = findRowSizes();
    int64_t longest = 0, words = 1;
    for (ArrayRef<int64_t> sizes : all) {
      if (sizes.empty() || llvm::is_contained(sizes, 0))
        return false;
      longest = std::max(longest, llvm::product_of(sizes));
    }
    if (longest == 0)
      return false;
    for (size_t rank = outer; rank <= shape.size(); ++rank)
      words = std::max(words, countLiveWords(rank));
    most = countHeldElements(s.target, words + countAccumulatedWords());
    return chooseTeam(all, longest);
  }

  void emit() {
    s.loadVectors();
    if (!task.splits.empty())
      return emitBlocks();
    team.emplace(s, llvm::product_of(shape.take_front(outer)), size);
    level(s.delinearize(team->getIteration(), shape.take_front(outer)));
  }

private:
  //===--- What is shared how ---===//

  /// Whether the elements of all reductions of rows may be combined in another order.
  bool canShare() const {
    for (auto op : rows.block()->getOps<linalg::LinalgOp>())
      if (op.getNumReductionLoops() && !isSplit(op) && isOfSomeRow(op) &&
          (!getSplitCombiner(op) || !mayReorder(op)))
        return false;
    return llvm::product_of(shape) > 0;
  }

  bool isOfSomeRow(linalg::LinalgOp op) const {
    return llvm::any_of(llvm::seq<size_t>(outer, shape.size() + 1),
                        [&](size_t rank) { return rows.isOfRow(op, rank); });
  }

  /// Whether what is reduced over rows has a result for each element of a row.
  bool canAccumulate() const {
    return findNextLevel(outer) == shape.size() &&
           llvm::all_of(task.splits, [&](const Split &split) {
             return linalg::LinalgOp(split.op).getNumReductionLoops() == outer;
           });
  }

  /// The next longer rows of which there is a result; the elements if there are none.
  size_t findNextLevel(size_t rank) const {
    size_t next = shape.size();
    for (const Root &root : task.roots)
      if (shapeOf(root.value).size() > rank)
        next = std::min(next, shapeOf(root.value).size());
    for (auto op : rows.block()->getOps<linalg::LinalgOp>())
      for (size_t other = rank + 1; op.getNumReductionLoops() && other < next; ++other)
        if (rows.isOfRow(op, other))
          next = other;
    return next;
  }

  /// The sizes of the rows that are passed over.
  SmallVector<SmallVector<int64_t>> findRowSizes() const {
    SmallVector<SmallVector<int64_t>> all;
    for (size_t rank = outer;; rank = findNextLevel(rank)) {
      for (const Wave &wave : rows.findPasses(rank).waves)
        all.push_back(wave.sizes);
      if (rank == shape.size())
        return all;
      bool isWritten = !rows.elements.empty() || !task.splits.empty();
      if (isWritten && findNextLevel(rank) == shape.size())
        all.push_back(SmallVector<int64_t>(shape.drop_front(rank)));
    }
  }

  static int64_t countWords(Value value) {
    Type type = getElementTypeOrSelf(value);
    return type.isIndex() ? 2 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 32);
  }

  /// Registers that an element takes where most are kept between two passes over the row: for
  /// values that one pass computes and a later one needs.
  int64_t countLiveWords(size_t rank) const {
    RowPasses all = rows.findPasses(rank);
    ArrayRef<Wave> waves(all.waves);
    ArrayRef<RowPass> passes(all.passes);
    RowPass before;
    int64_t most = 1;
    for (size_t pass = 0; pass < waves.size(); ++pass) {
      before.insert(passes[pass].begin(), passes[pass].end());
      auto isNeeded = [&](Operation *user) {
        for (size_t later = pass + 1; later < passes.size(); ++later) {
          if (later < waves.size() && llvm::is_contained(waves[later].ops, user))
            return true;
          for (Value result : user->getResults())
            if (passes[later].contains(result) && !before.contains(result))
              return true;
        }
        return !user->getNumResults() || isSplit(dyn_cast<linalg::LinalgOp>(user));
      };
      int64_t words = 0;
      for (Value value : before)
        if (!isa<linalg::FillOp, tensor::EmptyOp>(value.getDefiningOp()) &&
            llvm::any_of(value.getUsers(), isNeeded))
          words += countWords(value);
      most = std::max(most, words);
    }
    return most;
  }

  int64_t countAccumulatedWords() const {
    int64_t words = 0;
    for (const Split &split : task.splits)
      words += countWords(split.partials);
    return words;
  }

  bool hasWaves() const { return !rows.findPasses(outer).waves.empty(); }

  bool chooseTeam(ArrayRef<SmallVector<int64_t>> all, int64_t longest) {
    int64_t lanes = 0;
    for (ArrayRef<int64_t> sizes : all)
      if (llvm::product_of(sizes) == longest)
        lanes = std::max(lanes, countLanes(s, task, sizes.back()));
    size = Slots::chooseTeam(longest, lanes, most, s.target);
    return size > 1;
  }

  Slots slotsOf(ArrayRef<int64_t> sizes) const {
    return Slots(sizes, countLanes(s, task, sizes.back()), size, most);
  }

  //===--- Rows ---===//

  /// What begins with the given leading indices: its reductions, the roots with as many dimensions,
  /// then what is within.
  void level(const Indices &row) {
    size_t rank = row.size();
    emitWaves(row);
    SmallVector<std::pair<const Root *, Value>> values;
    for (const Root &root : task.roots)
      if (shapeOf(root.value).size() == rank)
        values.push_back({&root, s.element(root.value, row)});
    if (size_t next = findNextLevel(rank); rank < shape.size() && next == shape.size())
      write(row);
    else if (rank < shape.size())
      s.nest(shape.take_front(next).drop_front(rank), [&](ArrayRef<Index> indices) {
        Indices inner(row);
        llvm::append_range(inner, indices);
        level(inner);
      });
    if (values.empty())
      return;
    if (isInPlace)
      team->wait();
    team->storeOnce([&] {
      for (auto [root, value] : values)
        s.store(value, s.arguments.lookup(root->dest), row);
    });
  }

  void emitWaves(const Indices &row) {
    for (const Wave &wave : rows.findPasses(row.size()).waves) {
      SmallVector<Value> initial;
      for (linalg::LinalgOp op : wave.ops)
        initial.push_back(neutralOf(s, op));
      SmallVector<Value> own =
          slotsOf(wave.sizes)
              .forGroups(s, *team, initial, [&](ArrayRef<Chunk> chunks, ValueRange carried) {
                SmallVector<Value> values(carried);
                for (const Chunk &chunk : chunks)
                  values = reduceChunk(wave, row, chunk, values);
                return values;
              });
      auto combine = [&](ValueRange a, ValueRange b) {
        SmallVector<Value> values;
        for (auto [op, x, y] : llvm::zip_equal(wave.ops, a, b))
          values.push_back(s.combine(getSplitCombiner(op), x, y));
        return values;
      };
      SmallVector<Value> all = team->combine(own, combine), first;
      for (linalg::LinalgOp op : wave.ops)
        first.push_back(s.element(op.getDpsInitOperand(0)->get(), row));
      for (auto [op, value] : llvm::zip_equal(wave.ops, combine(first, all)))
        s.remember(op->getResult(0), row, value);
    }
  }

  SmallVector<Value> reduceChunk(const Wave &wave, ArrayRef<Index> row, const Chunk &chunk,
                                 ArrayRef<Value> carried) {
    SmallVector<Value> values(carried);
    int64_t lanes = slotsOf(wave.sizes).getLanes();
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Indices inner = getElement(chunk, lane);
      for (auto [reduction, value] : llvm::zip_equal(wave.ops, values)) {
        linalg::LinalgOp op = reduction;
        Indices dims = RowTask::locate(op, row);
        const Index *next = inner.begin();
        for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
          if (iterator == utils::IteratorType::reduction)
            dims[loop] = *next++;
        value = s.inlineStructured(op, dims, value).front();
      }
    }
    return selectInside(chunk, values, carried);
  }

  static Indices getElement(const Chunk &chunk, int64_t lane) {
    Indices indices(chunk.first);
    indices.back().constant += lane;
    return indices;
  }

  /// What is outside of the row does not count.
  SmallVector<Value> selectInside(const Chunk &chunk, ArrayRef<Value> values,
                                  ArrayRef<Value> otherwise) {
    if (!chunk.isInside)
      return SmallVector<Value>(values);
    return llvm::map_to_vector(llvm::zip_equal(values, otherwise), [&](auto pair) -> Value {
      auto [value, other] = pair;
      return arith::SelectOp::create(s.here(), s.loc, chunk.isInside, value, other);
    });
  }

  /// Writes the elements of a row. Those in the place of an input are written when all threads have
  /// read it.
  void write(const Indices &row) {
    if (rows.elements.empty())
      return;
    Slots slots = slotsOf(shape.drop_front(row.size()));
    slots.forGroups(s, *team, {}, [&](ArrayRef<Chunk> chunks, ValueRange) {
      std::vector<SmallVector<Value>> values;
      for (const Chunk &chunk : chunks)
        for (const Root *root : rows.elements) {
          SmallVector<Value> &list = values.emplace_back();
          for (int64_t lane = 0; lane < slots.getLanes(); ++lane)
            list.push_back(s.element(root->value, concatenate(row, getElement(chunk, lane))));
        }
      if (isInPlace)
        team->wait();
      size_t next = 0;
      for (const Chunk &chunk : chunks)
        team->store(chunk.isInside, [&] {
          for (const Root *root : rows.elements)
            s.storeVector(values[next++], s.arguments.lookup(root->dest),
                          concatenate(row, chunk.first));
        });
      return SmallVector<Value>();
    });
  }

  static Indices concatenate(ArrayRef<Index> row, ArrayRef<Index> inner) {
    Indices all(row);
    llvm::append_range(all, inner);
    return all;
  }

  //===--- Reductions by blocks of rows ---===//

  void emitBlocks() { llvm_unreachable("not yet"); }

  Scalarizer &s;
  const Task &task;
  RowTask rows;
  ArrayRef<int64_t> shape;
  size_t outer;
  bool isInPlace = false;
  int64_t size = 1, most = 1; // threads, and elements of each
  std::optional<Team> team;
};

} // namespace

bool codegen::emitTeamRows(Scalarizer &s, const Task &task) {
  if (!task.splits.empty())
    return false;
  TeamRowEmitter emitter(s, task);
  if (!emitter.plan())
    return false;
  emitter.emit();
  return true;
}
