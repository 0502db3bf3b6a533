//===- WarpOps.cpp - Shuffles, votes and barriers -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Execution.h"
#include "Numbers.h"
#include "Opcode.h"

#include <algorithm>

using namespace dmc::ptx;

static std::string hex(uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", mask);
  return text;
}

/// Whether the lanes that are here are those that the instruction names. Several groups may be here
/// at once, of which each names its own lanes.
static void checkMask(Warp &warp, const Instruction &i, uint32_t mask) {
  uint32_t row = i.table.front();
  warp.require(i, row, mask);
  const uint64_t *names = warp.row(row);
  uint64_t all = ~uint64_t(0);
  for (unsigned lane = 0; lane < 32; ++lane)
    all &= names[lane];
  if (mask == ~0U && static_cast<uint32_t>(all) == mask)
    return;
  for (uint32_t rest = mask; rest;) {
    auto named = static_cast<uint32_t>(names[lowest(rest)]);
    uint32_t group = 0;
    for (uint32_t lanes = rest; lanes; lanes &= lanes - 1)
      if (static_cast<uint32_t>(names[lowest(lanes)]) == named)
        group |= 1U << lowest(lanes);
    // Lanes that have ended need not come.
    if ((named & warp.live()) != group)
      return warp.report(ReportKind::WrongMask, i, lowest(group),
                         "names the lanes " + hex(named) + ", but " + hex(group) + " execute it");
    rest &= ~group;
  }
}

/// The lanes that a lane exchanges values with.
static uint32_t groupOf(Warp &warp, const Instruction &i, uint32_t mask, unsigned lane) {
  return static_cast<uint32_t>(warp.row(i.table.front())[lane]) & mask;
}

namespace {
enum Shuffle : uint32_t { Up, Down, Butterfly, Index };

/// sources: value, lane or distance, clamp and segment mask
void shuffle(Warp &warp, const Instruction &i, uint32_t mask) {
  checkMask(warp, i, mask);
  for (unsigned s = 0; s < 3; ++s)
    warp.require(i, i.sources[s], mask);
  const uint64_t *value = warp.row(i.sources[0]), *by = warp.row(i.sources[1]),
                 *control = warp.row(i.sources[2]);
  const uint64_t *names = warp.row(i.table.front());
  uint64_t results[32], inRange[32];
  uint32_t unread = 0;
  // For all lanes: what those outside of the mask give is used by nobody.
  for (int lane = 0; lane < 32; ++lane) {
    auto distance = static_cast<int>(by[lane] & 31), clamp = static_cast<int>(control[lane] & 31),
         segment = static_cast<int>(control[lane] >> 8 & 31);
    int most = (lane & segment) | (clamp & ~segment & 31), from;
    switch (static_cast<Shuffle>(i.option)) {
    case Up:
      from = lane - distance;
      break;
    case Down:
      from = lane + distance;
      break;
    case Butterfly:
      from = lane ^ distance;
      break;
    default:
      from = (lane & segment) | (distance & ~segment & 31);
      break;
    }
    bool isIn = i.option == Up ? from >= most : from <= most;
    from = isIn ? from : lane;
    inRange[lane] = isIn;
    unread |= uint32_t(~(static_cast<uint32_t>(names[lane]) & mask) >> from & 1) << lane;
    results[lane] = value[from & 31];
  }
  unread &= mask;
  if (unread)
    warp.report(ReportKind::WrongMask, i, lowest(unread), "reads a lane that does not execute it");
  for (unsigned t = 0; t < i.numTargets; ++t) {
    uint64_t *target = warp.row(i.targets[t]);
    for (unsigned lane = 0; lane < 32; ++lane)
      target[lane] = mask >> lane & 1 ? (t ? inRange : results)[lane] : target[lane];
    warp.markWritten(i.targets[t], mask);
  }
}

enum Vote : uint32_t { All, Any, Uniform, Ballot };

void vote(Warp &warp, const Instruction &i, uint32_t mask) {
  checkMask(warp, i, mask);
  warp.require(i, i.sources[0], mask);
  uint32_t ones = 0;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
    if (bool(warp.row(i.sources[0])[lowest(lanes)]) != bool(i.jump)) // negated
      ones |= 1U << lowest(lanes);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    uint32_t group = groupOf(warp, i, mask, lowest(lanes)), own = ones & group;
    warp.row(i.targets[0])[lowest(lanes)] = i.option == All       ? own == group
                                            : i.option == Any     ? own != 0
                                            : i.option == Uniform ? own == group || !own
                                                                  : own;
  }
  warp.markWritten(i.targets[0], mask);
}

/// match.any gives the lanes of an equal value; match.all all of them, and whether it is so.
void match(Warp &warp, const Instruction &i, uint32_t mask) {
  checkMask(warp, i, mask);
  warp.require(i, i.sources[0], mask);
  const uint64_t *value = warp.row(i.sources[0]);
  uint64_t results[32] = {};
  bool areEqual[32] = {};
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    uint32_t group = groupOf(warp, i, mask, lowest(lanes));
    for (uint32_t others = group; others; others &= others - 1)
      if (value[lowest(others)] == value[lowest(lanes)])
        results[lowest(lanes)] |= 1U << lowest(others);
    areEqual[lowest(lanes)] = results[lowest(lanes)] == group;
  }
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    warp.row(i.targets[0])[lane] = i.option && !areEqual[lane] ? 0 : results[lane];
    if (i.numTargets > 1)
      warp.row(i.targets[1])[lane] = areEqual[lane];
  }
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask);
}

