//===- Execution.h - A block while it runs ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps run in lockstep. Each lane has a place of its own in the code; of those that can go on, the
// lanes at the place of the lowest rank (CodeOrder.h) run. An instruction at which lanes wait for
// each other parks those that reach it before the others.
//
// What is reported of the order of accesses follows from Order.h, never from the order in which the
// simulator happens to run.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PTX_EXECUTION_H
#define DMC_LIB_PTX_EXECUTION_H

#include "Order.h"
#include "Program.h"
#include "Traffic.h"

#include <set>

namespace dmc::ptx {

class Block;

/// Where the accesses of a stamp lie: a block, a line of time (Order.h) and a time of it.
struct Moment {
  uint32_t block, line, time;
};

/// What a launch's blocks share.
struct Run {
  const Kernel &kernel;
  const Launch &launch;
  Memory &memory;
  Outcome &outcome;
  std::vector<uint64_t> globalAddresses; // of kernel.globalRows
  std::set<std::pair<ReportKind, int>> reported;
  bool isEnded = false;
  Stamp firstStamp = 0;
  std::vector<Moment> moments; // of the stamps from the first on
  std::unordered_map<Address, Release> flags;
  TrafficCounter traffic; // if the launch counts it
  // The operation of the last earlier stamp that was asked for.
  Stamp lastEarlier = 0;
  bool isLastOrdered = false;

  Stamp newStamp(Moment moment) {
    moments.push_back(moment);
    return memory.newStamp();
  }
};

/// Generic addresses of what is not global.
constexpr Address sharedWindow = uint64_t(0x7f01) << 32, localWindow = uint64_t(0x7f02) << 32,
                  paramWindow = uint64_t(0x7f03) << 32, windowSize = uint64_t(1) << 32;

inline unsigned lowest(uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }

/// How an access of this launch's warp relates to an earlier one: ordered for all lanes, not
/// ordered, or so for some lanes.
enum class Order { Before, ByLane, None };

class Warp {
public:
  Warp(Block &block, uint32_t number);
  /// Begins the block's first instruction; the block says which one it is.
  void start(uint32_t numThreads);

  uint64_t *row(uint32_t number) { return values_.data() + size_t(number) * 32; }
  /// Reports lanes that read a register that was never written.
  void require(const Instruction &instruction, uint32_t row, uint32_t mask) {
    if (uint32_t missing = mask & ~written_[row])
      reportUnset(instruction, row, missing);
  }
  void markWritten(uint32_t row, uint32_t mask) { written_[row] |= mask; }
  void markUnwritten(uint32_t row, uint32_t mask) { written_[row] &= ~mask; }
  uint32_t written(uint32_t row) const { return written_[row]; }

  /// Runs until all lanes have ended or wait, or for so many instructions.
  enum class State { Ended, AtBarrier, Sliced };
  State run(uint64_t instructions);

  void report(ReportKind kind, const Instruction &instruction, unsigned lane, std::string message);
  void jump(uint32_t mask, uint32_t to);
  void end(uint32_t mask) { live_ &= ~mask; }

  uint32_t live() const { return live_; }
  uint32_t number() const { return number_; }
  Block &block() { return block_; }
  uint8_t *local(unsigned lane) { return local_.data() + lane * localBytes_; }
  /// Whether each byte of local memory was written.
  uint8_t *localWritten(unsigned lane) { return local_.data() + (32 + lane) * localBytes_; }

  //===--- Order ---===//

  /// Of accesses now; and of copies.
  Stamp stamp() { return stamp_ ? stamp_ : newStamp(); }
  Stamp copyStamp();
  Order order(Stamp earlier);
  /// Of an access by one lane before that of another.
  bool isBefore(Stamp earlier, unsigned otherLane, unsigned lane);
  /// All lanes have met; or those of a part of the warp.
  void synchronize();
  void synchronize(uint32_t group);
  /// What lanes pass on now.
  View release(uint32_t lanes, bool withCopies = false);
  void acquire(uint32_t lanes, const View &view);
  /// A fence: what lanes have seen without acquiring it is theirs, and what they write from here on
  /// releases what they know.
  void fence(uint32_t lanes, bool isOfBlock);
  /// A strong write or read at a place that others may wait for.
  void releaseTo(Release &flag, uint32_t lane, const Instruction &instruction, bool isChange);
  void acquireFrom(const Release &flag, uint32_t lane, const Instruction &instruction);

  void commitCopies(uint32_t lanes);
  /// All groups but so many, or all copies.
  void waitForCopies(uint32_t lanes, uint32_t numGroups, bool isAll);

  /// What the warp knows when it arrives at a barrier.
  void offer();
  void accept(const BlockView &view, const View &others);
  const BlockView &offered() const { return offered_; }
  const View &others() const { return others_; }

