//===- DecideLayouts.cpp - The assignment of each operation ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the values of an operation disagree: compute nothing twice, then send the
// fewest bytes.
//
//===----------------------------------------------------------------------===//
#include "Propagation.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "dmc-propagate-layouts"

using namespace mlir;
using namespace dmc;

/// The layout of operand or result `i` under an assignment, without partial axes.
static Layout getDimsLayout(const Node &node, unsigned i, const Assignment &assignment) {
  const ValueFactors &factors = node.getFactors(i);
  Layout layout = Layout::replicated(factors.size());
  for (auto [dim, entry] : llvm::enumerate(factors))
    if (std::optional<AxisList> axes = joinFactors(node.rule, entry, assignment))
      layout.dims[dim] = std::move(*axes);
  return layout;
}

/// The same of a result, partial over the axes of split reductions.
static Layout getResultLayout(const Node &node, unsigned result, const Assignment &assignment) {
  Layout layout = getDimsLayout(node, node.operands.size() + result, assignment);
  for (auto [factor, axes] : llvm::zip_equal(node.rule.factors, assignment))
    if (factor.kind == FactorKind::Reduction && !axes.empty()) {
      layout.combiner = toCombiner(*factor.combiner);
      llvm::append_range(layout.partial, axes);
    }
  return layout;
}

bool dmc::hasOneCombiner(const Node &node, const Assignment &assignment) {
  std::optional<CombinerKind> combiner;
  for (auto [factor, axes] : llvm::zip_equal(node.rule.factors, assignment)) {
    if (factor.kind != FactorKind::Reduction || axes.empty())
      continue;
    if (combiner && combiner != factor.combiner)
      return false;
    combiner = factor.combiner;
  }
  return true;
}

/// The layout of a value once its partial values are combined: its sharding, and as it was
/// produced where the sharding says nothing.
Layout Propagation::getTarget(const TensorInfo &value, const Layout &produced) const {
  Layout target = Layout::replicated(value.shape.size());
  target.dims = value.sharding;
  for (auto [dim, axes] : llvm::enumerate(target.dims)) {
    if (!axes.empty())
      continue;
    for (const AxisRef &axis : produced.dims[dim]) {
      if (llvm::any_of(target.dims, [&](const AxisList &used) { return overlapsAny(axis, used); }))
        break;
      axes.push_back(axis);
    }
  }
  return target;
}

static std::vector<int64_t> sizesOf(const AxisList &axes) {
  std::vector<int64_t> sizes;
  for (const AxisRef &axis : axes)
    sizes.push_back(axis.size);
  return sizes;
}

Windows Propagation::getWindows(const Node &node, const WindowAccess &access,
                                const Assignment &assignment) const {
  const AxisList &axes = assignment[access.factor];
  return access.getWindows(groupSize(axes),
                           localSize(node.rule.factors[access.factor].size, sizesOf(axes)));
}

Traffic Propagation::getHaloTraffic(const Node &node, const WindowAccess &access,
                                    const Assignment &assignment) const {
  if ((node.isLookedThrough && !isTaken(node)) ||
      isOnAll(node, access.operand, assignment, assignment[access.factor]))
    return {};
  return getSplitHaloTraffic(node, access, assignment);
}

