//===- LayoutChoice.cpp - The layout problem of a program -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. Prices are those of ProgramCost and of the reshard planner; equal tables are
// made once.
//
//===----------------------------------------------------------------------===//
#include "LayoutChoice.h"

#include <set>

using namespace mlir;
using namespace dmc;
using planner::infeasible;

/// A key of numbers.
template <typename... Numbers>
static std::string toKey(Numbers... numbers) {
  std::string key;
  auto add = [&](int64_t number) {
    key.append(reinterpret_cast<const char *>(&number), sizeof(number));
  };
  (add(static_cast<int64_t>(numbers)), ...);
  return key;
}

static std::string toKey(const TensorInfo &value) {
  std::string key = toKey(value.elementBytes);
  for (int64_t size : value.shape)
    key += toKey(size);
  return key;
}

void LayoutChoice::collect() {
  values.resize(graph.values.size());
  for (auto [value, node] : graph.producers) {
    values[value].producer = node;
    for (auto [r, result] : llvm::enumerate(graph.nodes[node].results))
      if (result == value)
        values[value].result = r;
  }
  for (auto [number, node] : llvm::enumerate(graph.nodes))
    for (auto [i, operand] : llvm::enumerate(node.operands)) {
      if (operand == Node::kLayoutAgnostic)
        continue;
      bool isBehindLoop = node.areLoopResults[i];
      SmallVector<Use, 4> &uses = values[operand].uses;
      if (uses.empty() || uses.back().node != number || uses.back().isBehindLoop != isBehindLoop)
        uses.push_back({static_cast<unsigned>(number), isBehindLoop, {}});
      uses.back().operands.push_back(i);
    }
  Operation *terminator = entry.getBody().front().getTerminator();
  for (auto [argument, attribute] : llvm::zip_equal(entry.getArguments(), program.getArguments())) {
    if (!attribute.isDonated() || !graph.has(argument))
      continue;
    Value result = terminator->getOperand(attribute.getDonates());
    ValueAttr asked = program.getResults()[attribute.getDonates()];
    if (graph.has(result) && !asked.getLayout() &&
        asked.getType().getShape() == attribute.getType().getShape())
      donations.push_back({graph.getNumber(argument), graph.getNumber(result)});
  }
  for (auto [argument, result] : donations)
    returnedBefore.push_back(graph.values[result].returned);
}

/// A tensor that one operation uses moves to it at once.
bool LayoutChoice::needsHub(unsigned number) const {
  const TensorInfo &value = graph.values[number];
  return !values[number].producer || values[number].uses.size() != 1 || !value.returned.empty() ||
         value.isReturnedInSharding || !value.excluded.empty() ||
         llvm::any_of(value.holds, [](unsigned holds) { return holds > 0; });
}

LogicalResult LayoutChoice::addNodes() {
  classes.resize(graph.nodes.size());
  variables.resize(graph.nodes.size());
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    if (node.forwarded)
      continue;
    std::optional<unsigned> found = states.getClass(number, maxStates);
    if (!found)
      return node.op->emitOpError("unsupported: more than ")
             << maxStates << " ways to divide its loops among the axes of the mesh";
    classes[number] = *found;
    variables[number] = parts.variables.size();
    planner::Variable variable;
    variable.name = "n" + std::to_string(number);
    for (auto [i, state] : llvm::enumerate(states.get(*found).states))
      variable.states.push_back({std::to_string(i), state.picoseconds});
    variable.loop = getLoop(node.repeats);
    parts.variables.push_back(std::move(variable));
  }
  return success();
}

/// What does not depend on anything but repetitions is in a loop of its own.
std::optional<uint32_t> LayoutChoice::getLoop(double repeats) {
  int64_t trips = std::max<int64_t>(1, std::llround(repeats));
  if (trips == 1)
    return std::nullopt;
  auto [known, isNew] = loops.try_emplace(trips, parts.loops.size());
  if (isNew)
    parts.loops.push_back({"times" + std::to_string(trips), trips, std::nullopt});
  return known->second;
}

unsigned LayoutChoice::getResultLayouts(unsigned nodeClass, unsigned result) {
  auto [known, isNew] = resultLists.try_emplace({nodeClass, result}, 0);
  if (isNew) {
    LayoutList list;
    for (const NodeState &state : states.get(nodeClass).states)
      list.push_back(state.results[result]);
    known->second = layouts.addList(std::move(list));
  }
  return known->second;
}

