//===- Atomics.cpp - Atomics, flags and asynchronous copies ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Access.h"
#include "Numbers.h"

#include <algorithm>

using namespace dmc::ptx;

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

static std::unordered_map<Address, Release> &flagsOf(Warp &warp, const Request &r) {
  Block &block = warp.block();
  return r.region == &block.shared() ? block.flags() : block.run().flags;
}

void dmc::ptx::seeFlags(Warp &warp, const Instruction &i, const Request &r) {
  auto &flags = flagsOf(warp, r);
  if (flags.empty())
    return;
  for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1)
    if (auto found = flags.find(r.region->base + r.offsets[lowest(lanes)]); found != flags.end())
      warp.acquireFrom(found->second, lowest(lanes), i);
}

void dmc::ptx::setFlags(Warp &warp, const Instruction &i, const Request &r) {
  auto &flags = flagsOf(warp, r);
  for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1)
    warp.releaseTo(flags[r.region->base + r.offsets[lowest(lanes)]], lowest(lanes), i, r.reads);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

namespace {
enum Change : uint32_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exchange,
  Increment,
  Decrement,
  CompareAndSwap
};

template <typename T>
uint64_t changeInt(Change change, uint64_t old, uint64_t b, uint64_t c) {
  T a = as<T>(old), v = as<T>(b);
  switch (change) {
  case Add:
    return toBits<T>(
        static_cast<T>(as<std::make_unsigned_t<T>>(old) + as<std::make_unsigned_t<T>>(b)));
  case Min:
    return toBits(std::min(a, v));
  case Max:
    return toBits(std::max(a, v));
  case And:
    return toBits<T>(a & v);
  case Or:
    return toBits<T>(a | v);
  case Xor:
    return toBits<T>(a ^ v);
  case Exchange:
    return toBits(v);
  case Increment:
    return toBits<T>(a >= v ? 0 : a + 1);
  case Decrement:
    return toBits<T>(a == 0 || a > v ? v : a - 1);
  case CompareAndSwap:
    return a == v ? c : old;
  }
  return old;
}

uint64_t changed(const Instruction &i, uint64_t old, uint64_t b, uint64_t c) {
  auto change = static_cast<Change>(i.option);
  switch (i.type) {
  case Type::F32:
    return toBits(as<float>(old) + as<float>(b));
  case Type::F64:
    return toBits(as<double>(old) + as<double>(b));
  case Type::F16:
    return Half::of(as<Half>(old).value() + as<Half>(b).value()).bits;
  case Type::BF16:
    return BFloat::of(oddSum(as<BFloat>(old).value(), as<BFloat>(b).value())).bits;
  case Type::F16x2:
  case Type::BF16x2: {
    Instruction half = i;
    half.type = i.type == Type::F16x2 ? Type::F16 : Type::BF16;
    return changed(half, old & 0xffff, b & 0xffff, 0) |
           changed(half, old >> 16 & 0xffff, b >> 16 & 0xffff, 0) << 16;
  }
  case Type::S32:
    return changeInt<int32_t>(change, old, b, c);
  case Type::S64:
    return changeInt<int64_t>(change, old, b, c);
  case Type::B16:
  case Type::U16:
    return changeInt<uint16_t>(change, old, b, c);
  case Type::U64:
  case Type::B64:
    return changeInt<uint64_t>(change, old, b, c);
  default:
    return changeInt<uint32_t>(change, old, b, c);
  }
}

/// sources: address, then a value for each element, then that to exchange by; targets: none for
/// reductions.
void atomic(Warp &warp, const Instruction &i, uint32_t mask) {
  for (unsigned s = 0; s < i.numSources; ++s)
    warp.require(i, i.sources[s], mask);
  Target target;
  if (!gather(warp, i, mask, 0, i.offset, i.space, target)) {
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
      atomic(warp, i, lanes & -lanes);
    return;
  }
  unsigned bytes = bytesOf(i.type), elements = i.from == Type::None ? 1 : i.numSources - 1;
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask);
  bool swaps = i.numSources > 2 && elements == 1;
  auto change = [&](unsigned lane, uint8_t *data) {
    for (unsigned e = 0; e < elements; ++e) {
      uint64_t old = 0;
      std::memcpy(&old, data + e * bytes, bytes);
      uint64_t third = swaps ? warp.row(i.sources[2])[lane] : 0;
      uint64_t value = changed(i, old, warp.row(i.sources[1 + e])[lane], third);
      std::memcpy(data + e * bytes, &value, bytes);
      if (i.numTargets > e)
        warp.row(i.targets[e])[lane] = old;
    }
  };
  auto missing = [&](unsigned lane) {
    for (unsigned t = 0; t < i.numTargets; ++t)
      warp.row(i.targets[t])[lane] = 0;
  };
  if (target.space == Space::Local || target.space == Space::Param) {
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      uint8_t *written;
      if (uint8_t *data = ownBytes(warp, i, lowest(lanes), target, bytes * elements, true, written))
        change(lowest(lanes), data);
      else
        missing(lowest(lanes));
    }
    return;
  }
  count(warp, mask, target, bytes * elements, /*isWrite=*/true);
  Request request;
  request.bytes = bytes * elements;
  request.reads = request.writes = request.isStrong = true;
  forRequests(
      warp, i, mask, target, request,
      [&](const Request &r) {
        check(warp, i, r);
        bool usesFlags = warp.block().run().kernel.usesFlags;
        if (!usesFlags || !(r.mask & (r.mask - 1))) {
          if (usesFlags) {
            seeFlags(warp, i, r);
            setFlags(warp, i, r);
          }
        } else { // lane by lane, so that each sees what the one before left
          Request one = r;
          for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1) {
            one.mask = lanes & -lanes;
            seeFlags(warp, i, one);
            setFlags(warp, i, one);
          }
        }
        for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1)
          change(lowest(lanes), r.region->bytes.data() + r.offsets[lowest(lanes)]);
      },
      missing);
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

