//===- NodeStates.cpp - All assignments of an operation -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "NodeStates.h"
#include "NumberKey.h"

using namespace mlir;
using namespace dmc;

/// Calls `visit` with each way to give every group of axes, in their order, to one of the places,
/// whose lists of axes `get` returns, or to none. `canHave` says whether a place can have a group
/// more.
static void forEachDivision(ArrayRef<AxisList> groups, unsigned numPlaces,
                            llvm::function_ref<AxisList &(unsigned)> get,
                            llvm::function_ref<bool(unsigned, const AxisList &)> canHave,
                            llvm::function_ref<void()> visit) {
  if (groups.empty())
    return visit();
  forEachDivision(groups.drop_front(), numPlaces, get, canHave, visit);
  for (unsigned place = 0; place < numPlaces; ++place)
    if (canHave(place, groups.front())) {
      AxisList &axes = get(place);
      size_t before = axes.size();
      llvm::append_range(axes, groups.front());
      forEachDivision(groups.drop_front(), numPlaces, get, canHave, visit);
      axes.resize(before);
    }
}

std::vector<Layout> dmc::enumerateLayouts(const AxisGroups &groups, ArrayRef<int64_t> shape,
                                          const llvm::BitVector &fixed, ArrayRef<AxisList> given,
                                          const AxisList &excluded) {
  Layout layout = Layout::replicated(shape.size());
  AxisList taken = excluded;
  for (unsigned dim : fixed.set_bits()) {
    layout.dims[dim] = given[dim];
    llvm::append_range(taken, given[dim]);
  }
  std::vector<Layout> layouts;
  forEachDivision(
      withoutAxes(groups, taken), shape.size(),
      [&](unsigned dim) -> AxisList & { return layout.dims[dim]; },
      [&](unsigned dim, const AxisList &axes) {
        // More shards than elements would leave some ranks without any.
        return !fixed.test(dim) && groupSize(layout.dims[dim]) * groupSize(axes) <= shape[dim];
      },
      [&] { layouts.push_back(layout); });
  return layouts;
}

namespace {
/// What axes split, and over which operands stay partial.
struct Division {
  Assignment assignment;
  CarriedAxes carried;
};
} // namespace

/// What is partial when it comes is a sum: so is what the node combines itself, and its windows are
/// not read from several ranks.
static bool addsUp(const Node &node, const Division &division) {
  if (division.carried.empty())
    return true;
  for (auto [factor, axes] : llvm::zip_equal(node.rule.factors, division.assignment))
    if (factor.kind == FactorKind::Reduction && factor.combiner != CombinerKind::sum &&
        !axes.empty())
      return false;
  return llvm::all_of(node.windows, [&](const WindowAccess &access) {
    return division.assignment[access.factor].empty();
  });
}

/// The assignments of groups of axes, in the order of the mesh, to the loops of a node, or to
/// operands that may be partial together; those that keep what was decided before.
/// Those beyond the limit are left out.
static std::vector<Division> enumerateDivisions(const Node &node, const OperandSets &partial,
                                                const AxisGroups &groups, size_t limit) {
  std::vector<Division> found;
  Assignment assignment(node.rule.factors.size());
  std::vector<AxisList> carried(partial.size());
  AxisList kept;
  for (const AxisList &axes : node.kept)
    llvm::append_range(kept, axes);
  forEachDivision(
      withAxesAlone(groups, kept), assignment.size() + partial.size(),
      [&](unsigned factor) -> AxisList & {
        return factor < assignment.size() ? assignment[factor]
                                          : carried[factor - assignment.size()];
      },
      [&](unsigned factor, const AxisList &group) {
        if (found.size() > limit)
          return false;
        if (factor >= assignment.size())
          return true;
        if (node.closedFactors[factor])
          return false;
        AxisList before = assignment[factor], axes = before;
        llvm::append_range(axes, group);
        bool hasAll =
            extendAssignment(node, assignment, factor, axes) && assignment[factor] == axes;
        assignment[factor] = std::move(before);
        return hasAll;
      },
      [&] {
        bool keeps = node.kept.empty() ||
                     llvm::all_of(llvm::zip_equal(node.kept, assignment), [](const auto &factor) {
                       return isPrefix(std::get<0>(factor), std::get<1>(factor));
                     });
        if (!keeps || !hasOneCombiner(node, assignment))
          return;
        Division division{assignment, {}};
        for (auto [operands, axes] : llvm::zip_equal(partial, carried))
          if (!axes.empty())
            for (unsigned operand : operands.set_bits())
              llvm::append_range(division.carried[operand], axes);
        if (addsUp(node, division))
          found.push_back(std::move(division));
      });
  return found;
}

