//===- Matmul.cpp - Contractions as blocked matrix products ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Matmul/Matmul.h"
#include "dmc/Runtime/ContractionPlan.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>

using namespace dmc;
using namespace dmc::runtime;
using namespace dmc::runtime::matmul;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

// Block sizes follow the smallest caches of the processors that a program may meet, 32 KB and
// 512 KB of a core and 8 MB of all of them: a panel of the right operand takes half of the first
// cache and a block of the left operand a quarter of the second. Blocks of the right operand are
// read panel by panel: those of all threads take a quarter of the last cache.
static constexpr int64_t firstCacheBytes = 32 << 10, secondCacheBytes = 512 << 10,
                         lastCacheBytes = 8 << 20;
static constexpr int64_t lineBytes = 64;
/// What all threads share, a left operand that is packed once or partial sums of slices.
static constexpr int64_t mostSharedBytes = lastCacheBytes / 2;

/// The type that sums are computed in. Those of integers are exact modulo a power of two, of which
/// narrower results keep the low bits.
static uint32_t sumTypeOf(const dmc_contraction &contraction) {
  if (!isFloat(contraction.c_type))
    return elementBytes(contraction.c_type) > 4 ? DMC_UI64 : DMC_UI32;
  bool isDouble = contraction.a_type == DMC_F64 || contraction.b_type == DMC_F64 ||
                  contraction.c_type == DMC_F64;
  return isDouble ? DMC_F64 : DMC_F32;
}

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }
static int64_t roundDown(int64_t a, int64_t b) { return std::max(b, a / b * b); }

static int64_t runOf(const std::vector<int64_t> &sizes, const std::vector<int64_t> &strides) {
  int64_t run = 1;
  for (size_t i = sizes.size(); i > 0 && strides[i - 1] == run; --i)
    run *= sizes[i - 1];
  return run;
}

int64_t Extent::operandRun() const { return runOf(sizes, operand); }
int64_t Extent::resultRun() const { return runOf(sizes, result); }

/// Batches of the innermost loop over them that share cache lines of an operand: these are computed
/// together, block by block, so that each line is fetched once. As many as fill 16 lines, which
/// are fetched ahead.
int64_t Matmul::countInterleaved() const {
  if (batchSizes_.empty())
    return 1;
  int64_t count = 1;
  for (int64_t stride : {batchLeft_.back(), batchRight_.back()})
    if (stride > 0 && stride * sumBytes_ <= lineBytes)
      count = std::max(count, 16 * lineBytes / (stride * sumBytes_));
  return std::min(count, batchSizes_.back());
}

/// Whether the right operand is used too seldom to be packed, by less than a panel of rows, and
/// lies as the product reads it: columns or steps of the sum next to each other.
bool Matmul::canReadInPlace() const {
  return rows_.size < kernels_->rows && types_[1] == sumType_ && batchChunk_ == 1 &&
         (hasAdjacentColumns() || runOf(stepSizes_, stepRight_) == steps_);
}

/// Whether all columns of the right operand lie next to each other, and are more than one.
bool Matmul::hasAdjacentColumns() const {
  return columns_.size > 1 && columns_.operandRun() == columns_.size;
}

