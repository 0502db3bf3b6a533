//===- Elements.cpp - Nests over the elements of results ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a result reads along another dimension than it is written along is transposed tile by tile
// into a buffer of the thread, in registers; the tile is then computed as if it had lain there.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Buffers.h"
#include "Kernel/KernelTasks.h"
#include "Kernel/Locality.h"
#include "Kernel/RowTask.h"
#include "Kernel/RunWriter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

/// A tile of a nest: `rows` indices of a dimension by `columns` of the last one.
struct Tile {
  unsigned dim;
  int64_t rows, columns;
};

/// What is transposed into a buffer for each tile.
struct Transposed {
  LocalRead read;
  StridedView view;
  Value stage;
};

class TransposingNest {
public:
  TransposingNest(Scalarizer &s, const Task &task, unsigned dim) : s(s), task(task) {
    shape = shapeOf(task.roots.front().value);
    size_t contiguous = 0;
    for (const Root &root : task.roots)
      for (LocalRead &read : findReads(root.value)) {
        contiguous += read.strides.back() == 1 && read.strides[dim];
        if (isTransposed(read, dim) && canStage(read))
          reads.push_back({read, *viewOf(read.tensor), {}});
      }
    walksRows = reads.size() > contiguous;
    tile.dim = dim;
    choose();
    for (Transposed &read : reads)
      read.stage = s.scratch({tile.rows, tile.columns}, getElementTypeOrSelf(read.read.tensor));
  }

  void emit() {
    s.plan.kind = NestKind::transpose;
    SmallVector<const Root *> roots;
    for (const Root &root : task.roots)
      roots.push_back(&root);
    RunWriter writer(s, task, roots);
    SmallVector<int64_t> tiles(shape);
    tiles[tile.dim] = llvm::divideCeil(shape[tile.dim], tile.rows);
    tiles.back() = llvm::divideCeil(shape.back(), tile.columns);
    // Exchanges the order of the loops, which is that of the dimensions.
    auto reorder = [&](auto &dims) {
      if (walksRows)
        std::swap(dims[tile.dim], dims.back());
    };
    reorder(tiles);
    s.divide(tiles, tile.rows * tile.columns, /*isContiguous=*/false, [&](ArrayRef<Index> walked) {
      Indices numbers(walked);
      reorder(numbers);
      // The last tiles may be cut off.
      Value condition;
      auto isUncut = [&](const Index &number, int64_t length, int64_t size) {
        return s.within(number, 0, size / length, condition) != std::optional<bool>(false);
      };
      bool mayBeUncut = isUncut(numbers[tile.dim], tile.rows, shape[tile.dim]) &&
                        isUncut(numbers.back(), tile.columns, shape.back());
      if (!mayBeUncut)
        return rest(writer, numbers);
      if (!condition)
        return whole(writer, numbers);
      s.choose(
          condition, {},
          [&] {
            whole(writer, numbers);
            return SmallVector<Value>();
          },
          [&] {
            rest(writer, numbers);
            return SmallVector<Value>();
          });
    });
  }

private:
  /// Whether each dimension of a read is one of the nest's, and those of the tile are of different
  /// dimensions. Booleans are bytes in memory but not in registers.
  bool canStage(const LocalRead &read) const {
    Type type = getElementTypeOrSelf(read.tensor);
    return !type.isInteger(1) && !type.isIndex() && !llvm::is_contained(read.dims, -1) &&
           llvm::none_of(reads,
                         [&](const Transposed &other) { return other.read.tensor == read.tensor; });
  }

  /// Tiles fill half of a first cache of 32 KB: the other half is for what else is read and
  /// written. They are squares where nothing but the results is contiguous along the rows. Where
  /// operands are, too, tiles are wide: memory is fetched ahead along a row the better the longer
  /// it goes on, and of each transposed column two lines, which are fetched together, are enough.
  void choose() {
    constexpr int64_t budget = int64_t(16) << 10;
    int64_t widest = 1, narrowest = 16, count = std::max<int64_t>(1, reads.size());
    for (const Transposed &read : reads) {
      int64_t bytes = elementBytes(getElementTypeOrSelf(read.read.tensor));
      widest = std::max(widest, bytes);
      narrowest = std::min(narrowest, bytes);
    }
    int64_t elements = llvm::bit_floor<uint64_t>(budget / (count * widest));
    int64_t rows = int64_t(1) << (llvm::Log2_64(elements) / 2);
    if (!walksRows)
      rows = std::min(rows, 2 * s.target.getLineBytes() / narrowest);
    tile.rows = std::min<int64_t>(rows, llvm::bit_floor<uint64_t>(shape[tile.dim]));
    tile.columns = std::min<int64_t>(elements / rows, llvm::bit_floor<uint64_t>(shape.back()));
  }

  void whole(RunWriter &writer, ArrayRef<Index> numbers) {
    Indices origin(numbers);
    origin[tile.dim] = s.scale(numbers[tile.dim], tile.rows);
    origin.back() = s.scale(numbers.back(), tile.columns);
    for (const Transposed &read : reads) {
      transpose(read, origin);
      Indices first;
      SmallVector<unsigned> dims(2);
      for (auto [position, dim] : llvm::enumerate(read.read.dims)) {
        first.push_back(origin[dim]);
        if (dim == tile.dim)
          dims[0] = position;
        if (dim + 1 == static_cast<int64_t>(shape.size()))
          dims[1] = position;
      }
      s.keep(read.read.tensor, first, dims, read.stage);
    }
    s.loop(tile.rows, {}, [&](const Index &row, ValueRange) {
      Indices outer(origin);
      outer[tile.dim] = s.add(origin[tile.dim], row);
      outer.pop_back();
      writer.write(outer, {origin.back(), tile.columns, shape.back(), {}});
      return SmallVector<Value>();
    });
    for (const Transposed &read : reads)
      s.drop(read.read.tensor);
  }

