//===- Trial.cpp - What another decision would cost -----------------------===//
//
// The same moves on a plan as those of the search in RefineLayouts.cpp; what they
// change is put back in any case.
//
//===----------------------------------------------------------------------===//
#include "Trial.h"

using namespace mlir;
using namespace dmc;

/// A layout is carried on through this many operations at most.
static constexpr unsigned kMaxNodes = 96;

bool Trial::isFrozen(const Node &node) const {
  if (node.isFixed || node.handedOn || !node.carried.empty())
    return true;
  for (unsigned result : node.results)
    for (unsigned user : graph.values[result].nodes)
      if (llvm::is_contained(graph.nodes[user].operands, result) &&
          !graph.nodes[user].carried.empty())
        return true;
  return false;
}

bool Trial::isMovable(unsigned number) const {
  std::optional<unsigned> producer = getProducer(number);
  return producer && isUnasked(number) && !isFrozen(graph.nodes[*producer]);
}

bool Trial::isUnasked(unsigned number) const {
  const TensorInfo &value = graph.values[number];
  return value.barred.empty() &&
         llvm::all_of(value.holds, [](unsigned holds) { return holds == 0; });
}

std::optional<unsigned> Trial::getProducer(unsigned value) const {
  auto producer = graph.producers.find(value);
  return producer == graph.producers.end() ? std::nullopt : std::optional(producer->second);
}

void Trial::saveNode(unsigned number) {
  const Node &node = graph.nodes[number];
  nodes.insert({number, {node.assignment, node.operandLayouts, node.resultLayouts}});
}

void Trial::saveValue(unsigned number) {
  const TensorInfo &value = graph.values[number];
  values.insert({number, {value.home, value.produced, value.base}});
}

void Trial::assign(unsigned number, Assignment assignment) {
  saveNode(number);
  Node &node = graph.nodes[number];
  node.assignment = std::move(assignment);
  graph.setLayouts(node);
  for (auto [result, layout] : llvm::zip_equal(node.results, node.resultLayouts)) {
    saveValue(result);
    TensorInfo &value = graph.values[result];
    value.produced = layout;
    value.base = layout.partial.empty() ? layout : graph.getTarget(value, layout);
  }
}

void Trial::carry(unsigned number, const llvm::BitVector &operands, const Layout &terms) {
  Node &node = graph.nodes[number];
  Assignment assignment = node.assignment;
  for (AxisList &axes : assignment)
    llvm::erase_if(axes, [&](const AxisRef &axis) { return overlapsAny(axis, terms.partial); });
  assign(number, std::move(assignment));
  auto add = [&](Layout &layout) {
    layout.combiner = terms.combiner;
    llvm::append_range(layout.partial, terms.partial);
  };
  for (Layout &layout : node.resultLayouts)
    add(layout);
  for (unsigned i : operands.set_bits())
    add(node.operandLayouts[i]);
  for (auto [r, result] : llvm::enumerate(node.results)) {
    if (r < node.destinations.size() && node.destinations[r])
      node.operandLayouts[*node.destinations[r]] = node.resultLayouts[r];
    TensorInfo &value = graph.values[result];
    value.produced = node.resultLayouts[r];
    value.base = graph.getTarget(value, value.produced);
  }
}

void Trial::rehome(unsigned number, const std::vector<AxisList> &home) {
  saveValue(number);
  TensorInfo &value = graph.values[number];
  value.home = home;
  value.base =
      value.produced.partial.empty() ? value.produced : graph.getTarget(value, value.produced);
}

