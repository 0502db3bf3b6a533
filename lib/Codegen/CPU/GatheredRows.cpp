//===- GatheredRows.cpp - Fetching the rows that a gather reads -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CPU/GatheredRows.h"

#include "CPU/ReadAhead.h"
#include "Kernel/Buffers.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

/// Whether neighbours along the last dimension of the result are neighbours in the operand.
static bool readsRows(GatherOp op) {
  auto shape = cast<RankedTensorType>(op.getResult().getType()).getShape();
  int64_t last = cast<RankedTensorType>(op.getOperand().getType()).getRank() - 1;
  return !op.getOffsetDims().empty() &&
         op.getOffsetDims().back() + 1 == static_cast<int64_t>(shape.size()) &&
         !llvm::is_contained(op.getCollapsedSliceDims(), last) &&
         !llvm::is_contained(op.getOperandBatchingDims(), last);
}

GatheredRows::GatheredRows(Scalarizer &s, ArrayRef<const Root *> roots)
    : s(s), shape(cast<RankedTensorType>(roots.front()->value.getType()).getShape()) {
  if (shape.size() < 2 || s.target.isDevice())
    return;
  SmallVector<Value> work;
  for (const Root *root : roots)
    work.push_back(root->value);
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (auto map = dyn_cast<linalg::MapOp>(op))
      llvm::append_range(work, map.getInputs());
    else if (auto gather = dyn_cast<GatherOp>(op); gather && isFetched(gather))
      gathers.push_back(gather);
  }
}

bool GatheredRows::isFetched(GatherOp gather) const {
  auto table = gather.getOperand().getDefiningOp<bufferization::ToTensorOp>();
  return table && readsRows(gather) &&
         bufferBytes(cast<MemRefType>(table.getBuffer().getType())) > s.caches.last;
}

Indices GatheredRows::findLaterRow(ArrayRef<Index> outer) {
  int64_t rows = llvm::product_of(shape.drop_back()), lines = linesAhead;
  for (GatherOp gather : gathers) {
    int64_t line = s.target.getLineElements(getElementTypeOrSelf(gather.getOperand()));
    lines = std::min<int64_t>(lines, llvm::divideCeil(shape.back(), line));
  }
  auto distance = LoopBuilder::constant(llvm::divideCeil(linesAhead, std::max<int64_t>(1, lines)));
  Index later = s.add(s.linearize(outer, shape.drop_back()), distance);
  return s.delinearize(s.clamp(later, 0, rows - 1), shape.drop_back());
}

void GatheredRows::overParts(ArrayRef<Index> outer, function_ref<void(const Run &)> body) {
  int64_t length = shape.back();
  for (GatherOp gather : gathers)
    length = std::min(
        length, linesAhead * s.target.getLineElements(getElementTypeOrSelf(gather.getOperand())));
  int64_t parts = length ? shape.back() / length : 0;
  Indices later = findLaterRow(outer);
  s.loop(parts, {}, [&](const Index &part, ValueRange) {
    Index begin = s.scale(part, length);
    for (GatherOp gather : gathers)
      fetch(gather, later, begin, length);
    body({begin, length, shape.back(), {}});
    return SmallVector<Value>();
  });
  if (int64_t rest = shape.back() - parts * length)
    body({LoopBuilder::constant(parts * length), rest, shape.back(), {}});
}

void GatheredRows::fetch(GatherOp gather, ArrayRef<Index> row, const Index &begin, int64_t length) {
  Value table = s.arguments.lookup(
      gather.getOperand().getDefiningOp<bufferization::ToTensorOp>().getBuffer());
  int64_t step = s.target.getLineElements(getElementTypeOrSelf(gather.getOperand()));
  for (int64_t i = 0; i < length; i += step) {
    Indices indices(row);
    indices.push_back(s.add(begin, LoopBuilder::constant(i)));
    SmallVector<Value> at = s.materialize(s.findGathered(gather, indices));
    memref::PrefetchOp::create(s.here(), s.loc, table, at, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
}
