//===- PlanEdit.cpp - A change of decided layouts -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "PlanEdit.h"

using namespace mlir;
using namespace dmc;

/// A region larger than this is another program.
static constexpr unsigned kMaxNodes = 128;

bool PlanEdit::isFrozen(const Node &node) const {
  if (node.isFixed || node.forwarded || !node.carried.empty())
    return true;
  for (unsigned result : node.results)
    for (unsigned user : graph.values[result].nodes)
      if (llvm::is_contained(graph.nodes[user].operands, result) &&
          !graph.nodes[user].carried.empty())
        return true;
  return false;
}

bool PlanEdit::isUnasked(unsigned number) const {
  const TensorInfo &value = graph.values[number];
  return value.excluded.empty() &&
         llvm::all_of(value.holds, [](unsigned holds) { return holds == 0; });
}

std::optional<unsigned> PlanEdit::getProducer(unsigned value) const {
  auto producer = graph.producers.find(value);
  return producer == graph.producers.end() ? std::nullopt : std::optional(producer->second);
}

bool PlanEdit::isMovable(unsigned number) const {
  std::optional<unsigned> producer = getProducer(number);
  return producer && isUnasked(number) && !isFrozen(graph.nodes[*producer]);
}

void PlanEdit::saveValue(unsigned number) {
  const TensorInfo &value = graph.values[number];
  if (!valuesBefore.contains(number))
    valuesBefore.insert({number, {value.sharding, value.produced, value.base}});
}

void PlanEdit::assign(unsigned number, Assignment assignment) {
  Node &node = graph.nodes[number];
  if (!nodesBefore.contains(number))
    nodesBefore.insert({number, {node.assignment, node.operandLayouts, node.resultLayouts}});
  node.assignment = std::move(assignment);
  graph.setLayouts(node);
  for (auto [result, layout] : llvm::zip_equal(node.results, node.resultLayouts)) {
    saveValue(result);
    TensorInfo &value = graph.values[result];
    value.produced = layout;
    value.base = layout.partial.empty() ? layout : graph.getTarget(value, layout);
  }
}

void PlanEdit::setSharding(unsigned number, const std::vector<AxisList> &sharding) {
  saveValue(number);
  TensorInfo &value = graph.values[number];
  value.sharding = sharding;
  value.base =
      value.produced.partial.empty() ? value.produced : graph.getTarget(value, value.produced);
}

/// Splits what operand or result `i` has in common with a node's loops as it lies.
static void addSplit(const Node &node, unsigned i, ArrayRef<AxisList> dims,
                     Assignment &assignment) {
  for (auto [dim, axes] : llvm::enumerate(dims))
    divideAmongFactors(node.rule, node.getFactors(i)[dim], axes,
                       [&](unsigned factor, ArrayRef<AxisRef> mine) {
                         extendAssignment(node, assignment, factor, mine);
                       });
}

/// Loops that are not split yet stay as they are, all or those that reduce.
static void keepRest(const Node &node, Assignment &assignment, bool onlyReductions = false) {
  for (unsigned factor = 0; factor < assignment.size(); ++factor)
    if (assignment[factor].empty() &&
        (!onlyReductions || node.rule.factors[factor].kind == FactorKind::Reduction))
      extendAssignment(node, assignment, factor, node.assignment[factor]);
}

Assignment PlanEdit::getSplitTaking(const Node &node, unsigned operand, ArrayRef<AxisList> dims) {
  Assignment assignment(node.rule.factors.size());
  addSplit(node, operand, dims, assignment);
  keepRest(node, assignment);
  return assignment;
}

Assignment PlanEdit::getSplitMaking(const Node &node, unsigned result, ArrayRef<AxisList> dims) {
  Assignment assignment(node.rule.factors.size());
  addSplit(node, node.operands.size() + result, dims, assignment);
  keepRest(node, assignment, /*onlyReductions=*/true);
  return assignment;
}

