//===- RefineLayouts.cpp - Local search by predicted time -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries other splits of an operation and other layouts of what is around it, and
// keeps what makes the program faster. Each trial is undone or kept as a whole.
//
//===----------------------------------------------------------------------===//
#include "MemoryEstimate.h"
#include "PlanEdit.h"
#include "ProgramCost.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-propagate-layouts"

using namespace mlir;
using namespace dmc;

/// A neighbourhood for which this often nothing was found is not tried again.
static constexpr unsigned kMaxFailures = 2;

namespace dmc {
class Refinement : PlanEdit {
public:
  Refinement(Propagation &graph, const std::atomic<bool> *interrupt)
      : PlanEdit(graph), cost(graph), capacity(graph.getRates().capacity), interrupt(interrupt) {}
  /// True if anything changed.
  bool run(RefinementScope scope);

private:
  bool mustStop() const { return interrupt && *interrupt; }
  bool keepIfBetter();
  bool fits(bool isFaster, llvm::ArrayRef<unsigned> touched);

  llvm::hash_code hashOf(unsigned value);
  llvm::hash_code hashOf(const Node &node);
  bool isHopeless(llvm::hash_code neighbourhood) const {
    return failures.lookup(neighbourhood) >= kMaxFailures;
  }
  bool improveValue(unsigned value);
  bool improveNode(unsigned node);
  bool gathersUnsharded(const Node &node) const;
  void improveRegions();
  bool improveUses(unsigned value);
  bool computeUnsharded(unsigned node);
  void gatherUpdates();
  bool narrowFirst(unsigned node);
  bool trySingly(unsigned node, const Assignment &assignment);
  void improveSingly();
  double getIncident(unsigned node) const;
  bool isWorthTrying(Node &node, const Assignment &assignment, double saved) const;
  bool tryAssignment(unsigned node, const Assignment &assignment);

  ProgramCost cost;
  std::vector<Cost> moves;
  std::vector<double> work;
  /// Bytes that a rank has, 0: no bound, and that the plan needs at once.
  double capacity, peak = 0;
  const std::atomic<bool> *interrupt;
  /// Where there is a bound.
  std::optional<PeakEstimate> estimate;
  unsigned numEstimates = 0;
  bool isChanged = false;
  /// How often nothing was found for such a neighbourhood: layers repeat.
  llvm::DenseMap<size_t, unsigned> failures;
};
} // namespace dmc

/// How often a plan that needs too much memory is estimated.
static constexpr unsigned kMaxEstimates = 500;

/// True if the trial stays within the bound on memory; else it is undone. A plan beyond the bound
/// must come nearer, whatever time that takes.
bool Refinement::fits(bool isFaster, ArrayRef<unsigned> touched) {
  bool isBeyond = peak > capacity;
  if (isBeyond ? numEstimates++ > kMaxEstimates : !isFaster) {
    undo();
    return false;
  }
  if (capacity == 0)
    return true;
  estimate->update(touched);
  double needed = estimate->getBytes();
  if (isBeyond ? needed > (isFaster ? 1 : 1 - kMinGain) * peak : needed > capacity) {
    undo();
    estimate->update(touched);
    return false;
  }
  peak = needed;
  return true;
}

/// Ends the trial: keeps it if the program got faster.
bool Refinement::keepIfBetter() {
  double delta = 0, deltaBytes = 0, before = 0;
  SmallVector<double, 16> newWork;
  SmallVector<Cost, 16> newMoves;
  for (auto &[node, state] : nodesBefore) {
    newWork.push_back(cost.getWork(graph.nodes[node]));
    delta += newWork.back() - work[node];
    before += work[node];
  }
  llvm::SmallSetVector<unsigned, 16> values = getTouched();
  for (unsigned value : values) {
    newMoves.push_back(cost.getMoves(value));
    delta += newMoves.back().seconds - moves[value].seconds;
    deltaBytes += newMoves.back().bytes - moves[value].bytes;
    before += moves[value].seconds;
  }
  bool isFaster = delta < 0 && delta <= -kMinGain * before;
  if (!fits(isFaster, values.getArrayRef()))
    return false;
  for (auto [change, seconds] : llvm::zip_equal(nodesBefore, newWork))
    work[change.first] = seconds;
  for (auto [value, sent] : llvm::zip_equal(values, newMoves))
    moves[value] = sent;
  LDBG() << "refined " << nodesBefore.size() << " nodes from "
         << (nodesBefore.empty()
                 ? "a value"
                 : graph.nodes[nodesBefore.front().first].op->getName().getStringRef())
         << ": " << delta << " s, " << deltaBytes << " bytes";
  auto numbersOf = [](auto &changes) {
    return llvm::map_to_vector(changes, [](auto &change) { return change.first; });
  };
  if (graph.observer)
    graph.observer->onRefined(numbersOf(nodesBefore), numbersOf(valuesBefore), -delta, -deltaBytes);
  keep();
  isChanged = true;
  return true;
}

