//===- Parts.cpp - Parts of partial and placed axes -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of axes do not depend on their spelling: a part of an axis in a set is in it.
//
//===----------------------------------------------------------------------===//
#include "ReshardTools.h"

#include <algorithm>
#include <numeric>

using namespace dmc;

bool dmc::contains(const AxisRef &outer, const AxisRef &inner) {
  if (outer.axis != inner.axis || inner.preSize % outer.preSize != 0)
    return false;
  int64_t end = outer.preSize * outer.size, innerEnd = inner.preSize * inner.size;
  return innerEnd <= end && end % innerEnd == 0;
}

/// What is left of an axis above and below a part of it.
static std::vector<AxisRef> around(const AxisRef &whole, const AxisRef &part) {
  std::vector<AxisRef> result;
  int64_t end = whole.preSize * whole.size, partEnd = part.preSize * part.size;
  if (part.preSize > whole.preSize)
    result.push_back({whole.axis, whole.preSize, part.preSize / whole.preSize});
  if (end > partEnd)
    result.push_back({whole.axis, partEnd, end / partEnd});
  return result;
}

/// The coordinate along a part of an axis, from that along the axis.
static int64_t digitOf(const PlacedAxis &entry, const AxisRef &part) {
  return entry.coordinate / (entry.axis.preSize * entry.axis.size / (part.preSize * part.size)) %
         part.size;
}

std::optional<Layout> dmc::withoutPartial(const Layout &layout, const std::vector<AxisRef> &axes) {
  Layout result = layout.canonical();
  for (const AxisRef &axis : axes) {
    auto whole = std::find_if(result.partial.begin(), result.partial.end(),
                              [&](const AxisRef &other) { return contains(other, axis); });
    if (whole == result.partial.end())
      return std::nullopt;
    std::vector<AxisRef> rest = around(*whole, axis);
    result.partial.erase(whole);
    result.partial.insert(result.partial.end(), rest.begin(), rest.end());
  }
  return result.canonical();
}

std::optional<Layout> dmc::withoutPlaced(const Layout &layout, const std::vector<AxisRef> &axes) {
  Layout result = layout.canonical();
  for (const AxisRef &axis : axes) {
    auto whole = std::find_if(result.placed.begin(), result.placed.end(),
                              [&](const PlacedAxis &other) { return contains(other.axis, axis); });
    if (whole == result.placed.end())
      return std::nullopt;
    PlacedAxis entry = *whole;
    result.placed.erase(whole);
    for (const AxisRef &rest : around(entry.axis, axis))
      result.placed.push_back({rest, digitOf(entry, rest)});
  }
  return result.canonical();
}

std::optional<int64_t> dmc::placedCoordinate(const Layout &layout, const AxisRef &axis) {
  for (const PlacedAxis &entry : layout.canonical().placed)
    if (contains(entry.axis, axis))
      return digitOf(entry, axis);
  return std::nullopt;
}

bool dmc::isPlacedWithin(const Mesh &mesh, const std::vector<PlacedAxis> &inner,
                         const std::vector<PlacedAxis> &outer) {
  return std::all_of(outer.begin(), outer.end(), [&](const PlacedAxis &entry) {
    const int64_t size = mesh.axis(entry.axis.axis).size;
    auto strideOf = [&](const AxisRef &axis) { return size / (axis.preSize * axis.size); };
    // Positions along the axis that no entry tells apart are one.
    int64_t step = strideOf(entry.axis);
    std::vector<PlacedAxis> others;
    for (const PlacedAxis &other : inner) {
      if (other.axis.axis != entry.axis.axis)
        continue;
      if (contains(other.axis, entry.axis))
        return digitOf(other, entry.axis) == entry.coordinate;
      others.push_back(other);
      step = std::gcd(step, strideOf(other.axis));
    }
    if (others.empty() || size / step > maxPlaces)
      return false;
    for (int64_t at = 0; at < size; at += step) {
      auto isThere = [&](const PlacedAxis &other) {
        return at / strideOf(other.axis) % other.axis.size == other.coordinate;
      };
      if (std::all_of(others.begin(), others.end(), isThere) && !isThere(entry))
        return false;
    }
    return true;
  });
}

bool dmc::isUsed(const Layout &layout, const AxisRef &axis) {
  bool found = false;
  forEachReference(layout, [&](const AxisRef &other) { found |= overlaps(axis, other); });
  return found;
}
