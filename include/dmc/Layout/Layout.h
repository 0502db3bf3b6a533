//===- Layout.h - Meshes, layouts and shard arithmetic ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which elements of a tensor each position of a device mesh holds. The C++
// standard library only: compiler and runtime share it. Every function follows
// the layout algebra (docs/algebra.md); section numbers below refer to it.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LAYOUT_LAYOUT_H
#define DMC_LAYOUT_LAYOUT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dmc {

/// One named axis of a mesh.
struct MeshAxis {
  std::string name;
  int64_t size = 1;
  bool operator==(const MeshAxis &o) const { return name == o.name && size == o.size; }
};

/// A list of named axes. Ranks are numbered row-major over the axes.
class Mesh {
public:
  Mesh() = default;
  explicit Mesh(std::vector<MeshAxis> axes) : axes_(std::move(axes)) {}

  const std::vector<MeshAxis> &axes() const { return axes_; }
  size_t size() const { return axes_.size(); }
  const MeshAxis &axis(size_t i) const { return axes_[i]; }
  /// Index of the axis of that name, or nothing.
  std::optional<uint32_t> find(const std::string &name) const;
  int64_t numRanks() const;
  std::vector<int64_t> coordinates(int64_t rank) const;
  int64_t rank(const std::vector<int64_t> &coordinates) const;
  /// Nothing if well formed (names non-empty and distinct, sizes positive, at
  /// most 2^24 ranks), else what is wrong.
  std::optional<std::string> verify() const;
  bool operator==(const Mesh &o) const { return axes_ == o.axes_; }

private:
  std::vector<MeshAxis> axes_;
};

/// A whole axis of a mesh, or a part of it (sub-axis): of the axis, split into
/// (preSize, size, rest) major to minor, the middle factor.
struct AxisRef {
  uint32_t axis = 0;
  int64_t preSize = 1;
  int64_t size = 1;
  bool isFullAxis(const Mesh &mesh) const { return preSize == 1 && size == mesh.axis(axis).size; }
  bool operator==(const AxisRef &o) const {
    return axis == o.axis && preSize == o.preSize && size == o.size;
  }
  bool operator!=(const AxisRef &o) const { return !(*this == o); }
};

/// True if two references share a part of one axis, or are parts of it that no
/// single factorisation of the axis has both.
bool overlaps(const AxisRef &a, const AxisRef &b);

/// The coordinate of a rank along an axis reference.
int64_t coordinate(const Mesh &mesh, const AxisRef &ref, int64_t rank);

/// How the partial values of a tensor combine.
enum class Combiner : uint8_t { Sum, Prod, Max, Min };
const char *stringify(Combiner combiner);
std::optional<Combiner> symbolizeCombiner(const std::string &text);

/// An axis on which only one coordinate holds the tensor.
struct PlacedAxis {
  AxisRef axis;
  int64_t coordinate = 0;
  bool operator==(const PlacedAxis &o) const {
    return axis == o.axis && coordinate == o.coordinate;
  }
};

/// Gives a tensor exactly one state per mesh axis: split over a dimension,
/// partial, placed, or (not mentioned) replicated. Section 1.
struct Layout {
  /// Per dimension the axes that split it, major to minor.
  std::vector<std::vector<AxisRef>> dims;
  /// Combiner of the partial axes; meaningful only if `partial` is not empty.
  std::optional<Combiner> combiner;
  std::vector<AxisRef> partial;
  std::vector<PlacedAxis> placed;

  static Layout replicated(size_t rank) {
    return Layout{std::vector<std::vector<AxisRef>>(rank), {}, {}, {}};
  }
  bool isReplicated() const;
  /// The one spelling of this layout: partial and placed axes, which are sets, in
  /// mesh order with adjoining parts of an axis merged. Dimensions stay as they
  /// are: there the order counts, and an axis and its parts may cut differently.
  Layout canonical() const;
  /// Equality of the canonical forms.
  bool operator==(const Layout &o) const;
  bool operator!=(const Layout &o) const { return !(*this == o); }
};

/// Nothing if the layout is well formed on the mesh for a tensor of that rank
/// (axes exist, no axis or part of one used twice, combiner iff partial axes,
/// coordinates in range), else what is wrong, as a lower-case phrase.
std::optional<std::string> verify(const Mesh &mesh, const Layout &layout, size_t rank);