static llvm::hash_code hashOf(const AxisList &axes) {
  llvm::hash_code hash(axes.size());
  for (const AxisRef &axis : axes)
    hash = llvm::hash_combine(hash, axis.axis, axis.preSize, axis.size);
  return hash;
}

static llvm::hash_code hashOf(const Layout &layout) {
  llvm::hash_code hash = ::hashOf(layout.partial);
  for (const AxisList &axes : layout.dims)
    hash = llvm::hash_combine(hash, ::hashOf(axes));
  return hash;
}

/// Of what a value is and in which layouts it is made, wanted and kept.
llvm::hash_code Refinement::hashOf(unsigned number) {
  const TensorInfo &value = graph.values[number];
  llvm::hash_code hash =
      llvm::hash_combine(llvm::hash_combine_range(value.shape.begin(), value.shape.end()),
                         value.elementBytes, ::hashOf(value.produced), isMovable(number));
  for (const AxisList &axes : value.sharding)
    hash = llvm::hash_combine(hash, ::hashOf(axes));
  for (const Layout *layout : cost.getWanted(number))
    hash = llvm::hash_combine(hash, ::hashOf(*layout));
  return hash;
}

/// Of an operation, its split and the values around it.
llvm::hash_code Refinement::hashOf(const Node &node) {
  llvm::hash_code hash = llvm::hash_value(node.op->getName().getStringRef());
  for (const AxisList &axes : node.assignment)
    hash = llvm::hash_combine(hash, ::hashOf(axes));
  for (unsigned i = 0; i < node.getNumValues(); ++i)
    hash = llvm::hash_combine(hash, node.getValue(i) == Node::kLayoutAgnostic
                                        ? llvm::hash_code(0)
                                        : hashOf(node.getValue(i)));
  return hash;
}

/// Tries to have a value, and what is around it, as one of its uses wants it or as
/// it is made.
bool Refinement::improveValue(unsigned value) {
  if (!isMovable(value))
    return false;
  llvm::hash_code neighbourhood = llvm::hash_combine("value", hashOf(value));
  for (unsigned node : graph.values[value].nodes)
    neighbourhood = llvm::hash_combine(neighbourhood, hashOf(graph.nodes[node]));
  if (isHopeless(neighbourhood))
    return false;
  std::vector<std::vector<AxisList>> shardings;
  auto add = [&](const Layout &layout) {
    if (!llvm::is_contained(shardings, layout.dims))
      shardings.push_back(layout.dims);
  };
  if (graph.values[value].produced.partial.empty())
    add(graph.values[value].produced);
  for (const Layout *layout : cost.getWanted(value))
    if (layout->partial.empty())
      add(*layout);
  // Partial values scattered along a dimension: what is made of them may be smaller, and is
  // computed once.
  const TensorInfo &info = graph.values[value];
  for (size_t dim = 0; dim < info.shape.size() && !info.produced.partial.empty(); ++dim) {
    Layout scattered = info.produced;
    llvm::append_range(scattered.dims[dim], info.produced.partial);
    if (groupSize(scattered.dims[dim]) <= info.shape[dim])
      add(scattered);
  }
  for (const std::vector<AxisList> &sharding : shardings)
    for (Reach reach : {Reach::Uses, Reach::All}) {
      setSharding(value, sharding);
      if (!flow(value, reach)) {
        undo();
        continue;
      }
      if (keepIfBetter())
        return true;
    }
  ++failures[neighbourhood];
  return false;
}

