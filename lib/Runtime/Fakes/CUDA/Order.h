//===- Order.h - Which operations have ended before which -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of one lane (a stream, or a branch of a graph) are ordered. An operation knows of each
// lane up to which of its operations all have ended when it begins: a vector clock (Mattern,
// Virtual time and global states of distributed systems, 1989). What it says follows from streams,
// events and what the host waited for, never from the order in which work happened to be executed.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_FAKES_CUDA_ORDER_H
#define DMC_LIB_RUNTIME_FAKES_CUDA_ORDER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dmc::fakes {

class Clock {
public:
  /// The operations of the lane that are known to have ended: its first so many.
  uint32_t at(size_t lane) const { return lane < ended_.size() ? ended_[lane] : 0; }
  void advance(size_t lane, uint32_t position);
  void join(const Clock &other);

private:
  std::vector<uint32_t> ended_;
};

/// All operations that were ever given, by number from 1. One is written before its number is known
/// to others, and never changes: reading needs no lock.
class History {
public:
  struct Record {
    uint32_t lane = 0, position = 0;
    const std::string *name = nullptr, *stream = nullptr;
  };

  uint32_t add(const Record &record);
  const Record &operator[](uint32_t number) const {
    return chunks_[number / chunkSize][number % chunkSize];
  }
  uint32_t size() const { return next_ - 1; }
  /// "softmax (stream 2, #7)"
  std::string describe(uint32_t number) const;
  bool isKnown(const Clock &clock, uint32_t number) const {
    const Record &record = (*this)[number];
    return clock.at(record.lane) >= record.position;
  }
  void clear();

private:
  // The bound of an operation's number, as Accessor says.
  static constexpr uint32_t mostOperations = uint32_t(1) << 31, chunkSize = uint32_t(1) << 16;
  std::array<std::unique_ptr<Record[]>, mostOperations / chunkSize> chunks_;
  uint32_t next_ = 1;
};

} // namespace dmc::fakes

#endif // DMC_LIB_RUNTIME_FAKES_CUDA_ORDER_H
