//===- TeamRuns.cpp - Transposes of short sides ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where few elements of an operand lie together that are far from each other in the results, as the
// channels of pixels or the positions of a filter, a tile of the results has all of them for many
// columns: it is one run of the operand's memory. A team reads the run, keeps it in shared memory,
// and writes the rows of the tile. Both are walked from the sector on in which they begin, so that
// each warp accesses whole sectors.
//
//===----------------------------------------------------------------------===//

#include "Kernel/BankedMemory.h"
#include "Kernel/Buffers.h"
#include "Kernel/RunTiles.h"
#include "Kernel/Slots.h"
#include "Kernel/TilePlan.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

/// An operand whose columns, the last dimensions of the results, are `side` elements apart: these
/// are what lies along the `inner` dimensions.
struct Run {
  LocalRead read;
  StridedView view;
  SmallVector<unsigned> inner;
  unsigned columns = 0; // the first of their dimensions
  int64_t side = 1;
};

/// Nothing if the operand does not consist of such runs.
std::optional<Run> findRun(const LocalRead &read, ArrayRef<int64_t> shape) {
  Run run{read, *viewOf(read.tensor), {}};
  ArrayRef<int64_t> strides = read.strides;
  run.side = strides.back();
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim + 1 < shape.size(); ++dim)
    if (strides[dim] < run.side && shape[dim] > 1)
      order.push_back(dim);
  run.inner = order;
  llvm::sort(order, [&](unsigned a, unsigned b) { return strides[a] < strides[b]; });
  int64_t elements = 1;
  for (unsigned dim : order) {
    if (strides[dim] != elements)
      return std::nullopt;
    elements *= shape[dim];
  }
  if (elements != run.side || order.empty())
    return std::nullopt;
  // Dimensions further outwards go on where these end.
  run.columns = shape.size() - 1;
  int64_t next = run.side * shape.back();
  while (run.columns > 0 && strides[run.columns - 1] == next)
    next *= shape[--run.columns];
  return run;
}

class TeamRuns {
public:
  TeamRuns(Scalarizer &s, const Task &task)
      : s(s), task(task), shape(shapeOf(task.roots.front().value)),
        warp(s.target.getWarpThreads()) {}

  bool choose(bool hasTiles) {
    if (shape.size() < 2 || llvm::product_of(shape) == 0)
      return false;
    for (const Root &root : task.roots)
      for (const LocalRead &read : findReads(root.value)) {
        bool isKnown = llvm::any_of(runs, [&](const Run &run) {
          return run.read.tensor == read.tensor && run.read.dims == read.dims;
        });
        if (isKnown || read.strides.back() <= 1)
          continue;
        std::optional<Run> run = findRun(read, shape);
        if (!run || !canKeep(read, s, task))
          return false;
        runs.push_back(*run);
      }
    if (runs.empty())
      return false;
    const Run &first = runs.front();
    for (const Run &run : runs)
      if (run.inner != first.inner || run.columns != first.columns)
        return false;
    size = llvm::product_of(shape.drop_front(first.columns));
    if (hasTiles && llvm::all_of(runs, [&](const Run &run) { return hasVectors(run); }))
      return false;
    return size >= warp && first.side < warp && chooseColumns();
  }

  void emit() {
    s.plan.kind = NestKind::transpose;
    SmallVector<int64_t> tiles;
    for (unsigned dim = 0; dim < runs.front().columns; ++dim)
      if (!llvm::is_contained(runs.front().inner, dim))
        tiles.push_back(shape[dim]);
    tiles.push_back(llvm::divideCeil(size, columns));
    team.emplace(s, llvm::product_of(tiles), Launch::looseThreads);
    outer = s.delinearize(team->getIteration(), tiles);
    begin = s.scale(outer.pop_back_val(), columns);
    for (const Run &run : runs)
      kept.emplace_back(s, *team, run.side * columns, typeOf(run), run.side);
    for (auto [run, memory] : llvm::zip_equal(runs, kept))
      read(run, memory);
    team->wait();
    write();
  }

private:
  static Type typeOf(const Run &run) { return getElementTypeOrSelf(run.read.tensor); }

  /// Whether sides consist of vectors, and sectors of these.
  bool hasVectors(const Run &run) const {
    int64_t bytes = run.side * elementBytes(typeOf(run));
    int64_t sector = s.target.getLineBytes();
    return bytes % s.target.getVectorBytes() == 0 && (bytes % sector == 0 || sector % bytes == 0);
  }

  /// What is read is in registers before it is in shared memory: each thread has one column in each
  /// row.
  bool chooseColumns() {
    int64_t bytes = 0;
    for (const Run &run : runs)
      bytes += run.side * BankedMemory::countBytes(typeOf(run));
    std::optional<int64_t> chosen = chooseRunColumns(size, warp, bytes);
    columns = chosen.value_or(0);
    return chosen.has_value();
  }

