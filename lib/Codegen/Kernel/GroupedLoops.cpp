//===- GroupedLoops.cpp - The loops of many narrow products ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/GroupedContraction.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

using Loop = GroupedContraction::Loop;

namespace {
/// Where a computation begins in the buffers.
struct Place {
  Index a, b, c;
};

class GroupedEmitter {
public:
  GroupedEmitter(Scalarizer &s, const GroupedContraction &plan, Value a, Value b, Value c)
      : s(s), plan(plan), a(s.flat(a)), b(s.flat(b)), c(s.flat(c)),
        vector(VectorType::get({plan.lanes}, getElementTypeOrSelf(c))), rows(1) {
    for (const Loop &loop : plan.tile) {
      SmallVector<Loop> all;
      for (const Loop &row : rows)
        for (int64_t i = 0; i < loop.size; ++i)
          all.push_back({1, row.a + i * loop.a, 0, row.c + i * loop.c});
      rows = std::move(all);
    }
  }

  void emit() {
    Place start{LoopBuilder::constant(plan.offsetA), LoopBuilder::constant(plan.offsetB),
                LoopBuilder::constant(plan.offsetC)};
    SmallVector<int64_t> shape = sizesOf(plan.outer);
    int64_t work = GroupedContraction::count(plan.inner) * GroupedContraction::count(plan.tile) *
                   plan.lanes * plan.mixed.size * plan.window.size *
                   GroupedContraction::count(plan.sums);
    if (!plan.slices.empty())
      return emitSlices(start, work);
    // Vectors change fastest: their operands lie next to each other.
    shape.push_back(plan.vectors);
    s.divide(shape, work, /*isContiguous=*/false, [&](ArrayRef<Index> indices) {
      Place from = moveLanes(move(start, plan.outer, indices.drop_back()), indices.back());
      overTiles(copy(from), [&](const Place &at) { store(sum(at, plan.sums, zeros()), at); });
    });
  }

private:
  static SmallVector<int64_t> sizesOf(ArrayRef<Loop> loops) {
    return llvm::map_to_vector(loops, [](const Loop &loop) { return loop.size; });
  }

  /// Adds slice after slice to all results. Each thread has vectors of its own.
  void emitSlices(const Place &start, int64_t work) {
    auto range =
        s.divideRange(plan.vectors, plan.vectors * work * GroupedContraction::count(plan.slices));
    auto overVectors = [&](const Place &from, function_ref<void(const Place &)> body) {
      auto step = [&](const Index &number, ValueRange) {
        body(moveLanes(from, number));
        return SmallVector<Value>();
      };
      if (!range)
        s.loop(plan.vectors, {}, step);
      else
        s.loop(range->first, range->second, s.materialize(LoopBuilder::constant(1)),
               plan.vectors - 1, {}, step, plan.vectors);
    };
    overVectors(start, [&](const Place &from) {
      overTiles(from, [&](const Place &at) { store(zeros(), at); });
    });
    s.nest(sizesOf(plan.slices), [&](ArrayRef<Index> indices) {
      overVectors(move(start, plan.slices, indices), [&](const Place &from) {
        overTiles(copy(from), [&](const Place &at) { store(sum(at, plan.sums, load(at)), at); });
      });
    });
  }

  void overTiles(const Place &from, function_ref<void(const Place &)> body) {
    s.nest(sizesOf(plan.inner),
           [&](ArrayRef<Index> indices) { body(move(from, plan.inner, indices)); });
  }

  Place move(const Place &from, ArrayRef<Loop> loops, ArrayRef<Index> indices) {
    Place to = from;
    for (auto [loop, index] : llvm::zip_equal(loops, indices))
      to = {s.add(to.a, index, loop.a), s.add(to.b, index, loop.b), s.add(to.c, index, loop.c)};
    return to;
  }

  Place moveLanes(const Place &from, const Index &number) {
    int64_t perGroup = plan.vectorsOfGroup();
    Index group = s.scale(s.div(number, perGroup), plan.groupsOfVector());
    Index column = s.scale(s.mod(number, perGroup), plan.lanes);
    Place to = move(from, plan.groups, group);
    return move(to, plan.columns, column);
  }

