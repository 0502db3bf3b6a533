//===- MemoryRows.cpp - What is alive at once, as a row of the problem ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The point at which a plan needs most memory bounds all plans: what is alive there takes the
// bytes that its variables' states give it.
//
//===----------------------------------------------------------------------===//
#include "LayoutChoice.h"

#include <map>

using namespace mlir;
using namespace dmc;

void LayoutChoice::forEachUse(
    const PeakMemory &peak,
    llvm::function_ref<void(unsigned, uint32_t, uint32_t, int64_t)> visit) const {
  auto add = [&](uint32_t variable, uint32_t state, unsigned number, unsigned layout) {
    const TensorInfo &value = graph.values[number];
    visit(
        number, variable, state,
        static_cast<int64_t>(getLocalBytes(value.shape, layouts.get(layout), value.elementBytes)));
  };
  llvm::DenseSet<unsigned> seen;
  for (const LiveVersion &version : peak.versions) {
    const ValueChoice &choice = values[version.value];
    const TensorInfo &value = graph.values[version.value];
    bool isFirst = seen.insert(version.value).second;
    // The copy that a use reads: its size is decided by that use.
    auto user = llvm::find_if(choice.uses, [&](const Use &use) {
      return variables[use.node] && llvm::any_of(use.operands, [&](unsigned operand) {
               return graph.nodes[use.node].operandLayouts[operand] == version.layout;
             });
    });
    bool isMade = version.layout == value.produced || version.layout == value.base;
    if (const std::optional<Source> &source = choice.boundary ? choice.boundary : choice.hub;
        source && (isFirst || isMade || user == choice.uses.end())) {
      if (isFirst)
        for (auto [state, layout] : llvm::enumerate(layouts.getList(source->layouts)))
          add(source->variable, state, version.value, layout);
      continue;
    }
    if (isMade && choice.producer) {
      for (auto [i, state] : llvm::enumerate(states.get(classes[*choice.producer]).states))
        add(*variables[*choice.producer], i, version.value, state.results[choice.result]);
      continue;
    }
    if (user != choice.uses.end())
      for (auto [i, state] : llvm::enumerate(states.get(classes[user->node]).states))
        add(*variables[user->node], i, version.value, state.operands[user->operands.front()]);
  }
}

planner::Row LayoutChoice::getRow(const PeakMemory &peak, double capacity,
                                  ArrayRef<uint32_t> current) const {
  planner::Row row;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> uses;
  forEachUse(peak, [&](unsigned, uint32_t variable, uint32_t state, int64_t bytes) {
    uses[{variable, state}] += bytes;
  });
  double decided = 0;
  for (auto [place, bytes] : uses) {
    row.uses.push_back({place.first, place.second, bytes});
    if (current[place.first] == place.second)
      decided += static_cast<double>(bytes);
  }
  row.capacity = std::max<int64_t>(0, static_cast<int64_t>(capacity - (peak.bytes - decided)));
  return row;
}
