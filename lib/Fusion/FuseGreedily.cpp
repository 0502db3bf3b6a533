//===- FuseGreedily.cpp - Kernels without a solver -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One sweep from the last operation to the first: at each, all its users are
// in kernels already.
//
//===----------------------------------------------------------------------===//
#include "GreedyFusion.h"

#include "dmc/Dialect/DMC/SparseUpdate.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace dmc;

/// Operations between two roots that are joined only to share an operand.
static constexpr double maxSiblingDistance = 512;
static constexpr unsigned maxSiblingTries = 8;

static KernelKind getKernelKind(FusionKind kind) {
  switch (kind) {
  case FusionKind::Reduction:
    return KernelKind::Reduction;
  case FusionKind::Contraction:
    return KernelKind::Contraction;
  case FusionKind::Convolution:
    return KernelKind::Convolution;
  case FusionKind::Scatter:
    return KernelKind::Scatter;
  case FusionKind::Update:
    return KernelKind::Update;
  case FusionKind::Opaque:
    return KernelKind::Opaque;
  default:
    return KernelKind::Loop;
  }
}

FusionDecision Greedy::run() {
  for (unsigned node = problem.nodes.size(); node-- > 0;)
    visit(node);
  moveIntoRows();
  joinReadersOfArguments();
  splitLongSums();
  FusionDecision decision;
  for (Group &group : llvm::reverse(groups)) {
    if (group.isMerged)
      continue;
    KernelGroup result;
    result.kind = group.kind;
    for (auto &[node, member] : group.members)
      result.nodes.push_back(node);
    llvm::sort(result.nodes);
    result.roots = group.roots;
    llvm::sort(result.roots);
    decision.groups.push_back(std::move(result));
  }
  return decision;
}

void Greedy::visit(unsigned node) {
  const FusionNode &info = problem.nodes[node];
  if (info.users.empty() && info.isFusible())
    return; // dead
  bool hasOutsideUser = false;
  Readers readers = getReaders(node, hasOutsideUser);
  if (joinSiblings(node, readers))
    readers = getReaders(node, hasOutsideUser);
  if (!info.isFusible())
    return;
  if (info.numReducedLeading && joinBeside(node))
    return;

  if (isTransposedContraction(node))
    return makeGroup(node);
  if (addToTranspose(node, hasOutsideUser, readers) || addToUpdate(node, hasOutsideUser, readers))
    return;
  if (info.isStridedView && !info.isDuplicable)
    readers.remove_if([&](auto &entry) {
      return groups[entry.first].kind == KernelKind::Contraction &&
             addTo(entry.first, node, entry.second);
    });
  if (readers.empty() && !hasOutsideUser)
    return;

  bool needsBuffer = hasOutsideUser;
  if (info.isDuplicable) {
    for (auto &[group, users] : readers)
      needsBuffer |= !addTo(group, node, users);
  } else if (!hasOutsideUser && readers.size() == 1) {
    unsigned group = splitRows(readers.front().first, node);
    needsBuffer = !addTo(group, node, readers.front().second);
  } else if (!hasOutsideUser && info.isRecomputable && canJoinAll(node, readers)) {
    for (auto &[group, users] : readers)
      addTo(group, node, users);
  } else {
    needsBuffer = true;
    // The kernel with the most dimensions first: what it computes of rows may follow there.
    SmallVector<unsigned> order;
    for (auto &[group, users] : readers)
      order.push_back(group);
    llvm::stable_sort(order, [&](unsigned a, unsigned b) { return rankOf(a) > rankOf(b); });
    for (unsigned group : order)
      if (addRoot(group, node, readers[group]))
        return;
  }
  if (needsBuffer)
    makeGroup(node);
}

size_t Greedy::rankOf(unsigned group) const {
  return problem.getResultShape(groups[group].roots.front()).size();
}

bool Greedy::isTransposedContraction(unsigned node) const {
  const FusionNode &info = problem.nodes[node];
  if (!isa<linalg::TransposeOp>(info.op) || info.reads.front().producer < 0)
    return false;
  const FusionNode &producer = problem.nodes[info.reads.front().producer];
  return producer.kind == FusionKind::Contraction && producer.users.size() == 1;
}

bool Greedy::addToTranspose(unsigned node, bool hasOutsideUser, const Readers &readers) {
  if (problem.nodes[node].kind != FusionKind::Contraction || hasOutsideUser || readers.size() != 1)
    return false;
  Group &group = groups[readers.front().first];
  if (group.members.size() != 1 || !isTransposedContraction(group.roots.front()))
    return false;
  group.kind = KernelKind::Contraction;
  group.accesses = GroupAccesses();
  group.members[node] = Member{{0}, 1, 0};
  groupsOf[node].push_back(readers.front().first);
  return true;
}

