//===- ThreadElements.cpp - Nests over elements on devices ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each thread of a device computes a few neighbours, and stores them when all are computed: what
// is in their place is read before.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Buffers.h"
#include "Kernel/KernelTasks.h"
#include "Kernel/Locality.h"
#include "Kernel/Slots.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

class ThreadElements {
public:
  ThreadElements(Scalarizer &s, const Task &task)
      : s(s), task(task), shape(shapeOf(task.roots.front().value)) {
    SmallVector<Value> values;
    for (const Root &root : task.roots)
      values.push_back(root.value);
    bounds = {0};
    llvm::append_range(bounds, findCuts(values).back());
    bounds.push_back(shape.back());
    chooseLanes();
    for (const Root &root : task.roots)
      s.limitVectors(s.arguments.lookup(root.dest), lanes);
  }

  void emit() {
    if (bounds.size() > 2 && sharesThreads())
      return emitPieces();
    SmallVector<int64_t> chunks(shape);
    chunks.back() = llvm::divideCeil(shape.back(), lanes);
    divide(chunks, {}, [&](ArrayRef<Index> chunk) {
      if (arePaired)
        s.pairThreads(s.scale(s.linearize(chunk, chunks), lanes), lanes, chunks.back() % 2 == 0);
      int64_t full = shape.back() / lanes, rest = shape.back() % lanes;
      when(chunk.back(), 0, full, [&](const Index &own) {
        Indices first(chunk);
        first.back() = s.scale(own, lanes);
        store(computeOfPiece(first, 0), {first});
      });
      if (rest)
        when(chunk.back(), full, full + 1, [&](const Index &) {
          SmallVector<Indices> each;
          for (int64_t i = 0; i < rest; ++i) {
            each.emplace_back(chunk);
            each.back().back() = LoopBuilder::constant(full * lanes + i);
          }
          store(compute(each, 1), each);
        });
    });
  }

private:
  /// Of the narrowest type that is read or written, as many as an access has bytes for, unless they
  /// are more than two accesses of the widest, whose values would take the registers; and no more
  /// than one where pairs of threads cannot share these. Accesses are at multiples of their bytes,
  /// so that rows and pieces of them begin there, too.
  void chooseLanes() {
    int64_t vector = s.target.getVectorBytes(), narrowest = vector, widest = 1;
    int64_t alignment = vector; // in elements: of slices that are read
    for (const Root &root : task.roots)
      alignment = findRowAlignment(root.value, llvm::product_of(shape), alignment);
    auto add = [&](Value buffer) {
      int64_t bytes = elementBytes(getElementTypeOrSelf(buffer));
      narrowest = std::min(narrowest, bytes);
      widest = std::max(widest, bytes);
    };
    for (const Root &root : task.roots)
      add(root.dest);
    llvm::for_each(task.reads, add);
    lanes = std::min(vector / narrowest, std::max<int64_t>(1, 2 * vector / widest));
    // There is nothing behind a lone row.
    auto starts = ArrayRef(bounds).drop_back(llvm::product_of(shape.drop_back()) == 1 ? 1 : 0);
    auto isInside = [&](int64_t count) {
      return count <= shape.back() &&
             llvm::all_of(starts, [&](int64_t begin) { return begin % count == 0; });
    };
    auto shrink = [&] {
      while (lanes > 1 && (!isInside(lanes) || lanes > alignment))
        lanes /= 2;
    };
    shrink();
    // All threads of full warps run the same.
    auto canPair = [&] {
      return bounds.size() == 2 && shape.back() % lanes == 0 &&
             llvm::product_of(shape) / lanes % s.target.getWarpThreads() == 0;
    };
    if (lanes * widest != 2 * vector || !canPair()) {
      lanes = std::min(lanes, std::max<int64_t>(1, vector / widest));
      shrink();
    }
    arePaired = canPair();
  }

  /// Whether a thread may have a chunk of each piece, at the same place in all: what several pieces
  /// read, as both halves of a rotated row do, is read once.
  bool sharesThreads() const {
    int64_t pieces = static_cast<int64_t>(bounds.size()) - 1, length = bounds[1], words = 0;
    for (const Root &root : task.roots)
      words += countWords(root.value);
    return length * pieces == shape.back() && length % lanes == 0 &&
           llvm::all_of(llvm::enumerate(bounds),
                        [&](auto bound) {
                          return bound.value() == static_cast<int64_t>(bound.index()) * length;
                        }) &&
           pieces * lanes <= countHeldElements(s.target, words);
  }

