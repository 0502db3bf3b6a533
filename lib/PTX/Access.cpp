//===- Access.cpp - Loads and stores --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Access.h"

#include "Numbers.h"
#include "Opcode.h"

#include <algorithm>

using namespace dmc::ptx;

static const std::pair<Address, Space> windows[] = {
    {sharedWindow, Space::Shared}, {localWindow, Space::Local}, {paramWindow, Space::Param}};

Space dmc::ptx::resolve(Space space, Address &address) {
  if (space != Space::Generic)
    return space == Space::Const ? Space::Global : space;
  for (auto [window, named] : windows)
    if (address >= window && address - window < windowSize) {
      address -= window;
      return named;
    }
  return Space::Global;
}

bool dmc::ptx::gather(Warp &warp, const Instruction &i, uint32_t mask, unsigned source,
                      int64_t offset, Space space, Target &target) {
  const uint64_t *bases = warp.row(i.sources[source]);
  for (unsigned lane = 0; lane < 32; ++lane)
    target.addresses[lane] = bases[lane] + static_cast<uint64_t>(offset);
  unsigned first = lowest(mask);
  Address address = target.addresses[first];
  target.space = resolve(space, address);
  Address window = target.addresses[first] - address;
  if (space != Space::Generic)
    return true;
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    Address of = target.addresses[lowest(lanes)];
    if (resolve(space, of) != target.space)
      return false;
    target.addresses[lowest(lanes)] -= window;
  }
  return true;
}

void dmc::ptx::reportOutside(Warp &warp, const Instruction &i, unsigned lane, bool isWrite,
                             unsigned bytes, const std::string &name, uint64_t size,
                             int64_t offset) {
  warp.report(ReportKind::OutOfBounds, i, lane,
              std::string(isWrite ? "writes " : "reads ") + std::to_string(bytes) +
                  " bytes at offset " + std::to_string(offset) + " of " + name + ", which has " +
                  std::to_string(size) + " bytes");
}

bool dmc::ptx::isAligned(Warp &warp, const Instruction &i, unsigned lane, Address address,
                         bool isWrite, unsigned bytes) {
  if (!(address & (bytes - 1)))
    return true;
  warp.report(ReportKind::Misaligned, i, lane,
              std::string(isWrite ? "writes " : "reads ") + std::to_string(bytes) +
                  " bytes at an address that is not a multiple of that");
  return false;
}

Region *dmc::ptx::regionAt(Warp &warp, const Instruction &i, unsigned lane, Space space,
                           Address address, unsigned bytes, bool isWrite) {
  Block &block = warp.block();
  if (!isAligned(warp, i, lane, address, isWrite, bytes))
    return nullptr;
  Region *region = space == Space::Shared ? &block.shared() : block.run().memory.find(address);
  if (!region) {
    reportOutside(warp, i, lane, isWrite, bytes, "no allocation", 0, static_cast<int64_t>(address));
    return nullptr;
  }
  uint64_t offset = address - region->base;
  if (region->isFreed) {
    warp.report(ReportKind::UseAfterFree, i, lane,
                std::string(isWrite ? "writes " : "reads ") + std::to_string(bytes) +
                    " bytes at offset " + std::to_string(offset) + " of " + region->name +
                    ", which was freed");
    return nullptr;
  }
  if (offset <= region->size && bytes <= region->size - offset)
    return region;
  reportOutside(warp, i, lane, isWrite, bytes, region->name, region->size,
                static_cast<int64_t>(offset));
  return nullptr;
}

bool dmc::ptx::locate(Warp &warp, const Instruction &i, uint32_t mask, const Target &target,
                      Request &request) {
  const Address *at = target.addresses;
  unsigned bytes = request.bytes;
  Address least = at[lowest(mask)], most = least, all = 0;
  if (mask == ~0U) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      least = std::min(least, at[lane]);
      most = std::max(most, at[lane]);
      all |= at[lane];
    }
  } else {
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      least = std::min(least, at[lowest(lanes)]);
      most = std::max(most, at[lowest(lanes)]);
      all |= at[lowest(lanes)];
    }
  }
  Block &block = warp.block();
  Region *region = target.space == Space::Shared ? &block.shared() : block.run().memory.find(least);
  if (all & (bytes - 1) || !region || least < region->base || most - region->base > region->size ||
      bytes > region->size - (most - region->base))
    return false;
  request.region = region;
  request.mask = mask;
  for (unsigned lane = 0; lane < 32; ++lane)
    request.offsets[lane] = at[lane] - region->base;
  findPattern(request);
  return true;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

