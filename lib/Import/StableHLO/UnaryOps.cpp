// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations of one operand.
#include "Assembly.h"
#include "Verify.h"

using namespace mlir;
using namespace dmc::stablehlo;

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/UnaryOps.cpp.inc"

void StableHLODialect::addUnaryOps() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/UnaryOps.cpp.inc"
      >();
}

/// The type of a part of complex numbers; of real ones their own.
static LogicalResult verifyPart(Operation *op) { // (C1)
  Type element = tensorOf(op->getOperand(0)).getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (tensorOf(op->getResult(0)).getElementType() == element)
    return success();
  return op->emitOpError() << "expected a result of " << element << ", but got "
                           << op->getResult(0).getType();
}

LogicalResult AbsOp::verify() { return verifyPart(*this); }
LogicalResult RealOp::verify() { return verifyPart(*this); }
LogicalResult ImagOp::verify() { return verifyPart(*this); }

LogicalResult ReducePrecisionOp::verify() {
  if (static_cast<int32_t>(getExponentBits()) < 1) // (C1)
    return emitOpError() << "expected at least 1 bit of exponent, but got "
                         << static_cast<int32_t>(getExponentBits());
  if (static_cast<int32_t>(getMantissaBits()) < 0) // (C2)
    return emitOpError() << "expected at least 0 bits of mantissa, but got "
                         << static_cast<int32_t>(getMantissaBits());
  return success();
}