/// Gives a node what `value`'s sharding says of its factors, if it makes no partial values and what
/// it computes takes no longer than its operands; adds the values to which this goes on. False if
/// the region grows too large.
bool PlanEdit::flowThrough(unsigned number, unsigned value, Reach reach,
                           SmallVectorImpl<unsigned> &next) {
  Node &node = graph.nodes[number];
  // Gathers and scatters have sums too, over positions that others have: they compute little.
  bool reduces =
      isa<linalg::LinalgOp>(node.op) && llvm::any_of(node.rule.factors, [](const Factor &factor) {
        return factor.kind == FactorKind::Reduction;
      });
  if (nodesBefore.contains(number) || reduces || isFrozen(node) ||
      (reach == Reach::Uses && llvm::is_contained(node.results, value)))
    return true;
  Assignment assignment(node.rule.factors.size());
  for (unsigned i = 0; i < node.getNumValues(); ++i)
    if (node.getValue(i) == value)
      addSplit(node, i, graph.values[value].sharding, assignment);
  keepRest(node, assignment);
  if (assignment == node.assignment)
    return true;
  if (nodesBefore.size() >= kMaxNodes)
    return false;
  assign(number, std::move(assignment));
  for (unsigned i = 0; i < node.getNumValues(); ++i) {
    unsigned other = node.getValue(i);
    bool isOperand = i < node.operands.size();
    bool isDestination = llvm::is_contained(node.destinations, std::optional<unsigned>(i));
    if (other == Node::kLayoutAgnostic || other == value || isDestination ||
        (isOperand && (reach == Reach::Uses || valuesBefore.contains(other))) || !isMovable(other))
      continue;
    std::vector<AxisList> dims;
    for (const DimFactors &factors : node.getFactors(i))
      dims.push_back(joinFactors(node.rule, factors, node.assignment).value_or(AxisList()));
    if (graph.values[other].sharding == dims)
      continue;
    setSharding(other, dims);
    next.push_back(other);
  }
  return true;
}

bool PlanEdit::flow(unsigned value, Reach reach) {
  SmallVector<unsigned, 16> list = {value};
  for (size_t i = 0; i < list.size(); ++i) {
    // Nodes do not change while a value's list is walked.
    for (unsigned node : graph.values[list[i]].nodes)
      if (!flowThrough(node, list[i], reach, list))
        return false;
  }
  return true;
}

llvm::SmallSetVector<unsigned, 16> PlanEdit::getTouched() const {
  llvm::SmallSetVector<unsigned, 16> touched;
  for (auto &[number, state] : nodesBefore) {
    const Node &node = graph.nodes[number];
    for (unsigned i = 0; i < node.getNumValues(); ++i)
      if (node.getValue(i) != Node::kLayoutAgnostic)
        touched.insert(node.getValue(i));
    for (const auto &[operand, sources] : node.windowSources)
      for (const WindowSource &source : sources.all)
        if (graph.has(source.value))
          touched.insert(graph.getNumber(source.value));
  }
  for (auto &[number, state] : valuesBefore)
    touched.insert(number);
  // Moves that a loop undoes in its next iteration are priced at both ends, and those of what
  // constraints make of a value with the value.
  for (size_t i = 0; i < touched.size(); ++i) {
    const TensorInfo &value = graph.values[touched[i]];
    if (value.constrained)
      touched.insert(*value.constrained);
    if (auto carried = graph.carriedBy.find(touched[i]); carried != graph.carriedBy.end())
      for (unsigned index : carried->second) {
        touched.insert(graph.carriedValues[index].value);
        touched.insert(graph.carriedValues[index].yielded);
      }
    // What windows are taken from decides about them, too.
    for (const TensorInfo::WindowUse &use : value.windowUses)
      if (unsigned operand = graph.nodes[use.node].operands[use.operand];
          operand != Node::kLayoutAgnostic)
        touched.insert(operand);
  }
  return touched;
}

void PlanEdit::swap() {
  for (auto &[number, state] : nodesBefore) {
    Node &node = graph.nodes[number];
    std::swap(node.assignment, state.assignment);
    std::swap(node.operandLayouts, state.operandLayouts);
    std::swap(node.resultLayouts, state.resultLayouts);
  }
  for (auto &[number, state] : valuesBefore) {
    TensorInfo &value = graph.values[number];
    std::swap(value.sharding, state.sharding);
    std::swap(value.produced, state.produced);
    std::swap(value.base, state.base);
  }
}

void PlanEdit::keep() {
  nodesBefore.clear();
  valuesBefore.clear();
}

void PlanEdit::undo() {
  swap();
  keep();
}
