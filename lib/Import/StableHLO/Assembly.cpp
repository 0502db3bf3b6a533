// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pieces of the pretty form that several operations share.
#include "Assembly.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace dmc::stablehlo {

ParseResult parseIntegers(AsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

//===--- Types
//---------------------------------------------------------------------------------===//

ParseResult parseSameTypes(OpAsmParser &parser, ArrayRef<Type *> operands, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  auto function = dyn_cast<FunctionType>(type);
  if (!function) {
    for (Type *operand : operands)
      *operand = type;
    result = type;
    return success();
  }
  if (function.getNumInputs() != operands.size() || function.getNumResults() != 1)
    return parser.emitError(loc) << "expected a function type of " << operands.size()
                                 << " operands and one result, but got " << function;
  for (auto [operand, input] : llvm::zip(operands, function.getInputs()))
    *operand = input;
  result = function.getResult(0);
  return success();
}

void printSameTypes(OpAsmPrinter &printer, ArrayRef<Type> operands, Type result) {
  if (llvm::all_of(operands, [&](Type type) { return type == result; }))
    printer << result;
  else
    printer.printFunctionalType(operands, ArrayRef<Type>(result));
}

ParseResult parseSelectTypes(OpAsmParser &parser, Type &pred, Type &onTrue, Type &onFalse,
                             Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(pred))
    return failure();
  if (auto function = dyn_cast<FunctionType>(pred)) {
    if (function.getNumInputs() != 3 || function.getNumResults() != 1)
      return parser.emitError(loc)
             << "expected a function type of 3 operands and one result, but got " << function;
    pred = function.getInput(0);
    onTrue = function.getInput(1);
    onFalse = function.getInput(2);
    result = function.getResult(0);
    return success();
  }
  if (parser.parseComma() || parser.parseType(result))
    return failure();
  onTrue = onFalse = result;
  return success();
}

void printSelectTypes(OpAsmPrinter &printer, Operation *, Type pred, Type onTrue, Type onFalse,
                      Type result) {
  if (onTrue == result && onFalse == result)
    printer << pred << ", " << result;
  else
    printer.printFunctionalType(ArrayRef<Type>{pred, onTrue, onFalse}, ArrayRef<Type>(result));
}

ParseResult parsePairwiseTypes(OpAsmParser &parser, SmallVectorImpl<Type> &operands,
                               SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results = operands;
  return success();
}

