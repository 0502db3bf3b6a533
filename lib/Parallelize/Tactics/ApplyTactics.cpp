//===- ApplyTactics.cpp - dmc-apply-tactics -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs files of tactics and strategies of the library.
//
//===----------------------------------------------------------------------===//
#include "Names.h"
#include "TransformOps.h"

#include "dmc/Parallelize/Tactics/Passes.h"
#include "dmc/Parallelize/Tactics/Tactics.h"

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#define DEBUG_TYPE "dmc-apply-tactics"

namespace dmc {
#define GEN_PASS_DEF_APPLYTACTICS
#include "dmc/Parallelize/Tactics/Passes.h.inc"
} // namespace dmc

using namespace mlir;
using namespace dmc;

namespace {
struct ApplyTactics : dmc::impl::ApplyTacticsBase<ApplyTactics> {
  using ApplyTacticsBase::ApplyTacticsBase;

  void runOnOperation() override;

private:
  OwningOpRef<ModuleOp> parse(std::unique_ptr<llvm::MemoryBuffer> buffer);
  LogicalResult addLibrary(ModuleOp script);
  LogicalResult applyScript(ModuleOp script, StringRef name);
  LogicalResult applyFile(const std::string &path);
  struct Call {
    std::string text;
    bool splitsWeights = false;
    bool isImproved = false;
  };
  FailureOr<Call> callStrategy(StringRef request, unsigned number);
  LogicalResult applyStrategies();
};
} // namespace

OwningOpRef<ModuleOp> ApplyTactics::parse(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  // Sequences of the library are not in it yet.
  return parseSourceFile<ModuleOp>(sources,
                                   ParserConfig(&getContext(), /*verifyAfterParse=*/false));
}

/// Adds the library's sequences that a script does not have itself.
LogicalResult ApplyTactics::addLibrary(ModuleOp script) {
  for (StringRef name : getStrategyNames()) {
    Operation *own = script.lookupSymbol(name);
    if (own && !own->getRegion(0).empty())
      continue;
    OwningOpRef<ModuleOp> library =
        parse(llvm::MemoryBuffer::getMemBuffer(getStrategyText(name), name));
    if (!library)
      return failure();
    if (own)
      own->erase();
    for (auto sequence : llvm::make_early_inc_range(library->getOps<transform::NamedSequenceOp>()))
      sequence->moveBefore(script.getBody(), script.getBody()->end());
  }
  return success();
}

LogicalResult ApplyTactics::applyScript(ModuleOp script, StringRef name) {
  Operation *entry =
      script.lookupSymbol(transform::TransformDialect::kTransformEntryPointSymbolName);
  if (!isa_and_present<transform::NamedSequenceOp>(entry))
    return script.emitError("expected a transform.named_sequence @__transform_main in ") << name;
  if (failed(addLibrary(script)) || failed(verify(script)))
    return failure();
  return transform::applyTransformNamedSequence(
      getOperation(), entry, /*transformModule=*/ModuleOp(),
      transform::TransformOptions().enableExpensiveChecks(false));
}

LogicalResult ApplyTactics::applyFile(const std::string &path) {
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &problem);
  if (!buffer)
    return getOperation().emitError() << problem;
  OwningOpRef<ModuleOp> script = parse(std::move(buffer));
  return success(script && succeeded(applyScript(*script, path)));
}