/// What a tensor may be kept in: nothing partial, what was asked for, and no excluded axes.
LayoutList LayoutChoice::getHubLayouts(unsigned number) {
  const TensorInfo &value = graph.values[number];
  llvm::BitVector fixed(value.shape.size());
  for (auto [dim, holds] : llvm::enumerate(value.holds))
    if (holds > 0)
      fixed.set(dim);
  LayoutList list;
  std::set<unsigned> known;
  auto add = [&](Layout layout) {
    layout.partial.clear();
    layout.combiner.reset();
    for (unsigned dim : fixed.set_bits())
      if (layout.dims[dim] != value.sharding[dim])
        return;
    for (const AxisList &axes : layout.dims)
      for (const AxisRef &axis : axes)
        if (overlapsAny(axis, value.excluded))
          return;
    if (unsigned added = layouts.add(layout); known.insert(added).second)
      list.push_back(added);
  };
  for (const Layout &layout :
       enumerateLayouts(graph.mesh, value.shape, fixed, value.sharding, value.excluded))
    add(layout);
  if (std::optional<unsigned> producer = values[number].producer)
    for (const NodeState &state : states.get(classes[*producer]).states)
      add(layouts.get(state.results[values[number].result]));
  for (const Use &use : values[number].uses)
    if (!graph.nodes[use.node].forwarded)
      for (const NodeState &state : states.get(classes[use.node]).states)
        for (unsigned operand : use.operands)
          add(layouts.get(state.operands[operand]));
  // The graph's own decision is one of them, whatever was asked for.
  Layout current = value.base;
  current.partial.clear();
  current.combiner.reset();
  if (unsigned added = layouts.add(current); known.insert(added).second)
    list.push_back(added);
  return list;
}

void LayoutChoice::addHubs() {
  for (unsigned number = 0; number < values.size(); ++number) {
    if (!needsHub(number))
      continue;
    values[number].hubLayouts = layouts.addList(getHubLayouts(number));
    values[number].hub = parts.variables.size();
    planner::Variable variable;
    variable.name = "v" + std::to_string(number);
    size_t count = layouts.getList(values[number].hubLayouts).size();
    for (size_t i = 0; i < count; ++i)
      variable.states.push_back({std::to_string(i), 0});
    parts.variables.push_back(std::move(variable));
  }
}

/// Picoseconds of the move between two layouts of a tensor.
int64_t LayoutChoice::getPrice(unsigned from, unsigned to, const TensorInfo &value,
                               Prices &known) {
  if (from == to)
    return 0;
  auto [price, isNew] = known.try_emplace({from, to}, 0);
  if (isNew)
    price->second = toPicoseconds(graph.plans.getSeconds(layouts.get(from), layouts.get(to),
                                                         value.shape, value.elementBytes));
  return price->second;
}

uint32_t LayoutChoice::addTable(std::string key, planner::Table table) {
  auto [known, isNew] = tables.try_emplace(key, parts.tables.size());
  if (isNew)
    parts.tables.push_back(std::move(table));
  return known->second;
}

void LayoutChoice::addPair(uint32_t first, uint32_t second, uint32_t table, double repeats) {
  if (llvm::all_of(parts.tables[table].costs, [](int64_t cost) { return cost == 0; }))
    return;
  parts.pairs.push_back({first, second, table, getLoop(repeats)});
}

LayoutChoice::Source LayoutChoice::getSource(unsigned number) {
  const ValueChoice &value = values[number];
  if (value.hub)
    return {*value.hub, value.hubLayouts};
  return {*variables[*value.producer],
          getResultLayouts(classes[*value.producer], value.result)};
}

/// From where a tensor is taken to another place where it is kept.
void LayoutChoice::addMove(unsigned number, Source from, uint32_t to, unsigned toLayouts,
                           double repeats) {
  const TensorInfo &value = graph.values[number];
  std::string key = toKey(0, from.layouts, toLayouts) + toKey(value);
  if (auto made = tables.find(key); made != tables.end())
    return addPair(from.variable, to, made->second, repeats);
  const LayoutList &rows = layouts.getList(from.layouts), &columns = layouts.getList(toLayouts);
  planner::Table table{static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(columns.size()), {}};
  Prices &known = prices[toKey(value)];
  for (unsigned row : rows)
    for (unsigned column : columns)
      table.costs.push_back(getPrice(row, column, value, known));
  addPair(from.variable, to, addTable(std::move(key), std::move(table)), repeats);
}

