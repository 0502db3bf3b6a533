//===- WarpOps.cpp - Shuffles, votes and barriers -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Execution.h"
#include "Numbers.h"
#include "Opcode.h"

#include <algorithm>

using namespace dmc::ptx;

static unsigned lowest(uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }

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
  uint64_t results[32] = {};
  bool inRange[32] = {};
  uint32_t unread = 0;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    int lane = static_cast<int>(lowest(lanes)), distance = static_cast<int>(by[lane] & 31);
    int clamp = static_cast<int>(control[lane] & 31),
        segment = static_cast<int>(control[lane] >> 8 & 31);
    int most = (lane & segment) | (clamp & ~segment & 31), least = lane & segment, from;
    switch (static_cast<Shuffle>(i.option)) {
    case Up:
      from = lane - distance;
      inRange[lane] = from >= most;
      break;
    case Down:
      from = lane + distance;
      inRange[lane] = from <= most;
      break;
    case Butterfly:
      from = lane ^ distance;
      inRange[lane] = from <= most;
      break;
    default:
      from = least | (distance & ~segment & 31);
      inRange[lane] = from <= most;
      break;
    }
    if (!inRange[lane])
      from = lane;
    if (!(groupOf(warp, i, mask, static_cast<unsigned>(lane)) >> from & 1))
      unread |= 1U << lane;
    results[lane] = value[from];
  }
  if (unread)
    warp.report(ReportKind::WrongMask, i, lowest(unread), "reads a lane that does not execute it");
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    warp.row(i.targets[0])[lane] = results[lane];
    if (i.numTargets > 1)
      warp.row(i.targets[1])[lane] = inRange[lane];
  }
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask);
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
  if (mask == warp.live())
    ++warp.epoch;
}

/// sources: the barrier, and how many threads it is for if not all.
void barrier(Warp &warp, const Instruction &i, uint32_t mask) {
  if (mask != warp.live())
    warp.report(ReportKind::DivergentBarrier, i, lowest(mask),
                "is reached by the lanes " + hex(mask) + " of " + hex(warp.live()));
  for (unsigned s = 0; s < i.numSources; ++s)
    warp.require(i, i.sources[s], mask);
  auto first = [&](unsigned s) {
    return static_cast<uint32_t>(warp.row(i.sources[s])[lowest(mask)]);
  };
  warp.barrier = first(0);
  warp.expected = i.numSources > 1 ? first(1) : 0;
  if (warp.barrier > 15 || warp.expected % 32) {
    warp.report(ReportKind::InvalidInstruction, i, lowest(mask),
                warp.barrier > 15 ? "names a barrier above 15"
                                  : "is for a number of threads that is not a multiple of 32");
    return;
  }
  warp.offered = warp.clocks;
  (i.option ? warp.isPassed : warp.isWaiting) = true;
  if (i.option) // what the warp does from here on is not ordered by the barrier
    ++warp.clocks[warp.number()];
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
    i.option = o.take("arrive");
    return i.option || o.take("sync");
  }
  return false;
}
