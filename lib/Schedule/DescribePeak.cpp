//===- DescribePeak.cpp - What is alive when memory is fullest ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

Operation *BufferPlan::getPeakPlace(func::FuncOp entry) const {
  Operation *place = entry;
  for (auto &[op, step] : steps)
    if (step <= peakStep && (place == entry || step > steps.lookup(place)))
      place = op;
  return place;
}

void BufferPlan::describePeak(InFlightDiagnostic &diagnostic, Location loc) const {
  auto stepOf = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return steps.lookup(op ? op : value.getParentBlock()->getParentOp());
  };
  // The value that a buffer is made for comes first in the text.
  llvm::DenseMap<unsigned, Value> makers;
  for (auto &[value, buffer] : bufferOf) {
    Value &maker = makers[buffer];
    if (!maker || stepOf(value) < stepOf(maker))
      maker = value;
  }
  SmallVector<unsigned> alive;
  for (auto [i, buffer] : llvm::enumerate(buffers))
    if (buffer.location == PlannedBuffer::Arena && buffer.first <= peakStep &&
        peakStep <= buffer.last && buffer.bytes > 0)
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
