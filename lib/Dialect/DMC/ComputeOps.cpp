//===- ComputeOps.cpp - Verifiers of gather, scatter, dynamic slices ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dimension numbers must be consistent; check numbers are those of the
// operators' documentation.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace dmc;

#define GET_OP_CLASSES
#include "dmc/Dialect/DMC/ComputeOps.cpp.inc"

static LogicalResult checkIncreasing(Operation *op, StringRef name, ArrayRef<int64_t> dims,
                                     int64_t rank) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= rank || (i > 0 && dims[i - 1] >= dim))
      return op->emitOpError("expected '")
             << name << "' to be strictly increasing and below " << rank << ", found " << dims;
  return success();
}

static LogicalResult checkDistinct(Operation *op, StringRef name, ArrayRef<int64_t> dims,
                                   int64_t rank) {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank || !seen.insert(dim).second)
      return op->emitOpError("expected '")
             << name << "' to be distinct and below " << rank << ", found " << dims;
  return success();
}

/// What gather and scatter share: index vectors into `operand`.
namespace {
struct Indexing {
  Operation *op;
  RankedTensorType operand, indices;
  ArrayRef<int64_t> droppedDims, operandBatchingDims, indicesBatchingDims, indexMap;
  int64_t indexVectorDim;
  StringRef droppedName, mapName;

  LogicalResult verify(unsigned mapConstraint) const {
    if (!isa<IntegerType>(indices.getElementType()))
      return op->emitOpError("expected integer indices, found ") << indices.getElementType();
    int64_t indicesRank = indices.getRank();
    if (indexVectorDim < 0 || indexVectorDim > indicesRank)
      return op->emitOpError("expected 'index_vector_dim' between 0 and ")
             << indicesRank << ", found " << indexVectorDim;
    if (failed(checkIncreasing(op, droppedName, droppedDims, operand.getRank())) ||
        failed(checkIncreasing(op, "operand batching dimensions", operandBatchingDims,
                               operand.getRank())) ||
        failed(checkDistinct(op, "indices batching dimensions", indicesBatchingDims, indicesRank)))
      return failure();
    for (int64_t dim : operandBatchingDims)
      if (llvm::is_contained(droppedDims, dim))
        return op->emitOpError("dimension ")
               << dim << " is both in '" << droppedName << "' and a batching dimension";
    int64_t components = indexVectorDim == indicesRank ? 1 : indices.getDimSize(indexVectorDim);
    if (static_cast<int64_t>(indexMap.size()) != components)
      return op->emitOpError("expected '")
             << mapName << "' to have " << components << " entries, found " << indexMap.size();
    if (failed(checkDistinct(op, mapName, indexMap, operand.getRank())))
      return failure();
    for (int64_t dim : indexMap)
      if (llvm::is_contained(operandBatchingDims, dim))
        return op->emitOpError("dimension ")
               << dim << " is both in '" << mapName << "' and a batching dimension";
    if (operandBatchingDims.size() != indicesBatchingDims.size())
      return op->emitOpError("expected as many batching dimensions of operand and indices, found ")
             << operandBatchingDims.size() << " and " << indicesBatchingDims.size();
    for (auto [o, i] : llvm::zip(operandBatchingDims, indicesBatchingDims)) {
      if (i == indexVectorDim)
        return op->emitOpError("the index vector's dimension is a batching dimension");
      if (operand.getDimSize(o) != indices.getDimSize(i))
        return op->emitOpError("batching dimension ")
               << o << " of the operand has size " << operand.getDimSize(o) << ", but dimension "
               << i << " of the indices has " << indices.getDimSize(i);
    }
    return success();
  }

  /// Sizes of the indices' dimensions but the index vector's.
  SmallVector<int64_t> batchShape() const {
    SmallVector<int64_t> shape;
    for (int64_t d = 0; d < indices.getRank(); ++d)
      if (d != indexVectorDim)
        shape.push_back(indices.getDimSize(d));
    return shape;
  }

  bool isDropped(int64_t dim) const {
    return llvm::is_contained(droppedDims, dim) || llvm::is_contained(operandBatchingDims, dim);
  }
};
} // namespace

