// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that apply a computation to many elements.
#include "Assembly.h"
#include "Verify.h"

using namespace mlir;
using namespace dmc::stablehlo;

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/ReductionOps.cpp.inc"

void StableHLODialect::addReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/ReductionOps.cpp.inc"
      >();
}

//===--- map, sort
//-----------------------------------------------------------------------------===//

/// At least one tensor, all of the first one's shape.
static LogicalResult verifyEqualShapes(Operation *op, ValueRange tensors) {
  if (tensors.empty())
    return op->emitOpError() << "expected at least one input";
  for (Value tensor : tensors)
    if (failed(verifyShape(op, "inputs", tensorOf(tensor), tensorOf(tensors[0]).getShape())))
      return failure();
  return success();
}

LogicalResult MapOp::verify() {
  if (failed(verifyEqualShapes(*this, getInputs()))) // (C1)
    return failure();
  RankedTensorType type = tensorOf(getInputs().front());
  if (!llvm::equal(getDimensions(), llvm::seq<int64_t>(0, type.getRank()))) // (C2)
    return emitOpError() << "expected dimensions 0 to rank - 1 for rank " << type.getRank()
                         << ", but got " << str(getDimensions());
  return verifyShape(*this, "result", tensorOf(getResult()), type.getShape());
}

LogicalResult MapOp::verifyRegions() { // (C3)
  SmallVector<Type> arguments = llvm::map_to_vector(
      getInputs().getTypes(), [](Type type) -> Type { return scalarLike(type); });
  return verifyBody(*this, "the computation", getComputation(), arguments,
                    Type(scalarLike(getType())));
}

LogicalResult SortOp::verify() {
  if (failed(verifyEqualShapes(*this, getInputs()))) // (C1)
    return failure();
  if (getResultTypes() != getInputs().getTypes())
    return emitOpError() << "expected results of the inputs' types (" << getInputs().getTypes()
                         << "), but got (" << getResultTypes() << ")";
  int64_t rank = tensorOf(getInputs().front()).getRank();
  int64_t dim = static_cast<int64_t>(getDimension());
  if (dim < -rank || dim >= rank) // (C2)
    return emitOpError() << "expected a dimension of " << -rank << " to " << rank - 1
                         << ", but got " << dim;
  return success();
}

LogicalResult SortOp::verifyRegions() { // (C3)
  SmallVector<Type> arguments;
  for (Type type : getInputs().getTypes())
    arguments.append(2, scalarLike(type));
  return verifyBody(*this, "the comparator", getComparator(), arguments,
                    Type(scalarLike(IntegerType::get(getContext(), 1))));
}

//===--- reduce, reduce_window
//-----------------------------------------------------------------===//

/// Inputs of one shape, initial values of their element types, a result for each.
template <typename OpTy>
static LogicalResult verifyReduction(OpTy op) {
  if (op.getNumOperands() == 0 || op.getNumOperands() % 2 != 0)
    return op.emitOpError() << "expected an initial value for each input, at least one, but got "
                            << op.getNumOperands() << " operands";
  if (failed(verifyEqualShapes(op, op.getInputs())) ||
      failed(verifyCount(op, "results", op.getNumResults(), op.getInputs().size())))
    return failure();
  for (auto [input, init, result] :
       llvm::zip(op.getInputs(), op.getInitValues(), op.getResults())) {
    if (failed(
            verifySameElementType(op, "input", input.getType(), "initial value", init.getType())) ||
        failed(verifySameElementType(op, "input", input.getType(), "result", result.getType())))
      return failure();
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyReduction(*this))) // (C1), (C2)
    return failure();
  ArrayRef<int64_t> shape = tensorOf(getInputs().front()).getShape();
  if (failed(verifyDims(*this, "dimensions", getDimensions(), shape.size()))) // (C3)
    return failure();
  SmallVector<int64_t> kept; // (C4)
  for (auto [dim, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(getDimensions(), static_cast<int64_t>(dim)))
      kept.push_back(size);
  for (Value result : getResults())
    if (failed(verifyShape(*this, "result", tensorOf(result), kept)))
      return failure();
  return success();
}

