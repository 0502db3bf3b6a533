//===- Memory.h - The memory of a simulated device --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations at addresses that no host pointer has, each with what is known of its bytes: whether
// they were ever written, and who accessed them last.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PTX_MEMORY_H
#define DMC_PTX_MEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dmc::ptx {

struct Program;

using Address = uint64_t;

/// What is known of 4 neighbouring bytes. Operations are launches and copies, in the order in which
/// they were given; 0: none. A clock is that of the accessing warp (Execution.h).
struct Cell {
  uint32_t writeOperation = 0, readOperation = 0;
  uint32_t writeBlock = 0, readBlock = 0;
  uint32_t writeClock = 0, readClock = 0;
  uint32_t writeEpoch = 0, readEpoch = 0;
  uint16_t writeThread = 0, readThread = 0;
  uint8_t writtenBytes = 0; // by the last writer
  uint8_t initialized = 0;  // a bit for each byte
  bool isAtomic = false;    // the last write
  bool hasManyReaders = false, hasManyBlocks = false;
};

/// Bytes with their shadow.
struct Region {
  std::string name;
  Address base = 0;
  uint64_t size = 0;
  std::vector<uint8_t> bytes;
  std::vector<Cell> cells;

  Region(std::string name, Address base, uint64_t size)
      : name(std::move(name)), base(base), size(size), bytes(size, 0xcb), cells((size + 3) / 4) {}
  /// Marks bytes as written by the host.
  void initialize(uint64_t offset, uint64_t count);
};

class Memory {
public:
  /// Device addresses begin here: no host has memory there.
  static constexpr Address firstAddress = uint64_t(0x7000) << 32;

  /// `bytes` that hold no value yet, aligned to 256; a region of 0 bytes has an address, too.
  Address allocate(uint64_t bytes, std::string name = "");
  /// False if nothing was allocated at the address.
  bool free(Address address);
  /// Copies from and to the host; false if a byte lies in no allocation, and nothing is copied.
  bool write(Address address, const void *source, uint64_t bytes);
  bool read(Address address, void *target, uint64_t bytes) const;
  /// The region that has the address, or the last one below it; null if there is none.
  Region *find(Address address) const;
  /// Where a variable of a module is, which is allocated when it is first asked for.
  Address variable(const Program &program, const std::string &name);

private:
  std::map<Address, std::unique_ptr<Region>> regions_;
  std::map<std::pair<const Program *, std::string>, Address> variables_;
  mutable Region *last_ = nullptr;
  Address next_ = firstAddress;
};

} // namespace dmc::ptx

#endif // DMC_PTX_MEMORY_H
