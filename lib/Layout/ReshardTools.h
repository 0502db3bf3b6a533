//===- ReshardTools.h - Parts of axes that layouts use ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where layouts cut the axes of a mesh, and the parts that follow.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_LAYOUT_RESHARDTOOLS_H
#define DMC_LIB_LAYOUT_RESHARDTOOLS_H

#include "dmc/Layout/Reshard.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>

namespace dmc {

/// Sorts by size, the largest first; of equal ones in the order that they have. Few sizes differ.
template <typename T, typename GetSize>
void sortLargestFirst(std::vector<T> &items, GetSize getSize) {
  std::map<int64_t, std::vector<size_t>, std::greater<>> ofSize;
  for (size_t i = 0; i < items.size(); ++i)
    ofSize[getSize(items[i])].push_back(i);
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const auto &[size, numbers] : ofSize)
    for (size_t i : numbers)
      sorted.push_back(std::move(items[i]));
  items = std::move(sorted);
}

inline int64_t ceilDiv(int64_t n, int64_t p) { return n / p + (n % p != 0); }

/// Numbers of things that lie elsewhere, found by their hash.
class NumberTable {
public:
  /// The number of what `isEqual` recognises, or `next`, which is then in the table.
  template <typename IsEqual>
  uint32_t findOrAdd(uint64_t hash, uint32_t next, const IsEqual &isEqual) {
    if (2 * (count + 1) > slots.size())
      grow();
    for (size_t at = hash & (slots.size() - 1);; at = (at + 1) & (slots.size() - 1)) {
      Slot &slot = slots[at];
      if (slot.number == none) {
        slot = {hash, next};
        ++count;
        return next;
      }
      if (slot.hash == hash && isEqual(slot.number))
        return slot.number;
    }
  }

private:
  static constexpr uint32_t none = ~uint32_t(0);
  struct Slot {
    uint64_t hash = 0;
    uint32_t number = none;
  };
  void grow() {
    std::vector<Slot> old(std::max<size_t>(64, 2 * slots.size()));
    old.swap(slots);
    for (const Slot &slot : old)
      if (slot.number != none) {
        size_t at = slot.hash & (slots.size() - 1);
        while (slots[at].number != none)
          at = (at + 1) & (slots.size() - 1);
        slots[at] = slot;
      }
  }

  std::vector<Slot> slots;
  size_t count = 0;
};

