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
  std::optional<unsigned> here;
  for (auto [number, node] : llvm::enumerate(graph.nodes))
    if (llvm::is_contained(peak.ops, node.op))
      here = number;
  auto isHere = [&](unsigned node) { return llvm::is_contained(peak.ops, graph.nodes[node].op); };
  auto isBarrier = [&](unsigned node) { return isa<OptimizationBarrierOp>(graph.nodes[node].op); };
  // What is behind a barrier in the layout in which the argument comes is the argument.
  auto getArgument = [&](unsigned value) -> const Source * {
    while (values[value].producer && isBarrier(*values[value].producer))
      value = graph.nodes[*values[value].producer].operands.front();
    return values[value].boundary ? &*values[value].boundary : nullptr;
  };
  // Two tensors of one value have two variables.
  llvm::DenseSet<std::pair<unsigned, uint32_t>> taken;
  auto isOpen = [&](const LiveVersion &version, uint32_t variable, unsigned layout) {
    return layouts.get(layout).dims == version.layout.dims &&
           !taken.contains({version.value, variable});
  };
  /// A share of the bytes of the layout that the version has in each state of the variable; of more
  /// bytes than the version has now the point need not hold any.
  auto take = [&](const LiveVersion &version, uint32_t variable, size_t numStates, auto getLayout,
                  int64_t share = 1) {
    taken.insert({version.value, variable});
    const TensorInfo &value = graph.values[version.value];
    auto getBytes = [&](const Layout &layout) {
      return static_cast<int64_t>(getLocalBytes(value.shape, layout, value.elementBytes));
    };
    int64_t now = getBytes(version.layout);
    const Source *argument = getArgument(version.value);
    for (uint32_t state = 0; state < numStates; ++state) {
      bool isArgument =
          argument && argument->variable != variable &&
          getLayout(state) == layouts.getList(argument->layouts)[current[argument->variable]];
      visit(version.value, variable, state,
            isArgument ? 0 : std::min(getBytes(layouts.get(getLayout(state))), now) / share);
    }
    return true;
  };
  auto takeAsGiven = [&](const LiveVersion &version, const std::optional<Source> &source) {
    if (!source)
      return false;
    const LayoutList &list = layouts.getList(source->layouts);
    return isOpen(version, source->variable, list[current[source->variable]]) &&
           take(version, source->variable, list.size(),
                [&](uint32_t state) { return list[state]; });
  };
  auto takeAsMade = [&](const LiveVersion &version) {
    const ValueChoice &choice = values[version.value];
    if (!choice.producer || !variables[*choice.producer])
      return false;
    uint32_t variable = *variables[*choice.producer];
    const std::vector<NodeState> &made = states.get(classes[*choice.producer]).states;
    return isOpen(version, variable, made[current[variable]].results[choice.result]) &&
           take(version, variable, made.size(),
                [&](uint32_t state) { return made[state].results[choice.result]; });
  };
  // Where live ranges are split, the last barrier in front of the point says what is kept of the
  // tensor until it is used behind the point.
  auto takeAsKeptMeanwhile = [&](const LiveVersion &version) {
    std::optional<unsigned> last;
    auto next = [&](unsigned value) -> const Use * {
      auto *use = llvm::find_if(values[value].uses, [&](const Use &use) {
        return here && use.node < *here && isBarrier(use.node);
      });
      return use == values[value].uses.end() ? nullptr : use;
    };
    for (unsigned value = version.value; const Use *use = next(value);
         value = graph.nodes[*last].results.front())
      last = use->node;
    if (!last)
      return false;
    uint32_t variable = *variables[*last];
    const std::vector<NodeState> &keeps = states.get(classes[*last]).states;
    return isOpen(version, variable, keeps[current[variable]].operands.front()) &&
           take(version, variable, keeps.size(),
                [&](uint32_t state) { return keeps[state].operands.front(); });
  };
  using Readers = SmallVector<const Use *, 4>;
  auto findReaders = [&](const LiveVersion &version, auto isAsked) {
    Readers readers;
    for (const Use &use : values[version.value].uses) {
      if (!variables[use.node] || !isAsked(use.node))
        continue;
      uint32_t variable = *variables[use.node];
      const NodeState &state = states.get(classes[use.node]).states[current[variable]];
      if (isOpen(version, variable, state.operands[use.operands.front()]))
        readers.push_back(&use);
    }
    return readers;
  };
  auto takeAsRead = [&](const LiveVersion &version, const Readers &readers) {
    for (const Use *use : readers) {
      const std::vector<NodeState> &reads = states.get(classes[use->node]).states;
      take(
          version, *variables[use->node], reads.size(),
          [&](uint32_t state) { return reads[state].operands[use->operands.front()]; },
          static_cast<int64_t>(readers.size()));
    }
    return !readers.empty();
  };
  // What is read before and after the point in one layout is moved to it once, and stays. It goes
  // if no reader before wants it, or none after: with t of each kind of which t' want it, at least
  // (t'/t of those before) + (t'/t of those after) - 1 of it is there.
  auto takeAsKeptForReaders = [&](const LiveVersion &version) {
    if (!here)
      return false;
    Readers before = findReaders(version, [&](unsigned node) { return node < *here; }),
            after = findReaders(version, [&](unsigned node) { return node >= *here; });
    if (before.empty() || after.empty())
      return false;
    takeAsRead(version, before);
    return takeAsRead(version, after);
  };
  for (const LiveVersion &version : peak.versions) {
    const ValueChoice &choice = values[version.value];
    (void)((choice.producer && isHere(*choice.producer) && takeAsMade(version)) ||
           takeAsGiven(version, choice.boundary) || takeAsKeptMeanwhile(version) ||
           takeAsKeptForReaders(version) ||
           takeAsGiven(version, choice.hub) || takeAsMade(version) ||
           takeAsRead(version, findReaders(version, [](unsigned) { return true; })));
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
  double limit = memory.getLimit(capacity);
  std::vector<planner::Row> rows;
  rows.reserve(memory.points.size());
  for (const PeakMemory &point : memory.points)
    rows.push_back(choice.getRow(point, limit, current));
  return rows;
}
