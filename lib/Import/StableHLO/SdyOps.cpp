// The operations of the sdy dialect.
#include "dmc/Import/StableHLO/Sdy.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dmc::sdy;

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/SdyOps.cpp.inc"

void ManualComputationOp::print(OpAsmPrinter &printer) {
  printer << "(" << getTensors() << ") in_shardings=[";
  auto printShardings = [&](TensorShardingPerValueAttr shardings) {
    llvm::interleaveComma(shardings.getShardings(), printer,
                          [&](TensorShardingAttr sharding) { sharding.print(printer); });
  };
  printShardings(getInShardings());
  printer << "] out_shardings=[";
  printShardings(getOutShardings());
  printer << "] manual_axes=";
  getManualAxes().print(printer);
  printer << " (";
  llvm::interleaveComma(getBody().getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"in_shardings", "out_shardings", "manual_axes"});
  printer << " : ";
  printer.printFunctionalType(*this);
}

static ParseResult parseShardings(OpAsmParser &parser, OperationState &result, StringRef name) {
  SmallVector<TensorShardingAttr> shardings;
  auto parseOne = [&]() -> ParseResult {
    auto sharding =
        llvm::dyn_cast_or_null<TensorShardingAttr>(TensorShardingAttr::parse(parser, {}));
    if (!sharding)
      return failure();
    shardings.push_back(sharding);
    return success();
  };
  if (parser.parseKeyword(name) || parser.parseEqual() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne))
    return failure();
  result.addAttribute(name, TensorShardingPerValueAttr::get(parser.getContext(), shardings));
  return success();
}

ParseResult ManualComputationOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parseShardings(parser, result, "in_shardings") ||
      parseShardings(parser, result, "out_shardings") || parser.parseKeyword("manual_axes") ||
      parser.parseEqual())
    return failure();
  Attribute manualAxes = ManualAxesAttr::parse(parser, {});
  FunctionType type;
  NamedAttrList attributes;
  if (!manualAxes ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseRegion(*result.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  result.addAttribute("manual_axes", manualAxes);
  for (NamedAttribute attribute : attributes) {
    if (result.attributes.get(attribute.getName()))
      return parser.emitError(loc) << "attribute '" << attribute.getName() << "' given twice";
    result.attributes.push_back(attribute);
  }
  result.addTypes(type.getResults());
  return success();
}
