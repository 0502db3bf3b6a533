// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pretty forms of reduce and while.
#include "Assembly.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dmc::stablehlo;

/// An attribute that the pretty form writes in its own place must not be in the dictionary too.
static ParseResult parseDictionaryWithout(OpAsmParser &parser, OperationState &result,
                                          StringRef own) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (result.attributes.get(own))
    return parser.emitError(loc) << "attribute '" << own << "' given twice";
  return success();
}

//===--- reduce
//--------------------------------------------------------------------------------===//

/// The operation of a body that combines its two arguments in order and returns the result; null if
/// the body is any other.
static Operation *getOnlyCombiner(ReduceOp op) {
  if (op.getInputs().size() != 1)
    return nullptr;
  Block &block = op.getBody().front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return nullptr;
  Operation &combiner = block.front();
  auto terminator = dyn_cast<ReturnOp>(block.back());
  if (!terminator || combiner.getNumOperands() != 2 || combiner.getNumResults() != 1 ||
      combiner.getNumRegions() != 0 || !combiner.getAttrDictionary().empty() ||
      combiner.getOperands() != ValueRange(block.getArguments()) ||
      terminator.getOperands() != ValueRange(combiner.getResults()) ||
      !terminator->getAttrDictionary().empty())
    return nullptr;
  Type scalar = op.getInitValues().front().getType();
  if (combiner.getResult(0).getType() != scalar ||
      llvm::any_of(block.getArgumentTypes(), [&](Type type) { return type != scalar; }))
    return nullptr;
  return &combiner;
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << "(";
  llvm::interleave(
      llvm::zip(getInputs(), getInitValues()), printer,
      [&](auto pair) { printer << std::get<0>(pair) << " init: " << std::get<1>(pair); }, "), (");
  printer << ")";
  Operation *combiner = getOnlyCombiner(*this);
  if (combiner)
    printer << " applies " << combiner->getName();
  printer << " across dimensions = [";
  llvm::interleaveComma(getDimensions(), printer);
  printer << "]";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (combiner)
    return;
  printer.printNewline();
  printer << " reducer";
  Block &block = getBody().front();
  unsigned count = getInputs().size();
  for (unsigned i = 0; i < count; ++i) {
    printer << "(";
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(count + i));
    printer << ") ";
  }
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// `applies dialect.op`: the body that combines two scalars by the operation.
static void buildCombinerBody(OpAsmParser &parser, OperationState &result, OperationName combiner,
                              Type scalar, Location loc) {
  Block &block = result.addRegion()->emplaceBlock();
  block.addArguments({scalar, scalar}, {loc, loc});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState state(loc, combiner);
  state.addOperands(block.getArguments());
  state.addTypes(scalar);
  Operation *op = builder.create(state);
  ReturnOp::create(builder, loc, op->getResults());
}

/// `reducer(%a: T, %b: T) (%c: U, %d: U) {...}`: arguments in pairs, one for each input.
static ParseResult parseReducer(OpAsmParser &parser, OperationState &result, size_t count) {
  SmallVector<OpAsmParser::Argument> first(count), second(count);
  if (parser.parseKeyword("reducer"))
    return failure();
  for (size_t i = 0; i < count; ++i)
    if (parser.parseLParen() || parser.parseArgument(first[i], /*allowType=*/true) ||
        parser.parseComma() || parser.parseArgument(second[i], /*allowType=*/true) ||
        parser.parseRParen())
      return failure();
  first.append(second);
  return parser.parseRegion(*result.addRegion(), first);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(inputs.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));

  std::optional<OperationName> combiner;
  SMLoc combinerLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    combinerLoc = parser.getCurrentLocation();
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    combiner = *name;
    if (!combiner->isRegistered())
      return parser.emitError(combinerLoc) << "unsupported: '" << combiner->getStringRef() << "' "
                                           << explainUnsupported(combiner->getStringRef());
    if (inputs.size() != 1)
      return parser.emitError(combinerLoc)
             << "expected one input to apply an operation to, but got " << inputs.size();
  }

  SmallVector<int64_t> dims;
  FunctionType type;
  SMLoc typeLoc;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parser.parseInteger(dims.emplace_back()); }) ||
      parseDictionaryWithout(parser, result, "dimensions") || parser.parseColon() ||
      parser.getCurrentLocation(&typeLoc) || parser.parseType(type))
    return failure();
  result.addAttribute("dimensions", parser.getBuilder().getDenseI64ArrayAttr(dims));
  result.addTypes(type.getResults());
  SmallVector<OpAsmParser::UnresolvedOperand> operands(inputs);
  operands.append(inits);
  if (parser.resolveOperands(operands, type.getInputs(), loc, result.operands))
    return failure();
  if (!combiner)
    return parseReducer(parser, result, inputs.size());
  buildCombinerBody(parser, result, *combiner, type.getInputs().back(),
                    parser.getEncodedSourceLoc(combinerLoc));
  return success();
}

//===--- while
//---------------------------------------------------------------------------------===//

void WhileOp::print(OpAsmPrinter &printer) {
  printer << "(";
  llvm::interleaveComma(llvm::zip(getCond().getArguments(), getOperands()), printer,
                        [&](auto pair) {
                          printer.printOperand(std::get<0>(pair));
                          printer << " = " << std::get<1>(pair);
                        });
  printer << ")";
  if (getNumOperands() != 0) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parsePair))
    return failure();
  if (!operands.empty()) {
    if (parser.parseColonTypeList(result.types))
      return failure();
    if (result.types.size() != operands.size())
      return parser.emitError(loc)
             << "expected " << operands.size() << " types, but got " << result.types.size();
  }
  if (parser.resolveOperands(operands, result.types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  for (auto [argument, type] : llvm::zip(arguments, result.types))
    argument.type = type;
  return failure(parser.parseKeyword("cond") ||
                 parser.parseRegion(*result.addRegion(), arguments) || parser.parseKeyword("do") ||
                 parser.parseRegion(*result.addRegion(), arguments));
}