static uint64_t distinct(uint64_t *values, size_t count) {
  if (!std::is_sorted(values, values + count))
    std::sort(values, values + count);
  return static_cast<uint64_t>(std::unique(values, values + count) - values);
}

/// Whether the lanes, all of them, access neighbouring bytes.
static bool areNeighbours(const Target &target, unsigned bytes) {
  bool result = true;
  for (unsigned lane = 0; lane < 32; ++lane)
    result &= target.addresses[lane] == target.addresses[0] + uint64_t(lane) * bytes;
  return result;
}

void dmc::ptx::count(Warp &warp, uint32_t mask, const Target &target, unsigned bytes,
                     bool isWrite) {
  Run &run = warp.block().run();
  Counts &counts = run.outcome.counts;
  if (run.launch.countsTraffic && target.space == Space::Global)
    run.traffic.add(run.memory, mask, target.addresses, bytes, isWrite);
  if (mask == ~0U && bytes <= 16 && areNeighbours(target, bytes)) {
    Address first = target.addresses[0], last = first + 32 * uint64_t(bytes) - 1;
    if (target.space == Space::Shared) {
      ++counts.sharedRequests; // each cycle takes 128 neighbouring bytes
    } else if (target.space == Space::Global) {
      ++counts.globalRequests;
      counts.globalSectors += last / 32 - first / 32 + 1;
      counts.globalBytes += last - first + 1;
    }
    return;
  }
  if (target.space == Space::Global) {
    uint64_t sectors[32 * 16];
    size_t numSectors = 0;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      Address address = target.addresses[lowest(lanes)];
      for (uint64_t at = address / 32; at <= (address + bytes - 1) / 32; ++at)
        if (!numSectors || sectors[numSectors - 1] != at)
          sectors[numSectors++] = at;
    }
    ++counts.globalRequests;
    counts.globalSectors += distinct(sectors, numSectors);
    counts.globalBytes += uint64_t(bytes) * static_cast<unsigned>(__builtin_popcount(mask));
  } else if (target.space == Space::Shared) {
    uint64_t words[32 * 8];
    size_t numWords = 0;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      Address address = target.addresses[lowest(lanes)];
      for (uint64_t at = address / 4; at <= (address + bytes - 1) / 4 && numWords < 256; ++at)
        if (!numWords || words[numWords - 1] != at)
          words[numWords++] = at;
    }
    ++counts.sharedRequests;
    // 32 banks of 4 bytes: a word is delivered to all that ask for it at once.
    uint32_t banks = 0;
    for (size_t w = 0; w < numWords; ++w)
      banks |= 1U << words[w] % 32;
    if (static_cast<size_t>(__builtin_popcount(banks)) == numWords)
      return;
    size_t number = distinct(words, numWords);
    unsigned inBank[32] = {}, most = 0;
    for (size_t w = 0; w < number; ++w)
      most = std::max(most, ++inBank[words[w] % 32]);
    // Wide requests take a cycle for each 128 bytes anyway.
    counts.bankConflicts +=
        most - std::min<unsigned>(most, static_cast<unsigned>((number + 31) / 32));
  }
}

//===----------------------------------------------------------------------===//
// Local memory and parameters
//===----------------------------------------------------------------------===//

