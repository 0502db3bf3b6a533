//===- DMCAssembly.cpp - Text of meshes, layouts and programs -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing and printing of the dmc dialect's attributes.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace dmc;

//===----------------------------------------------------------------------===//
// Axes: "x", "x":(2)4, {"x", "y"}
//===----------------------------------------------------------------------===//

static FailureOr<AxisAttr> parseAxis(AsmParser &parser) {
  std::string name;
  int64_t preSize = 0, subSize = 0;
  if (parser.parseString(&name))
    return failure();
  if (succeeded(parser.parseOptionalColon())) {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseLParen() || parser.parseInteger(preSize) || parser.parseRParen() ||
        parser.parseInteger(subSize))
      return failure();
    if (preSize < 1 || subSize < 1)
      return parser.emitError(loc, "expected a sub-axis of positive sizes");
  }
  return AxisAttr::get(parser.getContext(), name, preSize, subSize);
}

static void printAxis(AsmPrinter &printer, AxisAttr axis) {
  printer.printString(axis.getName());
  if (!axis.isFullAxis())
    printer << ":(" << axis.getPreSize() << ")" << axis.getSubSize();
}

ParseResult dmc::parseAxes(AsmParser &parser, AxesAttr &axes) {
  SmallVector<AxisAttr> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        FailureOr<AxisAttr> axis = parseAxis(parser);
        if (failed(axis))
          return failure();
        list.push_back(*axis);
        return success();
      }))
    return failure();
  axes = AxesAttr::get(parser.getContext(), list);
  return success();
}

void dmc::printAxes(AsmPrinter &printer, AxesAttr axes) {
  printer << '{';
  llvm::interleaveComma(axes, printer.getStream(),
                        [&](AxisAttr axis) { printAxis(printer, axis); });
  printer << '}';
}

Attribute AxisAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<AxisAttr> axis = parseAxis(parser);
  if (failed(axis) || parser.parseGreater())
    return {};
  return *axis;
}

void AxisAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printAxis(printer, *this);
  printer << '>';
}

Attribute AxesAttr::parse(AsmParser &parser, Type) {
  AxesAttr axes;
  if (parser.parseLess() || parseAxes(parser, axes) || parser.parseGreater())
    return {};
  return axes;
}

void AxesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printAxes(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Mesh: <"data" = 2, "model" = 4>
//===----------------------------------------------------------------------===//

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&]() -> ParseResult {
        std::string name;
        int64_t size;
        if (parser.parseString(&name) || parser.parseEqual() || parser.parseInteger(size))
          return failure();
        axes.push_back(MeshAxisAttr::get(parser.getContext(), name, size));
        return success();
      }))
    return {};
  auto emitError = [&]() { return parser.emitError(loc); };
  return MeshAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError), parser.getContext(),
                              ArrayRef<MeshAxisAttr>(axes));
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getAxes(), printer.getStream(), [&](MeshAxisAttr axis) {
    printer.printString(axis.getName());
    printer << " = " << axis.getSize();
  });
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Layout: <#mesh, [{"data"}, {}], sum {"model"}, placed {"stage" = 0}>
//===----------------------------------------------------------------------===//

static ParseResult parsePlacedList(AsmParser &parser, SmallVectorImpl<PlacedAttr> &placed) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
    int64_t coordinate;
    FailureOr<AxisAttr> axis = parseAxis(parser);
    if (failed(axis) || parser.parseEqual() || parser.parseInteger(coordinate))
      return failure();
    placed.push_back(PlacedAttr::get(parser.getContext(), *axis, coordinate));
    return success();
  });
}

static void printPlaced(AsmPrinter &printer, PlacedAttr placed) {
  printAxis(printer, placed.getAxis());
  printer << " = " << placed.getCoordinate();
}

Attribute PlacedAttr::parse(AsmParser &parser, Type) {
  int64_t coordinate;
  if (parser.parseLess())
    return {};
  FailureOr<AxisAttr> axis = parseAxis(parser);
  if (failed(axis) || parser.parseEqual() || parser.parseInteger(coordinate) ||
      parser.parseGreater())
    return {};
  return PlacedAttr::get(parser.getContext(), *axis, coordinate);
}

void PlacedAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printPlaced(printer, *this);
  printer << '>';
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  MeshAttr mesh;
  SmallVector<AxesAttr> dims;
  CombinerKind combiner = CombinerKind::sum;
  AxesAttr partial = AxesAttr::get(context, ArrayRef<AxisAttr>());
  SmallVector<PlacedAttr> placed;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseAttribute(mesh) || parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
        AxesAttr axes;
        if (parseAxes(parser, axes))
          return failure();
        dims.push_back(axes);
        return success();
      }))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc keywordLoc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == "placed") {
      if (parsePlacedList(parser, placed))
        return {};
    } else if (std::optional<CombinerKind> kind = symbolizeCombinerKind(keyword)) {
      if (!partial.empty()) {
        parser.emitError(keywordLoc, "a layout has one combiner");
        return {};
      }
      combiner = *kind;
      if (parseAxes(parser, partial))
        return {};
    } else {
      parser.emitError(keywordLoc, "expected sum, prod, max, min or placed, found '")
          << keyword << "'";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  // An empty list of partial axes has no combiner: one form per layout.
  if (partial.empty())
    combiner = CombinerKind::sum;
  auto emitError = [&]() { return parser.emitError(loc); };
  return LayoutAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError), context, mesh,
                                ArrayRef<AxesAttr>(dims), combiner, partial,
                                ArrayRef<PlacedAttr>(placed));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printAttribute(getMesh());
  printer << ", [";
  llvm::interleaveComma(getDims(), printer.getStream(),
                        [&](AxesAttr axes) { printAxes(printer, axes); });
  printer << ']';
  if (isPartial()) {
    printer << ", " << stringifyCombinerKind(getCombiner()) << ' ';
    printAxes(printer, getPartial());
  }
  if (!getPlaced().empty()) {
    printer << ", placed {";
    llvm::interleaveComma(getPlaced(), printer.getStream(),
                          [&](PlacedAttr placed) { printPlaced(printer, placed); });
    printer << '}';
  }
  printer << '>';
}

