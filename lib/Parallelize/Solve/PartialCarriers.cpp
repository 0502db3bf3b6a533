//===- PartialCarriers.cpp - Where sums may stay partial ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. Operations are visited in their order, which finds what may reach them in partial
// sums, and in the opposite one, which leaves those that lie before one that gains.
//
//===----------------------------------------------------------------------===//
#include "PartialCarriers.h"

#include "dmc/Dialect/DMC/DMC.h"

using namespace mlir;
using namespace dmc;

/// True of an operation with one result, of which it chooses the layout: barriers keep what they
/// are given, and nothing is read of pads that all uses look through.
static bool isOrdinary(const Node &node) {
  return !node.isFixed && !node.forwarded && node.results.size() == 1 && !node.isLookedThrough &&
         !isa<OptimizationBarrierOp, ConstrainOp>(node.op);
}

static bool makesSums(const Node &node) {
  for (auto [number, factor] : llvm::enumerate(node.rule.factors))
    if (factor.kind == FactorKind::Reduction && factor.combiner == CombinerKind::sum &&
        !node.closedFactors[number])
      return true;
  return false;
}

llvm::BitVector PartialCarriers::findPartial(const Node &node) const {
  llvm::BitVector operands(node.operands.size());
  for (auto [i, value] : llvm::enumerate(node.operands))
    if (value != Node::kLayoutAgnostic && sums[value].count > 0 && !node.areLoopResults[i] &&
        !llvm::is_contained(node.destinations, std::optional<unsigned>(i)))
      operands.set(i);
  return operands;
}

/// All operands that are made of partial sums; or all operands, of which the others are spread,
/// which is local; or one operand of a product.
OperandSets PartialCarriers::findSets(const Node &node) const {
  OperandSets found;
  llvm::BitVector partial = findPartial(node);
  if (!isOrdinary(node) || partial.none())
    return found;
  auto add = [&](const llvm::BitVector &operands) {
    if (llvm::is_contained(found, operands) || !carriesSums(node, operands))
      return false;
    found.push_back(operands);
    return true;
  };
  if (!add(partial)) {
    llvm::BitVector all(node.operands.size(), true);
    for (std::optional<unsigned> destination : node.destinations)
      if (destination)
        all.reset(*destination);
    add(all);
  }
  for (unsigned operand : partial.set_bits()) {
    llvm::BitVector alone(node.operands.size());
    alone.set(operand);
    add(alone);
  }
  return found;
}

PartialCarriers::Sums PartialCarriers::getSums(const Node &node,
                                               const llvm::BitVector &operands) const {
  Sums total;
  for (auto [i, value] : llvm::enumerate(node.operands))
    if (operands.test(i) && value != Node::kLayoutAgnostic && sums[value].count > 0) {
      total.count += sums[value].count;
      total.bytes += sums[value].bytes;
    }
  return total;
}

/// True if the node joins several partial sums, or makes fewer bytes of them. What lies between
/// may take more.
bool PartialCarriers::gains(const Node &node, const OperandSets &possible) const {
  return llvm::any_of(possible, [&](const llvm::BitVector &operands) {
    Sums joined = getSums(node, operands);
    return joined.count > 1 || graph.getValue(node.results.front()).getBytes() < joined.bytes;
  });
}

PartialCarriers::Sums PartialCarriers::getResultSums(const Node &node, const OperandSets &possible,
                                                     bool isReducedHere) const {
  double bytes = graph.getValue(node.results.front()).getBytes();
  if (isReducedHere)
    return {1, bytes};
  Sums most;
  for (const llvm::BitVector &operands : possible)
    if (Sums made = getSums(node, operands); made.bytes > most.bytes)
      most = made;
  return {most.count > 0 ? 1U : 0U, most.bytes};
}

PartialCarriers::PartialCarriers(Propagation &graph, llvm::function_ref<bool(unsigned)> isKept)
    : graph(graph), sums(graph.getNumValues()), sets(graph.getNodes().size()) {
  std::vector<Node> &nodes = graph.getNodes();
  llvm::BitVector isWanted(graph.getNumValues());
  llvm::BitVector isGain(nodes.size());
  for (auto [number, node] : llvm::enumerate(nodes)) {
    if (!isOrdinary(node))
      continue;
    sets[number] = findSets(node);
    isGain[number] = gains(node, sets[number]);
    unsigned result = node.results.front();
    if (graph.getValue(result).numUses == 1 && !isKept(result))
      sums[result] = getResultSums(node, sets[number], makesSums(node) || isGain[number]);
  }
  for (unsigned number = nodes.size(); number-- > 0;) {
    const Node &node = nodes[number];
    if (sets[number].empty())
      continue;
    if (!isGain[number] && !isWanted[node.results.front()]) {
      sets[number].clear();
      continue;
    }
    for (const llvm::BitVector &operands : sets[number])
      for (unsigned operand : operands.set_bits())
        if (unsigned value = node.operands[operand];
            value != Node::kLayoutAgnostic && sums[value].count > 0)
          isWanted.set(value);
  }
}
