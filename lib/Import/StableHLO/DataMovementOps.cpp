// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that move elements: all but gather and scatter.
#include "Assembly.h"
#include "Verify.h"

using namespace mlir;
using namespace dmc::stablehlo;

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/DataMovementOps.cpp.inc"

void StableHLODialect::addDataMovementOps() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/DataMovementOps.cpp.inc"
      >();
}

//===--- Shapes
//--------------------------------------------------------------------------------===//

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  auto getWidth = [](RankedTensorType type) -> unsigned {
    auto complex = dyn_cast<ComplexType>(type.getElementType());
    return complex ? 2 * complex.getElementType().getIntOrFloatBitWidth()
                   : type.getElementTypeBitWidth();
  };
  unsigned fromWidth = getWidth(from), toWidth = getWidth(to);
  if ((fromWidth == 1) != (toWidth == 1)) // (C2)
    return emitError() << "unsupported: '" << getOperationName() << "' from "
                       << from.getElementType() << " to " << to.getElementType()
                       << "; expected both element types to be i1, or neither";
  SmallVector<int64_t> shape(from.getShape());
  if (fromWidth > toWidth) { // (C1)
    shape.push_back(fromWidth / toWidth);
  } else if (fromWidth < toWidth) {
    if (shape.empty() || shape.back() != toWidth / fromWidth)
      return emitOpError() << "expected an operand whose last dimension is " << toWidth / fromWidth
                           << ", but got " << from;
    shape.pop_back();
  }
  return verifyShape(*this, "result", to, shape);
}

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (failed(verifySameElementType(*this, "operand", from, "result", to)) ||             // (C1)
      failed(verifyCount(*this, "broadcast_dimensions", dims.size(), from.getRank())) || // (C2)
      failed(verifyDims(*this, "broadcast_dimensions", dims, to.getRank())))
    return failure();
  for (auto [i, dim] : llvm::enumerate(dims)) // (C3)
    if (from.getDimSize(i) != 1 && from.getDimSize(i) != to.getDimSize(dim))
      return emitOpError() << "expected dimension " << i << " of the operand to have size 1 or "
                           << to.getDimSize(dim) << ", but got " << from.getDimSize(i);
  return success();
}

LogicalResult ConcatenateOp::verify() {
  RankedTensorType to = tensorOf(getResult());
  if (getInputs().empty()) // (C1)
    return emitOpError() << "expected at least one input";
  int64_t dim = static_cast<int64_t>(getDimension());
  if (failed(verifyDims(*this, "dimension", {dim}, to.getRank()))) // (C2)
    return failure();
  SmallVector<Wide> shape(to.getShape());
  shape[dim] = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    RankedTensorType type = tensorOf(input);
    std::string name = "input " + std::to_string(i);
    if (failed(verifySameElementType(*this, name, type, "result", to)))
      return failure();
    if (type.getRank() != to.getRank())
      return emitOpError() << "expected " << name << " of rank " << to.getRank() << ", but got "
                           << type;
    for (int64_t d = 0; d < to.getRank(); ++d) // (C3)
      if (d != dim && type.getDimSize(d) != to.getDimSize(d))
        return emitOpError() << "expected " << name << " of size " << to.getDimSize(d)
                             << " along dimension " << d << ", but got " << type.getDimSize(d);
    shape[dim] += type.getDimSize(dim);
  }
  return verifyShape(*this, "result", to, shape);
}

LogicalResult PadOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  ArrayRef<int64_t> low = getEdgePaddingLow(), high = getEdgePaddingHigh(),
                    interior = getInteriorPadding();
  int64_t rank = from.getRank();
  if (failed(verifySameElementType(*this, "operand", from, "result", to)) || // (C1)
      failed(verifySameElementType(*this, "operand", from, "padding value",
                                   getPaddingValue().getType())) ||
      failed(verifyCount(*this, "edge_padding_low", low.size(), rank)) || // (C2)
      failed(verifyCount(*this, "edge_padding_high", high.size(), rank)) ||
      failed(verifyCount(*this, "interior_padding", interior.size(), rank)))
    return failure();
  SmallVector<Wide> shape;
  for (int64_t dim = 0; dim < rank; ++dim) { // (C3)
    if (interior[dim] < 0)
      return emitOpError() << "expected interior_padding not to be negative, but got "
                           << str(interior);
    Wide size = from.getDimSize(dim);
    Wide gaps = size == 0 ? 0 : (size - 1) * interior[dim];
    shape.push_back(low[dim] + size + gaps + high[dim]);
    if (shape.back() < 0)
      return emitOpError() << "padding leaves less than nothing of dimension " << dim;
  }
  return verifyShape(*this, "result", to, shape);
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  if (failed(verifySameElementType(*this, "operand", from, "result", to))) // (C1)
    return failure();
  if (from.getNumElements() != to.getNumElements()) // (C2)
    return emitOpError() << "expected a result of " << from.getNumElements()
                         << " elements, but got " << to.getNumElements();
  return success();
}

