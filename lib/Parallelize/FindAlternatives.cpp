//===- FindAlternatives.cpp - The decisions that were rejected ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each use to which bytes are sent: the use takes what is there, the value lies
// elsewhere, or it is made otherwise; and what forbids it where nothing else is legal.
//
//===----------------------------------------------------------------------===//
#include "Trial.h"

using namespace mlir;
using namespace dmc;

namespace {
/// The alternatives of one use.
class UseAlternatives {
public:
  UseAlternatives(Propagation &graph, const Mesh &mesh, Trial &trial, RecordedUse &use)
      : graph(graph), mesh(mesh), trial(trial), use(use), value(graph.getValue(use.value)) {}

  void run(const WindowAccess *access = nullptr) {
    if (access)
      readWhole(*access);
    else if (use.node)
      takeAsMade();
    if (!access) {
      lieElsewhere();
      makeOtherwise();
    }
    llvm::stable_sort(use.alternatives, [](const Alternative &a, const Alternative &b) {
      return a.then.total() - a.now.total() < b.then.total() - b.now.total();
    });
  }

private:
  std::string nameOf(const AxisRef &axis) const { return "\"" + toString(mesh, axis) + "\""; }
  std::string nameOf(const AxisList &axes) const {
    std::string text;
    for (const AxisRef &axis : axes)
      text += (text.empty() ? "" : ", ") + nameOf(axis);
    return text;
  }
  static std::string nameOf(const Node &node) { return node.op->getName().getStringRef().str(); }

  void takeAsMade();
  void takePartials(Node &node);
  void flowFrom(const Node &node, unsigned reach);
  void readWhole(const WindowAccess &access);
  void takeSplit(unsigned number);
  void lieElsewhere();
  void lieAt(const std::vector<AxisList> &sharding, const std::string &what);
  void makeOtherwise();
  void makeAs(unsigned producer, const Assignment &assignment, const std::string &what);
  void add(std::optional<Alternative> alternative);

  Propagation &graph;
  const Mesh &mesh;
  Trial &trial;
  RecordedUse &use;
  const TensorInfo &value;
};
} // namespace

/// Of alternatives that read alike, the cheapest is told.
void UseAlternatives::add(std::optional<Alternative> alternative) {
  if (!alternative)
    return;
  for (Alternative &other : use.alternatives)
    if (other.what == alternative->what) {
      if (alternative->then.total() - alternative->now.total() <
          other.then.total() - other.now.total())
        other = std::move(*alternative);
      return;
    }
  use.alternatives.push_back(std::move(*alternative));
}

void UseAlternatives::takeAsMade() {
  Node &node = graph.getNodes()[*use.node];
  if (isa<ConstrainOp>(node.op) && !node.forwarded)
    use.forbidden = "a constraint asks for this layout";
  else if (isa<ManualOp>(node.op))
    use.forbidden = "the manual computation takes its operands so";
  else if (node.forwarded)
    use.forbidden = "control flow forwards the value in one layout";
  else if (llvm::is_contained(node.destinations, std::optional<unsigned>(use.number)))
    use.forbidden = "it is computed into, in the layout of the result";
  else if (trial.isFrozen(node))
    use.forbidden =
        nameOf(node) + " is among operations that carry partial values to one reduction";
  else if (!value.produced.partial.empty())
    takePartials(node);
  else
    takeSplit(*use.node);
}

/// Results lie as they are then made: 0 for none, 1 with their uses, 2 with all around.
void UseAlternatives::flowFrom(const Node &node, unsigned reach) {
  for (auto [r, result] : llvm::enumerate(node.results)) {
    if (reach == 0 || !trial.isMovable(result))
      continue;
    trial.setSharding(result, node.resultLayouts[r].dims);
    trial.flow(result, reach == 1 ? Trial::Reach::Uses : Trial::Reach::All);
  }
}

