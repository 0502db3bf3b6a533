//===- FusionDecision.cpp - What makes a grouping right -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order, checks and in-place pairs of a grouping of operations into kernels.
//
//===----------------------------------------------------------------------===//
#include "dmc/Fusion/FusionProblem.h"

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Dialect/DMC/SparseUpdate.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

#include <queue>

using namespace mlir;
using namespace dmc;

//===--- Positions --------------------------------------------------------===//

GroupAccesses::GroupAccesses(ArrayRef<int64_t> shape) : shape(shape) { prefix(shape.size()); }

unsigned GroupAccesses::number(Form form) {
  auto [found, isNew] = known.try_emplace(form, forms.size());
  if (isNew)
    forms.push_back(std::move(form));
  return found->second;
}

unsigned GroupAccesses::prefix(unsigned rank) {
  return number(llvm::to_vector<4>(llvm::seq<int>(0, rank)));
}

const GroupAccesses::Form *GroupAccesses::getForm(unsigned position) const {
  return position < forms.size() && forms[position] ? &*forms[position] : nullptr;
}

int GroupAccesses::addInner(Inner loop) {
  inner.push_back(loop);
  return constant - static_cast<int>(inner.size());
}

/// What the operand's dimensions follow if those of the reader follow the form of a position.
std::optional<GroupAccesses::Form> GroupAccesses::compose(unsigned position, AffineMap map) {
  const Form *from = getForm(position);
  if (!from || !map || map.getNumDims() != from->size())
    return std::nullopt;
  // Indices are computed where the reader is.
  Inner index{1};
  for (int dim : *from) {
    if (dim < constant)
      index.iterations *= getInner(dim).iterations;
    index.innermost = std::max(index.innermost, dim < constant ? getInner(dim).innermost : dim);
  }
  bool isOfRow = *from == llvm::to_vector<4>(llvm::seq<int>(0, from->size()));
  index.rowDims = isOfRow ? from->size() : shape.size();
  Form reader = *from, result;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      result.push_back(reader[dim.getPosition()]);
    else if (isa<AffineConstantExpr>(expr))
      result.push_back(constant);
    else if (isa<AffineSymbolExpr>(expr))
      result.push_back(addInner(index));
    else
      return std::nullopt;
  }
  return result;
}

GroupAccesses::Positions GroupAccesses::step(const Positions &from, const FusionAccess &access,
                                             AffineMap map) {
  Positions result;
  for (unsigned position : from) {
    unsigned next = position;
    if (map && map.getNumSymbols()) {
      // At indices that no other access computes.
      auto [found, isNew] = numbers.try_emplace({position, access}, forms.size());
      if (isNew)
        forms.push_back(compose(position, map));
      next = found->second;
    } else if (std::optional<Form> form = compose(position, map)) {
      next = number(*form);
    } else if (!access.isIdentity()) {
      auto [found, isNew] = numbers.try_emplace({position, access}, forms.size());
      if (isNew)
        forms.push_back(std::nullopt);
      next = found->second;
    }
    if (!llvm::is_contained(result, next))
      result.push_back(next);
  }
  return result;
}

GroupAccesses::Positions GroupAccesses::through(const FusionNode &reader,
                                                const Positions &positions,
                                                const FusionRead &read) {
  if (forms.empty()) // no largest root is known: all that counts is whether positions are equal
    forms.push_back(std::nullopt);
  bool isInside = getForm(0) && reader.kind == FusionKind::Reduction && reader.resultMap;
  if (!isInside || read.isInit)
    return step(positions, read.access, read.map);
  // From the result's position to that of the reduction's loops.
  auto op = cast<linalg::LinalgOp>(reader.op);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  Positions inside;
  for (unsigned position : positions) {
    auto [found, isNew] =
        numbers.try_emplace({position, FusionAccess{reader.op, ~0U}}, forms.size());
    if (isNew) {
      std::optional<Form> form;
      if (const Form *result = getForm(position)) {
        form.emplace();
        for (unsigned loop = 0; loop < sizes.size(); ++loop) {
          auto at = reader.resultMap.getResultPosition(
              getAffineDimExpr(loop, reader.resultMap.getContext()));
          if (at) {
            form->push_back((*result)[*at]);
          } else {
            form->push_back(addInner({sizes[loop]}));
          }
        }
      }
      forms.push_back(form);
    }
    inside.push_back(found->second);
  }
  return step(inside, read.access, read.map);
}

