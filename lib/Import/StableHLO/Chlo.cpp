// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect chlo.
#include "Assembly.h"
#include "Verify.h"

using namespace mlir;
using namespace dmc::chlo;
using namespace dmc::stablehlo;

#include "dmc/Import/StableHLO/ChloDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/ChloOps.cpp.inc"

void ChloDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/ChloOps.cpp.inc"
      >();
  allowUnknownOperations();
}

LogicalResult TopKOp::verify() {
  RankedTensorType type = tensorOf(getOperand());
  int64_t k = static_cast<int64_t>(getK());
  if (type.getRank() == 0 || k < 0 || k > type.getShape().back()) // (C1)
    return emitOpError() << "expected an operand with at least k = " << k
                         << " elements along its last dimension, but got " << type;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = k;
  if (failed(verifyShape(*this, "values", tensorOf(getValues()), shape)) || // (C2)
      failed(verifyShape(*this, "indices", tensorOf(getIndices()), shape)) ||
      failed(verifySameElementType(*this, "operand", type, "values", getValues().getType())))
    return failure();
  if (!tensorOf(getIndices()).getElementType().isSignlessInteger(32))
    return emitOpError() << "expected indices of type i32, but got " << getIndices().getType();
  return success();
}