void printPairwiseTypes(OpAsmPrinter &printer, Operation *, TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

//===--- Operands and attributes
//---------------------------------------------------------------===//

ParseResult parseOperandsAndComma(OpAsmParser &parser,
                                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value()) {
      // Without operands, some printers leave their comma.
      if (operands.empty())
        (void)parser.parseOptionalComma();
      return success();
    }
    if (failed(*parsed) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

void printOperandsAndComma(OpAsmPrinter &printer, Operation *, OperandRange operands) {
  for (Value operand : operands)
    printer << operand << ", ";
}

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                             DenseI64ArrayAttr &limits, DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> startList, limitList, strideList;
  auto parseRange = [&]() -> ParseResult {
    strideList.push_back(1);
    if (parser.parseInteger(startList.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limitList.emplace_back()))
      return failure();
    if (succeeded(parser.parseOptionalColon()))
      return parser.parseInteger(strideList.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(startList);
  limits = builder.getDenseI64ArrayAttr(limitList);
  strides = builder.getDenseI64ArrayAttr(strideList);
  return success();
}

void printSliceRanges(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr starts,
                      DenseI64ArrayAttr limits, DenseI64ArrayAttr strides) {
  printer << "[";
  llvm::interleaveComma(llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()),
                        printer, [&](auto range) {
                          auto [start, limit, stride] = range;
                          printer << start << ":" << limit;
                          if (stride != 1)
                            printer << ":" << stride;
                        });
  printer << "]";
}

ParseResult parseFloatFormat(OpAsmParser &parser, IntegerAttr &exponent, IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  StringRef rest = text;
  int32_t exponentBits, mantissaBits;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.consumeInteger(10, mantissaBits) || !rest.empty())
    return parser.emitError(loc) << "expected a format such as 'e5m10', but got '" << text << "'";
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void printFloatFormat(OpAsmPrinter &printer, Operation *, IntegerAttr exponent,
                      IntegerAttr mantissa) {
  printer << "e" << exponent.getInt() << "m" << mantissa.getInt();
}

ParseResult parseCallTarget(OpAsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}

void printCallTarget(OpAsmPrinter &printer, Operation *, StringAttr target) {
  printer.printSymbolName(target.getValue());
}

//===--- dot_general
//---------------------------------------------------------------------------===//

static ParseResult parseDimPair(OpAsmParser &parser, SmallVectorImpl<int64_t> &lhs,
                                SmallVectorImpl<int64_t> &rhs) {
  return failure(parser.parseEqual() || parseIntegers(parser, lhs) || parser.parseKeyword("x") ||
                 parseIntegers(parser, rhs));
}

static ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &config) {
  SmallVector<Attribute> precisions;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<Precision> precision = symbolizePrecision(name);
    if (!precision)
      return parser.emitError(loc) << "expected DEFAULT, HIGH or HIGHEST, but got '" << name << "'";
    precisions.push_back(PrecisionAttr::get(parser.getContext(), *precision));
    return success();
  };
  if (parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  config = parser.getBuilder().getArrayAttr(precisions);
  return success();
}

ParseResult parseDotAttributes(OpAsmParser &parser, DotDimensionNumbersAttr &dims,
                               ArrayAttr &precision, DotAlgorithmAttr &algorithm) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
  bool hasBatch = false, hasContract = false;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    ParseResult parsed = failure();
    if (name == "batching_dims" && !hasBatch) {
      hasBatch = true;
      parsed = parseDimPair(parser, lhsBatch, rhsBatch);
    } else if (name == "contracting_dims" && !hasContract) {
      hasContract = true;
      parsed = parseDimPair(parser, lhsContract, rhsContract);
    } else if (name == "precision" && !precision) {
      parsed = parsePrecisions(parser, precision);
    } else if (name == "algorithm" && !algorithm) {
      parsed = failure(parser.parseEqual() || parser.parseCustomAttributeWithFallback(algorithm));
    } else {
      return parser.emitError(loc) << "expected batching_dims, contracting_dims, precision or "
                                      "algorithm, each at most once, but got '"
                                   << name << "'";
    }
    if (failed(parsed))
      return failure();
  }
  dims = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatch, rhsBatch, lhsContract,
                                      rhsContract);
  return success();
}

void printDotAttributes(OpAsmPrinter &printer, Operation *, DotDimensionNumbersAttr dims,
                        ArrayAttr precision, DotAlgorithmAttr algorithm) {
  auto printPair = [&](StringRef name, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
    printer << ", " << name << " = [";
    llvm::interleaveComma(lhs, printer);
    printer << "] x [";
    llvm::interleaveComma(rhs, printer);
    printer << "]";
  };
  if (!dims.getLhsBatchingDimensions().empty() || !dims.getRhsBatchingDimensions().empty())
    printPair("batching_dims", dims.getLhsBatchingDimensions(), dims.getRhsBatchingDimensions());
  printPair("contracting_dims", dims.getLhsContractingDimensions(),
            dims.getRhsContractingDimensions());
  if (precision) {
    printer << ", precision = [";
    llvm::interleaveComma(precision.getAsRange<PrecisionAttr>(), printer, [&](PrecisionAttr attr) {
      printer << stringifyPrecision(attr.getValue());
    });
    printer << "]";
  }
  if (algorithm) {
    printer << ", algorithm = ";
    printer.printStrippedAttrOrType(algorithm);
  }
}

//===--- convolution
//---------------------------------------------------------------------------===//

