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
#include <functional>
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

/// An operation while it accesses memory: its number, above those given before it and below 2^31,
/// and which of these are known to have ended when it begins (unset: all).
struct Accessor {
  uint32_t operation = 0;
  std::function<bool(uint32_t earlier)> isOrdered;
};

/// Bytes with their shadow.
struct Region {
  std::string name;
  Address base = 0;
  uint64_t size = 0;
  std::vector<uint8_t> bytes;
  std::vector<Cell> cells;
  bool isFreed = false; // then it has no bytes

  Region(std::string name, Address base, uint64_t size)
      : name(std::move(name)), base(base), size(size), bytes(size, 0xcb), cells((size + 3) / 4) {}
  /// Marks bytes as written by the host.
  void initialize(uint64_t offset, uint64_t count);

  /// A cell names its last reader. The readers before that which are not ordered before it are kept
  /// aside, so that a later write is compared with all of them. To be called before an accessor
  /// becomes the reader of a cell that another operation has read.
  void keepReader(size_t cell, const Accessor &accessor);
  /// The readers that were kept of a cell.
  const std::vector<uint32_t> &keptReaders(size_t cell) const {
    return readerSets_[cell < setOfCell_.size() ? setOfCell_[cell] : 0];
  }
  /// After a write that was compared with them.
  void dropReaders(size_t cell) {
    if (cell < setOfCell_.size())
      setOfCell_[cell] = 0;
  }

private:
  std::vector<uint32_t> setOfCell_; // empty until a reader is kept
  std::vector<std::vector<uint32_t>> readerSets_ = {{}};
};

/// What is wrong with an access to bytes.
struct AccessCheck {
  /// Of the bytes; null if they are not in one allocation, and then nothing was accessed.
  Region *region = nullptr;
  struct Conflict {
    uint32_t operation;
    bool isWriter; // of the other one
    uint64_t offset;
  };
  /// Accesses by operations that nothing orders before this one, one for each of them.
  std::vector<Conflict> conflicts;
  /// The offset of the first byte that is read and was never written, or allInitialized.
  static constexpr uint64_t allInitialized = ~uint64_t(0);
  uint64_t uninitialized = allInitialized;
};

class Memory {
public:
  /// Device addresses begin here: no host has memory there.
  static constexpr Address firstAddress = uint64_t(0x7000) << 32;

  explicit Memory(Address first = firstAddress) : next_(first) {}

  /// `bytes` that hold no value yet, aligned to 256; a region of 0 bytes has an address, too.
  Address allocate(uint64_t bytes, std::string name = "");
  /// False if nothing was allocated at the address. The address is not given again, and an access
  /// to it is one to freed memory.
  bool free(Address address);
  /// Copies from and to the host; false if a byte lies in no allocation, and nothing is copied.
  bool write(Address address, const void *source, uint64_t bytes);
  bool read(Address address, void *target, uint64_t bytes) const;
  /// Notes that an operation that is not a launch reads or writes bytes, and says what is wrong
  /// with that. Their values are the caller's to copy.
  AccessCheck access(Address address, uint64_t bytes, bool isWrite, const Accessor &accessor);
  /// Which of the target's bytes were ever written is from now on as in the source. Both lie in
  /// allocations, and do not overlap.
  void copyInitialized(Address target, Address source, uint64_t bytes);
  /// The region that has the address, or the last one below it; null if there is none.
  Region *find(Address address) const;
  /// Where a variable of a module is, which is allocated when it is first asked for.
  Address variable(const Program &program, const std::string &name);
  /// Frees the variables of a module, and says where they were.
  std::vector<Address> forget(const Program &program);

private:
  std::map<Address, std::unique_ptr<Region>> regions_;
  std::map<std::pair<const Program *, std::string>, Address> variables_;
  mutable Region *last_ = nullptr;
  Address next_ = firstAddress;
};

} // namespace dmc::ptx

#endif // DMC_PTX_MEMORY_H
