//===- AxisGroups.cpp - Axes that a layout problem takes as one -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "AxisGroups.h"

#include "dmc/Parallelize/RankRates.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace dmc;

AxisGroups dmc::makeAxisGroups(const Mesh &mesh) {
  AxisGroups groups;
  for (uint32_t axis = 0; axis < mesh.size(); ++axis)
    if (int64_t size = mesh.axis(axis).size; size > 1)
      groups.push_back({AxisRef{axis, 1, size}});
  return groups;
}

void dmc::mergeMostAlike(AxisGroups &groups, const RankRates &rates) {
  auto getSecondsOfByte = [&](const AxisList &axes) {
    return rates.getSeconds(Traffic{1, 0}, axes);
  };
  size_t best = 0;
  std::pair<double, int64_t> least;
  for (size_t i = 0; i + 1 < groups.size(); ++i) {
    double outer = getSecondsOfByte(groups[i]), inner = getSecondsOfByte(groups[i + 1]);
    std::pair<double, int64_t> difference = {std::max(outer, inner) / std::min(outer, inner),
                                             groupSize(groups[i]) * groupSize(groups[i + 1])};
    if (i > 0 && difference > least)
      continue;
    best = i;
    least = difference;
  }
  llvm::append_range(groups[best], groups[best + 1]);
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(best + 1));
}

AxisGroups dmc::withoutAxes(const AxisGroups &groups, const AxisList &axes) {
  AxisGroups rest;
  for (const AxisList &group : groups) {
    AxisList left;
    llvm::copy_if(group, std::back_inserter(left),
                  [&](const AxisRef &axis) { return !overlapsAny(axis, axes); });
    if (!left.empty())
      rest.push_back(std::move(left));
  }
  return rest;
}

AxisGroups dmc::withAxesAlone(const AxisGroups &groups, const AxisList &axes) {
  AxisGroups result = withoutAxes(groups, axes);
  for (const AxisList &group : groups)
    for (const AxisRef &axis : group)
      if (overlapsAny(axis, axes))
        result.push_back({axis});
  llvm::sort(result,
             [](const AxisList &a, const AxisList &b) { return a.front().axis < b.front().axis; });
  return result;
}

std::vector<std::vector<std::string>> dmc::getNamesOfMerged(const AxisGroups &groups,
                                                            const Mesh &mesh) {
  std::vector<std::vector<std::string>> names;
  for (const AxisList &group : groups) {
    if (group.size() < 2)
      continue;
    names.emplace_back();
    for (const AxisRef &axis : group)
      names.back().push_back(mesh.axis(axis.axis).name);
  }
  return names;
}
