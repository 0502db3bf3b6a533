// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations of two and three operands.
#include "Assembly.h"
#include "Verify.h"

using namespace mlir;
using namespace dmc::stablehlo;

/// The result's type alone, or a function type.
static ParseResult parseComplexTypes(OpAsmParser &parser, Type &lhs, Type &rhs, Type &result) {
  if (parseSameTypes(parser, {&lhs, &rhs}, result))
    return failure();
  auto type = dyn_cast<RankedTensorType>(lhs);
  auto complex = type ? dyn_cast<ComplexType>(type.getElementType()) : ComplexType();
  if (complex && lhs == result)
    lhs = rhs = type.clone(complex.getElementType());
  return success();
}

static void printComplexTypes(OpAsmPrinter &printer, Operation *, Type, Type, Type result) {
  printer << result;
}

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/BinaryOps.cpp.inc"

void StableHLODialect::addBinaryOps() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/BinaryOps.cpp.inc"
      >();
}

LogicalResult ComplexOp::verify() {
  Type part = cast<ComplexType>(tensorOf(getResult()).getElementType()).getElementType();
  if (tensorOf(getLhs()).getElementType() != part) // (C1)
    return emitOpError() << "expected parts of " << part << ", but got " << getLhs().getType();
  return success();
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
    fits = kind == kFloat || (kind == kComplex && *type == ComparisonType::FLOAT);
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
