//===- Sorting.cpp - The order of elements --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each line is sorted by merging runs of 1, 2, 4, ... positions between the two
// results: stable, and within bounds whatever the comparator says. On devices a block sorts a line
// that fits in its memory, each thread by merging other runs: all orders are the same. Where a
// thread sorts and the order has the first positions alone, it keeps these sorted.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelTasks.h"
#include "Kernel/Team.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

/// Sorts one line, by the running thread or by its team.
class LineSorter {
public:
  LineSorter(Scalarizer &s, SortOp op, ArrayRef<Index> line, Team *team = nullptr)
      : s(s), op(op), line(line), team(team), dim(op.getDimension()),
        count(op.getInputType().getDimSize(op.getDimension())),
        most(cast<RankedTensorType>(op.getOrder().getType()).getDimSize(op.getDimension())) {}

  /// The threads of a block that sort a line in its memory: one for each of the first merges, as
  /// far as there are. 1 if they are not several warps, or the line does not fit.
  static int64_t chooseTeam(SortOp op, TargetAttr target) {
    int64_t count = op.getInputType().getDimSize(op.getDimension());
    auto sizeOf = [&](unsigned bits) {
      return llvm::alignTo(count * llvm::divideCeil(bits, 8), target.getVectorBytes());
    };
    uint64_t bytes = 2 * sizeOf(32); // the positions that a pass reads and writes
    for (Value input : op.getInputs()) {
      Type type = getElementTypeOrSelf(input);
      if (!type.isIntOrFloat())
        return 1;
      bytes += sizeOf(type.getIntOrFloatBitWidth());
    }
    int64_t threads = std::min<int64_t>(Launch::looseThreads, llvm::bit_floor<uint64_t>(count / 2));
    bool isBlock = target.isDevice() && threads > target.getWarpThreads();
    return isBlock && bytes <= Launch::mostShared ? threads : 1;
  }

  /// The same as `sort`, in the memory of the team's block.
  void sortShared(Value order, Value place) {
    Type positions = s.here().getI32Type();
    Value from = team->allocate(count, positions), to = team->allocate(count, positions);
    for (Value input : op.getInputs())
      keys.push_back(team->allocate(count, getElementTypeOrSelf(input)));
    forPositions([&](const Index &index) {
      for (auto [input, buffer] : llvm::zip_equal(op.getInputs(), keys))
        s.store(s.element(input, at(index)), buffer, index);
      store(s.materialize(index), from, index);
    });
    team->wait();
    for (int64_t width = 1; width < count; width *= 2) {
      mergeRuns(from, to, number(width), number(2 * width));
      std::swap(from, to);
      team->wait();
    }
    forPositions([&](const Index &index) {
      Index position = load(from, index);
      Value isFirst;
      s.within(index, 0, most, isFirst);
      s.when(isFirst, [&] { store(s.materialize(position), order, index); });
      store(s.materialize(s.clamp(index, 0, most)), to, position);
    });
    team->wait();
    forPositions([&](const Index &index) { store(s.materialize(load(to, index)), place, index); });
  }

  void sort(Value order, Value place) {
    if (most < count)
      insertFirst(order, place);
    else
      mergeAll(order, place);
  }

private:
  void mergeAll(Value order, Value place) {
    unsigned passes = llvm::Log2_64_Ceil(count);
    // The last pass writes the order.
    Value from = order, to = place;
    if (passes % 2)
      std::swap(from, to);
    s.loop(count, {}, [&](const Index &index, ValueRange) -> SmallVector<Value> {
      store(s.materialize(index), from, index);
      return {};
    });
    if (passes)
      s.loop(passes, {from, to, number(1)},
             [&](const Index &, ValueRange carried) -> SmallVector<Value> {
               Value width = carried[2];
               Value twice = binary<arith::AddIOp>(width, width);
               mergeRuns(carried[0], carried[1], width, twice);
               return {carried[1], carried[0], twice};
             });
    s.loop(count, {}, [&](const Index &index, ValueRange) -> SmallVector<Value> {
      store(s.materialize(index), place, load(order, index));
      return {};
    });
  }

