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
  // Where the tensor is there in a layout already, another variable's state of that layout takes no
  // more. What is given is not among the versions.
  auto isThere = [&](const LiveVersion &version, uint32_t variable, unsigned layout) {
    unsigned origin = getOrigin(version.value);
    if (const std::optional<Source> &argument = values[origin].boundary;
        argument && argument->variable != variable &&
        layouts.getList(argument->layouts)[current[argument->variable]] == layout)
      return true;
    const Layout &asked = layouts.get(layout);
    return asked.dims != version.layout.dims &&
           llvm::any_of(peak.versions, [&](const LiveVersion &other) {
             return getOrigin(other.value) == origin && other.layout.dims == asked.dims &&
                    other.layout == asked;
           });
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
    for (uint32_t state = 0; state < numStates; ++state) {
      unsigned layout = getLayout(state);
      visit(version.value, variable, state,
            isThere(version, variable, layout)
                ? 0
                : std::min(getBytes(layouts.get(layout)), now) / share);
    }
    return true;
  };
  // Arguments are always there.
  auto takeAsArgument = [&](const LiveVersion &version, const std::optional<Source> &source) {
    if (!source)
      return false;
    const LayoutList &list = layouts.getList(source->layouts);
    if (!isOpen(version, source->variable, list[current[source->variable]]))
      return false;
    taken.insert({version.value, source->variable});
    const TensorInfo &value = graph.values[version.value];
    for (auto [state, layout] : llvm::enumerate(list))
      visit(version.value, source->variable, state,
            static_cast<int64_t>(
                getLocalBytes(value.shape, layouts.get(layout), value.elementBytes)));
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
  // Where live ranges are split, the last barrier in front of the point says how the tensor is kept
  // until it is used behind the point, whether it has memory of its own now or not.
  llvm::BitVector isTaken(peak.versions.size());
  auto takeAsKeptMeanwhile = [&](unsigned node) {
    unsigned result = graph.nodes[node].results.front();
    bool isUsedLater = false;
    for (const Use &use : values[result].uses) {
      if (use.node < *here && isBarrier(use.node))
        return;
      isUsedLater |= use.node >= *here;
    }
    if (!isUsedLater && graph.values[result].returned.empty() &&
        !graph.values[result].isReturnedInSharding)
      return;
    const std::vector<NodeState> &keeps = states.get(classes[node]).states;
    uint32_t variable = *variables[node], now = current[variable];
    // An argument has memory of its own.
    size_t first = keepsArgument(node) ? keeps.size() / 2 : 0;
    const TensorInfo &value = graph.values[result];
    auto getLayout = [&](size_t state) -> const Layout & {
      return layouts.get(keeps[state].operands.front());
    };
    if (now >= first) {
      auto found = llvm::find_if(peak.versions, [&](const LiveVersion &other) {
        return getOrigin(other.value) == getOrigin(result) &&
               other.layout.dims == getLayout(now).dims;
      });
      // Else it is computed where it is read.
      if (found == peak.versions.end())
        return;
      isTaken.set(found - peak.versions.begin());
    }
    taken.insert({result, variable});
    for (size_t state = 0; state < keeps.size(); ++state)
      visit(result, variable, state,
            state < first ? 0
                          : static_cast<int64_t>(
                                getLocalBytes(value.shape, getLayout(state), value.elementBytes)));
  };
  if (here)
    for (unsigned node = 0; node < *here; ++node)
      if (isBarrier(node) && variables[node])
        takeAsKeptMeanwhile(node);
  for (auto [number, version] : llvm::enumerate(peak.versions)) {
    if (isTaken.test(number))
      continue;
    const ValueChoice &choice = values[version.value];
    (void)((choice.producer && isHere(*choice.producer) && takeAsMade(version)) ||
           takeAsArgument(version, choice.boundary) || takeAsKeptForReaders(version) ||
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
