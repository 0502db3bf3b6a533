//===- PairedAccess.cpp - Pairs of threads that access a sector together --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread whose chunk has two accesses of a wide type, and one of a type of half its bytes, would
// leave half of each sector to its second access: neighbouring threads access what lies side by
// side instead, and give each other the half that the other one's chunk has.
//
//   chunks     | even thread       | odd thread        |
//   accesses   | even 0  | odd 0   | even 1  | odd 1   |
//
//===----------------------------------------------------------------------===//

#include "Kernel/Buffers.h"
#include "Kernel/Scalarizer.h"
#include "Kernel/Team.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

void Scalarizer::pairThreads(const Index &first, int64_t lanes) {
  Value parity = materialize(mod(div(first, lanes), 2));
  Value none = arith::ConstantIndexOp::create(here(), loc, 0);
  Value isOdd = arith::CmpIOp::create(here(), loc, arith::CmpIPredicate::ne, parity, none);
  pair = Pair{first, lanes, isOdd};
}

std::optional<int64_t> Scalarizer::findInPair(const Index &position, int64_t length) {
  if (!pair || predicate.condition || scope->guard != vectorGuard || 2 * length != pair->lanes)
    return std::nullopt;
  Index distance = add(position, pair->first, -1);
  if (!distance.isConstant() || distance.constant < 0 || distance.constant >= pair->lanes)
    return std::nullopt;
  return distance.constant;
}

Index Scalarizer::getOfPair(int64_t access) {
  int64_t length = pair->lanes / 2;
  Index parity = mod(div(pair->first, pair->lanes), 2);
  return add(add(pair->first, constant(access * pair->lanes)), parity, -length);
}

/// Both halves that a thread needs, from those that it has: it keeps one, and gets the other from
/// its neighbour for the one that it does not need.
static std::pair<SmallVector<Value>, SmallVector<Value>>
swapHalves(Scalarizer &s, Value isOdd, ArrayRef<Value> low, ArrayRef<Value> high) {
  SmallVector<Value> first, second;
  auto select = [&](Value a, Value b) -> Value {
    return arith::SelectOp::create(s.here(), s.loc, isOdd, a, b);
  };
  for (auto [a, b] : llvm::zip_equal(low, high)) {
    Value received = exchangeLanes(s, select(a, b), 1);
    first.push_back(select(received, a));
    second.push_back(select(b, received));
  }
  return {first, second};
}

Value Scalarizer::loadOfPair(Value source, int64_t offset) {
  int64_t length = pair->lanes / 2;
  auto keyOf = [&](int64_t number) {
    return SmallVector<int64_t, 8>{KeyPair, reinterpret_cast<int64_t>(source.getAsOpaquePointer()),
                                   number};
  };
  if (Value known = findValue(scope, keyOf(offset)))
    return known;
  SmallVector<Value> halves[2];
  for (int64_t access : {0, 1}) {
    Value vector = loadNeighbours(source, getOfPair(access), length);
    for (int64_t lane = 0; lane < length; ++lane)
      halves[access].push_back(vector::ExtractOp::create(here(), loc, vector, lane));
  }
  auto [low, high] = swapHalves(*this, pair->isOdd, halves[0], halves[1]);
  for (int64_t lane = 0; lane < length; ++lane) {
    scope->values[keyOf(lane)] = low[lane];
    scope->values[keyOf(length + lane)] = high[lane];
  }
  return findValue(scope, keyOf(offset));
}

void Scalarizer::storeOfPair(ArrayRef<Value> values, Value source) {
  size_t length = values.size() / 2;
  auto [low, high] =
      swapHalves(*this, pair->isOdd, values.take_front(length), values.drop_front(length));
  storeNeighbours(low, source, getOfPair(0));
  storeNeighbours(high, source, getOfPair(1));
}
