// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of the structured attributes: named fields, empty lists and zeros left out.
#include "Assembly.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dmc::stablehlo;

#include "dmc/Import/StableHLO/Enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dmc/Import/StableHLO/Attributes.cpp.inc"

void StableHLODialect::addAttributes_() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dmc/Import/StableHLO/Attributes.cpp.inc"
      >();
}

Attribute StableHLODialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  std::string text = parser.getFullSymbolSpec().str();
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult parsed = generatedAttributeParser(parser, &mnemonic, type, attr);
  if (parsed.has_value())
    return attr;
  return OpaqueAttr::get(StringAttr::get(getContext(), getNamespace()), text,
                         NoneType::get(getContext()));
}

void StableHLODialect::printAttribute(Attribute attr, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

namespace {

/// A field of an attribute: its name and what parses the value.
struct Field {
  StringRef name;
  llvm::function_ref<ParseResult()> parse;
  bool required = false;
};

/// `<name = value, ...>`: each field at most once, in any order.
ParseResult parseFields(AsmParser &parser, ArrayRef<Field> fields) {
  SmallVector<bool> seen(fields.size(), false);
  if (parser.parseLess())
    return failure();
  if (failed(parser.parseOptionalGreater())) {
    do {
      SMLoc loc = parser.getCurrentLocation();
      StringRef name;
      if (parser.parseKeyword(&name))
        return failure();
      const Field *field =
          llvm::find_if(fields, [&](const Field &field) { return field.name == name; });
      if (field == fields.end())
        return parser.emitError(loc) << "unknown field '" << name << "'";
      bool &isSeen = seen[field - fields.begin()];
      if (isSeen)
        return parser.emitError(loc) << "field '" << name << "' given twice";
      isSeen = true;
      if (parser.parseEqual() || field->parse())
        return failure();
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseGreater())
      return failure();
  }
  for (auto [field, isSeen] : llvm::zip(fields, seen))
    if (field.required && !isSeen)
      return parser.emitError(parser.getNameLoc()) << "field '" << field.name << "' is missing";
  return success();
}

/// Prints fields with their separators.
class FieldPrinter {
public:
  explicit FieldPrinter(AsmPrinter &printer) : printer(printer) { printer << "<"; }
  ~FieldPrinter() { printer << ">"; }

  AsmPrinter &name(StringRef name) {
    if (!first)
      printer << ", ";
    first = false;
    return printer << name << " = ";
  }
  void list(StringRef field, ArrayRef<int64_t> values) {
    if (values.empty())
      return;
    name(field) << "[";
    llvm::interleaveComma(values, printer);
    printer << "]";
  }

private:
  AsmPrinter &printer;
  bool first = true;
};

} // namespace

//===--- dot, dot_algorithm
//--------------------------------------------------------------------===//

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
  if (parseFields(
          parser,
          {{"lhs_batching_dimensions", [&] { return parseIntegers(parser, lhsBatch); }},
           {"rhs_batching_dimensions", [&] { return parseIntegers(parser, rhsBatch); }},
           {"lhs_contracting_dimensions", [&] { return parseIntegers(parser, lhsContract); }},
           {"rhs_contracting_dimensions", [&] { return parseIntegers(parser, rhsContract); }}}))
    return {};
  return get(parser.getContext(), lhsBatch, rhsBatch, lhsContract, rhsContract);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.list("lhs_batching_dimensions", getLhsBatchingDimensions());
  fields.list("rhs_batching_dimensions", getRhsBatchingDimensions());
  fields.list("lhs_contracting_dimensions", getLhsContractingDimensions());
  fields.list("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute DotAlgorithmAttr::parse(AsmParser &parser, Type) {
  Type lhsType, rhsType, accumulation;
  int64_t lhsCount = 1, rhsCount = 1, operations = 1;
  bool imprecise = false;
  auto parseBool = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("true"))) {
      imprecise = true;
      return success();
    }
    return parser.parseKeyword("false");
  };
  if (parseFields(
          parser,
          {{"lhs_precision_type", [&] { return parser.parseType(lhsType); }, true},
           {"rhs_precision_type", [&] { return parser.parseType(rhsType); }, true},
           {"accumulation_type", [&] { return parser.parseType(accumulation); }, true},
           {"lhs_component_count", [&] { return parser.parseInteger(lhsCount); }, true},
           {"rhs_component_count", [&] { return parser.parseInteger(rhsCount); }, true},
           {"num_primitive_operations", [&] { return parser.parseInteger(operations); }, true},
           {"allow_imprecise_accumulation", parseBool, true}}))
    return {};
  return get(parser.getContext(), lhsType, rhsType, accumulation, lhsCount, rhsCount, operations,
             imprecise);
}

void DotAlgorithmAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.name("lhs_precision_type") << getLhsPrecisionType();
  fields.name("rhs_precision_type") << getRhsPrecisionType();
  fields.name("accumulation_type") << getAccumulationType();
  fields.name("lhs_component_count") << getLhsComponentCount();
  fields.name("rhs_component_count") << getRhsComponentCount();
  fields.name("num_primitive_operations") << getNumPrimitiveOperations();
  fields.name("allow_imprecise_accumulation")
      << (getAllowImpreciseAccumulation() ? "true" : "false");
}

//===--- gather, scatter
//-----------------------------------------------------------------------===//

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, operandBatch, indicesBatch, map;
  int64_t indexVectorDim = 0;
  if (parseFields(
          parser,
          {{"offset_dims", [&] { return parseIntegers(parser, offset); }},
           {"collapsed_slice_dims", [&] { return parseIntegers(parser, collapsed); }},
           {"operand_batching_dims", [&] { return parseIntegers(parser, operandBatch); }},
           {"start_indices_batching_dims", [&] { return parseIntegers(parser, indicesBatch); }},
           {"start_index_map", [&] { return parseIntegers(parser, map); }},
           {"index_vector_dim", [&] { return parser.parseInteger(indexVectorDim); }}}))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatch, indicesBatch, map,
             indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.list("offset_dims", getOffsetDims());
  fields.list("collapsed_slice_dims", getCollapsedSliceDims());
  fields.list("operand_batching_dims", getOperandBatchingDims());
  fields.list("start_indices_batching_dims", getStartIndicesBatchingDims());
  fields.list("start_index_map", getStartIndexMap());
  if (getIndexVectorDim() != 0)
    fields.name("index_vector_dim") << getIndexVectorDim();
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, inputBatch, indicesBatch, map;
  int64_t indexVectorDim = 0;
  if (parseFields(
          parser,
          {{"update_window_dims", [&] { return parseIntegers(parser, window); }},
           {"inserted_window_dims", [&] { return parseIntegers(parser, inserted); }},
           {"input_batching_dims", [&] { return parseIntegers(parser, inputBatch); }},
           {"scatter_indices_batching_dims", [&] { return parseIntegers(parser, indicesBatch); }},
           {"scatter_dims_to_operand_dims", [&] { return parseIntegers(parser, map); }},
           {"index_vector_dim", [&] { return parser.parseInteger(indexVectorDim); }}}))
    return {};
  return get(parser.getContext(), window, inserted, inputBatch, indicesBatch, map, indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.list("update_window_dims", getUpdateWindowDims());
  fields.list("inserted_window_dims", getInsertedWindowDims());
  fields.list("input_batching_dims", getInputBatchingDims());
  fields.list("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  fields.list("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  if (getIndexVectorDim() != 0)
    fields.name("index_vector_dim") << getIndexVectorDim();
}

//===--- conv
//----------------------------------------------------------------------------------===//

namespace {

/// The roles of a tensor's dimensions: two named ones and the spatial ones in order.
struct Roles {
  int64_t first = -1, second = -1;
  SmallVector<int64_t> spatial;
};

/// `[b, 0, 1, f]` with the letters of the two named dimensions.
ParseResult parseRoles(AsmParser &parser, StringRef first, StringRef second, Roles &roles) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<std::pair<int64_t, int64_t>> spatial; // (number, dimension)
  int64_t dim = 0;
  auto parseRole = [&]() -> ParseResult {
    SMLoc roleLoc = parser.getCurrentLocation();
    int64_t number;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      spatial.emplace_back(number, dim++);
      return success();
    }
    StringRef letter;
    if (parser.parseKeyword(&letter))
      return failure();
    int64_t *role = letter == first ? &roles.first : letter == second ? &roles.second : nullptr;
    if (!role)
      return parser.emitError(roleLoc) << "expected '" << first << "', '" << second
                                       << "' or a number, but got '" << letter << "'";
    if (*role != -1)
      return parser.emitError(roleLoc) << "dimension '" << letter << "' given twice";
    *role = dim++;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRole))
    return failure();
  if (roles.first == -1 || roles.second == -1)
    return parser.emitError(loc) << "expected dimensions '" << first << "' and '" << second << "'";
  llvm::sort(spatial);
  for (auto [i, entry] : llvm::enumerate(spatial)) {
    if (entry.first != static_cast<int64_t>(i))
      return parser.emitError(loc)
             << "expected spatial dimensions 0 to " << spatial.size() - 1 << ", each once";
    roles.spatial.push_back(entry.second);
  }
  return success();
}

