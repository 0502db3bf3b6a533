//===- Memory.cpp - The memory of a simulated device ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/PTX/Memory.h"

#include <algorithm>
#include <cstring>

using namespace dmc::ptx;

void Region::initialize(uint64_t offset, uint64_t count) {
  for (uint64_t i = offset; i < offset + count; ++i)
    cells[i / 4].initialized |= 1 << (i % 4);
}

void Region::keepReader(size_t cell, const Accessor &accessor) {
  uint32_t previous = cells[cell].readOperation;
  if (!accessor.isOrdered || accessor.isOrdered(previous))
    return;
  if (setOfCell_.empty())
    setOfCell_.resize(cells.size());
  // Who is ordered before this reader is ordered before whoever is ordered after it.
  std::vector<uint32_t> readers = {previous};
  for (uint32_t reader : readerSets_[setOfCell_[cell]])
    if (reader != previous && reader != accessor.operation && !accessor.isOrdered(reader))
      readers.push_back(reader);
  std::sort(readers.begin(), readers.end());
  // Neighbours have the same readers.
  uint32_t &set = setOfCell_[cell];
  set = cell ? setOfCell_[cell - 1] : 0;
  if (readerSets_[set] != readers) {
    auto found = std::find(readerSets_.begin(), readerSets_.end(), readers);
    set = static_cast<uint32_t>(found - readerSets_.begin());
    if (found == readerSets_.end())
      readerSets_.push_back(std::move(readers));
  }
}

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

namespace {
/// Collects the operations that an accessor is not ordered after. Neighbouring cells mostly name
/// the same ones.
class Conflicts {
public:
  Conflicts(AccessCheck &check, const Accessor &accessor) : check_(check), accessor_(accessor) {}

  void compare(uint32_t operation, bool isWriter, uint64_t offset) {
    uint32_t &known = known_[isWriter];
    if (!operation || operation == known || operation == accessor_.operation)
      return;
    known = operation;
    if (!accessor_.isOrdered || accessor_.isOrdered(operation))
      return;
    for (const AccessCheck::Conflict &conflict : check_.conflicts)
      if (conflict.operation == operation && conflict.isWriter == isWriter)
        return;
    check_.conflicts.push_back({operation, isWriter, offset});
  }

private:
  AccessCheck &check_;
  const Accessor &accessor_;
  uint32_t known_[2] = {};
};
} // namespace

AccessCheck Memory::access(Address address, uint64_t bytes, bool isWrite,
                           const Accessor &accessor) {
  AccessCheck check;
  Region *region = find(address);
  if (!contains(region, address, bytes))
    return check;
  check.region = region;
  Conflicts conflicts(check, accessor);
  uint64_t offset = address - region->base, end = offset + bytes;
  for (uint64_t first = offset / 4 * 4; first < end; first += 4) {
    size_t number = first / 4;
    Cell &cell = region->cells[number];
    uint8_t mask = 0;
    for (unsigned i = 0; i < 4; ++i)
      mask |= (first + i >= offset && first + i < end) << i;
    if (cell.writtenBytes & mask)
      conflicts.compare(cell.writeOperation, /*isWriter=*/true, first);
    if (isWrite) {
      conflicts.compare(cell.readOperation, /*isWriter=*/false, first);
      for (uint32_t reader : region->keptReaders(number))
        conflicts.compare(reader, /*isWriter=*/false, first);
      region->dropReaders(number);
      cell.writeOperation = accessor.operation;
      cell.writtenBytes = mask;
      cell.isAtomic = false;
      cell.initialized |= mask;
      continue;
    }
    if (uint8_t missing = mask & ~cell.initialized;
        missing && check.uninitialized == AccessCheck::allInitialized)
      check.uninitialized = first + static_cast<unsigned>(__builtin_ctz(missing));
    if (cell.readOperation && cell.readOperation != accessor.operation)
      region->keepReader(number, accessor);
    cell.readOperation = accessor.operation;
  }
  return check;
}

void Memory::copyInitialized(Address target, Address source, uint64_t bytes) {
  Region *to = find(target), *from = find(source);
  uint64_t read = source - from->base, written = target - to->base;
  for (uint64_t i = 0; i < bytes; ++i) {
    bool isInitialized = from->cells[(read + i) / 4].initialized >> (read + i) % 4 & 1;
    uint8_t bit = 1 << (written + i) % 4, &known = to->cells[(written + i) / 4].initialized;
    known = isInitialized ? known | bit : known & ~bit;
  }
}