GroupAccesses::Positions GroupAccesses::fromLoops(const FusionRead &read) {
  return step({prefix(shape.size())}, read.access, read.map);
}

std::optional<double> GroupAccesses::countEvaluations(unsigned position) const {
  const Form *form = getForm(position);
  if (!form)
    return std::nullopt;
  // Inside of all loops up to the innermost that it depends on.
  int innermost = -1;
  double count = 1;
  llvm::SmallDenseSet<int> seen;
  for (int dim : *form) {
    innermost = std::max(innermost, dim < constant ? getInner(dim).innermost : dim);
    if (dim < constant && seen.insert(dim).second)
      count *= static_cast<double>(getInner(dim).iterations);
  }
  for (int dim = 0; dim <= innermost; ++dim)
    count *= static_cast<double>(shape[dim]);
  return count;
}

bool GroupAccesses::isInRow(unsigned position, unsigned outer) const {
  const Form *form = getForm(position);
  if (!form || form->size() != shape.size())
    return false;
  unsigned rowDims = 0;
  while (rowDims < shape.size() && (*form)[rowDims] == static_cast<int>(rowDims))
    ++rowDims;
  return rowDims < shape.size() && rowDims >= outer &&
         llvm::all_of(
             ArrayRef<int>(*form).drop_front(rowDims),
             [&](int dim) { return dim < constant && getInner(dim).rowDims <= rowDims; });
}

unsigned dmc::countOuterDims(const FusionProblem &problem, const KernelGroup &group) {
  ArrayRef<int64_t> all = problem.getResultShape(getLargestRoot(problem, group.roots));
  size_t count = all.size();
  for (unsigned node : group.nodes) {
    bool isRoot = llvm::is_contained(group.roots, node);
    if (isRoot && isReducedBeside(problem, node, all))
      count = std::min<size_t>(count, problem.nodes[node].numReducedLeading);
    else if (isRoot || problem.nodes[node].kind == FusionKind::Reduction)
      count = std::min(count, problem.getResultShape(node).size());
  }
  return count;
}

bool dmc::isReducedBeside(const FusionProblem &problem, unsigned node, ArrayRef<int64_t> shape) {
  const FusionNode &info = problem.nodes[node];
  return info.numReducedLeading > 0 &&
         ArrayRef(cast<linalg::LinalgOp>(info.op).getStaticLoopRanges()) == shape;
}

std::optional<unsigned> dmc::getUpdatingScatter(const FusionProblem &problem,
                                                const KernelGroup &group) {
  if (group.kind == KernelKind::Scatter)
    for (unsigned node : group.nodes)
      if (problem.nodes[node].kind == FusionKind::Scatter && !llvm::is_contained(group.roots, node))
        return node;
  return std::nullopt;
}

unsigned dmc::getLargestRoot(const FusionProblem &problem, ArrayRef<unsigned> roots) {
  return *std::max_element(roots.begin(), roots.end(), [&](unsigned a, unsigned b) {
    return problem.getResultShape(a).size() < problem.getResultShape(b).size();
  });
}

//===--- Order and checks -------------------------------------------------===//

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

/// A kernel whose root follows from a scatter.
static std::string checkUpdate(const FusionProblem &problem, const KernelGroup &group,
                               llvm::function_ref<std::string(unsigned)> name) {
  std::optional<unsigned> scatter = getUpdatingScatter(problem, group);
  if (!scatter)
    return "";
  unsigned root = group.roots.front();
  if (group.roots.size() != 1 || problem.nodes[root].op->getNumResults() != 1 ||
      !getUnscattered(problem.nodes[root].op->getResult(0),
                      cast<ScatterOp>(problem.nodes[*scatter].op)))
    return name(root) + " differs from its operands where " + name(*scatter) + " changes nothing";
  for (const FusionRead &read : problem.nodes[*scatter].reads)
    if (read.isInit &&
        (read.producer < 0 || !llvm::is_contained(group.nodes, unsigned(read.producer))))
      return name(*scatter) + " does not start from a splat of its kernel";
  return "";
}

