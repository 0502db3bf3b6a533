//===- MemoryBarrier.cpp - Barriers that are objects in shared memory -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An mbarrier counts arrivals, and bytes of copies that are still to come; when none are pending
// its phase is complete and the next one begins (PTX ISA, "mbarrier"). What the 8 bytes hold is up
// to the implementation.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Numbers.h"

using namespace dmc::ptx;

namespace {
constexpr unsigned countBits = 20, bytesBits = 21;
constexpr uint64_t mostCount = (uint64_t(1) << countBits) - 1;

/// The object taken apart.
struct Object {
  uint64_t phase, pending, expected;
  int64_t bytes; // to come

  static Object of(uint64_t bits) {
    return {bits >> 61, bits & mostCount, bits >> countBits & mostCount,
            static_cast<int64_t>(bits << 3) >> (64 - bytesBits)};
  }
  uint64_t bits() const {
    return phase << 61 | pending | expected << countBits |
           (static_cast<uint64_t>(bytes) & ((uint64_t(1) << bytesBits) - 1)) << (2 * countBits);
  }
};

enum class Action : uint32_t { Init, Inval, Arrive, Drop, Expect, Complete, Test, CopiesArrive };
// Of `jump`.
enum : uint32_t { ByParity = 1, ExpectsBytes = 2, NoIncrement = 4 };

class Operation {
public:
  Operation(Warp &warp, const Instruction &i) : warp(warp), block(warp.block()), i(i) {}

  void run(unsigned lane, const Request &r) {
    uint8_t *data = r.region->bytes.data() + r.offsets[lane];
    uint64_t bits;
    std::memcpy(&bits, data, 8);
    Object object = Object::of(bits);
    MemoryBarrier &barrier = block.memoryBarriers()[r.offsets[lane]];
    change(lane, object, bits, barrier);
    bits = object.bits();
    if (r.writes)
      std::memcpy(data, &bits, 8);
  }

private:
  uint64_t operand(unsigned number, unsigned lane, uint64_t otherwise) {
    return i.numSources > number ? warp.row(i.sources[number])[lane] : otherwise;
  }
  void give(unsigned lane, uint64_t value) {
    if (i.numTargets) {
      warp.row(i.targets[0])[lane] = value;
      warp.markWritten(i.targets[0], 1U << lane);
    }
  }
  void wrong(unsigned lane, const std::string &what) {
    warp.report(ReportKind::InvalidInstruction, i, lane, what);
  }

  void change(unsigned lane, Object &object, uint64_t bits, MemoryBarrier &barrier) {
    switch (static_cast<Action>(i.option)) {
    case Action::Init: {
      uint64_t count = operand(1, lane, 1) & 0xffffffff;
      if (!count || count > mostCount)
        wrong(lane, "begins with a count of " + std::to_string(count) + ", expected 1 to " +
                        std::to_string(mostCount));
      object = {0, count & mostCount, count & mostCount, 0};
      barrier = {};
      return;
    }
    case Action::Inval:
      barrier = {};
      return;
    case Action::Expect:
      object.bytes += static_cast<int64_t>(operand(1, lane, 0) & 0xffffffff);
      return;
    case Action::Complete:
      object.bytes -= static_cast<int64_t>(operand(1, lane, 0) & 0xffffffff);
      return complete(object, barrier);
    case Action::Test: {
      uint64_t of = operand(1, lane, 0);
      bool isDone =
          i.jump & ByParity ? (object.phase & 1) != (of & 1) : object.phase != Object::of(of).phase;
      give(lane, isDone);
      if (isDone)
        warp.acquire(1U << lane, barrier.completed);
      return;
    }
    case Action::CopiesArrive:
      barrier.arriving = join(barrier.arriving, warp.release(1U << lane, /*withCopies=*/true));
      if (i.jump & NoIncrement)
        arrive(lane, object, barrier, 1);
      return;
    case Action::Arrive:
    case Action::Drop:
      give(lane, bits);
      barrier.arriving = join(barrier.arriving, warp.release(1U << lane));
      bool expects = i.jump & ExpectsBytes;
      if (expects)
        object.bytes += static_cast<int64_t>(operand(1, lane, 0) & 0xffffffff);
      uint64_t count = expects ? 1 : operand(1, lane, 1) & 0xffffffff;
      if (static_cast<Action>(i.option) == Action::Drop)
        object.expected -= std::min(count, object.expected);
      return arrive(lane, object, barrier, count);
    }
  }

