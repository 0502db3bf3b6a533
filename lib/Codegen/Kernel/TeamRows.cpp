//===- TeamRows.cpp - Rows that teams of threads share --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/TeamRows.h"

#include "Kernel/Buffers.h"
#include "Kernel/ReductionOrder.h"

#include "dmc/Dialect/DMC/SplitReduction.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

Indices codegen::getElement(const Chunk &chunk, int64_t lane) {
  Indices indices(chunk.first);
  indices.back().constant += lane;
  return indices;
}

Indices codegen::concatenate(ArrayRef<Index> row, ArrayRef<Index> inner) {
  Indices all(row);
  llvm::append_range(all, inner);
  return all;
}

SmallVector<Value> codegen::selectInside(Scalarizer &s, const Chunk &chunk, ArrayRef<Value> values,
                                         ArrayRef<Value> carried) {
  if (!chunk.isInside)
    return SmallVector<Value>(values);
  SmallVector<Value> selected;
  for (auto [value, other] : llvm::zip_equal(values, carried))
    selected.push_back(arith::SelectOp::create(s.here(), s.loc, chunk.isInside, value, other));
  return selected;
}

TeamRows::TeamRows(Scalarizer &s, const Task &task)
    : s(s), task(task), rows(task), shape(rows.shape), outer(rows.countOuterDims()) {
  for (const Root &root : task.roots)
    for (Value read : task.reads)
      isInPlace |= s.arguments.lookup(root.dest) == s.arguments.lookup(read);
}

//===--- What is shared how -----------------------------------------------===//

bool TeamRows::canReorder(linalg::LinalgOp op) const {
  return getSplitCombiner(op) && mayReorder(op);
}

bool TeamRows::canShare() {
  for (linalg::LinalgOp op : rows.findReductions()) {
    if (isSplit(op) || !isOfSomeRow(op) || canReorder(op))
      continue;
    std::optional<OrderedReduction> order = OrderedReduction::match(op);
    if (!order)
      return false;
    orders.try_emplace(op, *order);
  }
  return llvm::product_of(shape) > 0;
}

bool TeamRows::isOfSomeRow(linalg::LinalgOp op) const {
  return llvm::any_of(llvm::seq<size_t>(outer, shape.size() + 1),
                      [&](size_t rank) { return rows.isOfRow(op, rank); });
}

size_t TeamRows::findNextLevel(size_t rank) const {
  size_t next = shape.size();
  for (const Root &root : task.roots)
    if (shapeOf(root.value).size() > rank)
      next = std::min(next, shapeOf(root.value).size());
  for (linalg::LinalgOp op : rows.findReductions())
    for (size_t other = rank + 1; other < next; ++other)
      if (rows.isOfRow(op, other))
        next = other;
  return next;
}

/// The sizes of the rows that are passed over.
SmallVector<SmallVector<int64_t>> TeamRows::findRowSizes() const {
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

/// Registers that an element takes where most are kept between two passes over the row: for values
/// that one pass computes and a later one needs.
int64_t TeamRows::countLiveWords(size_t rank) const {
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
  for (const Wave &wave : waves) {
    int64_t words = 0; // of the partial results of each chunk, and whether there is one
    for (linalg::LinalgOp op : wave.ops)
      if (orders.contains(op)) {
        ++words;
        for (Value result : op->getResults())
          words += countWords(result);
      }
    most = std::max(most, words);
  }
  return most;
}

bool TeamRows::choose() {
  int64_t longest = 0, words = 1, lanes = 1;
  for (size_t rank = outer; rank <= shape.size(); ++rank)
    words = std::max(words, countLiveWords(rank));
  for (const Split &split : task.splits)
    words += countWords(split.partials);
  most = countHeldElements(s.target, words);
  for (ArrayRef<int64_t> sizes : findRowSizes()) {
    int64_t elements = llvm::product_of(sizes);
    if (sizes.empty() || elements == 0)
      return false;
    if (elements > longest)
      lanes = countLanes(sizes);
    longest = std::max(longest, elements);
  }
  if (longest == 0)
    return false;
  size = Slots::chooseTeam(longest, lanes, most, s.target);
  return size > 1;
}

int64_t TeamRows::countLanes(ArrayRef<int64_t> sizes) const {
  int64_t numRows = llvm::product_of(shape.take_front(outer));
  return countTeamLanes(s, task, sizes.back(), numRows * llvm::product_of(sizes));
}

Slots TeamRows::slotsOf(ArrayRef<int64_t> sizes) const {
  return Slots(sizes, countLanes(sizes), size, most, isOrdered());
}

//===--- Rows -------------------------------------------------------------===//

void TeamRows::level(const Indices &row, function_ref<void()> beside) {
  size_t rank = row.size(), next = findNextLevel(rank);
  emitWaves(row);
  SmallVector<std::pair<const Root *, Value>> values;
  for (const Root &root : task.roots)
    if (shapeOf(root.value).size() == rank)
      values.push_back({&root, s.element(root.value, row)});
  if (beside)
    beside();
  if (rank < shape.size() && next == shape.size())
    write(row);
  else if (rank < shape.size())
    s.nest(shape.take_front(next).drop_front(rank),
           [&](ArrayRef<Index> inner) { level(concatenate(row, inner)); });
  if (values.empty())
    return;
  if (isInPlace)
    team->wait();
  team->storeOnce([&] {
    for (auto [root, value] : values)
      s.store(value, s.arguments.lookup(root->dest), row);
  });
}

void TeamRows::emitWaves(const Indices &row) {
  for (const Wave &wave : rows.findPasses(row.size()).waves) {
    Wave others = wave;
    llvm::erase_if(others.ops, [&](linalg::LinalgOp op) { return orders.contains(op); });
    if (!others.ops.empty())
      emitWave(others, row);
    for (linalg::LinalgOp op : wave.ops)
      if (orders.contains(op))
        emitOrdered(op, wave, row);
  }
}

void TeamRows::emitWave(const Wave &wave, const Indices &row) {
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

/// The elements of a chunk are combined by its thread, the chunks of a slot among the threads of a
/// warp, slots and groups of them one after the other, and at last warps.
void TeamRows::emitOrdered(linalg::LinalgOp op, const Wave &wave, const Indices &row) {
  const OrderedReduction &order = orders.find(op)->second;
  Slots slots = slotsOf(wave.sizes);
  auto combine = [&](ValueRange a, ValueRange b) { return order.combine(s, a, b); };
  SmallVector<Value> first;
  for (OpOperand &init : op.getDpsInitsMutable())
    first.push_back(s.element(init.get(), row));
  bool hasGroups = slots.getGroups() > 1, isAlwaysThere = false;
  auto flag = [&](bool value) -> Value {
    return arith::ConstantOp::create(s.here(), s.loc, s.here().getBoolAttr(value));
  };
  // Before the first group there is nothing.
  SmallVector<Value> carried(first);
  carried.push_back(flag(false));
  SmallVector<Value> own =
      slots.forGroups(s, *team, carried, [&](ArrayRef<Chunk> chunks, ValueRange before) {
        SmallVector<Team::Part> parts;
        for (const Chunk &chunk : chunks) {
          SmallVector<Value> values;
          for (int64_t lane = 0; lane < slots.getLanes(); ++lane) {
            Indices dims = locate(op, row, getElement(chunk, lane));
            values = lane == 0 ? order.getElement(s, dims) : s.inlineStructured(op, dims, values);
          }
          parts.push_back({values, chunk.isInside});
        }
        Team::Part part = team->joinWarp(parts, combine);
        if (hasGroups)
          part = team->join({SmallVector<Value>(before.drop_back()), before.back()}, part, combine);
        isAlwaysThere = !part.isThere;
        part.values.push_back(part.isThere ? part.isThere : flag(true));
        return part.values;
      });
  Value isThere = own.pop_back_val();
  Team::Part all = team->joinWarps({own, isAlwaysThere ? Value() : isThere}, combine);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), combine(first, all.values)))
    s.remember(result, row, value);
}

