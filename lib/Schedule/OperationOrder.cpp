//===- OperationOrder.cpp - Orders of a block's operations ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two greedy orders and the peak of an order. An estimate: the buffer plan of
// the reordered program has the last word.
//
//===----------------------------------------------------------------------===//
#include "OperationOrder.h"
#include "BufferPlan.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

using namespace mlir;
using namespace dmc;

static bool needsNoBuffer(Operation *op) { return isa<tensor::EmptyOp>(op) || getViewSource(op); }

OrderProblem::OrderProblem(Block &block) {
  llvm::DenseMap<Operation *, unsigned> index;
  llvm::DenseMap<Value, unsigned> bufferOf;
  llvm::DenseSet<Value> leaves;
  for (Value value : block.getTerminator()->getOperands())
    leaves.insert(getBase(value));
  for (Operation &op : block.without_terminator()) {
    unsigned number = nodes.size();
    index[&op] = number;
    Node &node = nodes.emplace_back();
    node.op = &op;
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        OrderProblem problem(inner);
        node.within = std::max(node.within, problem.getPeak(problem.getTextOrder()));
      }
    llvm::SetVector<Value> used(op.operand_begin(), op.operand_end());
    getUsedValuesDefinedAbove(op.getRegions(), used);
    for (Value value : used) {
      Operation *producer = value.getDefiningOp();
      auto before = producer ? index.find(producer) : index.end();
      if (before == index.end())
        continue;
      if (!llvm::is_contained(node.before, before->second)) {
        node.before.push_back(before->second);
        nodes[before->second].after.push_back(number);
      }
      auto buffer = bufferOf.find(getBase(value));
      if (buffer != bufferOf.end() && !llvm::is_contained(node.uses, buffer->second)) {
        node.uses.push_back(buffer->second);
        buffers[buffer->second].users.push_back(number);
      }
    }
    node.isFree = needsNoBuffer(&op);
    if (node.isFree)
      continue;
    for (OpResult result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || leaves.contains(result))
        continue;
      bufferOf[result] = buffers.size();
      node.makes.push_back(buffers.size());
      buffers.push_back({getBufferBytes(type), number, {}});
    }
    for (OpResult result : op.getResults()) {
      Value input = getInPlaceInput(result);
      auto source = input ? bufferOf.find(getBase(input)) : bufferOf.end();
      if (source != bufferOf.end() && bufferOf.contains(result))
        node.takesOver.push_back(source->second);
    }
  }
}

