//===- Execution.cpp - Lanes, warps and barriers --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Execution.h"

#include <algorithm>

using namespace dmc::ptx;

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

Warp::Warp(Block &block, uint32_t number)
    : block_(block), number_(number), values_(size_t(block.run().kernel.numRows) * 32),
      written_(block.run().kernel.numRows), localBytes_(block.run().kernel.localBytes),
      local_(64 * localBytes_) {
  const Kernel &kernel = block.run().kernel;
  for (const Preset &preset : kernel.presets) {
    std::fill_n(row(preset.row), 32, preset.value);
    if (preset.isSpecial)
      for (uint32_t lane = 0; lane < 32; ++lane)
        row(preset.row)[lane] = specialValue(preset.special, block, number * 32 + lane, number);
  }
  for (size_t i = 0; i < kernel.globalRows.size(); ++i)
    std::fill_n(row(kernel.globalRows[i].first), 32, block.run().globalAddresses[i]);
}

void Warp::start(uint32_t numThreads) {
  const Kernel &kernel = block_.run().kernel;
  std::fill(written_.begin(), written_.end(), 0);
  for (const Preset &preset : kernel.presets) {
    // All others are those of the block before.
    if (preset.isSpecial && preset.special >= Special::CtaidX && preset.special <= Special::CtaidZ)
      std::fill_n(row(preset.row), 32, specialValue(preset.special, block_, 0, number_));
    written_[preset.row] = ~0U;
  }
  for (const auto &[row, name] : kernel.globalRows)
    written_[row] = ~0U;
  std::fill_n(local_.begin(), 32 * localBytes_, 0xcb);
  std::fill(local_.begin() + static_cast<std::ptrdiff_t>(32 * localBytes_), local_.end(), 0);
  jump(~0U, 0);
  live_ = numThreads >= 32 ? ~0U : (1U << numThreads) - 1;
  parked_ = 0;
  executed_ = passedOver_ = 0;
  isForced_ = isWaiting = false;
  barrierReduction = nullptr;
  votes = 0;
  startOrder();
}

void Warp::report(ReportKind kind, const Instruction &instruction, unsigned lane,
                  std::string message) {
  Run &run = block_.run();
  if (!run.reported.insert({kind, instruction.line}).second)
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
  const std::vector<uint32_t> &ranks = block_.run().kernel.ranks;
  uint32_t rank = ~0U;
  for (uint32_t lanes = runnable; lanes; lanes &= lanes - 1) {
    unsigned lane = lowest(lanes);
    uint32_t at = ranks[place_[lane]];
    if (at < rank) {
      limit = rank;
      rank = at;
      place = place_[lane];
      mask = 0;
    } else if (at > rank) {
      limit = std::min(limit, at);
    }
    if (at == rank)
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

/// The lanes whose value is not 0.
static uint32_t trueLanes(const uint64_t *values) {
  uint32_t lanes = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    lanes |= uint32_t(values[lane] != 0) << lane;
  return lanes;
}

Warp::State Warp::run(uint64_t instructions) {
  Run &run = block_.run();
  const Instruction *code = run.kernel.code.data();
  const uint32_t *ranks = run.kernel.ranks.data();
  const uint64_t most = run.launch.mostInstructions;
  uint64_t numInstructions = 0, numLanes = 0;
  auto leave = [&](State state) {
    run.outcome.counts.instructions += numInstructions;
    run.outcome.counts.laneInstructions += numLanes;
    return state;
  };
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
        uint32_t lanes = trueLanes(row(instruction.guard));
        active &= instruction.isGuardNegated ? ~lanes : lanes;
      }
      if (instruction.synchronizes && active && mask != live_ && !isForced_ &&
          namedLanes(*this, instruction, active) != active) {
        jump(mask, place);
        parked_ |= mask;
        isAway = true;
        break;
      }
      isForced_ = false;
      ++numInstructions;
      numLanes += static_cast<unsigned>(__builtin_popcount(active));
      passedOver_ = limit == ~0U ? 0 : passedOver_ + 1;
      if (++executed_ > most) {
        report(ReportKind::EndlessLoop, instruction, lowest(mask),
               "the warp has run " + std::to_string(executed_ - 1) + " instructions");
        run.isEnded = true;
        return leave(State::Ended);
      }
      if (instruction.branches || instruction.synchronizes) {
        // Lanes that all go on at one place need not be asked for theirs.
        jump(mask, place + 1);
        if (active)
          instruction.run(*this, instruction, active);
        parked_ &= live_ & ~mask;
        if (run.isEnded)
          return leave(State::Ended);
        if (isWaiting)
          return leave(State::AtBarrier);
        isAway = true;
        continue;
      }
      if (active)
        instruction.run(*this, instruction, active);
      if (ranks[++place] >= limit) { // others wait there
        jump(mask, place);
        isAway = true;
      }
    }
    if (!isAway)
      jump(mask, place);
  }
  return leave(live_ ? State::Sliced : State::Ended);
}
