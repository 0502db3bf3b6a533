//===- Stages.h - The stages of a compilation -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which stages a program still needs, and how long each takes.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PIPELINES_STAGES_H
#define DMC_PIPELINES_STAGES_H

#include "dmc/Codegen/SharedLibrary.h"
#include "dmc/Pipelines/Pipelines.h"
#include "dmc/Runtime/Report.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/SourceMgr.h"

#include <atomic>
#include <functional>

namespace dmc {

/// What to produce; the levels in order. `Kernels`: level 3 with loops in its kernels. `Device`:
/// with kernels for a device beside it.
enum class Target { Tensor, Parallel, Ranks, Scheduled, Kernels, Device, LLVM, Library };

/// Is told what is being done, which may take long.
class StageObserver {
public:
  virtual ~StageObserver() = default;
  /// `stage` is a string literal.
  virtual void begin(const char *stage) = 0;
  virtual void end() = 0;
  /// How far the search for a plan is, after each of its iterations.
  virtual void onPlan(const PlanProgress &) {}
};

class Stages {
public:
  Stages(Target target, ImportOptions import = {}, StageObserver *observer = nullptr,
         ParallelizeOptions parallelize = {})
      : target(target), import(std::move(import)), parallelize(std::move(parallelize)),
        observer(observer) {}

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::SourceMgr &sources, mlir::MLIRContext &context);
  /// Leaves the entry alone, without calls: the first step of import.
  mlir::LogicalResult inlineFunctions(mlir::ModuleOp module);
  /// From the module's own level to the target's, each checked by its verifier.
  mlir::LogicalResult run(mlir::ModuleOp module);
  mlir::LogicalResult writeLibrary(mlir::ModuleOp module, llvm::StringRef path,
                                   const SharedLibraryOptions &options = {});

  /// The processor to make kernels for, as LLVM names it; empty: the program's, else this
  /// machine's.
  std::string targetCpu;
  /// The device to make kernels for, as `cuda:sm_90a`; empty: the program's, or a processor.
  std::string targetDevice;
  /// Small collectives become one of at most so many bytes; 0: none.
  int64_t bucketBytes = 0;
  /// Verifies after every pass, not only after every stage: a verifier goes through the whole
  /// program, which takes most passes longer than their own work.
  bool verifyEach = false;
  /// Gives each stage's pass manager what a tool's options ask for; may be empty.
  std::function<mlir::LogicalResult(mlir::PassManager &pm, llvm::StringRef stage)> configure;
  /// Ends a stage as failed, without a diagnostic, after the pass during which it becomes true; may
  /// be null.
  const std::atomic<bool> *interrupt = nullptr;
  /// What the stages took; adds up over calls.
  runtime::CompileTimes times;

private:
  class Watch;
  KernelOptions getKernels() const;
  /// The same asked of the layouts, of which nothing is written or told.
  Stages makeTrial(Target target, ImportOptions import) const;
  void measureMemory(mlir::MLIRContext &context);
  /// Sets the mesh of a program without one, and how its layouts are decided if nothing says it.
  mlir::LogicalResult chooseMesh(mlir::ModuleOp module, int64_t numRanks);
  bool isInterrupted() const { return interrupt && *interrupt; }
  /// Of the last search for a plan that fits.
  std::optional<MemoryConflict> memoryConflict;
  /// Verifies the module afterwards, if no stage follows that does; with assertions always.
  mlir::LogicalResult runStage(mlir::ModuleOp module, const char *name, double &milliseconds,
                               llvm::function_ref<void(mlir::OpPassManager &)> build,
                               bool isLast = true);

  Target target;
  ImportOptions import;
  ParallelizeOptions parallelize;
  StageObserver *observer;
};

} // namespace dmc

#endif // DMC_PIPELINES_STAGES_H
