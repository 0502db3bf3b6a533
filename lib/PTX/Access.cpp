//===- Access.cpp - Loads, stores and atomics -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Execution.h"
#include "Numbers.h"
#include "Opcode.h"

#include <algorithm>

using namespace dmc::ptx;

static unsigned lowest(uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }

/// The space of a generic address, and the address in it.
static Space resolve(Space space, Address &address) {
  if (space != Space::Generic)
    return space == Space::Const ? Space::Global : space;
  for (auto [window, named] :
       {std::pair(sharedWindow, Space::Shared), std::pair(localWindow, Space::Local),
        std::pair(paramWindow, Space::Param)})
    if (address >= window && address - window < windowSize) {
      address -= window;
      return named;
    }
  return Space::Global;
}

uint8_t *dmc::ptx::bytesAt(Warp &warp, const Instruction &instruction, unsigned lane, Space space,
                           Address address, unsigned bytes, bool isWrite, bool isAtomic,
                           const uint8_t *value) {
  space = resolve(space, address);
  Block &block = warp.block();
  auto outside = [&](const std::string &name, uint64_t size, int64_t offset) -> uint8_t * {
    warp.report(ReportKind::OutOfBounds, instruction, lane,
                std::string(isWrite ? "writes " : "reads ") + std::to_string(bytes) +
                    " bytes at offset " + std::to_string(offset) + " of " + name + ", which has " +
                    std::to_string(size) + " bytes");
    return nullptr;
  };
  if (address % bytes) {
    warp.report(ReportKind::Misaligned, instruction, lane,
                std::string(isWrite ? "writes " : "reads ") + std::to_string(bytes) +
                    " bytes at an address that is not a multiple of that");
    return nullptr;
  }
  if (space == Space::Param) {
    const std::vector<uint8_t> &arguments = block.run().launch.arguments;
    if (isWrite || address > arguments.size() || bytes > arguments.size() - address)
      return outside("the parameters", arguments.size(), static_cast<int64_t>(address));
    return const_cast<uint8_t *>(arguments.data()) + address;
  }
  if (space == Space::Local) {
    uint64_t size = block.run().kernel.localBytes;
    if (address > size || bytes > size - address)
      return outside("local memory", size, static_cast<int64_t>(address));
    return warp.local(lane).data() + address;
  }
  Region *region = space == Space::Shared ? &block.shared() : block.run().memory.find(address);
  if (!region)
    return outside("no allocation", 0, static_cast<int64_t>(address));
  uint64_t offset = address - region->base;
  if (region->isFreed) {
    warp.report(ReportKind::UseAfterFree, instruction, lane,
                std::string(isWrite ? "writes " : "reads ") + std::to_string(bytes) +
                    " bytes at offset " + std::to_string(offset) + " of " + region->name +
                    ", which was freed");
    return nullptr;
  }
  if (offset > region->size || bytes > region->size - offset)
    return outside(region->name, region->size, static_cast<int64_t>(offset));
  block.access(warp, instruction, lane, *region, offset, bytes, isWrite, isAtomic, value);
  return region->bytes.data() + offset;
}

/// Counts what the addresses of a request cost.
static void count(Warp &warp, const Instruction &instruction, uint32_t mask, unsigned bytes) {
  Counts &counts = warp.block().run().outcome.counts;
  const uint64_t *bases = warp.row(instruction.sources[0]);
  uint64_t sectors[32 * 16], words[32 * 4];
  size_t numSectors = 0, numWords = 0;
  bool isShared = false, isGlobal = false;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    Address address = bases[lowest(lanes)] + static_cast<uint64_t>(instruction.offset);
    Space space = resolve(instruction.space, address);
    isShared |= space == Space::Shared;
    isGlobal |= space == Space::Global;
    for (uint64_t at = address / 32; at <= (address + bytes - 1) / 32; ++at)
      sectors[numSectors++] = at;
    for (uint64_t at = address / 4; at <= (address + bytes - 1) / 4 && numWords < 128; ++at)
      words[numWords++] = at;
  }
  if (isGlobal) {
    std::sort(sectors, sectors + numSectors);
    ++counts.globalRequests;
    counts.globalSectors +=
        static_cast<uint64_t>(std::unique(sectors, sectors + numSectors) - sectors);
    counts.globalBytes += uint64_t(bytes) * static_cast<unsigned>(__builtin_popcount(mask));
  }
  if (isShared) {
    // 32 banks of 4 bytes: a word is delivered to all that ask for it at once.
    std::sort(words, words + numWords);
    size_t distinct = static_cast<size_t>(std::unique(words, words + numWords) - words);
    unsigned inBank[32] = {}, most = 0;
    for (size_t i = 0; i < distinct; ++i)
      most = std::max(most, ++inBank[words[i] % 32]);
    ++counts.sharedRequests;
    // Wide requests take a cycle for each 128 bytes anyway.
    counts.bankConflicts +=
        most - std::min<unsigned>(most, static_cast<unsigned>((distinct + 31) / 32));
  }
}