Traffic Propagation::getSplitHaloTraffic(const Node &node, const WindowAccess &access,
                                         const Assignment &assignment) const {
  const TensorInfo &value = values[node.operands[access.operand]];
  double bytes = static_cast<double>(value.elementBytes);
  for (auto [dim, factors] : llvm::enumerate(node.rule.operands[access.operand])) {
    if (dim == access.dim)
      continue;
    int64_t size = value.shape[dim];
    if (std::optional<AxisList> axes = joinFactors(node.rule, factors, assignment))
      size = localSize(size, sizesOf(*axes));
    // What is behind a pad is moved; windows of later dimensions are made before.
    for (const WindowAccess &other : node.windows) {
      if (other.operand != access.operand || other.dim != dim)
        continue;
      Windows windows = getWindows(node, other, assignment);
      size = assignment[other.factor].empty() ? other.source.size
             : dim > access.dim ? windows.length
                                : localSize(other.source.size, sizesOf(assignment[other.factor]));
    }
    bytes *= static_cast<double>(size);
  }
  Windows windows = getWindows(node, access, assignment);
  std::vector<int64_t> sizes = sizesOf(assignment[access.factor]);
  std::vector<int64_t> key = {windows.size,   windows.count,  windows.step,
                              windows.offset, windows.length, windows.dilation};
  key.insert(key.end(), sizes.begin(), sizes.end());
  auto [known, isNew] = halos.try_emplace(std::move(key));
  if (isNew)
    known->second = haloTraffic(windows, sizes, /*rowBytes=*/1);
  return {known->second.bytes * bytes, known->second.messages};
}

bool Propagation::isTaken(const Node &node) const {
  auto takes = [&](const Node &user, unsigned result) {
    for (auto [i, operand] : llvm::enumerate(user.operands))
      if (operand == result && getRead(user, i, user.assignment) == result)
        return !user.isLookedThrough || isTaken(user);
    return false;
  };
  return llvm::any_of(node.results, [&](unsigned result) {
    return llvm::any_of(values[result].nodes,
                        [&](unsigned user) { return takes(nodes[user], result); });
  });
}

std::optional<unsigned> Propagation::getBehindPads(unsigned number) const {
  for (auto producer = producers.find(number); producer != producers.end();
       producer = producers.find(number)) {
    const Node &node = nodes[producer->second];
    if (!node.isLookedThrough)
      break;
    number = node.operands.front();
    if (number == Node::kLayoutAgnostic)
      return std::nullopt;
  }
  // What a constraint makes may be taken from what it is on.
  while (values[number].constrained)
    number = *values[number].constrained;
  return number;
}

std::optional<unsigned> Propagation::getRead(const Node &node, unsigned operand,
                                             const Assignment &assignment) const {
  unsigned number = node.operands[operand];
  auto known = node.windowSources.find(operand);
  auto isSplit = [&](unsigned factor) { return !assignment[factor].empty(); };
  bool hasWindows = llvm::any_of(node.windows, [&](const WindowAccess &access) {
    return access.operand == operand && isSplit(access.factor);
  });
  if (hasWindows && known != node.windowSources.end()) {
    auto getUse = [&](unsigned dim) {
      for (const WindowAccess &access : node.windows)
        if (access.operand == operand && access.dim == dim && isSplit(access.factor))
          return DimUse::windows;
      return llvm::any_of(node.rule.operands[operand][dim], isSplit) ? DimUse::blocks
                                                                     : DimUse::whole;
    };
    const Node::WindowSources &sources = known->second;
    const WindowSource &source = chooseWindowSource(sources.all, sources.shape, getUse);
    // Of a pad's result, that is what it pads at least.
    if (&source != &sources.all.front())
      number = has(source.value) ? getNumber(source.value) : Node::kLayoutAgnostic;
  }
  return number == Node::kLayoutAgnostic ? std::nullopt : std::optional(number);
}

bool Propagation::isOnAll(const Node &node, unsigned operand, const Assignment &assignment,
                          const AxisList &axes) const {
  std::optional<unsigned> source = getRead(node, operand, assignment);
  if (source)
    source = getBehindPads(*source);
  return !source || isOnAll(values[*source].produced, axes);
}