  //===--- Copies ---===//

  /// The loops along which B moves within a vector of lanes, from the outermost one.
  SmallVector<Loop> loopsOfB() const {
    SmallVector<Loop> loops(plan.sums);
    loops.push_back(plan.window);
    loops.push_back(plan.isMixedOfSum() ? plan.mixed : Loop{});
    return loops;
  }

  /// Copies what is read of A and B for a vector of lanes; returns where the copies begin.
  Place copy(const Place &from) {
    Type element = vector.getElementType();
    if (!copyA) {
      copyA = s.scratch({plan.copiedOfA()}, element);
      copyB = s.scratch({plan.copiedOfB()}, element);
    }
    SmallVector<int64_t> extents =
        llvm::map_to_vector(plan.axes, [](const auto &axis) { return axis.extent; });
    s.nest(extents, [&](ArrayRef<Index> indices) {
      Index at = from.a;
      for (auto [axis, index] : llvm::zip_equal(plan.axes, indices))
        at = s.add(at, index, axis.stride);
      Index to = s.linearize(indices, extents);
      s.store(s.load(a, at), copyA, to);
    });
    SmallVector<Loop> loops = loopsOfB();
    SmallVector<int64_t> sizes = sizesOf(loops);
    s.nest(sizes, [&](ArrayRef<Index> indices) {
      Index at = move({{}, from.b, {}}, loops, indices).b;
      Index to = s.scale(s.linearize(indices, sizes), plan.lanes);
      for (int64_t lane = 0; lane < plan.lanes; ++lane) {
        int64_t group = lane / plan.columns.size, column = lane % plan.columns.size;
        Index source =
            s.add(at, LoopBuilder::constant(group * plan.groups.b + column * plan.columns.b));
        Index target = s.add(to, LoopBuilder::constant(lane));
        s.store(s.load(b, source), copyB, target);
      }
    });
    return {LoopBuilder::constant(0), LoopBuilder::constant(0), from.c};
  }

  //===--- Results ---===//

  /// Calls the body with the offset in C of each vector of results of a tile, in the order of the
  /// accumulators.
  void overResults(function_ref<void(int64_t)> body) {
    for (const Loop &row : rows)
      for (int64_t x = 0; x < (plan.isMixedOfSum() ? 1 : plan.mixed.size); ++x)
        body(row.c + x * plan.mixed.c);
  }

  SmallVector<Value> zeros() {
    SmallVector<Value> values;
    Value zero = arith::ConstantOp::create(s.here(), s.loc, vector, s.here().getZeroAttr(vector));
    overResults([&](int64_t) { values.push_back(zero); });
    return values;
  }

  SmallVector<Value> load(const Place &at) {
    SmallVector<Value> values;
    overResults([&](int64_t offset) { values.push_back(load(c, vector, at.c, offset)); });
    return values;
  }

  void store(ArrayRef<Value> values, const Place &at) {
    size_t next = 0;
    overResults([&](int64_t offset) {
      Value position = s.materialize(s.add(at.c, LoopBuilder::constant(offset)));
      vector::StoreOp::create(s.here(), s.loc, values[next++], c, ValueRange(position));
    });
  }

  Value load(Value buffer, VectorType type, const Index &at, int64_t offset) {
    Value position = s.materialize(s.add(at, LoopBuilder::constant(offset)));
    return vector::LoadOp::create(s.here(), s.loc, type, buffer, ValueRange(position));
  }

  //===--- Sums ---===//

  SmallVector<Value> sum(const Place &at, ArrayRef<Loop> loops, ValueRange carried) {
    if (loops.empty())
      return addWindow(at, carried);
    int64_t inB = plan.lanes;
    SmallVector<Loop> ofB = loopsOfB();
    for (const Loop &loop : ArrayRef(ofB).drop_front(plan.sums.size() - loops.size() + 1))
      inB *= loop.size;
    return s.loop(loops.front().size, carried, [&](const Index &index, ValueRange next) {
      Place inside{s.add(at.a, index, loops.front().a), s.add(at.b, index, inB), at.c};
      return sum(inside, loops.drop_front(), next);
    });
  }

