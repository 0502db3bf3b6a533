//===- LayoutChoice.cpp - The layout problem of a program -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. Prices are those of ProgramCost and of the reshard planner; equal tables are
// made once.
//
//===----------------------------------------------------------------------===//
#include "LayoutChoice.h"
#include "NumberKey.h"

#include <cmath>
#include <set>

using namespace mlir;
using namespace dmc;

template <typename... Numbers>
static std::string toKey(Numbers... numbers) {
  return NumberKey(numbers...).str();
}

static std::string toKey(const TensorInfo &value) {
  NumberKey key(value.elementBytes);
  for (int64_t size : value.shape)
    key.add(size);
  return key.str();
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
  for (auto [argument, attribute] : llvm::zip_equal(entry.getArguments(), program.getArguments()))
    if (graph.has(argument)) {
      values[graph.getNumber(argument)].isArgument = true;
      values[graph.getNumber(argument)].given = attribute.getLayout();
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

bool LayoutChoice::isBarrier(unsigned node) const {
  return isa<OptimizationBarrierOp>(graph.nodes[node].op);
}

unsigned LayoutChoice::getOrigin(unsigned value) const {
  while (values[value].producer && isBarrier(*values[value].producer) &&
         graph.nodes[*values[value].producer].operands.front() != Node::kLayoutAgnostic)
    value = graph.nodes[*values[value].producer].operands.front();
  return value;
}

bool LayoutChoice::keepsArgument(unsigned node) const {
  return graph.getRates().capacity > 0 && isBarrier(node) &&
         values[getOrigin(graph.nodes[node].results.front())].isArgument;
}

/// A tensor that one operation uses moves to it at once.
bool LayoutChoice::needsHub(unsigned number) const {
  const TensorInfo &value = graph.values[number];
  return !values[number].producer || values[number].uses.size() != 1 || !value.returned.empty() ||
         value.isReturnedInSharding || !value.excluded.empty() ||
         llvm::any_of(value.holds, [](unsigned holds) { return holds > 0; });
}

/// False where an operation has too many states.
bool LayoutChoice::addClasses() {
  classes.resize(graph.nodes.size());
  variables.resize(graph.nodes.size());
  PartialCarriers carriers(graph, [&](unsigned value) { return needsHub(value); });
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    if (node.forwarded)
      continue;
    std::optional<unsigned> found = states.getClass(number, carriers.getSets(number), maxStates);
    if (!found)
      return false;
    classes[number] = keepsArgument(number) ? states.getDoubled(*found) : *found;
  }
  return true;
}

void LayoutChoice::addNode(unsigned number) {
  variables[number] = parts.variables.size();
  planner::Variable variable;
  variable.name = "n" + std::to_string(number);
  variable.states.reserve(states.get(classes[number]).states.size());
  for (auto [i, state] : llvm::enumerate(states.get(classes[number]).states))
    variable.states.push_back({std::to_string(i), toCost(state.seconds, parts.unit)});
  variable.loop = getLoop(graph.nodes[number].repeats);
  parts.variables.push_back(std::move(variable));
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

/// What the layouts of a tensor of which nothing was asked follow from: layers repeat.
std::optional<std::string> LayoutChoice::getHubKey(unsigned number) {
  const TensorInfo &value = graph.values[number];
  const ValueChoice &choice = values[number];
  if (!value.excluded.empty() ||
      llvm::any_of(value.holds, [](unsigned holds) { return holds > 0; }))
    return std::nullopt;
  NumberKey key(layouts.add(getKept(number)), value.shape.size());
  for (int64_t size : value.shape)
    key.add(size);
  if (choice.producer)
    key.add(NumberKey(classes[*choice.producer], choice.result));
  for (const Use &use : choice.uses) {
    if (graph.nodes[use.node].forwarded)
      continue;
    // Ends what was listed before.
    key.add(NumberKey(-1, classes[use.node]));
    for (unsigned operand : use.operands)
      key.add(operand);
  }
  return key.str();
}

/// The graph's decision of where a tensor is kept.
Layout LayoutChoice::getKept(unsigned number) const {
  Layout layout = graph.values[number].base;
  layout.partial.clear();
  layout.combiner.reset();
  return layout;
}

/// A list of what a tensor may be kept in between its uses.
unsigned LayoutChoice::getHubLayouts(unsigned number) {
  std::optional<std::string> key = getHubKey(number);
  if (!key)
    return layouts.addList(listLayouts(number, /*isBoundary=*/false));
  auto [known, isNew] = hubLists.try_emplace(*key, 0);
  if (isNew)
    known->second = layouts.addList(listLayouts(number, /*isBoundary=*/false));
  return known->second;
}

/// What a tensor may be kept in: nothing partial, and no excluded axes. What was asked for holds
/// for the layout in which an argument comes, and for that in which others are kept.
LayoutList LayoutChoice::listLayouts(unsigned number, bool isBoundary) {
  const TensorInfo &value = graph.values[number];
  const ValueChoice &choice = values[number];
  bool isBound = isBoundary || !choice.isArgument;
  llvm::BitVector fixed(value.shape.size());
  for (auto [dim, holds] : llvm::enumerate(value.holds))
    if (holds > 0 && isBound)
      fixed.set(dim);
  const AxisList excluded = isBound ? value.excluded : AxisList();
  LayoutList list;
  std::set<unsigned> known;
  auto add = [&](Layout layout) {
    layout.partial.clear();
    layout.combiner.reset();
    for (unsigned dim : fixed.set_bits())
      if (layout.dims[dim] != value.sharding[dim])
        return;
    if (isBoundary && choice.given &&
        !llvm::all_of_zip(choice.given.toLayout().dims, layout.dims, isPrefix))
      return;
    for (const AxisList &axes : layout.dims)
      for (const AxisRef &axis : axes)
        if (overlapsAny(axis, excluded))
          return;
    if (unsigned added = layouts.add(layout); known.insert(added).second)
      list.push_back(added);
  };
  Layout current = getKept(number);
  if (isBoundary && !choosesBoundary)
    return {layouts.add(current)};
  for (const Layout &layout :
       enumerateLayouts(groups, value.shape, fixed, value.sharding, excluded))
    add(layout);
  if (choice.producer)
    for (const NodeState &state : states.get(classes[*choice.producer]).states)
      add(layouts.get(state.results[choice.result]));
  for (const Use &use : choice.uses)
    if (!graph.nodes[use.node].forwarded)
      for (const NodeState &state : states.get(classes[use.node]).states)
        for (unsigned operand : use.operands)
          add(layouts.get(state.operands[operand]));
  // The graph's own decision is one of them, whatever was asked for.
  if (unsigned added = layouts.add(current); known.insert(added).second)
    list.push_back(added);
  return list;
}

LayoutChoice::Source LayoutChoice::addVariable(std::string name, unsigned list) {
  planner::Variable variable;
  variable.name = std::move(name);
  size_t count = layouts.getList(list).size();
  variable.states.reserve(count);
  for (size_t i = 0; i < count; ++i)
    variable.states.push_back({std::to_string(i), 0});
  parts.variables.push_back(std::move(variable));
  return {static_cast<uint32_t>(parts.variables.size() - 1), list};
}

void LayoutChoice::addBoundary(unsigned number) {
  values[number].boundary = addVariable("a" + std::to_string(number),
                                        layouts.addList(listLayouts(number, /*isBoundary=*/true)));
}

/// Of arguments that cost the same, the one that is split further takes less memory: each axis that
/// does not split it costs the least time there is.
void LayoutChoice::preferSplitArguments() {
  for (const ValueChoice &value : values) {
    if (!value.boundary)
      continue;
    for (auto [state, layout] : llvm::zip_equal(parts.variables[value.boundary->variable].states,
                                                layouts.getList(value.boundary->layouts))) {
      int64_t numShards = 1;
      for (const AxisList &axes : layouts.get(layout).dims)
        numShards *= groupSize(axes);
      state.cost += llvm::Log2_64_Ceil(graph.mesh.numRanks() / numShards);
    }
  }
}

void LayoutChoice::addHub(unsigned number) {
  ValueChoice &value = values[number];
  if (std::exchange(value.isAdded, true))
    return;
  if (value.isArgument)
    addBoundary(number);
  bool isUsedOnce = value.uses.size() + graph.values[number].returned.size() < 2;
  if (value.isArgument ? !isUsedOnce : needsHub(number))
    value.hub = addVariable("v" + std::to_string(number), getHubLayouts(number));
}

/// What a barrier keeps is the argument only in the layout in which that comes.
void LayoutChoice::addKept(unsigned number) {
  const Source &argument = *values[getOrigin(graph.nodes[number].results.front())].boundary;
  const std::vector<NodeState> &keeps = states.get(classes[number]).states;
  const LayoutList &given = layouts.getList(argument.layouts);
  if (!reserveTable(given.size(), keeps.size()))
    return;
  planner::Table table{
      static_cast<uint32_t>(given.size()), static_cast<uint32_t>(keeps.size()), {}};
  for (unsigned layout : given)
    for (auto [state, keep] : llvm::enumerate(keeps)) {
      bool isCopy = state >= keeps.size() / 2;
      table.costs.push_back(isCopy || keep.operands.front() == layout ? 0 : planner::infeasible);
    }
  addPair(argument.variable, *variables[number],
          addTable(toKey(3, argument.layouts, classes[number]), std::move(table)), 1);
}

/// In the order of the program: what is not made by an operation in front of its first use, the
/// rest behind what makes it. Then the solver's messages pass through all of the program in one
/// iteration.
void LayoutChoice::addVariables() {
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    for (unsigned operand : node.operands)
      if (operand != Node::kLayoutAgnostic && !values[operand].producer)
        addHub(operand);
    if (!node.forwarded)
      addNode(number);
    if (keepsArgument(number))
      addKept(number);
    for (unsigned result : node.results)
      addHub(result);
  }
  for (unsigned number = 0; number < values.size(); ++number)
    addHub(number);
}

bool LayoutChoice::hasTooManyEntries() const {
  size_t numAxes = 0;
  for (const AxisList &group : groups)
    numAxes += group.size();
  int64_t most = maxEntries;
  for (size_t axis = axesOfMaxEntries; axis < numAxes; ++axis)
    most /= longerOfAxis;
  return numEntries > most;
}

/// True if a table may be filled: the limit is not reached.
bool LayoutChoice::reserveTable(size_t rows, size_t columns) {
  numEntries += static_cast<int64_t>(rows * columns);
  return !hasTooManyEntries();
}

/// True if a table of moves is to be filled: it is not only counted, and the limit not reached.
bool LayoutChoice::isFurther(llvm::StringRef key, size_t rows, size_t columns) {
  if (!isCounting)
    return reserveTable(rows, columns);
  if (counted.insert(key).second)
    reserveTable(rows, columns);
  return false;
}

uint32_t LayoutChoice::addTable(llvm::StringRef key, planner::Table table) {
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

/// The variable of the layout in which a tensor is made, if it is not that in which it is kept.
std::optional<LayoutChoice::Source> LayoutChoice::getMade(unsigned number) {
  const ValueChoice &value = values[number];
  if (value.boundary || !value.producer)
    return value.boundary;
  return Source{*variables[*value.producer],
                getResultLayouts(classes[*value.producer], value.result)};
}

LayoutChoice::Source LayoutChoice::getSource(unsigned number) {
  return values[number].hub ? *values[number].hub : *getMade(number);
}

/// From where a tensor is taken to another place where it is kept.
void LayoutChoice::addMove(unsigned number, Source from, Source to, double repeats) {
  const TensorInfo &value = graph.values[number];
  std::string key = toKey(0, from.layouts, to.layouts) + toKey(value);
  if (auto made = tables.find(key); made != tables.end())
    return addPair(from.variable, to.variable, made->second, repeats);
  const LayoutList &rows = layouts.getList(from.layouts), &columns = layouts.getList(to.layouts);
  if (!isFurther(key, rows.size(), columns.size()))
    return;
  planner::Table table{static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(columns.size()),
                       prices.get(rows, columns, value, parts.unit)};
  addPair(from.variable, to.variable, addTable(key, std::move(table)), repeats);
}

/// To the layouts in which a node wants it, each once.
void LayoutChoice::addMove(unsigned number, Source from, const Use &use) {
  const TensorInfo &value = graph.values[number];
  const Node &node = graph.nodes[use.node];
  double repeats = use.isBehindLoop && value.resultRepeats ? *value.resultRepeats : value.repeats;
  if (node.forwarded) {
    const ValueChoice &target = values[node.results.front()];
    if (node.results.front() != number)
      addMove(number, from, *target.hub, repeats);
    return;
  }
  // What is always made in one layout may be taken from there, too.
  std::optional<Source> made = getMade(number);
  std::optional<unsigned> nearby;
  if (made && made->variable != from.variable && layouts.getList(made->layouts).size() == 1 &&
      layouts.get(layouts.getList(made->layouts).front()).partial.empty())
    nearby = layouts.getList(made->layouts).front();
  std::string key =
      toKey(1, from.layouts, classes[use.node], nearby ? static_cast<int64_t>(*nearby) : -1);
  for (unsigned operand : use.operands)
    key += toKey(operand);
  key += "|" + toKey(value);
  uint32_t variable = *variables[use.node];
  if (auto table = tables.find(key); table != tables.end())
    return addPair(from.variable, variable, table->second, repeats);
  const LayoutList &rows = layouts.getList(from.layouts);
  const std::vector<NodeState> &columns = states.get(classes[use.node]).states;
  if (!isFurther(key, rows.size(), columns.size()))
    return;
  planner::Table table{
      static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(columns.size()), {}};
  LayoutList taken;
  llvm::DenseMap<unsigned, unsigned> placeOf;
  for (const NodeState &state : columns)
    for (unsigned operand : use.operands)
      if (placeOf.try_emplace(state.operands[operand], taken.size()).second)
        taken.push_back(state.operands[operand]);
  std::vector<int64_t> moves = prices.get(rows, taken, value, parts.unit), fromNearby;
  if (nearby)
    fromNearby = prices.get({*nearby}, taken, value, parts.unit);
  for (size_t row = 0; row < rows.size(); ++row)
    for (const NodeState &state : columns) {
      SmallVector<unsigned, 2> wanted;
      int64_t total = 0;
      for (unsigned operand : use.operands)
        if (unsigned layout = state.operands[operand]; !llvm::is_contained(wanted, layout)) {
          wanted.push_back(layout);
          unsigned place = placeOf[layout];
          int64_t price = moves[row * taken.size() + place];
          total = addCosts(total, nearby ? std::min(price, fromNearby[place]) : price);
        }
      table.costs.push_back(total);
    }
  addPair(from.variable, variable, addTable(key, std::move(table)), repeats);
}

void LayoutChoice::addMoves() {
  for (unsigned number = 0; number < values.size(); ++number) {
    const ValueChoice &value = values[number];
    if (std::optional<Source> made = getMade(number); made && value.hub)
      addMove(number, *made, *value.hub, graph.values[number].repeats);
    for (const Use &use : value.uses)
      addMove(number, getSource(number), use);
  }
}

int64_t LayoutChoice::getHaloCost(const Node &node, const WindowAccess &access,
                                  const Assignment &assignment) const {
  const AxisList &axes = assignment[access.factor];
  if (axes.empty())
    return 0;
  Traffic traffic = graph.getSplitHaloTraffic(node, access, assignment);
  return toCost(graph.getRates().getSeconds(traffic, axes), parts.unit);
}

/// What windows of operands send, unless every rank has what they read.
void LayoutChoice::addHalos() {
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    if (!variables[number])
      continue;
    if (node.isLookedThrough)
      addHalosOfPad(number);
    else
      for (size_t i = 0; i < node.windows.size(); ++i)
        addHalo(number, i);
  }
}

void LayoutChoice::addHalo(unsigned number, size_t i) {
  const Node &node = graph.nodes[number];
  const WindowAccess &access = node.windows[i];
  unsigned operand = node.operands[access.operand];
  std::optional<unsigned> source =
      operand == Node::kLayoutAgnostic ? std::nullopt : graph.getBehindPads(operand);
  if (!source)
    return;
  std::optional<Source> made = getMade(*source);
  if (!made)
    made = getSource(*source);
  const LayoutList &rows = layouts.getList(made->layouts);
  const std::vector<NodeState> &columns = states.get(classes[number]).states;
  if (!reserveTable(rows.size(), columns.size()))
    return;
  planner::Table table{
      static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(columns.size()), {}};
  for (unsigned row : rows)
    for (const NodeState &state : columns)
      table.costs.push_back(Propagation::isOnAll(layouts.get(row), state.assignment[access.factor])
                                ? 0
                                : getHaloCost(node, access, state.assignment));
  const TensorInfo &value = graph.values[operand];
  bool isBehindLoop = node.areLoopResults[access.operand];
  double repeats = isBehindLoop && value.resultRepeats ? *value.resultRepeats : value.repeats;
  std::string key = toKey(2, made->layouts, classes[number], static_cast<int64_t>(i));
  addPair(made->variable, *variables[number], addTable(key, std::move(table)), repeats);
}

/// A pad sends for its own windows only where a use takes it and not what is behind it. Each use
/// has an equal part of that, so that the sum is exact where one does or all do, and no more than
/// what is sent where some do. A pad of what every rank has is best not split at all then.
void LayoutChoice::addHalosOfPad(unsigned number) {
  const Node &node = graph.nodes[number];
  const std::vector<NodeState> &rows = states.get(classes[number]).states;
  std::vector<int64_t> costs;
  for (const NodeState &state : rows) {
    int64_t cost = 0;
    for (const WindowAccess &access : node.windows)
      if (node.operands[access.operand] != Node::kLayoutAgnostic)
        cost = addCosts(cost, getHaloCost(node, access, state.assignment));
    costs.push_back(cost);
  }
  if (llvm::all_of(costs, [](int64_t cost) { return cost == 0; }))
    return;
  unsigned result = node.results.front();
  SmallVector<std::pair<unsigned, unsigned>> uses;
  for (unsigned user : graph.values[result].nodes)
    for (auto [i, operand] : llvm::enumerate(graph.nodes[user].operands))
      if (operand == result && variables[user] && !graph.nodes[user].isLookedThrough)
        uses.emplace_back(user, i);
  for (auto [user, operand] : uses) {
    const std::vector<NodeState> &columns = states.get(classes[user]).states;
    if (!reserveTable(rows.size(), columns.size()))
      return;
    // What is read depends on more than the classes.
    std::string key = toKey(4, classes[number], uses.size());
    SmallVector<bool> areTaken;
    for (const NodeState &state : columns) {
      areTaken.push_back(graph.getRead(graph.nodes[user], operand, state.assignment) == result);
      key += areTaken.back() ? '1' : '0';
    }
    planner::Table table{
        static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(columns.size()), {}};
    for (int64_t cost : costs)
      for (bool isTaken : areTaken)
        table.costs.push_back(isTaken ? cost / static_cast<int64_t>(uses.size()) : 0);
    addPair(*variables[number], *variables[user], addTable(key, std::move(table)),
            graph.values[result].repeats);
  }
}

/// What is returned in a given layout moves there; what takes over an argument's buffer, to the
/// argument's.
void LayoutChoice::addReturned() {
  for (unsigned number = 0; number < values.size(); ++number) {
    const TensorInfo &value = graph.values[number];
    if (value.returned.empty())
      continue;
    LayoutList wanted;
    for (const Layout &layout : value.returned)
      if (unsigned added = layouts.add(layout); !llvm::is_contained(wanted, added))
        wanted.push_back(added);
    Source source = getSource(number);
    planner::Variable &variable = parts.variables[source.variable];
    std::vector<int64_t> moves =
        prices.get(layouts.getList(source.layouts), wanted, value, parts.unit);
    for (auto [i, state] : llvm::enumerate(variable.states))
      for (int64_t price : ArrayRef(moves).slice(i * wanted.size(), wanted.size()))
        state.cost = addCosts(state.cost, price);
  }
  for (auto [argument, result] : donations)
    if (argument != result)
      addMove(result, getSource(result), *values[argument].boundary, 1);
}

/// Seconds of a plan in which everything takes the most: all operations in their slowest states,
/// and for each use of a tensor, and where it is made and kept, a reduction to all ranks over the
/// slowest link and what windows send, which is no more than that. An estimate: moves have more
/// than one layout in between where that is faster.
double LayoutChoice::getMostSeconds() const {
  double seconds = 0;
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    if (node.forwarded)
      continue;
    double most = 0;
    for (const NodeState &state : states.get(classes[number]).states)
      most = std::max(most, state.seconds);
    seconds += most * std::max(1.0, node.repeats);
  }
  const RankRates &rates = graph.getRates();
  for (auto [number, value] : llvm::enumerate(graph.values)) {
    auto bytes = static_cast<double>(value.elementBytes);
    for (int64_t size : value.shape)
      bytes *= static_cast<double>(size);
    double move =
        2 * (bytes / rates.link + static_cast<double>(graph.mesh.numRanks()) * rates.latency);
    double moves = 2 * static_cast<double>(values[number].uses.size() + value.returned.size() + 2);
    seconds += moves * move * std::max({1.0, value.repeats, value.resultRepeats.value_or(1)});
  }
  return seconds;
}

