//===- Factors.cpp - Axes of factors and axes of dimensions ---------------===//
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

size_t dmc::divideAmongFactors(const ShardingRule &rule, const DimFactors &factors,
                               const AxisList &axes,
                               llvm::function_ref<void(unsigned, ArrayRef<AxisRef>)> take) {
  if (factors.size() == 1) {
    take(factors.front(), axes);
    return axes.size();
  }
  size_t next = 0;
  bool isOpen = true;
  for (size_t i = 0; i < factors.size(); ++i) {
    int64_t size = rule.factors[factors[i]].size;
    int64_t rest = 1;
    for (size_t j = i + 1; j < factors.size(); ++j)
      rest *= rule.factors[factors[j]].size;
    size_t first = next;
    int64_t ways = 1;
    std::vector<int64_t> sizes;
    while (isOpen && next < axes.size() && ways < size) {
      sizes.push_back(axes[next].size);
      // Of the last factor that has elements any list is the dimension's own.
      if (rest != 1 && !mergeKeepsSplit(size, rest, sizes))
        break;
      ways *= axes[next].size;
      ++next;
    }
    if (rest == 1 && size != 1 && isOpen)
      next = axes.size();
    take(factors[i], ArrayRef<AxisRef>(axes).slice(first, next - first));
    // The list goes on with the next factor only below a full and even split.
    isOpen = isOpen && ways == size;
  }
  return next;
}

std::optional<AxisList> dmc::joinFactors(const ShardingRule &rule, const DimFactors &factors,
                                         const Assignment &assignment) {
  AxisList joined;
  if (factors.size() == 1)
    return assignment[factors.front()];
  for (unsigned factor : factors)
    llvm::append_range(joined, assignment[factor]);
  if (joined.empty())
    return joined;
  bool isSame = true;
  size_t taken = divideAmongFactors(rule, factors, joined, [&](unsigned f, ArrayRef<AxisRef> axes) {
    isSame &= axes == ArrayRef<AxisRef>(assignment[f]);
  });
  return isSame && taken == joined.size() ? std::optional(joined) : std::nullopt;
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
