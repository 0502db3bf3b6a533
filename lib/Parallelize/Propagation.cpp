//===- Propagation.cpp - The fixed point of homes -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each factor of a node carries the axes that split one of its dimensions on to
// the others. Homes and assignments only grow, so it ends.
//
//===----------------------------------------------------------------------===//
#include "Propagation.h"

using namespace mlir;
using namespace dmc;

static bool isSplittable(const Factor &factor) {
  return factor.kind == FactorKind::Parallel || factor.kind == FactorKind::Reduction;
}

static int64_t productOf(const AxisList &axes) {
  int64_t product = 1;
  for (const AxisRef &axis : axes)
    product *= axis.size;
  return product;
}

/// True if every dimension that indexes the factor can say it.
static bool isExpressible(const Node &node, const Assignment &assignment, unsigned factor) {
  std::vector<int64_t> sizes;
  for (const AxisRef &axis : assignment[factor])
    sizes.push_back(axis.size);
  if (!maySplit(node.rule.factors[factor], sizes))
    return false;
  for (unsigned i = 0; i < node.getNumValues(); ++i)
    for (const DimFactors &dim : node.getFactors(i))
      if (dim.size() > 1 && llvm::is_contained(dim, factor) &&
          !joinFactors(node.rule, dim, assignment))
        return false;
  return true;
}

bool dmc::extendAssignment(const Node &node, Assignment &assignment, unsigned factor,
                           ArrayRef<AxisRef> axes) {
  AxisList &mine = assignment[factor];
  std::optional<size_t> first = findGrowth(mine, axes);
  if (!isSplittable(node.rule.factors[factor]) || !first)
    return false;
  bool changed = false;
  for (size_t i = *first; i < axes.size(); ++i) {
    AxisRef axis = getGrowth(mine, axes, i);
    // More positions than elements would leave some without work.
    if (productOf(mine) * axis.size > node.rule.factors[factor].size ||
        llvm::any_of(assignment, [&](const AxisList &used) { return overlapsAny(axis, used); }))
      break;
    AxisList before = mine;
    mine.assign(axes.begin(), axes.begin() + i + 1);
    if (!isExpressible(node, assignment, factor)) {
      mine = std::move(before);
      break;
    }
    changed = true;
  }
  return changed;
}

void Propagation::touch(unsigned value) {
  for (unsigned node : values[value].nodes)
    nodes[node].isDirty = true;
}

/// Takes over what the node's values say about its factors.
bool Propagation::extend(Node &node) {
  struct Proposal {
    unsigned factor;
    SmallVector<AxisRef, 2> axes;
    double bytes;
    unsigned value, dim;
  };
  SmallVector<Proposal, 8> proposals;
  for (unsigned i = 0; i < node.getNumValues(); ++i) {
    if (node.getValue(i) == Node::kLayoutAgnostic || !node.reads(i))
      continue;
    const TensorInfo &value = values[node.getValue(i)];
    for (unsigned dim = 0; dim < value.sharding.size(); ++dim) {
      const AxisList &axes = value.sharding[dim];
      if (axes.empty())
        continue;
      divideAmongFactors(
          node.rule, node.getFactors(i)[dim], axes, [&](unsigned factor, ArrayRef<AxisRef> mine) {
            if (!node.closedFactors[factor] && findGrowth(node.assignment[factor], mine))
              proposals.push_back({factor, llvm::to_vector<2>(mine), value.getBytes(), i, dim});
          });
    }
  }
  if (proposals.empty())
    return false;
  // Parallel loops make no partial values; of equals, the larger tensor stays where it is.
  llvm::stable_sort(proposals, [&](const Proposal &a, const Proposal &b) {
    bool aReduces = node.rule.factors[a.factor].kind == FactorKind::Reduction;
    bool bReduces = node.rule.factors[b.factor].kind == FactorKind::Reduction;
    return aReduces != bReduces ? bReduces : a.bytes > b.bytes;
  });
  bool changed = false;
  for (const Proposal &proposal : proposals) {
    if (!extendAssignment(node, node.assignment, proposal.factor, proposal.axes))
      continue;
    changed = true;
    if (observer)
      observer->onAssigned(&node - nodes.data(), proposal.factor, proposal.value, proposal.dim);
  }
  return changed;
}

bool Propagation::process(Node &node) {
  node.isDirty = false;
  extend(node);
  bool changed = false;
  for (unsigned i = 0; i < node.getNumValues(); ++i) {
    unsigned number = node.getValue(i);
    if (number == Node::kLayoutAgnostic || !node.writes(i))
      continue;
    TensorInfo &value = values[number];
    bool grew = false;
    for (auto [dim, factors] : llvm::enumerate(node.getFactors(i))) {
      std::optional<AxisList> axes = joinFactors(node.rule, factors, node.assignment);
      AxisList &sharding = value.sharding[dim];
      std::optional<size_t> first = axes ? findGrowth(sharding, *axes) : std::nullopt;
      if (value.holds[dim] || !first)
        continue;
      for (size_t j = *first; j < axes->size(); ++j) {
        AxisRef axis = getGrowth(sharding, *axes, j);
        if (overlapsAny(axis, value.excluded) ||
            llvm::any_of(value.sharding,
                         [&](const AxisList &used) { return overlapsAny(axis, used); }))
          break;
        sharding.assign(axes->begin(), axes->begin() + j + 1);
        grew = true;
        if (observer)
          observer->onPlaced(number, dim, &node - nodes.data());
      }
    }
    if (grew) {
      bool wasDirty = node.isDirty;
      touch(number);
      node.isDirty = wasDirty;
      changed = true;
    }
  }
  return changed;
}

void Propagation::propagate() {
  // Forwards and backwards alternately: a pass costs what has changed.
  bool changed = true;
  while (changed) {
    changed = false;
    for (Node &node : nodes)
      if (node.isDirty)
        changed |= process(node);
    for (Node &node : llvm::reverse(nodes))
      if (node.isDirty)
        changed |= process(node);
  }
}