/// The call of a strategy written `NAME` or `NAME:parameter=value,...`.
FailureOr<ApplyTactics::Call> ApplyTactics::callStrategy(StringRef request, unsigned number) {
  ModuleOp module = getOperation();
  auto [name, settings] = request.split(':');
  StringRef text = getStrategyText(name);
  if (text.empty()) {
    InFlightDiagnostic error = module.emitError("expected one of the strategies ");
    llvm::interleaveComma(getStrategyNames(), error);
    error << ", found '" << name << "'" << tactics::suggestNearest(name, getStrategyNames());
    if (name.contains(','))
      error << "; each strategy of several has an option of its own";
    return error;
  }
  OwningOpRef<ModuleOp> library = parse(llvm::MemoryBuffer::getMemBuffer(text, name));
  if (!library)
    return failure();
  auto sequence = library->lookupSymbol<transform::NamedSequenceOp>(name);
  llvm::MapVector<StringRef, std::string> values;
  for (unsigned i = 1; i < sequence.getBody().getNumArguments(); ++i)
    values[sequence.getArgAttrOfType<StringAttr>(i, "dmc.parameter").getValue()] =
        sequence.getArgAttrOfType<StringAttr>(i, "dmc.default").str();
  SmallVector<StringRef> names;
  for (auto &value : values)
    names.push_back(value.first);

  // Of several names, the first may hold an equals sign; those behind it follow.
  std::string *last = nullptr;
  for (StringRef setting : llvm::split(settings, ',')) {
    if (setting.empty())
      continue;
    auto [key, value] = setting.split('=');
    if (!setting.contains('=') && last) {
      *last += "," + setting.str();
      continue;
    }
    if (!setting.contains('='))
      return module.emitError("expected PARAMETER=VALUE of strategy '")
             << name << "', found '" << setting << "'";
    auto known = values.find(key.trim());
    if (known == values.end()) {
      InFlightDiagnostic error = module.emitError("strategy '") << name << "' has the parameters ";
      llvm::interleaveComma(names, error);
      return error << ", found '" << key << "'";
    }
    known->second = value.trim().str();
    last = &known->second;
  }
  // A mesh of one axis leaves only one choice.
  ProgramAttr program = ProgramAttr::of(module);
  auto axis = values.find("axis");
  if (axis != values.end() && program.getMesh() && !settings.contains("axis=") &&
      !program.getMesh().find(axis->second) && program.getMesh().getAxes().size() == 1)
    axis->second = program.getMesh().getAxes().front().getName().str();

  std::string call, operands = "%program", types = "!transform.any_op";
  for (auto [i, value] : llvm::enumerate(values)) {
    std::string param = "%p" + std::to_string(number) + "_" + std::to_string(i);
    std::string quoted;
    llvm::raw_string_ostream os(quoted);
    os << '"';
    llvm::printEscapedString(value.second, os);
    os << '"';
    call += "    " + param + " = transform.param.constant " + quoted + " -> !transform.any_param\n";
    operands += ", " + param;
    types += ", !transform.any_param";
  }
  call += "    transform.include @" + name.str() + " failures(propagate) (" + operands + ") : (" +
          types + ") -> ()\n";
  return Call{call, sequence->hasAttr("dmc.splits_weights"), sequence->hasAttr("dmc.improved")};
}

LogicalResult ApplyTactics::applyStrategies() {
  // How weights are split is decided first: what else is split of them comes on top of it.
  // What is improved comes last, so that its axis is the minor end of the batch, from where it
  // moves by one all-to-all.
  std::string first, second, last;
  for (auto [number, request] : llvm::enumerate(strategies)) {
    FailureOr<Call> call = callStrategy(request, number);
    if (failed(call))
      return failure();
    (call->splitsWeights ? first : call->isImproved ? last : second) += call->text;
  }
  bool isImproved = !last.empty();
  second += last;
  if (!first.empty() && !second.empty())
    first += "    transform.dmc.propagate " + std::string(isImproved ? "" : "in_order ") +
             "%program : (!transform.any_op) -> ()\n";
  std::string text = "module attributes {transform.with_named_sequence} {\n"
                     "  transform.named_sequence @__transform_main(%program: !transform.any_op "
                     "{transform.readonly}) {\n" +
                     first + second + "    transform.yield\n  }\n}\n";
  LDBG() << "script of the strategies:\n" << text;
  OwningOpRef<ModuleOp> script = parse(llvm::MemoryBuffer::getMemBufferCopy(text, "strategies"));
  if (!script || failed(applyScript(*script, "strategies")))
    return failure();
  // dmc-propagate-layouts decides, after every propagation of the script for itself.
  ModuleOp module = getOperation();
  module->removeAttr("dmc.plain");
  if (!isImproved) {
    module->setAttr("dmc.plain", UnitAttr::get(&getContext()));
    module->setAttr("dmc.in_order", UnitAttr::get(&getContext()));
  }
  return success();
}

void ApplyTactics::runOnOperation() {
  ProgramAttr program = ProgramAttr::of(getOperation());
  if (program && program.getLevel() != Level::tensor)
    return;
  if (!machine.empty())
    getOperation()->setAttr("dmc.machine", StringAttr::get(&getContext(), machine));
  llvm::scope_exit restore([&]() { getOperation()->removeAttr("dmc.machine"); });
  for (const std::string &path : files)
    if (failed(applyFile(path)))
      return signalPassFailure();
  if (!strategies.empty() && failed(applyStrategies()))
    signalPassFailure();
}
