//===- WarpOrder.cpp - What a warp knows of others' accesses --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Execution.h"

#include <algorithm>

using namespace dmc::ptx;

void Warp::startOrder() {
  uint32_t numWarps = block_.numWarps();
  time_ = syncTime_ = copyTime_ = 1;
  stamp_ = copyStamp_ = 0;
  known_.assign(size_t(2) * numWarps, {});
  others_ = nullptr;
  pending_ = observed_ = fenced_ = fencedInBlock_ = {};
  copyGroups_.clear();
  std::fill_n(groups_, 32, 0);
  std::fill_n(groupTimes_, 32, 0);
  std::fill_n(waited_, 32, 0);
}

Stamp Warp::newStamp() { return stamp_ = block_.run().newStamp({block_.number(), number_, time_}); }

Stamp Warp::copyStamp() {
  if (!copyStamp_)
    copyStamp_ = block_.run().newStamp({block_.number(), block_.numWarps() + number_, copyTime_});
  return copyStamp_;
}

Order Warp::order(Stamp earlier) {
  if (!earlier)
    return Order::Before;
  Run &run = block_.run();
  if (earlier < run.firstStamp) {
    if (!run.launch.isOrdered)
      return Order::Before;
    if (earlier != run.lastEarlier) {
      uint32_t operation = run.memory.operationOf(earlier);
      run.isLastOrdered = !operation || run.launch.isOrdered(operation);
      run.lastEarlier = earlier;
    }
    return run.isLastOrdered ? Order::Before : Order::None;
  }
  const Moment &moment = run.moments[earlier - run.firstStamp];
  bool isOfBlock = moment.block == block_.number();
  if (isOfBlock && moment.line == number_)
    return moment.time < syncTime_ ? Order::Before : Order::ByLane;
  const Known *known = isOfBlock ? &known_[moment.line] : find(others_, moment.block, moment.line);
  if (known && moment.time <= known->all)
    return Order::Before;
  bool isOwnCopy = isOfBlock && moment.line == block_.numWarps() + number_;
  return isOwnCopy || (known && known->lanes) || pending_.lanes ? Order::ByLane : Order::None;
}

bool Warp::isBefore(Stamp earlier, unsigned otherLane, unsigned lane) {
  Run &run = block_.run();
  if (earlier < run.firstStamp)
    return order(earlier) == Order::Before;
  const Moment &moment = run.moments[earlier - run.firstStamp];
  bool isOfBlock = moment.block == block_.number();
  if (pending_.lanes >> lane & 1) {
    const Known *known = find(pending_.view, moment.block, moment.line);
    if (known && known->has(moment.time, otherLane))
      return true;
  }
  if (isOfBlock && moment.line == number_)
    return otherLane == lane || moment.time < syncTime_ ||
           (otherLane < 32 && groups_[lane] >> otherLane & 1 && moment.time < groupTimes_[lane]);
  if (isOfBlock && moment.line == block_.numWarps() + number_ && otherLane == lane &&
      moment.time <= waited_[lane])
    return true;
  const Known *known = isOfBlock ? &known_[moment.line] : find(others_, moment.block, moment.line);
  return known && known->has(moment.time, otherLane);
}

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

void Warp::mergePending() {
  Known &copies = known_[block_.numWarps() + number_];
  uint32_t waited = ~0U;
  for (uint32_t lanes = live_; lanes; lanes &= lanes - 1)
    waited = std::min(waited, waited_[lowest(lanes)]);
  if (live_)
    copies.all = std::max(copies.all, waited);
  if (!pending_.lanes)
    return;
  if (pending_.view) {
    auto own = pending_.view->find(block_.number());
    if (own != pending_.view->end())
      join(known_, *own->second);
  }
  others_ = join(others_, pending_.view);
  pending_ = {};
}

void Warp::synchronize() {
  mergePending();
  advance();
  syncTime_ = time_;
}

