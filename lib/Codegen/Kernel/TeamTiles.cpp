//===- TeamTiles.cpp - Transposes by teams of threads ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team reads a tile of each operand that is transposed along the operand's lines, keeps it in
// shared memory, and computes the tile of the results along theirs.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Slots.h"
#include "Kernel/TilePlan.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

/// An access of a thread within a tile: its first index along the accessed lines, and its line.
struct Place {
  Index along, line;
};

class TeamTiles {
public:
  TeamTiles(Scalarizer &s, const Task &task, const TilePlan &plan)
      : s(s), task(task), plan(plan), shape(shapeOf(task.roots.front().value)),
        team(s, countTiles(), plan.team) {
    Indices tile = s.delinearize(team.getIteration(), tiles);
    outer.append(tile.begin(), tile.end() - 2);
    rowBegin = s.scale(tile.end()[-2], plan.rows.side);
    columnBegin = s.scale(tile.end()[-1], plan.columns.side);
    for (const TiledRead &read : plan.reads)
      kept.push_back(
          team.allocate(plan.getSharedShape(read),
                        Scalarizer::getMemoryType(getElementTypeOrSelf(read.read.tensor))));
  }

  void emit() {
    s.plan.kind = NestKind::transpose;
    readTiles();
    team.wait();
    writeTile();
  }

private:
  int64_t countTiles() {
    for (auto [dim, size] : llvm::enumerate(shape))
      if (!plan.rows.contains(dim) && !plan.columns.contains(dim))
        tiles.push_back(size);
    tiles.append({plan.rows.countTiles(), plan.columns.countTiles()});
    return llvm::product_of(tiles);
  }

  int64_t countAccesses(const WarpShape &warp) const {
    return plan.rows.side * plan.columns.side / warp.vector / plan.team;
  }

  /// The access of the running thread among all of the team, which has `number` of them before:
  /// warps have rectangles beside each other, then those of the next lines.
  Place locate(const WarpShape &warp, int64_t side, const Index &number) {
    int64_t threads = s.target.getWarpThreads(), lines = threads / warp.along;
    Index all = s.add(team.getLane(), number, plan.team);
    Index lane = s.mod(all, threads), rectangle = s.div(all, threads);
    Index along = s.add(s.mod(lane, warp.near), s.div(lane, warp.near * lines), warp.near);
    int64_t beside = side / (warp.along * warp.vector);
    along = s.add(along, s.mod(rectangle, beside), warp.along);
    Index line = s.mod(s.div(lane, warp.near), lines);
    return {s.scale(along, warp.vector), s.add(line, s.div(rectangle, beside), lines)};
  }

  /// Does what concerns an element of a tile if the results have it, for all tiles or if the
  /// condition holds.
  void ifInside(const Index &row, const Index &column, function_ref<void(Value)> body) {
    Value condition;
    if (s.within(row, 0, plan.rows.size, condition) != std::optional<bool>(false) &&
        s.within(column, 0, plan.columns.size, condition) != std::optional<bool>(false))
      body(condition);
  }

  //===--- Operands ---===//

  /// What was read and is not in shared memory yet.
  struct Pending {
    Value buffer;
    Indices first;
    SmallVector<Value> values;
  };

  /// As much as a thread has registers for is read before the first of it is awaited.
  void readTiles() {
    std::vector<Pending> pending;
    int64_t words = 0;
    auto flush = [&] {
      for (Pending &access : pending)
        for (Value value : access.values) {
          s.store(value, access.buffer, access.first);
          access.first.back().constant += 1;
        }
      pending.clear();
      words = 0;
    };
    for (auto [tiled, buffer] : llvm::zip_equal(plan.reads, kept)) {
      int64_t accesses = countAccesses(tiled.warp);
      s.recordCopies(
          {{LoopExecutor::unrolled, accesses}, {LoopExecutor::lanes, tiled.warp.vector}});
      for (int64_t number = 0; number < accesses; ++number) {
        Place place = locate(tiled.warp, plan.rows.side, LoopBuilder::constant(number));
        pending.push_back({buffer, {place.line, place.along}, readAccess(tiled, place)});
        words += tiled.warp.vector;
        if (words >= countHeldElements(s.target, 1))
          flush();
      }
    }
    flush();
  }

  /// Nothing is read outside of the operand: zeros are kept, which nothing reads.
  SmallVector<Value> readAccess(const TiledRead &tiled, const Place &place) {
    Value buffer = s.arguments.lookup(tiled.view.buffer);
    Type type = Scalarizer::getMemoryType(getElementTypeOrSelf(tiled.read.tensor));
    SmallVector<Type> types(tiled.warp.vector, type);
    Index row = s.add(rowBegin, place.along), column = s.add(columnBegin, place.line);
    auto load = [&] {
      return s.loadVector(buffer, getPosition(tiled, row, column), tiled.warp.vector);
    };
    SmallVector<Value> values;
    ifInside(row, column, [&](Value condition) {
      auto otherwise = [&] { return SmallVector<Value>(types.size(), s.zero(type)); };
      values = condition ? s.choose(condition, types, load, otherwise) : load();
    });
    return values;
  }

