//===- InlineFunctions.cpp - Inline private functions into the entry ------===//
//
// dmc-inline-functions. Callees are completed before their callers, so that each
// call is one copy of a body without calls.
//
//===----------------------------------------------------------------------===//
#include "dmc/Import/Import.h"
#include "dmc/Import/Passes.h"
#include "dmc/Import/StableHLO/Dialect.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dmc {
#define GEN_PASS_DEF_INLINEFUNCTIONS
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

FailureOr<func::FuncOp> dmc::getEntry(ModuleOp module) {
  func::FuncOp entry;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    if (entry) {
      InFlightDiagnostic diag = function.emitError()
                                << "expected one public function, the entry; found @"
                                << entry.getSymName() << " and @" << function.getSymName();
      diag.attachNote(entry.getLoc()) << "the first one is here";
      return failure();
    }
    entry = function;
  }
  if (!entry)
    return module.emitError("expected a public function, the entry; found none");
  if (!entry.getBody().hasOneBlock())
    return entry.emitError() << "expected the entry @" << entry.getSymName()
                             << " to have a body of one block";
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
        return call->emitError() << "expected the callee @" << name
                                 << " to be a function with a body in this module";
      if (state.lookup(callee) == State::Active) {
        InFlightDiagnostic diag = call->emitError()
                                  << "unsupported: recursion, @" << name << " calls itself";
        diag.attachNote(callee.getLoc()) << "@" << name << " is defined here";
        return diag;
      }
      if (!callee.getBody().hasOneBlock())
        return call->emitError() << "unsupported: the callee @" << name << " has "
                                 << callee.getBody().getBlocks().size() << " blocks; expected one";
      if (state.lookup(callee) == State::New && failed(complete(callee)))
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
    IRMapping mapping;
    Block &body = callee.getBody().front();
    mapping.map(body.getArguments(), call->getOperands());
    for (Operation &op : body.without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      copy->walk([&](Operation *nested) {
        nested->setLoc(CallSiteLoc::get(nested->getLoc(), call->getLoc()));
      });
    }
    for (auto [result, value] : llvm::zip(call->getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call->erase();
    return success();
  }

  SymbolTable symbols;
  llvm::DenseMap<Operation *, State> state;
};

struct InlineFunctions : dmc::impl::InlineFunctionsBase<InlineFunctions> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
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
