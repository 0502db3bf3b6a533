//===- StreamOrder.h - What happens before what on streams ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations are numbered in the order in which they are given to streams. A
// clock says of each stream up to which number its operations have ended: what
// is on one stream runs in order, and events carry clocks to other streams.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_SCHEDULE_STREAMORDER_H
#define DMC_LIB_SCHEDULE_STREAMORDER_H

#include "Accesses.h"

#include <map>

namespace dmc {

/// By stream; what is missing is 0, before all operations.
class Clock {
public:
  int64_t get(int64_t stream) const {
    return stream < static_cast<int64_t>(times.size()) ? times[stream] : 0;
  }
  void set(int64_t stream, int64_t time) {
    if (stream >= static_cast<int64_t>(times.size()))
      times.resize(stream + 1, 0);
    times[stream] = time;
  }
  void join(const Clock &other);

private:
  llvm::SmallVector<int64_t, 4> times;
};

/// An operation on a stream. Without an operation: whatever was before.
struct StreamUse {
  int64_t stream = 0, time = 0;
  mlir::Operation *op = nullptr;
};

/// Of each byte the accesses that a later one may have to follow: the last writes, and the reads
/// since. There are several where control flow leaves open which it is.
class ByteUses {
public:
  explicit ByteUses(unsigned numMemories) : memories(numMemories) {}

  void visitConflicts(const Access &access, bool isWrite,
                      llvm::function_ref<void(const StreamUse &, bool isWrite)> visit) const;
  void add(const Access &access, bool isWrite, const StreamUse &use);
  /// Adds what another path of control leaves.
  void merge(const ByteUses &other);

private:
  struct Range {
    int64_t end;
    llvm::SmallVector<StreamUse, 1> writes, reads;
  };
  using Ranges = std::map<int64_t, Range>;

  static void split(Ranges &ranges, int64_t at);
  /// Lets ranges begin and end at both bounds and have no gap between.
  static void cover(Ranges &ranges, int64_t begin, int64_t end);

  std::vector<Ranges> memories;
};

/// The order at one point of the program.
class StreamOrder {
public:
  explicit StreamOrder(unsigned numMemories) : uses(numMemories) {}

  /// Visits what accesses the same bytes, one of the two writing, and may run at the same time
  /// as the next operation on the stream.
  void visitUnordered(int64_t stream, const Access &access, bool isWrite,
                      llvm::function_ref<void(const StreamUse &, bool isWrite)> visit) const;
  /// Gives an operation to a stream.
  StreamUse run(int64_t stream, mlir::Operation *op, int64_t time);
  void add(const Access &access, bool isWrite, const StreamUse &use) {
    uses.add(access, isWrite, use);
  }

  /// What has ended before the next operation on the stream.
  const Clock &getClock(int64_t stream) { return getStream(stream); }
  void await(int64_t stream, const Clock &clock) { getStream(stream).join(clock); }
  int64_t getNumStreams() const { return static_cast<int64_t>(clocks.size()); }

  /// Keeps what holds on both paths of control.
  void meet(const StreamOrder &other);

private:
  Clock &getStream(int64_t stream) {
    if (stream >= getNumStreams())
      clocks.resize(stream + 1);
    return clocks[stream];
  }

  std::vector<Clock> clocks;
  ByteUses uses;
};

} // namespace dmc

#endif // DMC_LIB_SCHEDULE_STREAMORDER_H
