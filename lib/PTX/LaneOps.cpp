//===- LaneOps.cpp - Instructions of each lane by itself ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneOps.h"

#include "Execution.h"
#include "Numbers.h"

using namespace dmc::ptx;

/// A number that follows from all of these alone (splitmix64).
static uint64_t hash(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t z = a * 0x9e3779b97f4a7c15 + b * 0xbf58476d1ce4e5b9 + c;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// The result of an approximation, wrong by up to what is allowed.
static uint64_t perturb(uint64_t bits, const Instruction &i, uint64_t seed, uint64_t operand) {
  float value = as<float>(bits);
  if (i.type != Type::F32 || !std::isfinite(value) || value == 0)
    return bits;
  uint64_t random = hash(seed, operand, static_cast<uint64_t>(i.line));
  if (i.jump) {
    auto distance = static_cast<int64_t>(random % (2 * i.jump + 1)) - i.jump;
    auto moved = static_cast<uint32_t>(static_cast<int64_t>(bits & 0x7fffffff) + distance);
    float result = as<float>(moved | (bits & 0x80000000));
    return std::isfinite(result) ? toBits(result) : bits;
  }
  double share = static_cast<double>(random >> 11) * 0x1p-52 - 1;
  return toBits(static_cast<float>(value + std::ldexp(share, static_cast<int>(i.offset))));
}

void dmc::ptx::runLanes(Warp &warp, const Instruction &i, uint32_t mask) {
  static const uint64_t zeros[32] = {};
  const uint64_t *sources[3] = {zeros, zeros, zeros};
  for (unsigned s = 0; s < i.numSources; ++s) {
    warp.require(i, i.sources[s], mask);
    sources[s] = warp.row(i.sources[s]);
  }
  uint64_t *target = warp.row(i.targets[0]);
  warp.markWritten(i.targets[0], mask);
  LaneFunction lane = i.lane;
  if (i.rows && mask == ~0U) {
    i.rows(target, sources[0], sources[1], sources[2]);
  } else if (i.rows && (mask & (mask - 1))) {
    uint64_t values[32];
    i.rows(values, sources[0], sources[1], sources[2]);
    for (unsigned l = 0; l < 32; ++l)
      target[l] = mask >> l & 1 ? values[l] : target[l];
  } else {
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      unsigned l = lowest(lanes);
      target[l] = lane(sources[0][l], sources[1][l], sources[2][l]);
    }
  }
  if (i.from != Type::None) {
    unsigned unused = 64 - 8 * bytesOf(i.from);
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      uint64_t &value = target[lowest(lanes)];
      value = static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
      if (i.option < 8)
        value &= (uint64_t(1) << (8 * i.option)) - 1;
    }
  }
  const Launch &launch = warp.block().run().launch;
  if ((i.jump || i.offset) && launch.approximates)
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      unsigned l = lowest(lanes);
      target[l] = perturb(target[l], i, launch.seed, sources[0][l]);
    }
}

void dmc::ptx::move(Warp &warp, const Instruction &i, uint32_t mask) {
  const uint64_t *source = warp.row(i.sources[0]);
  uint64_t *target = warp.row(i.targets[0]);
  if (mask == ~0U)
    std::memmove(target, source, 32 * sizeof *target);
  else
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
      target[lowest(lanes)] = source[lowest(lanes)];
  warp.markUnwritten(i.targets[0], mask & ~warp.written(i.sources[0]));
  warp.markWritten(i.targets[0], mask & warp.written(i.sources[0]));
}

void dmc::ptx::joinParts(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t part = i.option == 64 ? ~uint64_t(0) : (uint64_t(1) << i.option) - 1;
  uint32_t known = mask;
  for (unsigned s = 0; s < i.numSources; ++s)
    known &= warp.written(i.sources[s]);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    uint64_t value = 0;
    for (unsigned s = 0; s < i.numSources; ++s)
      value |= (warp.row(i.sources[s])[lowest(lanes)] & part) << (s * i.option);
    warp.row(i.targets[0])[lowest(lanes)] = value;
  }
  warp.markUnwritten(i.targets[0], mask & ~known);
  warp.markWritten(i.targets[0], known);
}