/// Chooses how sums are divided, by the shape alone: all else leaves their order.
void Matmul::divideSums() {
  // Sums are read and written for every block of steps, and their lines are waited for. A panel of
  // the right operand stays in half of the first cache, but where twelve rows are computed from
  // each of its vectors: these take longer than the second cache to deliver the next one, and
  // blocks may be as long as the panels of the left operand stay in the first cache.
  constexpr int64_t manyRows = 12;
  int64_t panel = kernels_->rows >= manyRows ? kernels_->rows : kernels_->columns;
  int64_t most = firstCacheBytes / 2 / (panel * sumBytes_);
  batchChunk_ = countInterleaved();
  readsInPlace_ = canReadInPlace();
  if (readsInPlace_) // rows of the left operand instead
    most = firstCacheBytes / 2 / (rows_.size * sumBytes_);
  if (batchChunk_ > 1) // what a block reads of all of them stays in half of the second cache
    most = std::min(most, std::max<int64_t>(8, secondCacheBytes / 2 /
                                                   (batchChunk_ * sumBytes_ *
                                                    (batchLeft_.back() + batchRight_.back()))));
  stepBlock_ = ceilDiv(steps_, ceilDiv(steps_, most));
  // Long sums of few results, as gradients of weights are: slices of the sum are tasks of their
  // own, as many as give each of many threads some.
  constexpr int64_t enough = 16, largeTile = 256;
  int64_t tiles =
      ceilDiv(rows_.size, largeTile) * ceilDiv(columns_.size, largeTile) * (batches_ / batchChunk_);
  int64_t results = rows_.size * columns_.size * batches_;
  int64_t blocks = ceilDiv(steps_, stepBlock_);
  slices_ = std::min({ceilDiv(enough, tiles), blocks / 2, mostSharedBytes / (results * sumBytes_)});
  slices_ = std::max<int64_t>(slices_, 1);
  slice_ = ceilDiv(blocks, slices_) * stepBlock_;
  slices_ = ceilDiv(steps_, slice_);
}

double Matmul::panelCycles(int64_t rows, int64_t columns) const {
  // A step of a panel's product multiplies, loads, and waits for the sums of the step before.
  auto panel = [&](int64_t rows, int64_t columns) {
    auto vectors = static_cast<double>(ceilDiv(columns, kernels_->lanes));
    double loads = static_cast<double>(rows) / 2 + vectors;
    return std::max({static_cast<double>(rows) * vectors, loads, 5.0});
  };
  auto row = [&](int64_t rows) {
    int64_t full = columns / kernels_->columns, rest = columns % kernels_->columns;
    return static_cast<double>(full) * panel(rows, kernels_->columns) +
           (rest ? panel(rows, rest) : 0);
  };
  int64_t full = rows / kernels_->rows, rest = rows % kernels_->rows;
  return static_cast<double>(full) * row(kernels_->rows) + (rest ? row(rest) : 0);
}

/// Cycles to start a task, or a round of them.
static constexpr double callCycles = 1000;

/// Cycles to write an element to the last cache or to memory and read it again: 8 bytes, of which a
/// core moves about 4 in a cycle.
static constexpr double farCycles = 2;

/// Cycles to pack an element, by how many rows and how many steps lie next to each other.
static double packCost(int64_t rowRun, int64_t stepRun, int64_t width) {
  if (rowRun >= width)
    return 0.5;
  if (rowRun % 4 == 0)
    return 0.8;
  return stepRun % 4 == 0 ? 1 : 2;
}

/// Cycles to pack the left operand for all tasks.
double Matmul::leftCycles() const {
  return (packCost(rows_.operandRun(), runOf(stepSizes_, stepLeft_), kernels_->rows) + farCycles) *
         static_cast<double>(rows_.size * steps_);
}

/// Cycles of a task that reads the right operand where it is: a vector is loaded and multiplied for
/// each row, and its sums are loaded and stored for every fourth. Rows of adjacent columns begin
/// with lines that are not fetched ahead: four at a time wait for memory, about 250 cycles.
double Matmul::inPlaceCycles(int64_t rows, int64_t columns) const {
  double step = 1.5 * static_cast<double>(rows * columns) / static_cast<double>(kernels_->lanes);
  if (hasAdjacentColumns())
    step += 250.0 / 4;
  return step * static_cast<double>(std::min(slice_, steps_));
}

/// Cycles of a task with tiles of that size, which packs its part of the left operand unless that
/// is done.
double Matmul::taskCycles(int64_t rows, int64_t columns, bool packsLeft) const {
  double left =
      packsLeft ? 0 : packCost(rows_.operandRun(), runOf(stepSizes_, stepLeft_), kernels_->rows);
  if (readsInPlace_)
    return inPlaceCycles(rows, columns) + callCycles;
  double right = packCost(columns_.operandRun(), runOf(stepSizes_, stepRight_), kernels_->columns);
  if (columns * stepBlock_ * sumBytes_ > secondCacheBytes / 2)
    right += farCycles;
  double cycles = panelCycles(rows, columns) + left * static_cast<double>(rows) +
                  right * static_cast<double>(columns);
  cycles *= static_cast<double>(std::min(slice_, steps_));
  if (!isDirect())
    cycles += static_cast<double>(rows * columns) *
              (columns_.resultRun() % 4 == 0 || rows_.resultRun() % 4 == 0 ? 1 : 3);
  // Every block of steps adds to the sums of the one before, in the second cache if they fit there
  // beside blocks of the operands.
  if (rows * columns * sumBytes_ > secondCacheBytes / 4)
    cycles += farCycles * static_cast<double>(rows * columns *
                                              (ceilDiv(std::min(slice_, steps_), stepBlock_) - 1));
  return (cycles + callCycles) * static_cast<double>(batchChunk_);
}

