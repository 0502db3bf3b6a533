// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that make a tensor from attributes or a random state.
#include "Assembly.h"
#include "Verify.h"

using namespace mlir;
using namespace dmc::stablehlo;

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/CreationOps.cpp.inc"

void StableHLODialect::addCreationOps() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/CreationOps.cpp.inc"
      >();
}

//===--- constant
//------------------------------------------------------------------------------===//

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  Attribute value;
  if (parser.parseAttribute(value))
    return failure();
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements)
    return parser.emitError(loc) << "expected the elements of a tensor, but got " << value;
  result.attributes.set("value", elements);
  result.addTypes(elements.getShapedType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << " " << getValue();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::verify() {
  if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(getValue())) // (C1)
    return emitOpError() << "expected the value as a dense<...> or dense_resource<...> attribute";
  if (getValue().getShapedType() != getType())
    return emitOpError() << "expected a value of the result's type " << getType() << ", but got "
                         << getValue().getShapedType();
  return success();
}

//===--- iota, rng, rng_bit_generator
//----------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  int64_t dim = static_cast<int64_t>(getIotaDimension());
  return verifyDims(*this, "iota_dimension", {dim}, tensorOf(getOutput()).getRank()); // (C1)
}

LogicalResult RngOp::verify() {
  RankedTensorType type = tensorOf(getResult());
  if (failed(verifySameElementType(*this, "a", getA().getType(), "result", type)) || // (C1)
      failed(verifySameElementType(*this, "b", getB().getType(), "result", type)))
    return failure();
  if (getRngDistribution() == RngDistribution::NORMAL &&
      getElementKind(type.getElementType()) != kFloat)
    return emitOpError() << "expected a float element type for NORMAL, but got "
                         << type.getElementType();
  return verifyShape(*this, "shape operand", tensorOf(getShape()),
                     ArrayRef<int64_t>{type.getRank()}); // (C2)
}

LogicalResult RngBitGeneratorOp::verify() {
  RankedTensorType before = tensorOf(getInitialState());
  if (before != getOutputState().getType() || before.getRank() != 1) // (C1)
    return emitOpError() << "expected states of one type of rank 1, but got " << before << " and "
                         << getOutputState().getType();
  int64_t bits = before.getNumElements() * before.getElementTypeBitWidth();
  if (bits != 128 && !(bits == 192 && getRngAlgorithm() != RngAlgorithm::THREE_FRY)) // (C2)
    return emitOpError() << "expected a state of "
                         << (getRngAlgorithm() == RngAlgorithm::THREE_FRY ? "128 bits"
                                                                          : "128 or 192 bits")
                         << ", but got " << before;
  return success();
}
