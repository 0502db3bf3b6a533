//===- Halo.h - Windows over a split dimension ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements of a dimension windows over it read, and the transfers that give every
// position its window. The C++ standard library only.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LAYOUT_HALO_H
#define DMC_LAYOUT_HALO_H

#include "dmc/Layout/Reshard.h"

namespace dmc {

/// `count` windows over a dimension of `size` elements. Window i begins at position
/// step * i + offset and is `length` long; position p is element p / dilation where that is
/// whole, and padding elsewhere and beyond the dimension.
struct Windows {
  int64_t size = 0;
  int64_t count = 1;
  int64_t step = 1;
  int64_t offset = 0;
  int64_t length = 1;
  int64_t dilation = 1;

  int64_t begin(int64_t window) const { return step * window + offset; }
  /// The first element at or after the beginning of a window; it may lie beyond the dimension.
  int64_t firstElement(int64_t window) const;
  /// Where that element is in the window: less than the dilation.
  int64_t phase(int64_t window) const { return firstElement(window) * dilation - begin(window); }
  bool operator==(const Windows &o) const {
    return size == o.size && count == o.count && step == o.step && offset == o.offset &&
           length == o.length && dilation == o.dilation;
  }
  /// The most elements that a window has.
  int64_t maxElements() const { return (length + dilation - 1) / dilation; }
};

/// How each of `count` positions gets the elements of its window. Transfers have one
/// dimension; their offsets count from the first element of the block and of the window.
struct HaloPlan {
  std::vector<Transfer> kept;
  std::vector<TransferRound> rounds;
  /// What is sent for each element of all other dimensions, in elements.
  int64_t elements() const;
};

/// Plans the transfers among positions that axes of these sizes, major to minor, split the
/// dimension over; without axes every position has all of it.
HaloPlan planHalo(const Windows &windows, const std::vector<int64_t> &axisSizes);
/// What such a halo sends where each element of the dimension stands for `rowBytes` bytes.
Traffic haloTraffic(const Windows &windows, const std::vector<int64_t> &axisSizes, double rowBytes);

/// The most positions that a halo is planned for.
constexpr int64_t kMostHaloPositions = 4096;

/// True if the blocks of n elements begin at multiples of their size.
bool cutsUniformly(int64_t n, const std::vector<int64_t> &axisSizes);
/// True if dimensions of m and n elements are cut into blocks of one size, so that the
/// blocks of the shorter are those of the longer, less what is beyond its end.
bool cutsAlike(int64_t m, int64_t n, const std::vector<int64_t> &axisSizes);

} // namespace dmc

#endif // DMC_LAYOUT_HALO_H
