// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow, calls, and the terminator of all regions.
#include "Assembly.h"
#include "Verify.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace dmc::stablehlo;

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/ControlOps.cpp.inc"

void StableHLODialect::addControlOps() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/ControlOps.cpp.inc"
      >();
}

LogicalResult CaseOp::verify() {
  if (getBranches().empty()) // (C1)
    return emitOpError() << "expected at least one branch";
  return success();
}

LogicalResult CaseOp::verifyRegions() {
  for (auto [i, branch] : llvm::enumerate(getBranches())) // (C2)
    if (failed(verifyBody(*this, "branch " + std::to_string(i), branch, {}, getResultTypes())))
      return failure();
  return success();
}

LogicalResult IfOp::verifyRegions() { // (C1)
  return failure(
      failed(verifyBody(*this, "the true branch", getTrueBranch(), {}, getResultTypes())) ||
      failed(verifyBody(*this, "the false branch", getFalseBranch(), {}, getResultTypes())));
}

LogicalResult WhileOp::verify() {
  if (getOperandTypes() != getResultTypes()) // (C1)
    return emitOpError() << "expected results of the operands' types (" << getOperandTypes()
                         << "), but got (" << getResultTypes() << ")";
  return success();
}

LogicalResult WhileOp::verifyRegions() { // (C2), (C3)
  Type boolean = scalarLike(IntegerType::get(getContext(), 1));
  return failure(
      failed(verifyBody(*this, "the condition", getCond(), getOperandTypes(), boolean)) ||
      failed(verifyBody(*this, "the body", getBody(), getOperandTypes(), getOperandTypes())));
}

LogicalResult OptimizationBarrierOp::verify() {
  if (getOperandTypes() != getResultTypes()) // (C1)
    return emitOpError() << "expected results of the operands' types (" << getOperandTypes()
                         << "), but got (" << getResultTypes() << ")";
  return success();
}

LogicalResult CompositeOp::verify() {
  if (getName().empty()) // (C2)
    return emitOpError() << "expected a name that is not empty";
  if (static_cast<int32_t>(getVersion()) < 0)
    return emitOpError() << "expected a version that is not negative, but got "
                         << static_cast<int32_t>(getVersion());
  return success();
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function =
      symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getDecompositionAttr());
  if (!function) // (C1)
    return emitOpError() << "expected a function as decomposition, but there is no "
                         << getDecompositionAttr();
  if (TypeRange(function.getArgumentTypes()) != TypeRange(getOperandTypes()) ||
      TypeRange(function.getResultTypes()) != TypeRange(getResultTypes()))
    return emitOpError() << "expected a decomposition of type (" << getOperandTypes() << ") -> ("
                         << getResultTypes() << "), but " << getDecompositionAttr() << " has ("
                         << function.getArgumentTypes() << ") -> (" << function.getResultTypes()
                         << ")";
  return success();
}