enum Reduction : uint32_t { Sum, Min, Max, And, Or, Xor };

uint32_t combine(const Instruction &i, uint32_t a, uint32_t b) {
  bool isLess = i.type == Type::S32 ? static_cast<int32_t>(b) < static_cast<int32_t>(a) : b < a;
  switch (static_cast<Reduction>(i.option)) {
  case Sum:
    return a + b;
  case Min:
    return isLess ? b : a;
  case Max:
    return isLess ? a : b;
  case And:
    return a & b;
  case Or:
    return a | b;
  case Xor:
    return a ^ b;
  }
  return a;
}

void reduce(Warp &warp, const Instruction &i, uint32_t mask) {
  checkMask(warp, i, mask);
  warp.require(i, i.sources[0], mask);
  const uint64_t *value = warp.row(i.sources[0]);
  uint32_t results[32];
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    uint32_t group = groupOf(warp, i, mask, lowest(lanes)) | 1U << lowest(lanes);
    auto result = static_cast<uint32_t>(value[lowest(group)]);
    for (uint32_t others = group & (group - 1); others; others &= others - 1)
      result = combine(i, result, static_cast<uint32_t>(value[lowest(others)]));
    results[lowest(lanes)] = result;
  }
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
    warp.row(i.targets[0])[lowest(lanes)] = results[lowest(lanes)];
  warp.markWritten(i.targets[0], mask);
}

void activeMask(Warp &warp, const Instruction &i, uint32_t mask) {
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
    warp.row(i.targets[0])[lowest(lanes)] = mask;
  warp.markWritten(i.targets[0], mask);
}

void elect(Warp &warp, const Instruction &i, uint32_t mask) {
  checkMask(warp, i, mask);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    unsigned leader = lowest(groupOf(warp, i, mask, lane) | 1U << lane);
    warp.row(i.targets[0])[lane] = leader;
    if (i.numTargets > 1)
      warp.row(i.targets[1])[lane] = lane == leader;
  }
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask);
}

void syncWarp(Warp &warp, const Instruction &i, uint32_t mask) {
  checkMask(warp, i, mask);
  // Several groups may meet here, each by itself.
  for (uint32_t rest = mask; rest;) {
    uint32_t group = groupOf(warp, i, mask, lowest(rest)) | (rest & -rest);
    warp.synchronize(group);
    rest &= ~group;
  }
}

/// sources: the barrier, how many threads it is for if not all, and the predicate of a reduction.
void barrier(Warp &warp, const Instruction &i, uint32_t mask) {
  if (mask != warp.live())
    warp.report(ReportKind::DivergentBarrier, i, lowest(mask),
                "is reached by the lanes " + hex(mask) + " of " + hex(warp.live()));
  for (unsigned s = 0; s < i.numSources; ++s)
    warp.require(i, i.sources[s], mask);
  auto first = [&](unsigned s) {
    return static_cast<uint32_t>(warp.row(i.sources[s])[lowest(mask)]);
  };
  unsigned numNumbers = i.numSources - (i.jump & BarrierReduces ? 1 : 0);
  uint32_t number = first(0), expected = numNumbers > 1 ? first(1) : 0;
  if (number > 15 || expected % 32) {
    warp.report(ReportKind::InvalidInstruction, i, lowest(mask),
                number > 15 ? "names a barrier above 15"
                            : "is for a number of threads that is not a multiple of 32");
    return;
  }
  if (i.jump & BarrierReduces) {
    warp.barrierReduction = &i;
    warp.votes = 0;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
      if (bool(warp.row(i.sources[numNumbers])[lowest(lanes)]) != bool(i.jump & BarrierNegates))
        warp.votes |= 1U << lowest(lanes);
  }
  warp.block().arrive(warp, number, expected, /*waits=*/!(i.jump & BarrierArrives));
}
} // namespace

bool dmc::ptx::decodeWarp(Opcode &o, Instruction &i) {
  i.type = o.type();
  i.synchronizes = true;
  auto option = [&](std::initializer_list<const char *> names) {
    uint32_t number = 0;
    for (const char *name : names) {
      if (o.take(name)) {
        i.option = number;
        return true;
      }
      ++number;
    }
    return false;
  };
  if (o.name == "shfl" && o.take("sync")) {
    i.run = shuffle;
    return option({"up", "down", "bfly", "idx"});
  }
  if (o.name == "vote" && o.take("sync")) {
    i.run = vote;
    return option({"all", "any", "uni", "ballot"});
  }
  if (o.name == "match" && o.modifiers.count("sync")) {
    o.take("sync");
    i.run = match;
    return option({"any", "all"});
  }
  if (o.name == "redux" && o.take("sync")) {
    i.run = reduce;
    return option({"add", "min", "max", "and", "or", "xor"}) && bytesOf(i.type) == 4 &&
           !isFloat(i.type);
  }
  if (o.name == "activemask") {
    i.synchronizes = false;
    i.run = activeMask;
    return true;
  }
  if (o.name == "elect" && o.take("sync")) {
    i.run = elect;
    return true;
  }
  if (o.name == "bar" || o.name == "barrier") {
    if (o.take("warp")) {
      i.run = syncWarp;
      return o.take("sync");
    }
    o.take("cta");
    o.take("aligned");
    i.run = barrier;
    if (o.take("red")) {
      i.jump = BarrierReduces;
      return option({"popc", "and", "or"}) && o.type() == (i.option == 0 ? Type::U32 : Type::Pred);
    }
    i.jump = o.take("arrive") ? BarrierArrives : 0;
    return i.jump || o.take("sync");
  }
  return false;
}