/// The position of a reduction's loops at an element of a row.
Indices TeamRows::locate(linalg::LinalgOp op, ArrayRef<Index> row, ArrayRef<Index> inner) {
  Indices dims = RowTask::locate(op, row);
  const Index *next = inner.begin();
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      dims[loop] = *next++;
  return dims;
}

SmallVector<Value> TeamRows::reduceChunk(const Wave &wave, ArrayRef<Index> row, const Chunk &chunk,
                                         ArrayRef<Value> carried) {
  SmallVector<Value> values(carried);
  int64_t lanes = slotsOf(wave.sizes).getLanes();
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Indices inner = getElement(chunk, lane);
    for (auto [reduction, value] : llvm::zip_equal(wave.ops, values)) {
      linalg::LinalgOp op = reduction;
      value = s.inlineStructured(op, locate(op, row, inner), value).front();
    }
  }
  return selectInside(s, chunk, values, carried);
}

void TeamRows::write(const Indices &row) {
  if (rows.elements.empty())
    return;
  Slots slots = slotsOf(shape.drop_front(row.size()));
  if (!columns.empty())
    return writeChunks(row, columns, slots.getLanes());
  slots.forGroups(s, *team, {}, [&](ArrayRef<Chunk> chunks, ValueRange) {
    writeChunks(row, chunks, slots.getLanes());
    return SmallVector<Value>();
  });
}

void TeamRows::writeChunks(ArrayRef<Index> row, ArrayRef<Chunk> chunks, int64_t lanes) {
  std::vector<SmallVector<Value>> values;
  for (const Chunk &chunk : chunks)
    for (const Root *root : rows.elements) {
      SmallVector<Value> &list = values.emplace_back();
      for (int64_t lane = 0; lane < lanes; ++lane)
        list.push_back(s.element(root->value, concatenate(row, getElement(chunk, lane))));
    }
  if (values.empty())
    return;
  if (isInPlace)
    team->wait();
  size_t next = 0;
  for (const Chunk &chunk : chunks)
    team->store(chunk.isInside, [&] {
      for (const Root *root : rows.elements)
        s.storeVector(values[next++], s.arguments.lookup(root->dest),
                      concatenate(row, chunk.first));
    });
}

static bool emit(TeamRows &rows) {
  if (!rows.canShare() || !rows.choose())
    return false;
  rows.s.loadVectors();
  ArrayRef<int64_t> outer = rows.shape.take_front(rows.outer);
  rows.begin(llvm::product_of(outer));
  rows.level(rows.s.delinearize(rows.team->getIteration(), outer));
  return true;
}

bool codegen::emitTeamRows(Scalarizer &s, const Task &task) {
  if (!task.splits.empty())
    return emitTeamBlocks(s, task);
  TeamRows rows(s, task);
  return emit(rows);
}

bool codegen::emitTeamResults(Scalarizer &s, const Task &task) {
  TeamRows rows(s, task);
  SmallVector<linalg::LinalgOp> reductions = rows.rows.findReductions();
  bool areRows = llvm::all_of(reductions, [&](linalg::LinalgOp op) {
    return rows.rows.isOfRow(op, rows.outer) && walksReduction(op);
  });
  return !reductions.empty() && areRows && rows.outer == rows.shape.size() && emit(rows);
}
