//===- MemoryEstimate.cpp - Predicted peak memory of decided layouts ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live ranges over the nodes in order, with local sizes.
//
//===----------------------------------------------------------------------===//
#include "MemoryEstimate.h"

#include "ProgramCost.h"

using namespace mlir;
using namespace dmc;

PeakEstimate::PeakEstimate(Propagation &graph)
    : graph(graph), nodes(graph.getNodes()), changes(2 * nodes.size() + 3),
      intervals(graph.getNumValues()), producers(graph.getNumValues(), -1) {
  for (unsigned i = 0; i < nodes.size(); ++i) {
    for (unsigned result : nodes[i].results)
      producers[result] = producers[result] < 0 ? i : producers[result];
    for (Operation *op = nodes[i].op; !isa<func::FuncOp>(op); op = op->getParentOp())
      spans.try_emplace(op, Span{i, i}).first->second.last = i;
  }
  for (unsigned value = 0; value < graph.getNumValues(); ++value)
    add(value);
}

/// Bytes are whole numbers below 2^53: what is added and taken away leaves no rounding behind.
void PeakEstimate::add(unsigned value) {
  forEachVersion(value, [&](const Layout &layout, unsigned begin, unsigned end) {
    const TensorInfo &info = graph.getValue(value);
    double bytes = getLocalBytes(info.shape, layout, info.elementBytes);
    intervals[value].push_back({begin, end, bytes});
    changes[begin] += bytes;
    changes[end] -= bytes;
  });
}

void PeakEstimate::update(ArrayRef<unsigned> values) {
  for (unsigned value : values) {
    for (const Interval &interval : intervals[value]) {
      changes[interval.begin] -= interval.bytes;
      changes[interval.end] += interval.bytes;
    }
    intervals[value].clear();
    add(value);
  }
}

std::pair<double, size_t> PeakEstimate::findPeak() const {
  double live = 0, peak = 0;
  size_t point = 0;
  for (auto [i, change] : llvm::enumerate(changes)) {
    live += change;
    if (live > peak) {
      peak = live;
      point = i;
    }
  }
  return {peak, point};
}

double PeakEstimate::getBytes() const { return findPeak().first + getBoundary(); }

PeakMemory PeakEstimate::getWithVersions() const {
  auto [peak, point] = findPeak();
  PeakMemory result;
  result.bytes = peak + getBoundary();
  if (!nodes.empty())
    result.ops.push_back(nodes[std::min<size_t>(point / 2, nodes.size() - 1)].op);
  for (unsigned value = 0; value < graph.getNumValues(); ++value)
    forEachVersion(value, [&, point = point](const Layout &layout, unsigned begin, unsigned end) {
      if (begin <= point && point < end)
        result.versions.push_back({value, layout});
    });
  for (const BoundaryValue &value : graph.getBoundary())
    if (!value.given)
      result.versions.push_back({*value.number, graph.getValue(*value.number).base});
  return result;
}

/// How long a use needs a value, from its move to its end: a loop that reads what is produced
/// outside of it needs it in all iterations.
PeakEstimate::Span PeakEstimate::getNeeded(int producer, unsigned user, bool isLoopResult) const {
  Operation *op = nodes[user].op, *around = op->getParentOfType<func::FuncOp>();
  if (producer >= 0) {
    Operation *maker = nodes[producer].op;
    around = maker->getParentOp();
    if (nodes[producer].forwarded) {
      Operation *flow = isa<RegionBranchOpInterface>(maker) ? maker : maker->getParentOp();
      around = isHoistingLoop(flow) && !isLoopResult ? flow : flow->getParentOp();
    }
  }
  for (; op; op = op->getParentOp())
    if (op != nodes[user].op && op->getParentOp() == around)
      return spans.lookup(op);
  return {user, user};
}

bool dmc::isElementwise(const Node &node) {
  return !node.forwarded && isa<linalg::LinalgOp, OptimizationBarrierOp>(node.op) &&
         llvm::none_of(node.rule.factors,
                       [](const Factor &factor) { return factor.kind == FactorKind::Reduction; });
}

static bool isEqual(const Layout &a, const Layout &b) { return a.dims == b.dims && a == b; }

/// True for an argument, also behind barriers in the layout in which it comes: it has memory of
/// its own.
bool PeakEstimate::isArgument(unsigned number) const {
  const Layout &layout = graph.getValue(number).produced;
  while (number != Node::kLayoutAgnostic && producers[number] >= 0 &&
         isa<OptimizationBarrierOp>(nodes[producers[number]].op))
    number = nodes[producers[number]].operands.front();
  return number != Node::kLayoutAgnostic && producers[number] < 0 &&
         isEqual(graph.getValue(number).produced, layout);
}

