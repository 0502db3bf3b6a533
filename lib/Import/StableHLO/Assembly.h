// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pieces of the pretty form that several operations share.
#ifndef DMC_LIB_IMPORT_STABLEHLO_ASSEMBLY_H
#define DMC_LIB_IMPORT_STABLEHLO_ASSEMBLY_H

#include "dmc/Import/StableHLO/Dialect.h"

namespace dmc::stablehlo {

using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::Operation;
using mlir::ParseResult;
using mlir::Type;
using mlir::TypeRange;

//===--- Lists
//---------------------------------------------------------------------------------===//

/// `[1, 2]`.
ParseResult parseIntegers(mlir::AsmParser &parser, llvm::SmallVectorImpl<int64_t> &values);

/// Elements that parse as attributes of one class, between brackets.
template <typename AttrTy>
ParseResult parseList(mlir::AsmParser &parser, mlir::AsmParser::Delimiter delimiter,
                      llvm::SmallVectorImpl<AttrTy> &elements) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    auto element = llvm::dyn_cast_or_null<AttrTy>(AttrTy::parse(parser, {}));
    if (!element)
      return mlir::failure();
    elements.push_back(element);
    return mlir::success();
  });
}

template <typename AttrTy>
void printList(mlir::AsmPrinter &printer, llvm::ArrayRef<AttrTy> elements) {
  llvm::interleaveComma(elements, printer, [&](AttrTy element) { element.print(printer); });
}

//===--- Types: one where all are equal, a function type otherwise
//-----------------------------===//

ParseResult parseSameTypes(OpAsmParser &parser, llvm::ArrayRef<Type *> operands, Type &result);
void printSameTypes(OpAsmPrinter &printer, llvm::ArrayRef<Type> operands, Type result);

inline ParseResult parseSameType(OpAsmParser &parser, Type &a, Type &result) {
  return parseSameTypes(parser, {&a}, result);
}
inline ParseResult parseSameType(OpAsmParser &parser, Type &a, Type &b, Type &result) {
  return parseSameTypes(parser, {&a, &b}, result);
}
inline ParseResult parseSameType(OpAsmParser &parser, Type &a, Type &b, Type &c, Type &result) {
  return parseSameTypes(parser, {&a, &b, &c}, result);
}
inline void printSameType(OpAsmPrinter &printer, Operation *, Type a, Type result) {
  printSameTypes(printer, {a}, result);
}
inline void printSameType(OpAsmPrinter &printer, Operation *, Type a, Type b, Type result) {
  printSameTypes(printer, {a, b}, result);
}
inline void printSameType(OpAsmPrinter &printer, Operation *, Type a, Type b, Type c, Type result) {
  printSameTypes(printer, {a, b, c}, result);
}

/// `pred, result` for the predicate's type and that of all others, or a function type.
ParseResult parseSelectTypes(OpAsmParser &parser, Type &pred, Type &onTrue, Type &onFalse,
                             Type &result);
void printSelectTypes(OpAsmPrinter &printer, Operation *op, Type pred, Type onTrue, Type onFalse,
                      Type result);

/// The types of the operands, which are those of the results.
ParseResult parsePairwiseTypes(OpAsmParser &parser, llvm::SmallVectorImpl<Type> &operands,
                               llvm::SmallVectorImpl<Type> &results);
void printPairwiseTypes(OpAsmPrinter &printer, Operation *op, TypeRange operands,
                        TypeRange results);

//===--- Operands and attributes
//---------------------------------------------------------------===//

/// `%a, %b, `: operands, each followed by a comma.
ParseResult parseOperandsAndComma(OpAsmParser &parser,
                                  llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands);
void printOperandsAndComma(OpAsmPrinter &printer, Operation *op, mlir::OperandRange operands);

/// `[start:limit, start:limit:stride]`.
ParseResult parseSliceRanges(OpAsmParser &parser, mlir::DenseI64ArrayAttr &starts,
                             mlir::DenseI64ArrayAttr &limits, mlir::DenseI64ArrayAttr &strides);
void printSliceRanges(OpAsmPrinter &printer, Operation *op, mlir::DenseI64ArrayAttr starts,
                      mlir::DenseI64ArrayAttr limits, mlir::DenseI64ArrayAttr strides);

/// `e5m10`.
ParseResult parseFloatFormat(OpAsmParser &parser, mlir::IntegerAttr &exponent,
                             mlir::IntegerAttr &mantissa);
void printFloatFormat(OpAsmPrinter &printer, Operation *op, mlir::IntegerAttr exponent,
                      mlir::IntegerAttr mantissa);

/// `@target`.
ParseResult parseCallTarget(OpAsmParser &parser, mlir::StringAttr &target);
void printCallTarget(OpAsmPrinter &printer, Operation *op, mlir::StringAttr target);

/// `, batching_dims = [0] x [0], contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT],
/// algorithm = <...>`.
ParseResult parseDotAttributes(OpAsmParser &parser, DotDimensionNumbersAttr &dims,
                               mlir::ArrayAttr &precision, DotAlgorithmAttr &algorithm);
void printDotAttributes(OpAsmPrinter &printer, Operation *op, DotDimensionNumbersAttr dims,
                        mlir::ArrayAttr precision, DotAlgorithmAttr algorithm);

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
mlir::FailureOr<ConvDimensionNumbersAttr> parseConvDims(mlir::AsmParser &parser);
void printConvDims(mlir::AsmPrinter &printer, ConvDimensionNumbersAttr dims);
ParseResult parseConvDimensions(OpAsmParser &parser, ConvDimensionNumbersAttr &dims);
void printConvDimensions(OpAsmPrinter &printer, Operation *op, ConvDimensionNumbersAttr dims);

/// `stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1],
/// reverse = [false, false]`, each where it is given.
ParseResult parseConvWindow(OpAsmParser &parser, mlir::DenseI64ArrayAttr &strides,
                            mlir::DenseIntElementsAttr &padding,
                            mlir::DenseI64ArrayAttr &lhsDilation,
                            mlir::DenseI64ArrayAttr &rhsDilation,
                            mlir::DenseBoolArrayAttr &reversal);
void printConvWindow(OpAsmPrinter &printer, Operation *op, mlir::DenseI64ArrayAttr strides,
                     mlir::DenseIntElementsAttr padding, mlir::DenseI64ArrayAttr lhsDilation,
                     mlir::DenseI64ArrayAttr rhsDilation, mlir::DenseBoolArrayAttr reversal);

} // namespace dmc::stablehlo

#endif
