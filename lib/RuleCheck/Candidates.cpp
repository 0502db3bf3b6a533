//===- Candidates.cpp - The layouts to try --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Candidates.h.
//
//===----------------------------------------------------------------------===//
#include "Candidates.h"

#include "dmc/Sharding/ShardingRule.h"

#include <random>

using namespace mlir;
using namespace dmc;
using namespace dmc::rulecheck;

static int64_t getSmallestFactor(int64_t size) {
  for (int64_t factor = 2; factor * factor <= size; ++factor)
    if (size % factor == 0)
      return factor;
  return size;
}

std::vector<std::vector<AxisRef>> rulecheck::getAtoms(const Mesh &mesh) {
  std::vector<AxisRef> whole, parts;
  for (auto [number, axis] : llvm::enumerate(mesh.axes())) {
    auto index = static_cast<uint32_t>(number);
    whole.push_back({index, 1, axis.size});
    int64_t factor = getSmallestFactor(axis.size);
    if (factor == axis.size) {
      parts.push_back(whole.back());
      continue;
    }
    parts.push_back({index, 1, factor});
    parts.push_back({index, factor, axis.size / factor});
  }
  std::vector<std::vector<AxisRef>> atoms(1, whole);
  if (parts != whole)
    atoms.push_back(parts);
  return atoms;
}

static void addStates(std::vector<Layout> &layouts, const AxisRef &atom, bool isBool) {
  std::vector<Layout> more;
  for (const Layout &layout : layouts) {
    for (size_t dim = 0; dim < layout.dims.size(); ++dim)
      for (size_t at = 0; at <= layout.dims[dim].size(); ++at) {
        Layout split = layout;
        split.dims[dim].insert(split.dims[dim].begin() + at, atom);
        more.push_back(split);
      }
    for (Combiner combiner : {Combiner::Sum, Combiner::Prod, Combiner::Max, Combiner::Min}) {
      bool isOrder = combiner == Combiner::Max || combiner == Combiner::Min;
      if ((isBool && !isOrder) || (layout.combiner && layout.combiner != combiner))
        continue;
      Layout partial = layout;
      partial.combiner = combiner;
      partial.partial.push_back(atom);
      more.push_back(partial);
    }
    Layout placed = layout;
    placed.placed.push_back({atom, atom.size - 1});
    more.push_back(placed);
  }
  layouts.insert(layouts.end(), more.begin(), more.end());
}

std::vector<Layout> rulecheck::getLayouts(RankedTensorType type, ArrayRef<AxisRef> atoms) {
  std::vector<Layout> layouts{Layout::replicated(type.getRank())};
  for (const AxisRef &atom : atoms)
    addStates(layouts, atom, type.getElementType().isInteger(1));
  return layouts;
}

bool rulecheck::forEachCombination(ArrayRef<std::vector<Layout>> lists, size_t limit, uint64_t seed,
                                   function_ref<void(Layouts)> body) {
  size_t count = 1;
  for (const std::vector<Layout> &list : lists)
    count = count > limit ? count : count * list.size();
  auto pick = [&](function_ref<size_t(size_t)> below) {
    Layouts layouts;
    for (const std::vector<Layout> &list : lists)
      layouts.push_back(list[below(list.size())]);
    body(std::move(layouts));
  };
  bool isAll = count <= limit;
  std::mt19937_64 random(seed);
  for (size_t i = 0; i < std::min(count, limit); ++i) {
    size_t rest = i;
    if (isAll)
      pick([&](size_t size) {
        size_t digit = rest % size;
        rest /= size;
        return digit;
      });
    else
      pick([&](size_t size) { return (random() >> 8) % size; });
  }
  return isAll;
}

