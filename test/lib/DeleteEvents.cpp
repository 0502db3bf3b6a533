//===- DeleteEvents.cpp - Schedules that lack an event --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass for dmc-opt that leaves out each event of a schedule once, and says
// for which of them dmc-verify-schedule reports nothing.
//
//===----------------------------------------------------------------------===//
#include "DeleteEvents.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {
class DeleteEvents : public PassWrapper<DeleteEvents, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DeleteEvents)
  StringRef getArgument() const final { return "dmc-test-delete-events"; }
  StringRef getDescription() const final { return "checks that no event can be left out"; }

  void runOnOperation() final {
    SmallVector<Operation *> awaits;
    getOperation().walk([&](Operation *op) {
      if (op->getName().getStringRef() == "comm.await")
        awaits.push_back(op);
    });
    unsigned needed = 0;
    for (Operation *await : awaits) {
      Operation *next = await->getNextNode();
      await->remove();
      if (isAccepted())
        await->emitRemark("can be left out");
      else
        ++needed;
      next->getBlock()->getOperations().insert(next->getIterator(), await);
    }
    emitRemark(getOperation().getLoc())
        << needed << " of " << awaits.size() << " events are needed";
  }

private:
  bool isAccepted() {
    OpPassManager pipeline(ModuleOp::getOperationName());
    if (failed(parsePassPipeline("dmc-verify-schedule", pipeline)))
      return true;
    // What is reported is asked for.
    ScopedDiagnosticHandler silent(&getContext(), [](Diagnostic &) { return success(); });
    return succeeded(runPipeline(pipeline, getOperation()));
  }
};
} // namespace

void dmc::test::registerDeleteEvents() { PassRegistration<DeleteEvents>(); }
