//===- Execution.cpp - Lanes, warps and barriers --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Execution.h"

#include <algorithm>
#include <random>

using namespace dmc::ptx;

static unsigned lowest(uint32_t mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }

//===----------------------------------------------------------------------===//
// Warp
//===----------------------------------------------------------------------===//

static uint64_t specialValue(Special special, Block &block, uint32_t thread, uint32_t warp) {
  const Launch &launch = block.run().launch;
  std::array<uint32_t, 3> at = block.threadIndex(thread);
  uint32_t lane = thread % 32, bit = 1U << lane;
  auto number = static_cast<unsigned>(special);
  switch (special) {
  case Special::TidX:
  case Special::TidY:
  case Special::TidZ:
    return at[number - static_cast<unsigned>(Special::TidX)];
  case Special::NtidX:
  case Special::NtidY:
  case Special::NtidZ:
    return launch.block[number - static_cast<unsigned>(Special::NtidX)];
  case Special::CtaidX:
  case Special::CtaidY:
  case Special::CtaidZ:
    return block.index()[number - static_cast<unsigned>(Special::CtaidX)];
  case Special::NctaidX:
  case Special::NctaidY:
  case Special::NctaidZ:
    return launch.grid[number - static_cast<unsigned>(Special::NctaidX)];
  case Special::Lane:
    return lane;
  case Special::Warp:
    return warp;
  case Special::NumWarps:
    return (launch.block[0] * launch.block[1] * launch.block[2] + 31) / 32;
  case Special::WarpSize:
    return 32;
  case Special::MaskEq:
    return bit;
  case Special::MaskLt:
    return bit - 1;
  case Special::MaskLe:
    return bit | (bit - 1);
  case Special::MaskGt:
    return ~(bit | (bit - 1));
  case Special::MaskGe:
    return ~(bit - 1);
  case Special::SharedSize:
    return block.run().kernel.sharedBytes + launch.dynamicShared;
  case Special::DynamicSharedSize:
    return launch.dynamicShared;
  case Special::Clock:
  case Special::Zero:
    return 0;
  }
  return 0;
}

Warp::Warp(Block &block, uint32_t number, uint32_t numThreads)
    : block_(block), number_(number), values_(size_t(block.run().kernel.numRows) * 32),
      written_(block.run().kernel.numRows), live_(numThreads >= 32 ? ~0U : (1U << numThreads) - 1) {
  const Kernel &kernel = block.run().kernel;
  for (const Preset &preset : kernel.presets) {
    uint64_t *values = row(preset.row);
    for (uint32_t lane = 0; lane < 32; ++lane)
      values[lane] = preset.isSpecial
                         ? specialValue(preset.special, block, number * 32 + lane, number)
                         : preset.value;
    written_[preset.row] = ~0U;
  }
  for (size_t i = 0; i < kernel.globalRows.size(); ++i) {
    std::fill_n(row(kernel.globalRows[i].first), 32, block.run().globalAddresses[i]);
    written_[kernel.globalRows[i].first] = ~0U;
  }
  if (kernel.localBytes)
    locals_.assign(32, std::vector<uint8_t>(kernel.localBytes, 0xcb));
}

void Warp::report(ReportKind kind, const Instruction &instruction, unsigned lane,
                  std::string message) {
  Run &run = block_.run();
  std::string key = std::to_string(static_cast<int>(kind)) + ":" + std::to_string(instruction.line);
  if (!run.reported.insert(key).second)
    return;
  run.outcome.reports.push_back({kind, instruction.line, block_.index(),
                                 block_.threadIndex(number_ * 32 + lane), std::move(message)});
}

void Warp::reportUnset(const Instruction &instruction, uint32_t row, uint32_t lanes) {
  report(ReportKind::Uninitialized, instruction, lowest(lanes),
         "reads " + block_.run().kernel.rowNames[row] + ", which was never written");
}

void Warp::jump(uint32_t mask, uint32_t to) {
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
    place_[lowest(lanes)] = to;
}

void Warp::end(uint32_t mask) { live_ &= ~mask; }

