// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of meshes and shardings.
#include "Assembly.h"
#include "dmc/Import/StableHLO/Sdy.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc::sdy;
using dmc::stablehlo::parseIntegers;
using dmc::stablehlo::parseList;
using dmc::stablehlo::printList;

#include "dmc/Import/StableHLO/SdyDialect.cpp.inc"
#include "dmc/Import/StableHLO/SdyEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dmc/Import/StableHLO/SdyAttributes.cpp.inc"

void SdyDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dmc/Import/StableHLO/SdyAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dmc/Import/StableHLO/SdyOps.cpp.inc"
      >();
}

Attribute SdyDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  std::string text = parser.getFullSymbolSpec().str();
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult parsed = generatedAttributeParser(parser, &mnemonic, type, attr);
  if (parsed.has_value())
    return attr;
  return OpaqueAttr::get(StringAttr::get(getContext(), getNamespace()), text,
                         NoneType::get(getContext()));
}

void SdyDialect::printAttribute(Attribute attr, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

//===--- Meshes
//--------------------------------------------------------------------------------===//

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  int64_t size;
  if (parser.parseString(&name) || parser.parseEqual() || parser.parseInteger(size))
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  printer << "=" << getSize();
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> devices;
  if (parser.parseLess() || parseList(parser, AsmParser::Delimiter::Square, axes))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("device_ids") || parser.parseEqual() || parseIntegers(parser, devices)))
    return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), axes, devices);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  printList(printer, getAxes());
  printer << "]";
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << "]";
  }
  printer << ">";
}

//===--- Shardings
//-----------------------------------------------------------------------------===//

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t preSize = 0, size = 0;
  if (parser.parseString(&name))
    return {};
  if (succeeded(parser.parseOptionalColon())) {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseLParen() || parser.parseInteger(preSize) || parser.parseRParen() ||
        parser.parseInteger(size))
      return {};
    if (preSize < 1 || size < 2) {
      parser.emitError(loc) << "expected a part of an axis as (size before it, at least 1) and its "
                               "size, at least 2, but got ("
                            << preSize << ")" << size;
      return {};
    }
  }
  return get(parser.getContext(), name, preSize, size);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  if (isSubAxis())
    printer << ":(" << getPreSize() << ")" << getSize();
}

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  auto parseElement = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    if (!isClosed)
      return parser.emitError(loc) << "expected nothing after '?'";
    if (succeeded(parser.parseOptionalQuestion())) {
      isClosed = false;
      return success();
    }
    auto axis = llvm::dyn_cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, {}));
    if (!axis)
      return failure();
    axes.push_back(axis);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseElement))
    return {};
  std::optional<int64_t> priority;
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword))) {
    int64_t value;
    if (!keyword.consume_front("p") || keyword.getAsInteger(10, value) || value < 0) {
      parser.emitError(loc) << "expected a priority such as p1";
      return {};
    }
    priority = value;
  }
  return get(parser.getContext(), axes, isClosed, priority);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << "{";
  printList(printer, getAxes());
  if (!getIsClosed())
    printer << (getAxes().empty() ? "?" : ", ?");
  printer << "}";
  if (getPriority())
    printer << "p" << *getPriority();
}

Attribute TensorShardingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  Attribute meshOrRef;
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    meshOrRef = MeshAttr::parse(parser, {});
    if (!meshOrRef)
      return {};
  } else {
    StringAttr symbol;
    if (parser.parseSymbolName(symbol))
      return {};
    meshOrRef = FlatSymbolRefAttr::get(symbol);
  }
  SmallVector<DimensionShardingAttr> dims;
  if (parser.parseComma() || parseList(parser, AsmParser::Delimiter::Square, dims))
    return {};
  SmallVector<AxisRefAttr> replicated, unreduced;
  bool hasReplicated = false, hasUnreduced = false;
  ReductionOp reduction = ReductionOp::SUM;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return {};
    bool *isGiven = keyword == "replicated"  ? &hasReplicated
                    : keyword == "unreduced" ? &hasUnreduced
                                             : nullptr;
    if (!isGiven || *isGiven) {
      parser.emitError(loc) << "expected 'replicated' or 'unreduced', each at most once, but got '"
                            << keyword << "'";
      return {};
    }
    *isGiven = true;
    bool isReplicated = keyword == "replicated";
    // How partial values combine is left out for sums.
    if (succeeded(parser.parseOptionalEqual()) && !isReplicated &&
        succeeded(parser.parseOptionalKeyword(&keyword, {"sum", "max", "min"})))
      reduction = *symbolizeReductionOp(keyword);
    if (parseList(parser, AsmParser::Delimiter::Braces, isReplicated ? replicated : unreduced))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), meshOrRef, dims, replicated, unreduced, reduction);
}

void TensorShardingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  printer << ", [";
  printList(printer, getDimShardings());
  printer << "]";
  auto printAxes = [&](StringRef name, ArrayRef<AxisRefAttr> axes) {
    if (axes.empty())
      return;
    printer << ", " << name << "{";
    printList(printer, axes);
    printer << "}";
  };
  printAxes("replicated=", getReplicatedAxes());
  bool isSum = getReduction() == ReductionOp::SUM;
  printAxes(isSum ? "unreduced=" : ("unreduced=" + stringifyReductionOp(getReduction())).str(),
            getUnreducedAxes());
  printer << ">";
}

Attribute TensorShardingPerValueAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorShardingAttr> shardings;
  if (parser.parseLess() || parseList(parser, AsmParser::Delimiter::Square, shardings) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), shardings);
}

void TensorShardingPerValueAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  printList(printer, getShardings());
  printer << "]>";
}

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        std::string name;
        if (parser.parseString(&name))
          return failure();
        axes.push_back(parser.getBuilder().getStringAttr(name));
        return success();
      }))
    return {};
  return get(parser.getContext(), axes);
}

void ManualAxesAttr::print(AsmPrinter &printer) const {
  printer << "{";
  llvm::interleaveComma(getAxes(), printer,
                        [&](StringAttr axis) { printer.printString(axis.getValue()); });
  printer << "}";
}

//===--- Axes of collectives
//-------------------------------------------------------------------===//

Attribute AxisRefListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  if (parseList(parser, AsmParser::Delimiter::Braces, axes))
    return {};
  return get(parser.getContext(), axes);
}

void AxisRefListAttr::print(AsmPrinter &printer) const {
  printer << "{";
  printList(printer, getAxes());
  printer << "}";
}

Attribute ListOfAxisRefListsAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefListAttr> lists;
  if (parseList(parser, AsmParser::Delimiter::Square, lists))
    return {};
  return get(parser.getContext(), lists);
}

void ListOfAxisRefListsAttr::print(AsmPrinter &printer) const {
  printer << "[";
  printList(printer, getLists());
  printer << "]";
}

Attribute AllToAllParamAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source, target;
  if (parseList(parser, AsmParser::Delimiter::Braces, axes) || parser.parseColon() ||
      parser.parseInteger(source) || parser.parseArrow() || parser.parseInteger(target))
    return {};
  return get(parser.getContext(), axes, source, target);
}

void AllToAllParamAttr::print(AsmPrinter &printer) const {
  printer << "{";
  printList(printer, getAxes());
  printer << "}: " << getSourceDim() << "->" << getTargetDim();
}

Attribute AllToAllParamListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AllToAllParamAttr> params;
  if (parseList(parser, AsmParser::Delimiter::Square, params))
    return {};
  return get(parser.getContext(), params);
}

void AllToAllParamListAttr::print(AsmPrinter &printer) const {
  printer << "[";
  printList(printer, getParams());
  printer << "]";
}