/// The bytes are there at once; a read of them before they are waited for is reported.
void copyAsync(Warp &warp, const Instruction &i, uint32_t mask) {
  for (unsigned s = 0; s < i.numSources; ++s)
    warp.require(i, i.sources[s], mask);
  unsigned bytes = i.option;
  uint8_t values[32][16] = {};
  Target target;
  if (!gather(warp, i, mask, 1, static_cast<int32_t>(i.jump), Space::Global, target))
    return;
  Request request;
  request.bytes = bytes;
  request.reads = true;
  uint64_t valid[32];
  uint32_t reading = 0;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    valid[lane] =
        i.numSources > 2 ? std::min<uint64_t>(warp.row(i.sources[2])[lane], bytes) : bytes;
    reading |= uint32_t(valid[lane] != 0) << lane;
  }
  auto nothing = [](unsigned) {};
  if (reading) {
    count(warp, reading, target, bytes, /*isWrite=*/false);
    forRequests(
        warp, i, reading, target, request,
        [&](const Request &r) {
          check(warp, i, r);
          for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1)
            std::memcpy(values[lowest(lanes)], r.region->bytes.data() + r.offsets[lowest(lanes)],
                        valid[lowest(lanes)]);
        },
        nothing);
  }
  gather(warp, i, mask, 0, i.offset, Space::Shared, target);
  count(warp, mask, target, bytes, /*isWrite=*/true);
  request.reads = false;
  request.writes = request.isCopy = true;
  forRequests(
      warp, i, mask, target, request,
      [&](const Request &r) {
        check(warp, i, r);
        for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1)
          std::memcpy(r.region->bytes.data() + r.offsets[lowest(lanes)], values[lowest(lanes)],
                      bytes);
      },
      nothing);
}

void commitGroup(Warp &warp, const Instruction &, uint32_t mask) { warp.commitCopies(mask); }
/// `option`: how many groups may be left; of `wait_all` none, and also no copy without a group.
void waitGroup(Warp &warp, const Instruction &i, uint32_t mask) {
  warp.waitForCopies(mask, i.option, i.jump);
}
} // namespace

bool dmc::ptx::decodeAtomic(Opcode &o, Instruction &i) {
  if (o.name == "atom" || o.name == "red") {
    static const std::pair<const char *, Change> names[] = {
        {"add", Add},       {"min", Min},           {"max", Max},       {"and", And},
        {"or", Or},         {"xor", Xor},           {"exch", Exchange}, {"inc", Increment},
        {"dec", Decrement}, {"cas", CompareAndSwap}};
    takeSpace(o, i.space);
    takeOrder(o, i);
    i.order |= Strong;
    o.takeOne({"v2", "v4", "v8"}); // the operands say it
    o.take("noftz");
    o.take("ftz");
    for (auto [name, change] : names)
      if (o.take(name)) {
        i.option = change;
        i.run = atomic;
        bool isFloating = isFloat(i.type);
        return bytesOf(i.type) >= 2 && bytesOf(i.type) <= 8 && (!isFloating || change == Add);
      }
    return false;
  }
  if (o.name == "cp" && o.take("async")) {
    i.run = commitGroup;
    if (o.take("commit_group"))
      return true;
    i.run = waitGroup;
    i.jump = o.take("wait_all");
    if (i.jump || o.take("wait_group"))
      return true;
    if (!o.takeOne({"ca", "cg"}).size() || !o.takeOne({"shared", "shared::cta"}).size() ||
        !o.take("global"))
      return false;
    o.takeOne({"L2::64B", "L2::128B", "L2::256B"});
    i.run = copyAsync;
    return true;
  }
  return false;
}