/// The iteration spaces of a kernel of kind loop or row; its roots are known to be right otherwise.
static std::string checkLoops(const FusionProblem &problem, const KernelGroup &group,
                              llvm::function_ref<std::string(unsigned)> name) {
  bool hasRows = group.kind == KernelKind::Row;
  if (group.kind != KernelKind::Loop && !hasRows)
    return "";
  unsigned first = hasRows ? getLargestRoot(problem, group.roots) : group.roots.front();
  ArrayRef<int64_t> all = problem.getResultShape(first);
  for (unsigned root : group.roots) {
    ArrayRef<int64_t> shape = problem.getResultShape(root);
    if (hasRows && isReducedBeside(problem, root, all)) {
      // Its result is there when all rows are.
      for (unsigned node : group.nodes)
        for (const FusionRead &read : problem.nodes[node].reads)
          if (read.producer == static_cast<int>(root))
            return name(root) + " is read in the kernel that computes it by blocks";
      continue;
    }
    if (hasRows ? shape != all.take_front(shape.size()) : shape != all)
      return name(root) + " has another iteration space than its kernel";
  }
  for (unsigned node : group.nodes)
    if (problem.nodes[node].kind == FusionKind::Reduction &&
        !(hasRows && problem.nodes[node].resultMap))
      return name(node) + " cannot be computed within the loops of its kernel";
  return "";
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
    }
    for (auto *check : {checkLoops, checkUpdate})
      if (std::string error = check(problem, group, name); !error.empty())
        return error;
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
    GroupAccesses::Positions positions;
    unsigned count = 0, windows = 0;
    int initOf = -1, windowOf = -1;
  };
  llvm::MapVector<Value, Reads> inputs;
  llvm::DenseMap<unsigned, GroupAccesses::Positions> positions;
  std::optional<unsigned> scatter = getUpdatingScatter(problem, group);
  // Where the scatter itself reads, at no position of the root.
  constexpr unsigned elsewhere = ~0U;
  bool isLoop = group.kind == KernelKind::Loop || group.kind == KernelKind::Row || scatter;
  GroupAccesses accesses;
  if (isLoop)
    accesses = GroupAccesses(problem.getResultShape(getLargestRoot(problem, group.roots)));
  auto ownPosition = [&](unsigned root) {
    return isLoop ? accesses.prefix(problem.getResultShape(root).size()) : 0;
  };
  auto isBeside = [&](unsigned node) {
    return group.kind == KernelKind::Row && llvm::is_contained(group.roots, node) &&
           isReducedBeside(problem, node,
                           problem.getResultShape(getLargestRoot(problem, group.roots)));
  };
  for (unsigned root : group.roots)
    positions[root] = {ownPosition(root)};
  for (unsigned member : llvm::reverse(group.nodes)) {
    GroupAccesses::Positions reader = positions[member];
    for (const FusionRead &read : problem.nodes[member].reads) {
      GroupAccesses::Positions at = isBeside(member) && !read.isInit
                                        ? accesses.fromLoops(read)
                                        : accesses.through(problem.nodes[member], reader, read);
      if (member == scatter || llvm::is_contained(reader, elsewhere))
        at = {elsewhere};
      if (read.producer >= 0 && llvm::is_contained(group.nodes, unsigned(read.producer))) {
        GroupAccesses::Positions &all = positions[read.producer];
        for (unsigned position : at)
          if (!llvm::is_contained(all, position))
            all.push_back(position);
        continue;
      }
      Reads &reads = inputs[read.value];
      for (unsigned position : at)
        if (!llvm::is_contained(reads.positions, position))
          reads.positions.push_back(position);
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
  unsigned outer = isLoop ? countOuterDims(problem, group) : 0;
  auto fits = [&](unsigned root, Value value, const Reads &reads) {
    if (value.getType() != problem.nodes[root].op->getResult(0).getType() || isBeside(root))
      return false;
    if (isLoop) {
      // A row is read by its reductions before its elements are written, and at an index that is
      // computed for the row before its loop: what only some of its elements read has no known
      // form.
      unsigned own = ownPosition(root);
      return llvm::all_of(reads.positions, [&](unsigned position) {
        return position == own || (own == 0 && accesses.isInRow(position, outer));
      });
    }
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
