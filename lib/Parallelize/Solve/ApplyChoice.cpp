//===- ApplyChoice.cpp - A solution becomes the graph's decisions ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments of operations, shardings of tensors, and the layouts in which tensors are kept
// where that is cheaper than a move for each use.
//
//===----------------------------------------------------------------------===//
#include "LayoutChoice.h"

using namespace mlir;
using namespace dmc;

void LayoutChoice::setShardings(ArrayRef<uint32_t> assignment) {
  auto getChosen = [&](const Source &source) -> const Layout & {
    return layouts.get(layouts.getList(source.layouts)[assignment[source.variable]]);
  };
  for (auto [number, choice] : llvm::enumerate(values)) {
    TensorInfo &value = graph.values[number];
    value.kept.reset();
    if (choice.hub)
      value.sharding = getChosen(*choice.hub).dims;
    if (choice.boundary || (choice.hub && !choice.producer)) {
      const Layout &made = getChosen(choice.boundary ? *choice.boundary : *choice.hub);
      if (choice.boundary && choice.hub)
        value.kept = getChosen(*choice.hub);
      value.produced = value.base = made;
      value.sharding = made.dims;
    }
  }
}

void LayoutChoice::apply(ArrayRef<uint32_t> assignment) {
  setShardings(assignment);
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    node.carried.clear();
    if (variables[number]) {
      const NodeState &state = states.get(classes[number]).states[assignment[*variables[number]]];
      node.assignment = state.assignment;
      node.carried = state.carried;
    } else {
      graph.choose(node);
    }
    graph.setLayouts(node);
    if (!node.forwarded)
      for (auto [result, layout] : llvm::zip_equal(node.results, node.resultLayouts))
        graph.values[result].produced = layout;
  }
  // What moves to one use only is combined as that wants it.
  for (auto [number, choice] : llvm::enumerate(values)) {
    TensorInfo &value = graph.values[number];
    if (!choice.producer)
      continue;
    if (!choice.hub) {
      const Use &use = choice.uses.front();
      value.sharding = graph.nodes[use.node].operandLayouts[use.operands.front()].dims;
    }
    value.base = value.produced;
    if (!value.produced.partial.empty()) {
      value.base = Layout::replicated(value.shape.size());
      value.base.dims = value.sharding;
    }
  }
  for (auto [donation, before] : llvm::zip_equal(donations, returnedBefore))
    graph.values[donation.second].returned = before;
  for (auto [argument, result] : donations) {
    graph.values[result].returned.push_back(graph.values[argument].base);
    graph.values[result].isReturnedInSharding = false;
  }
  keepWhereCheaper();
}

/// The moves of a tensor do not depend on how others are kept.
void LayoutChoice::keepWhereCheaper() {
  ProgramCost cost(graph);
  auto looksThrough = [&](const ValueChoice &choice) {
    return (choice.producer && graph.nodes[*choice.producer].isLookedThrough) ||
           llvm::any_of(choice.uses,
                        [&](const Use &use) { return !graph.nodes[use.node].windows.empty(); });
  };
  for (auto [number, choice] : llvm::enumerate(values)) {
    TensorInfo &value = graph.values[number];
    Layout kept = Layout::replicated(value.shape.size());
    kept.dims = value.kept ? value.kept->dims : value.sharding;
    value.kept.reset();
    // Windows are found behind what makes their operands; what loops carry is priced as a whole.
    if (!choice.hub || (!choice.producer && !choice.boundary) || value.produced == kept ||
        looksThrough(choice) || graph.carriedBy.contains(number))
      continue;
    double moved = cost.getMoves(number).seconds;
    value.kept = kept;
    if (cost.getMoves(number).seconds >= moved)
      value.kept.reset();
  }
}
