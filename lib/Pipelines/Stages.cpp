//===- Stages.cpp - The stages of a compilation ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/Stages.h"

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Import/Passes.h"
#include "dmc/Machine/Machine.h"
#include "dmc/Pipelines/ParseProgram.h"
#include "dmc/Pipelines/VerifyLevels.h"

#include "ChooseMesh.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Debug.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#define DEBUG_TYPE "dmc-stages"

using namespace mlir;
using namespace dmc;

/// For LLVM_DEBUG.
[[maybe_unused]] static size_t countOps(ModuleOp module) {
  size_t count = 0;
  module.walk([&](Operation *) { ++count; });
  return count;
}

/// Measures a stage and tells the observer.
class Stages::Watch {
public:
  Watch(const char *stage, double &milliseconds, StageObserver *observer)
      : milliseconds(milliseconds), observer(observer) {
    if (observer)
      observer->begin(stage);
  }
  ~Watch() {
    milliseconds += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (observer)
      observer->end();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &milliseconds;
  StageObserver *observer;
  Clock::time_point start = Clock::now();
};

/// Runs the passes; once `interrupt` is true, those that have not begun are left out.
static LogicalResult runPasses(PassManager &pm, ModuleOp module,
                               const std::atomic<bool> *interrupt) {
  if (!interrupt)
    return pm.run(module);
  MLIRContext *context = module.getContext();
  context->registerActionHandler(
      [interrupt](llvm::function_ref<void()> execute, const tracing::Action &action) {
        // A pass that runs passes itself relies on what they do.
        static thread_local unsigned depth = 0;
        bool isPass = isa<mlir::PassExecutionAction>(action);
        if (isPass && depth == 0 && *interrupt)
          return;
        depth += isPass;
        execute();
        depth -= isPass;
      });
  LogicalResult done = pm.run(module);
  context->registerActionHandler(nullptr);
  return success(succeeded(done) && !*interrupt);
}

OwningOpRef<ModuleOp> Stages::parse(llvm::SourceMgr &sources, MLIRContext &context) {
  if (isInterrupted())
    return {};
  Watch watch("parse", times.import, observer);
  return parseProgram(sources, context);
}

LogicalResult Stages::runStage(ModuleOp module, const char *name, double &milliseconds,
                               llvm::function_ref<void(OpPassManager &)> build, bool isLast) {
  if (isInterrupted())
    return failure();
  Watch watch(name, milliseconds, observer);
  PassManager pm(module.getContext());
  pm.enableVerifier(verifyEach);
  auto levelFailed = std::make_shared<std::atomic<bool>>(false);
  if (verifyEach)
    pm.addInstrumentation(createVerifyLevelsInstrumentation(levelFailed));
  if (configure && failed(configure(pm, name)))
    return failure();
  build(pm);
  LLVM_DEBUG({
    llvm::dbgs() << DEBUG_TYPE << ": " << name << " of " << countOps(module) << " operations: ";
    pm.printAsTextualPipeline(llvm::dbgs());
    llvm::dbgs() << "\n";
  });
  if (failed(runPasses(pm, module, interrupt)) || *levelFailed)
    return failure();
#ifdef NDEBUG
  constexpr bool verifiesAll = false;
#else
  constexpr bool verifiesAll = true;
#endif
  if (verifyEach || !(isLast || verifiesAll) ||
      (succeeded(verify(module)) && succeeded(verifyLevel(module))))
    return success();
  return emitRemark(module.getLoc())
         << "found after stage '" << name << "'; --verify-each tells after which pass";
}

LogicalResult Stages::inlineFunctions(ModuleOp module) {
  return runStage(module, "import", times.import,
                  [&](OpPassManager &pm) { pm.addPass(createInlineFunctions({import.entry})); });
}

KernelOptions Stages::getKernels() const {
  std::string error;
  std::optional<Machine> machine = parseMachine(parallelize.machine, error);
  bool isBounded = machine && machine->device.capacityBytes < 9e18;
  return {targetCpu, parallelize.machine,
          isBounded ? static_cast<int64_t>(machine->device.capacityBytes) : 0, targetDevice};
}

LogicalResult Stages::run(ModuleOp module) {
  ProgramAttr program = ProgramAttr::of(module);
  bool hasMeshOptions =
      !import.mesh.empty() || !import.layoutsFile.empty() || !import.layoutsCase.empty();
  // -1: not imported yet.
  int level = program ? static_cast<int>(program.getLevel()) : -1;
  if (level > static_cast<int>(Level::tensor) && hasMeshOptions)
    return module.emitError("the program is at level '")
           << stringifyLevel(program.getLevel())
           << "' already: its mesh and layouts cannot be chosen any more";
  if (program && import.narrowPartials)
    return module.emitError("the program is at level '")
           << stringifyLevel(program.getLevel())
           << "' already: its operations say which partial sums may be narrow "
              "(dmc.narrow_partials), --narrow-partials cannot";
  if (level > static_cast<int>(target))
    return module.emitError("the program is at level '")
           << stringifyLevel(program.getLevel()) << "', which is beyond what --emit asks for";
  if (program && failed(verifyLevel(module)))
    return failure();
  auto importProgram = [&] {
    import.hasInterface = level >= 0;
    return runStage(module, "import", times.import,
                    [&](OpPassManager &pm) { buildImportPipeline(pm, import); });
  };
  if (observer && !parallelize.search.onProgress)
    parallelize.search.onProgress = [observer = observer](const PlanProgress &now) {
      observer->onPlan(now);
    };
  // A search is one pass: it ends early, and then the stage.
  if (!parallelize.search.interrupt)
    parallelize.search.interrupt = interrupt;
  std::string problem;
  if (std::optional<int64_t> numRanks = parseAutoMesh(import.mesh, problem)) {
    if (parallelize.search.check)
      return module.emitError("expected the mesh that --mesh=auto:")
             << *numRanks << " chose, and --strategy=auto where nothing else decides: a check "
             << "searches nothing";
    if (!import.layoutsFile.empty())
      return module.emitError("expected no --layouts with --mesh=auto:")
             << *numRanks << ": they name axes of a mesh";
    import.mesh.clear();
    if (level < 0 && failed(importProgram()))
      return failure();
    // What else was asked of the import is done.
    import = ImportOptions();
    level = static_cast<int>(ProgramAttr::of(module).getLevel());
    if (level > static_cast<int>(Level::tensor))
      return module.emitError("expected a program whose layouts can be chosen for --mesh=auto:")
             << *numRanks << ", found one at level '"
             << stringifyLevel(ProgramAttr::of(module).getLevel()) << "'";
    Watch watch("mesh", times.parallelize, observer);
    if (failed(chooseMesh(module, *numRanks)))
      return failure();
  }
  if (!problem.empty())
    return module.emitError(problem);
  if (level < 0 || (level == 0 && hasMeshOptions)) {
    if (failed(importProgram()))
      return failure();
    // Programs of ranks begin there.
    level = static_cast<int>(ProgramAttr::of(module).getLevel());
  }
  if (level > static_cast<int>(Level::tensor) && parallelize.hasRequests())
    return module.emitError("the program is at level '")
           << stringifyLevel(ProgramAttr::of(module).getLevel())
           << "' already: how it is parallelized cannot be chosen any more";
  struct {
    Target result;
    const char *name;
    double &milliseconds;
    std::function<void(OpPassManager &)> build;
  } stages[] = {
      {Target::Parallel, "parallelize", times.parallelize,
       [&](OpPassManager &pm) { buildParallelizePipeline(pm, parallelize); }},
      {Target::Ranks, "ranks", times.ranks,
       [&](OpPassManager &pm) { buildToRanksPipeline(pm, bucketBytes, parallelize.machine); }},
      {Target::Scheduled, "schedule", times.schedule,
       [&](OpPassManager &pm) { buildSchedulePipeline(pm, getKernels()); }},
      {std::clamp(target, Target::Kernels, Target::LLVM), "codegen", times.codegen,
       [&](OpPassManager &pm) {
         auto *build = target == Target::Kernels  ? buildKernelPipeline
                       : target == Target::Device ? buildDevicePipeline
                                                  : buildCodegenPipeline;
         build(pm, getKernels());
       }},
  };
  auto runAll = [&] {
    for (auto &stage : stages) {
      if (target < stage.result)
        break;
      if (level >= static_cast<int>(stage.result))
        continue;
      bool isLast = &stage == std::end(stages) - 1 || target < (&stage + 1)->result;
      if (failed(runStage(module, stage.name, stage.milliseconds, stage.build, isLast)))
        return failure();
    }
    return success();
  };
  if (level == static_cast<int>(Level::tensor) && target >= Target::Parallel &&
      getKernels().capacity > 0)
    measureMemory(*module.getContext());
  LogicalResult done = runAll();
  parallelize.search.measure = nullptr;
  parallelize.search.conflict = nullptr;
  return done;
}

Stages Stages::makeTrial(Target target, ImportOptions import) const {
  ParallelizeOptions asked = parallelize;
  asked.record = nullptr;
  asked.savePlan.clear();
  asked.search.problemFile.clear();
  asked.search.certificateFile.clear();
  asked.search.summary = nullptr;
  asked.search.conflict = nullptr;
  Stages trial(target, std::move(import), /*observer=*/nullptr, std::move(asked));
  trial.bucketBytes = bucketBytes;
  trial.targetCpu = targetCpu;
  trial.targetDevice = targetDevice;
  trial.interrupt = interrupt;
  return trial;
}

/// Whether a plan fits is known once its buffers have their places: whoever chooses layouts can
/// have that found out.
void Stages::measureMemory(MLIRContext &context) {
  parallelize.search.conflict = &memoryConflict;
  // Dialects cannot be loaded while passes run.
  MemoryUse unused;
  PassManager passes(&context);
  buildMeasurePipeline(passes, parallelize, bucketBytes, getKernels(), unused);
  DialectRegistry registry;
  passes.getDependentDialects(registry);
  context.appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context.getOrLoadDialect(name);

  parallelize.search.measure = [this](ModuleOp module) -> std::optional<MemoryUse> {
    // What is wrong with a program is said where it is made.
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
    MemoryUse use;
    PassManager pm(module.getContext());
    pm.enableVerifier(false);
    buildMeasurePipeline(pm, parallelize, bucketBytes, getKernels(), use);
    return succeeded(pm.run(module)) ? std::optional(std::move(use)) : std::nullopt;
  };
}

LogicalResult Stages::writeLibrary(ModuleOp module, llvm::StringRef path,
                                   const SharedLibraryOptions &options) {
  if (isInterrupted())
    return failure();
  Watch watch("codegen", times.codegen, observer);
  return writeSharedLibrary(module, path, options);
}
