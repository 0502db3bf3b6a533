//===- FusionDecision.cpp - What makes a grouping right -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order, checks and in-place pairs of a grouping of operations into kernels.
//
//===----------------------------------------------------------------------===//
#include "dmc/Fusion/FusionProblem.h"

#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

#include <queue>

using namespace mlir;
using namespace dmc;

GroupAccesses::Positions GroupAccesses::through(const Positions &reader,
                                                const FusionAccess &access) {
  if (access.isIdentity())
    return reader;
  Positions result;
  for (unsigned position : reader) {
    unsigned number = numbers.try_emplace({position, access}, numbers.size() + 1).first->second;
    if (!llvm::is_contained(result, number))
      result.push_back(number);
  }
  return result;
}

namespace {
/// Where values that leave their operation's unit come from. A unit is an
/// operation outside of kernels, or a group.
struct Units {
  Units(const FusionProblem &problem, const FusionDecision &decision)
      : numNodes(problem.nodes.size()), rootGroup(numNodes, -1) {
    for (auto [g, group] : llvm::enumerate(decision.groups))
      for (unsigned root : group.roots)
        rootGroup[root] = g;
  }

  /// The unit that hands over the node's results; -1 if none does.
  int getSource(const FusionProblem &problem, unsigned node) const {
    if (problem.nodes[node].kind == FusionKind::Outside)
      return node;
    return rootGroup[node] < 0 ? -1 : numNodes + rootGroup[node];
  }

  unsigned numNodes;
  std::vector<int> rootGroup;
};
} // namespace

std::vector<unsigned> dmc::getExecutionOrder(const FusionProblem &problem,
                                             const FusionDecision &decision) {
  Units units(problem, decision);
  unsigned numNodes = problem.nodes.size(), numUnits = numNodes + decision.groups.size();
  std::vector<SmallVector<unsigned, 2>> successors(numUnits);
  std::vector<unsigned> pending(numUnits, 0), key(numUnits, 0);
  auto depend = [&](unsigned unit, const FusionNode &node,
                    llvm::function_ref<bool(unsigned)> isInternal) {
    for (const FusionRead &read : node.reads) {
      if (read.producer < 0 || isInternal(read.producer))
        continue;
      int source = units.getSource(problem, read.producer);
      if (source >= 0) {
        successors[source].push_back(unit);
        ++pending[unit];
      }
    }
  };
  using Entry = std::pair<unsigned, unsigned>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  unsigned expected = 0;
  for (unsigned i = 0; i < numNodes; ++i) {
    if (problem.nodes[i].kind != FusionKind::Outside)
      continue;
    key[i] = i;
    depend(i, problem.nodes[i], [](unsigned) { return false; });
    ++expected;
    if (pending[i] == 0)
      ready.push({i, i});
  }
  for (auto [g, group] : llvm::enumerate(decision.groups)) {
    unsigned unit = numNodes + g;
    key[unit] = group.roots.back();
    llvm::SmallSet<unsigned, 16> members(group.nodes.begin(), group.nodes.end());
    for (unsigned node : group.nodes)
      depend(unit, problem.nodes[node], [&](unsigned i) { return members.contains(i); });
    ++expected;
    if (pending[unit] == 0)
      ready.push({key[unit], unit});
  }
  std::vector<unsigned> order;
  while (!ready.empty()) {
    unsigned unit = ready.top().second;
    ready.pop();
    order.push_back(unit);
    for (unsigned next : successors[unit])
      if (--pending[next] == 0)
        ready.push({key[next], next});
  }
  if (order.size() != expected)
    order.clear();
  return order;
}

/// Each number is larger than the one before it: in order, and none twice.
static bool isAscending(ArrayRef<unsigned> numbers) {
  return std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<unsigned>()) ==
         numbers.end();
}

std::string dmc::verifyDecision(const FusionProblem &problem, const FusionDecision &decision) {
  Units units(problem, decision);
  auto name = [&](unsigned node) {
    return "operation " + std::to_string(node) + " (" +
           problem.nodes[node].op->getName().getStringRef().str() + ")";
  };
  std::vector<unsigned> timesRoot(problem.nodes.size(), 0);
  auto checkSource = [&](const FusionRead &read) -> std::string {
    if (read.producer < 0 || problem.nodes[read.producer].kind == FusionKind::Free ||
        units.getSource(problem, read.producer) >= 0)
      return "";
    return name(read.producer) + " is read from outside of its kernels";
  };
  for (auto [g, group] : llvm::enumerate(decision.groups)) {
    if (group.nodes.empty() || group.roots.empty() || !isAscending(group.nodes) ||
        !isAscending(group.roots))
      return "group " + std::to_string(g) + " is empty or not in order";
    for (unsigned node : group.nodes) {
      if (!problem.nodes[node].isFusible())
        return name(node) + " cannot be in a kernel";
      for (const FusionRead &read : problem.nodes[node].reads)
        if (read.producer >= 0 && !llvm::is_contained(group.nodes, unsigned(read.producer)))
          if (std::string error = checkSource(read); !error.empty())
            return error;
    }
    for (unsigned root : group.roots) {
      if (!llvm::is_contained(group.nodes, root))
        return name(root) + " is a root of a kernel that does not contain it";
      if (++timesRoot[root] > 1)
        return name(root) + " is a root of two kernels";
      if (group.kind == KernelKind::Loop &&
          problem.getResultShape(root) != problem.getResultShape(group.roots.front()))
        return name(root) + " has another iteration space than its kernel";
    }
  }
  for (const FusionNode &node : problem.nodes)
    if (node.kind == FusionKind::Outside)
      for (const FusionRead &read : node.reads)
        if (std::string error = checkSource(read); !error.empty())
          return error;
  if (!problem.nodes.empty() && getExecutionOrder(problem, decision).empty())
    return "kernels depend on each other in a cycle";
  return "";
}