uint8_t *dmc::ptx::ownBytes(Warp &warp, const Instruction &i, unsigned lane, const Target &target,
                            unsigned bytes, bool isWrite, uint8_t *&written) {
  Address address = target.addresses[lane];
  const Run &run = warp.block().run();
  written = nullptr;
  if (!isAligned(warp, i, lane, address, isWrite, bytes))
    return nullptr;
  bool isLocal = target.space == Space::Local;
  uint64_t size = isLocal ? run.kernel.localBytes : run.launch.arguments.size();
  if ((isWrite && !isLocal) || address > size || bytes > size - address) {
    reportOutside(warp, i, lane, isWrite, bytes, isLocal ? "local memory" : "the parameters", size,
                  static_cast<int64_t>(address));
    return nullptr;
  }
  if (!isLocal)
    return const_cast<uint8_t *>(run.launch.arguments.data()) + address;
  written = warp.localWritten(lane) + address;
  return warp.local(lane) + address;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The value of a register of so many bytes whose low ones are `value`.
template <typename T>
static uint64_t extended(T value, uint64_t keep) {
  return static_cast<uint64_t>(static_cast<int64_t>(value)) & keep;
}

/// Element `number` of `stride` bytes at each lane's offset becomes its value in the row.
template <typename T>
static void loadRow(uint64_t *row, const uint8_t *bytes, const Request &r, unsigned number,
                    uint64_t keep) {
  bytes += number * sizeof(T);
  auto get = [&](uint64_t offset) {
    T value;
    std::memcpy(&value, bytes + offset, sizeof value);
    return extended(value, keep);
  };
  if (r.mask != ~0U) {
    for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1)
      row[lowest(lanes)] = get(r.offsets[lowest(lanes)]);
  } else if (r.isUniform) {
    std::fill_n(row, 32, get(r.offsets[0]));
  } else if (r.isContiguous) {
    bytes += r.offsets[0];
    if (r.bytes == sizeof(T)) {
      for (unsigned lane = 0; lane < 32; ++lane) {
        T value;
        std::memcpy(&value, bytes + lane * sizeof(T), sizeof value);
        row[lane] = extended(value, keep);
      }
    } else {
      for (unsigned lane = 0; lane < 32; ++lane) {
        T value;
        std::memcpy(&value, bytes + size_t(lane) * r.bytes, sizeof value);
        row[lane] = extended(value, keep);
      }
    }
  } else {
    for (unsigned lane = 0; lane < 32; ++lane)
      row[lane] = get(r.offsets[lane]);
  }
}

using RowLoader = void (*)(uint64_t *, const uint8_t *, const Request &, unsigned, uint64_t);
static RowLoader loaderOf(Type type) {
  switch (type) {
  case Type::S8:
    return loadRow<int8_t>;
  case Type::S16:
    return loadRow<int16_t>;
  case Type::S32:
    return loadRow<int32_t>;
  default:
    switch (bytesOf(type)) {
    case 1:
      return loadRow<uint8_t>;
    case 2:
      return loadRow<uint16_t>;
    case 4:
      return loadRow<uint32_t>;
    default:
      return loadRow<uint64_t>;
    }
  }
}

static uint64_t keepBytes(unsigned bytes) {
  return bytes < 8 ? (uint64_t(1) << (8 * bytes)) - 1 : ~uint64_t(0);
}

static uint64_t loaded(const uint8_t *data, unsigned bytes, Type type) {
  uint64_t value = 0;
  std::memcpy(&value, data, bytes);
  if (!isSigned(type) || bytes == 8)
    return value;
  unsigned unused = 64 - 8 * bytes;
  return static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
}

/// A register of which no byte was ever written is not either.
static void loadOwn(Warp &warp, const Instruction &i, uint32_t mask, const Target &target) {
  unsigned bytes = bytesOf(i.type), all = bytes * i.numTargets;
  uint8_t *written;
  if (target.space == Space::Param && i.numTargets == 1 && mask == ~0U &&
      std::count(target.addresses, target.addresses + 32, target.addresses[0]) == 32)
    if (const uint8_t *data = ownBytes(warp, i, 0, target, all, false, written)) {
      std::fill_n(warp.row(i.targets[0]), 32, loaded(data, bytes, i.type) & keepBytes(i.option));
      return warp.markWritten(i.targets[0], mask);
    }
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    const uint8_t *data = ownBytes(warp, i, lane, target, all, false, written);
    for (unsigned t = 0; t < i.numTargets; ++t) {
      warp.row(i.targets[t])[lane] =
          data ? loaded(data + t * bytes, bytes, i.type) & keepBytes(i.option) : 0;
      bool isKnown = !written || std::find(written + t * bytes, written + (t + 1) * bytes, 1) !=
                                     written + (t + 1) * bytes;
      if (isKnown)
        warp.markWritten(i.targets[t], 1U << lane);
      else
        warp.markUnwritten(i.targets[t], 1U << lane);
    }
  }
}