static bool isGiven(const Node &node) { return node.isFixed || node.forwarded; }

/// Equal for nodes with equal states.
std::string NodeStates::getKey(unsigned number, const OperandSets &partial) const {
  const Node &node = graph.nodes[number];
  NumberKey key;
  auto add = [&](int64_t value) { key.add(value); };
  auto addAssignment = [&](const Assignment &assignment) {
    add(assignment.size());
    for (const AxisList &axes : assignment)
      key.add(axes);
  };
  // What windows read depends on what is around; what is given is nobody else's.
  if (isGiven(node) || !node.windows.empty())
    add(number);
  add(node.rule.factors.size());
  for (auto [i, factor] : llvm::enumerate(node.rule.factors)) {
    add(factor.size);
    add(static_cast<int64_t>(factor.kind));
    add(factor.combiner ? static_cast<int64_t>(*factor.combiner) : -1);
    add(factor.needsUniformBlocks);
    add(node.closedFactors[i]);
    add(factor.alikeSizes.size());
    for (int64_t size : factor.alikeSizes)
      add(size);
  }
  add(node.operands.size());
  for (unsigned i = 0; i < node.getNumValues(); ++i) {
    unsigned value = node.getValue(i);
    add(value == Node::kLayoutAgnostic ? 0 : graph.values[value].elementBytes);
    add(node.getFactors(i).size());
    for (const DimFactors &dim : node.getFactors(i)) {
      add(dim.size());
      for (unsigned factor : dim)
        add(factor);
    }
  }
  for (std::optional<unsigned> destination : node.destinations)
    add(destination ? *destination : -1);
  bool isContraction = ProgramCost::isContraction(node);
  add(isContraction);
  if (isContraction) {
    add(cast<linalg::LinalgOp>(node.op).getNumLoops());
    Type element = cast<ShapedType>(node.op->getOperand(0).getType()).getElementType();
    add(reinterpret_cast<intptr_t>(element.getAsOpaquePointer()));
  }
  addAssignment(node.kept);
  addAssignment(node.assignment);
  for (const auto &[operand, axes] : node.carried) {
    add(operand);
    key.add(axes);
  }
  for (const llvm::BitVector &operands : partial) {
    add(-1);
    for (unsigned operand : operands.set_bits())
      add(operand);
  }
  return key.str();
}

NodeState NodeStates::makeState(Node &node, Assignment assignment, CarriedAxes carried) {
  NodeState state;
  node.assignment = assignment;
  node.carried = carried;
  graph.setLayouts(node);
  state.seconds = cost.getWork(node);
  state.assignment = std::move(assignment);
  state.carried = std::move(carried);
  for (const Layout &layout : node.operandLayouts)
    state.operands.push_back(layouts.add(layout));
  for (const Layout &layout : node.resultLayouts)
    state.results.push_back(layouts.add(layout));
  return state;
}

std::optional<unsigned> NodeStates::getClass(unsigned number, const OperandSets &partial,
                                             size_t limit) {
  Node &node = graph.nodes[number];
  auto [known, isNew] = byKey.try_emplace(getKey(number, partial), classes.size());
  if (!isNew)
    return known->second;
  Assignment current = node.assignment;
  CarriedAxes carried = node.carried;
  double repeats = std::exchange(node.repeats, 1);
  NodeClass made;
  if (!isGiven(node))
    for (Division &division : enumerateDivisions(node, partial, groups, limit))
      made.states.push_back(
          makeState(node, std::move(division.assignment), std::move(division.carried)));
  if (llvm::none_of(made.states, [&](const NodeState &state) {
        return state.assignment == current && state.carried == carried;
      }))
    made.states.push_back(makeState(node, current, carried));
  node.assignment = std::move(current);
  node.carried = std::move(carried);
  graph.setLayouts(node);
  node.repeats = repeats;
  bool fits = made.states.size() <= limit;
  classes.push_back(std::move(made));
  return fits ? std::optional(known->second) : std::nullopt;
}

unsigned NodeStates::getDoubled(unsigned number) {
  auto [known, isNew] = doubled.try_emplace(number, classes.size());
  if (isNew) {
    NodeClass twice = classes[number];
    llvm::append_range(twice.states, classes[number].states);
    classes.push_back(std::move(twice));
  }
  return known->second;
}

std::optional<unsigned> NodeStates::find(unsigned number, const Node &node) const {
  for (auto [i, state] : llvm::enumerate(classes[number].states))
    if (state.assignment == node.assignment && state.carried == node.carried)
      return i;
  return std::nullopt;
}
