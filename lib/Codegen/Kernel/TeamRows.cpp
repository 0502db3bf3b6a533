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
  // Of aligned rows each chunk has an address of its own.
  int64_t ofAddresses = 0;
  for (ArrayRef<int64_t> sizes : findRowSizes())
    if (areAligned && !sizes.empty() && countSectorChunks(sizes) > 1)
      ofAddresses = std::max<int64_t>(ofAddresses, llvm::divideCeil(2, countLanes(sizes)));
  most = countHeldElements(s.target, words + ofAddresses);
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
  // A thread alone has a row that is one access.
  return size > 1 || lanes > 1;
}

int64_t TeamRows::countLanes(ArrayRef<int64_t> sizes) const {
  int64_t numRows = llvm::product_of(shape.take_front(outer));
  return countTeamLanes(s, task, sizes.back(), numRows * llvm::product_of(sizes));
}

/// The chunks of a sector, of what has an element for each of the rows, if rows begin within
/// sectors: warps that begin there, too, would touch a fifth of one for each of their accesses. Not
/// where the sectors at both ends of a row are more than a twentieth of it.
int64_t TeamRows::countSectorChunks(ArrayRef<int64_t> sizes) const {
  int64_t elements = llvm::product_of(sizes), lanes = countLanes(sizes), narrowest = 8;
  int64_t all = elements * llvm::product_of(shape.take_front(outer));
  auto add = [&](Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    if (type.getNumElements() == all)
      narrowest = std::min(narrowest, elementBytes(type.getElementType()));
  };
  for (const Root &root : task.roots)
    add(root.dest);
  llvm::for_each(task.reads, add);
  int64_t sector = s.target.getLineBytes() / narrowest;
  bool isShort = elements * narrowest < 2 * 20 * s.target.getLineBytes();
  return elements % sector == 0 || elements == all || isShort || sector < lanes ? 1
                                                                                : sector / lanes;
}

Slots TeamRows::slotsOf(ArrayRef<int64_t> sizes) const {
  Slots slots(sizes, countLanes(sizes), size, most, isOrdered());
  if (int64_t sector = areAligned ? countSectorChunks(sizes) : 1; sector > 1) {
    int64_t chunks = llvm::product_of(sizes) / slots.getLanes();
    Index begin = s.scale(current, chunks);
    slots.beginBefore(s.mod(begin, sector), s.add(begin, s.div(begin, sector), -sector), sector);
  }
  return slots;
}

//===--- Rows in shared memory --------------------------------------------===//

/// Of what warps give each other: 8 bytes, or fewer, of each result of a reduction, and whether
/// there is one.
int64_t TeamRows::countReservedBytes(const RowPasses &all) const {
  int64_t values = 0, warps = llvm::divideCeil(size, s.target.getWarpThreads());
  for (const Wave &wave : all.waves)
    for (linalg::LinalgOp op : wave.ops)
      values += op->getNumResults() + orders.contains(op);
  return values * static_cast<int64_t>(llvm::alignTo(8 * warps, s.target.getVectorBytes()));
}

void TeamRows::keepRows(bool hasRows) {
  RowPasses all = rows.findPasses(outer);
  bool hasElements = shape.size() > outer;
  if (all.waves.empty() || (hasElements && findNextLevel(outer) != shape.size()))
    return;
  ArrayRef<int64_t> sizes = all.waves.front().sizes;
  if (llvm::any_of(all.waves, [&](const Wave &wave) { return ArrayRef(wave.sizes) != sizes; }) ||
      (hasElements && shape.drop_front(outer) != sizes))
    return;
  SmallVector<int64_t> tensorShape(shape.take_front(outer));
  llvm::append_range(tensorShape, sizes);
  if (auto chosen = RowMemory::choose(s, rows.block(), tensorShape, outer, all, slotsOf(sizes),
                                      size, countReservedBytes(all), hasRows))
    memory.emplace(std::move(*chosen));
}

void TeamRows::fillMemory() {
  if (!memory)
    return;
  Slots slots = slotsOf(shape.drop_front(outer));
  s.loop(memory->getGroups(), {}, [&](const Index &group, ValueRange) {
    memory->fill(slots.getChunks(s, *team, group), s.scale(group, slots.getCount()), *team);
    return SmallVector<Value>();
  });
}