  /// What the window and the mixed loop add to a tile. An element of A is loaded once for all
  /// steps and rows that need it.
  SmallVector<Value> addWindow(const Place &at, ValueRange carried) {
    s.recordCopies({{LoopExecutor::unrolled, static_cast<int64_t>(carried.size())},
                    {LoopExecutor::lanes, plan.lanes}});
    SmallVector<Value> sums(carried);
    std::map<int64_t, SmallVector<std::pair<int64_t, size_t>>> uses; // step and row by offset in A
    for (int64_t step = 0; step < plan.window.size; ++step)
      for (auto [number, row] : llvm::enumerate(rows))
        uses[row.a + step * plan.window.a].push_back({step, number});
    int64_t perStep = plan.isMixedOfSum() ? plan.mixed.size : 1;
    auto loadB = [&](SmallVectorImpl<Value> &known, int64_t step, int64_t x) {
      if (!known[step])
        known[step] = load(copyB, vector, at.b, (step * perStep + x) * plan.lanes);
      return known[step];
    };
    if (plan.isMixedOfSum()) {
      for (int64_t x = 0; x < plan.mixed.size; ++x) {
        SmallVector<Value> factors(plan.window.size);
        for (auto &[offset, pairs] : uses) {
          Value element = loadA(at.a, offset, x).front();
          for (auto [step, row] : pairs)
            sums[row] = multiplyAdd(element, loadB(factors, step, x), sums[row]);
        }
      }
      return sums;
    }
    SmallVector<Value> factors(plan.window.size);
    for (auto &[offset, pairs] : uses) {
      SmallVector<Value> elements = loadA(at.a, offset, std::nullopt);
      for (auto [step, row] : pairs)
        for (auto [x, element] : llvm::enumerate(elements)) {
          Value &to = sums[row * plan.mixed.size + x];
          to = multiplyAdd(element, loadB(factors, step, 0), to);
        }
    }
    return sums;
  }

  /// The elements of A of each lane for one or all iterations of the mixed loop.
  SmallVector<Value> loadA(const Index &at, int64_t offset, std::optional<int64_t> only) {
    if (plan.groupsOfVector() == 1) {
      Index position = s.add(at, LoopBuilder::constant(offset));
      return {vector::BroadcastOp::create(s.here(), s.loc, vector, s.load(copyA, position))};
    }
    int64_t size = plan.mixed.size;
    auto type = VectorType::get({plan.groupsOfVector() * size}, vector.getElementType());
    Value line = load(copyA, type, at, offset);
    SmallVector<Value> elements;
    for (int64_t x = only.value_or(0); x < (only ? *only + 1 : size); ++x) {
      SmallVector<int64_t> from;
      for (int64_t lane = 0; lane < plan.lanes; ++lane)
        from.push_back(lane / plan.columns.size * size + x);
      elements.push_back(vector::ShuffleOp::create(s.here(), s.loc, line, line, from));
    }
    return elements;
  }

  Value multiplyAdd(Value x, Value y, Value addend) {
    auto fast =
        arith::FastMathFlagsAttr::get(s.here().getContext(), arith::FastMathFlags::contract);
    Value product = arith::MulFOp::create(s.here(), s.loc, x, y, fast);
    return arith::AddFOp::create(s.here(), s.loc, addend, product, fast);
  }

  Scalarizer &s;
  const GroupedContraction &plan;
  Value a, b, c, copyA, copyB;
  VectorType vector;
  SmallVector<Loop> rows; // of a tile, one each
};
} // namespace

void codegen::emitGroupedContraction(Scalarizer &s, const GroupedContraction &plan, Value a,
                                     Value b, Value c) {
  GroupedEmitter(s, plan, a, b, c).emit();
}