  void rest(RunWriter &writer, ArrayRef<Index> numbers) {
    Indices outer(numbers.drop_back());
    s.part(numbers[tile.dim], tile.rows, shape[tile.dim], [&](const Index &row) {
      outer[tile.dim] = row;
      writer.write(outer, s.getPart(numbers.back(), tile.columns, shape.back()));
    });
  }

  /// Copies a tile into its buffer, in blocks of as many vectors as a vector has elements. What the
  /// next tile reads is fetched into the second cache meanwhile: it is as many short pieces as the
  /// tile has columns, which the processor does not foresee, and at strides of a power of two too
  /// many for the sets of the first cache.
  void transpose(const Transposed &read, ArrayRef<Index> origin) {
    auto type = cast<MemRefType>(read.stage.getType());
    // Vectors of 32 bytes, and no more of them than there are registers.
    int64_t block = std::min<int64_t>(16, 32 / elementBytes(type.getElementType()));
    block = std::min({block, tile.rows, tile.columns});
    auto vector = VectorType::get({block}, type.getElementType());
    Value buffer = s.flat(s.arguments.lookup(read.view.buffer));
    Index base = LoopBuilder::constant(read.view.offset);
    for (auto [index, stride] : llvm::zip_equal(origin, read.read.strides))
      base = s.add(base, index, stride);
    int64_t last = cast<MemRefType>(buffer.getType()).getNumElements() - 1;
    int64_t step = walksRows ? tile.rows * read.read.strides[tile.dim]
                             : tile.columns * read.read.strides.back();
    s.nest({tile.columns / block, tile.rows / block}, [&](ArrayRef<Index> numbers) {
      s.recordCopies({{LoopExecutor::unrolled, block}, {LoopExecutor::lanes, block}});
      SmallVector<Value> lines;
      for (int64_t i = 0; i < block; ++i) {
        Index column = s.add(LoopBuilder::constant(i), numbers[0], block);
        Index at = s.add(s.add(base, column, read.read.strides.back()), numbers[1], block);
        Value position = s.materialize(at);
        Index next = s.clamp(s.add(at, LoopBuilder::constant(step)), 0, last);
        memref::PrefetchOp::create(s.here(), s.loc, buffer, ValueRange(s.materialize(next)),
                                   /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
        lines.push_back(
            vector::LoadOp::create(s.here(), s.loc, vector, buffer, ValueRange(position)));
      }
      transpose(lines);
      for (auto [i, line] : llvm::enumerate(lines)) {
        Index at[] = {s.add(LoopBuilder::constant(i), numbers[1], block),
                      s.scale(numbers[0], block)};
        SmallVector<Value> position = s.materialize(at);
        vector::StoreOp::create(s.here(), s.loc, line, read.stage, position);
      }
    });
  }

  /// Transposes a square of vectors: exchanges the quadrants off the diagonal, then within each
  /// quadrant in the same way (Eklundh).
  void transpose(MutableArrayRef<Value> lines) {
    int64_t size = lines.size();
    for (int64_t half = size / 2; half > 0; half /= 2) {
      SmallVector<int64_t> low, high;
      for (int64_t i = 0; i < size; ++i) {
        low.push_back(i & half ? size + i - half : i);
        high.push_back(i & half ? size + i : i + half);
      }
      for (int64_t i = 0; i < size; ++i) {
        if (i & half)
          continue;
        Value a = lines[i], b = lines[i + half];
        lines[i] = vector::ShuffleOp::create(s.here(), s.loc, a, b, low);
        lines[i + half] = vector::ShuffleOp::create(s.here(), s.loc, a, b, high);
      }
    }
  }

  Scalarizer &s;
  const Task &task;
  ArrayRef<int64_t> shape;
  Tile tile;
  /// Whether the next tile is the one below and not the one beside. There the transposed reads go
  /// on in memory and the others do not; what is written waits for neither.
  bool walksRows = false;
  std::vector<Transposed> reads;
};

} // namespace

void codegen::storeElements(Scalarizer &s, ArrayRef<Root> roots, ArrayRef<Index> indices) {
  SmallVector<Value> values;
  for (const Root &root : roots)
    values.push_back(s.element(root.value, indices));
  for (auto [root, value] : llvm::zip_equal(roots, values))
    s.store(value, s.arguments.lookup(root.dest), indices);
}

void codegen::emitElements(Scalarizer &s, const Task &task) {
  if (s.target.isDevice() && (emitTeamResults(s, task) || emitTeamTiles(s, task)))
    return;
  ArrayRef<int64_t> shape = shapeOf(task.roots.front().value);
  int64_t line = s.target.getLineElements(getElementTypeOrSelf(task.roots.front().value));
  bool isTransposed = false;
  for (const Root &root : task.roots)
    if (std::optional<unsigned> dim = findTransposedDim(root.value, 2 * line)) {
      if (!s.target.isDevice())
        return TransposingNest(s, task, *dim).emit();
      isTransposed = true;
    }

  if (shape.empty())
    return storeElements(s, task.roots, {});
  if (s.target.isDevice() && !isTransposed)
    return emitThreadElements(s, task);
  SmallVector<const Root *> roots;
  for (const Root &root : task.roots)
    roots.push_back(&root);
  RunWriter writer(s, task, roots);
  s.divideRuns(shape, 1, /*isContiguous=*/true,
               [&](ArrayRef<Index> outer, const Run &run) { writer.write(outer, run); });
}
