//===- Sorting.cpp - The order of elements --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each line is sorted by merging runs of 1, 2, 4, ... positions between the two
// results: stable, and within bounds whatever the comparator says.
//
//===----------------------------------------------------------------------===//

#include "Kernel/KernelTasks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

namespace {

/// Sorts one line.
class LineSorter {
public:
  LineSorter(Scalarizer &s, SortOp op, ArrayRef<Index> line)
      : s(s), op(op), line(line), dim(op.getDimension()),
        count(op.getInputType().getDimSize(op.getDimension())) {}

  void sort(Value order, Value place) {
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

private:
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
  /// A value known to be a position.
  Index position(Value value) { return s.variable(value, s.current(), 0, count - 1); }

  Index load(Value buffer, const Index &index) {
    Value loaded = s.load(buffer, at(index));
    return position(arith::IndexCastOp::create(s.here(), s.loc, s.here().getIndexType(), loaded));
  }
  void store(Value position, Value buffer, const Index &index) {
    Type type = cast<MemRefType>(buffer.getType()).getElementType();
    s.store(arith::IndexCastOp::create(s.here(), s.loc, type, position), buffer, at(index));
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
    s.loop(number(0), number(count), twice, count - 1, {}, mergeTwo);
  }

  /// Moves the one or the other run's first position; without a branch, which
  /// random data would mispredict: past a run's end some other element is compared.
  SmallVector<Value> mergeOne(Value from, Value to, const Index &next, Value middle, Value end,
                              Value left, Value right) {
    Value last = number(count - 1);
    Index leftPosition = load(from, position(least(left, last)));
    Index rightPosition = load(from, position(least(right, last)));
    Value isBefore = compare(at(rightPosition), at(leftPosition));
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

  Value compare(const Indices &x, const Indices &y) {
    return s
        .inlineBody(&op.getComparator().front(), x,
                    [&](unsigned number) {
                      return s.element(op.getInputs()[number / 2], number % 2 ? y : x);
                    })
        .front();
  }

  Scalarizer &s;
  SortOp op;
  ArrayRef<Index> line;
  int64_t dim, count;
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
  s.divide(lines, work, /*isContiguous=*/false,
           [&](ArrayRef<Index> line) { LineSorter(s, op, line).sort(buffers[0], buffers[1]); });
}
