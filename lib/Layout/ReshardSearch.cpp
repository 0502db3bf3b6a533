//===- ReshardSearch.cpp - The cheapest path between layouts --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A* over the layouts of the space. Plans are remembered by layouts, shape and element
// size.
//
//===----------------------------------------------------------------------===//
#include "ReshardSpace.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

using namespace dmc;

namespace {
/// A best known way to a state.
struct Node {
  ReshardState state;
  double cost = std::numeric_limits<double>::infinity();
  /// Of the rest of the way.
  double bound = 0;
  int64_t bytes = 0;
  int64_t parent = -1;
  ReshardStep step;
  bool isDone = false;
};

class Search : StepVisitor {
public:
  /// With `byLevel` prices are those of the links that a step uses. Sequences that cost `best` or
  /// more, in seconds, are not looked for.
  Search(ReshardSpace &space, const ReshardOptions &options, int64_t memoryBytes,
         bool byLevel = false, double best = std::numeric_limits<double>::infinity())
      : space(space), options(options), memoryBytes(memoryBytes),
        goalBytes(space.bytesOf(space.goal())), byLevel(byLevel), best(best) {}

  /// The number of the target's node, or nothing.
  std::optional<int64_t> run();
  std::vector<Move> getMoves(int64_t node) const;
  const Node &getNode(int64_t node) const { return nodes[node]; }
  bool isExhaustive() const { return !gaveUp; }
  /// The least that operand and result of a move took that did not fit.
  int64_t leastExcess() const { return excess; }

private:
  Answer offer(const ReshardStep &step, int64_t bytes) override;
  void take(const ReshardStep &step, const ReshardState &next) override {
    reach(next, current, step);
  }
  void noteRedistribution();
  void redistribute();
  void reach(const ReshardState &state, int64_t parent, const ReshardStep &step);
  /// The number of a state's node, or one more than there are, which the state then has.
  int64_t numberOf(const ReshardState &state);
  /// As long as a thousandth of a byte for each move: of equal plans the one with fewer, and with a
  /// redistribution only if there is no other.
  double ofMove() const { return 0x1p-10 / options.rates.bytesPerSecond; }
  LinkRates ratesOf(const ReshardStep &step) const {
    if (!byLevel || !step.sentAlong)
      return options.rates;
    auto [known, isNew] = ratesAlong.try_emplace(step.sentAlong);
    if (isNew)
      known->second = options.ratesAlong(space.toAxes(step.sentAlong));
    return known->second;
  }
  double costOf(const ReshardStep &step) const {
    return step.traffic.seconds(ratesOf(step)) +
           (step.kind == MoveKind::Redistribute ? 16 * ofMove() : ofMove());
  }
  double boundOf(const ReshardState &state) const {
    if (state == space.goal())
      return 0;
    const LinkRates &rates = byLevel ? options.fastest : options.rates;
    return space.lowerBound(state).seconds(rates) * (1 - 1e-14) + ofMove();
  }
  bool fits(int64_t before, int64_t after) {
    if (before <= memoryBytes - after)
      return true;
    excess = std::min(excess, before + after);
    return false;
  }

  ReshardSpace &space;
  const ReshardOptions &options;
  const int64_t memoryBytes, goalBytes;
  const bool byLevel;
  mutable std::unordered_map<AtomSet, LinkRates> ratesAlong;
  std::vector<Node> nodes;
  NumberTable numbers;
  /// The node whose steps are taken, and how many have been.
  int64_t current = -1, steps = 0;
  std::optional<int64_t> goal;
  struct Entry {
    /// What the way costs at least, and what it costs as far as the node.
    double estimate, cost;
    int64_t node;
    /// What is left of the way is a redistribution, or what is not known yet.
    bool redistributes;
  };
  /// Cheapest first; of equal ones the youngest, which is nearest to the target.
  struct Later {
    bool operator()(const Entry &a, const Entry &b) const {
      if (a.estimate != b.estimate)
        return a.estimate > b.estimate;
      return a.node != b.node ? a.node < b.node : a.redistributes > b.redistributes;
    }
  };
  std::priority_queue<Entry, std::vector<Entry>, Later> open;
  /// Cost of the best way to the target so far.
  double best;
  int64_t excess = std::numeric_limits<int64_t>::max();
  bool gaveUp = false;
};
} // namespace

