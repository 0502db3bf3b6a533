//===- DeferReductions.cpp - Terms that are added before they are reduced -===//
//
// Where an operation joins several partial values, their terms are joined first
// and reduced once: `reduce(x) + reduce(y) = reduce(x + y)`.
//
//===----------------------------------------------------------------------===//
#include "Propagation.h"

using namespace mlir;
using namespace dmc;

namespace dmc {
/// For one axis.
class Deferral {
public:
  Deferral(Propagation &graph, AxisRef axis) : graph(graph), axis(axis) {}
  void run();

private:
  /// Operands of a node that are made of terms, and the nodes between.
  struct Trace {
    llvm::BitVector operands;
    SmallVector<unsigned, 4> chain;
  };

  bool isTerms(const Layout &layout, Combiner combiner) const {
    return layout.combiner == combiner && llvm::is_contained(layout.partial, axis);
  }
  bool canCarry(Node &node, llvm::BitVector operands, Combiner combiner) const;
  bool trace(unsigned value, Combiner combiner, SmallVectorImpl<unsigned> &chain,
             unsigned depth = 0) const;
  Trace traceOperands(const Node &node, Combiner combiner, unsigned depth) const;
  void carry(Node &node, const llvm::BitVector &operands, Combiner combiner);

  Propagation &graph;
  AxisRef axis;
};
} // namespace dmc

/// True if the node makes terms of terms, with one combiner.
bool Deferral::canCarry(Node &node, llvm::BitVector operands, Combiner combiner) const {
  if (node.isFixed || node.handedOn || operands.none())
    return false;
  for (const Layout &layout : node.resultLayouts)
    if (!layout.partial.empty() && layout.combiner != combiner)
      return false;
  for (std::optional<unsigned> destination : node.destinations)
    if (destination)
      operands.set(*destination);
  std::optional<PartialResults> results =
      getPartialResults(node.op, operands, toCombinerKind(combiner));
  return results && llvm::all_of(*results, [&](std::optional<CombinerKind> result) {
           return result == toCombinerKind(combiner);
         });
}

Deferral::Trace Deferral::traceOperands(const Node &node, Combiner combiner, unsigned depth) const {
  Trace result{llvm::BitVector(node.operands.size()), {}};
  for (auto [i, value] : llvm::enumerate(node.operands)) {
    bool isDestination = llvm::is_contained(node.destinations, std::optional<unsigned>(i));
    if (value != Node::kFree && !isDestination && trace(value, combiner, result.chain, depth))
      result.operands.set(i);
  }
  return result;
}

/// True if a value is made of terms by nodes that could carry them, for this one
/// use; the nodes that must then carry are appended, producers first.
bool Deferral::trace(unsigned value, Combiner combiner, SmallVectorImpl<unsigned> &chain,
                     unsigned depth) const {
  auto producer = graph.producers.find(value);
  if (depth > 16 || graph.values[value].numUses != 1 || producer == graph.producers.end())
    return false;
  Node &node = graph.nodes[producer->second];
  if (isTerms(graph.values[value].produced, combiner))
    return true;
  Trace inner = traceOperands(node, combiner, depth + 1);
  if (node.results.size() != 1 || !canCarry(node, inner.operands, combiner))
    return false;
  chain.append(inner.chain);
  chain.push_back(producer->second);
  return true;
}

void Deferral::carry(Node &node, const llvm::BitVector &operands, Combiner combiner) {
  for (AxisList &axes : node.assignment)
    llvm::erase_if(axes, [&](const AxisRef &other) { return overlaps(axis, other); });
  SmallVector<Layout, 2> results = node.resultLayouts;
  graph.setLayouts(node);
  auto addTerms = [&](Layout &layout) {
    layout.combiner = combiner;
    layout.partial.push_back(axis);
  };
  // Partial axes of earlier turns stay.
  for (auto [layout, before] : llvm::zip_equal(node.resultLayouts, results)) {
    layout.combiner = before.combiner;
    layout.partial = before.partial;
    llvm::erase_if(layout.partial, [&](const AxisRef &other) { return overlaps(axis, other); });
    addTerms(layout);
  }
  for (unsigned i : operands.set_bits())
    node.carried[i].push_back(axis);
  for (auto &[i, axes] : node.carried) {
    node.operandLayouts[i].combiner = combiner;
    node.operandLayouts[i].partial = axes;
  }
  for (auto [r, destination] : llvm::enumerate(node.destinations))
    if (destination)
      node.operandLayouts[*destination] = node.resultLayouts[r];
  for (auto [result, layout] : llvm::zip_equal(node.results, node.resultLayouts)) {
    graph.values[result].produced = layout;
    graph.values[result].base = graph.getTarget(graph.values[result], layout);
  }
}

void Deferral::run() {
  for (Node &node : graph.nodes) {
    if (node.operands.size() < 2 || node.results.size() != 1)
      continue;
    // Sums are what occurs; other combiners would be found the same way.
    Combiner combiner = Combiner::Sum;
    Trace found = traceOperands(node, combiner, 0);
    if (found.operands.count() < 2 || isTerms(node.resultLayouts[0], combiner) ||
        !canCarry(node, found.operands, combiner))
      continue;
    for (unsigned number : found.chain) {
      Node &between = graph.nodes[number];
      carry(between, traceOperands(between, combiner, 0).operands, combiner);
    }
    carry(node, found.operands, combiner);
  }
}

void Propagation::deferReductions() {
  std::vector<AxisRef> axes;
  for (const TensorInfo &value : values)
    for (const AxisRef &axis : value.produced.partial)
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
  for (const AxisRef &axis : axes)
    Deferral(*this, axis).run();
}
