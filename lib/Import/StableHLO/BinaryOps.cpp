// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations of two and three operands.
#include "Assembly.h"
#include "Verify.h"

using namespace mlir;
using namespace dmc::stablehlo;

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/BinaryOps.cpp.inc"

void StableHLODialect::addBinaryOps() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/BinaryOps.cpp.inc"
      >();
}

LogicalResult CompareOp::verify() {
  std::optional<ComparisonType> type = getCompareType();
  if (!type || *type == ComparisonType::NOTYPE)
    return success();
  Type element = tensorOf(getLhs()).getElementType();
  unsigned kind = getElementKind(element);
  bool fits = false;
  switch (*type) { // (C1)
  case ComparisonType::FLOAT:
  case ComparisonType::TOTALORDER:
    fits = kind == kFloat;
    break;
  case ComparisonType::SIGNED:
    fits = kind == kSigned;
    break;
  case ComparisonType::UNSIGNED:
    fits = kind == kUnsigned || kind == kBool;
    break;
  case ComparisonType::NOTYPE:
    break;
  }
  if (!fits)
    return emitOpError() << "expected a comparison type for " << element << ", but got "
                         << stringifyComparisonType(*type);
  return success();
}

LogicalResult SelectOp::verify() {
  RankedTensorType pred = tensorOf(getPred());
  if (pred.getRank() == 0)
    return success();
  return verifyShape(*this, "predicate", pred, tensorOf(getResult()).getShape()); // (C1)
}

LogicalResult ClampOp::verify() {
  RankedTensorType type = tensorOf(getOperand());
  for (auto [name, bound] : {std::pair<StringRef, Value>{"min", getMin()}, {"max", getMax()}}) {
    if (failed(verifySameElementType(*this, name, bound.getType(), "operand", type))) // (C1)
      return failure();
    if (tensorOf(bound).getRank() != 0 &&
        failed(verifyShape(*this, name, tensorOf(bound), type.getShape()))) // (C2)
      return failure();
  }
  return success();
}