void printRoles(AsmPrinter &printer, StringRef first, int64_t firstDim, StringRef second,
                int64_t secondDim, ArrayRef<int64_t> spatial) {
  SmallVector<std::string> text(spatial.size() + 2, "?");
  auto set = [&](int64_t dim, std::string role) {
    if (dim >= 0 && dim < static_cast<int64_t>(text.size()))
      text[dim] = std::move(role);
  };
  set(firstDim, first.str());
  set(secondDim, second.str());
  for (auto [i, dim] : llvm::enumerate(spatial))
    set(dim, std::to_string(i));
  printer << "[";
  llvm::interleaveComma(text, printer);
  printer << "]";
}

} // namespace

FailureOr<ConvDimensionNumbersAttr> dmc::stablehlo::parseConvDims(AsmParser &parser) {
  Roles input, kernel, output;
  if (parseRoles(parser, "b", "f", input) || parser.parseKeyword("x") ||
      parseRoles(parser, "i", "o", kernel) || parser.parseArrow() ||
      parseRoles(parser, "b", "f", output))
    return failure();
  return ConvDimensionNumbersAttr::get(parser.getContext(), input.first, input.second,
                                       input.spatial, kernel.first, kernel.second, kernel.spatial,
                                       output.first, output.second, output.spatial);
}

void dmc::stablehlo::printConvDims(AsmPrinter &printer, ConvDimensionNumbersAttr dims) {
  printRoles(printer, "b", dims.getInputBatchDimension(), "f", dims.getInputFeatureDimension(),
             dims.getInputSpatialDimensions());
  printer << "x";
  printRoles(printer, "i", dims.getKernelInputFeatureDimension(), "o",
             dims.getKernelOutputFeatureDimension(), dims.getKernelSpatialDimensions());
  printer << "->";
  printRoles(printer, "b", dims.getOutputBatchDimension(), "f", dims.getOutputFeatureDimension(),
             dims.getOutputSpatialDimensions());
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<ConvDimensionNumbersAttr> dims = parseConvDims(parser);
  if (failed(dims) || parser.parseGreater())
    return {};
  return *dims;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printConvDims(printer, *this);
  printer << ">";
}

//===--- channel_handle, result_accuracy
//-------------------------------------------------------===//

Attribute ChannelHandleAttr::parse(AsmParser &parser, Type) {
  int64_t handle = 0, type = 0;
  if (parseFields(parser, {{"handle", [&] { return parser.parseInteger(handle); }, true},
                           {"type", [&] { return parser.parseInteger(type); }, true}}))
    return {};
  return get(parser.getContext(), handle, type);
}

void ChannelHandleAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.name("handle") << getHandle();
  fields.name("type") << getType();
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  APFloat atol(0.0), rtol(0.0);
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  auto parseFloat = [&](APFloat &value) -> ParseResult {
    double number;
    if (parser.parseFloat(number))
      return failure();
    value = APFloat(number);
    return success();
  };
  if (parseFields(parser,
                  {{"atol", [&] { return parseFloat(atol); }},
                   {"rtol", [&] { return parseFloat(rtol); }},
                   {"ulps", [&] { return parser.parseInteger(ulps); }},
                   {"mode", [&] { return parser.parseCustomAttributeWithFallback(mode); }, true}}))
    return {};
  return get(parser.getContext(), atol, rtol, ulps, mode.getValue());
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  if (!getAtol().isZero())
    fields.name("atol") << getAtol();
  if (!getRtol().isZero())
    fields.name("rtol") << getRtol();
  if (getUlps() != 0)
    fields.name("ulps") << getUlps();
  fields.name("mode") << ResultAccuracyModeAttr::get(getContext(), getMode());
}