  template <typename Op>
  Value binary(Value x, Value y) {
    return Op::create(s.here(), s.loc, x, y);
  }
  Value number(int64_t value) { return s.materialize(LoopBuilder::constant(value)); }
  Value least(Value x, Value y) { return binary<arith::MinUIOp>(x, y); }
  Value isBelow(Value x, Value y) {
    return arith::CmpIOp::create(s.here(), s.loc, arith::CmpIPredicate::ult, x, y);
  }
  Indices at(const Index &position) {
    Indices indices(line);
    indices[dim] = position;
    return indices;
  }
  /// A position of the line in a result, or in memory of the block.
  Indices in(Value buffer, const Index &position) {
    bool isShared = team && cast<MemRefType>(buffer.getType()).getMemorySpace();
    return isShared ? Indices{position} : at(position);
  }
  /// Runs the body for those positions that are the thread's: neighbours have neighbouring ones.
  void forPositions(function_ref<void(const Index &)> body) {
    s.loop(llvm::divideCeil(count, team->getSize()), {},
           [&](const Index &slot, ValueRange) -> SmallVector<Value> {
             Index own = s.add(team->getLane(), slot, team->getSize());
             Value isInside;
             s.within(own, 0, count, isInside);
             s.when(isInside, [&] { body(own); });
             return {};
           });
  }
  /// A value known to be a position.
  Index position(Value value) { return s.variable(value, s.current(), 0, count - 1); }

  Index load(Value buffer, const Index &index) {
    Value loaded = s.load(buffer, in(buffer, index));
    return position(arith::IndexCastOp::create(s.here(), s.loc, s.here().getIndexType(), loaded));
  }
  void store(Value position, Value buffer, const Index &index) {
    Type type = cast<MemRefType>(buffer.getType()).getElementType();
    s.store(arith::IndexCastOp::create(s.here(), s.loc, type, position), buffer, in(buffer, index));
  }

  /// Merges the runs of a width, two by two.
  void mergeRuns(Value from, Value to, Value width, Value twice) {
    auto mergeTwo = [&](const Index &begin, ValueRange) -> SmallVector<Value> {
      Value first = s.materialize(begin), all = number(count);
      Value middle = least(binary<arith::AddIOp>(first, width), all);
      Value end = least(binary<arith::AddIOp>(first, twice), all);
      s.loop(first, end, number(1), count - 1, {first, middle},
             [&](const Index &next, ValueRange carried) -> SmallVector<Value> {
               return mergeOne(from, to, next, middle, end, carried[0], carried[1]);
             });
      return {};
    };
    if (!team) {
      s.loop(number(0), number(count), twice, count - 1, {}, mergeTwo);
      return;
    }
    Value lane = s.materialize(team->getLane());
    s.loop(binary<arith::MulIOp>(lane, twice), number(count),
           binary<arith::MulIOp>(twice, number(team->getSize())), count - 1, {}, mergeTwo);
  }

  /// Moves the one or the other run's first position; without a branch, which
  /// random data would mispredict: past a run's end some other element is compared.
  SmallVector<Value> mergeOne(Value from, Value to, const Index &next, Value middle, Value end,
                              Value left, Value right) {
    Value last = number(count - 1);
    Index leftPosition = load(from, position(least(left, last)));
    Index rightPosition = load(from, position(least(right, last)));
    Value isBefore = compare(rightPosition, leftPosition);
    Value hasLeft = isBelow(left, middle), hasRight = isBelow(right, end);
    Value no = arith::ConstantOp::create(s.here(), s.loc, s.here().getBoolAttr(false));
    Value keepsLeft = arith::SelectOp::create(s.here(), s.loc, isBefore, no, hasLeft);
    Value takesRight = arith::SelectOp::create(s.here(), s.loc, keepsLeft, no, hasRight);
    store(arith::SelectOp::create(s.here(), s.loc, takesRight, s.materialize(rightPosition),
                                  s.materialize(leftPosition)),
          to, next);
    Value step = arith::IndexCastUIOp::create(s.here(), s.loc, s.here().getIndexType(), takesRight);
    Value nextRight = binary<arith::AddIOp>(right, step);
    Value other = binary<arith::SubIOp>(number(1), step);
    return {binary<arith::AddIOp>(left, other), nextRight};
  }