int64_t Search::numberOf(const ReshardState &state) {
  return numbers.findOrAdd(state.getHash(), static_cast<uint32_t>(nodes.size()),
                           [&](uint32_t other) { return nodes[other].state == state; });
}

void Search::reach(const ReshardState &state, int64_t parent, const ReshardStep &step) {
  double cost = parent < 0 ? 0 : nodes[parent].cost + costOf(step);
  if (cost >= best)
    return;
  int64_t number = numberOf(state);
  bool isNew = number == static_cast<int64_t>(nodes.size());
  if (!isNew && cost >= nodes[number].cost)
    return;
  if (isNew) {
    nodes.emplace_back();
    nodes.back().bytes = space.bytesOf(state);
    nodes.back().bound = boundOf(state);
    nodes.back().state = state;
  }
  Node &node = nodes[number];
  if (cost + node.bound >= best)
    return;
  node.cost = cost;
  node.parent = parent;
  node.step = step;
  node.isDone = false;
  if (node.state == space.goal()) {
    best = cost;
    goal = number;
  }
  open.push({cost + node.bound, cost, number, false});
}

StepVisitor::Answer Search::offer(const ReshardStep &step, int64_t bytes) {
  if (++steps > options.maxStates) {
    gaveUp = true;
    return Answer::Stop;
  }
  bool isCheap = nodes[current].cost + costOf(step) < best;
  return fits(nodes[current].bytes, bytes) && isCheap ? Answer::Take : Answer::Skip;
}

/// All can be sent at once, too. What that costs takes longest to find: it waits until nothing else
/// is cheaper than a bound on it.
void Search::noteRedistribution() {
  const Node &node = nodes[current];
  // Just below: sums of rounds are rounded in another order.
  double least = node.cost +
                 space.leastOfRedistribution(node.state).seconds(options.rates) * (1 - 1e-14) +
                 16 * ofMove();
  if (least < best)
    open.push({std::max(least, node.cost + node.bound), node.cost, current, true});
}

void Search::redistribute() {
  const Node &node = nodes[current];
  // Partial axes that the state has not are spread afterwards.
  int64_t partBytes = node.state.partial != space.goal().partial ? goalBytes : 0;
  if (!fits(node.bytes, goalBytes) || !fits(goalBytes, partBytes))
    return;
  // The bound on the way, if that must wait.
  std::optional<double> waits;
  auto isTooMuch = [&](const Traffic &least) {
    double estimate = node.cost + least.seconds(options.rates) * (1 - 1e-14) + 16 * ofMove();
    if (estimate < best && !open.empty() && estimate > open.top().estimate)
      waits = estimate;
    return waits || estimate >= best;
  };
  if (std::optional<ReshardStep> step = space.redistribute(node.state, isTooMuch))
    reach(space.goal(), current, *step);
  else if (waits)
    open.push({*waits, node.cost, current, true});
}

std::optional<int64_t> Search::run() {
  reach(space.start(), -1, {});
  while (!open.empty()) {
    const Entry entry = open.top();
    open.pop();
    current = entry.node;
    // A cheaper way to the node was found since.
    if (entry.cost > nodes[current].cost)
      continue;
    if (entry.redistributes) {
      redistribute();
      continue;
    }
    if (nodes[current].isDone)
      continue;
    nodes[current].isDone = true;
    if (current == goal)
      break;
    if (!gaveUp)
      space.visitSteps(nodes[current].state, *this);
    noteRedistribution();
  }
  return goal;
}