inline uint64_t mixHash(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

/// The block of a dimension that each rank has.
class BlocksOfDim {
public:
  BlocksOfDim(const Mesh &mesh, const std::vector<AxisRef> &axes, int64_t size) : whole(size) {
    for (const AxisRef &ref : axes) {
      size = ceilDiv(size, ref.size);
      uint64_t distance = mesh.axis(ref.axis).size / (ref.preSize * ref.size);
      for (size_t axis = ref.axis + size_t(1); axis < mesh.size(); ++axis)
        distance *= mesh.axis(axis).size;
      cuts.push_back({distance, static_cast<uint64_t>(ref.size), size});
    }
  }
  DimBlock at(int64_t rank) const {
    DimBlock block{0, whole, whole};
    for (const Cut &cut : cuts) {
      // Unsigned sums of a size and less than another cannot overflow.
      uint64_t index = static_cast<uint64_t>(rank) / cut.distance % cut.count, end = block.end;
      uint64_t begin = std::min(block.begin + index * cut.size, end);
      block = {int64_t(begin), int64_t(std::min(begin + cut.size, end)), cut.size};
    }
    return block;
  }

private:
  struct Cut {
    /// Between ranks that follow each other along the axis, and of blocks.
    uint64_t distance, count;
    int64_t size;
  };
  int64_t whole;
  std::vector<Cut> cuts;
};

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

/// A transfer by its ends.
struct Edge {
  int64_t source, target;
};

/// Gives edges colours, as few as a position has edges at most (`colours`): each colour is
/// a round.
std::vector<int32_t> colourEdges(const std::vector<Edge> &edges, int64_t positions,
                                 int64_t colours);

/// Divides transfers among positions into as few rounds as the busiest position has, those
/// of like size together.
std::vector<TransferRound> makeRounds(std::vector<Transfer> transfers, int64_t positions);

/// What planRedistribution's transfers send. Layouts that differ in what both split alike, in
/// dimensions that neither splits or in names of axes make one problem, which is priced once.
class RedistributionPrices {
public:
  explicit RedistributionPrices(const Mesh &mesh) : mesh(mesh) {}

  /// Nothing where there are no transfers, or where `isTooMuch`, unless null, says so of a bound on
  /// what they send. It is asked of tighter ones as more is known.
  std::optional<Traffic> get(const Layout &from, const Layout &to,
                             const std::vector<int64_t> &shape, int64_t elementBytes,
                             const std::function<bool(const Traffic &)> &isTooMuch = nullptr);
  void forget() { known.clear(); }

private:
  struct Price {
    /// In elements, but for the dimensions that neither layout splits. At least.
    Traffic traffic;
    bool isExact = false;
  };
  const Mesh &mesh;
  std::unordered_map<std::string, Price> known;
};

/// As the public one; `prices` may be known already.
Traffic setTraffic(RedistributionPrices &prices, const Mesh &mesh, const Layout &from,
                   std::vector<Move> &moves, const std::vector<int64_t> &shape,
                   int64_t elementBytes);

/// The sizes of blocks that determine where axes cut a dimension. A place is one iff it is
/// 0 modulo c1, modulo c2, and so on; a size that its successor divides says nothing, nor
/// does one that cuts nothing. Axes of different sizes cut at different places.
std::vector<int64_t> blockSizes(int64_t n, const std::vector<AxisRef> &axes);
/// True if `inner` is a part of `outer`.
bool contains(const AxisRef &outer, const AxisRef &inner);
/// The most positions along an axis at which places are compared.
constexpr int64_t maxPlaces = 4096;
/// True if the ranks where all of `inner` are placed are ranks where `outer` are: those of a
/// well-formed layout each. Of parts that no factorisation of a long axis has both, false.
bool isPlacedWithin(const Mesh &mesh, const std::vector<PlacedAxis> &inner,
                    const std::vector<PlacedAxis> &outer);

/// What a collective of `p` participants sends whose larger side is so many bytes.
inline Traffic trafficOf(CollectiveKind kind, int64_t bytes, int64_t p) {
  return {wireBytes(kind, bytes, p), messageCount(kind, p)};
}
/// What a collective sends whose larger side is `p` parts of so many bytes: as `wireBytes`,
/// whose argument could overflow.
inline Traffic trafficOfParts(CollectiveKind kind, int64_t part, int64_t p) {
  double numShards = static_cast<double>(p);
  return {(numShards - 1) / numShards * (numShards * static_cast<double>(part)),
          messageCount(kind, p)};
}
/// What a move over `p` positions sends. `bytes` are those of a rank's block: of the operand,
/// of a reduce-scatter the result's, of an exchange the block of both layouts together. A
/// redistribution is priced by its plan.
inline Traffic trafficOf(MoveKind kind, bool isReduceScatter, int64_t bytes, int64_t p) {
  switch (kind) {
  case MoveKind::Reduce:
    return isReduceScatter ? trafficOfParts(CollectiveKind::ReduceScatter, bytes, p)
                           : trafficOf(CollectiveKind::AllReduce, bytes, p);
  case MoveKind::Combine:
    return trafficOfParts(CollectiveKind::AllGather, bytes, p);
  case MoveKind::Exchange:
    return trafficOfParts(CollectiveKind::AllToAll, bytes, p);
  case MoveKind::Permute: // One rank sends, one receives.
    return trafficOf(CollectiveKind::Permute, bytes, 2);
  case MoveKind::Replicate:
    return trafficOf(CollectiveKind::Broadcast, bytes, p);
  case MoveKind::Partition:
  case MoveKind::Spread:
  case MoveKind::Place:
  case MoveKind::Redistribute:
    return {};
  }
  return {};
}

} // namespace dmc

#endif // DMC_LIB_LAYOUT_RESHARDTOOLS_H
