//===- AxisCuts.cpp - Parts of axes that layouts use ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An axis is cut where a reference begins or ends. Cuts that divide one another are a
// factorisation.
//
//===----------------------------------------------------------------------===//
#include "ReshardTools.h"

#include <algorithm>

using namespace dmc;

AxisCuts::AxisCuts(const Mesh &mesh, const std::vector<const Layout *> &layouts)
    : cuts(mesh.size()), agreed(mesh.size()) {
  for (uint32_t axis = 0; axis < mesh.size(); ++axis)
    cuts[axis] = {1, mesh.axis(axis).size};
  for (const Layout *layout : layouts)
    forEachReference(*layout, [&](const AxisRef &ref) {
      cuts[ref.axis].push_back(ref.preSize);
      cuts[ref.axis].push_back(ref.preSize * ref.size);
    });
  for (size_t axis = 0; axis < cuts.size(); ++axis) {
    std::vector<int64_t> &list = cuts[axis];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (int64_t cut : list)
      if (std::all_of(list.begin(), list.end(),
                      [&](int64_t other) { return cut % other == 0 || other % cut == 0; }))
        agreed[axis].push_back(cut);
  }
}

bool AxisCuts::isAgreed(const AxisRef &ref) const {
  const std::vector<int64_t> &list = agreed[ref.axis];
  return std::binary_search(list.begin(), list.end(), ref.preSize) &&
         std::binary_search(list.begin(), list.end(), ref.preSize * ref.size);
}

std::vector<AxisRef> AxisCuts::partsOf(const std::vector<const Layout *> &layouts) const {
  std::vector<AxisRef> used;
  for (const Layout *layout : layouts) {
    for (const auto &axes : layout->dims)
      used.insert(used.end(), axes.begin(), axes.end());
    for (const PlacedAxis &entry : layout->placed)
      used.push_back(entry.axis);
  }
  std::vector<AxisRef> result;
  for (uint32_t axis = 0; axis < agreed.size(); ++axis) {
    const std::vector<int64_t> &list = agreed[axis];
    for (size_t i = 1; i < list.size(); ++i) {
      AxisRef part{axis, list[i - 1], list[i] / list[i - 1]};
      if (std::any_of(used.begin(), used.end(),
                      [&](const AxisRef &ref) { return overlaps(ref, part); }))
        result.push_back(part);
    }
  }
  return result;
}
