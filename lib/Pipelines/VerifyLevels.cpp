//===- VerifyLevels.cpp - A level's verifier after every pass -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/VerifyLevels.h"

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Import/Verify.h"
#include "dmc/Parallelize/Verify.h"
#include "dmc/Ranks/Verify.h"
#include "dmc/Schedule/Verify.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

/// Upstream's verifiers let negative dimensions pass, which nothing expects.
static LogicalResult verifyReshapes(ModuleOp module) {
  auto check = [](auto op, RankedTensorType expanded) -> LogicalResult {
    int64_t next = 0;
    for (const ReassociationIndices &group : op.getReassociationIndices())
      for (int64_t dim : group)
        if (dim != next++)
          return op.emitOpError("expected dimension ")
                 << next - 1 << " of " << expanded << " in reassociation, found " << dim;
    return success();
  };
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      return check(collapse, collapse.getSrcType());
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return check(expand, expand.getResultType());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult dmc::verifyLevel(ModuleOp module) {
  ProgramAttr program = ProgramAttr::of(module);
  if (!program)
    return success();
  if (failed(verifyReshapes(module)))
    return failure();
  switch (program.getLevel()) {
  case Level::tensor:
    return verifyTensor(module);
  case Level::parallel:
    return verifyParallel(module);
  case Level::ranks:
    return verifyRanks(module);
  case Level::scheduled:
    return verifySchedule(module);
  }
  return success();
}

namespace {
class VerifyLevels : public PassInstrumentation {
public:
  explicit VerifyLevels(std::shared_ptr<std::atomic<bool>> failed) : failed(std::move(failed)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    numImportPasses += isImportPass(pass, op);
  }

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    numImportPasses -= isImportPass(pass, op);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    bool isWithinImport = numImportPasses > 0;
    numImportPasses -= isImportPass(pass, op);
    auto module = dyn_cast<ModuleOp>(op);
    // The first violation is the one to look at.
    if (!module || *failed || pass->getArgument().empty() || isWithinImport)
      return;
    if (succeeded(dmc::verifyLevel(module)))
      return;
    *failed = true;
    emitRemark(module.getLoc()) << "found after pass '" << pass->getArgument() << "'";
  }

private:
  static bool isImportPass(Pass *pass, Operation *op) {
    return isa<ModuleOp>(op) && dmc::isWithinImport(pass->getArgument());
  }

  std::shared_ptr<std::atomic<bool>> failed;
  /// Passes of import that run now: the program is incomplete after upstream's passes that
  /// these run as well.
  std::atomic<int> numImportPasses{0};
};
} // namespace

std::unique_ptr<PassInstrumentation>
dmc::createVerifyLevelsInstrumentation(std::shared_ptr<std::atomic<bool>> failed) {
  return std::make_unique<VerifyLevels>(std::move(failed));
}
