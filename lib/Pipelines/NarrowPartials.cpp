//===- NarrowPartials.cpp - What narrow partial sums would save -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan decides layouts and the precision of partial sums together, so that only a second
// plan tells what the other setting would send.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/NarrowPartials.h"

#include "dmc/Dialect/Comm/Volume.h"
#include "dmc/Pipelines/Stages.h"

#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace dmc;

/// True if the program has floats narrower than what contractions accumulate in: 32 bits at
/// least, and 64 beside f64.
static bool hasNarrowFloats(ModuleOp module) {
  unsigned least = 64, most = 0;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type))) {
        least = std::min(least, element.getWidth());
        most = std::max(most, element.getWidth());
      }
  });
  return least < std::max(32u, most);
}

static bool hasPermission(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return op->hasAttr("dmc.narrow_partials") ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<double> dmc::planWireBytesOtherwise(ModuleOp module, ImportOptions import,
                                                  ParallelizeOptions parallelize,
                                                  int64_t bucketBytes,
                                                  const std::atomic<bool> *interrupt) {
  if (ProgramAttr::of(module) || !hasNarrowFloats(module))
    return std::nullopt;
  // What there is to say was said of the plan itself.
  ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
  parallelize.savePlan.clear();
  parallelize.search = PlanSearch();
  parallelize.record = nullptr;
  bool isPermitted = std::exchange(import.narrowPartials, true);
  OwningOpRef<ModuleOp> other = module.clone();
  Stages importing(Target::Tensor, import);
  importing.interrupt = interrupt;
  if (failed(importing.run(*other)) || !hasPermission(*other))
    return std::nullopt;
  import.narrowPartials = !isPermitted;
  if (isPermitted)
    other = module.clone();
  else // It is imported.
    import = ImportOptions();
  Stages stages(Target::Ranks, import, /*observer=*/nullptr, parallelize);
  stages.bucketBytes = bucketBytes;
  stages.interrupt = interrupt;
  if (failed(stages.run(*other)))
    return std::nullopt;
  return comm::getWireBytes(*other);
}