/// The use maps partial values to partial values, which are reduced later.
void UseAlternatives::takePartials(Node &node) {
  llvm::BitVector operands(node.operands.size()), all(node.operands.size(), true);
  for (auto [i, operand] : llvm::enumerate(node.operands))
    if (operand == use.value)
      operands.set(i);
  for (std::optional<unsigned> destination : node.destinations)
    if (destination)
      operands.set(*destination);
  Combiner combiner = *value.produced.combiner;
  auto carries = [&](const llvm::BitVector &partial) {
    std::optional<PartialResults> results =
        getPartialResults(node.op, partial, toCombinerKind(combiner));
    return results && llvm::all_of(*results, [&](std::optional<CombinerKind> result) {
             return result == toCombinerKind(combiner);
           });
  };
  std::string partials =
      std::string(stringify(combiner)) + " over " + nameOf(value.produced.partial);
  if (!carries(operands)) {
    use.forbidden = nameOf(node) + " cannot take partial values of a " + partials +
                    (carries(all) ? ": it can where all that it combines are partial values"
                                  : ": its results would not be partial values");
    return;
  }
  for (bool withUses : {false, true}) {
    trial.carry(*use.node, operands, value.produced);
    if (withUses)
      for (unsigned result : node.results)
        trial.flow(result, Trial::Reach::Uses);
    add(trial.end(nameOf(node) + " takes the partial values and its result is reduced"));
  }
}

/// The use is split as the value is.
void UseAlternatives::takeSplit(unsigned number) {
  Node &node = graph.getNodes()[number];
  const std::vector<AxisList> &dims = value.produced.dims;
  Assignment assignment = PlanEdit::getSplitTaking(node, use.number, dims);
  for (auto [dim, axes] : llvm::enumerate(dims)) {
    const DimFactors &factors = node.getFactors(use.number)[dim];
    std::optional<AxisList> taken = joinFactors(node.rule, factors, assignment);
    if (taken && isPrefix(axes, *taken))
      continue;
    auto has = [&](FactorKind kind) {
      return llvm::any_of(factors, [&](unsigned f) { return node.rule.factors[f].kind == kind; });
    };
    std::string where = "dimension " + std::to_string(dim);
    if (has(FactorKind::NeedsReplication))
      use.forbidden = where + " is needed unsharded by " + nameOf(node);
    else if (has(FactorKind::Window))
      use.forbidden = nameOf(node) + " reads windows of " + where + " across blocks";
    else
      use.forbidden = nameOf(node) + " cannot split " + where + " by " + nameOf(axes);
    break;
  }
  if (!hasOneCombiner(node, assignment)) {
    use.forbidden = "a result of " + nameOf(node) + " cannot hold partial values of two kinds";
    return;
  }
  if (assignment == node.assignment)
    return;
  for (unsigned reach = 0; reach < 3; ++reach) {
    trial.assign(number, assignment);
    flowFrom(node, reach);
    add(trial.end(nameOf(node) + " takes the value as it is made"));
  }
}

/// The use reads windows; without them the dimension is not split.
void UseAlternatives::readWhole(const WindowAccess &access) {
  Node &node = graph.getNodes()[*use.node];
  std::string where = "dimension " + std::to_string(access.dim);
  use.forbidden = nameOf(node) + " reads windows of " + where + ", which reach over blocks";
  Assignment assignment = node.assignment;
  assignment[access.factor].clear();
  for (unsigned reach = 0; reach < 3; ++reach) {
    trial.assign(*use.node, assignment);
    flowFrom(node, reach);
    add(trial.end(nameOf(node) + " is not split in " + where + " and has its operand whole there"));
  }
}

void UseAlternatives::lieAt(const std::vector<AxisList> &sharding, const std::string &what) {
  for (Trial::Reach reach : {Trial::Reach::Uses, Trial::Reach::All}) {
    trial.setSharding(use.value, sharding);
    trial.flow(use.value, reach);
    add(trial.end(what));
  }
}

/// The value, and what is around it, lies elsewhere.
void UseAlternatives::lieElsewhere() {
  if (!(value.produced.partial.empty() ? trial.isMovable(use.value) : trial.isUnasked(use.value)))
    return;
  const Layout produced = value.produced;
  if (produced.partial.empty()) {
    if (use.wanted.partial.empty())
      lieAt(use.wanted.dims, "what is around the value lies as this use needs it");
    return;
  }
  std::string partials = "the partial values";
  if (value.base.dims != produced.dims)
    lieAt(produced.dims, partials + " are reduced on every rank");
  for (size_t dim = 0; dim < produced.dims.size(); ++dim) {
    std::vector<AxisList> sharding = produced.dims;
    llvm::append_range(sharding[dim], produced.partial);
    if (groupSize(sharding[dim]) <= value.shape[dim] && sharding != value.base.dims)
      lieAt(sharding, partials + " are scattered along dimension " + std::to_string(dim));
  }
}

