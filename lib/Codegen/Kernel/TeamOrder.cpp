//===- TeamOrder.cpp - Combinations that keep the order -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of neighbouring threads are combined first, so that what is combined always lies beside
// each other. Threads with several parts share the work: each exchange halves the parts of which a
// thread has something.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Team.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

Value Team::isUpper(int64_t bit) {
  Value condition;
  s.within(s.mod(s.div(lane, bit), 2), 1, 2, condition);
  return condition;
}

static Value select(Scalarizer &s, Value condition, Value then, Value otherwise) {
  return then == otherwise ? then
                           : arith::SelectOp::create(s.here(), s.loc, condition, then, otherwise);
}

static Value constantTrue(Scalarizer &s) {
  return arith::ConstantOp::create(s.here(), s.loc, s.here().getBoolAttr(true));
}

Team::Part Team::choose(Value condition, const Part &then, const Part &otherwise) {
  Part chosen;
  for (auto [a, b] : llvm::zip_equal(then.values, otherwise.values))
    chosen.values.push_back(select(s, condition, a, b));
  if (then.isThere || otherwise.isThere)
    chosen.isThere = select(s, condition, then.isThere ? then.isThere : constantTrue(s),
                            otherwise.isThere ? otherwise.isThere : constantTrue(s));
  return chosen;
}

Team::Part Team::exchange(const Part &part, int64_t bit) {
  Part other;
  for (Value value : part.values)
    other.values.push_back(exchangeLanes(s, value, bit));
  if (part.isThere)
    other.isThere = exchangeLanes(s, part.isThere, bit);
  return other;
}

Team::Part Team::join(const Part &first, const Part &second, Combine combine) {
  Part joined{combine(first.values, second.values), {}};
  if (first.isThere)
    joined = choose(first.isThere, joined, {second.values, {}});
  if (second.isThere)
    joined = choose(second.isThere, joined, {first.values, {}});
  joined.isThere = {};
  if (first.isThere && second.isThere)
    joined.isThere = arith::OrIOp::create(s.here(), s.loc, first.isThere, second.isThere);
  return joined;
}

/// Of no more parts than threads. Where a thread has a half of the parts, its partner has the other
/// one: what differs in the lowest bit of threads are the first and the second half, and so on.
Team::Part Team::joinFew(SmallVector<Part> parts, int64_t threads, Combine combine) {
  auto joinPartners = [&](const Part &own, const Part &other, int64_t bit) {
    Value upper = isUpper(bit);
    return join(choose(upper, other, own), choose(upper, own, other), combine);
  };
  int64_t bit = 1;
  for (; parts.size() > 1; bit *= 2) {
    size_t half = llvm::divideCeil(parts.size(), 2);
    SmallVector<Part> next;
    Value upper = isUpper(bit);
    for (size_t i = 0; i < half; ++i) {
      const Part &lower = parts[i];
      if (i + half < parts.size()) {
        Part kept = choose(upper, parts[i + half], lower);
        Part other = exchange(choose(upper, lower, parts[i + half]), bit);
        next.push_back(joinPartners(kept, other, bit));
        continue;
      }
      // The upper thread has none.
      Part joined = join(lower, exchange(lower, bit), combine);
      Value isLower = arith::XOrIOp::create(s.here(), s.loc, upper, constantTrue(s));
      joined.isThere =
          joined.isThere
              ? arith::AndIOp::create(s.here(), s.loc, joined.isThere, isLower).getResult()
              : isLower;
      next.push_back(joined);
    }
    parts = std::move(next);
  }
  int64_t halved = bit;
  Part own = parts.front();
  for (; bit < threads; bit *= 2)
    own = joinPartners(own, exchange(own, bit), bit);
  for (bit = halved / 2; bit > 0; bit /= 2)
    own = joinPartners(own, exchange(own, bit), bit);
  return own;
}

Team::Part Team::joinWarp(ArrayRef<Part> parts, Combine combine) {
  int64_t threads = std::min(size, warp);
  Part all;
  for (size_t first = 0; first < parts.size(); first += threads) {
    ArrayRef<Part> some = parts.slice(first, std::min<size_t>(threads, parts.size() - first));
    Part joined = joinFew(SmallVector<Part>(some), threads, combine);
    all = first == 0 ? joined : join(all, joined, combine);
  }
  return all;
}

Team::Part Team::joinWarps(const Part &part, Combine combine) {
  int64_t warps = size / warp;
  if (warps <= 1)
    return part;
  SmallVector<Value> values(part.values), buffers;
  if (part.isThere)
    values.push_back(part.isThere);
  for (Value value : values)
    buffers.push_back(allocate({warps}, value.getType()));
  Value isFirst;
  s.within(s.mod(lane, warp), 0, 1, isFirst);
  s.when(isFirst, [&] {
    for (auto [value, buffer] : llvm::zip_equal(values, buffers))
      s.store(value, buffer, s.div(lane, warp));
  });
  wait();
  for (auto [value, buffer] : llvm::zip_equal(values, buffers))
    value = s.load(buffer, s.mod(lane, warps));
  // In a loop, the next iteration writes there again.
  if (s.current() != s.outermost())
    wait();
  Part own;
  if (part.isThere)
    own.isThere = values.pop_back_val();
  own.values = values;
  return joinFew({own}, warps, combine);
}
