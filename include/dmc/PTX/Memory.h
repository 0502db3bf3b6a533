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
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace dmc::ptx {

struct Program;

using Address = uint64_t;

/// Who accessed: a number for each operation (a launch or a copy) or, of a launch, for each warp
/// between two of its synchronizations. 0: the host, before everything else.
using Stamp = uint32_t;

/// What is known of 4 neighbouring bytes beside who accessed them, as bits of a number. A lane `l`
/// with a shift `s` says that lane l + b / 2^s, modulo 64, accessed byte b: what the lanes of a
/// warp do that access neighbouring bytes.
namespace state {
constexpr uint32_t severalLanes = 48; // in place of a lane
constexpr unsigned writerLane = 0, writerShift = 6, readerLane = 8, readerShift = 14,
                   initialized = 16, written = 20, read = 24, strongWrite = 28, strongRead = 29;
constexpr uint32_t writerBits = 0xff | 0xfU << written | 1U << strongWrite,
                   readerBits = 0xffU << readerLane | 0xfU << read | 1U << strongRead;
constexpr uint32_t lane(uint32_t state, unsigned at) { return state >> at & 63; }
constexpr uint32_t bytes(uint32_t state, unsigned at) { return state >> at & 15; }
} // namespace state

/// An operation while it accesses memory: its number, above those given before it and below 2^31,
/// and which of these are known to have ended when it begins (unset: all).
struct Accessor {
  uint32_t operation = 0;
  std::function<bool(uint32_t earlier)> isOrdered;
};

/// Bytes with their shadow. The shadow's pages exist when they are touched.
struct Region {
  struct Free {
    void operator()(uint32_t *array) const { std::free(array); }
  };
  using Array = std::unique_ptr<uint32_t[], Free>;

  std::string name;
  Address base = 0;
  uint64_t size = 0;
  std::vector<uint8_t> bytes;
  /// Of each 4 bytes: the stamp of the last write; of the reads since then a stamp or, with the
  /// highest bit, a list of `Readers`; and the rest.
  Array writers, readers, states;
  bool isFreed = false; // then it has no bytes

  Region(std::string name, Address base, uint64_t size);
  uint64_t numCells() const { return (size + 3) / 4; }
  /// Marks bytes as written by the host.
  void initialize(uint64_t offset, uint64_t count);
  /// As when it was allocated.
  void reset();
};

/// Lists of readers that nothing orders, each of one more than another list.
class Readers {
public:
  static constexpr uint32_t listBit = 1U << 31;
  struct Node {
    Stamp stamp;
    uint16_t bytes; // that may have been read of the 4, as bits
    bool hasSeveralLanes;
    uint32_t rest; // a list, or 0
  };
  const Node &node(uint32_t list) const { return nodes_[list & ~listBit]; }
  static constexpr uint16_t allBytes = 15;
  /// `rest` and one more reader.
  uint32_t add(Stamp stamp, bool hasSeveralLanes, uint32_t rest, uint16_t bytes = allBytes);
  size_t size() const { return nodes_.size(); }

private:
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> known_[2][allBytes + 1];
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

  /// The next stamps are those of an operation; its first one.
  Stamp beginOperation(uint32_t operation);
  Stamp newStamp() { return nextStamp_++; }
  /// The operation whose stamp it is; 0: the host.
  uint32_t operationOf(Stamp stamp) const;
  Readers &readers() { return readers_; }

private:
  /// Numbers the stamps in use again, one for each operation.
  void renumber();

  std::map<Address, std::unique_ptr<Region>> regions_;
  std::map<std::pair<const Program *, std::string>, Address> variables_;
  mutable Region *last_ = nullptr;
  Address next_;
  Stamp nextStamp_ = 1;
  std::vector<std::pair<Stamp, uint32_t>> operations_; // by their first stamp
  Readers readers_;
};

} // namespace dmc::ptx

#endif // DMC_PTX_MEMORY_H