LogicalResult GatherOp::verify() {
  auto operand = cast<RankedTensorType>(getOperand().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  Indexing indexing{*this,
                    operand,
                    indices,
                    getCollapsedSliceDims(),
                    getOperandBatchingDims(),
                    getStartIndicesBatchingDims(),
                    getStartIndexMap(),
                    static_cast<int64_t>(getIndexVectorDim()),
                    "collapsed_slice_dims",
                    "start_index_map"};
  if (static_cast<int64_t>(getSliceSizes().size()) != operand.getRank()) // gather_c1
    return emitOpError("expected one slice size per operand dimension, found ")
           << getSliceSizes().size() << " for rank " << operand.getRank();
  for (auto [d, size] : llvm::enumerate(getSliceSizes()))
    if (size < 0 || size > operand.getDimSize(d))
      return emitOpError("slice size ")
             << size << " of dimension " << d << " is not between 0 and " << operand.getDimSize(d);
  if (failed(checkIncreasing(*this, "offset_dims", getOffsetDims(), result.getRank())) ||
      failed(indexing.verify(4))) // gather_c2, gather_c4, gather_c5
    return failure();
  SmallVector<int64_t> window;
  for (auto [d, size] : llvm::enumerate(getSliceSizes())) {
    if (!indexing.isDropped(d))
      window.push_back(size);
    else if (size > 1) // gather_c3
      return emitOpError("dropped dimension ") << d << " has slice size " << size;
  }
  // gather_c6
  SmallVector<int64_t> batch = indexing.batchShape();
  if (window.size() != getOffsetDims().size() ||
      window.size() + batch.size() != static_cast<size_t>(result.getRank()))
    return emitOpError("expected a result of rank ")
           << window.size() + batch.size() << " with " << window.size() << " offset dimensions";
  size_t w = 0, b = 0;
  for (int64_t d = 0; d < result.getRank(); ++d) {
    int64_t expected = llvm::is_contained(getOffsetDims(), d) ? window[w++] : batch[b++];
    if (result.getDimSize(d) != expected)
      return emitOpError("expected result dimension ")
             << d << " to have size " << expected << ", found " << result.getDimSize(d);
  }
  if (getInit().getType() != result || result.getElementType() != operand.getElementType())
    return emitOpError("expected destination and result of one type, with the operand's elements");
  return success();
}

LogicalResult ScatterOp::verify() {
  if (getNumOperands() < 3 || getNumOperands() % 2 != 1) // scatter_c8
    return emitOpError("expected as many updates as operands, at least one, found ")
           << getNumOperands() - 1 << " together";
  RankedTensorType operand = getTargetType(), updates = getUpdateType();
  auto indices = cast<RankedTensorType>(getIndices().getType());
  for (auto [target, update] : llvm::zip_equal(getTargets(), getUpdates()))
    if (cast<RankedTensorType>(target.getType()).getShape() != operand.getShape() ||
        cast<RankedTensorType>(update.getType()).getShape() != updates.getShape())
      return emitOpError("expected operands of one shape and updates of one shape, found ")
             << target.getType() << " and " << update.getType() << " beside " << operand << " and "
             << updates;
  Indexing indexing{*this,
                    operand,
                    indices,
                    getInsertedWindowDims(),
                    getInputBatchingDims(),
                    getScatterIndicesBatchingDims(),
                    getScatterDimsToOperandDims(),
                    static_cast<int64_t>(getIndexVectorDim()),
                    "inserted_window_dims",
                    "scatter_dims_to_operand_dims"};
  if (failed(
          checkIncreasing(*this, "update_window_dims", getUpdateWindowDims(), updates.getRank())) ||
      failed(indexing.verify(3))) // scatter_c1, scatter_c3, scatter_c4
    return failure();
  if (static_cast<int64_t>(getUpdateWindowDims().size() + getInsertedWindowDims().size() +
                           getInputBatchingDims().size()) != operand.getRank()) // scatter_c2
    return emitOpError("expected window, inserted and batching dimensions to be as many as the "
                       "operand's ")
           << operand.getRank();
  SmallVector<int64_t> batch = indexing.batchShape(); // scatter_c5
  if (batch.size() + getUpdateWindowDims().size() != static_cast<size_t>(updates.getRank()))
    return emitOpError("expected updates of rank ")
           << batch.size() + getUpdateWindowDims().size() << ", found " << updates.getRank();
  SmallVector<int64_t> windowDims;
  for (int64_t d = 0; d < operand.getRank(); ++d)
    if (!indexing.isDropped(d))
      windowDims.push_back(d);
  size_t w = 0, b = 0;
  for (int64_t d = 0; d < updates.getRank(); ++d) {
    if (llvm::is_contained(getUpdateWindowDims(), d)) {
      int64_t bound = operand.getDimSize(windowDims[w++]);
      if (updates.getDimSize(d) > bound)
        return emitOpError("window dimension ")
               << d << " of the updates has size " << updates.getDimSize(d)
               << ", more than the operand's " << bound;
    } else if (updates.getDimSize(d) != batch[b++]) {
      return emitOpError("expected dimension ")
             << d << " of the updates to have size " << batch[b - 1] << ", found "
             << updates.getDimSize(d);
    }
  }
  if (getResultTypes() != getTargets().getTypes()) // scatter_c7
    return emitOpError("expected the result's type to be the operand's");
  return success();
}

LogicalResult ScatterOp::verifyRegions() {
  Block &block = getCombiner().front(); // scatter_c6
  SmallVector<Type> elements, arguments;
  for (Value target : getTargets())
    elements.push_back(getElementTypeOrSelf(target));
  arguments = elements;
  for (Value update : getUpdates())
    arguments.push_back(getElementTypeOrSelf(update));
  if (block.getArgumentTypes() != TypeRange(arguments))
    return emitOpError("expected a region on (") << arguments << ")";
  auto yield = block.mightHaveTerminator() ? dyn_cast<YieldOp>(block.getTerminator()) : YieldOp();
  if (!yield || yield.getValues().getTypes() != TypeRange(elements))
    return emitOpError("expected the region to yield ") << elements;
  return success();
}

LogicalResult SortOp::verify() {
  if (getInputs().empty()) // sort_c1
    return emitOpError("expected at least one input");
  ArrayRef<int64_t> shape = getInputType().getShape();
  for (Value input : getInputs())
    if (cast<RankedTensorType>(input.getType()).getShape() != shape)
      return emitOpError("expected inputs of one shape, found ")
             << input.getType() << " beside " << getInputType();
  if (static_cast<uint64_t>(getDimension()) >= shape.size())
    return emitOpError("expected a dimension of ")
           << getInputType() << ", found " << getDimension();
  auto order = cast<RankedTensorType>(getOrder().getType()); // sort_c2
  auto place = cast<RankedTensorType>(getPlace().getType());
  Type element = place.getElementType();
  if (place.getShape() != shape || !(element.isInteger(32) || element.isInteger(64)) ||
      order.getElementType() != element || getOrderInit().getType() != order ||
      getPlaceInit().getType() != place)
    return emitOpError("expected destinations and results of one i32 or i64 tensor type in the "
                       "inputs' shape, found ")
           << order << " and " << place;
  SmallVector<int64_t> expected(shape);
  int64_t all = shape[getDimension()];
  if (order.getRank() == place.getRank())
    expected[getDimension()] =
        std::clamp(order.getDimSize(getDimension()), std::min<int64_t>(all, 1), all);
  if (order.getShape() != ArrayRef(expected))
    return emitOpError("expected an order of the inputs' shape, or of fewer elements along the "
                       "dimension, found ")
           << order;
  return success();
}

LogicalResult SortOp::verifyRegions() {
  Block &block = getComparator().front(); // sort_c3
  SmallVector<Type> arguments;
  for (Value input : getInputs())
    arguments.append(2, getElementTypeOrSelf(input));
  if (block.getArgumentTypes() != TypeRange(arguments))
    return emitOpError("expected a region on (") << arguments << ")";
  auto yield = block.mightHaveTerminator() ? dyn_cast<YieldOp>(block.getTerminator()) : YieldOp();
  if (!yield || yield.getNumOperands() != 1 || !yield.getOperand(0).getType().isInteger(1))
    return emitOpError("expected the region to yield one i1");
  return success();
}

/// C1 and C2 of both dynamic slices; `part` is the slice or the update.
static LogicalResult verifyDynamicSlice(Operation *op, RankedTensorType whole,
                                        RankedTensorType part, OperandRange starts) {
  if (static_cast<int64_t>(starts.size()) != whole.getRank())
    return op->emitOpError("expected one start per dimension, found ")
           << starts.size() << " for rank " << whole.getRank();
  for (Value start : starts) {
    auto type = cast<RankedTensorType>(start.getType());
    if (type.getRank() != 0 || !isa<IntegerType>(type.getElementType()) ||
        type.getElementType() != cast<RankedTensorType>(starts.front().getType()).getElementType())
      return op->emitOpError("expected starts to be rank-0 tensors of one integer type, found ")
             << type;
  }
  if (part.getRank() != whole.getRank() || part.getElementType() != whole.getElementType())
    return op->emitOpError("expected one rank and element type, found ")
           << part << " and " << whole;
  for (int64_t d = 0; d < whole.getRank(); ++d)
    if (part.getDimSize(d) > whole.getDimSize(d))
      return op->emitOpError("dimension ") << d << " of the slice has size " << part.getDimSize(d)
                                           << ", more than " << whole.getDimSize(d);
  return success();
}

LogicalResult DynamicSliceOp::verify() {
  // dynamic_slice_c1, dynamic_slice_c2
  if (getInit().getType() != getResult().getType())
    return emitOpError("expected destination and result of one type");
  return verifyDynamicSlice(*this, cast<RankedTensorType>(getOperand().getType()),
                            cast<RankedTensorType>(getResult().getType()), getStarts());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  if (getOperand().getType() != getResult().getType()) // dynamic_update_slice_c3
    return emitOpError("expected the result's type to be the operand's");
  // dynamic_update_slice_c1, dynamic_update_slice_c2
  return verifyDynamicSlice(*this, cast<RankedTensorType>(getOperand().getType()),
                            cast<RankedTensorType>(getUpdate().getType()), getStarts());
}

LogicalResult ManualOp::verify() {
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("expected the body to end in dmc.yield");
  auto check = [&](StringRef what, ValueRange values, ValueRange parts,
                   ArrayAttr layouts) -> LogicalResult {
    if (layouts.size() != values.size()) // manual_c1
      return emitOpError("expected a layout for each ")
             << what << ", found " << layouts.size() << " for " << values.size();
    if (parts.size() != values.size()) // manual_c2
      return emitOpError("expected the body to have ")
             << values.size() << " local parts of " << what << "s, found " << parts.size();
    for (auto [i, value, part, attr] : llvm::enumerate(values, parts, layouts)) {
      auto type = cast<RankedTensorType>(value.getType());
      auto layout = cast<LayoutAttr>(attr);
      // manual_c1
      if (layout.getMesh() != getMesh())
        return emitOpError("expected the layout of ")
               << what << " " << i << " to be on the mesh " << getMesh() << ", found " << layout;
      if (layout.isPartial() || !layout.getPlaced().empty() || layout.getRank() != type.getRank() ||
          !type.hasStaticShape())
        return emitOpError("expected the layout of ")
               << what << " " << i << " to split or replicate " << type << ", found " << layout;
      for (auto [size, axes] : llvm::zip_equal(type.getShape(), layout.toLayout().dims))
        if (!isEven(size, axes))
          return emitOpError("expected the layout of ")
                 << what << " " << i << " to cut every dimension of " << type << " evenly, found "
                 << layout;
      // manual_c2
      auto local =
          RankedTensorType::get(layout.getLocalShape(type.getShape()), type.getElementType());
      if (part.getType() != local)
        return emitOpError("expected the body's part of ")
               << what << " " << i << " to be " << local << ", found " << part.getType();
      // manual_c3
      if (type.getEncoding() && type.getEncoding() != layout)
        return emitOpError("expected ")
               << what << " " << i << " to have no layout or " << layout << ", found " << type;
    }
    return success();
  };
  return success(
      succeeded(check("operand", getInputs(), getBody().front().getArguments(), getInLayouts())) &&
      succeeded(check("result", getResults(), yield.getValues(), getOutLayouts())));
}