/// The layout without some of its partial axes, or parts of them; nothing if one is not
/// partial.
std::optional<Layout> withoutPartial(const Layout &layout, const std::vector<AxisRef> &axes);
/// The same of placed axes.
std::optional<Layout> withoutPlaced(const Layout &layout, const std::vector<AxisRef> &axes);
/// Where a part of a placed axis is placed, or nothing.
std::optional<int64_t> placedCoordinate(const Layout &layout, const AxisRef &axis);
/// True if a part of the axis has a state other than replicated.
bool isUsed(const Layout &layout, const AxisRef &axis);

/// The elements [begin, end) of a dimension that one position holds, in a local
/// array of `size` elements; [begin, end) is its valid prefix. Section 2.
struct DimBlock {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size = 0;
  int64_t valid() const { return end - begin; }
  bool operator==(const DimBlock &o) const {
    return begin == o.begin && end == o.end && size == o.size;
  }
};

/// Local size of a dimension of n elements cut by axes of these sizes, major to
/// minor: ceil(ceil(n/p1)/p2)...
int64_t localSize(int64_t n, const std::vector<int64_t> &axisSizes);
/// The block at these coordinates; `axisSizes` and `coordinates` are parallel.
DimBlock block(int64_t n, const std::vector<int64_t> &axisSizes,
               const std::vector<int64_t> &coordinates);

/// Local shape of a tensor on every rank (the same on all).
std::vector<int64_t> localShape(const Layout &layout, const std::vector<int64_t> &shape);
/// Per dimension the block that `rank` holds.
std::vector<DimBlock> blocks(const Mesh &mesh, const Layout &layout,
                             const std::vector<int64_t> &shape, int64_t rank);
/// True if every block of a dimension is full: axes divide n one after another.
bool isEven(int64_t n, const std::vector<AxisRef> &axes);
/// True if `rank` holds the tensor (its placed coordinates match).
bool holds(const Mesh &mesh, const Layout &layout, int64_t rank);

/// The ranks that differ from `rank` only along `axes`, row-major over the axes
/// in the order given: the participants of a collective, in its order.
std::vector<int64_t> group(const Mesh &mesh, const std::vector<AxisRef> &axes, int64_t rank);
/// The position of `rank` in its group: its linear coordinate over `axes`.
int64_t positionInGroup(const Mesh &mesh, const std::vector<AxisRef> &axes, int64_t rank);
int64_t groupSize(const std::vector<AxisRef> &axes);
/// The axes without those of one position, parts of an axis that follow each other merged.
std::vector<AxisRef> mergeParts(const std::vector<AxisRef> &axes);

/// True if a dimension of size m*k that merges [m, k] (or is expanded into them) keeps the split of
/// its major part by `axes`: the block tables of both coincide. Section 4, reshape.
bool mergeKeepsSplit(int64_t m, int64_t k, const std::vector<int64_t> &axisSizes);

/// The kinds of collective that a program is charged for. Section 5.
enum class CollectiveKind : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Permute,
  Broadcast
};
const char *stringify(CollectiveKind kind);
/// Bytes that leave a rank. `bytes` is the operand of an all-reduce,
/// reduce-scatter and all-to-all, the result of an all-gather, the block of a
/// permute, the tensor of a broadcast; p the size of the group. A group of one
/// sends nothing.
double wireBytes(CollectiveKind kind, int64_t bytes, int64_t p);

/// Text forms: `["data" = 2, "model" = 4]`-like pieces for messages and tables:
/// mesh as `data=2,model=4`, an axis reference as `data` or `data:(1)2`, a
/// layout as `[{"data"}, {"model":(1)2}], sum {"model":(2)2}, placed {"pipe" = 1}`.
std::string toString(const Mesh &mesh);
std::string toString(const Mesh &mesh, const AxisRef &ref);
std::string toString(const Mesh &mesh, const Layout &layout);
/// Parses `data=2,model=4`; on failure returns nothing and sets `error`. Names are
/// letters, digits, `_`, `-` and `.`; spaces around names and sizes are skipped.
std::optional<Mesh> parseMesh(const std::string &text, std::string &error);

} // namespace dmc

#endif // DMC_LAYOUT_LAYOUT_H
