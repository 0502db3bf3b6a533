//===- SowSplits.cpp - Splits that no boundary asks for -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the boundary splits what an operation reads windows of, another of its loops
// may be the better one. What computes most on every rank is split first.
//
//===----------------------------------------------------------------------===//
#include "ProgramCost.h"

using namespace mlir;
using namespace dmc;

/// What computes less than this share of the program is left as it is.
static constexpr double kMinShare = 0.02;
/// How often something is split before the rest is left as it is.
static constexpr unsigned kMaxRounds = 8;

/// The axes of the mesh that split none of the node's loops.
static AxisList getIdleAxes(const Node &node, const Mesh &mesh) {
  AxisList idle;
  for (uint32_t axis = 0; axis < mesh.size(); ++axis) {
    AxisRef whole{axis, 1, mesh.axis(axis).size};
    if (whole.size > 1 && llvm::none_of(node.assignment, [&](const AxisList &axes) {
          return overlapsAny(whole, axes);
        }))
      idle.push_back(whole);
  }
  return idle;
}

/// The node's split with all idle axes on one of its parallel loops, if that can be.
static std::optional<Assignment> withIdleAxesOn(const Node &node, unsigned factor,
                                                const Mesh &mesh) {
  if (factor >= node.rule.factors.size() ||
      node.rule.factors[factor].kind != FactorKind::Parallel || node.closedFactors[factor])
    return std::nullopt;
  Assignment assignment = node.assignment;
  AxisList axes = assignment[factor];
  llvm::append_range(axes, getIdleAxes(node, mesh));
  if (!extendAssignment(node, assignment, factor, axes) || assignment[factor] != axes)
    return std::nullopt;
  return assignment;
}

std::optional<unsigned> Propagation::findIdle() {
  ProgramCost cost(*this);
  double total = 0, most = 0;
  std::optional<unsigned> found;
  for (auto [number, node] : llvm::enumerate(nodes)) {
    double work = cost.getWork(node);
    total += work;
    if (work > most && !node.isFixed && !node.forwarded && isa<linalg::LinalgOp>(node.op) &&
        !getIdleAxes(node, mesh).empty()) {
      most = work;
      found = number;
    }
  }
  return most > kMinShare * total ? found : std::nullopt;
}

SmallVector<unsigned> Propagation::getSplittable(unsigned number) const {
  SmallVector<unsigned> factors;
  for (unsigned factor = 0; factor < nodes[number].rule.factors.size(); ++factor)
    if (withIdleAxesOn(nodes[number], factor, mesh))
      factors.push_back(factor);
  return factors;
}

void Propagation::sow(unsigned factor) {
  for (unsigned round = 0; round < kMaxRounds; ++round) {
    std::optional<unsigned> number = findIdle();
    if (!number)
      return;
    Node &node = nodes[*number];
    std::optional<Assignment> assignment = withIdleAxesOn(node, factor, mesh);
    if (!assignment)
      return;
    node.assignment = std::move(*assignment);
    node.isDirty = true;
    propagate();
  }
}
