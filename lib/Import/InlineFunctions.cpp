//===- InlineFunctions.cpp - Inline private functions into the entry ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmc-inline-functions. Callees are completed before their callers, so that each
// call is one copy of a body without calls.
//
//===----------------------------------------------------------------------===//
#include "FrameworkAttributes.h"
#include "dmc/Import/Import.h"
#include "dmc/Import/Passes.h"
#include "dmc/Import/StableHLO/Dialect.h"
#include "dmc/Import/StableHLO/Sdy.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dmc {
#define GEN_PASS_DEF_INLINEFUNCTIONS
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

/// Names in one text: @a, @b and @c.
static std::string toText(ArrayRef<func::FuncOp> functions) {
  std::string text;
  for (size_t i = 0; i < functions.size(); ++i) {
    if (i > 0)
      text += i + 1 == functions.size() ? " and " : ", ";
    func::FuncOp function = functions[i];
    text += "@" + function.getSymName().str();
  }
  return text;
}

static SmallVector<func::FuncOp> getPublicFunctions(ModuleOp module) {
  return llvm::to_vector(llvm::make_filter_range(
      module.getOps<func::FuncOp>(), [](func::FuncOp function) { return function.isPublic(); }));
}

/// Makes the function of this name the only public one.
static LogicalResult chooseEntry(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> functions = getPublicFunctions(module);
  if (llvm::none_of(functions,
                    [&](func::FuncOp function) { return function.getSymName() == name; }))
    return module.emitError() << "expected a public function of the name '" << name
                              << "', which is given as the entry; found "
                              << (functions.empty() ? "none" : toText(functions));
  for (func::FuncOp function : functions)
    if (function.getSymName() != name)
      function.setPrivate();
  return success();
}

FailureOr<func::FuncOp> dmc::getEntry(ModuleOp module) {
  SmallVector<func::FuncOp> functions = getPublicFunctions(module);
  if (functions.size() > 1) {
    InFlightDiagnostic diag = functions[1].emitError()
                              << "unsupported: several public functions, " << toText(functions)
                              << "; expected one, or the name of the entry (--entry=NAME)";
    diag.attachNote(functions[0].getLoc()) << "the first one is here";
    return failure();
  }
  func::FuncOp entry = functions.empty() ? func::FuncOp() : functions.front();
  if (!entry)
    return module.emitError("expected a public function, the entry; found none");
  if (!entry.getBody().hasOneBlock())
    return entry.emitError() << "unsupported: the entry @" << entry.getSymName() << " has "
                             << entry.getBody().getBlocks().size()
                             << " blocks; expected a body of one";
  return entry;
}

namespace {
class Inliner {
public:
  explicit Inliner(ModuleOp module) : symbols(module) {}

  /// Inlines all calls of the function, first those of its callees.
  LogicalResult complete(func::FuncOp function) {
    state[function] = State::Active;
    SmallVector<std::pair<Operation *, StringRef>> calls;
    function.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        calls.push_back({op, call.getCallee()});
      else if (auto composite = dyn_cast<dmc::stablehlo::CompositeOp>(op))
        calls.push_back({op, composite.getDecomposition()});
    });
    for (auto [call, name] : calls) {
      auto callee = symbols.lookup<func::FuncOp>(name);
      if (!callee || callee.isDeclaration())
        return call->emitError() << "unsupported: '" << call->getName() << "' of @" << name
                                 << "; expected a function with a body in this module";
      if (state.lookup(callee) == State::Active) {
        InFlightDiagnostic diag = call->emitError()
                                  << "unsupported: recursion, @" << name << " calls itself";
        diag.attachNote(callee.getLoc()) << "@" << name << " is defined here";
        return diag;
      }
      if (!callee.getBody().hasOneBlock())
        return call->emitError() << "unsupported: the callee @" << name << " has "
                                 << callee.getBody().getBlocks().size() << " blocks; expected one";
      if (state.lookup(callee) == State::New &&
          (failed(dmc::checkFunctionAttributes(callee)) || failed(complete(callee))))
        return failure();
      if (failed(inlineCall(call, callee)))
        return failure();
    }
    state[function] = State::Done;
    return success();
  }

private:
  enum class State { New, Active, Done };

  static LogicalResult inlineCall(Operation *call, func::FuncOp callee) {
    if (call->getOperandTypes() != callee.getArgumentTypes() ||
        call->getResultTypes() != callee.getResultTypes())
      return call->emitError() << "expected a call of @" << callee.getSymName() << " with type "
                               << callee.getFunctionType();
    OpBuilder builder(call);
    // Shardings of the callee's arguments and results, and of the call.
    auto constrain = [&](Value value, Attribute attr) -> Value {
      auto sharding = dyn_cast_or_null<dmc::sdy::TensorShardingAttr>(attr);
      if (!sharding || !isa<RankedTensorType>(value.getType()))
        return value;
      return dmc::sdy::ShardingConstraintOp::create(builder, call->getLoc(), value.getType(), value,
                                                    sharding);
    };
    StringRef key = dmc::sdy::kShardingAttrName;
    auto ofCall = call->getAttrOfType<dmc::sdy::TensorShardingPerValueAttr>(key);
    IRMapping mapping;
    Block &body = callee.getBody().front();
    for (auto [i, argument, operand] : llvm::enumerate(body.getArguments(), call->getOperands()))
      mapping.map(argument, constrain(operand, callee.getArgAttr(i, key)));
    for (Operation &op : body.without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      copy->walk([&](Operation *nested) {
        nested->setLoc(CallSiteLoc::get(nested->getLoc(), call->getLoc()));
      });
    }
    for (auto [i, result, value] :
         llvm::enumerate(call->getResults(), body.getTerminator()->getOperands())) {
      Value copy = constrain(mapping.lookupOrDefault(value), callee.getResultAttr(i, key));
      if (ofCall && i < ofCall.getShardings().size())
        copy = constrain(copy, ofCall.getShardings()[i]);
      result.replaceAllUsesWith(copy);
    }
    call->erase();
    return success();
  }

  SymbolTable symbols;
  llvm::DenseMap<Operation *, State> state;
};

struct InlineFunctions : dmc::impl::InlineFunctionsBase<InlineFunctions> {
  using InlineFunctionsBase::InlineFunctionsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!entryName.empty() && failed(chooseEntry(module, entryName)))
      return signalPassFailure();
    // Later levels have private functions of their own: the kernels.
    dmc::ProgramAttr program = dmc::ProgramAttr::of(module);
    if (program && program.getLevel() != dmc::Level::tensor)
      return markAllAnalysesPreserved();
    FailureOr<func::FuncOp> entry = dmc::getEntry(module);
    if (failed(entry) || failed(Inliner(module).complete(*entry)))
      return signalPassFailure();
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function != *entry)
        function.erase();
  }
};
} // namespace