void dmc::ptx::splitParts(Warp &warp, const Instruction &i, uint32_t mask) {
  uint64_t part = i.option == 64 ? ~uint64_t(0) : (uint64_t(1) << i.option) - 1;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    uint64_t value = warp.row(i.sources[0])[lowest(lanes)];
    for (unsigned t = 0; t < i.numTargets; ++t)
      warp.row(i.targets[t])[lowest(lanes)] = value >> (t * i.option) & part;
  }
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask & warp.written(i.sources[0]));
}

void dmc::ptx::select(Warp &warp, const Instruction &i, uint32_t mask) {
  warp.require(i, i.sources[2], mask);
  const uint64_t *by = warp.row(i.sources[2]);
  uint32_t first = 0;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    uint64_t value = by[lowest(lanes)];
    bool isFirst = i.option == 0   ? value != 0
                   : i.option == 1 ? static_cast<int32_t>(value) >= 0
                                   : as<float>(value) >= 0;
    first |= uint32_t(isFirst) << lowest(lanes);
  }
  warp.require(i, i.sources[0], mask & first);
  warp.require(i, i.sources[1], mask & ~first);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
    warp.row(i.targets[0])[lowest(lanes)] =
        warp.row(i.sources[first >> lowest(lanes) & 1 ? 0 : 1])[lowest(lanes)];
  warp.markWritten(i.targets[0], mask);
}

void dmc::ptx::compare(Warp &warp, const Instruction &i, uint32_t mask) {
  for (unsigned s = 0; s < i.numSources; ++s)
    warp.require(i, i.sources[s], mask);
  auto combination = static_cast<Combination>(i.option);
  const uint64_t *a = warp.row(i.sources[0]), *b = warp.row(i.sources[1]);
  uint64_t values[32];
  if (i.rows)
    i.rows(values, a, b, b);
  else
    for (unsigned l = 0; l < 32; ++l)
      values[l] = i.lane(a[l], b[l], 0);
  uint64_t opposites[32];
  for (unsigned l = 0; l < 32; ++l)
    opposites[l] = values[l] ^ 1;
  if (combination != Combination::None) {
    const uint64_t *others = warp.row(i.sources[2]);
    bool isNegated = i.jump;
    for (unsigned l = 0; l < 32; ++l) {
      uint64_t other = (others[l] != 0) != isNegated;
      auto combine = [&](uint64_t value) {
        return combination == Combination::And  ? value & other
               : combination == Combination::Or ? value | other
                                                : value ^ other;
      };
      values[l] = combine(values[l]);
      opposites[l] = combine(opposites[l]);
    }
  }
  // True is 1 or, of `set`, what the type has for it.
  auto yes = static_cast<uint64_t>(i.offset);
  uint64_t *target = warp.row(i.targets[0]);
  for (unsigned l = 0; l < 32; ++l)
    target[l] = mask >> l & 1 ? (values[l] ? yes : 0) : target[l];
  if (i.numTargets > 1) {
    target = warp.row(i.targets[1]);
    for (unsigned l = 0; l < 32; ++l)
      target[l] = mask >> l & 1 ? opposites[l] : target[l];
  }
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask);
}

void dmc::ptx::comparePairs(Warp &warp, const Instruction &i, uint32_t mask) {
  for (unsigned s = 0; s < i.numSources; ++s)
    warp.require(i, i.sources[s], mask);
  uint64_t yes = i.type == Type::F16x2 ? 0x3c00 : i.type == Type::BF16x2 ? 0x3f80 : 0xffff;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned l = lowest(lanes);
    uint64_t a = warp.row(i.sources[0])[l], b = warp.row(i.sources[1])[l], halves[2];
    for (unsigned half = 0; half < 2; ++half) {
      uint64_t value = i.lane(a >> (16 * half) & 0xffff, b >> (16 * half) & 0xffff, 0);
      bool other = i.numSources > 2 && bool(warp.row(i.sources[2])[l]) != bool(i.jump);
      auto combination = static_cast<Combination>(i.option);
      halves[half] = combination == Combination::None  ? value
                     : combination == Combination::And ? value & other
                     : combination == Combination::Or  ? value | other
                                                       : value ^ other;
    }
    if (i.type == Type::Pred)
      for (unsigned t = 0; t < i.numTargets; ++t)
        warp.row(i.targets[t])[l] = halves[t];
    else
      warp.row(i.targets[0])[l] = (halves[0] ? yes : 0) | (halves[1] ? yes << 16 : 0);
  }
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask);
}

