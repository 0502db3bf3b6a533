//===- PairedAccess.cpp - Pairs of threads that access a sector together --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread whose chunk has two accesses of a wide type and one of a type of half its bytes, or
// whose chunk begins in the middle of an access, would leave half of each sector to its second
// access: neighbouring threads access what lies side by side instead, and give each other the half
// that the other one's chunk has.
//
//   chunks     | even thread       | odd thread        |
//   accesses   | even 0  | odd 0   | even 1  | odd 1   |
//
// The same helps threads that walk long runs each, an access after the other: the two chunks are
// then apart.
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

void Scalarizer::pairThreads(const Index &first, int64_t lanes, bool areInRows) {
  pair = Pair{first, lanes, areInRows, /*lane=*/0, /*apart=*/std::nullopt};
}

void Scalarizer::pairThreads(PairOfChunks chunks, int64_t lanes) {
  pair = Pair{chunks.first, lanes, /*areInRows=*/false, /*lane=*/0, std::move(chunks)};
}

Index Scalarizer::getNumberInPair() {
  return pair->apart ? pair->apart->number : mod(div(pair->first, pair->lanes), 2);
}

Value Scalarizer::isOddOfPair() {
  Value parity = materialize(getNumberInPair());
  Value none = arith::ConstantIndexOp::create(here(), loc, 0);
  return arith::CmpIOp::create(here(), loc, arith::CmpIPredicate::ne, parity, none);
}

bool Scalarizer::isOfPair(const Index &start) {
  if (add(start, pair->first, -1).isConstant())
    return true;
  // Within a row the chunk's number alone differs, of which the first element is that many lanes.
  // What does not depend on the row is read from a cache.
  ArrayRef<std::pair<unsigned, int64_t>> all = pair->first.addends;
  size_t found = 0;
  for (auto [id, factor] : start.addends) {
    const auto *known = llvm::find_if(all, [id = id](auto addend) { return addend.first == id; });
    bool isNumber = known != all.end() && known->second == pair->lanes;
    if ((known == all.end() && !uniform.contains(id)) || (isNumber && factor != pair->lanes))
      return false;
    found += known != all.end();
  }
  return pair->areInRows && found == all.size();
}

std::optional<Index> Scalarizer::findInPair(const Index &position, int64_t most, Value source) {
  if (!pair || predicate.condition || scope->guard != vectorGuard || most < pair->lanes / 2)
    return std::nullopt;
  Index start = add(position, constant(-pair->lane));
  int64_t length = pair->lanes / 2;
  bool isOneAccess = most >= pair->lanes && isMultiple(start, pair->lanes);
  auto [least, last] = range(start);
  if (isOneAccess || length < 2 || !isMultiple(start, length) || least < 0 ||
      last + pair->lanes > cast<MemRefType>(source.getType()).getNumElements() || !isOfPair(start))
    return std::nullopt;
  return start;
}

Index Scalarizer::getOfPair(const Index &start, int64_t access) {
  int64_t length = pair->lanes / 2;
  Index parity = getNumberInPair();
  if (pair->apart)
    return add(add(start, pair->apart->distances[access]), parity, length);
  return add(add(start, constant(access * pair->lanes)), parity, -length);
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

Value Scalarizer::loadOfPair(Value source, const Index &start, int64_t lane) {
  int64_t length = pair->lanes / 2;
  auto keyOf = [&](int64_t number) {
    SmallVector<int64_t, 8> key = {KeyPair, reinterpret_cast<int64_t>(source.getAsOpaquePointer()),
                                   number, start.constant};
    for (auto [id, factor] : start.addends)
      key.append({id, factor});
    return key;
  };
  if (Value known = findValue(scope, keyOf(lane)))
    return known;
  SmallVector<Value> halves[2];
  for (int64_t access : {0, 1}) {
    Value vector = loadNeighbours(source, getOfPair(start, access), length);
    for (int64_t element = 0; element < length; ++element)
      halves[access].push_back(vector::ExtractOp::create(here(), loc, vector, element));
  }
  auto [low, high] = swapHalves(*this, isOddOfPair(), halves[0], halves[1]);
  for (int64_t element = 0; element < length; ++element) {
    scope->values[keyOf(element)] = low[element];
    scope->values[keyOf(length + element)] = high[element];
  }
  return findValue(scope, keyOf(lane));
}

void Scalarizer::storeOfPair(ArrayRef<Value> values, Value source, const Index &start) {
  size_t length = values.size() / 2;
  auto [low, high] =
      swapHalves(*this, isOddOfPair(), values.take_front(length), values.drop_front(length));
  const SmallVector<Value> *halves[] = {&low, &high};
  for (int64_t access : {0, 1})
    when(pair->apart ? pair->apart->isThere[access] : Value(),
         [&] { storeNeighbours(*halves[access], source, getOfPair(start, access)); });
}