static Address addressOf(Warp &warp, const Instruction &instruction, unsigned lane) {
  return warp.row(instruction.sources[0])[lane] + static_cast<uint64_t>(instruction.offset);
}

static uint64_t extend(uint64_t value, Type type) {
  switch (type) {
  case Type::S8:
    return static_cast<uint64_t>(int64_t(as<int8_t>(value)));
  case Type::S16:
    return static_cast<uint64_t>(int64_t(as<int16_t>(value)));
  case Type::S32:
    return static_cast<uint64_t>(int64_t(as<int32_t>(value)));
  default:
    return value;
  }
}

/// Elements of vectors lie one after the other; `option` has the bytes of a target register, to
/// which signs are extended.
static void load(Warp &warp, const Instruction &i, uint32_t mask) {
  warp.require(i, i.sources[0], mask);
  unsigned bytes = bytesOf(i.type), all = bytes * i.numTargets;
  count(warp, i, mask, all);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    const uint8_t *data =
        bytesAt(warp, i, lane, i.space, addressOf(warp, i, lane), all, false, false);
    for (unsigned t = 0; t < i.numTargets; ++t) {
      uint64_t value = 0;
      if (data)
        std::memcpy(&value, data + t * bytes, bytes);
      value = extend(value, i.type);
      if (i.option < 8)
        value &= (uint64_t(1) << (8 * i.option)) - 1;
      warp.row(i.targets[t])[lane] = value;
    }
  }
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask);
}

static void store(Warp &warp, const Instruction &i, uint32_t mask) {
  for (unsigned s = 0; s < i.numSources; ++s)
    warp.require(i, i.sources[s], mask);
  unsigned bytes = bytesOf(i.type), all = bytes * (i.numSources - 1);
  count(warp, i, mask, all);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    uint8_t values[64];
    for (unsigned s = 1; s < i.numSources; ++s)
      std::memcpy(values + (s - 1) * bytes, warp.row(i.sources[s]) + lane, bytes);
    if (uint8_t *data =
            bytesAt(warp, i, lane, i.space, addressOf(warp, i, lane), all, true, false, values))
      std::memcpy(data, values, all);
  }
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
  unsigned bytes = bytesOf(i.type), elements = i.from == Type::None ? 1 : i.numSources - 1;
  count(warp, i, mask, bytes * elements);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    for (unsigned e = 0; e < elements; ++e) {
      uint8_t *data =
          bytesAt(warp, i, lane, i.space, addressOf(warp, i, lane) + e * bytes, bytes, true, true);
      uint64_t old = 0;
      if (data) {
        std::memcpy(&old, data, bytes);
        uint64_t third = i.numSources > 2 && elements == 1 ? warp.row(i.sources[2])[lane] : 0;
        uint64_t value = changed(i, old, warp.row(i.sources[1 + e])[lane], third);
        std::memcpy(data, &value, bytes);
      }
      if (i.numTargets > e)
        warp.row(i.targets[e])[lane] = old;
    }
  }
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask);
}

/// Asynchronous copies are done at once: what waits for them is checked by nothing.
void copyAsync(Warp &warp, const Instruction &i, uint32_t mask) {
  for (unsigned s = 0; s < i.numSources; ++s)
    warp.require(i, i.sources[s], mask);
  unsigned bytes = i.option;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    uint64_t valid =
        i.numSources > 2 ? std::min<uint64_t>(warp.row(i.sources[2])[lane], bytes) : bytes;
    uint8_t values[16] = {};
    if (valid)
      if (const uint8_t *from = bytesAt(
              warp, i, lane, Space::Global,
              warp.row(i.sources[1])[lane] + static_cast<uint64_t>(i.jump), bytes, false, false))
        std::memcpy(values, from, valid);
    if (uint8_t *to = bytesAt(warp, i, lane, Space::Shared, addressOf(warp, i, lane), bytes, true,
                              false, values))
      std::memcpy(to, values, bytes);
  }
}

