//===- Permutation.cpp - Whether blocks of two splits are the same --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The non-empty blocks of a dimension tile it, so two splits have the same blocks iff
// they cut at the same places. The work does not depend on the number of blocks.
//
//===----------------------------------------------------------------------===//
#include "ReshardTools.h"

#include <algorithm>

using namespace dmc;

using AxisList = std::vector<AxisRef>;

static std::vector<int64_t> sizesOf(const AxisList &axes) {
  std::vector<int64_t> sizes;
  for (const AxisRef &ref : axes)
    sizes.push_back(ref.size);
  return sizes;
}

/// Appends the places where a block [begin, end) of nominal size `block` is cut, up to
/// `most` of them.
static void appendPlaces(const std::vector<int64_t> &sizes, size_t level, int64_t begin,
                         int64_t end, int64_t block, size_t most, std::vector<int64_t> &places) {
  if (level == sizes.size()) {
    if (begin < end)
      places.push_back(begin);
    return;
  }
  int64_t part = ceilDiv(block, sizes[level]);
  for (; begin < end && places.size() < most; begin += part)
    appendPlaces(sizes, level + 1, begin, std::min(begin + part, end), part, most, places);
}

std::vector<int64_t> dmc::blockSizes(int64_t n, const AxisList &axes) {
  std::vector<int64_t> blocks;
  for (const AxisRef &axis : axes) {
    int64_t part = ceilDiv(n, axis.size);
    if (part == n)
      continue;
    n = part;
    while (!blocks.empty() && n > 0 && blocks.back() % n == 0)
      blocks.pop_back();
    blocks.push_back(n);
  }
  return blocks;
}

// The sizes c1 > .. > ck of two lists that cut at the same places are equal. Else let them agree
// from cj on and differ in the next larger one, a, which the other list has not or has larger, a'.
// Behind a both have the places of cj, .., ck, but one of them rotated by a modulo cj (behind a'
// by a' - a, where that is less than cj), which is not 0. A block is at most half of the block
// that it cuts, rounded up, so that a whole period of length cj is rotated: its places are the
// same after a divisor of cj, and as they recur after c(j+1) too, also after the common divisor of
// both, which is less than c(j+1) and divides it. So on to blocks of ck, of which only the first
// element is a place.
bool dmc::cutAlike(int64_t n, const AxisList &a, const AxisList &b) {
  return a == b || blockSizes(n, a) == blockSizes(n, b);
}

std::vector<int64_t> dmc::cutPlaces(int64_t n, const AxisList &axes, size_t most) {
  std::vector<int64_t> places;
  appendPlaces(sizesOf(axes), 0, 0, n, n, most, places);
  return places;
}

static double positionsOf(const Layout &layout) {
  double count = 1;
  for (const AxisList &axes : layout.dims)
    for (const AxisRef &ref : axes)
      count *= static_cast<double>(ref.size);
  for (const PlacedAxis &entry : layout.placed)
    count *= static_cast<double>(entry.axis.size);
  return count;
}

bool dmc::isPermutation(const Mesh &mesh, const Layout &from, const Layout &to,
                        const std::vector<int64_t> &shape) {
  Layout a = from.canonical(), b = to.canonical();
  if (a.partial != b.partial || a.combiner != b.combiner)
    return false;
  // A block has as many holders as there are ranks for each position.
  if (positionsOf(b) < positionsOf(a))
    return false;
  for (size_t d = 0; d < shape.size(); ++d)
    if (!cutAlike(shape[d], a.dims[d], b.dims[d]))
      return false;
  return true;
}

bool dmc::isSameSplit(const Mesh &mesh, const Layout &from, const Layout &to,
                      const std::vector<int64_t> &shape) {
  Layout a = from.canonical(), b = to.canonical();
  if (a.partial != b.partial || a.combiner != b.combiner)
    return false;
  // Where the source is placed, all that the target wants is there.
  if (!isPlacedWithin(mesh, b.placed, a.placed))
    return false;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (a.dims[d] == b.dims[d])
      continue;
    bool isNormal = mergeParts(a.dims[d]) == mergeParts(b.dims[d]);
    if (isEven(shape[d], a.dims[d]) && isEven(shape[d], b.dims[d])) {
      if (!isNormal && shape[d] > 0)
        return false;
      continue;
    }
    Layout oneA{{a.dims[d]}, {}, {}, {}}, oneB{{b.dims[d]}, {}, {}, {}};
    AxisList axes = AxisCuts(mesh, {&oneA, &oneB}).partsOf({&oneA, &oneB});
    if (groupSize(axes) > maxRedistributedPositions)
      return false;
    BlocksOfDim held(mesh, a.dims[d], shape[d]), wanted(mesh, b.dims[d], shape[d]);
    for (int64_t rank : group(mesh, axes, 0)) {
      DimBlock want = wanted.at(rank);
      if (want.valid() > 0 && !(held.at(rank) == want))
        return false;
    }
  }
  return true;
}
