//===- DescribePeak.cpp - What is alive when memory is fullest ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says which values a planned arena holds at its peak, and at other points where it is full.
//
//===----------------------------------------------------------------------===//
#include "BufferPlan.h"

#include "dmc/Dialect/Comm/Comm.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dmc;

/// How many buffers are named.
static constexpr size_t maxNamed = 10;

Operation *BufferPlan::getPlace(func::FuncOp entry, int64_t step) const {
  Operation *place = entry;
  for (auto &[op, first] : steps)
    if (first <= step && (place == entry || first > steps.lookup(place)))
      place = op;
  return place;
}

llvm::DenseMap<unsigned, Value> BufferPlan::getMakers() const {
  auto stepOf = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return steps.lookup(op ? op : value.getParentBlock()->getParentOp());
  };
  llvm::DenseMap<unsigned, Value> makers;
  for (auto &[value, buffer] : bufferOf) {
    Value &maker = makers[buffer];
    if (!maker || stepOf(value) < stepOf(maker))
      maker = value;
  }
  return makers;
}

void BufferPlan::describePeak(InFlightDiagnostic &diagnostic, Location loc) const {
  llvm::DenseMap<unsigned, Value> makers = getMakers();
  SmallVector<unsigned> alive;
  for (auto [i, buffer] : llvm::enumerate(buffers))
    if (isAliveAt(buffer, peakStep))
      alive.push_back(i);
  llvm::stable_sort(alive,
                    [&](unsigned a, unsigned b) { return buffers[a].bytes > buffers[b].bytes; });
  for (unsigned index : ArrayRef(alive).take_front(maxNamed)) {
    Value maker = makers.lookup(index);
    Diagnostic &note = diagnostic.attachNote(maker ? maker.getLoc() : loc);
    note << buffers[index].bytes << " bytes alive";
    if (maker)
      note << ": " << maker.getType();
  }
  if (alive.size() > maxNamed)
    diagnostic.attachNote(loc) << "and " << alive.size() - maxNamed << " smaller buffers";
}

/// A launch's own location is that of all its results; what a result is written into has the
/// location of the operation that computes it.
static Location getOrigin(Value value) {
  auto launch = value.getDefiningOp<LaunchOp>();
  if (!launch)
    return value.getLoc();
  Value init = launch.getInits()[cast<OpResult>(value).getResultNumber()];
  return init.getLoc();
}

MemoryUse BufferPlan::getMemoryUse(func::FuncOp entry, size_t maxPoints) const {
  MemoryUse use;
  use.boundaryBytes = getArgumentBytes(entry) + getResultBytes(entry);
  use.arenaBytes = arenaBytes;
  int64_t numSteps = 0;
  for (const PlannedBuffer &buffer : buffers)
    numSteps = std::max(numSteps, buffer.last + 1);
  std::vector<int64_t> live(numSteps + 1, 0);
  for (const PlannedBuffer &buffer : buffers)
    if (buffer.location == PlannedBuffer::Arena && buffer.first >= 0) {
      live[buffer.first] += buffer.bytes;
      live[buffer.last + 1] -= buffer.bytes;
    }
  for (int64_t step = 1; step <= numSteps; ++step)
    live[step] += live[step - 1];
  // The first step of each stretch from which memory only gets emptier.
  SmallVector<int64_t> peaks;
  for (int64_t step = 0, top = 0; step < numSteps; ++step) {
    if (live[step] > live[top])
      top = step;
    if (live[step + 1] < live[step]) {
      if (peaks.empty() || peaks.back() != top)
        peaks.push_back(top);
      top = step + 1;
    }
  }
  llvm::stable_sort(peaks, [&](int64_t a, int64_t b) { return live[a] > live[b]; });
  llvm::DenseMap<unsigned, Value> makers = getMakers();
  for (int64_t step : ArrayRef(peaks).take_front(maxPoints)) {
    MemoryUse::Point point{live[step], getPlace(entry, step)->getLoc(), {}};
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      if (!isAliveAt(buffer, step))
        continue;
      Value maker = makers.lookup(i);
      point.buffers.push_back(
          {buffer.bytes, buffer.type, maker ? getOrigin(maker) : entry.getLoc(),
           maker && isa_and_nonnull<comm::CollectiveOpInterface>(maker.getDefiningOp())});
    }
    use.points.push_back(std::move(point));
  }
  SmallVector<std::pair<int64_t, Operation *>> starts;
  entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto first = steps.find(op); first != steps.end() && first->second < numSteps)
      starts.push_back({first->second, op});
  });
  // Of those that begin together the steps are the last one's.
  llvm::stable_sort(starts, llvm::less_first());
  for (auto [i, start] : llvm::enumerate(starts)) {
    int64_t end = i + 1 < starts.size() ? starts[i + 1].first : numSteps;
    if (start.first < end)
      use.steps.push_back({*std::max_element(live.begin() + start.first, live.begin() + end),
                           start.second->getLoc()});
  }
  return use;
}