void Warp::synchronize(uint32_t group) {
  if (group == live_)
    return synchronize();
  if (pending_.lanes & group)
    pending_.lanes |= group;
  advance();
  for (uint32_t lanes = group; lanes; lanes &= lanes - 1) {
    groups_[lowest(lanes)] = group;
    groupTimes_[lowest(lanes)] = time_;
  }
}

void Warp::offer() {
  mergePending();
  offered_ = known_;
  offered_[number_].all = time_;
  advance();
}

void Warp::accept(const BlockView &view, const View &others) {
  join(known_, view);
  others_ = join(others_, others);
  advance();
  syncTime_ = time_;
}

//===----------------------------------------------------------------------===//
// Releases and acquires
//===----------------------------------------------------------------------===//

View Warp::release(uint32_t lanes, bool withCopies) {
  BlockView own = known_;
  View others = others_;
  if (pending_.lanes & lanes) {
    others = join(others, pending_.view);
    if (const Known *first = find(pending_.view, block_.number(), 0); first)
      join(own, *pending_.view->at(block_.number()));
  }
  // All that lanes did before they last met, and all that these have done.
  own[number_].join({syncTime_ - 1, time_, lanes == live_ ? ~0U : lanes});
  uint32_t waited = ~0U;
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    waited = std::min(waited, waited_[lowest(rest)]);
  own[block_.numWarps() + number_].join({0, waited, lanes == live_ ? ~0U : lanes});
  if (withCopies) { // when they end
    waited = copyTime_++;
    copyStamp_ = 0;
    own[block_.numWarps() + number_].join({0, waited, lanes == live_ ? ~0U : lanes});
  }
  advance();
  return with(others, block_.number(), std::move(own));
}

void Warp::acquire(uint32_t lanes, const View &view) {
  if (!view)
    return;
  pending_.lanes |= lanes;
  pending_.view = join(pending_.view, view);
  if (pending_.lanes == live_)
    mergePending();
}

void Warp::fence(uint32_t lanes, bool isOfBlock) {
  if (observed_.lanes & lanes)
    acquire(lanes & observed_.lanes, observed_.view);
  Partial &fenced = isOfBlock ? fencedInBlock_ : fenced_;
  View view = release(lanes);
  fenced.view = fenced.lanes & ~lanes ? join(fenced.view, view) : view;
  fenced.lanes |= lanes;
  if (!isOfBlock)
    fencedInBlock_.lanes &= ~lanes;
}

void Warp::releaseTo(Release &flag, uint32_t lane, const Instruction &instruction, bool isChange) {
  uint32_t bit = 1U << lane;
  View device = fenced_.lanes & bit ? fenced_.view : nullptr,
       own = fencedInBlock_.lanes & bit ? fencedInBlock_.view : nullptr;
  if (instruction.order & Releases)
    (instruction.order & InBlock ? own : device) = release(bit);
  // A change of a value goes on with what was released to it (PTX ISA, release sequences).
  bool keepsOwn = isChange && flag.block == block_.number();
  flag.own = keepsOwn ? join(flag.own, own) : own;
  flag.device = isChange ? join(flag.device, device) : device;
  flag.block = block_.number();
}

void Warp::acquireFrom(const Release &flag, uint32_t lane, const Instruction &instruction) {
  View view = flag.device;
  if (flag.block == block_.number())
    view = join(view, flag.own);
  if (!view)
    return;
  if (instruction.order & Acquires)
    return acquire(1U << lane, view);
  observed_.lanes |= 1U << lane;
  observed_.view = join(observed_.view, view);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void Warp::commitCopies(uint32_t lanes) {
  copyGroups_.push_back({lanes, copyTime_++});
  copyStamp_ = 0;
}

void Warp::waitForCopies(uint32_t lanes, uint32_t numGroups, bool isAll) {
  if (isAll)
    commitCopies(lanes);
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    uint32_t left = isAll ? 0 : numGroups;
    for (size_t g = copyGroups_.size(); g-- > 0;)
      if (copyGroups_[g].lanes >> lowest(rest) & 1 && !left--) {
        waited_[lowest(rest)] = std::max(waited_[lowest(rest)], copyGroups_[g].time);
        break;
      }
  }
}
