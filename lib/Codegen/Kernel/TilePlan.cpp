//===- TilePlan.cpp - Tiles that teams of threads transpose ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/TilePlan.h"

#include "Kernel/Buffers.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

//===--- Shared memory ----------------------------------------------------===//
//
// There is a bank of words for each thread of a warp, and a cycle serves all banks: if a word is
// wider than an element, all of a warp, and if an element has two words, half of a warp. No two of
// these threads may ask for different words of one bank.
//
// Lines are an odd number of words apart; of elements, if these are wider. Threads store the
// elements of an access, n words, one after the other: those of one line are n banks apart and fill
// all banks but for n - 1 between each two, where those of the next n - 1 lines are. Loaded are the
// elements of accesses of n columns: those of one row are n lines apart, on different multiples of
// n banks, and between these are those of the next n - 1 rows.

static constexpr int64_t wordBytes = 4;

/// The bytes of all banks: what a cycle serves.
static int64_t countBankBytes(TargetAttr target) { return target.getWarpThreads() * wordBytes; }

static int64_t bytesOf(const TiledRead &read) {
  return elementBytes(getElementTypeOrSelf(read.read.tensor));
}

SmallVector<int64_t> TilePlan::getSharedShape(const TiledRead &read) const {
  return {columns.side, rows.side + std::max<int64_t>(1, wordBytes / bytesOf(read))};
}

double TilePlan::getPadding() const {
  double padding = 1;
  for (const TiledDims &dims : {rows, columns})
    padding *= double(dims.countTiles() * dims.side) / double(dims.size);
  return padding;
}

int64_t TilePlan::countSharedBytes() const {
  int64_t bytes = 0;
  for (const TiledRead &read : reads)
    bytes += llvm::product_of(getSharedShape(read)) * bytesOf(read);
  return bytes;
}

//===--- Reads ------------------------------------------------------------===//

bool codegen::canKeep(const LocalRead &read, Scalarizer &s, const Task &task) {
  Type type = getElementTypeOrSelf(read.tensor);
  Value buffer = s.arguments.lookup(viewOf(read.tensor)->buffer);
  bool isWritten = llvm::any_of(
      task.roots, [&](const Root &root) { return s.arguments.lookup(root.dest) == buffer; });
  bool isNumber = type.isF64() || type.isF32() || type.isF16() || type.isBF16() ||
                  type.isInteger(1) || type.isInteger(8) || type.isInteger(16) ||
                  type.isInteger(32) || type.isInteger(64);
  return isNumber && !isWritten && !llvm::is_contained(read.dims, -1);
}

/// The reads of a task that are transposed along a dimension.
static std::vector<TiledRead> findTransposed(Scalarizer &s, const Task &task, unsigned dim) {
  std::vector<TiledRead> reads;
  for (const Root &root : task.roots)
    for (LocalRead &read : findReads(root.value)) {
      bool isKnown = llvm::any_of(reads, [&](const TiledRead &other) {
        return other.read.tensor == read.tensor && other.read.dims == read.dims;
      });
      if (!isKnown && isTransposed(read, dim) && canKeep(read, s, task))
        reads.push_back({read, *viewOf(read.tensor), {}});
    }
  return reads;
}

/// Walks dimensions further outwards as one with these until no tile is cut off.
static void extend(TiledDims &dims, ArrayRef<int64_t> shape, unsigned first, int64_t side) {
  while (dims.begin > first && dims.size % side)
    dims.size *= shape[--dims.begin];
}

/// As many elements as an access may have, so that all accesses of a read are aligned.
static int64_t countAligned(const TiledRead &tiled, unsigned row, int64_t rows, TargetAttr target) {
  int64_t all = rows | tiled.view.offset;
  all |= cast<MemRefType>(tiled.view.buffer.getType()).getNumElements();
  for (auto [dim, stride] : llvm::enumerate(tiled.read.strides))
    if (dim != row)
      all |= stride;
  int64_t most = target.getLanes(getElementTypeOrSelf(tiled.read.tensor));
  return std::min(most, all & -all);
}

//===--- Sizes ------------------------------------------------------------===//

namespace {
class Chooser {
public:
  Chooser(Scalarizer &s, const Task &task)
      : s(s), task(task), target(s.target), warp(target.getWarpThreads()),
        shape(shapeOf(task.roots.front().value)) {}

