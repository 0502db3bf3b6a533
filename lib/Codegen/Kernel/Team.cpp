//===- Team.cpp - Threads that run an iteration together ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/Team.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

Team::Team(Scalarizer &s, int64_t iterations, int64_t size)
    : s(s), size(size), warp(s.target.getWarpThreads()) {
  iteration = s.takeIteration(iterations, size, warp);
  lane = s.variable(s.plan.lane, s.outermost(), 0, size - 1);
  if (size < warp && iterations % (warp / size))
    hasIteration = s.isIteration(iterations);
}

Value Team::compareLane(arith::CmpIPredicate predicate, int64_t bound) {
  Value number = s.materialize(lane);
  Value limit = arith::ConstantIndexOp::create(s.here(), s.loc, bound);
  return arith::CmpIOp::create(s.here(), s.loc, predicate, number, limit);
}

Value Team::isActive(Value condition) {
  if (condition && hasIteration)
    return arith::AndIOp::create(s.here(), s.loc, condition, hasIteration);
  return condition ? condition : hasIteration;
}

void Team::store(Value condition, function_ref<void()> body) { s.when(isActive(condition), body); }

void Team::storeOnce(function_ref<void()> body) {
  store(compareLane(arith::CmpIPredicate::eq, 0), body);
}

void Team::wait() { gpu::BarrierOp::create(s.here(), s.loc); }

Value Team::allocate(ArrayRef<int64_t> shape, Type type) {
  assert(size > warp && "several teams are a block");
  return s.shared(shape, type);
}

//===--- Exchange of values -----------------------------------------------===//