LogicalResult ReduceOp::verifyRegions() { // (C5)
  return verifyCombiner(*this, "the body", getBody(), getInputs().getTypes());
}

int64_t ReduceWindowOp::getStride(unsigned i) { return valueOr(getWindowStrides(), i, 1); }
int64_t ReduceWindowOp::getBaseDilation(unsigned i) { return valueOr(getBaseDilations(), i, 1); }
int64_t ReduceWindowOp::getWindowDilation(unsigned i) {
  return valueOr(getWindowDilations(), i, 1);
}
int64_t ReduceWindowOp::getPaddingLow(unsigned i) { return paddingOf(getPadding(), i, 0); }
int64_t ReduceWindowOp::getPaddingHigh(unsigned i) { return paddingOf(getPadding(), i, 1); }

LogicalResult ReduceWindowOp::verify() {
  if (failed(verifyReduction(*this))) // (C1), (C2)
    return failure();
  ArrayRef<int64_t> input = tensorOf(getInputs().front()).getShape();
  int64_t rank = input.size();
  if (failed(verifyPositive(*this, "window_dimensions", getWindowDimensions(), rank)) || // (C3)
      failed(verifyPositive(*this, "window_strides", getWindowStrides(), rank)) ||
      failed(verifyPositive(*this, "base_dilations", getBaseDilations(), rank)) ||
      failed(verifyPositive(*this, "window_dilations", getWindowDilations(), rank)) ||
      failed(verifyPadding(*this, getPadding(), rank)))
    return failure();
  SmallVector<Wide> shape; // (C4)
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(WindowDim{getWindowDimensions()[i], getStride(i), getPaddingLow(i),
                              getPaddingHigh(i), getBaseDilation(i), getWindowDilation(i)}
                        .countIn(input[i]));
  for (Value result : getResults())
    if (failed(verifyShape(*this, "result", tensorOf(result), shape)))
      return failure();
  return success();
}

LogicalResult ReduceWindowOp::verifyRegions() { // (C5)
  return verifyCombiner(*this, "the body", getBody(), getInputs().getTypes());
}

//===--- select_and_scatter
//--------------------------------------------------------------------===//

int64_t SelectAndScatterOp::getWindowSize(unsigned i) {
  return valueOr(getWindowDimensions(), i, 1);
}
int64_t SelectAndScatterOp::getStride(unsigned i) { return valueOr(getWindowStrides(), i, 1); }
int64_t SelectAndScatterOp::getPaddingLow(unsigned i) { return paddingOf(getPadding(), i, 0); }
int64_t SelectAndScatterOp::getPaddingHigh(unsigned i) { return paddingOf(getPadding(), i, 1); }

LogicalResult SelectAndScatterOp::verify() {
  RankedTensorType type = tensorOf(getOperand());
  int64_t rank = type.getRank();
  if (failed(verifySameElementType(*this, "operand", type, "source", getSource().getType())) ||
      failed(verifySameElementType(*this, "operand", type, "initial value", // (C1)
                                   getInitValue().getType())) ||
      failed(verifyPositive(*this, "window_dimensions", getWindowDimensions(), rank)) || // (C2)
      failed(verifyPositive(*this, "window_strides", getWindowStrides(), rank)) ||
      failed(verifyPadding(*this, getPadding(), rank)))
    return failure();
  SmallVector<Wide> shape; // (C3)
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(
        WindowDim{getWindowSize(i), getStride(i), getPaddingLow(i), getPaddingHigh(i)}.countIn(
            type.getDimSize(i)));
  return verifyShape(*this, "source", tensorOf(getSource()), shape);
}

LogicalResult SelectAndScatterOp::verifyRegions() {
  Type scalar = scalarLike(getOperand().getType());
  Type boolean = scalarLike(IntegerType::get(getContext(), 1));
  if (failed(verifyBody(*this, "select", getSelect(), {scalar, scalar}, boolean))) // (C4)
    return failure();
  return verifyBody(*this, "scatter", getScatter(), {scalar, scalar}, scalar); // (C5)
}
