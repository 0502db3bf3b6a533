//===- Compute.cpp - Numerics of the simulated NCCL -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCCL promises no order of summation. The seed chooses one for each collective: that of the ranks
// (seed 0), a ring whose start depends on the position, in either direction, or a tree. The 16-bit
// floats are added up in f32 and rounded once.
//
//===----------------------------------------------------------------------===//

#include "Fakes/Nccl/Journal.h"

#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace dmc::cuda::nccl {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {
/// How elements are stored, and what they are computed in.
template <typename T>
struct Plain {
  using Stored = T;
  using Value = T;
  static Value load(Stored stored) { return stored; }
  static Stored store(Value value) { return value; }
};

struct Half {
  using Stored = uint16_t;
  using Value = float;
  static Value load(Stored stored) { return dmc::runtime::f16ToFloat(stored); }
  static Stored store(Value value) { return dmc::runtime::floatToF16(value); }
};

struct Brain {
  using Stored = uint16_t;
  using Value = float;
  static Value load(Stored stored) { return dmc::runtime::bf16ToFloat(stored); }
  static Stored store(Value value) { return dmc::runtime::floatToBf16(value); }
};

/// An order of summation.
struct Order {
  enum { Ranks, Ring, Tree } kind = Ranks;
  int offset = 0;
  bool isReversed = false;
};
} // namespace

static Order orderOf(const Clique &clique, const Meeting &meeting) {
  uint64_t drawn = drawFrom(clique.identity, meeting.sequence * 1000003 + meeting.launch);
  Order order;
  if (!drawn)
    return order;
  order.kind = drawn % 3 == 0 ? Order::Ranks : drawn % 3 == 1 ? Order::Ring : Order::Tree;
  order.offset = static_cast<int>(drawn / 8 % static_cast<uint64_t>(clique.size()));
  order.isReversed = drawn & 4;
  return order;
}

template <typename Value>
static Value apply(Reduction reduction, Value a, Value b) {
  // Integers wrap around.
  using Wide = std::conditional_t<std::is_integral_v<Value>, std::make_unsigned<Value>,
                                  std::common_type<Value>>;
  using Number = typename Wide::type;
  auto x = static_cast<Number>(a), y = static_cast<Number>(b);
  switch (reduction) {
  case Reduction::Product:
    return static_cast<Value>(x * y);
  case Reduction::Max:
    if constexpr (std::is_floating_point_v<Value>)
      return std::fmax(a, b);
    else
      return a > b ? a : b;
  case Reduction::Min:
    if constexpr (std::is_floating_point_v<Value>)
      return std::fmin(a, b);
    else
      return a < b ? a : b;
  default:
    return static_cast<Value>(x + y);
  }
}

/// Combines the values of all ranks, which it overwrites. `chunk` is the position's part of the
/// buffer, of as many as there are ranks.
template <typename Value>
static Value combine(Reduction reduction, const Order &order, int chunk, std::vector<Value> &values,
                     std::vector<Value> &permuted) {
  auto n = static_cast<int>(values.size());
  auto at = [&](int step) {
    int start = order.kind == Order::Ranks ? 0 : order.offset;
    if (order.kind == Order::Ring)
      start += chunk;
    int place = order.isReversed ? start - step : start + step;
    return values[static_cast<size_t>(((place % n) + n) % n)];
  };
  if (order.kind != Order::Tree) {
    Value sum = order.kind == Order::Ranks ? values[0] : at(0);
    for (int step = 1; step < n; ++step)
      sum = apply(reduction, sum, order.kind == Order::Ranks ? values[size_t(step)] : at(step));
    return sum;
  }
  for (int step = 0; step < n; ++step)
    permuted[static_cast<size_t>(step)] = at(step);
  auto count = static_cast<size_t>(n);
  for (size_t distance = 1; distance < count; distance *= 2)
    for (size_t i = 0; i + distance < count; i += 2 * distance)
      permuted[i] = apply(reduction, permuted[i], permuted[i + distance]);
  return permuted[0];
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// The operands of all ranks, of which `count` elements are reduced.
struct Operands {
  std::vector<const char *> sources;
  std::vector<Factor> factors; // with values on the host
  size_t count = 0;
  Reduction reduction = Reduction::Sum;
  Order order;
};
} // namespace

template <typename Element>
static std::vector<char> reduceAs(const Operands &operands) {
  using Stored = typename Element::Stored;
  using Value = typename Element::Value;
  size_t ranks = operands.sources.size();
  std::vector<char> result(operands.count * sizeof(Stored));
  std::vector<Value> values(ranks), permuted(ranks), factors(ranks);
  auto loadFrom = [](const char *bytes) {
    Stored stored;
    std::memcpy(&stored, bytes, sizeof stored);
    return Element::load(stored);
  };
  bool isAverage = operands.reduction == Reduction::Average;
  constexpr bool isFloat = std::is_floating_point_v<Value>;
  bool scales = static_cast<int>(operands.reduction) >= numReductions || (isAverage && isFloat);
  for (size_t rank = 0; rank < ranks && scales; ++rank)
    factors[rank] = isAverage ? static_cast<Value>(Value(1) / static_cast<Value>(ranks))
                              : loadFrom(operands.factors[rank].value);
  for (size_t i = 0; i < operands.count; ++i) {
    for (size_t rank = 0; rank < ranks; ++rank) {
      values[rank] = loadFrom(operands.sources[rank] + i * sizeof(Stored));
      if (scales)
        values[rank] = apply(Reduction::Product, values[rank], factors[rank]);
    }
    auto chunk = static_cast<int>(i * ranks / operands.count);
    Value value = combine(operands.reduction, operands.order, chunk, values, permuted);
    // As NCCL does, floats are divided before they are added up and integers after it.
    if (isAverage && !isFloat)
      value = static_cast<Value>(value / static_cast<Value>(ranks));
    Stored stored = Element::store(value);
    std::memcpy(&result[i * sizeof stored], &stored, sizeof stored);
  }
  return result;
}

