//===- SplitLongSums.cpp - Sums over rows that are too long --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of a device's threads that reduces rows and adds them up, as the gradient of a
// normalization does, has the sums in registers and the rows in shared memory. Of longer rows it
// would have to read and write the sums in memory for each row: 4 accesses of each element
// beside 3. A kernel of their own reads both operands again, which are 2.
//
//===----------------------------------------------------------------------===//
#include "GreedyFusion.h"

#include "dmc/Dialect/DMC/ThreadRegisters.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dmc;

void Greedy::splitLongSums() {
  if (!problem.target.isDevice())
    return;
  for (unsigned index = 0, count = groups.size(); index < count; ++index) {
    if (!hasLongSums(groups[index]))
      continue;
    auto savedGroups = groups;
    auto savedGroupsOf = groupsOf;
    if (splitSums(index))
      continue;
    groups = std::move(savedGroups);
    groupsOf = std::move(savedGroupsOf);
  }
}

SmallVector<unsigned> Greedy::findMembers(const Group &group,
                                          function_ref<bool(unsigned, const Member &)> is) {
  SmallVector<unsigned> nodes;
  for (auto &[node, member] : group.members)
    if (is(node, member))
      nodes.push_back(node);
  llvm::sort(nodes);
  return nodes;
}

SmallVector<unsigned> Greedy::findSums(const Group &group) {
  return findMembers(group, [](unsigned, const Member &member) { return member.isBeside; });
}

SmallVector<unsigned> Greedy::findRowReductions(const Group &group) const {
  return findMembers(group, [&](unsigned node, const Member &member) {
    return !member.isBeside && problem.nodes[node].kind == FusionKind::Reduction;
  });
}

/// Whether a block's registers and shared memory do not hold the sums and the rows. Rows are kept
/// that are read by reductions, and again when the row is written, and what all rows read.
bool Greedy::hasLongSums(const Group &group) const {
  if (group.isMerged || group.kind != KernelKind::Row)
    return false;
  SmallVector<unsigned> sums = findSums(group), reductions = findRowReductions(group);
  if (sums.empty() || reductions.empty())
    return false;
  ArrayRef<int64_t> all = problem.getResultShape(group.roots.front()),
                    row = problem.getResultShape(sums.front());
  auto bytesOf = [](Value value) -> int64_t {
    Type type = getElementTypeOrSelf(value);
    return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  };
  int64_t sumWords = 0, rowWords = 0, keptBytes = 0, columns = llvm::product_of(row);
  for (unsigned sum : sums)
    sumWords += llvm::divideCeil(bytesOf(problem.nodes[sum].op->getResult(0)), 4);
  llvm::DenseSet<unsigned> reduced = collectProducers(problem, group, reductions, {});
  llvm::SmallDenseSet<Value> seen;
  for (auto &[node, member] : group.members)
    for (const FusionRead &read : problem.nodes[node].reads) {
      auto type = dyn_cast<RankedTensorType>(read.value.getType());
      bool isInside = read.producer >= 0 && group.members.contains(read.producer);
      if (!type || isInside || seen.contains(read.value))
        continue;
      bool isRow = type.getShape() == all && reduced.contains(node);
      if (!isRow && type.getShape() != row)
        continue;
      seen.insert(read.value);
      keptBytes += bytesOf(read.value);
      if (isRow)
        rowWords += llvm::divideCeil(bytesOf(read.value), 4);
    }
  int64_t team = getLargestTeam(problem.target);
  if (columns <= 2 * countHeldElements(problem.target, rowWords + sumWords) * team)
    return false; // also the rows are in registers
  // What the warps of a block give each other takes little.
  constexpr int64_t exchangedBytes = 1024;
  return columns > 2 * countHeldElements(problem.target, sumWords) * team ||
         columns * keptBytes > problem.target.getSharedBytes() - exchangedBytes;
}

/// Moves the sums to a group that reads what the rows' reductions give, and computes the rest of
/// what they add up again. False if there is no such group: then all is to be restored.
bool Greedy::splitSums(unsigned index) {
  SmallVector<unsigned> sums = findSums(groups[index]);
  size_t rank = problem.getResultShape(groups[index].roots.front()).size();
  // What follows from the reductions, and has one element for each row.
  llvm::DenseSet<unsigned> follows;
  SmallVector<unsigned> ofRows;
  for (unsigned node : findMembers(groups[index], [](unsigned, const Member &) { return true; })) {
    const FusionNode &info = problem.nodes[node];
    bool reads = llvm::any_of(info.reads, [&](const FusionRead &read) {
      return read.producer >= 0 && follows.contains(read.producer);
    });
    bool isSum = llvm::is_contained(sums, node);
    if (isSum || (info.kind != FusionKind::Reduction && !reads))
      continue;
    follows.insert(node);
    if (problem.getResultShape(node).size() < rank)
      ofRows.push_back(node);
  }
  llvm::DenseSet<unsigned> moved = collectProducers(problem, groups[index], sums, ofRows);
  Group &rows = groups[index];
  llvm::erase_if(rows.roots, [&](unsigned root) { return llvm::is_contained(sums, root); });
  for (unsigned node : moved)
    for (const FusionRead &read : problem.nodes[node].reads)
      if (read.producer >= 0 && llvm::is_contained(ofRows, unsigned(read.producer)) &&
          !llvm::is_contained(rows.roots, unsigned(read.producer)))
        rows.roots.push_back(read.producer);
  if (rows.roots.empty() || rows.roots.size() > maxRoots)
    return false;
  llvm::DenseSet<unsigned> rest = collectProducers(problem, rows, rows.roots, {});
  for (auto &[node, member] : rows.members)
    if (!rest.contains(node))
      llvm::erase(groupsOf[node], index);
  keepMembers(rows, rest);
  unsigned added = groups.size();
  makeGroup(sums.front());
  for (unsigned sum : ArrayRef(sums).drop_front())
    if (!addBeside(added, sum))
      return false;
  SmallVector<unsigned> others;
  for (unsigned node : moved)
    if (!llvm::is_contained(sums, node))
      others.push_back(node);
  llvm::sort(others, std::greater<unsigned>());
  for (unsigned node : others) {
    SmallVector<unsigned, 2> users;
    for (unsigned user : problem.nodes[node].users)
      if (groups[added].members.contains(user))
        users.push_back(user);
    if (!addTo(added, node, users))
      return false;
  }
  return evaluateAll(groups[index]) && findPlace(groups[index], {index}) &&
         findPlace(groups[added], {added});
}
