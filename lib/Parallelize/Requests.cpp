//===- Requests.cpp - Layouts that are asked for --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints, manual computations and the boundary: which axes they give to a
// value, and what they keep others from giving it.
//
//===----------------------------------------------------------------------===//
#include "ManualWork.h"
#include "MoveSources.h"
#include "Propagation.h"

using namespace mlir;
using namespace dmc;

/// The results of one group are one value.
void Propagation::addConstraint(ConstrainOp op, Node node) {
  node.isFixed = true;
  node.direction = op.getDirection();
  std::optional<int64_t> group = op.getGroup();
  auto known = group ? groups.find(*group) : groups.end();
  if (known != groups.end()) {
    numbers[op.getResult()] = known->second;
    node.results = {known->second};
  } else {
    node.results = {addValue(op.getResult())};
    setRepeats(*op, values.back());
    if (group)
      groups[*group] = node.results.front();
  }
  TensorInfo &made = values[node.results.front()];
  unsigned operand = node.operands.front();
  if (hasMoveSource(op)) {
    made.constrained = operand;
    values[operand].hasConstraints = true;
  } else if (!group) {
    made.isLayoutAgnostic = operand == Node::kLayoutAgnostic || values[operand].isLayoutAgnostic;
  }
  addNode(std::move(node));
}

/// What a manual computation takes and makes lies as it says.
void Propagation::constrain(ManualOp op) {
  Node &node = nodes.back();
  node.isFixed = true;
  node.closedFactors.set();
  node.manual = std::make_shared<ManualWork>(op, getRates());
  auto assign = [&](ArrayAttr layouts, ArrayRef<ValueFactors> values) {
    for (auto [layout, factors] : llvm::zip_equal(layouts.getAsRange<LayoutAttr>(), values))
      for (auto [axes, dim] : llvm::zip_equal(layout.toLayout().dims, factors))
        node.assignment[dim.front()] = axes;
  };
  assign(op.getInLayouts(), node.rule.operands);
  assign(op.getOutLayouts(), node.rule.results);
  for (auto [number, layout] :
       llvm::zip_equal(node.results, op.getOutLayouts().getAsRange<LayoutAttr>())) {
    TensorInfo &value = values[number];
    value.sharding = layout.toLayout().dims;
    value.holds.assign(value.sharding.size(), 1);
    touch(number);
  }
}

void Propagation::setBoundary(func::FuncOp entry, ProgramAttr program, LayoutCache &cache) {
  auto add = [&](Value value, ValueAttr attribute, bool isOpen) {
    RankedTensorType type = attribute.getType();
    BoundaryValue entry{
        type.getShape(), llvm::divideCeil(type.getElementTypeBitWidth(), 8), {}, {}};
    if (has(value))
      entry.number = getNumber(value);
    // An open layout is the beginning of what is decided.
    if (attribute.getLayout() && (!isOpen || !entry.number))
      entry.given = cache.get(attribute.getLayout());
    else if (!entry.number)
      entry.given = Layout::replicated(type.getRank());
    boundary.push_back(std::move(entry));
  };
  llvm::SmallDenseSet<int64_t> overwritten;
  for (auto [i, value, attribute] : llvm::enumerate(entry.getArguments(), program.getArguments())) {
    add(value, attribute, bool(entry.getArgAttr(i, "dmc.open")));
    if (attribute.getLayout() && has(value))
      values[getNumber(value)].placed = cache.get(attribute.getLayout()).placed;
    if (attribute.isDonated())
      overwritten.insert(attribute.getDonates());
  }
  ValueRange returned = entry.getBody().front().getTerminator()->getOperands();
  for (auto [i, value, attribute] : llvm::enumerate(returned, program.getResults())) {
    if (!overwritten.contains(i))
      add(value, attribute, bool(entry.getResultAttr(i, "dmc.open")));
    if (!has(value))
      continue;
    TensorInfo &info = values[getNumber(value)];
    if (attribute.getLayout())
      info.returned.push_back(cache.get(attribute.getLayout()));
    else
      info.isReturnedInSharding = true;
  }
}

