//===- EvaluateGroups.cpp - How kernels compute their operations ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a group evaluates each of its operations, how often, and where in the block it stands.
//
//===----------------------------------------------------------------------===//
#include "GreedyFusion.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
static bool isLibraryCall(KernelKind kind) {
  return kind == KernelKind::Contraction || kind == KernelKind::Convolution;
}

/// Whether a reduction of windows, which no library is called for, reads a padded operand: blocks
/// of a device read it once, and do without a copy.
static bool isPaddedWindow(const FusionNode &reader, const FusionNode &producer) {
  auto op = dyn_cast<linalg::LinalgOp>(reader.op);
  return op && isa<tensor::PadOp>(producer.op) &&
         llvm::count_if(op.getDpsInputOperands(), [&](OpOperand *input) {
           return op.payloadUsesValueFromOperand(input);
         }) == 1;
}

/// What a kernel of this kind with the operation `reader` can compute of an
/// operand itself.
static bool canCompute(KernelKind kind, const FusionNode &reader, const FusionRead &read,
                       const FusionNode &producer, bool isDevice) {
  bool isLoop = kind == KernelKind::Loop || kind == KernelKind::Row;
  if (producer.kind == FusionKind::Reduction)
    return isLoop && producer.resultMap && !read.isInit &&
           (reader.kind == FusionKind::Elementwise || reader.kind == FusionKind::Reduction);
  if (producer.kind != FusionKind::Elementwise && producer.kind != FusionKind::Fill)
    return false;
  bool isFill = producer.kind == FusionKind::Fill;
  if (isLibraryCall(kind))
    return read.isInit                       ? isFill
           : kind == KernelKind::Contraction ? producer.isStridedView
                                             : isDevice && isPaddedWindow(reader, producer);
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

std::optional<Member> Greedy::evaluate(Group &group, unsigned node, ArrayRef<unsigned> users) {
  const FusionNode &info = problem.nodes[node];
  Member member;
  for (unsigned user : users) {
    const Member &reader = group.members.find(user)->second;
    for (const FusionRead &read : problem.nodes[user].reads) {
      if (read.producer != static_cast<int>(node))
        continue;
      if (!canCompute(group.kind, problem.nodes[user], read, info, problem.target.isDevice()))
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
      (info.kind == FusionKind::Reduction && !isRowReduction(group, node, member) &&
       !isScalarReduction(group, node)))
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

GroupAccesses::Positions Greedy::getPositions(Group &group, const FusionNode &reader,
                                              const Member &member, const FusionRead &read) {
  return member.isBeside && !read.isInit ? group.accesses.fromLoops(read)
                                         : group.accesses.through(reader, member.positions, read);
}

double Greedy::getReuse(const Group &group, unsigned node, unsigned position, const Member &reader,
                        const FusionRead &read) const {
  std::optional<double> count = group.accesses.countEvaluations(position);
  if (!count)
    return reader.reuse * read.reuse;
  double elements = 1;
  for (int64_t size : problem.getResultShape(node))
    elements *= static_cast<double>(size);
  return std::max(1.0, *count / std::max(1.0, elements));
}

bool Greedy::isRowReduction(Group &group, unsigned node, const Member &member) const {
  ArrayRef<int64_t> shape = problem.getResultShape(node);
  double rows = 1;
  for (int64_t size : shape)
    rows *= static_cast<double>(size);
  return rows >= minRows && (isPrefix(group, node) || isWithin(group, node)) &&
         member.positions.size() == 1 &&
         member.positions.front() == group.accesses.prefix(shape.size());
}

bool Greedy::isWithin(const Group &group, unsigned node) const {
  const FusionNode &info = problem.nodes[node];
  if (problem.getResultShape(node) != problem.getResultShape(group.roots.front()) ||
      info.numReducedLeading)
    return false;
  for (auto [dim, expr] : llvm::enumerate(info.resultMap.getResults()))
    if (!expr.isFunctionOfDim(dim))
      return false;
  return llvm::all_of(info.reads, [&](const FusionRead &read) {
    if (read.isInit)
      return true;
    bool isTransposed =
        read.producer >= 0 && isa<linalg::TransposeOp>(problem.nodes[read.producer].op);
    return read.map && read.map.isIdentity() && !isTransposed;
  });
}

bool Greedy::isScalarReduction(const Group &group, unsigned node) const {
  return problem.getResultShape(node).empty() &&
         problem.getResultShape(group.roots.front()).empty() &&
         (group.kind == KernelKind::Loop ||
          (group.kind == KernelKind::Reduction && group.members.contains(node)));
}

bool Greedy::isPrefix(const Group &group, unsigned node) const {
  ArrayRef<int64_t> shape = problem.getResultShape(node);
  ArrayRef<int64_t> largest = problem.getResultShape(group.roots.front());
  return !shape.empty() && shape.size() < largest.size() &&
         largest.take_front(shape.size()) == shape;
}

bool Greedy::makeRoot(Group &group, unsigned node, Member &member) const {
  unsigned own = group.accesses.prefix(problem.getResultShape(node).size());
  if (!llvm::is_contained(member.positions, own))
    member.positions.push_back(own);
  return member.reuse == 1 && llvm::all_of(member.positions, [&](unsigned position) {
           return position == own || (own == 0 && group.accesses.isInRow(position));
         });
}

bool Greedy::evaluateAll(Group &group) {
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

bool Greedy::findPlace(Group &group, ArrayRef<unsigned> parts) {
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

double Greedy::getPlace(unsigned node) const {
  for (unsigned group : groupsOf[node])
    if (llvm::is_contained(groups[group].roots, node))
      return groups[group].place;
  return node;
}