/// Between a generic address and one in a window.
void convertAddress(Warp &warp, const Instruction &i, uint32_t mask) {
  warp.require(i, i.sources[0], mask);
  Address window = i.space == Space::Shared  ? sharedWindow
                   : i.space == Space::Local ? localWindow
                   : i.space == Space::Param ? paramWindow
                                             : 0;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    uint64_t value = warp.row(i.sources[0])[lane];
    warp.row(i.targets[0])[lane] = i.option ? value - window : value + window;
  }
  warp.markWritten(i.targets[0], mask);
}

void isInSpace(Warp &warp, const Instruction &i, uint32_t mask) {
  warp.require(i, i.sources[0], mask);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    Address address = warp.row(i.sources[0])[lowest(lanes)];
    warp.row(i.targets[0])[lowest(lanes)] = resolve(Space::Generic, address) == i.space;
  }
  warp.markWritten(i.targets[0], mask);
}

void nothing(Warp &, const Instruction &, uint32_t) {}
} // namespace

static bool takeSpace(Opcode &o, Space &space) {
  static const std::pair<const char *, Space> names[] = {
      {"global", Space::Global},     {"shared", Space::Shared}, {"shared::cta", Space::Shared},
      {"local", Space::Local},       {"param", Space::Param},   {"const", Space::Const},
      {"param::entry", Space::Param}};
  for (auto [name, named] : names)
    if (o.take(name)) {
      space = named;
      return true;
    }
  return false;
}

bool dmc::ptx::decodeMemory(Opcode &o, Instruction &i) {
  i.type = o.type();
  // What caches do is not simulated, nor how far a fence reaches: launches are not concurrent.
  static const char *const hints[] = {"nc",
                                      "ca",
                                      "cg",
                                      "cs",
                                      "lu",
                                      "cv",
                                      "wb",
                                      "wt",
                                      "volatile",
                                      "weak",
                                      "relaxed",
                                      "acquire",
                                      "release",
                                      "acq_rel",
                                      "sc",
                                      "cta",
                                      "gpu",
                                      "sys",
                                      "cluster",
                                      "L1::evict_normal",
                                      "L1::evict_first",
                                      "L1::evict_last",
                                      "L1::no_allocate",
                                      "L1::evict_unchanged",
                                      "L2::64B",
                                      "L2::128B",
                                      "L2::256B",
                                      "L2::evict_last",
                                      "L2::evict_first",
                                      "L2::evict_normal",
                                      "mmio",
                                      "unified"};
  if (o.name == "membar" || o.name == "fence") {
    for (const char *hint : {"gl", "cta", "gpu", "sys", "cluster", "sc", "acq_rel", "acquire",
                             "release", "proxy", "async"})
      o.take(hint);
    i.run = nothing;
    return true;
  }
  bool isAccess =
      o.name == "ld" || o.name == "ldu" || o.name == "st" || o.name == "atom" || o.name == "red";
  if (isAccess) {
    takeSpace(o, i.space);
    for (const char *hint : hints)
      o.take(hint);
    o.takeOne({"v2", "v4", "v8"}); // the operands say it
  }
  if (o.name == "ld" || o.name == "ldu" || o.name == "st") {
    i.run = o.name == "st" ? store : load;
    return bytesOf(i.type) > 0 && bytesOf(i.type) <= 8;
  }
  if (o.name == "atom" || o.name == "red") {
    static const std::pair<const char *, Change> names[] = {
        {"add", Add},       {"min", Min},           {"max", Max},       {"and", And},
        {"or", Or},         {"xor", Xor},           {"exch", Exchange}, {"inc", Increment},
        {"dec", Decrement}, {"cas", CompareAndSwap}};
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
  if (o.name == "cvta") {
    i.option = o.take("to");
    i.run = convertAddress;
    return takeSpace(o, i.space);
  }
  if (o.name == "isspacep") {
    i.run = isInSpace;
    return takeSpace(o, i.space);
  }
  if (o.name == "prefetch" || o.name == "prefetchu") {
    takeSpace(o, i.space);
    o.takeOne({"L1", "L2", "L2::evict_last", "L2::evict_normal"});
    i.run = nothing;
    return true;
  }
  if (o.name == "cp" && o.take("async")) {
    i.run = nothing;
    if (o.take("commit_group") || o.take("wait_group") || o.take("wait_all"))
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