uint32_t Warp::choose(uint32_t &place, uint32_t &limit) {
  uint32_t runnable = live_ & ~parked_, mask = 0;
  place = limit = ~0U;
  // Lanes that spin until another one of their warp has done something must not keep it from that.
  constexpr uint64_t mostPassedOver = 4096;
  if (passedOver_ > mostPassedOver) {
    passedOver_ = 0;
    place = 0;
    for (uint32_t lanes = runnable; lanes; lanes &= lanes - 1)
      place = std::max(place, place_[lowest(lanes)]);
    for (uint32_t lanes = runnable; lanes; lanes &= lanes - 1)
      if (place_[lowest(lanes)] == place)
        mask |= 1U << lowest(lanes);
    return mask;
  }
  for (uint32_t lanes = runnable; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    if (place_[lane] < place) {
      limit = place;
      place = place_[lane];
      mask = 0;
    } else if (place_[lane] > place) {
      limit = std::min(limit, place_[lane]);
    }
    if (place_[lane] == place)
      mask |= 1U << lane;
  }
  return mask;
}

/// All lanes are parked: those at the lowest place go on, which should be all.
uint32_t Warp::releaseParked(uint32_t &place) {
  uint32_t mask = 0;
  place = ~0U;
  for (uint32_t lanes = live_; lanes; lanes &= lanes - 1)
    place = std::min(place, place_[lowest(lanes)]);
  for (uint32_t lanes = live_; lanes; lanes &= lanes - 1)
    if (place_[lowest(lanes)] == place)
      mask |= 1U << lowest(lanes);
  parked_ &= ~mask;
  isForced_ = true;
  return mask;
}

/// The lanes that an instruction with a mask of lanes names, of the lowest lane.
static uint32_t namedLanes(Warp &warp, const Instruction &instruction, uint32_t mask) {
  if (instruction.table.empty())
    return 0; // names none: all
  return static_cast<uint32_t>(warp.row(instruction.table.front())[lowest(mask)]);
}

Warp::State Warp::run(uint64_t instructions) {
  const std::vector<Instruction> &code = block_.run().kernel.code;
  Counts &counts = block_.run().outcome.counts;
  while (live_ && instructions) {
    uint32_t place, limit, mask = choose(place, limit);
    if (!mask)
      mask = releaseParked(place);
    bool isAway = false; // the lanes have places of their own again
    for (; instructions && !isAway; --instructions) {
      const Instruction &instruction = code[place];
      uint32_t active = mask;
      if (instruction.guard != noRow) {
        require(instruction, instruction.guard, mask);
        const uint64_t *guard = row(instruction.guard);
        for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
          if (bool(guard[lowest(lanes)]) == instruction.isGuardNegated)
            active &= ~(1U << lowest(lanes));
      }
      if (instruction.synchronizes && active && mask != live_ && !isForced_ &&
          namedLanes(*this, instruction, active) != active) {
        jump(mask, place);
        parked_ |= mask;
        isAway = true;
        break;
      }
      isForced_ = false;
      ++counts.instructions;
      counts.laneInstructions += static_cast<unsigned>(__builtin_popcount(active));
      passedOver_ = limit == ~0U ? 0 : passedOver_ + 1;
      if (++executed_ > block_.run().launch.mostInstructions) {
        report(ReportKind::EndlessLoop, instruction, lowest(mask),
               "the warp has run " + std::to_string(executed_ - 1) + " instructions");
        block_.run().isEnded = true;
        return State::Ended;
      }
      if (instruction.branches || instruction.synchronizes) {
        jump(mask, place + 1);
        if (active)
          instruction.run(*this, instruction, active);
        parked_ &= live_ & ~mask;
        if (isWaiting)
          return State::AtBarrier;
        isAway = true;
        continue;
      }
      if (active)
        instruction.run(*this, instruction, active);
      if (block_.run().isEnded)
        return State::Ended;
      if (++place >= limit) { // others wait there
        jump(mask, place);
        isAway = true;
      }
    }
    if (!isAway)
      jump(mask, place);
  }
  return live_ ? State::Sliced : State::Ended;
}

//===----------------------------------------------------------------------===//
// Block
//===----------------------------------------------------------------------===//

Block::Block(Run &run, uint32_t number, std::array<uint32_t, 3> index)
    : run_(run), number_(number), index_(index),
      numThreads_(run.launch.block[0] * run.launch.block[1] * run.launch.block[2]),
      shared_("shared memory", 0, run.kernel.sharedBytes + run.launch.dynamicShared) {
  uint32_t numWarps = (numThreads_ + 31) / 32;
  warps_.reserve(numWarps);
  for (uint32_t w = 0; w < numWarps; ++w) {
    warps_.emplace_back(*this, w, numThreads_ - 32 * w);
    warps_.back().clocks.assign(numWarps, 0);
    warps_.back().clocks[w] = 1;
  }
}

