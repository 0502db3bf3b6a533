//===- TransformOps.cpp - Syntax and registration of tactics --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Custom pieces of assembly, effects, verifiers, and the extension of the transform
// dialect.
//
//===----------------------------------------------------------------------===//
#include "TransformOps.h"

#include "dmc/Parallelize/Tactics/Tactics.h"

#include "../Factors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::tactics;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static ParseResult parseRole(OpAsmParser &parser, StringAttr &role) {
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  role = parser.getBuilder().getStringAttr(keyword);
  return success();
}
static void printRole(OpAsmPrinter &printer, Operation *, StringAttr role) {
  printer << role.getValue();
}

using OptionalOperand = std::optional<OpAsmParser::UnresolvedOperand>;

static ParseResult parseParam(OpAsmParser &parser, OptionalOperand &param) {
  OpAsmParser::UnresolvedOperand operand;
  if (parser.parseOperand(operand))
    return failure();
  param = operand;
  return success();
}

static ParseResult parseText(OpAsmParser &parser, StringAttr &text, OptionalOperand &param) {
  std::string value;
  if (failed(parser.parseOptionalString(&value)))
    return parseParam(parser, param);
  text = parser.getBuilder().getStringAttr(value);
  return success();
}
static void printText(OpAsmPrinter &printer, Operation *, StringAttr text, Value param) {
  if (text)
    printer << text;
  else
    printer << param;
}

static ParseResult parseAxesOrParam(OpAsmParser &parser, AxesAttr &axes, OptionalOperand &param) {
  // An axis list begins with a brace, a parameter with a percent sign.
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult parsed = parser.parseOptionalOperand(operand);
  if (!parsed.has_value())
    return parseAxes(parser, axes);
  param = operand;
  return *parsed;
}
static void printAxesOrParam(OpAsmPrinter &printer, Operation *op, AxesAttr axes, Value param) {
  if (axes)
    printAxes(printer, op, axes);
  else
    printer << param;
}

static ParseResult parseLayouts(OpAsmParser &parser, SmallVectorImpl<Attribute> &layouts) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() {
    LayoutAttr layout;
    if (parser.parseAttribute(layout))
      return failure();
    list.push_back(layout);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  layouts.push_back(parser.getBuilder().getArrayAttr(list));
  return success();
}

/// `argument "x" #layout`, or `7 "linalg.map" (...) -> (...)`; a constraint that a tactic
/// added says of which value: `9 "dmc.constrain" of 7 result 0`, `of argument 2`.
static ParseResult parseDecision(OpAsmParser &parser, SmallVectorImpl<Attribute> &decisions) {
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> parts;
  StringRef keyword;
  std::string name;
  if (succeeded(parser.parseOptionalKeyword(&keyword, {"argument", "result"}))) {
    LayoutAttr layout;
    if (parser.parseString(&name) || parser.parseAttribute(layout))
      return failure();
    parts = {builder.getStringAttr(keyword), builder.getStringAttr(name), layout};
    decisions.push_back(builder.getArrayAttr(parts));
    return success();
  }
  int64_t number = 0;
  if (parser.parseInteger(number) || parser.parseString(&name))
    return failure();
  parts = {builder.getI64IntegerAttr(number), builder.getStringAttr(name)};
  SmallVector<int64_t, 2> source;
  if (succeeded(parser.parseOptionalKeyword("of"))) {
    source.resize(2, -1);
    if (succeeded(parser.parseOptionalKeyword("argument"))) {
      if (parser.parseInteger(source[1]))
        return failure();
    } else if (parser.parseInteger(source[0]) || parser.parseKeyword("result") ||
               parser.parseInteger(source[1])) {
      return failure();
    }
  }
  if (parseLayouts(parser, parts) || parser.parseArrow() || parseLayouts(parser, parts))
    return failure();
  if (!source.empty())
    parts.push_back(builder.getDenseI64ArrayAttr(source));
  decisions.push_back(builder.getArrayAttr(parts));
  return success();
}

