//===- FuseGreedily.cpp - Kernels without a solver ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One sweep from the last operation to the first: at each, all its users are
// in kernels already.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/SparseUpdate.h"
#include "dmc/Fusion/FusionProblem.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using namespace mlir;
using namespace dmc;

/// Bounds that keep compile time linear and generated code small.
static constexpr size_t maxPositions = 4;
static constexpr unsigned maxRepeatedWork = 4;
/// Within a row the alternative to computing a value again is a buffer as large as the kernel's
/// results: 12 bytes an element are written, fetched for that, and read. At 10 GB/s these take 1.2
/// ns, in which eight lanes at 3 GHz do 16 operations even if each takes two cycles.
static constexpr unsigned maxRepeatedWorkInRows = 16;
/// Fewer rows than this do not keep the threads of a rank busy.
static constexpr double minRows = 16;
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

static bool isLibraryCall(KernelKind kind) {
  return kind == KernelKind::Contraction || kind == KernelKind::Convolution;
}

/// What a kernel of this kind with the operation `reader` can compute of an
/// operand itself.
static bool canCompute(KernelKind kind, const FusionNode &reader, const FusionRead &read,
                       const FusionNode &producer) {
  bool isLoop = kind == KernelKind::Loop || kind == KernelKind::Row;
  if (producer.kind == FusionKind::Reduction)
    return isLoop && producer.resultMap && !read.isInit &&
           (reader.kind == FusionKind::Elementwise || reader.kind == FusionKind::Reduction);
  if (producer.kind != FusionKind::Elementwise && producer.kind != FusionKind::Fill)
    return false;
  bool isFill = producer.kind == FusionKind::Fill;
  if (isLibraryCall(kind))
    return read.isInit ? isFill : kind == KernelKind::Contraction && producer.isStridedView;
  switch (reader.kind) {
  case FusionKind::Elementwise:
    return true;
  case FusionKind::Reduction:
  case FusionKind::Scatter:
  case FusionKind::Update:
    return !read.isInit || isFill;
  default:
    return false;
  }
}

namespace {
/// How a kernel evaluates one of its operations.
struct Member {
  GroupAccesses::Positions positions;
  /// Evaluations per element of the operation's result.
  double reuse = 1;
  /// Work from here to where the repetition starts.
  unsigned repeatedWork = 0;
  /// A reduction by blocks of rows, beside the other roots.
  bool isBeside = false;
};

struct Group {
  KernelKind kind = KernelKind::Loop;
  llvm::DenseMap<unsigned, Member> members;
  /// The first is the largest.
  SmallVector<unsigned, 1> roots;
  GroupAccesses accesses;
  bool isMerged = false;
  /// A place in the block: behind all that the kernel reads and before all
  /// that reads it. Its existence shows that the graph is acyclic.
  double place = 0;
};

class Greedy {
public:
  Greedy(const FusionProblem &problem)
      : problem(problem), maxNodes(problem.target.getKernelOperations()),
        maxRoots(problem.target.getKernelResults()), groupsOf(problem.nodes.size()) {}

  FusionDecision run() {
    for (unsigned node = problem.nodes.size(); node-- > 0;)
      visit(node);
    joinReadersOfArguments();
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

private:
  using Readers = llvm::SmallMapVector<unsigned, SmallVector<unsigned, 2>, 4>;

  void visit(unsigned node) {
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
      needsBuffer = !addTo(readers.front().first, node, readers.front().second);
    } else if (!hasOutsideUser && info.isRecomputable && canJoinAll(node, readers)) {
      for (auto &[group, users] : readers)
        addTo(group, node, users);
    } else {
      needsBuffer = true;
      for (auto &[group, users] : readers)
        if (addRoot(group, node, users))
          return;
    }
    if (needsBuffer)
      makeGroup(node);
  }