std::array<uint32_t, 3> Block::threadIndex(uint32_t thread) const {
  const auto &size = run_.launch.block;
  return {thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]};
}

/// Lets the warps go on whose barrier all have reached. Warps that have ended count as arrived.
bool Block::releaseBarriers() {
  bool any = false;
  for (uint32_t id = 0; id < 16; ++id) {
    uint32_t arrived = 0, expected = 0, live = 0;
    std::vector<Warp *> members;
    for (Warp &warp : warps_) {
      live += warp.live() ? 32 : 0;
      if (warp.barrier != id || (!warp.isWaiting && !warp.isPassed))
        continue;
      members.push_back(&warp);
      arrived += 32;
      expected = std::max(expected, warp.expected);
    }
    // Threads are counted by whole warps, as hardware does.
    if (members.empty() || arrived < (expected ? expected : live))
      continue;
    std::vector<uint32_t> joined(warps_.size(), 0);
    for (Warp *warp : members)
      for (size_t w = 0; w < joined.size(); ++w)
        joined[w] = std::max(joined[w], warp->offered[w]);
    for (Warp *warp : members) {
      if (warp->isWaiting) { // who only arrives does not see the others' writes
        for (size_t w = 0; w < joined.size(); ++w)
          warp->clocks[w] = std::max(warp->clocks[w], joined[w]);
        ++warp->clocks[warp->number()];
        ++warp->epoch;
      }
      warp->isWaiting = warp->isPassed = false;
    }
    ++run_.outcome.counts.barriers;
    any = true;
  }
  return any;
}

void Block::execute() {
  std::mt19937_64 random(run_.launch.seed * 0x9e3779b97f4a7c15 + number_);
  std::vector<Warp *> order;
  for (Warp &warp : warps_)
    order.push_back(&warp);
  while (!run_.isEnded) {
    std::shuffle(order.begin(), order.end(), random);
    bool isLive = false, ran = false;
    for (Warp *warp : order) {
      isLive |= warp->live() != 0;
      if (!warp->live() || warp->isWaiting)
        continue;
      warp->run(64 + random() % 512);
      ran = true;
      if (run_.isEnded)
        return;
    }
    if (!isLive)
      return;
    if (releaseBarriers() || ran)
      continue;
    for (Warp *warp : order)
      if (warp->live()) {
        unsigned lane = lowest(warp->live());
        // The barrier is the instruction before.
        warp->report(ReportKind::Deadlock, run_.kernel.code[warp->place_[lane] - 1], lane,
                     "waits at barrier " + std::to_string(warp->barrier) +
                         ", which other threads of the block never reach");
      }
    run_.isEnded = true;
  }
}

bool Block::isOrdered(Warp &warp, unsigned lane, bool isShared, uint32_t operation, uint32_t block,
                      uint32_t thread, uint32_t clock, uint32_t epoch) const {
  if (!operation)
    return true;
  if (!isShared && operation != run_.launch.operation)
    return run_.launch.isOrdered ? run_.launch.isOrdered(operation) : true;
  if (block != number_)
    return false;
  if (thread == warp.number() * 32 + lane)
    return true;
  if (thread / 32 == warp.number())
    return warp.epoch > epoch;
  return warp.clocks[thread / 32] >= clock;
}