void Trial::flowThrough(unsigned number, unsigned value, bool onlyToUses,
                        SmallVectorImpl<unsigned> &next) {
  Node &node = graph.nodes[number];
  bool reduces = llvm::any_of(
      node.rule.factors, [](const Factor &factor) { return factor.kind == FactorKind::Reduction; });
  if (nodes.contains(number) || reduces || isFrozen(node) ||
      (onlyToUses && llvm::is_contained(node.results, value)) || nodes.size() >= kMaxNodes)
    return;
  Assignment assignment(node.rule.factors.size());
  for (unsigned i = 0; i < node.getNumValues(); ++i) {
    if (node.getValue(i) != value)
      continue;
    for (auto [dim, axes] : llvm::enumerate(graph.values[value].home))
      divideAmongFactors(node.rule, node.getFactors(i)[dim], axes,
                         [&](unsigned factor, ArrayRef<AxisRef> mine) {
                           extendAssignment(node, assignment, factor, mine);
                         });
  }
  // Loops that the value does not have stay split as they are.
  for (unsigned factor = 0; factor < assignment.size(); ++factor)
    if (assignment[factor].empty())
      extendAssignment(node, assignment, factor, node.assignment[factor]);
  if (assignment == node.assignment)
    return;
  assign(number, std::move(assignment));
  for (unsigned i = 0; i < node.getNumValues(); ++i) {
    unsigned other = node.getValue(i);
    bool isOperand = i < node.operands.size();
    bool isDestination = llvm::is_contained(node.destinations, std::optional<unsigned>(i));
    if (other == Node::kFree || other == value || isDestination || !isMovable(other) ||
        (isOperand && (onlyToUses || values.contains(other))))
      continue;
    std::vector<AxisList> dims;
    for (const DimFactors &factors : node.getFactors(i))
      dims.push_back(joinFactors(node.rule, factors, node.assignment).value_or(AxisList()));
    if (graph.values[other].home == dims)
      continue;
    rehome(other, dims);
    next.push_back(other);
  }
}

void Trial::flow(unsigned value, bool onlyToUses) {
  SmallVector<unsigned, 16> list = {value};
  for (size_t i = 0; i < list.size(); ++i) {
    ArrayRef<unsigned> users = graph.values[list[i]].nodes;
    for (unsigned node : users)
      flowThrough(node, list[i], onlyToUses, list);
  }
}

/// Exchanges the plan with what is kept of it.
void Trial::swap() {
  for (auto &[number, state] : nodes) {
    Node &node = graph.nodes[number];
    std::swap(node.assignment, state.assignment);
    std::swap(node.operandLayouts, state.operandLayouts);
    std::swap(node.resultLayouts, state.resultLayouts);
  }
  for (auto &[number, state] : values) {
    TensorInfo &value = graph.values[number];
    std::swap(value.home, state.home);
    std::swap(value.produced, state.produced);
    std::swap(value.base, state.base);
  }
}

PlanCost Trial::price(ArrayRef<unsigned> touched) {
  PlanCost total;
  for (auto &[number, state] : nodes)
    total.work += cost.getWork(graph.nodes[number]);
  for (unsigned value : touched) {
    Cost moves = cost.getMoves(value);
    total.seconds += moves.seconds;
    total.bytes += moves.bytes;
  }
  return total;
}

std::optional<Alternative> Trial::end(std::string what) {
  llvm::SmallSetVector<unsigned, 16> touched;
  for (auto &[number, state] : nodes) {
    const Node &node = graph.nodes[number];
    for (unsigned i = 0; i < node.getNumValues(); ++i)
      if (node.getValue(i) != Node::kFree)
        touched.insert(node.getValue(i));
  }
  for (auto &[number, state] : values)
    touched.insert(number);
  // Where nothing lies elsewhere, it is no alternative.
  bool isSame = true;
  for (auto &[number, state] : nodes)
    isSame &= graph.nodes[number].operandLayouts == state.operandLayouts &&
              graph.nodes[number].resultLayouts == state.resultLayouts;
  for (auto &[number, state] : values)
    isSame &= !graph.values[number].isReturnedAtHome || graph.values[number].base == state.base;
  Alternative result;
  result.what = std::move(what);
  result.numChanged = nodes.size();
  result.then = price(touched.getArrayRef());
  swap();
  result.now = price(touched.getArrayRef());
  nodes.clear();
  values.clear();
  return isSame ? std::nullopt : std::optional(std::move(result));
}
