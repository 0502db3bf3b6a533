//===- DescribePeak.cpp - What is alive when memory is fullest ------------===//
//
// Says which values a planned arena holds at its peak.
//
//===----------------------------------------------------------------------===//
#include "BufferPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dmc;

/// How many buffers are named.
static constexpr size_t maxNamed = 10;

void BufferPlan::describePeak(func::FuncOp entry) const {
  Operation *place = entry;
  for (auto &[op, step] : steps)
    if (step <= peakStep && (place == entry || step > steps.lookup(place)))
      place = op;
  // The value that a buffer is made for comes first in the text.
  llvm::DenseMap<unsigned, Value> makers;
  for (auto &[value, buffer] : bufferOf) {
    Value &maker = makers[buffer];
    auto stepOf = [&](Value made) {
      Operation *op = made.getDefiningOp();
      return op ? steps.lookup(op) : steps.lookup(made.getParentBlock()->getParentOp());
    };
    if (!maker || stepOf(value) < stepOf(maker))
      maker = value;
  }
  SmallVector<unsigned> alive;
  for (auto [i, buffer] : llvm::enumerate(buffers))
    if (buffer.home == PlannedBuffer::Arena && buffer.first <= peakStep &&
        peakStep <= buffer.last && buffer.bytes > 0)
      alive.push_back(i);
  llvm::stable_sort(alive,
                    [&](unsigned a, unsigned b) { return buffers[a].bytes > buffers[b].bytes; });
  InFlightDiagnostic remark = place->emitRemark("the arena of ")
                              << arenaBytes << " bytes holds at most " << liveBytes
                              << " at a time, here in " << alive.size() << " buffers";
  for (unsigned index : ArrayRef(alive).take_front(maxNamed)) {
    Value maker = makers.lookup(index);
    Diagnostic &note = remark.attachNote(maker ? maker.getLoc() : entry.getLoc());
    note << buffers[index].bytes << " bytes";
    if (maker)
      note << ": " << maker.getType();
  }
}