bool Greedy::addToUpdate(unsigned node, bool hasOutsideUser, const Readers &readers) {
  const FusionNode &info = problem.nodes[node];
  if (info.kind != FusionKind::Scatter || hasOutsideUser || readers.size() != 1)
    return false;
  auto scatter = cast<ScatterOp>(info.op);
  Group &group = groups[readers.front().first];
  bool isElementwise = group.kind == KernelKind::Loop && group.roots.size() == 1 &&
                       llvm::all_of(group.members, [](auto &entry) {
                         return entry.second.positions == GroupAccesses::Positions{0};
                       });
  if (!isElementwise || group.members.size() >= maxNodes ||
      !getUnscattered(problem.nodes[group.roots.front()].op->getResult(0), scatter))
    return false;
  // Two kernels write the splat, read the sum and the operand and write the value of each
  // element of the target: 4 moves. One kernel writes the splat (which fetches its line first),
  // reads the sum and the operand and writes the value and the splat again, of each element of
  // the updates: 6 moves. All others are the same.
  double updates = static_cast<double>(scatter.getUpdateType().getNumElements()),
         elements = static_cast<double>(scatter.getTargetType().getNumElements());
  if (6 * updates >= 4 * elements)
    return false;
  for (const FusionRead &read : info.reads)
    if (read.isInit && (read.producer < 0 || problem.nodes[read.producer].kind != FusionKind::Fill))
      return false;
  group.kind = KernelKind::Scatter;
  group.accesses = GroupAccesses();
  group.members[node] = Member{{0}, 1, 0};
  groupsOf[node].push_back(readers.front().first);
  return true;
}

bool Greedy::canJoinAll(unsigned node, const Readers &readers) {
  return llvm::all_of(readers, [&](auto &entry) {
    return groups[entry.first].members.size() < maxNodes &&
           evaluate(groups[entry.first], node, entry.second);
  });
}

Greedy::Readers Greedy::getReaders(unsigned node, bool &hasOutsideUser) const {
  Readers readers;
  for (unsigned user : problem.nodes[node].users) {
    if (problem.nodes[user].kind == FusionKind::Outside)
      hasOutsideUser = true;
    for (unsigned group : groupsOf[user])
      readers[group].push_back(user);
  }
  return readers;
}

bool Greedy::joinBeside(unsigned node) {
  SmallVector<unsigned> candidates, work = {node};
  llvm::SmallDenseSet<unsigned> seen = {node};
  for (size_t i = 0; i < work.size() && i < maxSiblingTries; ++i) {
    for (const FusionRead &read : problem.nodes[work[i]].reads) {
      if (read.isInit || !isa<RankedTensorType>(read.value.getType()))
        continue;
      for (Operation *user : read.value.getUsers())
        if (auto found = problem.index.find(user); found != problem.index.end())
          for (unsigned group : groupsOf[found->second])
            if (!llvm::is_contained(candidates, group))
              candidates.push_back(group);
      if (read.producer >= 0 && problem.nodes[read.producer].kind == FusionKind::Elementwise &&
          seen.insert(read.producer).second)
        work.push_back(read.producer);
    }
  }
  return llvm::any_of(candidates, [&](unsigned index) { return addBeside(index, node); });
}

bool Greedy::addBeside(unsigned index, unsigned node) {
  Group &group = groups[index];
  // Another sum of the same columns, or the loops of other roots. Sums of everything have kernels
  // of their own: what follows from them is computed with them.
  unsigned first = group.roots.front();
  bool joinsSum = group.kind == KernelKind::Reduction &&
                  problem.nodes[first].numReducedLeading > 0 &&
                  !problem.getResultShape(first).empty() &&
                  problem.getResultShape(first) == problem.getResultShape(node);
  SmallVector<int64_t> shape(problem.getResultShape(first));
  if (joinsSum)
    shape = cast<linalg::LinalgOp>(problem.nodes[first].op).getStaticLoopRanges();
  if ((!isLoop(group.kind) && !joinsSum) || group.members.size() >= maxNodes ||
      group.roots.size() >= maxRoots || group.members.contains(node) ||
      !isReducedBeside(problem, node, shape) ||
      llvm::any_of(problem.nodes[node].users,
                   [&](unsigned user) { return group.members.contains(user); }))
    return false;
  Member member{{}, 1, 0};
  if (joinsSum)
    member.positions = {0};
  else
    member.isBeside = true;
  return appendRoot(index, node, member, joinsSum ? group.kind : KernelKind::Row);
}

bool Greedy::appendRoot(unsigned index, unsigned node, const Member &member, KernelKind kind) {
  Group &group = groups[index];
  std::swap(group.kind, kind);
  group.members[node] = member;
  group.roots.push_back(node);
  groupsOf[node].push_back(index);
  if (findPlace(group, {index}))
    return true;
  group.kind = kind;
  group.members.erase(node);
  group.roots.pop_back();
  groupsOf[node].pop_back();
  return false;
}

bool Greedy::addTo(unsigned index, unsigned node, ArrayRef<unsigned> users) {
  Group &group = groups[index];
  // What a scatter starts from is in its kernel always.
  if (group.members.size() >= maxNodes && problem.nodes[node].kind != FusionKind::Fill)
    return false;
  std::optional<Member> member = evaluate(group, node, users);
  if (!member)
    return false;
  group.members[node] = *member;
  if (problem.nodes[node].kind == FusionKind::Reduction && group.kind == KernelKind::Loop)
    group.kind = isScalarReduction(group, node) ? KernelKind::Reduction : KernelKind::Row;
  groupsOf[node].push_back(index);
  return true;
}