/// What costs add up to at most, if that is estimated well: prices of memory that are added to them
/// have room for 255 times as much, and rounding changes the sum by less than 2^-47 of it a cost.
static constexpr int64_t mostCosts = planner::sumLimit >> 8;

/// The shortest one in which costs add up to no more than they may. A machine that is faster by a
/// power of two in everything has the same problem.
int LayoutChoice::getUnit() const {
  int bits = 0;
  std::frexp(1e12 * getMostSeconds(), &bits);
  return std::clamp(bits - static_cast<int>(llvm::Log2_64(mostCosts)), -planner::mostUnit,
                    planner::mostUnit);
}

/// Costs in a unit of four times as many picoseconds.
static void coarsen(planner::ProblemParts &parts) {
  constexpr int bits = 2;
  parts.unit += bits;
  auto round = [](int64_t &cost) {
    if (cost != planner::infeasible)
      cost = (cost >> bits) + (cost >> (bits - 1) & 1);
  };
  for (planner::Variable &variable : parts.variables)
    for (planner::State &state : variable.states)
      round(state.cost);
  for (planner::Table &table : parts.tables)
    llvm::for_each(table.costs, round);
}

std::optional<planner::LayoutProblem> LayoutChoice::build(std::string &whyNot) {
  parts.name = program.getName().str();
  collect();
  exceedsLimits = !addClasses();
  if (!exceedsLimits) {
    parts.unit = getUnit();
    addVariables();
    int64_t before = numEntries;
    isCounting = true;
    addMoves();
    exceedsLimits = hasTooManyEntries();
    numEntries = before;
    isCounting = false;
  }
  if (!exceedsLimits) {
    addMoves();
    addHalos();
    addReturned();
    exceedsLimits = hasTooManyEntries();
  }
  if (exceedsLimits) {
    whyNot = "the loops can be divided among " + std::to_string(graph.mesh.size()) +
             " axes in too many combinations";
    return std::nullopt;
  }
  std::vector<int64_t> trips = planner::getTotalTrips(parts);
  while (planner::getLargestCost(parts, trips) > mostCosts)
    coarsen(parts);
  preferSplitArguments();
  std::vector<planner::Mistake> mistakes;
  std::optional<planner::LayoutProblem> problem =
      planner::LayoutProblem::create(std::move(parts), mistakes);
  if (!problem)
    whyNot = mistakes.front().message;
  return problem;
}

