//===- Memory.cpp - The memory of a simulated device ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/PTX/Memory.h"

#include <algorithm>
#include <cstring>

using namespace dmc::ptx;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static Region::Array zeros(uint64_t count) {
  auto *array = static_cast<uint32_t *>(std::calloc(std::max<uint64_t>(count, 1), 4));
  if (!array)
    std::abort(); // as operator new does here
  return Region::Array(array);
}

Region::Region(std::string name, Address base, uint64_t size)
    : name(std::move(name)), base(base), size(size), bytes(size, 0xcb), writers(zeros(numCells())),
      readers(zeros(numCells())), states(zeros(numCells())) {}

void Region::initialize(uint64_t offset, uint64_t count) {
  uint64_t end = offset + count;
  for (; offset < end && offset % 4; ++offset)
    states[offset / 4] |= 1U << (state::initialized + offset % 4);
  for (; offset + 4 <= end; offset += 4)
    states[offset / 4] |= 15U << state::initialized;
  for (; offset < end; ++offset)
    states[offset / 4] |= 1U << (state::initialized + offset % 4);
}

void Region::reset() {
  std::fill(bytes.begin(), bytes.end(), 0xcb);
  for (Array *array : {&writers, &readers, &states})
    std::fill_n(array->get(), numCells(), 0);
}

