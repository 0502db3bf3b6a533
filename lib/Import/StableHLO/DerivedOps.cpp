// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that others say, and what is known of operations that are not defined.
#include "Assembly.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace dmc::stablehlo;

/// `, precision = [DEFAULT, HIGH]`, or nothing.
static ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &config) {
  if (failed(parser.parseOptionalComma()))
    return success();
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
  if (parser.parseKeyword("precision") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  config = parser.getBuilder().getArrayAttr(precisions);
  return success();
}

static void printPrecisions(OpAsmPrinter &printer, Operation *, ArrayAttr config) {
  if (!config)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(config.getAsRange<PrecisionAttr>(), printer, [&](PrecisionAttr attr) {
    printer << stringifyPrecision(attr.getValue());
  });
  printer << "]";
}

/// The tuple's type, or a function type.
static ParseResult parseTupleType(OpAsmParser &parser, SmallVectorImpl<Type> &operands,
                                  Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type); function && function.getNumResults() == 1) {
    llvm::append_range(operands, function.getInputs());
    result = function.getResult(0);
    return success();
  }
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return parser.emitError(loc) << "expected a tuple's type, but got " << type;
  llvm::append_range(operands, tuple.getTypes());
  result = tuple;
  return success();
}

static void printTupleType(OpAsmPrinter &printer, Operation *op, TypeRange operands, Type result) {
  printer << result;
}

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/DerivedOps.cpp.inc"

LogicalResult TupleOp::verify() {
  if (getVal().getTypes() != cast<TupleType>(getType()).getTypes())
    return emitOpError() << "expected a tuple of the operands' types, but got " << getType();
  return success();
}

void StableHLODialect::addDerivedOps() {
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/DerivedOps.cpp.inc"
      >();
  allowUnknownOperations();
}

//===--- What is not defined
//----------------------------------------------------------------------------------------===//

StringRef dmc::stablehlo::explainUnsupported(StringRef name) {
  return llvm::StringSwitch<StringRef>(name.substr(name.find('.') + 1))
      .Case("_asin_acos_kernel",
            "of complex numbers; expected the functions of StableHLO and chlo on them")
      .Cases({"after_all", "create_token", "infeed", "outfeed", "send", "recv", "async_start",
              "async_done"},
             "orders effects by tokens; expected all inputs and outputs as arguments and results")
      .Cases({"uniform_quantize", "uniform_dequantize"},
             "of quantized numbers; expected integers with scales as tensors of their own")
      .Case("cross-replica-sum", "is an older form; expected 'stablehlo.all_reduce'")
      .Case("ragged_dot", "of groups whose sizes are values; expected its decomposition")
      .Case("scan", "of a computation; expected 'stablehlo.while'")
      .Case("set_dimension_size", "makes a size a value; expected static shapes")
      .Default("is not known; expected an operation of StableHLO on static shapes");
}

static ParseResult refuse(OpAsmParser &parser, OperationState &state) {
  StringRef name = state.name.getStringRef();
  if (state.name.isRegistered())
    return parser.emitError(parser.getNameLoc()) << "expected the generic form of '" << name << "'";
  return parser.emitError(parser.getNameLoc())
         << "unsupported: '" << name << "' " << explainUnsupported(name);
}

std::optional<Dialect::ParseOpHook> StableHLODialect::getParseOperationHook(StringRef name) const {
  return ParseOpHook(refuse);
}

std::optional<Dialect::ParseOpHook>
dmc::chlo::ChloDialect::getParseOperationHook(StringRef name) const {
  return ParseOpHook(refuse);
}

Type StableHLODialect::parseType(DialectAsmParser &parser) const {
  StringRef text = parser.getFullSymbolSpec();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return {};
  // What follows a keyword in angle brackets is part of the text.
  while (succeeded(parser.parseOptionalKeyword(&keyword)) || succeeded(parser.parseOptionalComma()))
    continue;
  return OpaqueType::get(StringAttr::get(getContext(), getNamespace()), text);
}

void StableHLODialect::printType(Type type, DialectAsmPrinter &printer) const {}

Attribute dmc::chlo::ChloDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef kind, value;
  if (parser.parseKeyword(&kind))
    return {};
  if (kind == "comparison_direction" && succeeded(parser.parseKeyword(&value)))
    if (std::optional<ComparisonDirection> direction = symbolizeComparisonDirection(value))
      return ComparisonDirectionAttr::get(getContext(), *direction);
  if (kind == "comparison_type" && succeeded(parser.parseKeyword(&value)))
    if (std::optional<ComparisonType> comparison = symbolizeComparisonType(value))
      return ComparisonTypeAttr::get(getContext(), *comparison);
  parser.emitError(loc) << "unsupported: attribute '#chlo<" << kind
                        << ">'; expected a comparison's direction or type";
  return {};
}

void dmc::chlo::ChloDialect::printAttribute(Attribute, DialectAsmPrinter &) const {}
