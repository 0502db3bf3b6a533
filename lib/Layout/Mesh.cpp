//===- Mesh.cpp - Meshes, axis references and groups of ranks -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks are row-major over the mesh, so an axis reference is a stride in ranks.
//
//===----------------------------------------------------------------------===//
#include "dmc/Layout/Layout.h"

#include <cassert>

using namespace dmc;

/// Enough for any machine, and few enough for tables of all ranks.
static constexpr int64_t maxRanks = int64_t(1) << 24;

std::optional<uint32_t> Mesh::find(const std::string &name) const {
  for (size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].name == name)
      return static_cast<uint32_t>(i);
  return std::nullopt;
}

int64_t Mesh::numRanks() const {
  int64_t ranks = 1;
  for (const MeshAxis &axis : axes_)
    ranks *= axis.size;
  return ranks;
}

std::vector<int64_t> Mesh::coordinates(int64_t rank) const {
  assert(rank >= 0 && rank < numRanks() && "rank outside the mesh");
  std::vector<int64_t> result(axes_.size());
  for (size_t i = axes_.size(); i-- > 0;) {
    result[i] = rank % axes_[i].size;
    rank /= axes_[i].size;
  }
  return result;
}

int64_t Mesh::rank(const std::vector<int64_t> &coordinates) const {
  assert(coordinates.size() == axes_.size() && "one coordinate per axis");
  int64_t result = 0;
  for (size_t i = 0; i < axes_.size(); ++i)
    result = result * axes_[i].size + coordinates[i];
  return result;
}

std::optional<std::string> Mesh::verify() const {
  int64_t ranks = 1;
  for (size_t i = 0; i < axes_.size(); ++i) {
    const MeshAxis &axis = axes_[i];
    if (axis.name.empty())
      return "expected axis " + std::to_string(i) + " to have a name, found an empty one";
    if (*find(axis.name) != i)
      return "expected axis names to be distinct, found \"" + axis.name + "\" twice";
    if (axis.size < 1)
      return "expected axis \"" + axis.name + "\" to have a positive size, found " +
             std::to_string(axis.size);
    if (axis.size > maxRanks / ranks)
      return "expected a mesh of at most " + std::to_string(maxRanks) +
             " ranks, found more at axis \"" + axis.name + "\" of size " +
             std::to_string(axis.size);
    ranks *= axis.size;
  }
  return std::nullopt;
}

/// True if `minor` lies wholly below `major` in some factorisation of their axis.
static bool isBelow(const AxisRef &minor, const AxisRef &major) {
  return minor.preSize % major.preSize == 0 && minor.preSize / major.preSize % major.size == 0;
}

bool dmc::overlaps(const AxisRef &a, const AxisRef &b) {
  if (a.axis != b.axis)
    return false;
  if (a.preSize < 1 || b.preSize < 1 || a.size < 1 || b.size < 1)
    return true;
  // Equal references are tested first: an axis of size 1 is below itself.
  return a == b || !(isBelow(a, b) || isBelow(b, a));
}

/// Distance in ranks between neighbours along a reference.
static int64_t stride(const Mesh &mesh, const AxisRef &ref) {
  int64_t result = mesh.axis(ref.axis).size / (ref.preSize * ref.size);
  for (size_t i = ref.axis + size_t(1); i < mesh.size(); ++i)
    result *= mesh.axis(i).size;
  return result;
}

int64_t dmc::coordinate(const Mesh &mesh, const AxisRef &ref, int64_t rank) {
  return rank / stride(mesh, ref) % ref.size;
}

int64_t dmc::groupSize(const std::vector<AxisRef> &axes) {
  int64_t size = 1;
  for (const AxisRef &ref : axes)
    size *= ref.size;
  return size;
}

std::vector<AxisRef> dmc::mergeParts(const std::vector<AxisRef> &axes) {
  std::vector<AxisRef> merged;
  for (const AxisRef &ref : axes) {
    if (ref.size == 1)
      continue;
    if (!merged.empty() && merged.back().axis == ref.axis &&
        merged.back().preSize * merged.back().size == ref.preSize)
      merged.back().size *= ref.size;
    else
      merged.push_back(ref);
  }
  return merged;
}

std::vector<int64_t> dmc::group(const Mesh &mesh, const std::vector<AxisRef> &axes, int64_t rank) {
  for (const AxisRef &ref : axes)
    rank -= coordinate(mesh, ref, rank) * stride(mesh, ref);
  std::vector<int64_t> members{rank};
  members.reserve(groupSize(axes));
  // Minor axis first: each more major one repeats the list so far.
  for (size_t i = axes.size(); i-- > 0;) {
    int64_t step = stride(mesh, axes[i]);
    size_t inner = members.size();
    for (int64_t c = 1; c < axes[i].size; ++c)
      for (size_t m = 0; m < inner; ++m)
        members.push_back(members[m] + c * step);
  }
  return members;
}

int64_t dmc::positionInGroup(const Mesh &mesh, const std::vector<AxisRef> &axes, int64_t rank) {
  int64_t position = 0;
  for (const AxisRef &ref : axes)
    position = position * ref.size + coordinate(mesh, ref, rank);
  return position;
}