StatedChoice dmc::stateChoice(Propagation &graph, func::FuncOp entry, ProgramAttr program,
                              bool choosesBoundary, MovePrices &prices) {
  const Mesh &mesh = graph.getMesh();
  AxisGroups groups = makeAxisGroups(mesh);
  StatedChoice stated;
  while (true) {
    stated.choice =
        std::make_unique<LayoutChoice>(graph, entry, program, choosesBoundary, prices, groups);
    stated.problem = stated.choice->build(stated.whyNot);
    if (!stated.choice->isTooLarge() || groups.size() < 2)
      break;
    mergeMostAlike(groups, graph.getRates());
  }
  stated.axesTogether = getNamesOfMerged(groups, mesh);
  return stated;
}

planner::Assignment LayoutChoice::getCurrent() const {
  return getAssignment(
      {[&](unsigned node) { return states.find(classes[node], graph.nodes[node]); },
       [&](unsigned value) { return graph.values[value].base; }});
}

planner::Assignment LayoutChoice::getAlike(const Propagation &other) const {
  // An operation may have several nodes, in one order in both graphs.
  llvm::DenseMap<Operation *, SmallVector<unsigned, 1>> nodesOf, earlier;
  for (auto [number, node] : llvm::enumerate(other.nodes))
    nodesOf[node.op].push_back(number);
  std::vector<const Node *> alike;
  for (auto [number, node] : llvm::enumerate(graph.nodes)) {
    SmallVector<unsigned, 1> &before = earlier[node.op];
    ArrayRef<unsigned> found = nodesOf[node.op];
    alike.push_back(before.size() < found.size() ? &other.nodes[found[before.size()]] : nullptr);
    before.push_back(number);
  }
  std::vector<Value> valueOf(values.size());
  for (auto [value, number] : graph.numbers)
    valueOf[number] = value;
  auto getLayout = [&](unsigned number) {
    Value value = valueOf[getOrigin(number)];
    if (!value || !other.has(value))
      return graph.values[number].base;
    const TensorInfo &info = other.values[other.getNumber(value)];
    Layout layout = Layout::replicated(info.shape.size());
    layout.dims = info.sharding;
    layout.placed = info.base.placed;
    return layout;
  };
  auto getState = [&](unsigned number) -> std::optional<uint32_t> {
    if (const Node *node = alike[number])
      return states.find(classes[number], *node);
    if (!isBarrier(number) || graph.nodes[number].operands.front() == Node::kLayoutAgnostic)
      return std::nullopt;
    const std::vector<NodeState> &keeps = states.get(classes[number]).states;
    auto found = llvm::find_if(
        keeps, [&, kept = getLayout(graph.nodes[number].results.front())](const NodeState &state) {
          return layouts.get(state.operands.front()).dims == kept.dims;
        });
    return found == keeps.end() ? std::nullopt
                                : std::optional(static_cast<uint32_t>(found - keeps.begin()));
  };
  return getAssignment({getState, getLayout});
}