void Propagation::returnDonated(func::FuncOp entry, ProgramAttr program) {
  ValueRange returned = entry.getBody().front().getTerminator()->getOperands();
  for (auto [argument, attribute] : llvm::zip_equal(entry.getArguments(), program.getArguments())) {
    if (!attribute.isDonated() || !has(argument))
      continue;
    int64_t number = attribute.getDonates();
    ValueAttr result = program.getResults()[number];
    if (result.getLayout() || !has(returned[number]) ||
        result.getType().getShape() != attribute.getType().getShape())
      continue;
    TensorInfo &info = values[getNumber(returned[number])];
    info.returned.push_back(values[getNumber(argument)].base);
    info.isReturnedInSharding = false;
  }
}

SmallVector<Request> Propagation::getRequests(LayoutCache &cache) {
  SmallVector<Request> requests;
  for (auto [number, node] : llvm::enumerate(nodes)) {
    auto op = dyn_cast<ConstrainOp>(node.op);
    if (!op || node.forwarded)
      continue;
    Request request;
    request.value = node.results.front();
    request.layout = cache.get(op.getLayout());
    request.node = number;
    request.priorities = op.getPriorities();
    request.open.resize(request.layout.dims.size());
    for (int64_t dim : op.getOpen())
      request.open.set(dim);
    if (AxesAttr replicated = op.getReplicatedAttr())
      request.replicated =
          LayoutAttr::get(op.getLayout().getMesh(), {replicated}).toLayout().dims[0];
    requests.push_back(std::move(request));
  }
  return requests;
}

void Propagation::reserve(const Request &request) {
  TensorInfo &value = values[request.value];
  for (unsigned &holds : value.holds)
    ++holds;
  llvm::append_range(value.excluded, request.replicated);
  llvm::append_range(value.excluded, request.layout.partial);
  if (!request.node)
    return;
  nodes[*request.node].closedFactors.set();
  // Its axes wait for their priority too.
  for (const AxisList &axes : request.layout.dims)
    llvm::append_range(value.excluded, axes);
}

void Propagation::grant(const Request &request, int64_t priority) {
  TensorInfo &value = values[request.value];
  for (unsigned dim = 0; dim < request.layout.dims.size(); ++dim) {
    if (request.getPriority(dim) != priority)
      continue;
    const AxisList &axes = request.layout.dims[dim];
    bool isOpen = !request.open.empty() && request.open[dim];
    AxisList &sharding = value.sharding[dim];
    if (sharding.size() < axes.size()) {
      sharding = axes;
      if (observer)
        observer->onGranted(request.value, dim, request.node, priority);
    }
    value.holds[dim] -= isOpen;
    llvm::erase_if(value.excluded,
                   [&](const AxisRef &axis) { return llvm::is_contained(axes, axis); });
    if (request.node) {
      Node &node = nodes[*request.node];
      unsigned factor = node.rule.results[0][dim].front();
      node.assignment[factor] = axes;
      node.closedFactors[factor] = !isOpen;
    }
  }
  touch(request.value);
}

void Propagation::propose(unsigned number, const Layout &layout) {
  TensorInfo &value = values[number];
  auto isTaken = [](const AxisList &axes) { return !axes.empty(); };
  auto isExcluded = [&](const AxisList &axes) {
    return llvm::any_of(axes,
                        [&](const AxisRef &axis) { return overlapsAny(axis, value.excluded); });
  };
  // What was propagated before stays, and requests are contracts. In order, a result asks as
  // everything else does, so it may split further.
  bool isOpen = isInOrder ? std::equal(value.sharding.begin(), value.sharding.end(),
                                       layout.dims.begin(), isPrefix)
                          : llvm::none_of(value.sharding, isTaken);
  if (!isOpen || value.sharding == layout.dims ||
      llvm::any_of(value.holds, [](auto n) { return n > 0; }) ||
      llvm::any_of(layout.dims, isExcluded))
    return;
  value.sharding = layout.dims;
  touch(number);
  if (observer)
    observer->onProposed(number);
}