  std::optional<TilePlan> choose() {
    if (shape.size() < 2 || llvm::product_of(shape) == 0)
      return std::nullopt;
    std::optional<unsigned> dim = chooseReads();
    if (!dim)
      return std::nullopt;
    unsigned last = shape.size() - 1;
    plan.rows = {*dim, *dim + 1, shape[*dim]};
    plan.columns = {last, last + 1, shape[last]};
    for (TiledRead &read : plan.reads)
      shapeRead(read, *dim);
    extend(plan.rows, shape, 0, plan.rows.side);
    extend(plan.columns, shape, *dim + 1, warp);
    shapeResults();
    fitMemory();
    return isWorthwhile() ? std::optional(plan) : std::nullopt;
  }

private:
  /// The dimension along which most is read transposed.
  std::optional<unsigned> chooseReads() {
    std::optional<unsigned> best;
    int64_t most = 0;
    for (unsigned dim = 0; dim + 1 < shape.size(); ++dim) {
      std::vector<TiledRead> reads = findTransposed(s, task, dim);
      int64_t bytes = 0;
      for (const TiledRead &read : reads)
        bytes += bytesOf(read);
      if (bytes <= most)
        continue;
      most = bytes;
      best = dim;
      plan.reads = std::move(reads);
    }
    return best;
  }

  /// Threads along a row of a tile: as many as access all banks.
  int64_t countAlong(const TiledRead &read, int64_t vector) {
    return std::min(warp, countBankBytes(target) / (vector * bytesOf(read)));
  }

  void shapeRead(TiledRead &read, unsigned dim) {
    int64_t vector = countAligned(read, dim, shape[dim], target);
    auto covered = [&](int64_t vector) { return vector * countAlong(read, vector); };
    // Shorter accesses where so many would be behind the end.
    int64_t most = llvm::product_of(shape.take_front(dim + 1));
    for (int64_t less = vector / 2; less > 0; less /= 2)
      if (covered(less) >= most && covered(less) < covered(vector))
        vector = less;
    read.warp = {vector, countAlong(read, vector), countAlong(read, vector)};
    plan.rows.side = std::max(plan.rows.side, covered(vector));
  }

  /// A warp writes as many columns as it has threads, which fill the sectors of elements of any
  /// size.
  void shapeResults() {
    int64_t vector = countLanes(), widest = wordBytes;
    for (const TiledRead &read : plan.reads)
      widest = std::max(widest, bytesOf(read));
    plan.warp = {vector, warp / vector, countBankBytes(target) / widest / vector};
    // Lines of results as long as those of the operands, if there are as many columns.
    plan.columns.side = warp;
    for (const Root &root : task.roots) {
      int64_t line = countBankBytes(target) / elementBytes(getElementTypeOrSelf(root.dest));
      plan.columns.side = std::max(plan.columns.side, std::min(line, warp * vector));
    }
    while (plan.columns.side / 2 >= std::max(warp, plan.columns.size))
      plan.columns.side /= 2;
  }

  /// As many elements of a result as an access has bytes for of the widest type that is accessed
  /// along the columns, so that accesses of neighbouring threads are beside each other.
  int64_t countLanes() {
    int64_t widest = 1;
    for (const Root &root : task.roots) {
      widest = std::max(widest, elementBytes(getElementTypeOrSelf(root.dest)));
      for (const LocalRead &read : findReads(root.value))
        if (read.strides.back() == 1)
          widest = std::max(widest, elementBytes(getElementTypeOrSelf(read.tensor)));
    }
    int64_t lanes = std::max<int64_t>(1, target.getVectorBytes() / widest);
    while (shape.back() % lanes)
      lanes /= 2;
    return lanes;
  }

  /// A multiprocessor has the memory of the largest block, or little more, for up to twice as many
  /// threads as a block can have.
  void fitMemory() {
    chooseTeam();
    auto isTooLarge = [&] {
      int64_t share = target.getSharedBytes() * plan.team / (2 * target.getBlockThreads());
      return plan.countSharedBytes() > share;
    };
    while (plan.columns.side > warp && isTooLarge()) {
      plan.columns.side /= 2;
      chooseTeam();
    }
    while (plan.countSharedBytes() > Launch::mostShared)
      plan.reads.pop_back();
  }

  void chooseTeam() {
    int64_t vector = plan.warp.vector;
    for (const TiledRead &read : plan.reads)
      vector = std::max(vector, read.warp.vector);
    plan.team = std::min(Launch::looseThreads, plan.rows.side * plan.columns.side / vector);
  }

  bool isWorthwhile() {
    if (plan.reads.empty() || plan.team <= warp)
      return false;
    return plan.getPadding() < countTouched();
  }

  /// How many times the sectors that the operands fill single elements touch: each thread of a warp
  /// one for each of its elements. But a sector has no more elements than a row, and the rows of
  /// few columns are read together.
  double countTouched() {
    int64_t widest = 1, sector = target.getLineBytes();
    for (const TiledRead &read : plan.reads)
      widest = std::max(widest, bytesOf(read));
    double most = double(sector) / double(widest);
    double ofColumns = most * double(plan.columns.size) / double(warp);
    return std::min({most, double(shape[plan.rows.end - 1]), std::max(1.0, ofColumns)});
  }

  Scalarizer &s;
  const Task &task;
  TargetAttr target;
  int64_t warp;
  ArrayRef<int64_t> shape;
  TilePlan plan;
};
} // namespace

std::optional<TilePlan> codegen::chooseTiles(Scalarizer &s, const Task &task) {
  return Chooser(s, task).choose();
}