/// Whether all batches use the same left operand, and it is not too large.
bool Matmul::canPackLeft() const {
  return !readsInPlace_ && std::all_of(batchLeft_.begin(), batchLeft_.end(), [](int64_t stride) {
    return !stride;
  }) && rows_.size * steps_ * sumBytes_ <= mostSharedBytes;
}

Matmul::Tile Matmul::largestTile(int threads) const {
  int64_t line = stepBlock_ * sumBytes_;
  int64_t mostColumns = roundDown(secondCacheBytes / 2 / line, kernels_->columns);
  // A packed block of the right operand serves several blocks of the left one.
  int64_t mostRows = 4 * rowBlock_;
  if (batchChunk_ > 1) {
    // What a tile reads of all batches stays in half of the second cache.
    auto limit = [&](int64_t &most, int64_t stride, int64_t multiple) {
      if (stride > 0)
        most = std::min(
            most, roundDown(secondCacheBytes / 2 / (batchChunk_ * stride * sumBytes_), multiple));
    };
    limit(mostRows, batchLeft_.back(), kernels_->rows);
    limit(mostColumns, batchRight_.back(), kernels_->columns);
  } else if (readsInPlace_) {
    mostColumns = roundUp(columns_.size, kernels_->columns);
  } else if (isDirect()) {
    mostColumns =
        std::max(mostColumns, roundDown(lastCacheBytes / 4 / threads / line, kernels_->columns));
    mostRows *= 8;
  }
  // Sums that are stored from scratch stay in the second cache.
  if (!isDirect())
    while (mostRows * mostColumns * sumBytes_ > secondCacheBytes / 2 && mostRows > kernels_->rows)
      mostRows = roundDown(mostRows / 2, kernels_->rows);
  return {mostRows, mostColumns};
}

void Matmul::setTiles(int threads) {
  rowBlock_ = roundDown(secondCacheBytes / 4 / (stepBlock_ * sumBytes_), kernels_->rows);
  auto [mostRows, mostColumns] = largestTile(threads);
  // Of the divisions into tiles, the one that ends first: whole rounds of tasks for all threads,
  // and a part of a task more, by which threads differ.
  constexpr int64_t mostParts = 16;
  constexpr double differs = 0.25;
  int64_t rowParts = ceilDiv(rows_.size, mostRows),
          columnParts = ceilDiv(columns_.size, mostColumns);
  int64_t chunks = ceilDiv(batches_, batchChunk_) * slices_;
  cost_ = -1;
  auto consider = [&](int64_t rows, int64_t columns, bool packsLeft) {
    int64_t tasks = ceilDiv(rows_.size, rows) * ceilDiv(columns_.size, columns) * chunks;
    double cost =
        taskCycles(std::min(rows, rows_.size), std::min(columns, columns_.size), packsLeft) *
        (static_cast<double>(ceilDiv(tasks, threads)) + (threads > 1 ? differs : 0));
    if (packsLeft)
      cost += leftCycles() / threads + callCycles;
    if (cost_ >= 0 && cost >= cost_)
      return;
    cost_ = cost;
    rowTile_ = rows;
    columnTile_ = columns;
    packsLeft_ = packsLeft;
  };
  for (int64_t i = rowParts; i < rowParts + mostParts && i <= rows_.size; ++i)
    for (int64_t j = columnParts; j < columnParts + mostParts && j <= columns_.size; ++j) {
      int64_t rows = roundUp(ceilDiv(rows_.size, i), kernels_->rows);
      int64_t columns = roundUp(ceilDiv(columns_.size, j), kernels_->columns);
      consider(rows, columns, false);
      if (canPackLeft())
        consider(rows, columns, true);
    }
  rowTiles_ = ceilDiv(rows_.size, rowTile_);
  columnTiles_ = ceilDiv(columns_.size, columnTile_);
  batchChunks_ = ceilDiv(batches_, batchChunk_);
}