std::vector<Move> Search::getMoves(int64_t number) const {
  std::vector<int64_t> path;
  for (; nodes[number].parent >= 0; number = nodes[number].parent)
    path.push_back(number);
  std::vector<Move> moves;
  for (size_t i = path.size(); i-- > 0;) {
    const Node &node = nodes[path[i]];
    space.appendMoves(nodes[node.parent].state, node.step, node.state, moves);
  }
  return moves;
}

//===----------------------------------------------------------------------===//
// Planner
//===----------------------------------------------------------------------===//

struct ReshardPlanner::Memory {
  Memory(Mesh mesh, ReshardOptions options)
      : mesh(std::move(mesh)), options(std::move(options)), prices(this->mesh) {}

  const Mesh mesh;
  const ReshardOptions options;
  RedistributionPrices prices;
  std::unordered_map<std::string, ReshardPlan> plans;
};

ReshardPlanner::ReshardPlanner(Mesh mesh, ReshardOptions options)
    : memory(std::make_unique<Memory>(std::move(mesh), std::move(options))) {}
ReshardPlanner::~ReshardPlanner() = default;
ReshardPlanner::ReshardPlanner(ReshardPlanner &&) noexcept = default;
ReshardPlanner &ReshardPlanner::operator=(ReshardPlanner &&) noexcept = default;

const Mesh &ReshardPlanner::mesh() const { return memory->mesh; }
const ReshardOptions &ReshardPlanner::options() const { return memory->options; }
void ReshardPlanner::forget() {
  memory->plans.clear();
  memory->prices.forget();
}
size_t ReshardPlanner::getNumPlans() const { return memory->plans.size(); }

static void append(std::string &key, int64_t number) {
  key.append(reinterpret_cast<const char *>(&number), sizeof(number));
}

static void append(std::string &key, const AxisRef &axis) {
  append(key, axis.axis);
  append(key, axis.preSize);
  append(key, axis.size);
}

static void append(std::string &key, const Layout &layout) {
  for (const auto &axes : layout.dims) {
    append(key, static_cast<int64_t>(axes.size()));
    for (const AxisRef &axis : axes)
      append(key, axis);
  }
  append(key, static_cast<int64_t>(layout.partial.size()));
  for (const AxisRef &axis : layout.partial)
    append(key, axis);
  append(key, layout.combiner ? static_cast<int64_t>(*layout.combiner) : -1);
  for (const PlacedAxis &entry : layout.placed) {
    append(key, entry.axis);
    append(key, entry.coordinate);
  }
  append(key, -1);
}

/// The plan that always exists: combine partial values and blocks, then take what is wanted.
static std::vector<Move> planByGathering(const Layout &from, const Layout &to) {
  std::vector<Move> moves;
  Layout current = from;
  auto add = [&](MoveKind kind, const std::vector<AxisRef> &axes, int64_t dim = 0) {
    if (!axes.empty())
      moves.push_back({kind, axes, dim, 0, current, {}});
  };
  std::vector<AxisRef> axes = std::move(current.partial);
  current.partial.clear();
  current.combiner.reset();
  add(MoveKind::Reduce, axes);
  axes.clear();
  for (const PlacedAxis &entry : current.placed)
    axes.push_back(entry.axis);
  current.placed.clear();
  add(MoveKind::Replicate, axes);
  for (size_t d = 0; d < current.dims.size(); ++d) {
    axes = std::move(current.dims[d]);
    current.dims[d].clear();
    add(MoveKind::Combine, axes, static_cast<int64_t>(d));
  }
  for (size_t d = 0; d < current.dims.size(); ++d) {
    current.dims[d] = to.dims[d];
    add(MoveKind::Partition, to.dims[d], static_cast<int64_t>(d));
  }
  current.partial = to.partial;
  current.combiner = to.combiner;
  add(MoveKind::Spread, to.partial);
  axes.clear();
  for (const PlacedAxis &entry : to.placed)
    axes.push_back(entry.axis);
  current.placed = to.placed;
  add(MoveKind::Place, axes);
  return moves;
}

