//===- MoveSources.cpp - Where uses take a constrained tensor -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header. Versions are decided from the last to the first: what a version is wanted in
// follows from the versions made of it.
//
//===----------------------------------------------------------------------===//
#include "MoveSources.h"

#include "dmc/Sharding/ShardingRule.h"

using namespace mlir;
using namespace dmc;

/// Equal layouts are spelled equally nearly always, which is quick to see where they are not.
static bool isSame(const Layout &a, const Layout &b) { return a.dims == b.dims && a == b; }

bool dmc::hasMoveSource(ConstrainOp op) {
  if (op.getGroup() || op.getLayout().isPartial())
    return false;
  Operation *source = op.getOperand().getDefiningOp();
  if (auto constrain = dyn_cast_or_null<ConstrainOp>(source))
    return hasMoveSource(constrain);
  return !source || !isLayoutAgnostic(source);
}

std::optional<Layout> dmc::getCommonLayout(ArrayRef<const Layout *> layouts) {
  std::optional<Layout> common;
  bool isShared = false;
  for (const Layout *layout : layouts) {
    if (!layout->partial.empty())
      continue;
    if (!common) {
      common.emplace();
      common->dims = layout->dims;
      continue;
    }
    isShared = true;
    for (auto [axes, others] : llvm::zip_equal(common->dims, layout->dims)) {
      auto end = std::mismatch(axes.begin(), axes.end(), others.begin(), others.end()).first;
      axes.erase(end, axes.end());
    }
  }
  return isShared ? common : std::nullopt;
}

unsigned MoveSources::add(const Layout &layout, unsigned source, uint64_t order) {
  unsigned number = versions.size();
  versions.push_back({&layout, source, order, {}, {}, {}, {}, std::nullopt});
  if (number > 0)
    versions[source].children.push_back(number);
  return number;
}

void MoveSources::addWant(Wants &wants, const Want &want) {
  auto *known =
      llvm::find_if(wants, [&](const Want &other) { return isSame(*other.layout, *want.layout); });
  if (known == wants.end())
    wants.push_back(want);
  else {
    known->order = std::min(known->order, want.order);
    known->isUsed |= want.isUsed;
  }
}

void MoveSources::addUse(unsigned version, const Layout &wanted, uint64_t order) {
  addWant(versions[version].uses, {&wanted, order, /*isUsed=*/true});
}

/// True if a version's child is made for uses that want it so. Partial values are reduced once:
/// where others take them, too, one that goes its own way must not change what they have in common.
bool MoveSources::isNeeded(unsigned number, unsigned child, ArrayRef<Want> wants) const {
  if (wants.size() != 1)
    return !wants.empty();
  const Version &version = versions[number];
  if (version.layout->partial.empty())
    return false;
  SmallVector<const Layout *, 4> others;
  for (const Want &want : version.uses)
    others.push_back(want.layout);
  for (unsigned other : version.children)
    if (other != child)
      others.push_back(versions[other].layout);
  auto getCommonWith = [&](const Layout &layout) {
    SmallVector<const Layout *, 4> all = others;
    all.push_back(&layout);
    return getCommonLayout(all);
  };
  std::optional<Layout> with = getCommonWith(*versions[child].layout),
                        without = getCommonWith(*wants.front().layout);
  return with && without && with->dims != without->dims;
}

/// Uses and versions of a child become those of another version.
void MoveSources::merge(unsigned parent, unsigned child, unsigned into) {
  Version &merged = versions[child], &target = versions[into];
  llvm::erase(versions[parent].children, child);
  merged.mergedInto = into;
  merged.wanted.clear();
  target.order = std::min(target.order, merged.order);
  for (const Want &want : merged.uses)
    addWant(target.uses, want);
  target.children.append(merged.children.begin(), merged.children.end());
}

/// Merges one child of a version that makes nothing of its own, if there is one.
bool MoveSources::mergeChild(unsigned number, GetSeconds getSeconds) {
  ArrayRef<unsigned> children = versions[number].children;
  for (auto [i, child] : llvm::enumerate(children))
    for (unsigned other : children.take_front(i))
      if (isSame(*versions[other].layout, *versions[child].layout)) {
        merge(number, child, other);
        settle(other, getSeconds);
        return true;
      }
  for (unsigned child : children)
    if (isSame(*versions[child].layout, *versions[number].layout) ||
        !isNeeded(number, child, versions[child].all)) {
      merge(number, child, number);
      return true;
    }
  return false;
}

static bool isWanted(const Layout &layout, ArrayRef<MoveSources::Want> wants) {
  return llvm::any_of(wants,
                      [&](const MoveSources::Want &want) { return isSame(*want.layout, layout); });
}

/// Decides which children of a version are made, and what is wanted of them.
void MoveSources::settle(unsigned number, GetSeconds getSeconds) {
  while (mergeChild(number, getSeconds)) {
  }
  Version &version = versions[number];
  Wants direct = version.uses;
  for (unsigned child : version.children)
    addWant(direct, {versions[child].layout, versions[child].order, /*isUsed=*/false});
  version.all = version.uses;
  for (unsigned made : version.children) {
    Version &child = versions[made];
    child.parent = number;
    child.wanted.clear();
    auto isNear = [&](const Layout &wanted) {
      return isWanted(wanted, direct) ||
             (version.layout->partial.empty() &&
              getSeconds(*version.layout, wanted) <= getSeconds(*child.layout, wanted));
    };
    for (const Want &want : child.all)
      if (isSame(*want.layout, *child.layout) || !isNear(*want.layout))
        child.wanted.push_back(want);
    if (isNeeded(number, made, child.wanted))
      addWant(version.all, {child.layout, child.order, /*isUsed=*/false});
    else
      child.wanted.clear();
    for (const Want &want : child.all)
      if (!isWanted(*want.layout, child.wanted))
        addWant(version.all, want);
  }
}

void MoveSources::decide(GetSeconds getSeconds) {
  for (unsigned number = versions.size(); number-- > 0;)
    settle(number, getSeconds);
  versions.front().wanted = versions.front().all;
  for (Version &version : versions)
    llvm::stable_sort(version.wanted,
                      [](const Want &a, const Want &b) { return a.order < b.order; });
}

unsigned MoveSources::getMerged(unsigned number) const {
  while (versions[number].mergedInto)
    number = *versions[number].mergedInto;
  return number;
}

unsigned MoveSources::getSource(unsigned number, const Layout &wanted) const {
  while (true) {
    number = getMerged(number);
    if (number == 0 || isWanted(wanted, versions[number].wanted))
      return number;
    number = versions[number].parent;
  }
}
