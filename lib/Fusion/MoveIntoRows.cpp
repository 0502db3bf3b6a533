//===- MoveIntoRows.cpp - What follows from reductions of rows -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reductions of a row and what follows from them for the row belong to one kernel.
//
//===----------------------------------------------------------------------===//
#include "GreedyFusion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dmc;

void Greedy::moveIntoRows() {
  for (unsigned from = 0; from < groups.size(); ++from) {
    if (groups[from].isMerged ||
        (groups[from].kind != KernelKind::Loop && groups[from].kind != KernelKind::Reduction))
      continue;
    llvm::SmallSetVector<unsigned, 4> sources;
    for (auto &[node, member] : groups[from].members)
      for (const FusionRead &read : problem.nodes[node].reads)
        if (read.producer >= 0 && !groups[from].members.contains(read.producer))
          for (unsigned group : groupsOf[read.producer])
            if (groups[group].kind == KernelKind::Row &&
                llvm::is_contained(groups[group].roots, unsigned(read.producer)))
              sources.insert(group);
    SmallVector<unsigned> sorted(sources.getArrayRef());
    llvm::sort(sorted);
    llvm::any_of(sorted, [&](unsigned into) { return moveRows(into, from); });
  }
}

llvm::DenseSet<unsigned> Greedy::collectProducers(const FusionProblem &problem, const Group &group,
                                                  ArrayRef<unsigned> nodes,
                                                  ArrayRef<unsigned> except) {
  llvm::SetVector<unsigned> all(nodes.begin(), nodes.end());
  for (size_t i = 0; i < all.size(); ++i)
    for (const FusionRead &read : problem.nodes[all[i]].reads)
      if (read.producer >= 0 && group.members.contains(read.producer) &&
          !llvm::is_contained(except, unsigned(read.producer)))
        all.insert(read.producer);
  return llvm::DenseSet<unsigned>(all.begin(), all.end());
}

SmallVector<unsigned> Greedy::findReducedValues(const Group &group) const {
  SmallVector<unsigned> values;
  for (auto &[node, member] : group.members)
    if (problem.nodes[node].kind == FusionKind::Reduction)
      for (const FusionRead &read : problem.nodes[node].reads)
        if (read.producer >= 0 && group.members.contains(read.producer) &&
            problem.nodes[read.producer].kind == FusionKind::Elementwise)
          values.push_back(read.producer);
  llvm::sort(values);
  values.erase(llvm::unique(values), values.end());
  return values;
}

unsigned Greedy::splitRows(unsigned index, unsigned node) {
  if (groups[index].kind != KernelKind::Reduction ||
      problem.nodes[node].kind != FusionKind::Reduction)
    return index;
  SmallVector<unsigned> values = findReducedValues(groups[index]);
  if (values.size() != 1 || problem.getResultShape(values.front()) != problem.getResultShape(node))
    return index;
  Group rows;
  llvm::DenseSet<unsigned> moved = collectProducers(problem, groups[index], values, {});
  llvm::DenseSet<unsigned> rest =
      collectProducers(problem, groups[index], groups[index].roots, values);
  for (unsigned member : moved)
    rows.members.try_emplace(member);
  rows.roots = {values.front()};
  SmallVector<unsigned, 2> users;
  for (unsigned user : problem.nodes[node].users)
    if (groups[index].members.contains(user)) {
      if (rest.contains(user))
        return index;
      users.push_back(user);
    }
  if (!evaluateAll(rows) || !evaluate(rows, node, users) || !findPlace(rows, {}))
    return index;
  for (unsigned member : moved) {
    if (!rest.contains(member))
      llvm::erase(groupsOf[member], index);
    groupsOf[member].push_back(groups.size());
  }
  keepMembers(groups[index], rest);
  groups.push_back(std::move(rows));
  return groups.size() - 1;
}

void Greedy::keepMembers(Group &group, const llvm::DenseSet<unsigned> &rest) {
  SmallVector<unsigned> gone;
  for (auto &[node, member] : group.members)
    if (!rest.contains(node))
      gone.push_back(node);
  for (unsigned node : gone)
    group.members.erase(node);
}

SmallVector<unsigned> Greedy::findRowValues(const Group &into, const Group &from) const {
  SmallVector<unsigned> values;
  if (isMovedWhole(into, from)) {
    values.assign(from.roots.begin(), from.roots.end());
  } else {
    values = findReducedValues(from);
  }
  bool areOfRows = llvm::all_of(values, [&](unsigned node) {
    bool isRoot = llvm::any_of(groupsOf[node], [&](unsigned group) {
      return &groups[group] != &from && llvm::is_contained(groups[group].roots, node);
    });
    return isPrefix(into, node) && !isRoot;
  });
  return areOfRows ? values : SmallVector<unsigned>();
}

bool Greedy::isMovedWhole(const Group &into, const Group &from) const {
  return from.kind == KernelKind::Loop ||
         (isPrefix(into, from.roots.front()) &&
          problem.nodes[from.roots.front()].numReducedLeading == 0);
}

bool Greedy::moveRows(unsigned into, unsigned from) {
  const Group &source = groups[from];
  SmallVector<unsigned> values = findRowValues(groups[into], source);
  if (values.empty())
    return false;
  bool movesAll = isMovedWhole(groups[into], source);
  llvm::DenseSet<unsigned> moved = collectProducers(problem, source, values, {}), rest;
  if (!movesAll)
    rest = collectProducers(problem, source, source.roots, values);
  Group joined = groups[into];
  for (unsigned node : moved)
    joined.members.try_emplace(node);
  // Reductions that nobody else reads any more stay inside.
  auto isRead = [&](unsigned user) {
    return problem.nodes[user].kind == FusionKind::Outside ||
           llvm::any_of(groupsOf[user], [&](unsigned group) {
             return group != into && (group != from || rest.contains(user));
           });
  };
  llvm::erase_if(joined.roots, [&](unsigned root) {
    return isPrefix(groups[into], root) && llvm::none_of(problem.nodes[root].users, isRead);
  });
  llvm::append_range(joined.roots, values);
  // A sum reads no more values than before.
  bool isMore = joined.roots.size() > groups[into].roots.size();
  SmallVector<unsigned, 2> parts = {into};
  if (movesAll)
    parts.push_back(from);
  if ((isMore && !movesAll) || joined.members.size() > maxNodes || joined.roots.size() > maxRoots ||
      !evaluateAll(joined) || !findPlace(joined, parts))
    return false;
  for (unsigned node : moved) {
    if (!rest.contains(node))
      llvm::erase(groupsOf[node], from);
    if (!llvm::is_contained(groupsOf[node], into))
      groupsOf[node].push_back(into);
  }
  groups[into] = std::move(joined);
  if (movesAll) {
    groups[from] = Group();
    groups[from].isMerged = true;
    return true;
  }
  keepMembers(groups[from], rest);
  return true;
}