void PeakEstimate::forEachVersion(
    unsigned number, llvm::function_ref<void(const Layout &, unsigned, unsigned)> visit) const {
  int producer = producers[number];
  const TensorInfo &value = graph.getValue(number);
  /// From when to when the value is alive in a layout.
  struct Version {
    const Layout *layout;
    unsigned first, last;
    bool isOverwritten;
  };
  SmallVector<Version, 4> versions;
  unsigned made = std::max(producer, 0);
  versions.push_back({&value.produced, made, made, false});
  unsigned numUses = 0;
  bool isMoved = value.kept.has_value();
  if (value.kept)
    versions.push_back({&*value.kept, made, made, false});
  for (unsigned user : value.nodes) {
    const Node &node = nodes[user];
    for (auto [i, operand] : llvm::enumerate(node.operands)) {
      if (operand != number)
        continue;
      ++numUses;
      auto [first, until] = getNeeded(producer, user, node.areLoopResults[i]);
      const Layout &wanted = node.operandLayouts[i];
      bool isFromKept = value.kept && !ProgramCost(graph).isNearer(value, wanted);
      // What a constraint makes is the moved tensor, unless that is moved in front of a loop.
      if (isa<ConstrainOp>(node.op) && !node.forwarded && !value.hoistedFrom &&
          !isEqual(wanted, value.produced)) {
        Version &source = versions[isFromKept ? 1 : 0];
        source.last = std::max(source.last, first);
        isMoved = true;
        continue;
      }
      // A copy of what is kept is another one than the tensor as it is made.
      auto version =
          std::find_if(versions.begin() + isFromKept, versions.end(),
                       [&](const Version &known) { return isEqual(*known.layout, wanted); });
      if (version == versions.end()) {
        // The move reads what there is.
        if (!isFromKept)
          versions.front().last = std::max(versions.front().last, first);
        versions.push_back({&wanted, first, first, false});
        version = std::prev(versions.end());
        // Moved in front of a loop, it is there until the loop ends.
        if (value.hoistedFrom) {
          Span loop = spans.lookup(value.hoistedFrom);
          version->first = std::min(version->first, loop.first);
          version->last = std::max(version->last, loop.last);
        }
      }
      version->first = std::min(version->first, first);
      // What is kept is there for all uses that take it from there.
      if (isFromKept)
        versions[1].last = std::max(versions[1].last, first);
      if (until >= version->last) {
        version->last = until;
        version->isOverwritten = until == user && isElementwise(node);
      }
    }
  }
  bool isFused = producer >= 0 && isElementwise(nodes[producer]) && numUses == 1 && !isMoved;
  auto isReturnedAs = [&](const Layout &wanted) {
    return llvm::any_of(value.returned,
                        [&](const Layout &layout) { return isEqual(layout, wanted); });
  };
  bool isReturned = value.isReturnedInSharding || isReturnedAs(value.produced);
  for (auto [i, version] : llvm::enumerate(versions)) {
    // Arguments and results have memory of their own.
    if (i == 0 && (isArgument(number) || isFused || isReturned))
      continue;
    bool isKept = i == 1 && value.kept;
    if (isKept && isReturnedAs(*value.kept))
      continue;
    unsigned begin = 2 * version.first + (isKept && producer >= 0);
    unsigned end = std::max(2 * version.last + !version.isOverwritten, begin);
    // The move to what is kept needs both.
    if (value.kept && i < 2)
      end = std::max(end, 2 * made + 2);
    visit(*version.layout, begin, end);
  }
}

/// Arguments, and results that take over no argument's buffer.
double PeakEstimate::getBoundary() const {
  double bytes = 0;
  for (const BoundaryValue &value : graph.getBoundary())
    bytes +=
        getLocalBytes(value.shape, value.given ? *value.given : graph.getValue(*value.number).base,
                      value.elementBytes);
  return bytes;
}

double dmc::getLocalBytes(ArrayRef<int64_t> shape, const Layout &layout, int64_t elementBytes) {
  double bytes = elementBytes;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t local = size;
    for (const AxisRef &axis : layout.dims[dim])
      local = (local + axis.size - 1) / axis.size;
    bytes *= local;
  }
  return bytes;
}

PeakMemory dmc::estimatePeak(Propagation &graph) { return PeakEstimate(graph).getWithVersions(); }

double dmc::estimatePeakBytes(Propagation &graph) { return PeakEstimate(graph).getBytes(); }