/// Elements of vectors lie one after the other; `option` has the bytes of a target register, to
/// which signs are extended.
static void load(Warp &warp, const Instruction &i, uint32_t mask) {
  warp.require(i, i.sources[0], mask);
  Target target;
  if (!gather(warp, i, mask, 0, i.offset, i.space, target)) {
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
      load(warp, i, lanes & -lanes);
    return;
  }
  if (target.space == Space::Local || target.space == Space::Param)
    return loadOwn(warp, i, mask, target);
  unsigned bytes = bytesOf(i.type), all = bytes * i.numTargets;
  count(warp, mask, target, all, /*isWrite=*/false);
  for (unsigned t = 0; t < i.numTargets; ++t)
    warp.markWritten(i.targets[t], mask);
  RowLoader loader = loaderOf(i.type);
  uint64_t keep = keepBytes(i.option);
  Request request;
  request.bytes = all;
  request.reads = true;
  request.isStrong = i.order & Strong;
  forRequests(
      warp, i, mask, target, request,
      [&](const Request &r) {
        check(warp, i, r);
        if (i.order & Strong && warp.block().run().kernel.usesFlags)
          seeFlags(warp, i, r);
        for (unsigned t = 0; t < i.numTargets; ++t)
          loader(warp.row(i.targets[t]), r.region->bytes.data(), r, t, keep);
      },
      [&](unsigned lane) {
        for (unsigned t = 0; t < i.numTargets; ++t)
          warp.row(i.targets[t])[lane] = 0;
      });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

template <typename T>
static void storeRow(const uint64_t *row, uint8_t *bytes, const Request &r, unsigned number) {
  bytes += number * sizeof(T);
  if (r.mask == ~0U && r.isContiguous && r.bytes == sizeof(T)) {
    bytes += r.offsets[0];
    for (unsigned lane = 0; lane < 32; ++lane) {
      auto value = static_cast<T>(row[lane]);
      std::memcpy(bytes + lane * sizeof(T), &value, sizeof value);
    }
    return;
  }
  for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1) {
    auto value = static_cast<T>(row[lowest(lanes)]);
    std::memcpy(bytes + r.offsets[lowest(lanes)], &value, sizeof value);
  }
}

static void storeOwn(Warp &warp, const Instruction &i, uint32_t mask, const Target &target) {
  unsigned bytes = bytesOf(i.type), all = bytes * (i.numSources - 1);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    uint8_t *written, *data = ownBytes(warp, i, lane, target, all, true, written);
    for (unsigned s = 1; s < i.numSources && data; ++s) {
      std::memcpy(data + (s - 1) * bytes, warp.row(i.sources[s]) + lane, bytes);
      // What copies a value that was never written does not read it.
      std::fill_n(written + (s - 1) * bytes, bytes, warp.written(i.sources[s]) >> lane & 1);
    }
  }
}

