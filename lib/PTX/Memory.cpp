//===- Memory.cpp - The memory of a simulated device ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dmc/PTX/Memory.h"

#include <cstring>

using namespace dmc::ptx;

void Region::initialize(uint64_t offset, uint64_t count) {
  for (uint64_t i = offset; i < offset + count; ++i)
    cells[i / 4].initialized |= 1 << (i % 4);
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
  if (found == regions_.end())
    return false;
  if (last_ == found->second.get())
    last_ = nullptr;
  regions_.erase(found);
  return true;
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