namespace dmc {
/// Chooses the assignment of one node.
class Chooser {
public:
  Chooser(Propagation &graph, Node &node) : graph(graph), node(node) {}
  void run();

private:
  struct Score {
    int64_t numShards = 1;
    double bytes = 0;
    bool isBetterThan(const Score &other) const {
      return numShards != other.numShards ? numShards > other.numShards : bytes < other.bytes;
    }
  };
  TensorInfo *getValue(unsigned i) const {
    unsigned number = node.getValue(i);
    return number == Node::kLayoutAgnostic ? nullptr : &graph.values[number];
  }
  const std::vector<AxisList> &getDims(unsigned i) const {
    return i < node.operands.size() ? getValue(i)->base.dims : getValue(i)->sharding;
  }
  double getBytes(const TensorInfo &value, const Layout &from, const Layout &to) const {
    return graph.plans.get(from, to, value.shape, value.elementBytes).traffic.bytes;
  }
  void adopt(Assignment &assignment, unsigned i) const;
  /// True if all that was decided before is split as it was.
  bool keeps(const Assignment &assignment) const {
    return node.kept.empty() ||
           llvm::all_of(llvm::zip_equal(node.kept, assignment), [](const auto &factor) {
             return isPrefix(std::get<0>(factor), std::get<1>(factor));
           });
  }
  Score getScore(const Assignment &assignment) const;

  Propagation &graph;
  Node &node;
};
} // namespace dmc

/// Extends an assignment by what operand or result `i` says.
void Chooser::adopt(Assignment &assignment, unsigned i) const {
  if (!getValue(i))
    return;
  for (auto [dim, axes] : llvm::enumerate(getDims(i)))
    if (!axes.empty())
      divideAmongFactors(node.rule, node.getFactors(i)[dim], axes,
                         [&](unsigned factor, ArrayRef<AxisRef> mine) {
                           extendAssignment(node, assignment, factor, mine);
                         });
}

Chooser::Score Chooser::getScore(const Assignment &assignment) const {
  Score score;
  for (const AxisList &axes : assignment)
    for (const AxisRef &axis : axes)
      score.numShards *= axis.size;
  for (unsigned i = 0; i < node.operands.size(); ++i) {
    const TensorInfo *value = getValue(i);
    bool isDestination = llvm::is_contained(node.destinations, std::optional(i));
    if (!value || isDestination)
      continue;
    Layout wanted = getDimsLayout(node, i, assignment);
    if (!llvm::is_contained(value->versions, wanted))
      score.bytes += getBytes(*value, value->base, wanted);
  }
  for (const WindowAccess &access : node.windows)
    if (!node.isLookedThrough && node.operands[access.operand] != Node::kLayoutAgnostic &&
        !assignment[access.factor].empty())
      score.bytes += graph.getHaloTraffic(node, access, assignment).bytes;
  for (unsigned r = 0; r < node.results.size(); ++r) {
    const TensorInfo &value = *getValue(node.operands.size() + r);
    Layout produced = getResultLayout(node, r, assignment);
    score.bytes += getBytes(value, produced, graph.getTarget(value, produced));
  }
  return score;
}

void Chooser::run() {
  unsigned count = node.getNumValues();
  SmallVector<Assignment, 4> candidates = {node.assignment};
  for (unsigned first = 0; first < count; ++first) {
    if (!getValue(first))
      continue;
    Assignment candidate(node.rule.factors.size());
    adopt(candidate, first);
    for (unsigned i = 0; i < count; ++i)
      if (i != first)
        adopt(candidate, i);
    if (!keeps(candidate))
      continue;
    if (!llvm::is_contained(candidates, candidate) && hasOneCombiner(node, candidate))
      candidates.push_back(std::move(candidate));
  }
  if (candidates.size() == 1)
    return;
  const Score first = getScore(candidates.front());
  Score best = first;
  for (Assignment &candidate : MutableArrayRef<Assignment>(candidates).drop_front()) {
    Score score = getScore(candidate);
    // Requests decide in their order; only what would be computed twice gives way.
    if (graph.isInOrder ? score.numShards > best.numShards : score.isBetterThan(best)) {
      best = score;
      node.assignment = std::move(candidate);
    }
  }
  if (best.isBetterThan(first))
    LDBG() << "chose for " << node.op->getName() << " " << best.numShards << " shards and "
           << best.bytes << " bytes instead of " << first.numShards << " and " << first.bytes;
  if (graph.observer && best.isBetterThan(first))
    graph.observer->onChosen(&node - graph.nodes.data(), first.numShards, first.bytes,
                             best.numShards, best.bytes);
}