static ParseResult parseDecisions(OpAsmParser &parser, ArrayAttr &attribute) {
  SmallVector<Attribute> decisions;
  if (parser.parseLBrace())
    return failure();
  while (failed(parser.parseOptionalRBrace()))
    if (parseDecision(parser, decisions))
      return failure();
  attribute = parser.getBuilder().getArrayAttr(decisions);
  return success();
}

static void printDecisions(OpAsmPrinter &printer, Operation *, ArrayAttr decisions) {
  auto printLayouts = [&](Attribute layouts) {
    printer << " (";
    llvm::interleaveComma(cast<ArrayAttr>(layouts), printer.getStream(),
                          [&](Attribute layout) { printer.printAttribute(layout); });
    printer << ')';
  };
  printer << '{';
  printer.increaseIndent();
  for (ArrayAttr parts : decisions.getAsRange<ArrayAttr>()) {
    printer.printNewline();
    if (auto keyword = dyn_cast<StringAttr>(parts[0])) {
      printer << keyword.getValue() << ' ' << parts[1] << ' ';
      printer.printAttribute(parts[2]);
      continue;
    }
    printer << cast<IntegerAttr>(parts[0]).getInt() << ' ' << parts[1];
    if (parts.size() > 4) {
      ArrayRef<int64_t> source = cast<DenseI64ArrayAttr>(parts[4]).asArrayRef();
      if (source[0] < 0)
        printer << " of argument " << source[1];
      else
        printer << " of " << source[0] << " result " << source[1];
    }
    printLayouts(parts[2]);
    printer << " ->";
    printLayouts(parts[3]);
  }
  printer.decreaseIndent();
  printer.printNewline();
  printer << '}';
}

#define GET_OP_CLASSES
#include "dmc/Parallelize/Tactics/TransformOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult ArgumentsOp::verify() {
  if (!getRole() && !getName() && !getNameParam())
    return emitOpError("expected a role ('of') or a name ('named')");
  if (getRole() && !llvm::is_contained({"parameter", "state", "batch", "image", "any"}, *getRole()))
    return emitOpError("expected the role parameter, state, batch, image or any, found ")
           << *getRole();
  return success();
}

LogicalResult ValuesOp::verify() {
  if (!getOpName() && !getPlace())
    return emitOpError("expected the name of an operation ('by') or of a location ('at')");
  return success();
}

LogicalResult tactics::ReshardOp::verify() {
  if (!getLayout() == !(getAxes() || getAxesParam()))
    return emitOpError("expected a layout ('to') or axes ('replicated'), one of them");
  return success();
}

LogicalResult ShardWeightsOp::verify() {
  if (!llvm::is_contained({"alternately", "experts"}, getHow()))
    return emitOpError("expected alternately or experts, found ") << getHow();
  return success();
}

/// The form that parseDecision gives; it may come in the generic syntax too.
static bool isDecision(Attribute attribute) {
  auto parts = dyn_cast<ArrayAttr>(attribute);
  if (!parts || parts.size() < 3)
    return false;
  auto isLayouts = [](Attribute list) {
    auto array = dyn_cast<ArrayAttr>(list);
    return array && llvm::all_of(array, llvm::IsaPred<LayoutAttr>);
  };
  if (auto keyword = dyn_cast<StringAttr>(parts[0]))
    return parts.size() == 3 && (keyword == "argument" || keyword == "result") &&
           isa<StringAttr>(parts[1]) && isa<LayoutAttr>(parts[2]);
  auto number = dyn_cast<IntegerAttr>(parts[0]);
  if (!number || number.getValue().isNegative() || parts.size() < 4 || parts.size() > 5 ||
      !isa<StringAttr>(parts[1]) || !isLayouts(parts[2]) || !isLayouts(parts[3]))
    return false;
  auto source = parts.size() == 5 ? dyn_cast<DenseI64ArrayAttr>(parts[4]) : DenseI64ArrayAttr();
  return parts.size() == 4 || (source && source.size() == 2);
}

LogicalResult PlanOp::verify() {
  for (Attribute decision : getDecisions())
    if (!isDecision(decision))
      return emitOpError("expected a layout of an argument or result, or layouts of an "
                         "operation, found ")
             << decision;
  return success();
}