void LayoutAttr::printState(raw_ostream &os) const {
  os << toString(getMesh().toMesh(), toLayout());
}

//===----------------------------------------------------------------------===//
// OpLayouts: <operands = [#layout, ...], results = [...]>
//===----------------------------------------------------------------------===//

static ParseResult parseLayouts(AsmParser &parser, StringRef keyword,
                                SmallVectorImpl<LayoutAttr> &layouts) {
  return failure(parser.parseKeyword(keyword) || parser.parseEqual() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
                   return parser.parseAttribute(layouts.emplace_back());
                 }));
}

Attribute OpLayoutsAttr::parse(AsmParser &parser, Type) {
  SmallVector<LayoutAttr> operands, results;
  if (parser.parseLess() || parseLayouts(parser, "operands", operands) || parser.parseComma() ||
      parseLayouts(parser, "results", results) || parser.parseGreater())
    return {};
  return OpLayoutsAttr::get(parser.getContext(), operands, results);
}

void OpLayoutsAttr::print(AsmPrinter &printer) const {
  auto printLayouts = [&](StringRef keyword, ArrayRef<LayoutAttr> layouts) {
    printer << keyword << " = [";
    llvm::interleaveComma(layouts, printer.getStream(),
                          [&](LayoutAttr layout) { printer.printAttribute(layout); });
    printer << ']';
  };
  printer << '<';
  printLayouts("operands", getOperands());
  printer << ", ";
  printLayouts("results", getResults());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Value: <"w" : tensor<4xf32, #layout> donates 3>, <"ids" : tensor<4xi32> below 100>
//===----------------------------------------------------------------------===//

static FailureOr<ValueAttr> parseValueBody(AsmParser &parser) {
  std::string name;
  RankedTensorType type;
  int64_t donates = -1, below = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&name) || parser.parseColon() || parser.parseType(type))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("donates")) && parser.parseInteger(donates))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("below")) && parser.parseInteger(below))
    return failure();
  auto value =
      ValueAttr::getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                            StringAttr::get(parser.getContext(), name), type, donates, below);
  if (!value)
    return failure();
  return value;
}

static void printValueBody(AsmPrinter &printer, ValueAttr value) {
  printer.printString(value.getName().getValue());
  printer << " : ";
  printer.printType(value.getType());
  if (value.isDonated())
    printer << " donates " << value.getDonates();
  if (value.getBelow() > 0)
    printer << " below " << value.getBelow();
}

Attribute ValueAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<ValueAttr> value = parseValueBody(parser);
  if (failed(value) || parser.parseGreater())
    return {};
  return *value;
}

void ValueAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printValueBody(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Program: <tensor "step" on #mesh, arguments [...], results [...]>
//===----------------------------------------------------------------------===//

Attribute ProgramAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  SMLoc loc = parser.getCurrentLocation();
  StringRef levelText;
  std::string name;
  MeshAttr mesh;
  SmallVector<ValueAttr> arguments, results;
  if (parser.parseLess() || parser.parseKeyword(&levelText))
    return {};
  std::optional<Level> level = symbolizeLevel(levelText);
  if (!level) {
    parser.emitError(loc, "expected a level: tensor, parallel, ranks or scheduled, found '")
        << levelText << "'";
    return {};
  }
  if (parser.parseString(&name))
    return {};
  if (succeeded(parser.parseOptionalKeyword("on")) && parser.parseAttribute(mesh))
    return {};
  auto parseValues = [&](StringRef keyword, SmallVectorImpl<ValueAttr> &values) -> ParseResult {
    return failure(
        parser.parseComma() || parser.parseKeyword(keyword) ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
          FailureOr<ValueAttr> value = parseValueBody(parser);
          if (failed(value))
            return failure();
          values.push_back(*value);
          return success();
        }));
  };
  if (parseValues("arguments", arguments) || parseValues("results", results) ||
      parser.parseGreater())
    return {};
  auto emitError = [&]() { return parser.emitError(loc); };
  return ProgramAttr::getChecked(function_ref<InFlightDiagnostic()>(emitError), context, *level,
                                 StringAttr::get(context, name), mesh,
                                 ArrayRef<ValueAttr>(arguments), ArrayRef<ValueAttr>(results));
}

void ProgramAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyLevel(getLevel()) << ' ';
  printer.printString(getName().getValue());
  if (getMesh()) {
    printer << " on ";
    printer.printAttribute(getMesh());
  }
  auto printValues = [&](StringRef keyword, ArrayRef<ValueAttr> values) {
    printer << ", " << keyword << " [";
    llvm::interleaveComma(values, printer.getStream(),
                          [&](ValueAttr value) { printValueBody(printer, value); });
    printer << ']';
  };
  printValues("arguments", getArguments());
  printValues("results", getResults());
  printer << '>';
}
