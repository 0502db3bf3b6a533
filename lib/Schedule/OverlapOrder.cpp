//===- OverlapOrder.cpp - Collectives beside kernels ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts collectives early and lets what uses their results wait. At most two of
// a stream are between: one that runs, and one that follows it.
//
//===----------------------------------------------------------------------===//
#include "BufferPlan.h"
#include "OperationOrder.h"
#include "Streams.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <deque>
#include <set>

using namespace mlir;
using namespace dmc;

/// One that runs, and the next, which the stream starts when that has ended.
static constexpr unsigned kMaxFlights = 2;

static comm::CollectiveOpInterface getCollective(const OrderProblem::Node &node) {
  return dyn_cast<comm::CollectiveOpInterface>(node.op);
}

int64_t dmc::getFlightBytes(const OrderProblem &problem) {
  llvm::DenseMap<Attribute, std::multiset<int64_t>> largest;
  for (const OrderProblem::Node &node : problem.nodes) {
    auto collective = getCollective(node);
    if (!collective)
      continue;
    std::multiset<int64_t> &bytes = largest[getGroupKey(collective)];
    bytes.insert(getBufferBytes(cast<ShapedType>(collective.getOperandValue().getType())) +
                 getBufferBytes(cast<ShapedType>(collective.getDestination().getType())));
    if (bytes.size() > kMaxFlights)
      bytes.erase(bytes.begin());
  }
  int64_t sum = 0;
  for (auto &[key, bytes] : largest)
    for (int64_t each : bytes)
      sum += each;
  return sum;
}

namespace {
/// Nodes in the order of the text, except that
/// - a collective comes as soon as its operand is there and fewer than two of its stream have
///   started whose results are not used yet;
/// - what uses the last started collective of a stream comes after the start of the next one,
///   if that does not need it.
class Overlapper {
public:
  explicit Overlapper(const OrderProblem &problem) : nodes(problem.nodes) {
    findStreams();
    findUses();
    pending.resize(nodes.size());
    isDone.resize(nodes.size());
    for (auto [i, node] : llvm::enumerate(nodes)) {
      pending[i] = node.before.size();
      if (pending[i] == 0)
        ready.insert(i);
    }
    for (Stream &stream : streams)
      findNeeded(stream);
  }

  std::vector<unsigned> run() {
    std::vector<unsigned> order;
    while (!ready.empty()) {
      order.push_back(choose());
      finish(order.back());
    }
    return order;
  }

private:
  struct Stream {
    /// Those that have not started, in order.
    std::deque<unsigned> waiting;
    int last = -1;
    /// Started, and not used yet.
    unsigned numFlights = 0;
    /// What the next one needs and is not done.
    llvm::BitVector needed;
  };

  void findStreams() {
    llvm::DenseMap<Attribute, unsigned> numbers;
    streamOf.assign(nodes.size(), -1);
    for (auto [i, node] : llvm::enumerate(nodes)) {
      auto collective = getCollective(node);
      if (!collective)
        continue;
      auto [found, isNew] = numbers.try_emplace(getGroupKey(collective), streams.size());
      if (isNew)
        streams.emplace_back();
      streamOf[i] = static_cast<int>(found->second);
      streams[found->second].waiting.push_back(i);
    }
  }

  /// Which collectives' results a node uses, reshaped or not.
  void findUses() {
    llvm::DenseMap<Operation *, unsigned> numberOf;
    uses.resize(nodes.size());
    isUsed.resize(nodes.size());
    for (auto [i, node] : llvm::enumerate(nodes)) {
      if (streamOf[i] >= 0)
        numberOf[node.op] = i;
      if (getViewSource(node.op))
        continue;
      llvm::SetVector<Value> values(node.op->operand_begin(), node.op->operand_end());
      getUsedValuesDefinedAbove(node.op->getRegions(), values);
      for (Value value : values) {
        while (Value source = getViewSource(value.getDefiningOp()))
          value = source;
        auto found = numberOf.find(value.getDefiningOp());
        if (found == numberOf.end() || found->second == i)
          continue;
        uses[i].insert(found->second);
        isUsed.set(found->second);
      }
    }
  }

  void findNeeded(Stream &stream) {
    stream.needed.clear();
    stream.needed.resize(nodes.size());
    if (stream.waiting.empty())
      return;
    SmallVector<unsigned> next = {stream.waiting.front()};
    while (!next.empty()) {
      unsigned node = next.pop_back_val();
      if (isDone.test(node) || stream.needed.test(node))
        continue;
      stream.needed.set(node);
      next.append(nodes[node].before.begin(), nodes[node].before.end());
    }
  }

  bool isNext(unsigned node) const { return streams[streamOf[node]].waiting.front() == node; }

  /// The stream whose next collective comes before the node; null: none.
  const Stream *getReasonToWait(unsigned node) const {
    for (unsigned collective : uses[node]) {
      const Stream &stream = streams[streamOf[collective]];
      if (stream.last == static_cast<int>(collective) && !stream.waiting.empty() &&
          !stream.needed.test(node))
        return &stream;
    }
    return nullptr;
  }

  unsigned choose() const {
    int early = -1;
    for (const Stream &stream : streams)
      if (stream.numFlights < kMaxFlights && !stream.waiting.empty() &&
          pending[stream.waiting.front()] == 0 &&
          (early < 0 || stream.waiting.front() < static_cast<unsigned>(early)))
        early = static_cast<int>(stream.waiting.front());
    if (early >= 0)
      return early;
    // Others overtake what waits only if that waits for them.
    SmallVector<const Stream *> reasons;
    for (unsigned node : ready) {
      if (streamOf[node] >= 0 && (!isNext(node) || !reasons.empty()))
        continue;
      if (const Stream *reason = getReasonToWait(node)) {
        reasons.push_back(reason);
        continue;
      }
      if (reasons.empty() ||
          llvm::any_of(reasons, [&](const Stream *each) { return each->needed.test(node); }))
        return node;
    }
    // Before the first in the text nothing is missing.
    return isDone.find_first_unset();
  }

  void finish(unsigned node) {
    ready.erase(node);
    isDone.set(node);
    for (unsigned after : nodes[node].after)
      if (--pending[after] == 0)
        ready.insert(after);
    for (unsigned collective : uses[node]) {
      streams[streamOf[collective]].numFlights -= isUsed.test(collective);
      isUsed.reset(collective);
    }
    if (streamOf[node] < 0)
      return;
    Stream &stream = streams[streamOf[node]];
    stream.waiting.pop_front();
    stream.last = static_cast<int>(node);
    stream.numFlights += isUsed.test(node);
    findNeeded(stream);
  }

  const std::vector<OrderProblem::Node> &nodes;
  std::vector<Stream> streams;
  /// Of collectives; -1 of others.
  std::vector<int> streamOf;
  std::vector<llvm::SetVector<unsigned>> uses;
  std::vector<unsigned> pending;
  std::set<unsigned> ready;
  llvm::BitVector isDone;
  /// Collectives whose results something uses that is not done.
  llvm::BitVector isUsed;
};
} // namespace

std::vector<unsigned> dmc::orderOverlapping(const OrderProblem &problem) {
  return Overlapper(problem).run();
}