bool Refinement::tryAssignment(unsigned number, const Assignment &assignment) {
  Node &node = graph.nodes[number];
  auto apply = [&] { assign(number, assignment); };
  apply();
  if (keepIfBetter())
    return true;
  // With what the results, then also the operands, are carried on to.
  for (Reach reach : {Reach::Uses, Reach::All}) {
    apply();
    bool fits = true;
    for (auto [r, result] : llvm::enumerate(node.results)) {
      if (!isMovable(result))
        continue;
      setSharding(result, graph.getTarget(graph.values[result], node.resultLayouts[r]).dims);
      fits &= flow(result, reach);
    }
    if (reach == Reach::All)
      for (auto [i, operand] : llvm::enumerate(node.operands))
        if (operand != Node::kLayoutAgnostic &&
            !llvm::is_contained(node.destinations, std::optional<unsigned>(i)) &&
            isMovable(operand) && !valuesBefore.contains(operand)) {
          setSharding(operand, node.operandLayouts[i].dims);
          fits &= flow(operand, reach);
        }
    if (!fits) {
      undo();
      continue;
    }
    if (keepIfBetter())
      return true;
  }
  // Partial values scattered along a dimension.
  if (node.results.size() == 1 && isMovable(node.results[0])) {
    apply();
    Layout produced = node.resultLayouts[0];
    undo();
    for (size_t dim = 0; dim < produced.dims.size() && !produced.partial.empty(); ++dim) {
      std::vector<AxisList> sharding = produced.dims;
      int64_t numShards = 1;
      for (const AxisRef &axis : sharding[dim])
        numShards *= axis.size;
      for (const AxisRef &axis : produced.partial) {
        numShards *= axis.size;
        sharding[dim].push_back(axis);
      }
      if (numShards > graph.values[node.results[0]].shape[dim])
        continue;
      apply();
      setSharding(node.results[0], sharding);
      if (!flow(node.results[0], Reach::Uses))
        undo();
      else if (keepIfBetter())
        return true;
    }
  }
  return false;
}

/// True if the node's work alone does not take what could be saved.
bool Refinement::isWorthTrying(Node &node, const Assignment &assignment, double saved) const {
  Assignment current = std::exchange(node.assignment, assignment);
  double seconds = cost.getWork(node);
  node.assignment = std::move(current);
  return seconds < saved;
}

/// What a node's work and the moves of its values take.
double Refinement::getIncident(unsigned number) const {
  const Node &node = graph.nodes[number];
  double incident = work[number];
  for (unsigned i = 0; i < node.getNumValues(); ++i)
    if (node.getValue(i) != Node::kLayoutAgnostic)
      incident += moves[node.getValue(i)].seconds;
  return incident;
}

/// Tries another split of one operation; what it makes lies as before, or as it is then made.
bool Refinement::trySingly(unsigned number, const Assignment &assignment) {
  Node &node = graph.nodes[number];
  if (assignment == node.assignment || !hasOneCombiner(node, assignment) ||
      !isWorthTrying(node, assignment, getIncident(number)))
    return false;
  assign(number, assignment);
  if (keepIfBetter())
    return true;
  assign(number, assignment);
  bool fits = true;
  for (auto [r, result] : llvm::enumerate(node.results)) {
    if (!isMovable(result))
      continue;
    setSharding(result, graph.getTarget(graph.values[result], node.resultLayouts[r]).dims);
    fits &= flow(result, Reach::Uses);
  }
  if (fits)
    return keepIfBetter();
  undo();
  return false;
}

/// Tries a node without the partial values that it makes over an axis: its sum is not split there.
bool Refinement::computeUnsharded(unsigned number) {
  Node &node = graph.nodes[number];
  if (isFrozen(node))
    return false;
  for (unsigned factor = 0; factor < node.rule.factors.size(); ++factor) {
    if (node.rule.factors[factor].kind != FactorKind::Reduction || node.assignment[factor].empty())
      continue;
    llvm::hash_code neighbourhood = llvm::hash_combine("whole", factor, hashOf(node));
    if (isHopeless(neighbourhood))
      continue;
    Assignment candidate = node.assignment;
    candidate[factor].clear();
    if (trySingly(number, candidate))
      return true;
    ++failures[neighbourhood];
  }
  return false;
}

