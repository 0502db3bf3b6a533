// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verifiers of gather and scatter.
#include "Verify.h"

using namespace mlir;
using namespace dmc::stablehlo;

/// The tensor of indices: its index vectors and batches, named as the operation's attributes are.
namespace {
struct Indices {
  RankedTensorType type;
  int64_t vectorDim;
  ArrayRef<int64_t> batchingDims;
  StringRef batchingName;

  int64_t vectorSize() const {
    return vectorDim == type.getRank() ? 1 : type.getDimSize(vectorDim);
  }

  LogicalResult verify(Operation *op) const {
    if (vectorDim < 0 || vectorDim > type.getRank())
      return op->emitOpError() << "expected index_vector_dim of 0 to " << type.getRank()
                               << ", but got " << vectorDim;
    if (failed(verifyDims(op, batchingName, batchingDims, type.getRank())))
      return failure();
    return verifyDisjoint(op, batchingName, batchingDims, "index_vector_dim", {vectorDim});
  }

  /// The sizes of all dimensions but that of the index vector.
  SmallVector<int64_t> batchSizes() const {
    SmallVector<int64_t> sizes(type.getShape());
    if (vectorDim < type.getRank())
      sizes.erase(sizes.begin() + vectorDim);
    return sizes;
  }
};

/// The operand's dimensions: dropped from windows, batches, and those that indices address.
struct Addressed {
  RankedTensorType type;
  StringRef droppedName, batchingName, mapName;
  ArrayRef<int64_t> dropped, batching, map;

  LogicalResult verify(Operation *op, const Indices &indices) const {
    int64_t rank = type.getRank();
    if (failed(verifySortedDims(op, droppedName, dropped, rank)) ||
        failed(verifySortedDims(op, batchingName, batching, rank)) ||
        failed(verifyDisjoint(op, droppedName, dropped, batchingName, batching)) ||
        failed(verifyDims(op, mapName, map, rank)) ||
        failed(verifyDisjoint(op, mapName, map, batchingName, batching)) ||
        failed(indices.verify(op)) ||
        failed(
            verifyCount(op, indices.batchingName, indices.batchingDims.size(), batching.size())) ||
        failed(verifyCount(op, mapName, map.size(), indices.vectorSize())))
      return failure();
    for (auto [dim, other] : llvm::zip(batching, indices.batchingDims))
      if (type.getDimSize(dim) != indices.type.getDimSize(other))
        return op->emitOpError() << "expected batching dimension " << dim << " of the operand and "
                                 << other << " of the indices to have the same size, but got "
                                 << type.getDimSize(dim) << " and "
                                 << indices.type.getDimSize(other);
    return success();
  }

  bool isDropped(int64_t dim) const {
    return llvm::is_contained(dropped, dim) || llvm::is_contained(batching, dim);
  }
};

/// Puts window sizes at their dimensions and batch sizes at the others in order.
SmallVector<int64_t> combine(ArrayRef<int64_t> batchSizes, ArrayRef<int64_t> windowDims,
                             ArrayRef<int64_t> windowSizes) {
  SmallVector<int64_t> shape(batchSizes);
  for (auto [dim, size] : llvm::zip(windowDims, windowSizes)) // ascending
    shape.insert(shape.begin() + dim, size);
  return shape;
}
} // namespace