  // The barrier that the warp waits for; all of its live lanes do.
  uint32_t barrier = 0;
  bool isWaiting = false;
  const Instruction *barrierReduction = nullptr;
  uint32_t votes = 0; // of its lanes, for a reduction

private:
  void reportUnset(const Instruction &instruction, uint32_t row, uint32_t lanes);
  /// The lanes that run next, at one place; none if all wait.
  uint32_t choose(uint32_t &place, uint32_t &limit);
  uint32_t releaseParked(uint32_t &place);
  Stamp newStamp();
  void startOrder();
  void advance() {
    ++time_;
    stamp_ = 0;
  }
  /// What some lanes know is known to all.
  void mergePending();

  Block &block_;
  uint32_t number_;
  std::vector<uint64_t> values_;
  std::vector<uint32_t> written_;
  uint32_t place_[32] = {};
  uint32_t live_ = 0, parked_ = 0;
  uint64_t executed_ = 0;
  uint64_t passedOver_ = 0; // instructions since lanes elsewhere could have run
  uint64_t localBytes_ = 0;
  std::vector<uint8_t> local_;
  bool isForced_ = false; // the parked lanes go on without the others

  // The warp's time, when all lanes last met, and when a lane last met a part of them.
  uint32_t time_ = 1, syncTime_ = 1;
  uint32_t groups_[32] = {}, groupTimes_[32] = {};
  Stamp stamp_ = 0;
  BlockView known_; // of this block
  View others_;
  Partial pending_, observed_; // acquired by some lanes; seen by strong reads
  Partial fenced_, fencedInBlock_;
  BlockView offered_;

  struct Group {
    uint32_t lanes, time;
  };
  uint32_t copyTime_ = 1, waited_[32] = {};
  Stamp copyStamp_ = 0;
  std::vector<Group> copyGroups_;

  friend class Block;
};

/// What those pass on that arrive at an object of shared memory, and what those did whose phase is
/// complete.
struct MemoryBarrier {
  View arriving, completed;
};

class Block {
public:
  explicit Block(Run &run);
  /// Begins a block; objects are used for one after the other.
  void start(uint32_t number, std::array<uint32_t, 3> index);
  /// Runs until it ends, which it then says, or for about so many instructions of each warp.
  bool execute(uint64_t instructions);

  Run &run() { return run_; }
  uint32_t number() const { return number_; }
  const std::array<uint32_t, 3> &index() const { return index_; }
  std::array<uint32_t, 3> threadIndex(uint32_t thread) const;
  Region &shared() { return shared_; }
  std::vector<Warp> &warps() { return warps_; }
  uint32_t numWarps() const { return static_cast<uint32_t>(warps_.size()); }
  std::unordered_map<Address, Release> &flags() { return flags_; }
  std::unordered_map<uint64_t, MemoryBarrier> &memoryBarriers() { return memoryBarriers_; }

  /// A warp is at a barrier, for so many threads or, if 0, for all of the block.
  void arrive(Warp &warp, uint32_t number, uint32_t expected, bool waits);

private:
  /// A barrier in which some have arrived.
  struct Barrier {
    uint32_t arrived = 0, expected = 0, live = 0, ones = 0;
    BlockView view;
    View others;
    std::vector<Warp *> waiting;
  };
  /// Lets the warps go on if all have arrived.
  bool release(Barrier &barrier);
  bool releaseBarriers();
  void checkAllArrived(Warp &first);
  uint32_t threadsOf(const Warp &warp) const;

  Run &run_;
  uint32_t number_ = 0;
  std::array<uint32_t, 3> index_ = {};
  uint32_t numThreads_;
  Region shared_;
  std::vector<Warp> warps_;
  std::vector<Warp *> order_;
  std::unordered_map<Address, Release> flags_; // in shared memory
  std::unordered_map<uint64_t, MemoryBarrier> memoryBarriers_;
  Barrier barriers_[16];
  uint64_t random_ = 0;
};

/// Of the `jump` of a barrier.
enum BarrierMode : uint32_t { BarrierArrives = 1, BarrierReduces = 2, BarrierNegates = 4 };

/// The handlers of instructions that are not lanes by themselves, by what they do; null if there is
/// no such form. Each takes the modifiers that it knows, and completes the instruction.
struct Opcode;
bool decodeMemory(Opcode &opcode, Instruction &instruction);
bool decodeAtomic(Opcode &opcode, Instruction &instruction);
bool decodeMemoryBarrier(Opcode &opcode, Instruction &instruction);
bool decodeWarp(Opcode &opcode, Instruction &instruction);
bool decodeMatrix(Opcode &opcode, Instruction &instruction);

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_EXECUTION_H