/// Tries to send the rows that a scatter adds, and not the partial sums that ranks would make of
/// all of its target. Tried first: once the target's users lie as its sums are best reduced, each
/// change on its own costs more.
void Refinement::gatherUpdates() {
  for (unsigned node = 0; node < work.size(); ++node)
    if (isa<ScatterOp>(graph.nodes[node].op))
      computeUnsharded(node);
}

/// The operand that a node computes its only result of, element by element or in another shape, if
/// it is one.
static std::optional<unsigned> getOnlyOperand(const Node &node) {
  std::optional<unsigned> only;
  for (auto [i, operand] : llvm::enumerate(node.operands)) {
    if (operand == Node::kLayoutAgnostic ||
        llvm::is_contained(node.destinations, std::optional<unsigned>(i)))
      continue;
    if (only)
      return std::nullopt;
    only = i;
  }
  return node.results.size() == 1 && !node.forwarded ? only : std::nullopt;
}

/// Tries to compute what a node makes of a tensor where that lies, and to move the result, which
/// takes fewer bytes: a parameter that products take in bf16. Operations between, as a transpose,
/// are then computed there, too.
bool Refinement::narrowFirst(unsigned number) {
  // From the node up to the value that is moved.
  SmallVector<unsigned, 4> chain;
  std::optional<unsigned> next = number;
  double bytes = graph.values[graph.nodes[number].results.front()].getBytes();
  for (;;) {
    const Node &node = graph.nodes[*next];
    std::optional<unsigned> operand = getOnlyOperand(node);
    if (!operand || isFrozen(node))
      return false;
    chain.push_back(*next);
    unsigned value = node.operands[*operand];
    const TensorInfo &info = graph.values[value];
    if (moves[value].seconds > 0) {
      if (!info.produced.partial.empty() || info.getBytes() <= bytes)
        return false;
      break;
    }
    next = getProducer(value);
    if (!next || info.numUses != 1)
      return false;
  }
  llvm::hash_code neighbourhood = llvm::hash_combine("narrow", chain.size());
  for (unsigned node : chain)
    neighbourhood = llvm::hash_combine(neighbourhood, hashOf(graph.nodes[node]));
  if (isHopeless(neighbourhood))
    return false;
  for (unsigned link : llvm::reverse(chain)) {
    Node &node = graph.nodes[link];
    unsigned operand = *getOnlyOperand(node);
    assign(link, getSplitTaking(node, operand, graph.values[node.operands[operand]].produced.dims));
  }
  if (keepIfBetter())
    return true;
  ++failures[neighbourhood];
  return false;
}

/// Tries to have each use take the value as it is made, and to make the value as each use
/// wants it.
bool Refinement::improveUses(unsigned number) {
  const TensorInfo &value = graph.values[number];
  if (!value.produced.partial.empty())
    return false;
  llvm::hash_code neighbourhood = llvm::hash_combine("uses", hashOf(number));
  for (unsigned node : value.nodes)
    neighbourhood = llvm::hash_combine(neighbourhood, hashOf(graph.nodes[node]));
  if (isHopeless(neighbourhood))
    return false;
  for (unsigned user : value.nodes) {
    Node &node = graph.nodes[user];
    if (isFrozen(node))
      continue;
    for (auto [i, operand] : llvm::enumerate(node.operands))
      if (operand == number && node.operandLayouts[i] != value.produced &&
          !llvm::is_contained(node.destinations, std::optional<unsigned>(i)) &&
          trySingly(user, getSplitTaking(node, i, value.produced.dims)))
        return true;
  }
  std::optional<unsigned> producer = getProducer(number);
  if (producer && !isFrozen(graph.nodes[*producer])) {
    const Node &node = graph.nodes[*producer];
    unsigned result = llvm::find(node.results, number) - node.results.begin();
    // Copies: a trial changes the uses, whose layouts these are.
    auto wanted =
        llvm::map_to_vector(cost.getWanted(number), [](const Layout *layout) { return *layout; });
    for (const Layout &layout : wanted)
      if (layout != value.produced && layout.partial.empty() &&
          trySingly(*producer, getSplitMaking(node, result, layout.dims)))
        return true;
  }
  ++failures[neighbourhood];
  return false;
}

