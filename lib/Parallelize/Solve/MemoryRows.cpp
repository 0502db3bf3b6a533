//===- MemoryRows.cpp - What is alive at once, as a row of the problem ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The points at which a plan needs too much memory bound all plans: what is alive there takes the
// bytes that its variables' states give it.
//
//===----------------------------------------------------------------------===//
#include "MemoryRows.h"

#include "llvm/ADT/BitVector.h"

#include <map>

using namespace mlir;
using namespace dmc;

namespace dmc {
/// Finds the variables that decide what a graph, decided by `current`, holds at one point, and the
/// bytes that it takes there in each of their states.
class PointUses {
public:
  PointUses(const LayoutChoice &choice, const PeakMemory &peak, ArrayRef<uint32_t> current);

  /// To be called once.
  RowOrigin collect();

private:
  using Source = LayoutChoice::Source;
  using Use = LayoutChoice::Use;
  using Readers = SmallVector<const Use *, 4>;

  /// What a point holds of a tensor whose layout takes more than the one that it has now: no more,
  /// as it may be gone or not be made there, or all of it.
  enum class Held { AsNow, All };
  bool isThere(unsigned version, uint32_t variable, unsigned layout) const;
  bool runsHere(unsigned node) const;
  bool isKeptAcross(unsigned value) const;
  Held getHeld(unsigned value) const { return isKeptAcross(value) ? Held::All : Held::AsNow; }
  bool isOpen(const LiveVersion &version, uint32_t variable, unsigned layout) const;
  int64_t getBytes(unsigned value, const Layout &layout) const;
  void add(unsigned value, uint32_t variable, size_t numStates,
           llvm::function_ref<int64_t(size_t)> getBytes);
  void take(unsigned version, uint32_t variable, size_t numStates,
            llvm::function_ref<unsigned(size_t)> getLayout, Held held, int64_t share = 1);
  bool takeAsGiven(unsigned version, const std::optional<Source> &source, bool isAlwaysThere);
  bool takeAsMade(unsigned version);
  Readers findReaders(const LiveVersion &version, llvm::function_ref<bool(unsigned)> isAsked) const;
  bool takeAsRead(unsigned version, const Readers &readers);
  bool takeAsKeptForReaders(unsigned version);
  bool isNeededLater(unsigned result) const;
  void takeAsKeptMeanwhile(unsigned node);
  void takeVersion(unsigned version);

  const LayoutChoice &choice;
  Propagation &graph;
  const PeakMemory &peak;
  ArrayRef<uint32_t> current;
  /// The node that runs at the point.
  std::optional<unsigned> here;
  /// The versions of each tensor, of those behind barriers that of the tensor itself.
  llvm::DenseMap<unsigned, SmallVector<unsigned, 2>> versionsOf;
  /// Two tensors of one value have two variables.
  llvm::DenseSet<std::pair<unsigned, uint32_t>> taken;
  /// Versions that a barrier keeps.
  llvm::BitVector isKept;
  RowOrigin origin;
};
} // namespace dmc

PointUses::PointUses(const LayoutChoice &choice, const PeakMemory &peak, ArrayRef<uint32_t> current)
    : choice(choice), graph(choice.graph), peak(peak), current(current),
      isKept(peak.versions.size()) {
  for (auto [number, node] : llvm::enumerate(graph.getNodes()))
    if (llvm::is_contained(peak.ops, node.op))
      here = number;
  for (auto [number, version] : llvm::enumerate(peak.versions))
    versionsOf[choice.getOrigin(version.value)].push_back(number);
}

/// Where the tensor is there in a layout already, another variable's state of that layout takes no
/// more. What is given is not among the versions.
bool PointUses::isThere(unsigned number, uint32_t variable, unsigned layout) const {
  const LiveVersion &version = peak.versions[number];
  unsigned tensor = choice.getOrigin(version.value);
  if (const std::optional<Source> &argument = choice.values[tensor].boundary;
      argument && argument->variable != variable &&
      choice.layouts.getList(argument->layouts)[current[argument->variable]] == layout)
    return true;
  const Layout &asked = choice.layouts.get(layout);
  return asked.dims != version.layout.dims &&
         llvm::any_of(versionsOf.lookup(tensor), [&](unsigned other) {
           const Layout &there = peak.versions[other].layout;
           return there.dims == asked.dims && there == asked;
         });
}

bool PointUses::isOpen(const LiveVersion &version, uint32_t variable, unsigned layout) const {
  return choice.layouts.get(layout).dims == version.layout.dims &&
         !taken.contains({version.value, variable});
}

int64_t PointUses::getBytes(unsigned value, const Layout &layout) const {
  const TensorInfo &info = graph.getValue(value);
  return static_cast<int64_t>(getLocalBytes(info.shape, layout, info.elementBytes));
}

