//===- Block.cpp - Warps that meet at barriers ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Execution.h"

#include <algorithm>

using namespace dmc::ptx;

Block::Block(Run &run)
    : run_(run), numThreads_(run.launch.block[0] * run.launch.block[1] * run.launch.block[2]),
      shared_("shared memory", 0, run.kernel.sharedBytes + run.launch.dynamicShared) {
  uint32_t numWarps = (numThreads_ + 31) / 32;
  warps_.reserve(numWarps);
  for (uint32_t w = 0; w < numWarps; ++w)
    warps_.emplace_back(*this, w);
  for (Warp &warp : warps_)
    order_.push_back(&warp);
}

void Block::start(uint32_t number, std::array<uint32_t, 3> index) {
  number_ = number;
  index_ = index;
  random_ = run_.launch.seed * 0x9e3779b97f4a7c15 + number;
  shared_.reset();
  flags_.clear();
  memoryBarriers_.clear();
  for (Barrier &barrier : barriers_)
    barrier = {};
  for (Warp &warp : warps_)
    warp.start(numThreads_ - 32 * warp.number());
}

std::array<uint32_t, 3> Block::threadIndex(uint32_t thread) const {
  const auto &size = run_.launch.block;
  return {thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]};
}

/// Hardware lets a barrier of all threads pass when those that are left have reached it. What the
/// others were to do before it was not done, which is seldom meant.
void Block::checkAllArrived(Warp &first) {
  for (Warp &warp : warps_) {
    uint32_t ended = threadsOf(warp) & ~warp.live();
    if (!ended)
      continue;
    unsigned lane = lowest(first.live());
    std::array<uint32_t, 3> at = threadIndex(warp.number() * 32 + lowest(ended));
    return first.report(ReportKind::MissedBarrier, run_.kernel.code[first.place_[lane] - 1], lane,
                        "passes barrier " + std::to_string(first.barrier) + ", but thread (" +
                            std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " +
                            std::to_string(at[2]) + ") has ended without reaching it");
  }
}

uint32_t Block::threadsOf(const Warp &warp) const {
  uint32_t rest = numThreads_ - 32 * warp.number();
  return rest >= 32 ? ~0U : (1U << rest) - 1;
}

void Block::arrive(Warp &warp, uint32_t number, uint32_t expected, bool waits) {
  Barrier &barrier = barriers_[number];
  warp.offer();
  join(barrier.view, warp.offered());
  barrier.others = join(barrier.others, warp.others());
  barrier.arrived += 32; // threads are counted by whole warps, as hardware does
  barrier.expected = std::max(barrier.expected, expected);
  barrier.live += static_cast<uint32_t>(__builtin_popcount(warp.live()));
  barrier.ones += static_cast<uint32_t>(__builtin_popcount(warp.votes));
  if (waits) {
    warp.barrier = number;
    warp.isWaiting = true;
    barrier.waiting.push_back(&warp);
  }
  release(barrier);
}

bool Block::release(Barrier &barrier) {
  if (!barrier.arrived)
    return false;
  uint32_t needed = barrier.expected;
  if (!needed)
    for (const Warp &warp : warps_) // those that have ended count as arrived
      needed += warp.live() ? 32 : 0;
  if (barrier.arrived < needed)
    return false;
  if (!barrier.expected && !barrier.waiting.empty())
    checkAllArrived(*barrier.waiting.front());
  for (Warp *warp : barrier.waiting) { // who only arrives does not see the others' writes
    if (const Instruction *i = warp->barrierReduction) {
      // A count of the lanes whose predicate holds, or whether all or any do.
      uint32_t value = i->option == 0   ? barrier.ones
                       : i->option == 1 ? barrier.ones == barrier.live
                                        : barrier.ones != 0;
      std::fill_n(warp->row(i->targets[0]), 32, value);
      warp->markWritten(i->targets[0], warp->live());
      warp->barrierReduction = nullptr;
    }
    warp->accept(barrier.view, barrier.others);
    warp->isWaiting = false;
    warp->votes = 0;
  }
  barrier = {};
  ++run_.outcome.counts.barriers;
  return true;
}

bool Block::releaseBarriers() {
  bool any = false;
  for (Barrier &barrier : barriers_)
    any |= release(barrier);
  return any;
}

/// The next number of a sequence (splitmix64).
static uint64_t draw(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

bool Block::execute(uint64_t instructions) {
  for (uint64_t done = 0; done < instructions;) {
    for (size_t i = order_.size(); i > 1; --i)
      std::swap(order_[i - 1], order_[draw(random_) % i]);
    bool isLive = false, ran = false;
    // Where threads wait for each other many interleavings are tried, by short slices.
    uint64_t slice = run_.kernel.polls ? 8 + draw(random_) % 64 : 64 + draw(random_) % 512;
    for (Warp *warp : order_) {
      isLive |= warp->live() != 0;
      if (!warp->live() || warp->isWaiting)
        continue;
      warp->run(slice);
      ran = true;
      if (run_.isEnded)
        return true;
    }
    done += slice;
    if (!isLive)
      return true;
    if (releaseBarriers() || ran)
      continue;
    for (Warp *warp : order_)
      if (warp->live()) {
        unsigned lane = lowest(warp->live());
        // The barrier is the instruction before.
        warp->report(ReportKind::Deadlock, run_.kernel.code[warp->place_[lane] - 1], lane,
                     "waits at barrier " + std::to_string(warp->barrier) +
                         ", which other threads of the block never reach");
      }
    run_.isEnded = true;
    return true;
  }
  return false;
}