/// Tries the axes of the mesh on other loops of a node.
bool Refinement::improveNode(unsigned number) {
  Node &node = graph.nodes[number];
  if (isFrozen(node))
    return false;
  llvm::hash_code neighbourhood = hashOf(node);
  if (isHopeless(neighbourhood))
    return false;
  double incident = getIncident(number);
  for (uint32_t axis = 0; axis < graph.mesh.size(); ++axis) {
    AxisRef whole{axis, 1, graph.mesh.axis(axis).size};
    if (whole.size == 1)
      continue;
    Assignment without = node.assignment;
    for (AxisList &axes : without)
      llvm::erase_if(axes, [&](const AxisRef &other) { return overlaps(whole, other); });
    for (unsigned factor = 0; factor < node.rule.factors.size(); ++factor) {
      Assignment candidate = without;
      AxisList extended = candidate[factor];
      extended.push_back(whole);
      if (!extendAssignment(node, candidate, factor, extended) || candidate == node.assignment)
        continue;
      if (hasOneCombiner(node, candidate) && isWorthTrying(node, candidate, incident) &&
          tryAssignment(number, candidate))
        return true;
    }
  }
  ++failures[neighbourhood];
  return false;
}

/// True if the node has a sum, or the like, to split.
static bool reduces(const Node &node) {
  return llvm::any_of(node.rule.factors,
                      [](const Factor &factor) { return factor.kind == FactorKind::Reduction; });
}

/// True if the node has an operand whole that is not made so; it may be whole on one rank only.
bool Refinement::gathersUnsharded(const Node &node) const {
  for (auto [i, operand] : llvm::enumerate(node.operands)) {
    if (operand == Node::kLayoutAgnostic || moves[operand].seconds == 0)
      continue;
    for (auto [dim, factors] : llvm::enumerate(node.getFactors(i)))
      for (unsigned factor : factors)
        if (node.rule.factors[factor].kind == FactorKind::NeedsReplication &&
            !graph.values[operand].produced.dims[dim].empty())
          return true;
  }
  return false;
}

/// Finds what a few iterations find; each change only shortens the predicted time.
void Refinement::improveRegions() {
  for (unsigned iteration = 0; iteration < 4; ++iteration) {
    bool changed = false;
    for (unsigned value = 0; value < moves.size() && !mustStop(); ++value)
      if (moves[value].seconds > 0)
        changed |= improveValue(value);
    for (unsigned node = 0; node < work.size() && !mustStop(); ++node)
      if (reduces(graph.nodes[node]) || gathersUnsharded(graph.nodes[node]))
        changed |= improveNode(node);
    if (!changed)
      return;
  }
}

void Refinement::improveSingly() {
  for (unsigned iteration = 0; iteration < 2; ++iteration) {
    bool changed = false;
    for (unsigned value = 0; value < moves.size() && !mustStop(); ++value)
      if (moves[value].seconds > 0)
        changed |= improveUses(value);
    for (unsigned node = 0; node < work.size() && !mustStop(); ++node)
      if (reduces(graph.nodes[node]))
        changed |= computeUnsharded(node);
    if (!changed)
      return;
  }
}

bool Refinement::run(RefinementScope scope) {
  if (graph.mesh.numRanks() == 1)
    return false;
  for (unsigned value = 0; value < graph.values.size(); ++value)
    moves.push_back(cost.getMoves(value));
  for (Node &node : graph.nodes)
    work.push_back(cost.getWork(node));
  if (capacity > 0)
    peak = estimate.emplace(graph).getBytes();
  gatherUpdates();
  for (unsigned node = 0; node < work.size() && !mustStop(); ++node)
    if (!graph.nodes[node].results.empty())
      narrowFirst(node);
  if (scope == RefinementScope::Sent)
    return isChanged;
  // Regions go before single operations: an operation alone is soon as good as its neighbours let
  // it be, and then holds them where they are.
  improveRegions();
  improveSingly();
  return isChanged;
}

bool Propagation::refine(RefinementScope scope, const std::atomic<bool> *interrupt) {
  return Refinement(*this, interrupt).run(scope);
}