void Block::access(Warp &warp, const Instruction &instruction, unsigned lane, Region &region,
                   uint64_t offset, unsigned bytes, bool isWrite, bool isAtomic,
                   const uint8_t *value) {
  bool isShared = &region == &shared_;
  auto thread = static_cast<uint16_t>(warp.number() * 32 + lane);
  uint32_t operation = run_.launch.operation, clock = warp.clocks[warp.number()];
  for (uint64_t first = offset / 4 * 4; first < offset + bytes; first += 4) {
    Cell &cell = region.cells[first / 4];
    uint8_t mask = 0;
    bool isSame = value != nullptr;
    for (unsigned i = 0; i < 4; ++i)
      if (first + i >= offset && first + i < offset + bytes) {
        mask |= 1 << i;
        isSame = isSame && value[first + i - offset] == region.bytes[first + i];
      }
    auto race = [&](uint32_t otherOperation, uint32_t block, uint32_t other, bool isWriter) {
      bool isElsewhere = !isShared && otherOperation != operation;
      std::array<uint32_t, 3> at = threadIndex(other);
      const Launch &launch = run_.launch;
      warp.report(isElsewhere ? ReportKind::Unordered : ReportKind::Race, instruction, lane,
                  std::string(isWrite ? (isAtomic ? "changes " : "writes ") : "reads ") +
                      region.name + " at offset " + std::to_string(offset) + ", which " +
                      (isElsewhere
                           ? (launch.describe ? launch.describe(otherOperation)
                                              : "operation " + std::to_string(otherOperation))
                           : (block == number_
                                  ? "thread (" + std::to_string(at[0]) + ", " +
                                        std::to_string(at[1]) + ", " + std::to_string(at[2]) + ")"
                                  : "block " + std::to_string(block))) +
                      (isWriter ? " wrote," : " read,") + " and nothing orders the two");
    };
    // That two launches store equal values is chance.
    auto isOwn = [&](uint32_t other) { return isShared || other == operation; };
    bool isConflict =
        cell.writtenBytes & mask && !(isAtomic && cell.isAtomic) &&
        !(isWrite && !isAtomic && !cell.isAtomic && isSame && isOwn(cell.writeOperation));
    if (isConflict && !isOrdered(warp, lane, isShared, cell.writeOperation, cell.writeBlock,
                                 cell.writeThread, cell.writeClock, cell.writeEpoch))
      race(cell.writeOperation, cell.writeBlock, cell.writeThread, true);
    if (isWrite && cell.readOperation && !(isSame && isOwn(cell.readOperation))) {
      bool isRead;
      if (!isShared && cell.readOperation != operation)
        isRead = isOrdered(warp, lane, isShared, cell.readOperation, 0, 0, 0, 0);
      else if (cell.hasManyBlocks)
        isRead = false;
      else if (cell.hasManyReaders) {
        isRead = cell.readBlock == number_ && warp.epoch > cell.readEpoch;
        for (size_t w = 0; w < warp.clocks.size() && isRead; ++w)
          isRead = w == warp.number() || warp.clocks[w] >= cell.readClock;
      } else
        isRead = isOrdered(warp, lane, isShared, cell.readOperation, cell.readBlock,
                           cell.readThread, cell.readClock, cell.readEpoch);
      if (!isRead)
        race(cell.readOperation, cell.readBlock, cell.readThread, false);
    }
    if (isWrite && !isShared) {
      for (uint32_t reader : region.keptReaders(first / 4))
        if (reader != operation && !isOrdered(warp, lane, isShared, reader, 0, 0, 0, 0))
          race(reader, 0, 0, false);
      region.dropReaders(first / 4);
    }
    if (!isWrite || isAtomic) {
      if ((cell.initialized & mask) != mask)
        warp.report(ReportKind::Uninitialized, instruction, lane,
                    "reads " + region.name + " at offset " + std::to_string(offset) +
                        ", which was never written");
    }
    if (!isWrite) {
      if (!isOwn(cell.readOperation) && cell.readOperation)
        region.keepReader(first / 4, run_.launch);
      bool isFirst = cell.readOperation != operation ||
                     (cell.readBlock == number_ && cell.readThread == thread);
      // Readers before a barrier are ordered before what follows it: the latest are what counts.
      bool isNewer = cell.readBlock == number_ && cell.readClock < clock;
      if (!isFirst && cell.readBlock != number_)
        cell.hasManyBlocks = true;
      else if (!isFirst && !isNewer)
        cell.hasManyReaders = true;
      else if (isFirst)
        cell.hasManyReaders = cell.hasManyBlocks = false;
      cell.readOperation = operation;
      cell.readBlock = number_;
      cell.readThread = thread;
      cell.readEpoch = std::max(isFirst ? 0 : cell.readEpoch, warp.epoch);
      cell.readClock = std::max(isFirst ? 0 : cell.readClock, clock);
    } else {
      cell.writeOperation = operation;
      cell.writeBlock = number_;
      cell.writeThread = thread;
      cell.writeClock = clock;
      cell.writeEpoch = warp.epoch;
      cell.writtenBytes = mask;
      cell.isAtomic = isAtomic;
      cell.initialized |= mask;
    }
  }
}