LogicalResult ExpectOp::verify() {
  auto isKind = [](StringRef name) {
    return llvm::is_contained(
        {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute", "broadcast"}, name);
  };
  const char *kinds = "expected all_reduce, all_gather, reduce_scatter, all_to_all, permute or "
                      "broadcast, found ";
  if (!getWireBytes() && !getPeakBytes() && !getOnly() && !getCounts())
    return emitOpError("expected wire_bytes, peak_bytes, only or counts");
  for (std::optional<uint64_t> bytes : {getWireBytes(), getPeakBytes()})
    if (bytes && static_cast<int64_t>(*bytes) < 0)
      return emitOpError("expected how many bytes, found ") << static_cast<int64_t>(*bytes);
  if (std::optional<ArrayAttr> only = getOnly())
    for (StringRef name : only->getAsValueRange<StringAttr>())
      if (!isKind(name))
        return emitOpError(kinds) << name;
  if (std::optional<DictionaryAttr> counts = getCounts())
    for (NamedAttribute count : *counts) {
      if (!isKind(count.getName()))
        return emitOpError(kinds) << count.getName().getValue();
      auto number = dyn_cast<IntegerAttr>(count.getValue());
      if (!number || number.getValue().isNegative())
        return emitOpError("expected how often ")
               << count.getName().getValue() << " is executed, found " << count.getValue();
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

static void look(Operation *op, Effects &effects) {
  transform::onlyReadsHandle(op->getOpOperands(), effects);
  transform::producesHandle(op->getOpResults(), effects);
  transform::onlyReadsPayload(effects);
}
static void change(Operation *op, Effects &effects) {
  transform::onlyReadsHandle(op->getOpOperands(), effects);
  transform::producesHandle(op->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

void ArgumentsOp::getEffects(Effects &effects) { look(*this, effects); }
void ResultsOp::getEffects(Effects &effects) { look(*this, effects); }
void ValuesOp::getEffects(Effects &effects) { look(*this, effects); }
void ExpectSplitOp::getEffects(Effects &effects) { look(*this, effects); }
void ShardOp::getEffects(Effects &effects) { change(*this, effects); }
void tactics::ReplicateOp::getEffects(Effects &effects) { change(*this, effects); }
void PinOp::getEffects(Effects &effects) { change(*this, effects); }
void tactics::ReshardOp::getEffects(Effects &effects) { change(*this, effects); }
void ShardWeightsOp::getEffects(Effects &effects) { change(*this, effects); }
void ShardSpatialOp::getEffects(Effects &effects) { change(*this, effects); }
void PropagateOp::getEffects(Effects &effects) { change(*this, effects); }
void ExpectOp::getEffects(Effects &effects) { change(*this, effects); }
void SolveOp::getEffects(Effects &effects) { change(*this, effects); }
void PlanOp::getEffects(Effects &effects) { change(*this, effects); }

//===----------------------------------------------------------------------===//
// What tactics share
//===----------------------------------------------------------------------===//

func::ReturnOp Subject::getReturn() const {
  return cast<func::ReturnOp>(func::FuncOp(entry).getBody().front().getTerminator());
}

FailureOr<Subject> tactics::getSubject(Operation *tactic, transform::TransformState &state,
                                       bool needsMesh) {
  auto module = dyn_cast<ModuleOp>(state.getTopLevel());
  ProgramAttr program = module ? ProgramAttr::of(module) : ProgramAttr();
  if (!program)
    return tactic->emitError("expected a module with a dmc.program; dmc-import makes it");
  if (program.getLevel() != Level::tensor)
    return tactic->emitError("expected a program at level 'tensor', found level '")
           << stringifyLevel(program.getLevel()) << "'";
  if (needsMesh && !program.getMesh())
    return tactic->emitError("expected a program on a mesh, found none (--mesh gives one)");
  FailureOr<func::FuncOp> entry = getEntryFunction(module);
  if (failed(entry))
    return failure();
  auto fits = [](ArrayRef<Type> types, ArrayRef<ValueAttr> values) {
    return types.size() == values.size() &&
           llvm::all_of(llvm::zip_equal(types, values), [](const auto &pair) {
             auto type = dyn_cast<RankedTensorType>(std::get<0>(pair));
             return type && type.getShape() == std::get<1>(pair).getType().getShape();
           });
  };
  if (!fits(entry->getArgumentTypes(), program.getArguments()) ||
      !fits(entry->getResultTypes(), program.getResults()))
    return entry->emitError("expected arguments and results as dmc.program says, found ")
           << entry->getFunctionType();
  return Subject{module, program, *entry};
}

FailureOr<std::string> tactics::getText(Operation *tactic, StringAttr text, Value param,
                                        transform::TransformState &state) {
  if (text)
    return text.str();
  if (!param)
    return std::string();
  std::string joined;
  for (Attribute attribute : state.getParams(param)) {
    auto string = dyn_cast<StringAttr>(attribute);
    if (!string)
      return tactic->emitError("expected a text as parameter, found ") << attribute;
    joined += (joined.empty() ? "" : ",") + string.str();
  }
  return joined;
}

/// The axes of an attribute or a parameter; null where there is neither.
static FailureOr<AxesAttr> readAxes(Operation *tactic, AxesAttr axes, Value param,
                                    transform::TransformState &state) {
  if (axes || !param)
    return axes;
  SmallVector<AxisAttr> list;
  for (Attribute attribute : state.getParams(param)) {
    if (auto several = dyn_cast<AxesAttr>(attribute)) {
      llvm::append_range(list, several);
    } else if (auto name = dyn_cast<StringAttr>(attribute)) {
      for (StringRef part : llvm::split(name.getValue(), ','))
        list.push_back(AxisAttr::get(tactic->getContext(), part.trim()));
    } else {
      return tactic->emitError("expected the name of an axis as parameter, found ") << attribute;
    }
  }
  return AxesAttr::get(tactic->getContext(), list);
}

FailureOr<SubjectOnAxes> tactics::getSubjectOnAxes(Operation *tactic, AxesAttr attribute,
                                                   Value param, transform::TransformState &state,
                                                   bool areOptional) {
  FailureOr<Subject> subject = getSubject(tactic, state);
  if (failed(subject))
    return failure();
  FailureOr<AxesAttr> axes = readAxes(tactic, attribute, param, state);
  if (failed(axes))
    return failure();
  MeshAttr mesh = subject->program.getMesh();
  if (!*axes ? !areOptional : axes->getAxes().empty())
    return tactic->emitError("expected axes of the mesh ")
           << toString(mesh.toMesh()) << ", found none";
  if (*axes && failed(verifyAxes([&]() { return tactic->emitError(); }, mesh, *axes)))
    return failure();
  return SubjectOnAxes{*subject, mesh, *axes};
}

std::vector<AxisRef> tactics::toAxisList(MeshAttr mesh, AxesAttr axes) {
  if (!axes)
    return {};
  return LayoutAttr::get(mesh, {axes}).toLayout().dims[0];
}

std::string tactics::toText(LayoutAttr layout) {
  std::string text;
  llvm::raw_string_ostream os(text);
  layout.printState(os);
  return text;
}

std::string tactics::toText(AxesAttr axes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '{';
  llvm::interleaveComma(axes, os, [&](AxisAttr axis) {
    os << '"' << axis.getName();
    if (!axis.isFullAxis())
      os << ":(" << axis.getPreSize() << ')' << axis.getSubSize();
    os << '"';
  });
  os << '}';
  return text;
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {
class TacticsExtension : public transform::TransformDialectExtension<TacticsExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TacticsExtension)

  void init() {
    declareDependentDialect<DMCDialect>();
    declareGeneratedDialect<DMCDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "dmc/Parallelize/Tactics/TransformOps.cpp.inc"
        >();
  }
};
} // namespace

void dmc::registerTactics(DialectRegistry &registry) {
  registry.insert<transform::TransformDialect>();
  registry.addExtensions<TacticsExtension>();
}