  /// Where a buffer has what an element of the results reads of it.
  Index getPosition(const TiledRead &tiled, const Index &row, const Index &column) {
    ArrayRef<int64_t> strides = tiled.read.strides;
    Index position = LoopBuilder::constant(tiled.view.offset);
    const Index *next = outer.begin();
    for (auto [dim, stride] : llvm::enumerate(strides))
      if (!plan.rows.contains(dim) && !plan.columns.contains(dim))
        position = s.add(position, *next++, stride);
    auto add = [&](const TiledDims &dims, const Index &index, int64_t vector) {
      for (auto [i, part] : llvm::enumerate(split(dims, index, vector)))
        position = s.add(position, part, strides[dims.begin + i]);
    };
    add(plan.rows, row, tiled.warp.vector);
    add(plan.columns, column, 1);
    return position;
  }

  //===--- Results ---===//

  void writeTile() {
    int64_t lanes = plan.warp.vector, accesses = countAccesses(plan.warp);
    int64_t together =
        std::min(accesses, std::max<int64_t>(1, countHeldElements(s.target, 1) / lanes));
    s.loop(accesses / together, {}, [&](const Index &group, ValueRange) {
      s.recordCopies({{LoopExecutor::unrolled, together}, {LoopExecutor::lanes, lanes}});
      for (int64_t i = 0; i < together; ++i) {
        Index number = s.add(LoopBuilder::constant(i), group, together);
        Place place = locate(plan.warp, plan.columns.side, number);
        Index row = s.add(rowBegin, place.line), column = s.add(columnBegin, place.along);
        ifInside(row, column, [&](Value condition) {
          s.when(condition, [&] {
            s.loadVectors();
            writeAccess(place, row, column);
          });
        });
      }
      return SmallVector<Value>();
    });
  }

  void writeAccess(const Place &place, const Index &row, const Index &column) {
    Indices first = findIndices(row, column);
    std::vector<SmallVector<Value>> values(task.roots.size());
    for (int64_t lane = 0; lane < plan.warp.vector; ++lane) {
      Indices indices(first);
      indices.back().constant += lane;
      for (auto [tiled, buffer] : llvm::zip_equal(plan.reads, kept)) {
        Indices at;
        for (int64_t dim : tiled.read.dims)
          at.push_back(indices[dim]);
        Index line = s.add(place.along, LoopBuilder::constant(lane));
        Value value = s.load(buffer, {line, place.line});
        s.remember(tiled.read.tensor, at,
                   s.fromMemory(value, getElementTypeOrSelf(tiled.read.tensor)));
      }
      for (auto [root, list] : llvm::zip_equal(task.roots, values))
        list.push_back(s.element(root.value, indices));
    }
    for (auto [root, list] : llvm::zip_equal(task.roots, values))
      s.storeVector(list, s.arguments.lookup(root.dest), first);
  }

  /// The indices along some dimensions of an access, of which the innermost has all elements.
  Indices split(const TiledDims &dims, const Index &index, int64_t vector) {
    SmallVector<int64_t> sizes(shape.slice(dims.begin, dims.end - dims.begin));
    sizes.back() /= vector;
    Indices indices = s.delinearize(s.div(index, vector), sizes);
    indices.back() = s.scale(indices.back(), vector);
    return indices;
  }

  /// Those of the results at a row and a column, which begins an access.
  Indices findIndices(const Index &row, const Index &column) {
    Indices rows = split(plan.rows, row, 1);
    Indices columns = split(plan.columns, column, plan.warp.vector);
    Indices indices;
    const Index *next = outer.begin();
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      indices.push_back(plan.rows.contains(dim)      ? rows[dim - plan.rows.begin]
                        : plan.columns.contains(dim) ? columns[dim - plan.columns.begin]
                                                     : *next++);
    return indices;
  }

  Scalarizer &s;
  const Task &task;
  const TilePlan &plan;
  ArrayRef<int64_t> shape;
  SmallVector<int64_t> tiles; // along the other dimensions, the rows and the columns
  Team team;
  Indices outer; // of the dimensions that are not tiled
  Index rowBegin, columnBegin;
  SmallVector<Value> kept; // for each of the plan's reads
};

} // namespace

bool codegen::emitTeamTiles(Scalarizer &s, const Task &task) {
  std::optional<TilePlan> plan = chooseTiles(s, task);
  bool hasTiles = plan && plan->getPadding() == 1;
  if (emitTeamRuns(s, task, hasTiles) || (!hasTiles && emitTeamResultRuns(s, task)))
    return true;
  if (plan)
    TeamTiles(s, task, *plan).emit();
  return plan.has_value();
}