std::vector<Layouts> rulecheck::getLayoutsOfRule(const Instance &instance, const AxisRef &atom) {
  Operation *op = instance.op;
  FailureOr<ShardingRule> rule = getShardingRule(op);
  std::vector<Layouts> all;
  if (failed(rule))
    return all;
  Layouts replicated, placed;
  for (const Group &group : instance.groups) {
    replicated.push_back(Layout::replicated(group.type.getRank()));
    placed.push_back(replicated.back());
    placed.back().placed.push_back({atom, atom.size - 1});
  }
  all = {replicated, placed};

  SmallVector<OpOperand *> operands = getTensorOperands(op);
  SmallVector<OpResult> results = getTensorResults(op);
  auto makePartial = [&](Layouts &layouts, Value value, CombinerKind combiner) {
    Layout &layout = layouts[instance.groupOf.lookup(value)];
    layout = Layout::replicated(layout.dims.size());
    layout.combiner = toCombiner(combiner);
    layout.partial = {atom};
  };
  for (auto [number, factor] : llvm::enumerate(rule->factors)) {
    Layouts layouts = replicated;
    auto split = [&, number = number](Value value, const ValueFactors &factors) {
      for (auto [dim, list] : llvm::enumerate(factors))
        if (!list.empty() && list.front() == number)
          layouts[instance.groupOf.lookup(value)].dims[dim] = {atom};
    };
    for (auto [operand, factors] : llvm::zip_equal(operands, rule->operands))
      split(operand->get(), factors);
    for (auto [result, factors] : llvm::zip_equal(results, rule->results)) {
      split(result, factors);
      if (factor.kind == FactorKind::Reduction)
        makePartial(layouts, result, *factor.combiner);
    }
    all.push_back(std::move(layouts));
  }

  // Of more operands than ten, sets of the first.
  unsigned count = operands.size(), sets = 1u << std::min(count, 10u);
  for (unsigned set = 1; set < sets; ++set)
    for (CombinerKind combiner :
         {CombinerKind::sum, CombinerKind::prod, CombinerKind::max, CombinerKind::min}) {
      llvm::BitVector partial(count);
      for (unsigned i = 0; i < count; ++i)
        partial[i] = i < 10 && (set >> i & 1);
      std::optional<PartialResults> partials = getPartialResults(op, partial, combiner);
      if (!partials)
        continue;
      Layouts layouts = replicated;
      for (unsigned i : partial.set_bits())
        makePartial(layouts, operands[i]->get(), combiner);
      for (auto [result, partial] : llvm::zip_equal(results, *partials))
        if (partial)
          makePartial(layouts, result, *partial);
      all.push_back(std::move(layouts));
    }
  return all;
}

std::optional<Layout> rulecheck::merge(const Layout &major, const Layout &minor) {
  if (major.combiner && minor.combiner && major.combiner != minor.combiner)
    return std::nullopt;
  Layout merged = major;
  for (auto [axes, more] : llvm::zip_equal(merged.dims, minor.dims))
    axes.insert(axes.end(), more.begin(), more.end());
  if (minor.combiner)
    merged.combiner = minor.combiner;
  merged.partial.insert(merged.partial.end(), minor.partial.begin(), minor.partial.end());
  merged.placed.insert(merged.placed.end(), minor.placed.begin(), minor.placed.end());
  return merged;
}

bool rulecheck::becomesLocally(const Layout &from, const Layout &to) {
  auto isPartialIn = [](const Layout &layout, const AxisRef &axis) {
    return llvm::is_contained(layout.partial, axis);
  };
  // Axes are appended at the minor end (partition) or become partial (spread).
  for (auto [had, has] : llvm::zip_equal(from.dims, to.dims)) {
    size_t common = 0;
    while (common < had.size() && common < has.size() && had[common] == has[common])
      ++common;
    for (const AxisRef &axis : ArrayRef(had).drop_front(common))
      if (!isPartialIn(to, axis))
        return false;
  }
  // What the target newly splits must have been replicated.
  auto isSplitSomewhere = [](const Layout &layout, const AxisRef &axis) {
    return llvm::any_of(layout.dims,
                        [&](const auto &axes) { return llvm::is_contained(axes, axis); });
  };
  for (const AxisRef &axis : from.partial)
    if (!isPartialIn(to, axis) || from.combiner != to.combiner)
      return false;
  for (const PlacedAxis &placed : from.placed)
    if (!llvm::is_contained(to.placed, placed) && !isPartialIn(to, placed.axis))
      return false;
  for (auto [had, has] : llvm::zip_equal(from.dims, to.dims))
    for (const AxisRef &axis : has)
      if (!llvm::is_contained(had, axis) && isSplitSomewhere(from, axis))
        return false;
  for (const PlacedAxis &placed : to.placed)
    if (isSplitSomewhere(from, placed.axis))
      return false;
  return true;
}