  /// A transpose of what nobody else reads of a contraction belongs to it.
  bool isTransposedContraction(unsigned node) const {
    const FusionNode &info = problem.nodes[node];
    if (!isa<linalg::TransposeOp>(info.op) || info.reads.front().producer < 0)
      return false;
    const FusionNode &producer = problem.nodes[info.reads.front().producer];
    return producer.kind == FusionKind::Contraction && producer.users.size() == 1;
  }

  bool addToTranspose(unsigned node, bool hasOutsideUser, const Readers &readers) {
    if (problem.nodes[node].kind != FusionKind::Contraction || hasOutsideUser ||
        readers.size() != 1)
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

  /// A scatter into a splat of which only one elementwise value is computed that differs from an
  /// operand nowhere else: the value is computed where the scatter is.
  bool addToUpdate(unsigned node, bool hasOutsideUser, const Readers &readers) {
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
    // Of an element of the target, the plain way writes the splat, reads the sum and the operand
    // and writes the value: 4 moves. Of an element of the updates, this one writes the splat (which
    // fetches its line first), reads the sum and the operand, writes the value and the splat again:
    // 6 moves, which are all that the two ways do not share.
    double updates = static_cast<double>(scatter.getUpdateType().getNumElements()),
           elements = static_cast<double>(scatter.getTargetType().getNumElements());
    if (6 * updates >= 4 * elements)
      return false;
    for (const FusionRead &read : info.reads)
      if (read.isInit &&
          (read.producer < 0 || problem.nodes[read.producer].kind != FusionKind::Fill))
        return false;
    group.kind = KernelKind::Scatter;
    group.accesses = GroupAccesses();
    group.members[node] = Member{{0}, 1, 0};
    groupsOf[node].push_back(readers.front().first);
    return true;
  }

  bool canJoinAll(unsigned node, const Readers &readers) {
    return llvm::all_of(readers, [&](auto &entry) {
      return groups[entry.first].members.size() < maxNodes &&
             evaluate(groups[entry.first], node, entry.second);
    });
  }

  Readers getReaders(unsigned node, bool &hasOutsideUser) const {
    Readers readers;
    for (unsigned user : problem.nodes[node].users) {
      if (problem.nodes[user].kind == FusionKind::Outside)
        hasOutsideUser = true;
      for (unsigned group : groupsOf[user])
        readers[group].push_back(user);
    }
    return readers;
  }

  /// How the group would evaluate the node; nothing where it should not.
  std::optional<Member> evaluate(Group &group, unsigned node, ArrayRef<unsigned> users) {
    const FusionNode &info = problem.nodes[node];
    Member member;
    for (unsigned user : users) {
      const Member &reader = group.members.find(user)->second;
      for (const FusionRead &read : problem.nodes[user].reads) {
        if (read.producer != static_cast<int>(node))
          continue;
        if (!canCompute(group.kind, problem.nodes[user], read, info))
          return std::nullopt;
        for (unsigned position : getPositions(group, problem.nodes[user], reader, read)) {
          if (!llvm::is_contained(member.positions, position))
            member.positions.push_back(position);
          member.reuse = std::max(member.reuse, getReuse(group, node, position, reader, read));
        }
        member.repeatedWork = std::max(member.repeatedWork, reader.repeatedWork);
      }
    }
    if (member.positions.size() > maxPositions ||
        (info.kind == FusionKind::Reduction && !isRowReduction(group, node, member)))
      return std::nullopt;
    if (member.reuse > 1 || member.positions.size() > 1) {
      member.repeatedWork += info.work;
      bool hasRows = group.kind == KernelKind::Row && member.reuse == 1;
      if (member.repeatedWork > (hasRows ? maxRepeatedWorkInRows : maxRepeatedWork))
        return std::nullopt;
    } else {
      member.repeatedWork = 0;
    }
    return member;
  }

  static GroupAccesses::Positions getPositions(Group &group, const FusionNode &reader,
                                               const Member &member, const FusionRead &read) {
    return member.isBeside && !read.isInit ? group.accesses.fromLoops(read)
                                           : group.accesses.through(reader, member.positions, read);
  }

  /// Adds a reduction over rows to a kernel whose loops read what it reads, or what its operands
  /// are computed from.
  bool joinBeside(unsigned node) {
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

  bool addBeside(unsigned index, unsigned node) {
    Group &group = groups[index];
    if (!isLoop(group.kind) || group.members.size() >= maxNodes || group.roots.size() >= maxRoots ||
        group.members.contains(node) ||
        !isReducedBeside(problem, node, problem.getResultShape(group.roots.front())) ||
        llvm::any_of(problem.nodes[node].users,
                     [&](unsigned user) { return group.members.contains(user); }))
      return false;
    KernelKind kind = group.kind;
    group.kind = KernelKind::Row;
    Member member{{}, 1, 0};
    member.isBeside = true;
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

  /// Evaluations of a node at a position for each element of its result.
  double getReuse(const Group &group, unsigned node, unsigned position, const Member &reader,
                  const FusionRead &read) const {
    std::optional<double> count = group.accesses.countEvaluations(position);
    if (!count)
      return reader.reuse * read.reuse;
    double elements = 1;
    for (int64_t size : problem.getResultShape(node))
      elements *= static_cast<double>(size);
    return std::max(1.0, *count / std::max(1.0, elements));
  }

  /// Whether a reduction is computed once for each of its elements, outside of the loops over a
  /// row.
  bool isRowReduction(Group &group, unsigned node, const Member &member) const {
    ArrayRef<int64_t> shape = problem.getResultShape(node);
    double rows = 1;
    for (int64_t size : shape)
      rows *= static_cast<double>(size);
    return rows >= minRows && isPrefix(group, node) && member.positions.size() == 1 &&
           member.positions.front() == group.accesses.prefix(shape.size());
  }

  /// Whether the result has some, not all, of the leading dimensions of the group's largest root.
  bool isPrefix(const Group &group, unsigned node) const {
    ArrayRef<int64_t> shape = problem.getResultShape(node);
    ArrayRef<int64_t> largest = problem.getResultShape(group.roots.front());
    return !shape.empty() && shape.size() < largest.size() &&
           largest.take_front(shape.size()) == shape;
  }

  bool addTo(unsigned index, unsigned node, ArrayRef<unsigned> users) {
    Group &group = groups[index];
    // What a scatter starts from is in its kernel always.
    if (group.members.size() >= maxNodes && problem.nodes[node].kind != FusionKind::Fill)
      return false;
    std::optional<Member> member = evaluate(group, node, users);
    if (!member)
      return false;
    group.members[node] = *member;
    if (problem.nodes[node].kind == FusionKind::Reduction && group.kind == KernelKind::Loop)
      group.kind = KernelKind::Row;
    groupsOf[node].push_back(index);
    return true;
  }

  /// Adds a node that others read, too.
  bool addRoot(unsigned index, unsigned node, ArrayRef<unsigned> users) {
    Group &group = groups[index];
    const FusionNode &info = problem.nodes[node];
    bool isLarge = problem.getResultShape(node) == problem.getResultShape(group.roots.front());
    if (!isLoop(group.kind) || group.members.size() >= maxNodes || group.roots.size() >= maxRoots ||
        (info.kind != FusionKind::Elementwise && info.kind != FusionKind::Reduction) ||
        (!isLarge && !isPrefix(group, node)))
      return false;
    std::optional<Member> member = evaluate(group, node, users);
    if (!member || !makeRoot(group, node, *member))
      return false;
    KernelKind kind = group.kind;
    if (!isLarge)
      group.kind = KernelKind::Row;
    group.members[node] = *member;
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

  void makeGroup(unsigned node) {
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

  static bool isLoop(KernelKind kind) {
    return kind == KernelKind::Loop || kind == KernelKind::Row;
  }

  /// A root is computed at its own position, and may be again by reductions of its row. False if
  /// the group needs it elsewhere.
  bool makeRoot(Group &group, unsigned node, Member &member) const {
    unsigned own = group.accesses.prefix(problem.getResultShape(node).size());
    if (!llvm::is_contained(member.positions, own))
      member.positions.push_back(own);
    return member.reuse == 1 && llvm::all_of(member.positions, [&](unsigned position) {
             return position == own || (own == 0 && group.accesses.isInRow(position));
           });
  }

  /// Joins kernels of one iteration space that read the node element by element.
  bool joinSiblings(unsigned node, const Readers &readers) {
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

  void joinReadersOfArguments() {
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

  bool joinReaders(const Readers &readers, RankedTensorType type,
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
    llvm::sort(candidates,
               [&](unsigned a, unsigned b) { return groups[a].place < groups[b].place; });
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

  /// Puts the second group into the first, if there is a place for both.
  bool merge(unsigned into, unsigned from) {
    Group joined = groups[into];
    if (groups[from].kind == KernelKind::Row)
      joined.kind = KernelKind::Row;
    for (auto &[node, member] : groups[from].members)
      joined.members.try_emplace(node, member);
    llvm::append_range(joined.roots, groups[from].roots);
    if (joined.members.size() > maxNodes || joined.roots.size() > maxRoots ||
        !evaluateAll(joined) || !findPlace(joined, {into, from}))
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

  /// Recomputes how a group with new members evaluates them.
  bool evaluateAll(Group &group) {
    SmallVector<unsigned> order;
    for (auto &[node, member] : group.members)
      order.push_back(node);
    llvm::sort(order, std::greater<unsigned>());
    group.accesses = GroupAccesses(problem.getResultShape(group.roots.front()));
    for (unsigned node : order) {
      SmallVector<unsigned, 2> users;
      for (unsigned user : problem.nodes[node].users)
        if (group.members.contains(user))
          users.push_back(user);
      if (group.members[node].isBeside) {
        // Its result is there at the end only.
        if (!users.empty())
          return false;
        continue;
      }
      Member member{{}, 1, 0};
      if (!users.empty()) {
        std::optional<Member> evaluated = evaluate(group, node, users);
        if (!evaluated)
          return false;
        member = *evaluated;
      }
      if (llvm::is_contained(group.roots, node) && !makeRoot(group, node, member))
        return false;
      group.members[node] = member;
    }
    return true;
  }

  /// Looks for a place behind the inputs and before the readers of a group that
  /// takes over those in `parts`.
  bool findPlace(Group &group, ArrayRef<unsigned> parts) {
    double low = -1, high = std::numeric_limits<double>::infinity(), last = 0;
    for (auto &[node, member] : group.members)
      for (const FusionRead &read : problem.nodes[node].reads) {
        if (read.producer < 0 || group.members.contains(read.producer))
          continue;
        low = std::max(low, getPlace(read.producer));
      }
    for (unsigned root : group.roots) {
      last = std::max<double>(last, root);
      for (unsigned user : problem.nodes[root].users) {
        if (problem.nodes[user].kind == FusionKind::Outside)
          high = std::min<double>(high, user);
        for (unsigned reader : groupsOf[user])
          if (!llvm::is_contained(parts, reader))
            high = std::min(high, groups[reader].place);
      }
    }
    if (high - low < 1e-6)
      return false;
    if (last > low && last < high)
      group.place = last;
    else
      group.place = std::isinf(high) ? low + 0.5 : (low + high) / 2;
    return true;
  }

  /// Where the value that others read is available: the place of the kernel
  /// that hands it over, or of the operation itself.
  double getPlace(unsigned node) const {
    for (unsigned group : groupsOf[node])
      if (llvm::is_contained(groups[group].roots, node))
        return groups[group].place;
    return node;
  }

  const FusionProblem &problem;
  /// Bounds that keep compile time linear and generated code small: the target's.
  const size_t maxNodes, maxRoots;
  std::vector<Group> groups;
  std::vector<SmallVector<unsigned, 1>> groupsOf;
};
} // namespace

FusionDecision dmc::fuseGreedily(const FusionProblem &problem) { return Greedy(problem).run(); }