  void arrive(unsigned lane, Object &object, MemoryBarrier &barrier, uint64_t count) {
    if (count > object.pending)
      wrong(lane, "arrives " + std::to_string(count) + " times at a barrier that expects " +
                      std::to_string(object.pending) + " more in its phase");
    object.pending -= std::min(count, object.pending);
    complete(object, barrier);
  }
  static void complete(Object &object, MemoryBarrier &barrier) {
    if (object.pending || object.bytes)
      return;
    object.phase = (object.phase + 1) & 7;
    object.pending = object.expected;
    barrier.completed = std::move(barrier.arriving);
    barrier.arriving = nullptr;
  }

  Warp &warp;
  Block &block;
  const Instruction &i;
};

/// sources: address, and an operand if there is one.
void memoryBarrier(Warp &warp, const Instruction &i, uint32_t mask) {
  for (unsigned s = 0; s < i.numSources; ++s)
    warp.require(i, i.sources[s], mask);
  Target target;
  auto action = static_cast<Action>(i.option);
  Request request;
  request.bytes = 8;
  request.isStrong = action != Action::Init && action != Action::Inval;
  request.reads = action != Action::Init;
  request.writes = action != Action::Test;
  // Lane by lane: each finds what the one before has left.
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    uint32_t one = lanes & -lanes;
    if (!gather(warp, i, one, 0, i.offset, i.space, target))
      continue;
    if (target.space != Space::Shared) {
      warp.report(ReportKind::OutOfBounds, i, lowest(one),
                  "is at an address that is not in shared memory");
      continue;
    }
    forRequests(
        warp, i, one, target, request,
        [&](const Request &r) {
          check(warp, i, r);
          Operation(warp, i).run(lowest(r.mask), r);
        },
        [](unsigned) {});
  }
}

/// How many arrivals a state lacks.
void pendingCount(Warp &warp, const Instruction &i, uint32_t mask) {
  warp.require(i, i.sources[0], mask);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
    warp.row(i.targets[0])[lowest(lanes)] =
        Object::of(warp.row(i.sources[0])[lowest(lanes)]).pending;
  warp.markWritten(i.targets[0], mask);
}
} // namespace

bool dmc::ptx::decodeMemoryBarrier(Opcode &o, Instruction &i) {
  bool isCopy = o.name == "cp";
  if (isCopy ? !o.modifiers.count("mbarrier") : o.name != "mbarrier")
    return false;
  i.type = Type::B64;
  i.run = memoryBarrier;
  if (isCopy) {
    i.option = static_cast<uint32_t>(Action::CopiesArrive);
    i.jump = o.take("noinc") ? NoIncrement : 0;
    if (!o.take("async") || !o.take("mbarrier") || !o.take("arrive"))
      return false;
  } else if (o.take("pending_count")) {
    i.run = pendingCount;
    return o.type() == Type::B64;
  } else {
    static const std::pair<const char *, Action> names[] = {
        {"init", Action::Init},           {"inval", Action::Inval},    {"arrive", Action::Arrive},
        {"arrive_drop", Action::Drop},    {"test_wait", Action::Test}, {"try_wait", Action::Test},
        {"complete_tx", Action::Complete}};
    bool isKnown = false;
    for (auto [name, action] : names)
      if (o.take(name)) {
        i.option = static_cast<uint32_t>(action);
        isKnown = true;
      }
    if (o.take("expect_tx")) {
      i.jump = ExpectsBytes;
      if (!isKnown)
        i.option = static_cast<uint32_t>(Action::Expect);
      isKnown = true;
    }
    if (o.take("parity"))
      i.jump |= ByParity;
    o.take("noComplete");
    if (!isKnown)
      return false;
  }
  // Whether a fence of a cluster or a block: one block runs here.
  o.takeOne({"release", "acquire", "relaxed"});
  o.takeOne({"cta", "cluster"});
  takeSpace(o, i.space);
  return o.type() == Type::B64;
}