  void emitPieces() {
    SmallVector<int64_t> chunks(shape);
    chunks.back() = bounds[1] / lanes;
    int64_t pieces = static_cast<int64_t>(bounds.size()) - 1;
    divide(chunks, {{LoopExecutor::unrolled, pieces}}, [&](ArrayRef<Index> chunk) {
      SmallVector<Indices> firsts;
      for (int64_t begin : ArrayRef(bounds).drop_back()) {
        firsts.emplace_back(chunk);
        firsts.back().back() = s.add(LoopBuilder::constant(begin), s.scale(chunk.back(), lanes));
      }
      store(compute(firsts, lanes), firsts);
    });
  }

  void divide(ArrayRef<int64_t> chunks, SmallVector<Copies::Factor, 2> copies,
              function_ref<void(ArrayRef<Index>)> body) {
    s.loadVectors();
    copies.push_back({LoopExecutor::lanes, lanes});
    s.divide(chunks, lanes, /*isContiguous=*/true, [&](ArrayRef<Index> chunk) {
      s.recordCopies(copies);
      body(chunk);
    });
  }

  /// Runs the body if a chunk is in [begin, end), with the chunk, which is known to be there.
  void when(const Index &chunk, int64_t begin, int64_t end,
            function_ref<void(const Index &)> body) {
    Value condition;
    std::optional<bool> isInside = s.within(chunk, begin, end, condition);
    if (isInside == std::optional(false))
      return;
    s.when(condition, [&] {
      s.loadVectors();
      body(s.clamp(chunk, begin, end - 1));
    });
    s.loadVectors();
  }

  using Values = std::vector<SmallVector<Value>>; // by root, and then by first index

  /// A chunk of one of the pieces from the given one on. Threads of a warp that have chunks of
  /// several pieces store them together.
  SmallVector<Values> computeOfPiece(const Indices &first, size_t piece) {
    int64_t begin = bounds[piece] / lanes, end = std::min(bounds[piece + 1], shape.back()) / lanes;
    Index number = s.div(first.back(), lanes);
    Value isOfPiece;
    std::optional<bool> isInside = s.within(number, begin, end, isOfPiece);
    auto ofThis = [&] {
      Indices own(first);
      own.back() = s.scale(s.clamp(number, begin, end - 1), lanes);
      return compute({own}, lanes);
    };
    if (piece + 2 == bounds.size() || isInside == std::optional(true))
      return ofThis();
    if (isInside == std::optional(false))
      return computeOfPiece(first, piece + 1);
    SmallVector<Type> types;
    for (const Root &root : task.roots)
      types.append(lanes, getElementTypeOrSelf(root.value));
    auto flatten = [&](const SmallVector<Values> &all) {
      SmallVector<Value> values;
      for (const SmallVector<Value> &row : all.front())
        llvm::append_range(values, row);
      return values;
    };
    auto within = [&](auto part) {
      s.loadVectors();
      return flatten(part());
    };
    SmallVector<Value> values = s.choose(
        isOfPiece, types, [&] { return within(ofThis); },
        [&] { return within([&] { return computeOfPiece(first, piece + 1); }); });
    s.loadVectors();
    Values rows;
    for (size_t root = 0; root < task.roots.size(); ++root)
      rows.emplace_back(values.begin() + root * lanes, values.begin() + (root + 1) * lanes);
    return {rows};
  }

  /// As many neighbours from each of these indices on.
  SmallVector<Values> compute(ArrayRef<Indices> firsts, int64_t count) {
    SmallVector<Values> all;
    for (const Indices &first : firsts) {
      Values &values = all.emplace_back(task.roots.size());
      for (int64_t lane = 0; lane < count; ++lane) {
        s.setLane(lane);
        Indices indices(first);
        indices.back() = s.add(first.back(), LoopBuilder::constant(lane));
        for (auto [root, row] : llvm::zip_equal(task.roots, values))
          row.push_back(s.element(root.value, indices));
      }
    }
    return all;
  }

  void store(const SmallVector<Values> &all, ArrayRef<Indices> firsts) {
    for (auto [values, first] : llvm::zip_equal(all, firsts))
      for (auto [root, row] : llvm::zip_equal(task.roots, values))
        s.storeVector(row, s.arguments.lookup(root.dest), first);
  }

  Scalarizer &s;
  const Task &task;
  ArrayRef<int64_t> shape;
  SmallVector<int64_t> bounds; // of pieces of a row
  int64_t lanes = 1;
  bool arePaired = false; // chunks of neighbouring threads
};

} // namespace

void codegen::emitThreadElements(Scalarizer &s, const Task &task) {
  ThreadElements(s, task).emit();
}
