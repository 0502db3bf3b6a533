//===- NormalizeTensors.cpp - One form of what level 0 can say ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dmc-normalize-tensors: the walk, and what level 0 has no form for.
//
//===----------------------------------------------------------------------===//
#include "LevelZero.h"
#include "Normalize.h"
#include "dmc/Import/Import.h"
#include "dmc/Import/Passes.h"
#include "dmc/Import/StableHLO/Dialect.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace dmc {
#define GEN_PASS_DEF_NORMALIZETENSORS
#include "dmc/Import/Passes.h.inc"
} // namespace dmc

static const dmc::Normalizations &getNormalizations() {
  static const dmc::Normalizations table = [] {
    dmc::Normalizations table;
    dmc::registerBodyNormalizations(table);
    dmc::registerControlNormalizations(table);
    dmc::registerLinalgNormalizations(table);
    dmc::registerScalarNormalizations(table);
    dmc::registerTensorNormalizations(table);
    return table;
  }();
  return table;
}

/// Operations that are checked where they are converted.
static bool isOwnDialect(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "stablehlo" || dialect == "chlo" || dialect == "sdy" || dialect == "dmc" ||
         dialect == "comm";
}

static bool hasDynamicShapes(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
}

static LogicalResult check(Operation *op) {
  if (isOwnDialect(op))
    return success();
  if (failed(dmc::checkHasForm(op)))
    return failure();
  for (Type type : op->getResultTypes())
    if (failed(dmc::checkType(op, type)))
      return failure();
  return success();
}

namespace {
struct NormalizeTensors : dmc::impl::NormalizeTensorsBase<NormalizeTensors> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    dmc::ProgramAttr program = dmc::ProgramAttr::of(module);
    if (program && program.getLevel() != dmc::Level::tensor)
      return markAllAnalysesPreserved();
    FailureOr<func::FuncOp> entry = dmc::getEntry(module);
    if (failed(entry))
      return signalPassFailure();

    // Other compilers leave casts to sizes that they do not know.
    bool isDynamic = false;
    entry->walk([&](Operation *op) { isDynamic |= hasDynamicShapes(op); });
    if (isDynamic) {
      OpPassManager pm(ModuleOp::getOperationName());
      pm.addPass(createCanonicalizerPass());
      if (failed(runPipeline(pm, module)))
        return signalPassFailure();
    }

    // Bodies last: other operations become bodies.
    IRRewriter rewriter(&getContext());
    for (bool isBodies : {false, true}) {
      if (isBodies)
        dmc::tensorizeFloats(rewriter, *entry);
      SmallVector<std::pair<Operation *, dmc::Normalization>> work;
      entry->walk([&](Operation *op) {
        if (isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(op) != isBodies)
          return;
        if (dmc::Normalization normalize = getNormalizations().lookup(op->getName().getStringRef()))
          work.push_back({op, normalize});
      });
      for (auto [op, normalize] : work) {
        rewriter.setInsertionPoint(op);
        if (failed(normalize(rewriter, op)))
          return signalPassFailure();
      }
    }
    WalkResult checked = entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
      return op == entry->getOperation() ? WalkResult::advance() : WalkResult(check(op));
    });
    if (checked.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