/// To the layouts in which a node wants it, each once.
void LayoutChoice::addMove(unsigned number, Source from, const Use &use) {
  const TensorInfo &value = graph.values[number];
  const Node &node = graph.nodes[use.node];
  double repeats = use.isBehindLoop && value.resultRepeats ? *value.resultRepeats : value.repeats;
  if (node.forwarded) {
    const ValueChoice &target = values[node.results.front()];
    if (node.results.front() != number)
      addMove(number, from, *target.hub, target.hubLayouts, repeats);
    return;
  }
  std::string key = toKey(1, from.layouts, classes[use.node]);
  for (unsigned operand : use.operands)
    key += toKey(operand);
  key += "|" + toKey(value);
  uint32_t variable = *variables[use.node];
  if (auto made = tables.find(key); made != tables.end())
    return addPair(from.variable, variable, made->second, repeats);
  const LayoutList &rows = layouts.getList(from.layouts);
  const std::vector<NodeState> &columns = states.get(classes[use.node]).states;
  planner::Table table{static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(columns.size()), {}};
  Prices &known = prices[toKey(value)];
  for (unsigned row : rows)
    for (const NodeState &state : columns) {
      SmallVector<unsigned, 2> wanted;
      int64_t total = 0;
      for (unsigned operand : use.operands)
        if (unsigned layout = state.operands[operand]; !llvm::is_contained(wanted, layout)) {
          wanted.push_back(layout);
          total += getPrice(row, layout, value, known);
        }
      table.costs.push_back(total);
    }
  addPair(from.variable, variable, addTable(std::move(key), std::move(table)), repeats);
}

void LayoutChoice::addMoves() {
  for (unsigned number = 0; number < values.size(); ++number) {
    const ValueChoice &value = values[number];
    if (value.producer && value.hub)
      addMove(number,
              {*variables[*value.producer],
               getResultLayouts(classes[*value.producer], value.result)},
              *value.hub, value.hubLayouts, graph.values[number].repeats);
    for (const Use &use : value.uses)
      addMove(number, getSource(number), use);
  }
}

/// What is returned in a given layout moves there; what takes over an argument's buffer, to the
/// argument's.
void LayoutChoice::addReturned() {
  for (unsigned number = 0; number < values.size(); ++number) {
    const TensorInfo &value = graph.values[number];
    if (value.returned.empty())
      continue;
    SmallVector<unsigned, 2> wanted;
    for (const Layout &layout : value.returned)
      if (unsigned added = layouts.add(layout); !llvm::is_contained(wanted, added))
        wanted.push_back(added);
    planner::Variable &variable = parts.variables[*values[number].hub];
    Prices &known = prices[toKey(value)];
    for (auto [state, layout] :
         llvm::zip_equal(variable.states, layouts.getList(values[number].hubLayouts)))
      for (unsigned target : wanted)
        state.cost += getPrice(layout, target, value, known);
  }
  for (auto [argument, result] : donations)
    if (argument != result)
      addMove(result, getSource(result), *values[argument].hub, values[argument].hubLayouts, 1);
}

FailureOr<planner::LayoutProblem> LayoutChoice::build() {
  parts.name = program.getName().str();
  collect();
  if (failed(addNodes()))
    return failure();
  addHubs();
  addMoves();
  addReturned();
  std::vector<planner::Mistake> mistakes;
  std::optional<planner::LayoutProblem> problem =
      planner::LayoutProblem::create(std::move(parts), mistakes);
  if (!problem)
    return entry.emitError("cannot state the choice of layouts: ") << mistakes.front().message;
  return std::move(*problem);
}

planner::Assignment LayoutChoice::getCurrent() const {
  planner::Assignment assignment(llvm::count_if(variables, [](auto v) { return v.has_value(); }) +
                                 llvm::count_if(values, [](auto &v) { return v.hub.has_value(); }));
  for (auto [number, variable] : llvm::enumerate(variables))
    if (variable)
      assignment[*variable] =
          states.find(classes[number], graph.nodes[number].assignment).value_or(0);
  for (auto [number, value] : llvm::enumerate(values)) {
    if (!value.hub)
      continue;
    Layout base = graph.values[number].base;
    base.partial.clear();
    base.combiner.reset();
    for (auto [i, layout] : llvm::enumerate(layouts.getList(value.hubLayouts)))
      if (layouts.get(layout) == base && layouts.get(layout).dims == base.dims)
        assignment[*value.hub] = i;
  }
  return assignment;
}
