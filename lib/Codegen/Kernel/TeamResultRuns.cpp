//===- TeamResultRuns.cpp - Transposes into short sides -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where few elements of the results lie together that are far from each other in an operand, as the
// channels of pixels that come last, a tile has all of them for many columns: it is one run of the
// results' memory, of which the operand has a line for each. A team reads the lines, keeps them in
// shared memory in the order of the run, and writes that. Both are walked from the sector on in
// which they begin, so that each warp accesses whole sectors.
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

/// An operand that has the columns of the results beside each other.
struct Lines {
  LocalRead read;
  StridedView view;
  /// Elements from the beginning of a sector on that a line may begin at.
  int64_t aligned = 1;
};

class TeamResultRuns {
public:
  TeamResultRuns(Scalarizer &s, const Task &task)
      : s(s), task(task), shape(shapeOf(task.roots.front().value)),
        warp(s.target.getWarpThreads()) {}

  bool choose() {
    if (shape.size() < 2 || llvm::product_of(shape) == 0)
      return false;
    for (const Root &root : task.roots)
      for (const LocalRead &read : findReads(root.value)) {
        bool isKnown = llvm::any_of(operands, [&](const Lines &lines) {
          return lines.read.tensor == read.tensor && lines.read.dims == read.dims;
        });
        if (isKnown || read.strides.back() <= 1)
          continue;
        if (!findColumns(read) || !canKeep(read, s, task))
          return false;
        operands.push_back({read, *viewOf(read.tensor)});
      }
    if (operands.empty())
      return false;
    size = llvm::product_of(shape.slice(first, end - first));
    side = llvm::product_of(shape.drop_front(end));
    if (size < warp || side < 2 || side >= warp || !chooseColumns())
      return false;
    for (Lines &lines : operands)
      lines.aligned = countBefore(lines);
    return true;
  }

  void emit() {
    s.plan.kind = NestKind::transpose;
    SmallVector<int64_t> tiles(shape.take_front(first));
    tiles.push_back(llvm::divideCeil(size, columns));
    team.emplace(s, llvm::product_of(tiles), Launch::looseThreads);
    outer = s.delinearize(team->getIteration(), tiles);
    begin = s.scale(outer.pop_back_val(), columns);
    for (const Lines &lines : operands)
      kept.emplace_back(s, *team, side * columns, typeOf(lines), side);
    for (auto [lines, memory] : llvm::zip_equal(operands, kept))
      read(lines, memory);
    team->wait();
    write();
  }

private:
  static Type typeOf(const Lines &lines) { return getElementTypeOrSelf(lines.read.tensor); }

  /// The dimensions [first, end) of the results that lie beside each other in the operand, the same
  /// for all operands.
  bool findColumns(const LocalRead &read) {
    ArrayRef<int64_t> strides = read.strides;
    unsigned last = 0;
    for (unsigned dim = 0; dim + 1 < shape.size(); ++dim)
      if (strides[dim] == 1 && shape[dim] > 1)
        last = dim + 1;
    if (!last || (end && end != last))
      return false;
    end = last;
    unsigned begins = end - 1;
    for (int64_t next = shape[begins]; begins > 0 && strides[begins - 1] == next;)
      next *= shape[--begins];
    first = std::max(first, begins);
    return true;
  }

  bool chooseColumns() {
    int64_t bytes = 0;
    for (const Lines &lines : operands)
      bytes += side * BankedMemory::countBytes(typeOf(lines));
    std::optional<int64_t> chosen = chooseRunColumns(size, warp, bytes);
    columns = chosen.value_or(0);
    return chosen.has_value();
  }

  //===--- Sectors ---===//

  /// The elements of a sector, if lines may begin within one.
  int64_t countBefore(const Lines &lines) const {
    int64_t sector = s.target.getLineElements(typeOf(lines));
    int64_t all = lines.view.offset | columns;
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      if (dim < first || dim >= end)
        all |= lines.read.strides[dim];
    return all % sector ? sector : 1;
  }