planner::Assignment LayoutChoice::getAssignment(const Decisions &decisions) const {
  planner::Assignment assignment;
  auto set = [&](uint32_t variable, uint32_t state) {
    assignment.resize(std::max<size_t>(assignment.size(), variable + 1));
    assignment[variable] = state;
  };
  for (auto [number, variable] : llvm::enumerate(variables))
    if (variable)
      set(*variable, decisions.getState(number).value_or(0));
  for (auto [number, value] : llvm::enumerate(values)) {
    Layout base = decisions.getLayout(number);
    base.partial.clear();
    base.combiner.reset();
    for (const std::optional<Source> &source : {value.boundary, value.hub})
      if (source) {
        // Another graph's layout may be none of them, where axes are taken together.
        set(source->variable, 0);
        for (auto [i, layout] : llvm::enumerate(layouts.getList(source->layouts)))
          if (layouts.get(layout) == base && layouts.get(layout).dims == base.dims)
            set(source->variable, i);
      }
  }
  for (unsigned number = 0; number < variables.size(); ++number) {
    if (!keepsArgument(number))
      continue;
    const Source &argument = *values[getOrigin(graph.nodes[number].results.front())].boundary;
    const std::vector<NodeState> &keeps = states.get(classes[number]).states;
    uint32_t &state = assignment[*variables[number]];
    if (keeps[state].operands.front() !=
        layouts.getList(argument.layouts)[assignment[argument.variable]])
      state += keeps.size() / 2;
  }
  return assignment;
}