static std::vector<char> reduce(Type type, const Operands &operands) {
  switch (type) {
  case Type::I8:
    return reduceAs<Plain<int8_t>>(operands);
  case Type::U8:
    return reduceAs<Plain<uint8_t>>(operands);
  case Type::I32:
    return reduceAs<Plain<int32_t>>(operands);
  case Type::U32:
    return reduceAs<Plain<uint32_t>>(operands);
  case Type::I64:
    return reduceAs<Plain<int64_t>>(operands);
  case Type::U64:
    return reduceAs<Plain<uint64_t>>(operands);
  case Type::F16:
    return reduceAs<Half>(operands);
  case Type::BF16:
    return reduceAs<Brain>(operands);
  case Type::F32:
    return reduceAs<Plain<float>>(operands);
  case Type::F64:
    return reduceAs<Plain<double>>(operands);
  default:
    return {}; // refused when it is called
  }
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

char *hostOf(uint64_t address, uint64_t bytes) {
  return static_cast<char *>(bytes ? dmcFakeHostAddress(address, bytes) : nullptr);
}

/// What a rank has sent; false if that is not in an allocation, which the driver has reported.
static bool fetch(const Clique &clique, const Meeting::Part &part, uint64_t bytes,
                  std::vector<char> &sent) {
  sent.resize(bytes);
  if (clique.journal) {
    clique.journal->read(part.data, sent.data(), std::min(bytes, part.dataBytes));
    return part.dataBytes == bytes;
  }
  const char *from = hostOf(part.call.send, bytes);
  if (from)
    std::memcpy(sent.data(), from, bytes);
  return from || !bytes;
}

void copy(const Clique &clique, Transfer &transfer) {
  const Call &sent = transfer.send.call, &received = transfer.receive.call;
  uint64_t bytes = sent.count * bytesOf(sent.type);
  std::vector<char> data;
  char *to = hostOf(received.receive, bytes);
  if (to && fetch(clique, transfer.send, bytes, data))
    std::memcpy(to, data.data(), bytes);
}

void compute(const Clique &clique, Meeting &meeting, int receiver) {
  int ranks = clique.size();
  const Call &first = meeting.parts.front().call;
  size_t own = first.count * bytesOf(first.type);
  // All is read before anything is written: buffers may be in place.
  std::vector<std::vector<char>> inputs(static_cast<size_t>(ranks));
  Operands operands;
  for (int rank = 0; rank < ranks; ++rank) {
    const Call &call = meeting.parts[static_cast<size_t>(rank)].call;
    uint64_t bytes = call.sendBytes(ranks, rank);
    std::vector<char> &input = inputs[static_cast<size_t>(rank)];
    if (!fetch(clique, meeting.parts[static_cast<size_t>(rank)], bytes, input))
      return;
    operands.sources.push_back(input.data());
    Factor factor = call.factor;
    if (factor.address)
      if (const char *value = hostOf(factor.address, bytesOf(factor.type)))
        std::memcpy(factor.value, value, bytesOf(factor.type));
    operands.factors.push_back(factor);
  }
  std::vector<char> all; // what all ranks, or their root, receive
  if (reduces(first.kind)) {
    operands.count = first.count * (first.kind == Kind::ReduceScatter ? size_t(ranks) : 1);
    operands.reduction = first.reduction;
    operands.order = orderOf(clique, meeting);
    all = reduce(first.type, operands);
  } else if (first.kind == Kind::AllGather) {
    for (const std::vector<char> &input : inputs)
      all.insert(all.end(), input.begin(), input.end());
  } else if (first.kind == Kind::Broadcast) {
    all = inputs[static_cast<size_t>(first.root)];
  }
  for (int rank = 0; rank < ranks; ++rank) {
    if (clique.journal && rank != receiver)
      continue; // does it itself
    const Call &call = meeting.parts[static_cast<size_t>(rank)].call;
    uint64_t bytes = call.receiveBytes(ranks, rank);
    char *to = hostOf(call.receive, bytes);
    if (!to)
      continue;
    size_t from = static_cast<size_t>(rank) * own;
    if (call.kind == Kind::ReduceScatter)
      std::memcpy(to, all.data() + from, bytes);
    else if (call.kind == Kind::AllToAll)
      for (size_t source = 0; source < inputs.size(); ++source)
        std::memcpy(to + source * own, inputs[source].data() + from, own);
    else
      std::memcpy(to, all.data(), bytes);
  }
}

} // namespace dmc::cuda::nccl
