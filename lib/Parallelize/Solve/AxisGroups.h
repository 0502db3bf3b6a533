//===- AxisGroups.h - Axes that a layout problem takes as one ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts of a problem grow with a power of its axes. Where they are too many, axes are taken
// together: all of a group split a dimension, next to each other, or none does.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_PARALLELIZE_SOLVE_AXISGROUPS_H
#define DMC_LIB_PARALLELIZE_SOLVE_AXISGROUPS_H

#include "../Factors.h"

namespace dmc {

struct RankRates;

/// Whole axes of more than one position, each in one group, in the order of the mesh.
using AxisGroups = std::vector<AxisList>;

/// Each axis alone.
AxisGroups makeAxisGroups(const Mesh &mesh);
/// Makes one group of the two neighbours whose links are the most alike, so that it matters least
/// which of them a tensor is split along: of equal ones the two that have the fewest positions, and
/// of those the inner ones. There must be two groups.
void mergeMostAlike(AxisGroups &groups, const RankRates &rates);
/// What is left of groups without some axes.
AxisGroups withoutAxes(const AxisGroups &groups, const AxisList &axes);
/// The same axes, those that overlap the given ones in groups of their own.
AxisGroups withAxesAlone(const AxisGroups &groups, const AxisList &axes);
/// The names of the axes of groups that have several.
std::vector<std::vector<std::string>> getNamesOfMerged(const AxisGroups &groups, const Mesh &mesh);

} // namespace dmc

#endif // DMC_LIB_PARALLELIZE_SOLVE_AXISGROUPS_H
