//===- Layout.cpp - Equality and well-formedness of layouts ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layout gives exactly one state to each part of each mesh axis in use.
//
//===----------------------------------------------------------------------===//
#include "dmc/Layout/Layout.h"

#include <algorithm>
#include <tuple>

using namespace dmc;

bool Layout::isReplicated() const {
  return partial.empty() && placed.empty() &&
         std::all_of(dims.begin(), dims.end(), [](const auto &axes) { return axes.empty(); });
}

static bool isBefore(const AxisRef &a, const AxisRef &b) {
  return std::tie(a.axis, a.preSize, a.size) < std::tie(b.axis, b.preSize, b.size);
}

/// True if `minor` begins in the axis where `major` ends.
static bool adjoin(const AxisRef &major, const AxisRef &minor) {
  return major.axis == minor.axis && major.preSize * major.size == minor.preSize;
}

Layout Layout::canonical() const {
  Layout result{dims, partial.empty() ? std::nullopt : combiner, {}, {}};

  std::vector<AxisRef> sortedPartial = partial;
  std::sort(sortedPartial.begin(), sortedPartial.end(), isBefore);
  for (const AxisRef &ref : sortedPartial) {
    if (!result.partial.empty() && adjoin(result.partial.back(), ref))
      result.partial.back().size *= ref.size;
    else
      result.partial.push_back(ref);
  }

  std::vector<PlacedAxis> sortedPlaced = placed;
  std::sort(sortedPlaced.begin(), sortedPlaced.end(),
            [](const PlacedAxis &a, const PlacedAxis &b) { return isBefore(a.axis, b.axis); });
  for (const PlacedAxis &entry : sortedPlaced) {
    if (!result.placed.empty() && adjoin(result.placed.back().axis, entry.axis)) {
      PlacedAxis &last = result.placed.back();
      last.axis.size *= entry.axis.size;
      last.coordinate = last.coordinate * entry.axis.size + entry.coordinate;
    } else {
      result.placed.push_back(entry);
    }
  }
  return result;
}

bool Layout::operator==(const Layout &o) const {
  if (dims != o.dims)
    return false;
  Layout a = canonical(), b = o.canonical();
  return a.combiner == b.combiner && a.partial == b.partial && a.placed == b.placed;
}

namespace {
/// An axis reference of a layout and the words that say what it is there for.
struct Use {
  AxisRef ref;
  std::string role;
};
} // namespace

static std::string quoted(const Mesh &mesh, const AxisRef &ref) {
  return '"' + toString(mesh, ref) + '"';
}

static std::optional<std::string> verifyReference(const Mesh &mesh, const Use &use) {
  const AxisRef &ref = use.ref;
  if (ref.axis >= mesh.size())
    return "expected an axis of the mesh " + use.role + ", found axis " + std::to_string(ref.axis) +
           " of a mesh of " + std::to_string(mesh.size()) + " axes";
  if (ref.isFullAxis(mesh))
    return std::nullopt;
  const MeshAxis &axis = mesh.axis(ref.axis);
  // A part of size 1 says nothing, and would let one layout be written in many ways.
  if (ref.preSize < 1 || ref.size < 2 || axis.size % ref.preSize != 0 ||
      axis.size / ref.preSize % ref.size != 0)
    return "expected a sub-axis " + use.role + " to be a factor of axis \"" + axis.name +
           "\" of size " + std::to_string(axis.size) + " and larger than 1, found " +
           quoted(mesh, ref);
  return std::nullopt;
}

static std::string describeConflict(const Mesh &mesh, const Use &a, const Use &b) {
  if (a.ref == b.ref)
    return "expected one state for axis " + quoted(mesh, a.ref) + ", found it " + a.role + " and " +
           b.role;
  return "expected distinct parts of axis \"" + mesh.axis(a.ref.axis).name + "\", found " +
         quoted(mesh, a.ref) + " " + a.role + " and " + quoted(mesh, b.ref) + " " + b.role;
}

std::optional<std::string> dmc::verify(const Mesh &mesh, const Layout &layout, size_t rank) {
  if (layout.dims.size() != rank)
    return "expected a layout of " + std::to_string(rank) + " dimensions, found " +
           std::to_string(layout.dims.size());

  std::vector<Use> uses;
  for (size_t d = 0; d < rank; ++d)
    for (const AxisRef &ref : layout.dims[d])
      uses.push_back({ref, "in dimension " + std::to_string(d)});
  for (const AxisRef &ref : layout.partial)
    uses.push_back({ref, "among the partial axes"});
  for (const PlacedAxis &entry : layout.placed)
    uses.push_back({entry.axis, "among the placed axes"});

  for (size_t i = 0; i < uses.size(); ++i) {
    if (auto message = verifyReference(mesh, uses[i]))
      return message;
    for (size_t j = 0; j < i; ++j)
      if (overlaps(uses[j].ref, uses[i].ref))
        return describeConflict(mesh, uses[j], uses[i]);
  }

  if (layout.combiner && layout.partial.empty())
    return std::string("expected partial axes for combiner ") + stringify(*layout.combiner) +
           ", found none";
  if (!layout.combiner && !layout.partial.empty())
    return "expected a combiner for partial axis " + quoted(mesh, layout.partial.front()) +
           ", found none";
  for (const PlacedAxis &entry : layout.placed)
    if (entry.coordinate < 0 || entry.coordinate >= entry.axis.size)
      return "expected the coordinate of placed axis " + quoted(mesh, entry.axis) + " in [0, " +
             std::to_string(entry.axis.size) + "), found " + std::to_string(entry.coordinate);
  return std::nullopt;
}