uint32_t Readers::add(Stamp stamp, bool hasSeveralLanes, uint32_t rest, uint16_t bytes) {
  auto [found, isNew] = known_[hasSeveralLanes][bytes].try_emplace(uint64_t(rest) << 32 | stamp, 0);
  if (isNew) {
    found->second = static_cast<uint32_t>(nodes_.size()) | listBit;
    nodes_.push_back({stamp, bytes, hasSeveralLanes, rest});
  }
  return found->second;
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

Address Memory::allocate(uint64_t bytes, std::string name) {
  constexpr uint64_t alignment = 256, guard = 4096;
  Address base = next_;
  if (name.empty())
    name = "allocation " + std::to_string(regions_.size());
  regions_[base] = std::make_unique<Region>(std::move(name), base, bytes);
  next_ += (bytes + guard + alignment - 1) / alignment * alignment;
  return base;
}

bool Memory::free(Address address) {
  auto found = regions_.find(address);
  if (found == regions_.end() || found->second->isFreed)
    return false;
  last_ = nullptr;
  found->second = std::make_unique<Region>(found->second->name, address, 0);
  found->second->isFreed = true;
  return true;
}

std::vector<Address> Memory::forget(const Program &program) {
  std::vector<Address> freed;
  for (auto variable = variables_.begin(); variable != variables_.end();)
    if (variable->first.first == &program) {
      if (free(variable->second))
        freed.push_back(variable->second);
      variable = variables_.erase(variable);
    } else
      ++variable;
  return freed;
}

Region *Memory::find(Address address) const {
  if (last_ && address >= last_->base && address - last_->base < last_->size)
    return last_;
  auto next = regions_.upper_bound(address);
  if (next == regions_.begin())
    return nullptr;
  last_ = std::prev(next)->second.get();
  return last_;
}

static bool contains(const Region *region, Address address, uint64_t bytes) {
  return region && address - region->base <= region->size &&
         bytes <= region->size - (address - region->base);
}

bool Memory::write(Address address, const void *source, uint64_t bytes) {
  Region *region = find(address);
  if (!contains(region, address, bytes))
    return false;
  if (bytes)
    std::memcpy(region->bytes.data() + (address - region->base), source, bytes);
  region->initialize(address - region->base, bytes);
  return true;
}

bool Memory::read(Address address, void *target, uint64_t bytes) const {
  Region *region = find(address);
  if (!contains(region, address, bytes))
    return false;
  if (bytes)
    std::memcpy(target, region->bytes.data() + (address - region->base), bytes);
  return true;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Stamp Memory::beginOperation(uint32_t operation) {
  // Half of what a stamp or a list can count to: an operation has the other half for itself.
  constexpr Stamp most = 1U << 30;
  constexpr size_t mostLists = 1U << 24;
  if (nextStamp_ > most || readers_.size() > mostLists)
    renumber();
  if (operations_.empty() || operations_.back().second != operation)
    operations_.emplace_back(nextStamp_, operation);
  return nextStamp_++;
}

uint32_t Memory::operationOf(Stamp stamp) const {
  auto next = std::upper_bound(operations_.begin(), operations_.end(), stamp,
                               [](Stamp s, const auto &entry) { return s < entry.first; });
  return next == operations_.begin() ? 0 : std::prev(next)->second;
}

void Memory::renumber() {
  std::map<uint32_t, Stamp> stamps; // of operations
  std::unordered_map<uint32_t, uint32_t> lists;
  Readers readers;
  auto stampOf = [&](Stamp old) -> Stamp {
    uint32_t operation = old ? operationOf(old) : 0;
    return operation ? stamps.try_emplace(operation, stamps.size() + 1).first->second : 0;
  };
  auto listOf = [&](uint32_t old) {
    if (!(old & Readers::listBit))
      return stampOf(old);
    if (auto found = lists.find(old); found != lists.end())
      return found->second;
    // Of each operation one reader is enough.
    std::map<Stamp, bool> members;
    for (uint32_t at = old; at; at = readers_.node(at).rest)
      members[stampOf(readers_.node(at).stamp)] = true;
    uint32_t list = 0;
    for (auto [stamp, several] : members)
      list = readers.add(stamp, several, list);
    return lists[old] = list;
  };
  for (auto &[address, region] : regions_)
    for (uint64_t c = 0; c < region->numCells(); ++c) {
      region->writers[c] = stampOf(region->writers[c]);
      region->readers[c] = listOf(region->readers[c]);
    }
  readers_ = std::move(readers);
  operations_.clear();
  for (auto [operation, stamp] : stamps)
    operations_.emplace_back(stamp, operation);
  std::sort(operations_.begin(), operations_.end());
  nextStamp_ = static_cast<Stamp>(stamps.size()) + 1;
}

namespace {
/// Collects the operations that an accessor is not ordered after. Neighbouring cells mostly have
/// one history.
class Conflicts {
public:
  Conflicts(const Memory &memory, AccessCheck &check, const Accessor &accessor)
      : memory_(memory), check_(check), accessor_(accessor) {}

  bool isUnordered(Stamp stamp) {
    if (stamp != last_) {
      uint32_t earlier = memory_.operationOf(stamp);
      isLastUnordered_ = stamp && earlier && earlier != accessor_.operation &&
                         accessor_.isOrdered && !accessor_.isOrdered(earlier);
      last_ = stamp;
    }
    return isLastUnordered_;
  }
  void compare(Stamp stamp, bool isWriter, uint64_t offset) {
    if (!isUnordered(stamp))
      return;
    uint32_t operation = memory_.operationOf(stamp);
    for (const AccessCheck::Conflict &conflict : check_.conflicts)
      if (conflict.operation == operation && conflict.isWriter == isWriter)
        return;
    check_.conflicts.push_back({operation, isWriter, offset});
  }

private:
  const Memory &memory_;
  AccessCheck &check_;
  const Accessor &accessor_;
  Stamp last_ = 0;
  bool isLastUnordered_ = false;
};
} // namespace

AccessCheck Memory::access(Address address, uint64_t bytes, bool isWrite,
                           const Accessor &accessor) {
  AccessCheck check;
  Region *region = find(address);
  if (!contains(region, address, bytes) || region->isFreed)
    return check;
  check.region = region;
  Stamp own = beginOperation(accessor.operation);
  Conflicts conflicts(*this, check, accessor);
  uint64_t begin = address - region->base, end = begin + bytes;
  uint32_t lastReaders = 0, newReaders = own;
  for (uint64_t cell = begin / 4; cell * 4 < end; ++cell) {
    uint32_t mask = 0;
    for (unsigned b = 0; b < 4; ++b)
      mask |= uint32_t(cell * 4 + b >= begin && cell * 4 + b < end) << b;
    uint32_t &state = region->states[cell], &readers = region->readers[cell];
    if (state::bytes(state, state::written) & mask)
      conflicts.compare(region->writers[cell], /*isWriter=*/true, cell * 4);
    bool isList = readers & Readers::listBit;
    if (isWrite) {
      if (isList && readers != lastReaders)
        for (uint32_t at = lastReaders = readers; at; at = readers_.node(at).rest)
          conflicts.compare(readers_.node(at).stamp, /*isWriter=*/false, cell * 4);
      else if (!isList && state::bytes(state, state::read) & mask)
        conflicts.compare(readers, /*isWriter=*/false, cell * 4);
      region->writers[cell] = own;
      readers = 0;
      state = (state & 15U << state::initialized) | mask << state::initialized |
              mask << state::written | 2U << state::writerShift;
      continue;
    }
    if (uint32_t missing = mask & ~state::bytes(state, state::initialized);
        missing && check.uninitialized == AccessCheck::allInitialized)
      check.uninitialized = cell * 4 + static_cast<unsigned>(__builtin_ctz(missing));
    if (readers != lastReaders) {
      // Readers before this one that nothing orders stay.
      lastReaders = readers;
      std::vector<Stamp> others;
      for (uint32_t at = isList ? readers : 0; at; at = readers_.node(at).rest)
        if (conflicts.isUnordered(readers_.node(at).stamp))
          others.push_back(readers_.node(at).stamp);
      if (!isList && conflicts.isUnordered(readers))
        others.push_back(readers);
      newReaders = others.empty() ? own : 0;
      for (size_t i = others.size(); i-- > 0;)
        newReaders = readers_.add(others[i], true, newReaders);
      if (!others.empty())
        newReaders = readers_.add(own, true, newReaders);
    }
    if (newReaders & Readers::listBit)
      mask |= state::bytes(state, state::read);
    readers = newReaders;
    state = (state & ~state::readerBits) | mask << state::read | 2U << state::readerShift;
  }
  return check;
}

void Memory::copyInitialized(Address target, Address source, uint64_t bytes) {
  Region *to = find(target), *from = find(source);
  uint64_t read = source - from->base, written = target - to->base;
  for (uint64_t i = 0; i < bytes; ++i) {
    uint32_t bit = 1U << (state::initialized + (written + i) % 4);
    bool isInitialized = from->states[(read + i) / 4] >> (state::initialized + (read + i) % 4) & 1;
    uint32_t &known = to->states[(written + i) / 4];
    known = isInitialized ? known | bit : known & ~bit;
  }
}
