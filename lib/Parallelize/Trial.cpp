//===- Trial.cpp - What another decision would cost -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "Trial.h"

using namespace mlir;
using namespace dmc;

void Trial::carry(unsigned number, const llvm::BitVector &operands, const Layout &partials) {
  Node &node = graph.nodes[number];
  Assignment assignment = node.assignment;
  for (AxisList &axes : assignment)
    llvm::erase_if(axes, [&](const AxisRef &axis) { return overlapsAny(axis, partials.partial); });
  assign(number, std::move(assignment));
  auto add = [&](Layout &layout) {
    layout.combiner = partials.combiner;
    llvm::append_range(layout.partial, partials.partial);
  };
  for (Layout &layout : node.resultLayouts)
    add(layout);
  for (unsigned i : operands.set_bits())
    add(node.operandLayouts[i]);
  for (auto [r, result] : llvm::enumerate(node.results)) {
    if (r < node.destinations.size() && node.destinations[r])
      node.operandLayouts[*node.destinations[r]] = node.resultLayouts[r];
    TensorInfo &value = graph.values[result];
    value.produced = node.resultLayouts[r];
    value.base = graph.getTarget(value, value.produced);
  }
}

PlanCost Trial::price(ArrayRef<unsigned> touched) {
  PlanCost total;
  for (auto &[number, state] : nodesBefore)
    total.work += cost.getWork(graph.nodes[number]);
  for (unsigned value : touched) {
    Cost moves = cost.getMoves(value);
    total.seconds += moves.seconds;
    total.bytes += moves.bytes;
  }
  return total;
}

std::optional<Alternative> Trial::end(std::string what) {
  llvm::SmallSetVector<unsigned, 16> touched = getTouched();
  // Where no layout differs, it is not an alternative.
  bool isSame = true;
  for (auto &[number, state] : nodesBefore)
    isSame &= graph.nodes[number].operandLayouts == state.operandLayouts &&
              graph.nodes[number].resultLayouts == state.resultLayouts;
  for (auto &[number, state] : valuesBefore)
    isSame &= !graph.values[number].isReturnedInSharding || graph.values[number].base == state.base;
  Alternative result;
  result.what = std::move(what);
  result.numChanged = nodesBefore.size();
  result.then = price(touched.getArrayRef());
  swap();
  result.now = price(touched.getArrayRef());
  keep();
  return isSame ? std::nullopt : std::optional(std::move(result));
}
