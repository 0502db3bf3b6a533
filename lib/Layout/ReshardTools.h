//===- ReshardTools.h - Parts of axes that layouts use ----------*- C++ -*-===//
//
// Where layouts cut the axes of a mesh, and the parts that follow.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_LAYOUT_RESHARDTOOLS_H
#define DMC_LIB_LAYOUT_RESHARDTOOLS_H

#include "dmc/Layout/Reshard.h"

#include <algorithm>

namespace dmc {

/// As std::stable_sort, which in C++17 asks this standard library for a buffer in a
/// deprecated way.
template <typename T, typename Less>
void stableSort(std::vector<T> &items, Less less) {
  std::vector<size_t> order(items.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return less(items[a], items[b]) || (!less(items[b], items[a]) && a < b);
  });
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (size_t i : order)
    sorted.push_back(std::move(items[i]));
  items = std::move(sorted);
}

inline int64_t ceilDiv(int64_t n, int64_t p) { return n / p + (n % p != 0); }

/// Calls `visit` with every axis reference of a layout.
template <typename Visit>
void forEachReference(const Layout &layout, Visit visit) {
  for (const auto &axes : layout.dims)
    for (const AxisRef &ref : axes)
      visit(ref);
  for (const AxisRef &ref : layout.partial)
    visit(ref);
  for (const PlacedAxis &entry : layout.placed)
    visit(entry.axis);
}

/// Where layouts cut each axis of a mesh: where a reference begins or ends.
class AxisCuts {
public:
  AxisCuts(const Mesh &mesh, const std::vector<const Layout *> &layouts);

  /// All cuts, sorted, from 1 to the size.
  const std::vector<int64_t> &of(uint32_t axis) const { return cuts[axis]; }
  /// True if one factorisation of the axis has all cuts.
  bool isChain(uint32_t axis) const { return agreed[axis].size() == cuts[axis].size(); }
  /// True if the reference begins and ends where every factorisation can.
  bool isAgreed(const AxisRef &ref) const;
  /// The finest parts that all factorisations have and that splits and placed axes of
  /// these layouts use, in mesh order.
  std::vector<AxisRef> partsOf(const std::vector<const Layout *> &layouts) const;

private:
  std::vector<std::vector<int64_t>> cuts, agreed;
};

/// Divides transfers among positions into as few rounds as the busiest position has, those
/// of like size together.
std::vector<TransferRound> makeRounds(std::vector<Transfer> transfers, int64_t positions);

/// True if lists of axes of these sizes cut a dimension at the same places.
bool cutAlike(int64_t n, const std::vector<int64_t> &a, const std::vector<int64_t> &b);

/// True if `inner` is a part of `outer`.
bool contains(const AxisRef &outer, const AxisRef &inner);

} // namespace dmc

#endif // DMC_LIB_LAYOUT_RESHARDTOOLS_H