SmallVector<Value> TeamRows::forGroups(ArrayRef<int64_t> sizes, const RowPass &pass,
                                       ArrayRef<Index> row, ValueRange carried, Slots::Body body) {
  Slots slots = slotsOf(sizes);
  if (!memory || row.size() != outer)
    return slots.forGroups(s, *team, carried, body);
  SmallVector<Value> values(carried);
  // Also one group is a loop: what a pass computes there is not for the next ones.
  auto loop = [&](int64_t first, int64_t last, bool isKept, bool hasShared) {
    if (first == last)
      return;
    Value bounds[] = {s.materialize(LoopBuilder::constant(first)),
                      s.materialize(LoopBuilder::constant(last)),
                      s.materialize(LoopBuilder::constant(1))};
    auto inner = [&](const Index &group, ValueRange before) {
      SmallVector<Chunk> chunks = slots.getChunks(s, *team, group);
      if (isKept)
        memory->visit(pass, row, chunks, s.scale(group, slots.getCount()), *team, hasShared);
      return body(chunks, before);
    };
    values = s.loop(bounds[0], bounds[1], bounds[2], last - 1, values, inner, last - first, first,
                    last - first);
  };
  loop(0, memory->getSharedGroups(), true, true);
  loop(memory->getSharedGroups(), memory->getGroups(), true, false);
  loop(memory->getGroups(), slots.getGroups(), false, false);
  memory->end(pass);
  return values;
}

//===--- Rows -------------------------------------------------------------===//

void TeamRows::level(const Indices &row, function_ref<void()> beside) {
  size_t rank = row.size(), next = findNextLevel(rank);
  RowPasses all = rows.findPasses(rank);
  if (memory && rank == outer)
    memory->begin();
  if (rank == outer)
    current = s.linearize(row, shape.take_front(outer));
  emitWaves(row, all);
  SmallVector<std::pair<const Root *, Value>> values;
  for (const Root &root : task.roots)
    if (shapeOf(root.value).size() == rank)
      values.push_back({&root, s.element(root.value, row)});
  if (beside)
    beside();
  if (rank < shape.size() && next == shape.size())
    write(row, all.passes.back());
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

void TeamRows::emitWaves(const Indices &row, const RowPasses &all) {
  for (const auto &[wave, pass] : llvm::zip(all.waves, all.passes)) {
    Wave others = wave;
    llvm::erase_if(others.ops, [&](linalg::LinalgOp op) { return orders.contains(op); });
    if (!others.ops.empty())
      emitWave(others, pass, row);
    for (linalg::LinalgOp op : wave.ops)
      if (orders.contains(op))
        emitOrdered(op, wave, pass, row);
  }
}

void TeamRows::emitWave(const Wave &wave, const RowPass &pass, const Indices &row) {
  SmallVector<Value> initial;
  for (linalg::LinalgOp op : wave.ops)
    initial.push_back(neutralOf(s, op));
  SmallVector<Value> own =
      forGroups(wave.sizes, pass, row, initial, [&](ArrayRef<Chunk> chunks, ValueRange carried) {
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
void TeamRows::emitOrdered(linalg::LinalgOp op, const Wave &wave, const RowPass &pass,
                           const Indices &row) {
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
      forGroups(wave.sizes, pass, row, carried, [&](ArrayRef<Chunk> chunks, ValueRange before) {
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

void TeamRows::write(const Indices &row, const RowPass &pass) {
  if (rows.elements.empty() || isWrittenBeside)
    return;
  ArrayRef<int64_t> sizes = shape.drop_front(row.size());
  int64_t lanes = slotsOf(sizes).getLanes();
  if (!columns.empty())
    return writeChunks(row, columns, lanes);
  forGroups(sizes, pass, row, {}, [&](ArrayRef<Chunk> chunks, ValueRange) {
    writeChunks(row, chunks, lanes);
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
  rows.alignRows();
  if (!rows.canShare() || !rows.choose())
    return false;
  rows.s.loadVectors();
  ArrayRef<int64_t> outer = rows.shape.take_front(rows.outer);
  rows.begin(llvm::product_of(outer));
  rows.keepRows();
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
    return rows.rows.isOfRow(op, rows.outer) && walksReduction(op, /*areShort=*/true);
  });
  return !reductions.empty() && areRows && rows.outer == rows.shape.size() && emit(rows);
}