Value codegen::exchangeLanes(Scalarizer &s, Value value, int64_t bit) {
  OpBuilder &b = s.here();
  int64_t warp = s.target.getWarpThreads();
  Type type = value.getType(), word = b.getI32Type();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto shuffle = [&](Value part) -> Value {
    return gpu::ShuffleOp::create(b, s.loc, part, static_cast<int32_t>(bit),
                                  static_cast<int32_t>(warp), gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (type.isF32() || type.isInteger(32))
    return shuffle(value);
  // Registers that are exchanged have 32 bits.
  Type integer = b.getIntegerType(width);
  Value bits = type.isIndex()         ? arith::IndexCastOp::create(b, s.loc, integer, value)
               : isa<FloatType>(type) ? arith::BitcastOp::create(b, s.loc, integer, value)
                                      : value;
  Value result;
  if (width < 32) {
    bits = shuffle(arith::ExtUIOp::create(b, s.loc, word, bits));
    result = arith::TruncIOp::create(b, s.loc, integer, bits);
  } else if (width == 32) {
    result = shuffle(bits);
  } else {
    Value half = arith::ConstantOp::create(b, s.loc, b.getIntegerAttr(integer, 32));
    Value high = arith::ShRUIOp::create(b, s.loc, bits, half);
    Value parts[] = {shuffle(arith::TruncIOp::create(b, s.loc, word, bits)),
                     shuffle(arith::TruncIOp::create(b, s.loc, word, high))};
    Value low = arith::ExtUIOp::create(b, s.loc, integer, parts[0]);
    high =
        arith::ShLIOp::create(b, s.loc, arith::ExtUIOp::create(b, s.loc, integer, parts[1]), half);
    result = arith::OrIOp::create(b, s.loc, low, high);
  }
  if (type.isIndex())
    return arith::IndexCastOp::create(b, s.loc, type, result);
  return isa<FloatType>(type) ? arith::BitcastOp::create(b, s.loc, type, result) : result;
}

/// Threads whose numbers differ in one bit combine what they have, bit by bit: both compute the
/// same, since combiners do not depend on the order of two values.
SmallVector<Value> Team::combineWithin(SmallVector<Value> values, int64_t count, int64_t apart,
                                       Combine combine) {
  for (int64_t bit = count / 2; bit >= apart; bit /= 2) {
    SmallVector<Value> others;
    for (Value value : values)
      others.push_back(exchangeLanes(s, value, bit));
    values = combine(values, others);
  }
  return values;
}

SmallVector<Value> Team::combine(ValueRange values, Combine combine, int64_t apart) {
  SmallVector<Value> combined =
      combineWithin(SmallVector<Value>(values), std::min(size, warp), apart, combine);
  // What is left: of each warp, or of as many threads as have different values.
  int64_t parts = size / std::max(warp, apart);
  if (parts <= 1 || combined.empty())
    return combined;
  SmallVector<Value> buffers;
  for (Value value : combined)
    buffers.push_back(allocate({parts, apart}, value.getType()));
  Value isFirst;
  int64_t threads = std::max(warp, apart);
  s.within(s.mod(lane, threads), 0, apart, isFirst);
  s.when(isFirst, [&] {
    for (auto [value, buffer] : llvm::zip_equal(combined, buffers))
      s.store(value, buffer, {s.div(lane, threads), s.mod(lane, apart)});
  });
  wait();
  // A thread loads one part, or several where all have more than a warp has threads.
  int64_t together = std::min(parts, std::max<int64_t>(1, warp / apart));
  for (int64_t first = 0; first < parts; first += together) {
    SmallVector<Value> values;
    Index number = s.add(s.mod(s.div(lane, apart), together), LoopBuilder::constant(first));
    for (Value buffer : buffers)
      values.push_back(s.load(buffer, {number, s.mod(lane, apart)}));
    combined = first == 0 ? values : combine(combined, values);
  }
  // In a loop, the next iteration writes there again.
  if (s.current() != s.outermost())
    wait();
  return combineWithin(combined, together * apart, apart, combine);
}

//===--- Sums of the threads before ---------------------------------------===//

Value Team::add(Value a, Value b) { return arith::AddIOp::create(s.here(), s.loc, a, b); }

Value Team::keepIf(Value condition, Value number) {
  Value none = arith::ConstantOp::create(s.here(), s.loc, s.here().getZeroAttr(number.getType()));
  return arith::SelectOp::create(s.here(), s.loc, condition, number, none);
}

/// Threads whose numbers differ in one bit exchange the sums of their groups, bit by bit: the group
/// of the lower ones comes before the other.
Team::Sums Team::scanWarp(Value number) {
  Type type = number.getType();
  Sums sums{arith::ConstantOp::create(s.here(), s.loc, s.here().getZeroAttr(type)), number};
  for (int64_t bit = 1; bit < std::min(size, warp); bit *= 2) {
    Value isUpper;
    s.within(s.mod(s.div(lane, bit), 2), 1, 2, isUpper);
    Value other = exchangeLanes(s, sums.all, bit);
    sums.before = add(sums.before, keepIf(isUpper, other));
    sums.all = add(sums.all, other);
  }
  return sums;
}

Team::Sums Team::scanWarps(Value number) {
  int64_t warps = size / warp;
  Value buffer = allocate({warps}, number.getType());
  Value isFirst;
  s.within(s.mod(lane, warp), 0, 1, isFirst);
  s.when(isFirst, [&] { s.store(number, buffer, s.div(lane, warp)); });
  wait();
  Value none = arith::ConstantOp::create(s.here(), s.loc, s.here().getZeroAttr(number.getType()));
  Sums sums{none, none};
  for (int64_t other = 0; other < warps; ++other) {
    Value value = s.load(buffer, LoopBuilder::constant(other));
    sums.all = add(sums.all, value);
    if (other + 1 < warps)
      sums.before = add(sums.before,
                        keepIf(compareLane(arith::CmpIPredicate::uge, (other + 1) * warp), value));
  }
  // In a loop, the next iteration writes there again.
  if (s.current() != s.outermost())
    wait();
  return sums;
}

Team::Sums Team::scan(Value number) {
  Sums own = scanWarp(number), warps = scanWarps(own.all);
  return {add(warps.before, own.before), warps.all};
}
