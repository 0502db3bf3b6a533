//===- Execution.h - A block while it runs ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps run in lockstep. Each lane has a place of its own in the code; of those that can go on, the
// lanes at the lowest place run. An instruction at which lanes wait for each other parks those that
// reach it before the others, so that code that a compiler has laid out behind it is run first.
//
// Two accesses of one launch are ordered if one thread makes both, or if barriers order them: each
// warp counts its barriers, and knows of each other warp up to which count it has met it (vector
// clocks: Flanagan and Freund, FastTrack, 2009). What is reported follows from this order, never
// from the order in which the simulator happens to run.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PTX_EXECUTION_H
#define DMC_LIB_PTX_EXECUTION_H

#include "Program.h"

#include <set>

namespace dmc::ptx {

class Block;

/// What a launch's blocks share.
struct Run {
  const Kernel &kernel;
  const Launch &launch;
  Memory &memory;
  Outcome &outcome;
  std::vector<uint64_t> globalAddresses; // of kernel.globalRows
  std::set<std::string> reported;
  bool isEnded = false;
};

/// Generic addresses of what is not global.
constexpr Address sharedWindow = uint64_t(0x7f01) << 32, localWindow = uint64_t(0x7f02) << 32,
                  paramWindow = uint64_t(0x7f03) << 32, windowSize = uint64_t(1) << 32;

class Warp {
public:
  Warp(Block &block, uint32_t number, uint32_t numThreads);

  uint64_t *row(uint32_t number) { return values_.data() + size_t(number) * 32; }
  /// Reports lanes that read a register that was never written.
  void require(const Instruction &instruction, uint32_t row, uint32_t mask) {
    if (uint32_t missing = mask & ~written_[row])
      reportUnset(instruction, row, missing);
  }
  void markWritten(uint32_t row, uint32_t mask) { written_[row] |= mask; }
  uint32_t written(uint32_t row) const { return written_[row]; }

  /// Runs until all lanes have ended or wait, or for so many instructions.
  enum class State { Ended, AtBarrier, Sliced };
  State run(uint64_t instructions);

  void report(ReportKind kind, const Instruction &instruction, unsigned lane, std::string message);
  void jump(uint32_t mask, uint32_t to);
  void end(uint32_t mask);

  uint32_t live() const { return live_; }
  uint32_t number() const { return number_; }
  Block &block() { return block_; }
  std::vector<uint8_t> &local(unsigned lane) { return locals_[lane]; }

  // What the warp waits for; all of its live lanes do.
  uint32_t barrier = 0, expected = 0; // 0: all threads of the block
  bool isWaiting = false, isPassed = false;
  uint32_t epoch = 0; // of orderings within the warp
  std::vector<uint32_t> clocks;
  std::vector<uint32_t> offered; // the clocks when it came to the barrier

private:
  void reportUnset(const Instruction &instruction, uint32_t row, uint32_t lanes);
  /// The lanes that run next, at one place; none if all wait.
  uint32_t choose(uint32_t &place, uint32_t &limit);
  uint32_t releaseParked(uint32_t &place);

  Block &block_;
  uint32_t number_;
  std::vector<uint64_t> values_;
  std::vector<uint32_t> written_;
  uint32_t place_[32] = {};
  uint32_t live_, parked_ = 0;
  uint64_t executed_ = 0;
  uint64_t passedOver_ = 0; // instructions since lanes elsewhere could have run
  std::vector<std::vector<uint8_t>> locals_;
  bool isForced_ = false; // the parked lanes go on without the others

  friend class Block;
};

class Block {
public:
  Block(Run &run, uint32_t number, std::array<uint32_t, 3> index);
  void execute();

  Run &run() { return run_; }
  uint32_t number() const { return number_; }
  const std::array<uint32_t, 3> &index() const { return index_; }
  std::array<uint32_t, 3> threadIndex(uint32_t thread) const;
  Region &shared() { return shared_; }
  std::vector<Warp> &warps() { return warps_; }

  /// Notes an access to bytes of a region, and reports what is wrong with it. A store's `value` is
  /// what it writes: equal values do not race.
  void access(Warp &warp, const Instruction &instruction, unsigned lane, Region &region,
              uint64_t offset, unsigned bytes, bool isWrite, bool isAtomic, const uint8_t *value);

private:
  bool releaseBarriers();
  bool isOrdered(Warp &warp, unsigned lane, bool isShared, uint32_t operation, uint32_t block,
                 uint32_t thread, uint32_t clock, uint32_t epoch) const;

  Run &run_;
  uint32_t number_;
  std::array<uint32_t, 3> index_;
  uint32_t numThreads_;
  Region shared_;
  std::vector<Warp> warps_;
};

/// The handlers of instructions that are not lanes by themselves, by what they do; null if there is
/// no such form. Each takes the modifiers that it knows, and completes the instruction.
struct Opcode;
bool decodeMemory(Opcode &opcode, Instruction &instruction);
bool decodeWarp(Opcode &opcode, Instruction &instruction);
bool decodeMatrix(Opcode &opcode, Instruction &instruction);

/// Bytes of a space at an address that a lane gives, after all checks; null if it has none.
uint8_t *bytesAt(Warp &warp, const Instruction &instruction, unsigned lane, Space space,
                 Address address, unsigned bytes, bool isWrite, bool isAtomic,
                 const uint8_t *value = nullptr);

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_EXECUTION_H