  //===--- Operands and results ---===//

  void read(const Run &run, BankedMemory &memory) {
    Index base = LoopBuilder::constant(run.view.offset);
    const Index *next = outer.begin();
    for (unsigned dim = 0; dim < run.columns; ++dim)
      if (!llvm::is_contained(run.inner, dim))
        base = s.add(base, *next++, run.read.strides[dim]);
    Value source = s.arguments.lookup(run.view.buffer);
    int64_t aligned = countBefore(run), count = run.side * columns;
    Index before = aligned > 1 ? s.mod(s.add(base, begin, run.side), aligned) : s.constant(0);
    forTileElements(s, *team, count + (aligned > 1 ? warp : 0), runs.size(),
                    [&](const Index &slot, Value condition) {
                      Index number = s.add(slot, before, -1);
                      if (s.within(number, 0, count, condition) == std::optional(false))
                        return;
                      number = s.clamp(number, 0, count - 1);
                      Index inRun = s.add(number, begin, run.side);
                      if (s.within(inRun, 0, run.side * size, condition) == std::optional(false))
                        return;
                      s.when(condition, [&] {
                        Value value = s.loadVector(source, s.add(base, inRun), 1).front();
                        memory.store(value, number);
                      });
                    });
  }

  //===--- Sectors ---===//

  /// The elements of a sector, if runs may begin within one. The places of an even number of
  /// elements are exchanged in shared memory, where a warp has to begin with a multiple of its
  /// threads.
  int64_t countBefore(const Run &run) const {
    int64_t sector = s.target.getLineElements(typeOf(run));
    int64_t all = run.view.offset | (columns * run.side);
    for (unsigned dim = 0; dim < run.columns; ++dim)
      if (!llvm::is_contained(run.inner, dim))
        all |= run.read.strides[dim];
    return all % sector && run.side % 2 ? sector : 1;
  }

  /// The same of the rows of the results.
  int64_t countBeforeRows() const {
    int64_t sector = getResultSector(s, task);
    return size % sector ? sector : 1;
  }

  void write() {
    const Run &first = runs.front();
    int64_t aligned = countBeforeRows(), length = columns + (aligned > 1 ? warp : 0);
    forTileElements(
        s, *team, first.side * length, runs.size(), [&](const Index &slot, Value condition) {
          Index number = s.clamp(slot, 0, first.side * length - 1);
          Index row = s.div(number, length), column = s.mod(number, length);
          if (aligned > 1) {
            Index line = s.linearize(locateRow(row), shape.take_front(first.columns));
            Index position = s.add(begin, line, size);
            column = s.add(column, s.mod(position, aligned), -1);
            if (s.within(column, 0, columns, condition) == std::optional(false))
              return;
            column = s.clamp(column, 0, columns - 1);
          }
          Index inResult = s.add(begin, column);
          if (s.within(inResult, 0, size, condition) == std::optional(false))
            return;
          s.when(condition, [&] { writeElement(row, column, s.clamp(inResult, 0, size - 1)); });
        });
  }

  /// The indices of a row along the inner dimensions, and along all before the columns.
  Indices locateInner(const Index &row) {
    SmallVector<int64_t> sizes;
    for (unsigned dim : runs.front().inner)
      sizes.push_back(shape[dim]);
    return s.delinearize(row, sizes);
  }
  Indices locateRow(const Index &row) {
    Indices indices(outer);
    for (auto [dim, index] : llvm::zip_equal(runs.front().inner, locateInner(row)))
      indices.insert(indices.begin() + dim, index);
    return indices;
  }

  void writeElement(const Index &row, const Index &column, const Index &inResult) {
    const Run &first = runs.front();
    Indices inner = locateInner(row), indices = locateRow(row);
    llvm::append_range(indices, s.delinearize(inResult, shape.drop_front(first.columns)));
    for (auto [run, memory] : llvm::zip_equal(runs, kept)) {
      Index element = s.scale(column, run.side);
      for (auto [dim, index] : llvm::zip_equal(run.inner, inner))
        element = s.add(element, index, run.read.strides[dim]);
      rememberRead(s, run.read, indices, memory.load(element));
    }
    storeElements(s, task.roots, indices);
  }

  Scalarizer &s;
  const Task &task;
  ArrayRef<int64_t> shape;
  int64_t warp, size = 0, columns = 0; // of all tiles, and of one
  std::vector<Run> runs;
  std::optional<Team> team;
  Indices outer; // of the dimensions that are neither rows nor columns
  Index begin;   // the first column
  std::vector<BankedMemory> kept;
};

} // namespace

bool codegen::emitTeamRuns(Scalarizer &s, const Task &task, bool hasTiles) {
  TeamRuns runs(s, task);
  if (!runs.choose(hasTiles))
    return false;
  runs.emit();
  return true;
}