void UseAlternatives::makeAs(unsigned producer, const Assignment &assignment,
                             const std::string &what) {
  if (!hasOneCombiner(graph.getNodes()[producer], assignment))
    return;
  for (unsigned reach = 0; reach < 2; ++reach) {
    trial.assign(producer, assignment);
    if (reach == 1 && trial.isMovable(use.value)) {
      std::vector<AxisList> dims = value.produced.dims;
      trial.setSharding(use.value, dims);
      trial.flow(use.value, Trial::Reach::Uses);
    }
    add(trial.end(what));
  }
}

/// The value is made with another split.
void UseAlternatives::makeOtherwise() {
  std::optional<unsigned> producer = trial.getProducer(use.value);
  if (!producer || trial.isFrozen(graph.getNodes()[*producer]))
    return;
  const Node &node = graph.getNodes()[*producer];
  if (value.produced.partial.empty()) {
    // As it is wanted here.
    unsigned result = llvm::find(node.results, use.value) - node.results.begin();
    Assignment assignment = PlanEdit::getSplitMaking(node, result, use.wanted.dims);
    if (assignment != node.assignment)
      makeAs(*producer, assignment, nameOf(node) + " makes the value as this use needs it");
    return;
  }
  // Without these partial values: the axes on another loop, or on none.
  Assignment without = node.assignment;
  for (auto [factor, axes] : llvm::zip_equal(node.rule.factors, without))
    if (factor.kind == FactorKind::Reduction)
      axes.clear();
  if (without == node.assignment)
    return;
  makeAs(*producer, without, nameOf(node) + " sums everything on every rank");
  for (unsigned factor = 0; factor < without.size(); ++factor) {
    if (node.rule.factors[factor].kind != FactorKind::Parallel)
      continue;
    Assignment assignment = without;
    AxisList extended = assignment[factor];
    llvm::append_range(extended, value.produced.partial);
    if (extendAssignment(node, assignment, factor, extended))
      makeAs(*producer, assignment,
             nameOf(node) + " splits loop d" + std::to_string(factor) + " instead of the sum's");
  }
}

std::vector<RecordedUse> dmc::findAlternatives(Propagation &graph, ReshardPlans &plans,
                                               ArrayRef<std::optional<unsigned>> results) {
  std::vector<RecordedUse> uses;
  Trial trial(graph);
  const Mesh &mesh = plans.getMesh();
  auto addUse = [&](unsigned number, const Layout &wanted, std::optional<unsigned> node,
                    unsigned operand) {
    const TensorInfo &value = graph.getValue(number);
    if (value.produced == wanted ||
        plans.get(value.produced, wanted, value.shape, value.elementBytes).traffic.bytes == 0)
      return;
    RecordedUse use;
    use.value = number;
    use.node = node;
    use.number = operand;
    use.wanted = wanted;
    if (!node)
      use.forbidden = "the boundary says how the program returns it";
    UseAlternatives(graph, mesh, trial, use).run();
    uses.push_back(std::move(use));
  };
  for (unsigned number = 0; number < graph.getNodes().size(); ++number)
    for (unsigned i = 0; i < graph.getNodes()[number].operands.size(); ++i)
      if (unsigned value = graph.getNodes()[number].operands[i]; value != Node::kLayoutAgnostic) {
        Layout wanted = graph.getNodes()[number].operandLayouts[i];
        addUse(value, wanted, number, i);
      }
  // Windows of a dimension that is split as it is wanted.
  for (unsigned number = 0; number < graph.getNodes().size(); ++number) {
    const Node &node = graph.getNodes()[number];
    for (const WindowAccess &access : node.windows) {
      if (trial.getHaloBytes(node, access) == 0)
        continue;
      RecordedUse use;
      use.value = node.operands[access.operand];
      use.node = number;
      use.number = access.operand;
      use.wanted = node.operandLayouts[access.operand];
      UseAlternatives(graph, mesh, trial, use).run(&access);
      uses.push_back(std::move(use));
    }
  }
  for (auto [i, value] : llvm::enumerate(results))
    if (value)
      for (const Layout &layout : graph.getValue(*value).returned)
        addUse(*value, layout, std::nullopt, i);
  return uses;
}
