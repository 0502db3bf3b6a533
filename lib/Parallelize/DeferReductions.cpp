//===- DeferReductions.cpp - Partial sums added before they are reduced ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an operation joins several partial values, they are joined first
// and reduced once: `reduce(x) + reduce(y) = reduce(x + y)`; where it makes fewer
// bytes of them, those are reduced: `f(reduce x) = reduce(f x)`.
//
//===----------------------------------------------------------------------===//
#include "Propagation.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-propagate-layouts"

using namespace mlir;
using namespace dmc;

namespace dmc {
/// For one axis.
class Deferral {
public:
  Deferral(Propagation &graph, AxisRef axis) : graph(graph), axis(axis) {}
  void run();

private:
  /// How a node could take partial values: the operands that would be partial (those that
  /// are not made of partial values are spread, which is local), how many values made of
  /// partial values are behind them, and the nodes between that must then carry them.
  struct Trace {
    llvm::BitVector operands;
    unsigned numPartials = 0;
    SmallVector<unsigned, 4> chain = {};
    double partialBytes = 0; // of the values made of partial values
  };

  bool isPartials(const Layout &layout) const {
    return layout.combiner == Combiner::Sum && llvm::is_contained(layout.partial, axis);
  }
  bool canCarry(const Node &node, const llvm::BitVector &operands) const;
  std::optional<Trace> trace(const Node &node, unsigned depth) const;
  bool traceValue(unsigned value, Trace &trace, unsigned depth) const;
  bool shrinks(const Node &node, const Trace &found) const;
  /// What a node would be to carry, if that is worth it.
  std::optional<Trace> find(const Node &node) const;
  void carry(Node &node, const llvm::BitVector &operands);

  Propagation &graph;
  AxisRef axis;
};
} // namespace dmc

static bool isDestination(const Node &node, unsigned operand) {
  return llvm::is_contained(node.destinations, std::optional<unsigned>(operand));
}

/// True if the node maps partial values to partial values, with one combiner.
bool Deferral::canCarry(const Node &node, const llvm::BitVector &operands) const {
  // Partial values over a part of an axis are not those over all of it.
  auto isOther = [&](const AxisRef &other) { return other != axis && overlaps(axis, other); };
  for (const Layout &layout : node.resultLayouts)
    if (!layout.partial.empty() &&
        (layout.combiner != Combiner::Sum || llvm::any_of(layout.partial, isOther)))
      return false;
  for (auto &[operand, axes] : node.carried)
    if (llvm::any_of(axes, isOther))
      return false;
  return carriesSums(node, operands);
}

/// True if a value is made of partial values, or by nodes that could carry them, for this
/// one use.
bool Deferral::traceValue(unsigned value, Trace &result, unsigned depth) const {
  auto producer = graph.producers.find(value);
  if (depth > 16 || graph.values[value].numUses != 1 || producer == graph.producers.end())
    return false;
  const Node &node = graph.nodes[producer->second];
  if (isPartials(graph.values[value].produced)) {
    ++result.numPartials;
    result.partialBytes += graph.values[value].getBytes();
    return true;
  }
  std::optional<Trace> inner = trace(node, depth + 1);
  if (!inner || node.results.size() != 1)
    return false;
  result.numPartials += inner->numPartials;
  result.partialBytes += inner->partialBytes;
  result.chain.append(inner->chain);
  result.chain.push_back(producer->second);
  return true;
}

std::optional<Deferral::Trace> Deferral::trace(const Node &node, unsigned depth) const {
  Trace result{llvm::BitVector(node.operands.size())};
  for (auto [i, value] : llvm::enumerate(node.operands))
    if (value != Node::kLayoutAgnostic && !isDestination(node, i) &&
        traceValue(value, result, depth))
      result.operands.set(i);
  if (canCarry(node, result.operands))
    return result;
  if (result.operands.none())
    return std::nullopt;
  for (unsigned i = 0; i < node.operands.size(); ++i)
    if (!isDestination(node, i))
      result.operands.set(i);
  return canCarry(node, result.operands) ? std::optional(std::move(result)) : std::nullopt;
}

void Deferral::carry(Node &node, const llvm::BitVector &operands) {
  for (AxisList &axes : node.assignment)
    llvm::erase_if(axes, [&](const AxisRef &other) { return overlaps(axis, other); });
  for (unsigned i : operands.set_bits())
    node.carried[i].push_back(axis);
  graph.setLayouts(node);
  for (auto [result, layout] : llvm::zip_equal(node.results, node.resultLayouts)) {
    graph.values[result].produced = layout;
    graph.values[result].base = graph.getTarget(graph.values[result], layout);
  }
}

/// True if what the node makes of partial values takes fewer bytes than they do. What lies between
/// may take more.
bool Deferral::shrinks(const Node &node, const Trace &found) const {
  return graph.values[node.results[0]].getBytes() < found.partialBytes;
}

std::optional<Deferral::Trace> Deferral::find(const Node &node) const {
  if (node.results.size() != 1 || isPartials(node.resultLayouts[0]))
    return std::nullopt;
  std::optional<Trace> found = trace(node, 0);
  if (!found || (found->numPartials < 2 && !shrinks(node, *found)))
    return std::nullopt;
  return found;
}

void Deferral::run() {
  for (Node &node : graph.nodes) {
    std::optional<Trace> found = find(node);
    if (!found)
      continue;
    for (unsigned number : found->chain) {
      Node &between = graph.nodes[number];
      carry(between, trace(between, 0)->operands);
    }
    LDBG() << "deferred " << found->numPartials << " reductions behind " << node.op->getName()
           << " at " << node.op->getLoc();
    carry(node, found->operands);
  }
}

/// The axes over which some tensor is made in partial values.
static std::vector<AxisRef> findPartialAxes(ArrayRef<TensorInfo> values) {
  std::vector<AxisRef> axes;
  for (const TensorInfo &value : values)
    for (const AxisRef &axis : value.produced.partial)
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
  return axes;
}

void Propagation::deferReductions() {
  for (const AxisRef &axis : findPartialAxes(values))
    Deferral(*this, axis).run();
}