/// Whether results are summed where they belong, or where partial sums do: rows of a tile are
/// contiguous there.
bool Matmul::isDirect() const {
  return slices_ > 1 || (types_[2] == sumType_ && columns_.resultRun() == columns_.size);
}

size_t Matmul::scratchOf(const Tile &tile, bool packsLeft) const {
  int64_t kept = steps_ > stepBlock_ ? batchChunk_ : 1;
  int64_t sums = isDirect() ? 0 : tile.rows * tile.columns * kept;
  int64_t left = packsLeft ? 0 : std::min(rowBlock_, tile.rows) * stepBlock_,
          right = readsInPlace_ ? 0 : tile.columns * stepBlock_;
  int64_t offsets =
      std::max(3 * tile.rows, packsLeft ? rowBlock_ : 0) + 2 * tile.columns + 2 * stepBlock_;
  return static_cast<size_t>(
      roundUp(left * sumBytes_, lineBytes) + roundUp(right * sumBytes_, lineBytes) +
      roundUp(sums * sumBytes_, lineBytes) + roundUp(offsets * 8, lineBytes));
}

size_t Matmul::scratchBytes() const { return scratchOf({rowTile_, columnTile_}, packsLeft_); }

ContractionScratch Matmul::mostScratch(const dmc_contraction &contraction) {
  ContractionScratch most;
  for (auto kernelsOf : {baseKernels, avx2Kernels, avx512Kernels}) {
    std::optional<Matmul> plan = Matmul::plan(contraction, *kernelsOf(sumTypeOf(contraction)));
    if (!plan)
      return {};
    // More threads have smaller tiles.
    Tile tile = plan->largestTile(1);
    tile.rows = std::min(tile.rows, roundUp(plan->rows_.size, plan->kernels_->rows));
    tile.columns = std::min(tile.columns, roundUp(plan->columns_.size, plan->kernels_->columns));
    size_t thread = plan->scratchOf(tile, false), packed = 0;
    if (plan->canPackLeft()) {
      thread = std::max(thread, plan->scratchOf(tile, true));
      packed = static_cast<size_t>(plan->rows_.size * plan->steps_ * plan->sumBytes_);
    }
    most.perThread = std::max(most.perThread, static_cast<int64_t>(thread));
    most.shared = std::max(most.shared, roundUp(static_cast<int64_t>(packed), lineBytes) +
                                            static_cast<int64_t>(plan->partialBytes()));
  }
  return most;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static Extent extentOf(std::vector<ContractionLoop> loops, bool isOfB, bool byResult) {
  sortDescending(loops, [&](const ContractionLoop &loop) {
    return byResult ? loop.c : isOfB ? loop.b : loop.a;
  });
  Extent extent;
  for (const ContractionLoop &loop : loops) {
    extent.sizes.push_back(loop.size);
    extent.operand.push_back(isOfB ? loop.b : loop.a);
    extent.result.push_back(loop.c);
    extent.size *= loop.size;
  }
  return extent;
}

std::optional<Matmul> Matmul::plan(const dmc_contraction &contraction, int threads) {
  std::optional<Matmul> best = plan(contraction, kernelsFor(sumTypeOf(contraction)));
  if (best) {
    best->setTiles(threads);
    best->threads_ = threads;
  }
  return best;
}

/// The plan for one thread: what is chosen beside tiles must not depend on their number.
std::optional<Matmul> Matmul::plan(const dmc_contraction &contraction, const Kernels &kernels) {
  ContractionLoops loops = simplify(loopsOf(contraction));
  // Tasks write different elements.
  for (const auto *role : {&loops.batch, &loops.m, &loops.n})
    for (const ContractionLoop &loop : *role)
      if (loop.c == 0)
        return std::nullopt;
  uint32_t types[3] = {contraction.a_type, contraction.b_type, contraction.c_type};
  Matmul base;
  base.accumulates_ = contraction.accumulate;
  base.sumType_ = sumTypeOf(contraction);
  // The sign matters only where an integer is extended.
  for (uint32_t &type : types)
    if (!isFloat(type) && elementBytes(type) == elementBytes(base.sumType_))
      type = base.sumType_;
  base.sumBytes_ = static_cast<int64_t>(elementBytes(base.sumType_));
  base.kernels_ = &kernels;
  // The sum runs in the order of the buffer that is contiguous along it; which one depends on
  // the shape alone.
  sortDescending(loops.k, [](const auto &loop) { return std::min(loop.a, loop.b); });
  sortDescending(loops.batch, [](const auto &loop) { return loop.c; });
  std::optional<Matmul> best;
  for (unsigned choice = 0; choice < 8; ++choice) {
    Matmul plan = base;
    plan.isSwapped_ = choice & 1;
    plan.rows_ = extentOf(plan.isSwapped_ ? loops.n : loops.m, plan.isSwapped_, choice & 2);
    plan.columns_ = extentOf(plan.isSwapped_ ? loops.m : loops.n, !plan.isSwapped_, choice & 4);
    plan.types_[0] = types[plan.isSwapped_ ? 1 : 0];
    plan.types_[1] = types[plan.isSwapped_ ? 0 : 1];
    plan.types_[2] = types[2];
    for (const ContractionLoop &loop : loops.k) {
      plan.stepSizes_.push_back(loop.size);
      plan.stepLeft_.push_back(plan.isSwapped_ ? loop.b : loop.a);
      plan.stepRight_.push_back(plan.isSwapped_ ? loop.a : loop.b);
      plan.steps_ *= loop.size;
    }
    for (const ContractionLoop &loop : loops.batch) {
      plan.batchSizes_.push_back(loop.size);
      plan.batchLeft_.push_back(plan.isSwapped_ ? loop.b : loop.a);
      plan.batchRight_.push_back(plan.isSwapped_ ? loop.a : loop.b);
      plan.batchResult_.push_back(loop.c);
      plan.batches_ *= loop.size;
    }
    plan.divideSums();
    plan.setTiles(1);
    if (!best || plan.cost_ < best->cost_)
      best = std::move(plan);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// Offsets of the positions first .. first + count - 1.
static void fillOffsets(const std::vector<int64_t> &sizes, const std::vector<int64_t> &strides,
                        int64_t first, int64_t count, int64_t *offsets) {
  if (sizes.empty()) {
    std::fill(offsets, offsets + count, 0);
    return;
  }
  size_t inner = sizes.size() - 1;
  for (int64_t done = 0; done < count;) {
    int64_t rest = (first + done) / sizes[inner], at = (first + done) % sizes[inner], base = 0;
    for (size_t d = inner; d-- > 0; rest /= sizes[d])
      base += rest % sizes[d] * strides[d];
    for (; at < sizes[inner] && done < count; ++at, ++done)
      offsets[done] = base + at * strides[inner];
  }
}

void Matmul::run(int64_t task, const Buffers &buffers, void *scratch) const {
  // Batches vary fastest: neighbours share cache lines where they are not contiguous. Then slices:
  // their operands are not shared.
  int64_t chunk = task % batchChunks_, rest = task / batchChunks_;
  int64_t firstColumn = rest % columnTiles_ * columnTile_;
  rest /= columnTiles_;
  int64_t firstRow = rest % rowTiles_ * rowTile_, slice = rest / rowTiles_;
  int64_t numRows = std::min(rowTile_, rows_.size - firstRow);
  int64_t numColumns = std::min(columnTile_, columns_.size - firstColumn);
  int64_t firstBatch = chunk * batchChunk_;
  int64_t numBatches = std::min(batchChunk_, batches_ - firstBatch);

  auto *offsets = static_cast<int64_t *>(scratch);
  auto next = [&](int64_t count) {
    int64_t *list = offsets;
    offsets += count;
    return list;
  };
  int64_t *rowsLeft = next(rowTile_), *rowsResult = next(rowTile_), *rowsSums = next(rowTile_);
  int64_t *columnsRight = next(columnTile_), *columnsResult = next(columnTile_);
  int64_t *stepsLeft = next(stepBlock_), *stepsRight = next(stepBlock_);
  fillOffsets(rows_.sizes, rows_.operand, firstRow, numRows, rowsLeft);
  fillOffsets(columns_.sizes, columns_.operand, firstColumn, numColumns, columnsRight);
  fillOffsets(rows_.sizes, rows_.result, firstRow, numRows, rowsResult);
  fillOffsets(columns_.sizes, columns_.result, firstColumn, numColumns, columnsResult);

  uint8_t *memory = static_cast<uint8_t *>(scratch) +
                    roundUp((offsets - static_cast<int64_t *>(scratch)) * 8, lineBytes);
  uint8_t *left = memory;
  uint8_t *right =
      packsLeft_
          ? left
          : left + roundUp(std::min(rowBlock_, rowTile_) * stepBlock_ * sumBytes_, lineBytes);
  uint8_t *sums =
      right + (readsInPlace_ ? 0 : roundUp(columnTile_ * stepBlock_ * sumBytes_, lineBytes));
  const void *leftBase = isSwapped_ ? buffers.b : buffers.a;
  const void *rightBase = isSwapped_ ? buffers.a : buffers.b;
  auto at = [](const void *base, uint32_t type, int64_t offset) {
    return static_cast<const uint8_t *>(base) + offset * static_cast<int64_t>(elementBytes(type));
  };
  // Where the sums of a batch are while they are not complete, and whether there is more than one
  // step.
  enum {
    InResult,
    InPartial,
    InScratch
  } where = slices_ > 1  ? InPartial
            : isDirect() ? InResult
                         : InScratch;
  int64_t stride = where == InPartial ? columns_.size : columnTile_;
  for (int64_t i = 0; i < numRows; ++i)
    rowsSums[i] = where == InResult ? rowsResult[i] : i * stride;
  int64_t lastStep = std::min(steps_, (slice + 1) * slice_);
  for (int64_t step = slice * slice_; step < lastStep; step += stepBlock_) {
    int64_t steps = std::min(stepBlock_, lastStep - step);
    bool isFirst = step == slice * slice_, isLast = step + steps == lastStep;
    fillOffsets(stepSizes_, stepLeft_, step, steps, stepsLeft);
    fillOffsets(stepSizes_, stepRight_, step, steps, stepsRight);
    for (int64_t i = 0; i < numBatches; ++i) {
      int64_t batchLeft, batchRight, batchResult;
      fillOffsets(batchSizes_, batchLeft_, firstBatch + i, 1, &batchLeft);
      fillOffsets(batchSizes_, batchRight_, firstBatch + i, 1, &batchRight);
      fillOffsets(batchSizes_, batchResult_, firstBatch + i, 1, &batchResult);
      void *target;
      if (where == InResult)
        target = const_cast<uint8_t *>(at(buffers.c, types_[2], batchResult + columnsResult[0]));
      else if (where == InPartial)
        target = const_cast<uint8_t *>(
            at(buffers.partial, sumType_,
               ((slice * batches_ + firstBatch + i) * rows_.size + firstRow) * columns_.size +
                   firstColumn));
      else
        target = sums + (isFirst && isLast ? 0 : i) * rowTile_ * columnTile_ * sumBytes_;
      Elements rightBlock = {at(rightBase, types_[1], batchRight),
                             types_[1],
                             columnsRight,
                             stepsRight,
                             numColumns,
                             steps};
      if (readsInPlace_) {
        Elements leftRows = {
            at(leftBase, types_[0], batchLeft), types_[0], stepsLeft, rowsLeft, steps, numRows};
        kernels_->pack(leftRows, steps, 1, left);
        kernels_->multiplyInPlace(left, numRows, rightBlock, hasAdjacentColumns(), target, rowsSums,
                                  !isFirst || (where == InResult && accumulates_));
      } else {
        kernels_->pack(rightBlock, kernels_->columns, kernels_->lanes, right);
        for (int64_t row = 0; row < numRows; row += rowBlock_) {
          int64_t rows = std::min(rowBlock_, numRows - row);
          const uint8_t *block = left;
          if (packsLeft_) {
            block = static_cast<uint8_t *>(buffers.packed) +
                    packedOffset(firstRow + row, step, steps) * sumBytes_;
          } else {
            Elements leftBlock = {at(leftBase, types_[0], batchLeft),
                                  types_[0],
                                  rowsLeft + row,
                                  stepsLeft,
                                  rows,
                                  steps};
            kernels_->pack(leftBlock, kernels_->rows, 1, left);
          }
          kernels_->multiply(steps, block, rows, right, numColumns, target, rowsSums + row,
                             !isFirst || (where == InResult && accumulates_));
        }
      }
      if (where == InScratch && isLast)
        kernels_->store(target, stride,
                        {const_cast<uint8_t *>(at(buffers.c, types_[2], batchResult)), types_[2],
                         rowsResult, columnsResult, numRows, numColumns, accumulates_});
    }
  }
}

int64_t Matmul::numPackTasks() const {
  return packsLeft_ ? ceilDiv(steps_, stepBlock_) * ceilDiv(rows_.size, rowBlock_) : 0;
}

size_t Matmul::packedBytes() const {
  return packsLeft_ ? static_cast<size_t>(rows_.size * steps_ * sumBytes_) : 0;
}

/// Blocks of steps lie one after the other, and in each the panels of all rows.
int64_t Matmul::packedOffset(int64_t row, int64_t step, int64_t stepsOfBlock) const {
  return rows_.size * step + row * stepsOfBlock;
}

void Matmul::pack(int64_t task, const Buffers &buffers, void *scratch) const {
  int64_t rowBlocks = ceilDiv(rows_.size, rowBlock_);
  int64_t row = task % rowBlocks * rowBlock_, step = task / rowBlocks * stepBlock_;
  int64_t rows = std::min(rowBlock_, rows_.size - row), steps = std::min(stepBlock_, steps_ - step);
  auto *rowOffsets = static_cast<int64_t *>(scratch), *stepOffsets = rowOffsets + rows;
  fillOffsets(rows_.sizes, rows_.operand, row, rows, rowOffsets);
  fillOffsets(stepSizes_, stepLeft_, step, steps, stepOffsets);
  kernels_->pack(
      {isSwapped_ ? buffers.b : buffers.a, types_[0], rowOffsets, stepOffsets, rows, steps},
      kernels_->rows, 1,
      static_cast<uint8_t *>(buffers.packed) + packedOffset(row, step, steps) * sumBytes_);
}

int64_t Matmul::numFinalTasks() const { return slices_ > 1 ? batches_ * rowTiles_ : 0; }

void Matmul::finish(int64_t task, const Buffers &buffers, void *scratch) const {
  int64_t batch = task / rowTiles_, firstRow = task % rowTiles_ * rowTile_;
  int64_t numRows = std::min(rowTile_, rows_.size - firstRow);
  auto *rowsResult = static_cast<int64_t *>(scratch), *columnsResult = rowsResult + rowTile_;
  fillOffsets(rows_.sizes, rows_.result, firstRow, numRows, rowsResult);
  int64_t batchResult;
  fillOffsets(batchSizes_, batchResult_, batch, 1, &batchResult);
  auto *sums = static_cast<uint8_t *>(buffers.partial) +
               (batch * rows_.size + firstRow) * columns_.size * sumBytes_;
  kernels_->sum(sums, slices_, batches_ * rows_.size * columns_.size, numRows * columns_.size);
  for (int64_t column = 0; column < columns_.size; column += columnTile_) {
    int64_t numColumns = std::min(columnTile_, columns_.size - column);
    fillOffsets(columns_.sizes, columns_.result, column, numColumns, columnsResult);
    kernels_->store(sums + column * sumBytes_, columns_.size,
                    {static_cast<uint8_t *>(buffers.c) +
                         batchResult * static_cast<int64_t>(elementBytes(types_[2])),
                     types_[2], rowsResult, columnsResult, numRows, numColumns, accumulates_});
  }
}

size_t Matmul::partialBytes() const {
  return slices_ > 1
             ? static_cast<size_t>(slices_ * batches_ * rows_.size * columns_.size * sumBytes_)
             : 0;
}