/// What a tensor takes in the states of a variable.
void PointUses::add(unsigned value, uint32_t variable, size_t numStates,
                    llvm::function_ref<int64_t(size_t)> getBytes) {
  taken.insert({value, variable});
  for (size_t state = 0; state < numStates; ++state)
    origin.uses.push_back({value, variable, static_cast<uint32_t>(state), getBytes(state)});
}

bool PointUses::runsHere(unsigned node) const {
  return llvm::is_contained(peak.ops, graph.getNodes()[node].op);
}

/// Whether a tensor is in memory at the point, however it is made: that is in front of the point,
/// and it is read behind it. What runs at the point may overwrite what it reads, or be fused with
/// what reads its results, and so may what is made element by element for one use alone.
bool PointUses::isKeptAcross(unsigned number) const {
  const LayoutChoice::ValueChoice &value = choice.values[number];
  if (!here || !value.producer || *value.producer >= *here || runsHere(*value.producer))
    return false;
  if (value.uses.size() == 1 && isElementwise(graph.getNodes()[*value.producer]))
    return false;
  return llvm::any_of(value.uses,
                      [&](const Use &use) { return use.node > *here && !runsHere(use.node); });
}

/// A share of the bytes of the layout that the version has in each state of the variable.
void PointUses::take(unsigned number, uint32_t variable, size_t numStates,
                     llvm::function_ref<unsigned(size_t)> getLayout, Held held, int64_t share) {
  const LiveVersion &version = peak.versions[number];
  int64_t now = getBytes(version.value, version.layout);
  // States are many, and layouts few.
  llvm::SmallDenseMap<unsigned, int64_t> ofLayouts;
  add(version.value, variable, numStates, [&](size_t state) {
    unsigned layout = getLayout(state);
    auto [known, isNew] = ofLayouts.try_emplace(layout, 0);
    if (!isNew || isThere(number, variable, layout))
      return known->second;
    int64_t bytes = getBytes(version.value, choice.layouts.get(layout));
    known->second = (held == Held::All ? bytes : std::min(bytes, now)) / share;
    return known->second;
  });
}

/// Arguments are always there, in whatever layout.
bool PointUses::takeAsGiven(unsigned number, const std::optional<Source> &source,
                            bool isAlwaysThere) {
  const LiveVersion &version = peak.versions[number];
  if (!source)
    return false;
  const LayoutList &list = choice.layouts.getList(source->layouts);
  if (!isOpen(version, source->variable, list[current[source->variable]]))
    return false;
  if (isAlwaysThere)
    add(version.value, source->variable, list.size(),
        [&](size_t state) { return getBytes(version.value, choice.layouts.get(list[state])); });
  else
    take(
        number, source->variable, list.size(), [&](size_t state) { return list[state]; },
        getHeld(version.value));
  return true;
}

bool PointUses::takeAsMade(unsigned number) {
  const LiveVersion &version = peak.versions[number];
  const LayoutChoice::ValueChoice &value = choice.values[version.value];
  if (!value.producer || !choice.variables[*value.producer])
    return false;
  uint32_t variable = *choice.variables[*value.producer];
  const std::vector<NodeState> &made = choice.states.get(choice.classes[*value.producer]).states;
  if (!isOpen(version, variable, made[current[variable]].results[value.result]))
    return false;
  take(
      number, variable, made.size(),
      [&](size_t state) { return made[state].results[value.result]; }, getHeld(version.value));
  return true;
}

/// The uses that read the version as it is, of nodes that are asked for.
PointUses::Readers PointUses::findReaders(const LiveVersion &version,
                                          llvm::function_ref<bool(unsigned)> isAsked) const {
  Readers readers;
  for (const Use &use : choice.values[version.value].uses) {
    if (!choice.variables[use.node] || !isAsked(use.node))
      continue;
    uint32_t variable = *choice.variables[use.node];
    const NodeState &state = choice.states.get(choice.classes[use.node]).states[current[variable]];
    if (isOpen(version, variable, state.operands[use.operands.front()]))
      readers.push_back(&use);
  }
  return readers;
}

bool PointUses::takeAsRead(unsigned number, const Readers &readers) {
  for (const Use *use : readers) {
    const std::vector<NodeState> &reads = choice.states.get(choice.classes[use->node]).states;
    take(
        number, *choice.variables[use->node], reads.size(),
        [&](size_t state) { return reads[state].operands[use->operands.front()]; }, Held::AsNow,
        static_cast<int64_t>(readers.size()));
  }
  return !readers.empty();
}