bool dmc::carriesSums(const Node &node, llvm::BitVector operands) {
  if (node.isFixed || node.forwarded || operands.none())
    return false;
  for (std::optional<unsigned> destination : node.destinations)
    if (destination)
      operands.set(*destination);
  std::optional<PartialResults> results = getPartialResults(node.op, operands, CombinerKind::sum);
  return results && llvm::all_of(*results, [](std::optional<CombinerKind> result) {
           return result == CombinerKind::sum;
         });
}

/// What is partial in an operand is in a result.
static void addCarriedAxes(const Node &node, Layout &result) {
  for (auto &[operand, axes] : node.carried)
    for (const AxisRef &axis : axes)
      if (!overlapsAny(axis, result.partial)) {
        result.combiner = Combiner::Sum;
        result.partial.push_back(axis);
      }
}

void Propagation::setLayouts(Node &node) {
  node.operandLayouts.clear();
  node.resultLayouts.clear();
  for (unsigned i = 0; i < node.operands.size(); ++i)
    node.operandLayouts.push_back(getDimsLayout(node, i, node.assignment));
  for (auto &[operand, axes] : node.carried) {
    node.operandLayouts[operand].combiner = Combiner::Sum;
    node.operandLayouts[operand].partial = axes;
  }
  for (unsigned r = 0; r < node.results.size(); ++r) {
    node.resultLayouts.push_back(getResultLayout(node, r, node.assignment));
    addCarriedAxes(node, node.resultLayouts.back());
    if (r < node.destinations.size() && node.destinations[r])
      node.operandLayouts[*node.destinations[r]] = node.resultLayouts[r];
  }
  auto constrain = dyn_cast<ConstrainOp>(node.op);
  if (constrain && !node.forwarded && constrain.getLayout().isPartial()) {
    Layout asked = constrain.getLayout().toLayout();
    for (Layout *layout : {&node.operandLayouts.front(), &node.resultLayouts.front()}) {
      layout->combiner = asked.combiner;
      layout->partial = asked.partial;
    }
  }
}

void Propagation::choose(Node &node) {
  if (node.forwarded || isa<ConstrainOp>(node.op)) {
    // Control flow and requests hand a value on in one layout.
    for (auto [factors, axes] :
         llvm::zip_equal(node.rule.results[0], values[node.results[0]].sharding))
      node.assignment[factors.front()] = axes;
    return;
  }
  if (node.isFixed)
    return;
  // A layout has one combiner: the first wins.
  std::optional<CombinerKind> combiner;
  for (auto [factor, axes] : llvm::zip_equal(node.rule.factors, node.assignment)) {
    if (factor.kind != FactorKind::Reduction || axes.empty())
      continue;
    if (combiner && combiner != factor.combiner)
      axes.clear();
    else
      combiner = factor.combiner;
  }
  Chooser(*this, node).run();
}

void Propagation::decide() {
  for (auto [number, value] : llvm::enumerate(values)) {
    // Arguments and what control flow forwards have their sharding.
    value.base = Layout::replicated(value.shape.size());
    value.base.dims = value.sharding;
    value.base.placed = value.placed;
    value.produced = value.base;
  }
  for (Node &node : nodes) {
    choose(node);
    setLayouts(node);
    for (auto [operand, layout] : llvm::zip_equal(node.operands, node.operandLayouts))
      if (operand != Node::kLayoutAgnostic && layout.partial.empty())
        values[operand].versions.push_back(layout);
    if (node.forwarded)
      continue;
    for (auto [result, layout] : llvm::zip_equal(node.results, node.resultLayouts)) {
      TensorInfo &value = values[result];
      value.produced = layout;
      value.base = layout.partial.empty() ? layout : getTarget(value, layout);
    }
  }
}