LogicalResult GatherOp::verify() {
  GatherDimensionNumbersAttr dims = getDimensionNumbers();
  RankedTensorType result = tensorOf(getResult());
  Indices indices{tensorOf(getStartIndices()), dims.getIndexVectorDim(),
                  dims.getStartIndicesBatchingDims(), "start_indices_batching_dims"};
  Addressed operand{tensorOf(getOperand()),       "collapsed_slice_dims",
                    "operand_batching_dims",      "start_index_map",
                    dims.getCollapsedSliceDims(), dims.getOperandBatchingDims(),
                    dims.getStartIndexMap()};
  int64_t rank = operand.type.getRank();
  ArrayRef<int64_t> sizes = getSliceSizes();
  if (failed(verifySameElementType(*this, "operand", operand.type, "result", result)) || // (C1)
      failed(verifySortedDims(*this, "offset_dims", dims.getOffsetDims(), result.getRank())) ||
      failed(operand.verify(*this, indices)) || // (C2), (C4)
      failed(verifyCount(*this, "slice_sizes", sizes.size(), rank)))
    return failure();

  SmallVector<int64_t> windowSizes;
  for (int64_t dim = 0; dim < rank; ++dim) { // (C3)
    int64_t limit = operand.type.getDimSize(dim);
    if (operand.isDropped(dim))
      limit = std::min<int64_t>(limit, 1);
    else
      windowSizes.push_back(sizes[dim]);
    if (sizes[dim] < 0 || sizes[dim] > limit)
      return emitOpError() << "expected a slice of at most " << limit << " along dimension " << dim
                           << ", but got " << sizes[dim];
  }
  SmallVector<int64_t> batchSizes = indices.batchSizes(); // (C5)
  if (failed(verifyCount(*this, "offset_dims", dims.getOffsetDims().size(), windowSizes.size())))
    return failure();
  if (result.getRank() != static_cast<int64_t>(batchSizes.size() + windowSizes.size()))
    return emitOpError() << "expected a result of rank " << batchSizes.size() + windowSizes.size()
                         << ", but got " << result;
  return verifyShape(*this, "result", result,
                     combine(batchSizes, dims.getOffsetDims(), windowSizes));
}

LogicalResult ScatterOp::verify() {
  ScatterDimensionNumbersAttr dims = getScatterDimensionNumbers();
  if (getNumOperands() < 3 || getNumOperands() % 2 != 1) // (C1)
    return emitOpError() << "expected as many updates as inputs, at least one, but got "
                         << getNumOperands() << " operands with the indices";
  if (getResultTypes() != getInputs().getTypes())
    return emitOpError() << "expected results of the inputs' types (" << getInputs().getTypes()
                         << "), but got (" << getResultTypes() << ")";
  RankedTensorType input = tensorOf(getInputs().front()), update = tensorOf(getUpdates().front());
  for (auto [otherInput, otherUpdate] : llvm::zip(getInputs(), getUpdates())) {
    if (failed(verifyShape(*this, "inputs", tensorOf(otherInput), input.getShape())) ||
        failed(verifyShape(*this, "updates", tensorOf(otherUpdate), update.getShape())) ||
        failed(verifySameElementType(*this, "input", otherInput.getType(), "update",
                                     otherUpdate.getType())))
      return failure();
  }

  Indices indices{tensorOf(getScatterIndices()), dims.getIndexVectorDim(),
                  dims.getScatterIndicesBatchingDims(), "scatter_indices_batching_dims"};
  Addressed operand{input,
                    "inserted_window_dims",
                    "input_batching_dims",
                    "scatter_dims_to_operand_dims",
                    dims.getInsertedWindowDims(),
                    dims.getInputBatchingDims(),
                    dims.getScatterDimsToOperandDims()};
  ArrayRef<int64_t> windowDims = dims.getUpdateWindowDims();
  if (failed(operand.verify(*this, indices)) || // (C2), (C3)
      failed(verifySortedDims(*this, "update_window_dims", windowDims, update.getRank())))
    return failure();

  SmallVector<int64_t> limits; // (C4)
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (!operand.isDropped(dim))
      limits.push_back(input.getDimSize(dim));
  if (failed(verifyCount(*this, "update_window_dims", windowDims.size(), limits.size())))
    return failure();
  SmallVector<int64_t> windowSizes;
  for (auto [dim, limit] : llvm::zip(windowDims, limits)) {
    windowSizes.push_back(update.getDimSize(dim));
    if (windowSizes.back() > limit)
      return emitOpError() << "expected updates of at most " << limit << " along dimension " << dim
                           << ", but got " << windowSizes.back();
  }
  SmallVector<int64_t> batchSizes = indices.batchSizes();
  if (update.getRank() != static_cast<int64_t>(batchSizes.size() + windowSizes.size()))
    return emitOpError() << "expected updates of rank " << batchSizes.size() + windowSizes.size()
                         << ", but got " << update;
  return verifyShape(*this, "updates", update, combine(batchSizes, windowDims, windowSizes));
}

LogicalResult ScatterOp::verifyRegions() { // (C5)
  return verifyCombiner(*this, "the update computation", getUpdateComputation(),
                        getInputs().getTypes());
}