std::vector<unsigned> OrderProblem::getTextOrder() const {
  std::vector<unsigned> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

int64_t OrderProblem::getPeak(ArrayRef<unsigned> order) const {
  std::vector<unsigned> remaining(buffers.size());
  for (auto [i, buffer] : llvm::enumerate(buffers))
    remaining[i] = buffer.users.size();
  int64_t live = 0, peak = 0;
  for (unsigned number : order) {
    const Node &node = nodes[number];
    for (unsigned buffer : node.makes)
      live += buffers[buffer].bytes;
    for (unsigned buffer : node.takesOver)
      if (remaining[buffer] == 1)
        live -= buffers[buffer].bytes;
    peak = std::max(peak, live + node.within);
    for (unsigned buffer : node.takesOver)
      if (remaining[buffer] == 1)
        live += buffers[buffer].bytes;
    for (unsigned buffer : node.uses)
      if (--remaining[buffer] == 0)
        live -= buffers[buffer].bytes;
    for (unsigned buffer : node.makes)
      if (remaining[buffer] == 0)
        live -= buffers[buffer].bytes;
  }
  return peak;
}

namespace {
/// The nodes that may come next, best first: those without a buffer, which others
/// wait for. A change of bytes is negative where memory gets less; changes that
/// are not are all alike.
class Ready {
public:
  Ready(const OrderProblem &problem) : problem(problem) {}

  void insert(unsigned node, int64_t change, int64_t position) {
    entries.insert({getKey(node, change), position, node});
  }
  void erase(unsigned node, int64_t change, int64_t position) {
    entries.erase({getKey(node, change), position, node});
  }
  bool empty() const { return entries.empty(); }
  unsigned front() const { return std::get<2>(*entries.begin()); }

private:
  int64_t getKey(unsigned node, int64_t change) const {
    return problem.nodes[node].isFree ? std::numeric_limits<int64_t>::min()
                                      : std::min<int64_t>(change, 0);
  }

  const OrderProblem &problem;
  std::set<std::tuple<int64_t, int64_t, unsigned>> entries;
};
} // namespace

std::vector<unsigned> dmc::orderForwards(const OrderProblem &problem) {
  const auto &nodes = problem.nodes;
  std::vector<unsigned> pending(nodes.size()), remaining(problem.buffers.size()), order;
  std::vector<int64_t> change(nodes.size(), 0);
  std::vector<bool> isReady(nodes.size(), false), isDone(nodes.size(), false);
  Ready ready(problem);
  for (auto [i, buffer] : llvm::enumerate(problem.buffers))
    remaining[i] = buffer.users.size();
  for (auto [i, node] : llvm::enumerate(nodes)) {
    pending[i] = node.before.size();
    for (unsigned buffer : node.makes)
      change[i] += remaining[buffer] ? problem.buffers[buffer].bytes : 0;
    for (unsigned buffer : node.uses)
      change[i] -= remaining[buffer] == 1 ? problem.buffers[buffer].bytes : 0;
  }
  auto add = [&](unsigned node) {
    isReady[node] = true;
    ready.insert(node, change[node], node);
  };
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (pending[i] == 0)
      add(i);
  while (!ready.empty()) {
    unsigned next = ready.front();
    ready.erase(next, change[next], next);
    isReady[next] = false;
    isDone[next] = true;
    order.push_back(next);
    for (unsigned buffer : nodes[next].uses) {
      if (--remaining[buffer] != 1)
        continue;
      // The last user that is left frees it.
      for (unsigned user : problem.buffers[buffer].users) {
        if (isDone[user])
          continue;
        if (isReady[user])
          ready.erase(user, change[user], user);
        change[user] -= problem.buffers[buffer].bytes;
        if (isReady[user])
          ready.insert(user, change[user], user);
      }
    }
    for (unsigned after : nodes[next].after)
      if (--pending[after] == 0)
        add(after);
  }
  return order;
}

std::vector<unsigned> dmc::orderBackwards(const OrderProblem &problem) {
  const auto &nodes = problem.nodes;
  std::vector<unsigned> pending(nodes.size()), order;
  std::vector<int64_t> change(nodes.size(), 0);
  std::vector<bool> isReady(nodes.size(), false), isLive(problem.buffers.size(), false);
  Ready ready(problem);
  auto position = [](unsigned node) { return -static_cast<int64_t>(node); };
  for (auto [i, node] : llvm::enumerate(nodes)) {
    pending[i] = node.after.size();
    for (unsigned buffer : node.makes)
      change[i] -= problem.buffers[buffer].users.empty() ? 0 : problem.buffers[buffer].bytes;
    for (unsigned buffer : node.uses)
      change[i] += problem.buffers[buffer].bytes;
  }
  auto add = [&](unsigned node) {
    isReady[node] = true;
    ready.insert(node, change[node], position(node));
  };
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (pending[i] == 0)
      add(i);
  while (!ready.empty()) {
    unsigned next = ready.front();
    ready.erase(next, change[next], position(next));
    isReady[next] = false;
    order.push_back(next);
    for (unsigned buffer : nodes[next].uses) {
      if (isLive[buffer])
        continue;
      // Before this use others find the buffer alive.
      isLive[buffer] = true;
      for (unsigned user : problem.buffers[buffer].users) {
        if (user == next)
          continue;
        if (isReady[user])
          ready.erase(user, change[user], position(user));
        change[user] -= problem.buffers[buffer].bytes;
        if (isReady[user])
          ready.insert(user, change[user], position(user));
      }
    }
    for (unsigned before : nodes[next].before)
      if (--pending[before] == 0)
        add(before);
  }
  std::reverse(order.begin(), order.end());
  return order;
}