static void store(Warp &warp, const Instruction &i, uint32_t mask) {
  warp.require(i, i.sources[0], mask);
  Target target;
  if (!gather(warp, i, mask, 0, i.offset, i.space, target)) {
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
      store(warp, i, lanes & -lanes);
    return;
  }
  if (target.space == Space::Local || target.space == Space::Param)
    return storeOwn(warp, i, mask, target);
  Request request;
  request.numValues = i.numSources - 1;
  request.valueBytes = bytesOf(i.type);
  request.bytes = request.valueBytes * request.numValues;
  request.writes = true;
  request.isStrong = i.order & Strong;
  for (unsigned s = 1; s < i.numSources; ++s) {
    warp.require(i, i.sources[s], mask);
    request.values[s - 1] = warp.row(i.sources[s]);
  }
  count(warp, mask, target, request.bytes, /*isWrite=*/true);
  auto write = [&](const Request &r) {
    check(warp, i, r);
    if (i.order & Strong && warp.block().run().kernel.usesFlags)
      setFlags(warp, i, r);
    uint8_t *bytes = r.region->bytes.data();
    for (unsigned v = 0; v < r.numValues; ++v)
      switch (r.valueBytes) {
      case 1:
        storeRow<uint8_t>(r.values[v], bytes, r, v);
        break;
      case 2:
        storeRow<uint16_t>(r.values[v], bytes, r, v);
        break;
      case 4:
        storeRow<uint32_t>(r.values[v], bytes, r, v);
        break;
      default:
        storeRow<uint64_t>(r.values[v], bytes, r, v);
      }
  };
  forRequests(
      warp, i, mask, target, request,
      [&](const Request &r) {
        if (r.isContiguous || r.isUniform)
          return write(r);
        // Lanes may store to one place: what each finds there is what the one before has stored.
        bool areDistinct = true;
        uint64_t last = r.offsets[lowest(r.mask)];
        for (uint32_t lanes = r.mask & (r.mask - 1); lanes && areDistinct; lanes &= lanes - 1) {
          areDistinct = r.offsets[lowest(lanes)] > last;
          last = r.offsets[lowest(lanes)];
        }
        if (areDistinct)
          return write(r);
        Request one = r;
        for (uint32_t lanes = r.mask; lanes; lanes &= lanes - 1) {
          one.mask = lanes & -lanes;
          one.isUniform = one.isContiguous = true;
          write(one);
        }
      },
      [](unsigned) {});
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace {
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

} // namespace

bool dmc::ptx::takeSpace(Opcode &o, Space &space) {
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

/// What caches do is not simulated.
static const char *const hints[] = {"nc",
                                    "ca",
                                    "cg",
                                    "cs",
                                    "lu",
                                    "cv",
                                    "wb",
                                    "wt",
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
                                    "unified"};

void dmc::ptx::takeOrder(Opcode &o, Instruction &i) {
  for (const char *strong : {"volatile", "relaxed", "mmio"})
    if (o.take(strong))
      i.order |= Strong;
  if (o.take("acquire"))
    i.order |= Strong | Acquires;
  if (o.take("release"))
    i.order |= Strong | Releases;
  for (const char *both : {"acq_rel", "sc"})
    if (o.take(both))
      i.order |= Strong | Acquires | Releases;
  o.take("weak");
  if (o.take("cta"))
    i.order |= InBlock;
  o.takeOne({"gl", "gpu", "sys", "cluster"});
}

namespace {
/// Waits until the strong accesses before are seen by all: lanes pass on and take what they know.
void fence(Warp &warp, const Instruction &i, uint32_t mask) { warp.fence(mask, i.order & InBlock); }

void nothing(Warp &, const Instruction &, uint32_t) {}
} // namespace

bool dmc::ptx::decodeMemory(Opcode &o, Instruction &i) {
  i.type = o.type();
  if (o.name == "membar" || o.name == "fence") {
    // A proxy is another way to memory, which is not simulated.
    if (o.take("proxy") || o.take("mbarrier_init")) {
      o.takeOne({"alias", "async", "async.global", "tensormap::generic"});
      for (const char *part : {"global", "shared::cta", "shared::cluster", "release", "acquire",
                               "cluster", "gpu", "cta", "sys"})
        o.take(part);
      i.run = nothing;
      return true;
    }
    takeOrder(o, i);
    i.run = fence;
    return true;
  }
  if (o.name == "ld" || o.name == "ldu" || o.name == "st") {
    takeSpace(o, i.space);
    takeOrder(o, i);
    for (const char *hint : hints)
      o.take(hint);
    o.takeOne({"v2", "v4", "v8"}); // the operands say it
    i.run = o.name == "st" ? store : load;
    return bytesOf(i.type) > 0 && bytesOf(i.type) <= 8;
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
  return decodeAtomic(o, i);
}
