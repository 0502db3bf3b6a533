//===- Order.h - Which accesses of a launch are ordered ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two accesses of one launch are ordered if one thread makes both, if barriers order them, or if a
// release that follows the one is observed by an acquire before the other (vector clocks: Flanagan
// and Freund, FastTrack, 2009). Each warp counts a time of its own, which grows at each
// synchronization, and knows of each other warp up to which time it has seen it. Copies by
// `cp.async` are accesses of a second time line of their warp, which a wait makes known to it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PTX_ORDER_H
#define DMC_LIB_PTX_ORDER_H

#include "dmc/PTX/Memory.h"

namespace dmc::ptx {

/// What is known of a line of time: accesses up to `all`, and those of `lanes` up to `ofLanes`.
/// Where two sets of lanes meet, the larger time counts for both.
struct Known {
  uint32_t all = 0, ofLanes = 0, lanes = 0;

  bool has(uint32_t time, unsigned lane) const {
    return time <= all || (time <= ofLanes && (lane < 32 ? lanes >> lane & 1 : lanes == ~0U));
  }
  void join(const Known &other) {
    all = other.all > all ? other.all : all;
    if (ofLanes <= all)
      ofLanes = lanes = 0;
    if (other.ofLanes > all) {
      ofLanes = other.ofLanes > ofLanes ? other.ofLanes : ofLanes;
      lanes |= other.lanes;
    }
  }
};

/// Of each line of time of a block: its warps, then their copies.
using BlockView = std::vector<Known>;
/// Of blocks, by their number. Views are shared and never change; null is an empty one.
using View = std::shared_ptr<const std::map<uint32_t, std::shared_ptr<const BlockView>>>;
View join(const View &a, const View &b);
void join(BlockView &view, const BlockView &other);
/// `view` with that of one block in place of what it has of the block.
View with(const View &view, uint32_t block, BlockView of);
const Known *find(const View &view, uint32_t block, uint32_t line);

/// What a release passes on: to the whole device and, by a fence of a block, to the block alone.
struct Release {
  View device, own;
  uint32_t block = 0;
};

/// Some lanes of a warp know more than the others until all meet.
struct Partial {
  uint32_t lanes = 0;
  View view;
};

} // namespace dmc::ptx

#endif // DMC_LIB_PTX_ORDER_H