bool Greedy::addRoot(unsigned index, unsigned node, ArrayRef<unsigned> users) {
  Group &group = groups[index];
  const FusionNode &info = problem.nodes[node];
  bool isLarge = problem.getResultShape(node) == problem.getResultShape(group.roots.front());
  if (!isLoop(group.kind) || group.members.size() >= maxNodes || group.roots.size() >= maxRoots ||
      (info.kind != FusionKind::Elementwise && info.kind != FusionKind::Reduction) ||
      (!isLarge && !isPrefix(group, node)) ||
      (info.kind == FusionKind::Reduction && problem.getResultShape(node).empty()))
    return false;
  std::optional<Member> member = evaluate(group, node, users);
  if (!member || !makeRoot(group, node, *member))
    return false;
  bool hasRows = !isLarge || info.kind == FusionKind::Reduction;
  return appendRoot(index, node, *member, hasRows ? KernelKind::Row : group.kind);
}

void Greedy::makeGroup(unsigned node) {
  Group group;
  group.kind = getKernelKind(problem.nodes[node].kind);
  group.members[node] = Member{{0}, 1, 0};
  group.roots = {node};
  group.place = node;
  if (isLoop(group.kind))
    group.accesses = GroupAccesses(problem.getResultShape(node));
  groupsOf[node].push_back(groups.size());
  groups.push_back(std::move(group));
}

bool Greedy::joinSiblings(unsigned node, const Readers &readers) {
  auto type = problem.nodes[node].op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(problem.nodes[node].op->getResult(0).getType())
                  : RankedTensorType();
  // What is copied does not justify fusing.
  if (readers.size() < 2 || !type || problem.nodes[node].isDuplicable)
    return false;
  auto reads = [&](unsigned user, const FusionRead &read) {
    return read.producer == static_cast<int>(node);
  };
  return joinReaders(readers, type, reads);
}

void Greedy::joinReadersOfArguments() {
  llvm::MapVector<Value, SmallVector<unsigned, 2>> users;
  for (unsigned node = 0; node < problem.nodes.size(); ++node)
    if (problem.nodes[node].isFusible())
      for (const FusionRead &read : problem.nodes[node].reads)
        if (read.producer < 0 && isa<RankedTensorType>(read.value.getType()))
          users[read.value].push_back(node);
  for (auto &[value, nodes] : users) {
    Readers readers;
    for (unsigned node : nodes)
      for (unsigned group : groupsOf[node])
        readers[group].push_back(node);
    Value argument = value;
    joinReaders(readers, cast<RankedTensorType>(value.getType()),
                [&](unsigned user, const FusionRead &read) { return read.value == argument; });
  }
}

bool Greedy::joinReaders(const Readers &readers, RankedTensorType type,
                         llvm::function_ref<bool(unsigned, const FusionRead &)> reads) {
  SmallVector<unsigned> candidates;
  for (auto &[index, users] : readers) {
    Group &group = groups[index];
    if (!isLoop(group.kind) || problem.getResultShape(group.roots.front()) != type.getShape())
      continue;
    bool atRoot = true;
    for (unsigned user : users)
      for (const FusionRead &read : problem.nodes[user].reads)
        if (reads(user, read)) {
          auto at = getPositions(group, problem.nodes[user], group.members[user], read);
          atRoot &= llvm::all_of(at, [&](unsigned position) {
            return position == 0 || group.accesses.isInRow(position);
          });
        }
    if (atRoot)
      candidates.push_back(index);
  }
  llvm::sort(candidates, [&](unsigned a, unsigned b) { return groups[a].place < groups[b].place; });
  bool changed = false;
  unsigned tries = 0;
  for (size_t i = 0; i + 1 < candidates.size() && tries < maxSiblingTries; ++i, ++tries) {
    if (groups[candidates[i + 1]].place - groups[candidates[i]].place > maxSiblingDistance)
      continue;
    if (!merge(candidates[i], candidates[i + 1]))
      continue;
    candidates[i + 1] = candidates[i];
    changed = true;
  }
  return changed;
}

bool Greedy::merge(unsigned into, unsigned from) {
  Group joined = groups[into];
  if (groups[from].kind == KernelKind::Row)
    joined.kind = KernelKind::Row;
  for (auto &[node, member] : groups[from].members)
    joined.members.try_emplace(node, member);
  llvm::append_range(joined.roots, groups[from].roots);
  if (joined.members.size() > maxNodes || joined.roots.size() > maxRoots || !evaluateAll(joined) ||
      !findPlace(joined, {into, from}))
    return false;
  for (auto &[node, member] : groups[from].members) {
    llvm::erase(groupsOf[node], from);
    if (!llvm::is_contained(groupsOf[node], into))
      groupsOf[node].push_back(into);
  }
  groups[into] = std::move(joined);
  groups[from] = Group();
  groups[from].isMerged = true;
  return true;
}

FusionDecision dmc::fuseGreedily(const FusionProblem &problem) { return Greedy(problem).run(); }
