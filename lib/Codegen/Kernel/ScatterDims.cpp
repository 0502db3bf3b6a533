//===- ScatterDims.cpp - What the dimensions of a scatter stand for -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernel/ScatterDims.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::codegen;

ScatterDims::ScatterDims(ScatterOp op) : op(op), rank(op.getTargetType().getRank()) {
  ArrayRef<int64_t> shape = op.getTargetType().getShape(), updates = op.getUpdateType().getShape();
  updateDims.resize(updates.size());
  // Dimensions of windows are in order; so are those of the indices' batches.
  SmallVector<int64_t> batch;
  for (auto [number, dim] : llvm::enumerate(updateDims)) {
    dim.isWindow = llvm::is_contained(op.getUpdateWindowDims(), number);
    if (!dim.isWindow)
      batch.push_back(number);
  }
  auto vectorDim = static_cast<int64_t>(op.getIndexVectorDim());
  for (auto [target, other] :
       llvm::zip_equal(op.getInputBatchingDims(), op.getScatterIndicesBatchingDims()))
    updateDims[batch[other - (other > vectorDim)]].target = target;
  size_t next = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isBatch = llvm::is_contained(op.getInputBatchingDims(), dim);
    bool isKey = llvm::is_contained(op.getScatterDimsToOperandDims(), dim);
    int64_t window = 1;
    if (!isBatch && !llvm::is_contained(op.getInsertedWindowDims(), dim)) {
      int64_t update = op.getUpdateWindowDims()[next++];
      updateDims[update].target = dim;
      window = updates[update];
    }
    (isBatch ? batchDims : isKey ? keyDims : rowDims).push_back(dim);
    (isBatch ? batchSizes : isKey ? keySizes : rowSizes).push_back(shape[dim]);
    if (!isBatch && !isKey)
      rowWindows.push_back(window);
  }
  for (auto [dim, size] : llvm::zip_equal(updateDims, updates)) {
    dim.isEntry = dim.target < 0 || llvm::is_contained(keyDims, dim.target);
    if (dim.isEntry)
      entrySizes.push_back(size);
  }
}

Indices ScatterDims::spread(Scalarizer &s, const Index &entry) const {
  return entrySizes.empty() ? Indices() : s.delinearize(entry, entrySizes);
}

std::optional<Index> ScatterDims::findKey(Scalarizer &s, ArrayRef<Index> batch, const Index &entry,
                                          Value &condition) const {
  Indices indices = spread(s, entry), starts(rank), inBatch;
  for (auto [dim, index] : llvm::zip_equal(batchDims, batch))
    starts[dim] = index;
  const Index *next = indices.begin();
  for (const UpdateDim &dim : updateDims) {
    Index index = dim.isEntry ? *next++ : dim.target < 0 ? Index() : starts[dim.target];
    if (!dim.isWindow)
      inBatch.push_back(index);
    else if (dim.isEntry)
      starts[dim.target] = index;
  }
  Indices read = s.readStarts(op.getIndices(), inBatch, op.getIndexVectorDim(),
                              op.getScatterDimsToOperandDims(), rank, op.getIndicesAreUnsigned());
  Indices key;
  for (auto [dim, size] : llvm::zip_equal(keyDims, keySizes)) {
    key.push_back(s.add(read[dim], starts[dim]));
    if (s.within(key.back(), 0, size, condition) == std::optional<bool>(false))
      return std::nullopt;
  }
  return s.linearize(key, keySizes);
}

Indices ScatterDims::locate(Scalarizer &s, ArrayRef<Index> batch, const Index &key,
                            ArrayRef<Index> chunk, int64_t lanes) const {
  Indices at(rank);
  auto place = [&](ArrayRef<int64_t> dims, ArrayRef<Index> indices) {
    for (auto [dim, index] : llvm::zip_equal(dims, indices))
      at[dim] = index;
  };
  place(batchDims, batch);
  if (!keySizes.empty())
    place(keyDims, s.delinearize(key, keySizes));
  place(rowDims, chunk);
  if (!rowDims.empty())
    at[rowDims.back()] = s.scale(at[rowDims.back()], lanes);
  return at;
}

Indices ScatterDims::findUpdate(Scalarizer &s, const Index &entry, ArrayRef<Index> at) const {
  Indices indices = spread(s, entry), place;
  const Index *next = indices.begin();
  for (const UpdateDim &dim : updateDims)
    place.push_back(dim.isEntry ? *next++ : at[dim.target]);
  return place;
}

bool ScatterDims::isInWindow(Scalarizer &s, ArrayRef<Index> at, Value &condition) const {
  for (auto [dim, size, window] : llvm::zip_equal(rowDims, rowSizes, rowWindows))
    if (window < size && s.within(at[dim], 0, window, condition) == std::optional<bool>(false))
      return false;
  return true;
}
