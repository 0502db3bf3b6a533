//===- Peak.cpp - What memory holds when it is fullest --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the live ranges of the arena's views off the scheduled program.
//
//===----------------------------------------------------------------------===//
#include "Gather.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include <set>

using namespace mlir;
using namespace dmc;
using namespace dmc::explain;

namespace {
/// Bytes of the arena and the steps in which a view of them is in use.
struct LiveRange {
  int64_t begin = 0, end = 0;
  int64_t first = -1, last = -1;
  Operation *view = nullptr;
  Operation *maker = nullptr;
};
} // namespace

static int64_t bytesOf(Type type) {
  auto memref = cast<MemRefType>(type);
  return memref.getNumElements() * ((memref.getElementTypeBitWidth() + 7) / 8);
}

/// Uses of a view and of its reshapes.
static void collectUses(Value value, SmallVectorImpl<Operation *> &users) {
  for (Operation *user : value.getUsers()) {
    if (isa<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(user))
      collectUses(user->getResult(0), users);
    else
      users.push_back(user);
  }
}

/// Bytes of which some range of those alive is in use.
static int64_t unionOf(const std::set<std::pair<int64_t, int64_t>> &alive) {
  int64_t bytes = 0, end = 0;
  for (auto [first, last] : alive) {
    bytes += std::max<int64_t>(0, last - std::max(first, end));
    end = std::max(end, last);
  }
  return bytes;
}

void explain::gatherPeak(ModuleOp module, Explanation &explanation) {
  func::FuncOp entry = getEntry(module);
  ProgramAttr program = ProgramAttr::of(module);
  size_t numArguments = program.getArguments().size(), numResults = program.getResults().size();
  if (entry.getNumArguments() != numArguments + numResults + 1)
    return;
  Peak peak;
  std::set<unsigned> aliased;
  for (size_t i = 0; i < numArguments; ++i) {
    peak.arguments += bytesOf(entry.getArgument(i).getType());
    if (int64_t result = program.getResultInBufferOf(i); result >= 0)
      aliased.insert(result);
  }
  for (size_t i = 0; i < numResults; ++i)
    if (!aliased.count(i))
      peak.results += bytesOf(entry.getArgument(numArguments + i).getType());
  Value arena = entry.getArgument(numArguments + numResults);
  peak.arena = bytesOf(arena.getType());

  llvm::DenseMap<Operation *, std::pair<int64_t, int64_t>> steps;
  std::vector<Operation *> order;
  auto number = [&](auto &self, Block &block) -> void {
    for (Operation &op : block) {
      int64_t begin = order.size();
      order.push_back(&op);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          self(self, inner);
      steps[&op] = {begin, static_cast<int64_t>(order.size()) - 1};
    }
  };
  number(number, entry.getBody().front());

  std::vector<LiveRange> ranges;
  for (Operation *user : arena.getUsers()) {
    auto view = dyn_cast<memref::ViewOp>(user);
    APInt offset;
    if (!view || !matchPattern(view.getByteShift(), m_ConstantInt(&offset)))
      continue;
    LiveRange range;
    range.view = view;
    range.begin = offset.getSExtValue();
    range.end = range.begin + bytesOf(view.getType());
    SmallVector<Operation *> uses;
    collectUses(view, uses);
    for (Operation *use : uses) {
      // An iteration of a loop may leave what the next one reads.
      Operation *inBlock = view->getBlock()->findAncestorOpInBlock(*use);
      if (!inBlock)
        continue;
      auto [first, last] = steps.lookup(inBlock);
      if (range.first < 0 || first < range.first) {
        range.first = first;
        range.maker = use;
      }
      range.last = std::max(range.last, last);
    }
    if (range.first >= 0 && range.end > range.begin)
      ranges.push_back(range);
  }

  std::map<int64_t, std::vector<std::pair<bool, const LiveRange *>>> events;
  for (const LiveRange &range : ranges) {
    events[range.first].push_back({true, &range});
    events[range.last + 1].push_back({false, &range});
  }
  std::set<std::pair<int64_t, int64_t>> bytes;
  std::map<std::pair<int64_t, int64_t>, unsigned> counts;
  int64_t at = 0;
  for (auto &[step, changes] : events) {
    for (auto [begins, range] : changes) {
      std::pair<int64_t, int64_t> key{range->begin, range->end};
      unsigned &count = counts[key];
      count += begins ? 1 : -1;
      if (count)
        bytes.insert(key);
      else
        bytes.erase(key);
    }
    if (int64_t live = unionOf(bytes); live > peak.live) {
      peak.live = live;
      at = step;
    }
  }
  if (peak.live && at < static_cast<int64_t>(order.size())) {
    peak.place = toPlace(order[at]->getLoc());
    peak.op = order[at]->getName().getStringRef().str();
  }
  std::map<std::pair<int64_t, int64_t>, const LiveRange *> held;
  for (const LiveRange &range : ranges)
    if (range.first <= at && at <= range.last) {
      // Of views of the same bytes the first made them.
      const LiveRange *&known = held[{range.begin, range.end}];
      if (!known || range.first < known->first)
        known = &range;
    }
  for (auto &[key, range] : held) {
    Peak::Buffer buffer;
    buffer.bytes = key.second - key.first;
    llvm::raw_string_ostream os(buffer.type);
    auto type = cast<MemRefType>(range->view->getResult(0).getType());
    for (int64_t size : type.getShape())
      os << size << "x";
    os << type.getElementType();
    buffer.maker.op = range->maker->getName().getStringRef().str();
    buffer.maker.place = toPlace(range->maker->getLoc());
    peak.buffers.push_back(std::move(buffer));
  }
  llvm::stable_sort(peak.buffers,
                    [](const Peak::Buffer &a, const Peak::Buffer &b) { return a.bytes > b.bytes; });
  explanation.peak = std::move(peak);
}