LogicalResult ReverseOp::verify() {
  return verifyDims(*this, "dimensions", getDimensions(), tensorOf(getResult()).getRank()); // (C1)
}

LogicalResult SliceOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  ArrayRef<int64_t> starts = getStartIndices(), limits = getLimitIndices(), strides = getStrides();
  int64_t rank = from.getRank();
  if (failed(verifySameElementType(*this, "operand", from, "result", to)) || // (C1)
      failed(verifyCount(*this, "start_indices", starts.size(), rank)) ||    // (C2)
      failed(verifyCount(*this, "limit_indices", limits.size(), rank)) ||
      failed(verifyCount(*this, "strides", strides.size(), rank)))
    return failure();
  SmallVector<Wide> shape;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (starts[dim] < 0 || limits[dim] < starts[dim] || from.getDimSize(dim) < limits[dim]) // (C3)
      return emitOpError() << "expected 0 <= start <= limit <= " << from.getDimSize(dim)
                           << " along dimension " << dim << ", but got start " << starts[dim]
                           << " and limit " << limits[dim];
    if (strides[dim] <= 0)
      return emitOpError() << "expected positive strides, but got " << str(strides);
    shape.push_back((Wide(limits[dim]) - starts[dim] + strides[dim] - 1) / strides[dim]); // (C4)
  }
  return verifyShape(*this, "result", to, shape);
}

LogicalResult TransposeOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  ArrayRef<int64_t> permutation = getPermutation();
  if (failed(verifySameElementType(*this, "operand", from, "result", to)) ||           // (C1)
      failed(verifyCount(*this, "permutation", permutation.size(), from.getRank())) || // (C2)
      failed(verifyDims(*this, "permutation", permutation, from.getRank())))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(from.getDimSize(dim));
  return verifyShape(*this, "result", to, shape); // (C3)
}

//===--- Positions known at run time
//-----------------------------------------------------------===//

static LogicalResult verifyStarts(Operation *op, OperandRange starts, int64_t rank) { // (C1)
  if (failed(verifyCount(op, "start_indices", starts.size(), rank)))
    return failure();
  if (!llvm::all_equal(starts.getTypes()))
    return op->emitOpError() << "expected start indices of one type, but got " << starts.getTypes();
  return success();
}

static LogicalResult verifyWindowFits(Operation *op, ArrayRef<int64_t> sizes,
                                      ArrayRef<int64_t> shape) {
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (size < 0 || size > shape[dim])
      return op->emitOpError() << "expected a window of at most " << shape[dim]
                               << " along dimension " << dim << ", but got " << size;
  return success();
}

LogicalResult DynamicSliceOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  if (failed(verifyStarts(*this, getStartIndices(), from.getRank())) ||
      failed(verifyCount(*this, "slice_sizes", getSliceSizes().size(), from.getRank())) || // (C2)
      failed(verifyWindowFits(*this, getSliceSizes(), from.getShape())) ||
      failed(verifySameElementType(*this, "operand", from, "result", to))) // (C3)
    return failure();
  return verifyShape(*this, "result", to, getSliceSizes());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  RankedTensorType type = tensorOf(getOperand()), update = tensorOf(getUpdate());
  if (failed(verifyStarts(*this, getStartIndices(), type.getRank())) ||
      failed(verifySameElementType(*this, "operand", type, "update", update))) // (C2)
    return failure();
  if (update.getRank() != type.getRank())
    return emitOpError() << "expected an update of rank " << type.getRank() << ", but got "
                         << update;
  return verifyWindowFits(*this, update.getShape(), type.getShape());
}