  /// The same of the runs of the results. The places of an even number of elements are exchanged in
  /// shared memory, where a warp has to begin with a multiple of its threads.
  int64_t countBeforeResults() const {
    int64_t sector = getResultSector(s, task);
    bool isAligned = (size * side) % sector == 0 && (columns * side) % sector == 0;
    return isAligned || side % 2 == 0 ? 1 : sector;
  }

  //===--- Operands and results ---===//

  /// Warps begin with a line, or with the sector in which it begins.
  void read(const Lines &lines, BankedMemory &memory) {
    ArrayRef<int64_t> strides = lines.read.strides;
    Index base = LoopBuilder::constant(lines.view.offset);
    for (auto [dim, index] : llvm::enumerate(outer))
      base = s.add(base, index, strides[dim]);
    Value source = s.arguments.lookup(lines.view.buffer);
    int64_t length = columns + (lines.aligned > 1 ? warp : 0);
    forTileElements(
        s, *team, side * length, operands.size(), [&](const Index &slot, Value condition) {
          Index number = s.clamp(slot, 0, side * length - 1);
          Index row = s.div(number, length), column = s.mod(number, length), line = base;
          Indices inner = s.delinearize(row, shape.drop_front(end));
          for (auto [i, index] : llvm::enumerate(inner))
            line = s.add(line, index, strides[end + i]);
          if (lines.aligned > 1)
            column = s.add(column, s.mod(line, lines.aligned), -1);
          if (s.within(column, 0, columns, condition) == std::optional(false))
            return;
          column = s.clamp(column, 0, columns - 1);
          Index inResult = s.add(begin, column);
          if (s.within(inResult, 0, size, condition) == std::optional(false))
            return;
          inResult = s.clamp(inResult, 0, size - 1);
          s.when(condition, [&] {
            Value value = s.loadVector(source, s.add(line, inResult), 1).front();
            memory.store(value, s.add(row, column, side));
          });
        });
  }

  void write() {
    int64_t aligned = countBeforeResults(), run = side * columns;
    Index before = LoopBuilder::constant(0);
    if (aligned > 1) {
      Index position = s.linearize(outer, shape.take_front(first));
      position = s.add(s.scale(position, size * side), begin, side);
      before = s.mod(position, aligned);
    }
    int64_t count = run + (aligned > 1 ? warp : 0);
    forTileElements(s, *team, count, operands.size(), [&](const Index &slot, Value condition) {
      Index number = s.clamp(slot, 0, count - 1);
      Index inRun = s.add(number, before, -1);
      if (s.within(inRun, 0, run, condition) == std::optional(false))
        return;
      inRun = s.clamp(inRun, 0, run - 1);
      Index column = s.div(inRun, side), row = s.mod(inRun, side);
      Index inResult = s.add(begin, column);
      if (s.within(inResult, 0, size, condition) == std::optional(false))
        return;
      s.when(condition, [&] { writeElement(inRun, row, s.clamp(inResult, 0, size - 1)); });
    });
  }

  void writeElement(const Index &inRun, const Index &row, const Index &inResult) {
    Indices indices(outer);
    llvm::append_range(indices, s.delinearize(inResult, shape.slice(first, end - first)));
    llvm::append_range(indices, s.delinearize(row, shape.drop_front(end)));
    for (auto [lines, memory] : llvm::zip_equal(operands, kept))
      rememberRead(s, lines.read, indices, memory.load(inRun));
    storeElements(s, task.roots, indices);
  }

  Scalarizer &s;
  const Task &task;
  ArrayRef<int64_t> shape;
  int64_t warp, size = 0, side = 1, columns = 0; // of all tiles, of a run, of a tile
  unsigned first = 0, end = 0;                   // the dimensions of the columns
  std::vector<Lines> operands;
  std::optional<Team> team;
  Indices outer; // of the dimensions before the columns
  Index begin;   // the first column
  std::vector<BankedMemory> kept;
};

} // namespace

bool codegen::emitTeamResultRuns(Scalarizer &s, const Task &task) {
  TeamResultRuns runs(s, task);
  if (!runs.choose())
    return false;
  runs.emit();
  return true;
}
