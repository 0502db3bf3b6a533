//===- MemoryEstimate.cpp - Predicted peak memory of decided layouts ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live ranges over the nodes in order, with local sizes.
//
//===----------------------------------------------------------------------===//
#include "MemoryEstimate.h"

using namespace mlir;
using namespace dmc;

namespace {
class Estimate {
public:
  explicit Estimate(Propagation &graph) : graph(graph), nodes(graph.getNodes()) {}

  double getPeak() {
    changes.assign(nodes.size() + 1, 0);
    findLoops();
    std::vector<int> producers(graph.getNumValues(), -1);
    for (unsigned i = 0; i < nodes.size(); ++i)
      for (unsigned result : nodes[i].results)
        producers[result] = producers[result] < 0 ? i : producers[result];
    for (unsigned value = 0; value < graph.getNumValues(); ++value)
      addValue(value, producers[value]);
    double live = 0, peak = 0;
    for (double change : changes) {
      live += change;
      peak = std::max(peak, live);
    }
    return peak + getBoundary();
  }

private:
  /// A loop's or a choice's nodes, as one of the entry's operations.
  void findLoops() {
    outermost.resize(nodes.size());
    for (unsigned i = 0; i < nodes.size(); ++i) {
      Operation *op = nodes[i].op;
      while (!isa<func::FuncOp>(op->getParentOp()))
        op = op->getParentOp();
      outermost[i] = op;
      lastWithin[op] = i;
    }
  }

  static double getBytes(ArrayRef<int64_t> shape, const Layout &layout, int64_t elementBytes) {
    double bytes = elementBytes;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      int64_t local = size;
      for (const AxisRef &axis : layout.dims[dim])
        local = (local + axis.size - 1) / axis.size;
      bytes *= local;
    }
    return bytes;
  }

  static bool isElementwise(const Node &node) {
    return !node.forwarded && isa<linalg::LinalgOp>(node.op) &&
           llvm::none_of(node.rule.factors,
                         [](const Factor &factor) { return factor.kind == FactorKind::Reduction; });
  }

  static bool isEqual(const Layout &a, const Layout &b) { return a.dims == b.dims && a == b; }

  void addValue(unsigned number, int producer) {
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
    for (unsigned user : value.nodes) {
      const Node &node = nodes[user];
      for (auto [i, operand] : llvm::enumerate(node.operands)) {
        if (operand != number)
          continue;
        ++numUses;
        bool isOutside = producer < 0 || outermost[producer] != outermost[user];
        unsigned until = isOutside ? lastWithin.lookup(outermost[user]) : user;
        const Layout &wanted = node.operandLayouts[i];
        auto version = llvm::find_if(
            versions, [&](const Version &known) { return isEqual(*known.layout, wanted); });
        if (version == versions.end()) {
          // The move reads what there is.
          versions.front().last = std::max(versions.front().last, user);
          versions.push_back({&wanted, user, user, false});
          version = std::prev(versions.end());
        }
        version->first = std::min(version->first, user);
        if (until >= version->last) {
          version->last = until;
          version->isOverwritten = until == user && isElementwise(node);
        }
      }
    }
    bool isFused = producer >= 0 && isElementwise(nodes[producer]) && numUses == 1;
    bool isReturned =
        value.isReturnedInSharding || llvm::any_of(value.returned, [&](const Layout &layout) {
          return isEqual(layout, value.produced);
        });
    for (auto [i, version] : llvm::enumerate(versions)) {
      // Arguments and results have memory of their own.
      if (i == 0 && (producer < 0 || isFused || isReturned))
        continue;
      double bytes = getBytes(value.shape, *version.layout, value.elementBytes);
      changes[version.first] += bytes;
      changes[std::max(version.last + (version.isOverwritten ? 0 : 1), version.first)] -= bytes;
    }
  }

  double getBoundary() const {
    if (nodes.empty())
      return 0;
    ProgramAttr program = ProgramAttr::of(nodes.front().op->getParentOfType<ModuleOp>());
    if (!program)
      return 0;
    double bytes = 0;
    auto add = [&](ValueAttr value) {
      RankedTensorType type = value.getType();
      Layout layout =
          value.getLayout() ? value.getLayout().toLayout() : Layout::replicated(type.getRank());
      bytes +=
          getBytes(type.getShape(), layout, llvm::divideCeil(type.getElementTypeBitWidth(), 8));
    };
    llvm::SmallDenseSet<int64_t> donated;
    for (ValueAttr argument : program.getArguments()) {
      add(argument);
      if (argument.isDonated())
        donated.insert(argument.getDonates());
    }
    for (auto [i, result] : llvm::enumerate(program.getResults()))
      if (!donated.contains(i))
        add(result);
    return bytes;
  }

  Propagation &graph;
  const std::vector<Node> &nodes;
  std::vector<double> changes;
  std::vector<Operation *> outermost;
  llvm::DenseMap<Operation *, unsigned> lastWithin;
};
} // namespace

double dmc::estimatePeakBytes(Propagation &graph) { return Estimate(graph).getPeak(); }
