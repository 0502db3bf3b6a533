// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the sdy dialect: shardings and bodies as text.
#include "Assembly.h"
#include "dmc/Import/StableHLO/Sdy.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dmc::sdy;

/// `[<@mesh, [{"x"}]>, ...]`.
static ParseResult parseShardings(OpAsmParser &parser, TensorShardingPerValueAttr &shardings) {
  SmallVector<TensorShardingAttr> list;
  if (dmc::stablehlo::parseList(parser, OpAsmParser::Delimiter::Square, list))
    return failure();
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), list);
  return success();
}

static void printShardings(OpAsmPrinter &printer, Operation *,
                           TensorShardingPerValueAttr shardings) {
  printer << "[";
  dmc::stablehlo::printList(printer, shardings.getShardings());
  printer << "]";
}

/// `(%argument: type, ...) { ... }`.
static ParseResult parseBody(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                                          /*allowType=*/true, /*allowAttrs=*/true) ||
                 parser.parseRegion(body, arguments));
}

static void printBody(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << "(";
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

#define GET_OP_CLASSES
#include "dmc/Import/StableHLO/SdyOps.cpp.inc"