namespace {
/// Makes one plan.
class Planning {
public:
  Planning(const Mesh &mesh, const ReshardOptions &options, RedistributionPrices &prices,
           const Layout &from, const Layout &to, const std::vector<int64_t> &shape,
           int64_t elementBytes)
      : mesh(mesh), options(options), prices(prices), from(from), to(to), shape(shape),
        elementBytes(elementBytes) {}
  ReshardPlan run() const;

private:
  ReshardPlan finish(std::vector<Move> moves, bool isCheapest = false) const;
  ReshardPlan search(ReshardSpace &space, const Layout &source, const Layout &target) const;
  void improveByLink(ReshardSpace &space, ReshardPlan &plan) const;

  const Mesh &mesh;
  const ReshardOptions &options;
  RedistributionPrices &prices;
  const Layout &from, &to;
  const std::vector<int64_t> &shape;
  int64_t elementBytes;
};
} // namespace

ReshardPlan Planning::finish(std::vector<Move> moves, bool isCheapest) const {
  ReshardPlan plan;
  mergeMoves(mesh, from, moves, shape, elementBytes, options);
  plan.moves = std::move(moves);
  plan.traffic = setTraffic(prices, mesh, from, plan.moves, shape, elementBytes);
  plan.peakBytes = peakBytes(from, plan.moves, shape, elementBytes);
  plan.isCheapest = isCheapest;
  return plan;
}

/// By the rates of the slowest link.
ReshardPlan Planning::search(ReshardSpace &space, const Layout &source,
                             const Layout &target) const {
  int64_t memoryBytes = options.memoryBytes;
  while (true) {
    Search search(space, options, memoryBytes);
    std::optional<int64_t> node = search.run();
    if (node)
      return finish(search.getMoves(*node), search.isExhaustive() && space.isComplete());
    if (!search.isExhaustive() || search.leastExcess() == std::numeric_limits<int64_t>::max())
      return finish(planByGathering(source, target));
    // The least that is needed is at least the least that did not fit.
    memoryBytes = search.leastExcess();
  }
}

/// By the rates of the links that each move uses, where that is faster. Bounds are weak there: only
/// what is faster than the plan is looked for.
void Planning::improveByLink(ReshardSpace &space, ReshardPlan &plan) const {
  const double before = getSeconds(plan.moves, options);
  Search search(space, options, std::max(options.memoryBytes, plan.peakBytes), /*byLevel=*/true,
                before);
  std::optional<int64_t> node = search.run();
  plan.isCheapest &= search.isExhaustive();
  if (!node)
    return;
  ReshardPlan other = finish(search.getMoves(*node), plan.isCheapest);
  if (getSeconds(other.moves, options) < before)
    plan = std::move(other);
}

ReshardPlan Planning::run() const {
  if (from.dims == to.dims && from == to)
    return finish({}, /*isCheapest=*/true);
  Layout source = from.canonical(), target = to.canonical();
  ReshardSpace space(mesh, prices, source, target, shape, elementBytes);
  if (space.isTooLarge())
    return finish(planByGathering(source, target));
  ReshardPlan plan = search(space, source, target);
  if (options.ratesAlong && plan.traffic.messages > 0)
    improveByLink(space, plan);
  return plan;
}

const ReshardPlan &ReshardPlanner::plan(const Layout &from, const Layout &to,
                                        const std::vector<int64_t> &shape, int64_t elementBytes) {
  std::string key;
  append(key, from);
  append(key, to);
  for (int64_t size : shape)
    append(key, size);
  append(key, elementBytes);
  auto [entry, isNew] = memory->plans.try_emplace(std::move(key));
  if (isNew)
    entry->second =
        Planning(memory->mesh, memory->options, memory->prices, from, to, shape, elementBytes)
            .run();
  return entry->second;
}
