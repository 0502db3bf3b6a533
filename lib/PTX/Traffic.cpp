//===- Traffic.cpp - What a launch moves of each allocation ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Traffic.h"

#include <algorithm>

using namespace dmc::ptx;

void TrafficCounter::add(const Memory &memory, uint32_t mask, const Address *addresses,
                         unsigned bytes, bool isWrite) {
  constexpr uint64_t sectorBytes = 32;
  // The sectors of a request that were counted, of each allocation that it touches.
  std::vector<std::pair<Touched *, uint64_t>> counted;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    const Region *region = memory.find(addresses[lane]);
    uint64_t offset = region ? addresses[lane] - region->base : 0;
    if (!region || offset > region->size || bytes > region->size - offset)
      continue;
    Touched &of = touched_[{region->base, isWrite}];
    if (of.bytes.empty()) {
      of.traffic.allocation = region->name;
      of.traffic.isWrite = isWrite;
      of.bytes.resize(region->size);
      of.sectors.resize(region->size / sectorBytes + 1); // allocations begin at multiples of 256
    }
    of.traffic.bytes += bytes;
    for (uint64_t at = offset; at < offset + bytes; ++at) {
      of.traffic.differentBytes += !of.bytes[at];
      of.bytes[at] = true;
    }
    for (uint64_t sector = offset / sectorBytes; sector <= (offset + bytes - 1) / sectorBytes;
         ++sector) {
      of.traffic.differentSectors += !of.sectors[sector];
      of.sectors[sector] = true;
      counted.emplace_back(&of, sector);
    }
  }
  std::sort(counted.begin(), counted.end());
  counted.erase(std::unique(counted.begin(), counted.end()), counted.end());
  for (auto [of, sector] : counted)
    ++of->traffic.sectors;
}

std::vector<Traffic> TrafficCounter::list() const {
  std::vector<Traffic> result;
  for (const auto &[key, of] : touched_)
    result.push_back(of.traffic);
  return result;
}