ParseResult parseConvDimensions(OpAsmParser &parser, ConvDimensionNumbersAttr &dims) {
  FailureOr<ConvDimensionNumbersAttr> parsed = parseConvDims(parser);
  if (failed(parsed))
    return failure();
  dims = *parsed;
  return success();
}

void printConvDimensions(OpAsmPrinter &printer, Operation *, ConvDimensionNumbersAttr dims) {
  printConvDims(printer, dims);
}

static ParseResult parsePadding(OpAsmParser &parser, DenseIntElementsAttr &padding) {
  SmallVector<int64_t> values;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseLSquare() || parser.parseInteger(values.emplace_back()) ||
                   parser.parseComma() || parser.parseInteger(values.emplace_back()) ||
                   parser.parseRSquare());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size() / 2), 2},
                                    parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, values);
  return success();
}

ParseResult parseConvWindow(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                            DenseIntElementsAttr &padding, DenseI64ArrayAttr &lhsDilation,
                            DenseI64ArrayAttr &rhsDilation, DenseBoolArrayAttr &reversal) {
  auto parseDims = [&](DenseI64ArrayAttr &attr) -> ParseResult {
    SmallVector<int64_t> values;
    if (parseIntegers(parser, values))
      return failure();
    attr = parser.getBuilder().getDenseI64ArrayAttr(values);
    return success();
  };
  auto parseReversal = [&]() -> ParseResult {
    SmallVector<bool> values;
    auto parseOne = [&]() -> ParseResult {
      if (succeeded(parser.parseOptionalKeyword("true")))
        values.push_back(true);
      else if (succeeded(parser.parseOptionalKeyword("false")))
        values.push_back(false);
      else if (int64_t number; succeeded(parser.parseInteger(number)))
        values.push_back(number != 0);
      else
        return failure();
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
      return failure();
    reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
    return success();
  };

  bool first = true;
  while (first || succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name))) {
      if (first)
        return success();
      return parser.emitError(loc) << "expected a window attribute";
    }
    first = false;
    if (parser.parseEqual())
      return failure();
    ParseResult parsed = failure();
    if (name == "stride" && !strides)
      parsed = parseDims(strides);
    else if (name == "pad" && !padding)
      parsed = parsePadding(parser, padding);
    else if (name == "lhs_dilate" && !lhsDilation)
      parsed = parseDims(lhsDilation);
    else if (name == "rhs_dilate" && !rhsDilation)
      parsed = parseDims(rhsDilation);
    else if (name == "reverse" && !reversal)
      parsed = parseReversal();
    else
      return parser.emitError(loc) << "expected stride, pad, lhs_dilate, rhs_dilate or reverse, "
                                      "each at most once, but got '"
                                   << name << "'";
    if (failed(parsed))
      return failure();
  }
  return success();
}

void printConvWindow(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr strides,
                     DenseIntElementsAttr padding, DenseI64ArrayAttr lhsDilation,
                     DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal) {
  bool first = true;
  auto begin = [&](StringRef name) {
    printer << (first ? "" : ", ") << name << " = [";
    first = false;
  };
  auto printDims = [&](StringRef name, DenseI64ArrayAttr attr) {
    if (!attr)
      return;
    begin(name);
    llvm::interleaveComma(attr.asArrayRef(), printer);
    printer << "]";
  };
  printDims("stride", strides);
  if (padding) {
    begin("pad");
    auto values = llvm::to_vector(padding.getValues<int64_t>());
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      printer << (i ? ", [" : "[") << values[i] << ", " << values[i + 1] << "]";
    printer << "]";
  }
  printDims("lhs_dilate", lhsDilation);
  printDims("rhs_dilate", rhsDilation);
  if (reversal) {
    begin("reverse");
    llvm::interleaveComma(reversal.asArrayRef(), printer,
                          [&](bool value) { printer << (value ? "true" : "false"); });
    printer << "]";
  }
}

} // namespace dmc::stablehlo