void dmc::ptx::logic3(Warp &warp, const Instruction &i, uint32_t mask) {
  for (unsigned s = 0; s < 4; ++s)
    warp.require(i, i.sources[s], mask);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned l = lowest(lanes);
    uint64_t a = warp.row(i.sources[0])[l], b = warp.row(i.sources[1])[l],
             c = warp.row(i.sources[2])[l];
    uint64_t table = warp.row(i.sources[3])[l], result = 0;
    for (unsigned entry = 0; entry < 8; ++entry)
      if (table >> entry & 1)
        result |= (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? c : ~c);
    warp.row(i.targets[0])[l] = result & 0xffffffff;
  }
  warp.markWritten(i.targets[0], mask);
}

void dmc::ptx::insertField(Warp &warp, const Instruction &i, uint32_t mask) {
  for (unsigned s = 0; s < 4; ++s)
    warp.require(i, i.sources[s], mask);
  unsigned width = 8 * bytesOf(i.type);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned l = lowest(lanes);
    uint64_t value = warp.row(i.sources[0])[l], result = warp.row(i.sources[1])[l];
    unsigned place = warp.row(i.sources[2])[l] & 0xff, length = warp.row(i.sources[3])[l] & 0xff;
    for (unsigned bit = 0; bit < length && place + bit < width; ++bit) {
      uint64_t one = uint64_t(1) << (place + bit);
      result = value >> bit & 1 ? result | one : result & ~one;
    }
    warp.row(i.targets[0])[l] = result;
  }
  warp.markWritten(i.targets[0], mask);
}

void dmc::ptx::carry(Warp &warp, const Instruction &i, uint32_t mask) {
  bool isWide = bytesOf(i.type) == 8;
  unsigned numValues = i.option & IsProduct ? 3 : 2;
  for (unsigned s = 0; s < i.numSources; ++s)
    warp.require(i, i.sources[s], mask);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned l = lowest(lanes);
    uint64_t a = warp.row(i.sources[0])[l], b = warp.row(i.sources[1])[l];
    uint64_t in = i.option & ReadsCarry ? warp.row(i.sources[numValues])[l] : 0;
    if (i.option & IsProduct) {
      bool isSign = isSigned(i.type);
      unsigned __int128 product =
          isWide ? (isSign ? static_cast<unsigned __int128>(__int128(int64_t(a)) * int64_t(b))
                           : static_cast<unsigned __int128>(a) * b)
                 : (isSign ? static_cast<unsigned __int128>(int64_t(int32_t(a)) * int32_t(b))
                           : static_cast<unsigned __int128>(a) * b);
      a = static_cast<uint64_t>(i.option & IsHigh ? product >> (isWide ? 64 : 32) : product);
      b = warp.row(i.sources[2])[l];
    }
    if (!isWide) {
      a &= 0xffffffff;
      b &= 0xffffffff;
    }
    // A difference borrows.
    unsigned __int128 sum = i.option & IsDifference ? static_cast<unsigned __int128>(a) - b - in
                                                    : static_cast<unsigned __int128>(a) + b + in;
    warp.row(i.targets[0])[l] = static_cast<uint64_t>(isWide ? sum : sum & 0xffffffff);
    if (i.option & WritesCarry)
      warp.row(i.targets[1])[l] = static_cast<uint64_t>(sum >> (isWide ? 64 : 32)) & 1;
  }
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask);
}

void dmc::ptx::branch(Warp &warp, const Instruction &i, uint32_t mask) { warp.jump(mask, i.jump); }

void dmc::ptx::branchByTable(Warp &warp, const Instruction &i, uint32_t mask) {
  warp.require(i, i.sources[0], mask);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    auto number = static_cast<uint32_t>(warp.row(i.sources[0])[lowest(lanes)]);
    if (number < i.table.size()) {
      warp.jump(1U << lowest(lanes), i.table[number]);
    } else {
      warp.report(ReportKind::InvalidInstruction, i, lowest(lanes),
                  "chooses target " + std::to_string(number) + " of " +
                      std::to_string(i.table.size()));
      warp.end(1U << lowest(lanes));
    }
  }
}

void dmc::ptx::endThread(Warp &warp, const Instruction &, uint32_t mask) { warp.end(mask); }

void dmc::ptx::trap(Warp &warp, const Instruction &i, uint32_t mask) {
  warp.report(ReportKind::InvalidInstruction, i, lowest(mask), "the kernel traps");
  warp.end(mask);
}

void dmc::ptx::doNothing(Warp &, const Instruction &, uint32_t) {}
