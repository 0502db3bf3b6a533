//===- MemoryRows.cpp - What is alive at once, as a row of the problem ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The points at which a plan needs too much memory bound all plans: what is alive there takes the
// bytes that its variables' states give it.
//
//===----------------------------------------------------------------------===//
#include "MemoryRows.h"

#include <map>

using namespace mlir;
using namespace dmc;

void LayoutChoice::forEachUse(
    const PeakMemory &peak, ArrayRef<uint32_t> current,
    llvm::function_ref<void(unsigned, uint32_t, uint32_t, int64_t)> visit) const {
  // Two tensors of one value have two variables.
  llvm::DenseSet<std::pair<unsigned, uint32_t>> taken;
  /// The layout of the version in each state of the variable.
  auto take = [&](const LiveVersion &version, uint32_t variable, size_t numStates,
                  auto getLayout) {
    const Layout &decided = layouts.get(getLayout(current[variable]));
    if (decided.dims != version.layout.dims || !taken.insert({version.value, variable}).second)
      return false;
    const TensorInfo &value = graph.values[version.value];
    for (uint32_t state = 0; state < numStates; ++state)
      visit(version.value, variable, state,
            static_cast<int64_t>(getLocalBytes(value.shape, layouts.get(getLayout(state)),
                                               value.elementBytes)));
    return true;
  };
  auto takeAsGiven = [&](const LiveVersion &version, const std::optional<Source> &source) {
    if (!source)
      return false;
    const LayoutList &list = layouts.getList(source->layouts);
    return take(version, source->variable, list.size(), [&](uint32_t state) { return list[state]; });
  };
  auto takeAsMade = [&](const LiveVersion &version) {
    const ValueChoice &choice = values[version.value];
    if (!choice.producer || !variables[*choice.producer])
      return false;
    const std::vector<NodeState> &made = states.get(classes[*choice.producer]).states;
    return take(version, *variables[*choice.producer], made.size(),
                [&](uint32_t state) { return made[state].results[choice.result]; });
  };
  auto takeAsRead = [&](const LiveVersion &version) {
    return llvm::any_of(values[version.value].uses, [&](const Use &use) {
      if (!variables[use.node])
        return false;
      const std::vector<NodeState> &reads = states.get(classes[use.node]).states;
      return take(version, *variables[use.node], reads.size(),
                  [&](uint32_t state) { return reads[state].operands[use.operands.front()]; });
    });
  };
  for (const LiveVersion &version : peak.versions) {
    const ValueChoice &choice = values[version.value];
    // Where it is made it is not yet kept.
    bool isBeingMade = choice.producer && graph.nodes[*choice.producer].op == peak.op;
    (void)((isBeingMade && takeAsMade(version)) || takeAsGiven(version, choice.boundary) ||
           takeAsGiven(version, choice.hub) || takeAsMade(version) || takeAsRead(version));
  }
}

planner::Row LayoutChoice::getRow(const PeakMemory &peak, double capacity,
                                  ArrayRef<uint32_t> current) const {
  planner::Row row;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> uses;
  forEachUse(peak, current, [&](unsigned, uint32_t variable, uint32_t state, int64_t bytes) {
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

std::vector<planner::Row> dmc::makeRows(const LayoutChoice &choice, const MeasuredMemory &memory,
                                        double capacity, ArrayRef<uint32_t> current) {
  // Where gaps between buffers alone make it too much, they count; else rows would rule out plans
  // with fewer gaps.
  double live = memory.points.empty() ? memory.bytes : memory.points.front().bytes;
  double limit = live > capacity ? capacity : capacity - (memory.bytes - live);
  std::vector<planner::Row> rows;
  for (const PeakMemory &point : memory.points)
    rows.push_back(choice.getRow(point, limit, current));
  return rows;
}