  //===--- The first elements ---===//

  /// Keeps the first of what has been seen sorted: all until there are as many, then those that
  /// come before the last of them.
  void insertFirst(Value order, Value place) {
    auto overPositions = [&](int64_t begin, int64_t end, function_ref<void(const Index &)> body) {
      s.loop(number(begin), number(end), number(1), end - 1, {},
             [&](const Index &next, ValueRange) -> SmallVector<Value> {
               body(next);
               return {};
             });
    };
    overPositions(0, most, [&](const Index &next) { insert(order, next, s.materialize(next)); });
    overPositions(most, count, [&](const Index &next) {
      Index last = load(order, LoopBuilder::constant(most - 1));
      s.when(compare(next, last), [&] { insert(order, next, number(most - 1)); });
    });
    overPositions(0, count, [&](const Index &next) { store(number(most), place, next); });
    overPositions(0, most,
                  [&](const Index &next) { store(s.materialize(next), place, load(order, next)); });
  }

  /// Inserts an element behind those of `kept` sorted ones that do not come after it: where it
  /// comes before one, that and all others move by one.
  void insert(Value order, const Index &element, Value kept) {
    Value no = arith::ConstantOp::create(s.here(), s.loc, s.here().getBoolAttr(false));
    SmallVector<Value> rest =
        s.loop(number(0), kept, number(1), most - 1, {s.materialize(element), no},
               [&](const Index &next, ValueRange carried) -> SmallVector<Value> {
                 Index moved = position(carried[0]), other = load(order, next);
                 Value isBefore = binary<arith::OrIOp>(carried[1], compare(moved, other));
                 auto select = [&](const Index &x, const Index &y) -> Value {
                   return arith::SelectOp::create(s.here(), s.loc, isBefore, s.materialize(x),
                                                  s.materialize(y));
                 };
                 store(select(moved, other), order, next);
                 return {select(other, moved), isBefore};
               });
    store(rest[0], order, s.variable(kept, s.current(), 0, most - 1));
  }

  Value compare(const Index &x, const Index &y) {
    return s
        .inlineBody(&op.getComparator().front(), at(x),
                    [&](unsigned number) {
                      const Index &position = number % 2 ? y : x;
                      return team ? s.load(keys[number / 2], position)
                                  : s.element(op.getInputs()[number / 2], at(position));
                    })
        .front();
  }

  Scalarizer &s;
  SortOp op;
  ArrayRef<Index> line;
  Team *team;               // null: the thread alone
  SmallVector<Value> keys;  // of a team: the line's elements
  int64_t dim, count, most; // most: positions in the order
};

} // namespace

void codegen::emitSort(Scalarizer &s, const Task &task) {
  auto op = cast<SortOp>(task.op);
  SmallVector<Value> buffers = resultBuffers(s, task);
  SmallVector<int64_t> lines(op.getInputType().getShape());
  if (buffers.empty() || lines[op.getDimension()] == 0)
    return;
  int64_t work = lines[op.getDimension()];
  lines[op.getDimension()] = 1;
  if (int64_t threads = LineSorter::chooseTeam(op, s.target); threads > 1) {
    if (llvm::product_of(lines) == 0)
      return;
    Team team(s, llvm::product_of(lines), threads);
    Indices line = s.delinearize(team.getIteration(), lines);
    LineSorter(s, op, line, &team).sortShared(buffers[0], buffers[1]);
    return;
  }
  s.divide(lines, work, /*isContiguous=*/false,
           [&](ArrayRef<Index> line) { LineSorter(s, op, line).sort(buffers[0], buffers[1]); });
}
