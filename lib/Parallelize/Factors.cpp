//===- Factors.cpp - Axes of factors and axes of dimensions ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Factors.h.
//
//===----------------------------------------------------------------------===//
#include "Factors.h"

using namespace mlir;
using namespace dmc;

bool dmc::isPrefix(const AxisList &prefix, const AxisList &list) {
  return prefix.size() <= list.size() && std::equal(prefix.begin(), prefix.end(), list.begin());
}

bool dmc::overlapsAny(const AxisRef &axis, const AxisList &axes) {
  return llvm::any_of(axes, [&](const AxisRef &other) { return overlaps(axis, other); });
}

static bool isMajorPart(const AxisRef &part, const AxisRef &axis) {
  return part.axis == axis.axis && part.preSize == axis.preSize && part.size < axis.size &&
         axis.size % part.size == 0;
}

std::optional<size_t> dmc::findGrowth(ArrayRef<AxisRef> beginning, ArrayRef<AxisRef> list) {
  for (auto [i, axis] : llvm::enumerate(beginning)) {
    if (i < list.size() && axis == list[i])
      continue;
    bool isLast = i + 1 == beginning.size() && i < list.size();
    return isLast && isMajorPart(axis, list[i]) ? std::optional(i) : std::nullopt;
  }
  return beginning.size() < list.size() ? std::optional(beginning.size()) : std::nullopt;
}

AxisRef dmc::getGrowth(ArrayRef<AxisRef> beginning, ArrayRef<AxisRef> list, size_t i) {
  AxisRef axis = list[i];
  if (i < beginning.size()) {
    axis.preSize *= beginning[i].size;
    axis.size /= beginning[i].size;
  }
  return axis;
}

/// Where an axis is larger than what is left of a factor, its major part fills the factor and
/// the rest goes on, if the dimension below is split evenly by it: else blocks would differ.
static void splitAxis(AxisList &axes, size_t next, int64_t left, int64_t below) {
  AxisRef &major = axes[next];
  if (left < 2 || major.size <= left || major.size % left != 0 || below % (major.size / left) != 0)
    return;
  AxisRef minor{major.axis, major.preSize * left, major.size / left};
  major.size = left;
  axes.insert(axes.begin() + next + 1, minor);
}

bool dmc::divideAmongFactors(const ShardingRule &rule, const DimFactors &factors,
                             const AxisList &axes,
                             llvm::function_ref<void(unsigned, ArrayRef<AxisRef>)> take) {
  if (factors.size() == 1) {
    take(factors.front(), axes);
    return true;
  }
  AxisList parts = axes;
  size_t next = 0;
  bool isOpen = true;
  for (size_t i = 0; i < factors.size(); ++i) {
    int64_t size = rule.factors[factors[i]].size;
    int64_t rest = 1;
    for (size_t j = i + 1; j < factors.size(); ++j)
      rest *= rule.factors[factors[j]].size;
    size_t first = next;
    int64_t numShards = 1;
    std::vector<int64_t> sizes;
    while (isOpen && next < parts.size() && numShards < size) {
      if (rest != 1 && size % numShards == 0)
        splitAxis(parts, next, size / numShards, rest);
      sizes.push_back(parts[next].size);
      // Of the last factor that has elements any list is the dimension's own.
      if (rest != 1 && !mergeKeepsSplit(size, rest, sizes))
        break;
      numShards *= parts[next].size;
      ++next;
    }
    if (rest == 1 && size != 1 && isOpen)
      next = parts.size();
    take(factors[i], ArrayRef<AxisRef>(parts).slice(first, next - first));
    // The list goes on with the next factor only below a full and even split.
    isOpen = isOpen && numShards == size;
  }
  return next == parts.size();
}

std::optional<AxisList> dmc::joinFactors(const ShardingRule &rule, const DimFactors &factors,
                                         const Assignment &assignment) {
  if (factors.size() == 1)
    return assignment[factors.front()];
  // Parts of an axis that follow each other are one, unless blocks would differ.
  AxisList merged, joined;
  for (unsigned factor : factors)
    for (auto [i, axis] : llvm::enumerate(assignment[factor])) {
      joined.push_back(axis);
      if (i == 0 && !merged.empty() && merged.back().axis == axis.axis &&
          merged.back().preSize * merged.back().size == axis.preSize)
        merged.back().size *= axis.size;
      else
        merged.push_back(axis);
    }
  if (joined.empty())
    return joined;
  auto says = [&](const AxisList &list) {
    bool isSame = true;
    bool takesAll =
        divideAmongFactors(rule, factors, list, [&](unsigned f, ArrayRef<AxisRef> axes) {
          isSame &= axes == ArrayRef<AxisRef>(assignment[f]);
        });
    return isSame && takesAll;
  };
  for (const AxisList *list : {&merged, &joined})
    if (says(*list))
      return *list;
  return std::nullopt;
}

const Layout &LayoutCache::get(LayoutAttr attribute) {
  std::unique_ptr<Layout> &layout = layouts[attribute];
  if (!layout)
    layout = std::make_unique<Layout>(attribute.toLayout());
  return *layout;
}

FailureOr<func::FuncOp> dmc::getEntryFunction(ModuleOp module) {
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    if (entry)
      return function.emitError("expected one public function, found a second");
    entry = function;
  }
  if (!entry)
    return module.emitError("expected a public function with a body, found none");
  if (!entry.getBody().hasOneBlock())
    return entry.emitError("expected a function of one block");
  return entry;
}