/// What is read before and after the point in one layout is moved to it once, and stays. It goes
/// if no reader before wants it, or none after: with t of each kind of which t' want it, at least
/// (t'/t of those before) + (t'/t of those after) - 1 of it is there.
bool PointUses::takeAsKeptForReaders(unsigned number) {
  const LiveVersion &version = peak.versions[number];
  if (!here)
    return false;
  Readers before = findReaders(version, [&](unsigned node) { return node < *here; }),
          after = findReaders(version, [&](unsigned node) { return node >= *here; });
  if (before.empty() || after.empty())
    return false;
  takeAsRead(number, before);
  return takeAsRead(number, after);
}

/// True if what a barrier makes is used at the point or behind it, and no later barrier keeps it.
bool PointUses::isNeededLater(unsigned result) const {
  bool isUsedLater = false;
  for (const Use &use : choice.values[result].uses) {
    if (use.node < *here && choice.isBarrier(use.node))
      return false;
    isUsedLater |= use.node >= *here;
  }
  const TensorInfo &value = graph.getValue(result);
  return isUsedLater || !value.returned.empty() || value.isReturnedInSharding;
}

/// Where live ranges are split, the last barrier in front of the point says how the tensor is kept
/// until it is used behind the point, whether it has memory of its own now or not.
void PointUses::takeAsKeptMeanwhile(unsigned node) {
  unsigned result = graph.getNodes()[node].results.front();
  if (!isNeededLater(result))
    return;
  const std::vector<NodeState> &keeps = choice.states.get(choice.classes[node]).states;
  uint32_t variable = *choice.variables[node], now = current[variable];
  // An argument has memory of its own.
  size_t first = choice.keepsArgument(node) ? keeps.size() / 2 : 0;
  auto getLayout = [&](size_t state) -> const Layout & {
    return choice.layouts.get(keeps[state].operands.front());
  };
  if (now >= first) {
    SmallVector<unsigned, 2> versions = versionsOf.lookup(choice.getOrigin(result));
    auto found = llvm::find_if(versions, [&](unsigned other) {
      return peak.versions[other].layout.dims == getLayout(now).dims;
    });
    // Else it is computed where it is read.
    if (found == versions.end())
      return;
    isKept.set(*found);
  }
  add(result, variable, keeps.size(),
      [&](size_t state) { return state < first ? 0 : getBytes(result, getLayout(state)); });
}

void PointUses::takeVersion(unsigned number) {
  const LiveVersion &version = peak.versions[number];
  const LayoutChoice::ValueChoice &value = choice.values[version.value];
  bool isMadeHere =
      value.producer && llvm::is_contained(peak.ops, graph.getNodes()[*value.producer].op);
  (void)((isMadeHere && takeAsMade(number)) ||
         takeAsGiven(number, value.boundary, /*isAlwaysThere=*/true) ||
         takeAsKeptForReaders(number) || takeAsGiven(number, value.hub, /*isAlwaysThere=*/false) ||
         takeAsMade(number) ||
         takeAsRead(number, findReaders(version, [](unsigned) { return true; })));
}

RowOrigin PointUses::collect() {
  auto isLast = [&](const Node &node) { return !peak.ops.empty() && node.op == peak.ops.back(); };
  if (auto node = llvm::find_if(graph.getNodes(), isLast); node != graph.getNodes().end())
    origin.node = node - graph.getNodes().begin();
  if (here)
    for (unsigned node = 0; node < *here; ++node)
      if (choice.isBarrier(node) && choice.variables[node])
        takeAsKeptMeanwhile(node);
  for (unsigned number = 0; number < peak.versions.size(); ++number)
    if (!isKept.test(number))
      takeVersion(number);
  return std::move(origin);
}

/// What no variable decides counts as it is.
static planner::Row getRow(const RowOrigin &origin, double bytes, double capacity,
                           ArrayRef<uint32_t> current) {
  std::map<std::pair<uint32_t, uint32_t>, int64_t> uses;
  for (const RowOrigin::Use &use : origin.uses)
    uses[{use.variable, use.state}] += use.bytes;
  planner::Row row;
  double decided = 0;
  for (auto [place, ofState] : uses) {
    row.uses.push_back({place.first, place.second, ofState});
    if (current[place.first] == place.second)
      decided += static_cast<double>(ofState);
  }
  row.capacity = std::max<int64_t>(0, static_cast<int64_t>(capacity - (bytes - decided)));
  return row;
}

std::vector<MemoryRow> dmc::makeRows(const LayoutChoice &choice, const MeasuredMemory &memory,
                                     double capacity, ArrayRef<uint32_t> current) {
  double limit = memory.getLimit(capacity);
  std::vector<MemoryRow> rows;
  rows.reserve(memory.points.size());
  for (const PeakMemory &point : memory.points) {
    RowOrigin origin = PointUses(choice, point, current).collect();
    planner::Row row = getRow(origin, point.bytes, limit, current);
    rows.push_back({std::move(row), std::move(origin)});
  }
  return rows;
}