/// Whether the slice has the elements of `value` that the update replaces.
static bool isWindowOf(Operation *root, Operation *op, Value value) {
  auto update = dyn_cast<DynamicUpdateSliceOp>(root);
  auto slice = dyn_cast<DynamicSliceOp>(op);
  return update && slice && slice.getOperand() == value && update.getOperand() == value &&
         update.getUpdate().getType() == slice.getResult().getType() &&
         llvm::equal(update.getStarts(), slice.getStarts()) &&
         update.getStartsAreUnsigned() == slice.getStartsAreUnsigned();
}

SmallVector<Value, 1> dmc::getInPlaceInputs(const FusionProblem &problem, const KernelGroup &group,
                                            const llvm::DenseMap<unsigned, Value> &partners) {
  // What each value from outside is read for. `windowOf` is the update whose
  // own window is read of what it updates, at the elements that it writes.
  struct Reads {
    bool onlyAtRoot = true;
    unsigned count = 0, windows = 0;
    int initOf = -1, windowOf = -1;
  };
  llvm::MapVector<Value, Reads> inputs;
  llvm::DenseMap<unsigned, GroupAccesses::Positions> positions;
  GroupAccesses accesses;
  for (unsigned root : group.roots)
    positions[root] = {0};
  for (unsigned member : llvm::reverse(group.nodes)) {
    GroupAccesses::Positions reader = positions[member];
    for (const FusionRead &read : problem.nodes[member].reads) {
      GroupAccesses::Positions at = accesses.through(reader, read.access);
      if (read.producer >= 0 && llvm::is_contained(group.nodes, unsigned(read.producer))) {
        GroupAccesses::Positions &all = positions[read.producer];
        for (unsigned position : at)
          if (!llvm::is_contained(all, position))
            all.push_back(position);
        continue;
      }
      Reads &reads = inputs[read.value];
      reads.onlyAtRoot &= at.size() == 1 && at.front() == 0;
      ++reads.count;
      if (reader.size() == 1 && reader.front() == 0 &&
          isWindowOf(problem.nodes[group.roots.front()].op, problem.nodes[member].op, read.value)) {
        ++reads.windows;
        reads.windowOf = group.roots.front();
      }
      if (read.isInit)
        reads.initOf = member;
    }
  }
  auto fits = [&](unsigned root, Value value, const Reads &reads) {
    if (value.getType() != problem.nodes[root].op->getResult(0).getType())
      return false;
    if (group.kind == KernelKind::Loop)
      return reads.onlyAtRoot;
    bool isReadAtWrites = reads.count == 1 || (reads.count == 1 + reads.windows &&
                                               reads.windowOf == static_cast<int>(root));
    return group.kind != KernelKind::Opaque && isReadAtWrites &&
           reads.initOf == static_cast<int>(root);
  };
  auto rank = [&](unsigned root, Value value) {
    if (partners.lookup(root) == value)
      return 3;
    if (isa<BlockArgument>(value))
      return 0;
    bool isLast = llvm::all_of(value.getUsers(), [&](Operation *user) {
      auto node = problem.index.find(user);
      return node != problem.index.end() && llvm::is_contained(group.nodes, node->second);
    });
    return isLast ? 2 : 1;
  };
  // Partners first, so that no other root takes them.
  SmallVector<Value, 1> result(group.roots.size());
  llvm::SmallSet<void *, 4> used;
  for (int pass : {3, 0}) {
    for (auto [i, root] : llvm::enumerate(group.roots)) {
      if (result[i])
        continue;
      int best = pass - 1;
      for (auto &[value, reads] : inputs) {
        if (used.contains(value.getAsOpaquePointer()) || !fits(root, value, reads))
          continue;
        if (int candidate = rank(root, value); candidate > best) {
          best = candidate;
          result[i] = value;
        }
      }
      if (result[i])
        used.insert(result[i].getAsOpaquePointer());
    }
  }
  return result;
}
