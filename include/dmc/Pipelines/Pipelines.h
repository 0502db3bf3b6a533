//===- Pipelines.h - From level to level ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The named pipelines between levels: the only place that knows the order of
// passes.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_PIPELINES_PIPELINES_H
#define DMC_PIPELINES_PIPELINES_H

#include "dmc/Parallelize/PlanSearch.h"

#include "mlir/Pass/PassManager.h"

#include <string>
#include <vector>

namespace dmc {
struct LayoutRecord;
struct MemoryUse;

/// What the boundary of a program is given, where the file does not say it or
/// is overridden.
struct ImportOptions {
  /// Axis sizes as `data=4,model=2`; empty: those of the file; `auto:64`, for Stages alone: the
  /// mesh of so many ranks with the plan of least predicted time.
  std::string mesh;
  /// A JSON file of layouts by case, and the case to take; empty: none.
  std::string layoutsFile;
  std::string layoutsCase;
  /// How many ranks run a program of ranks that does not say it; 0: not given.
  int64_t ranks = 0;
  /// Permits partial sums of contractions to be rounded to the result's type before they are
  /// added across ranks.
  bool narrowPartials = false;
  /// The public function that is the program; empty: the only one.
  std::string entry = {};
  /// Kernels that the session is given, by name, or `name=rule`, as `dmc-apply-rules` takes them.
  std::vector<std::string> kernels = {};
  /// The program says what its arguments are (`dmc.program`): that stays, but for layouts.
  bool hasInterface = false;
};

/// How layouts are decided.
struct ParallelizeOptions {
  /// Rates of a rank, as `dmc-propagate-layouts` takes them; empty: its own.
  std::string machine;
  /// Filled with what was decided and why, if not null.
  LayoutRecord *record = nullptr;
  /// How the plan is searched, and what is told of it.
  PlanSearch search;
  /// Files of tactics, and strategies of the library (`zero1:axis=data`).
  std::vector<std::string> tactics, strategies;
  /// Where to write what was decided, as a tactic; empty: nowhere.
  std::string savePlan;

  /// True if anything is asked of decisions, or of what comes of them.
  bool hasRequests() const {
    return !tactics.empty() || !strategies.empty() || !savePlan.empty() || search.isAsked();
  }
};

/// What kernels are made for.
struct KernelOptions {
  /// The processor, as `dmc-set-target` takes it.
  std::string cpu;
  /// As in ParallelizeOptions.
  std::string machine;
  /// Bytes that a rank has; 0: no bound.
  int64_t capacity = 0;
  /// The device, as `dmc-set-target` takes it; empty: a processor.
  std::string target = {};
};

/// StableHLO or linalg text to level 0.
void buildImportPipeline(mlir::OpPassManager &pm, const ImportOptions &options = {});
/// Level 0 to level 1: layouts decided, moves explicit.
void buildParallelizePipeline(mlir::OpPassManager &pm, const ParallelizeOptions &options = {});
/// Level 1 to level 2: collectives, local shapes. Small collectives become one of at
/// most so many bytes, 0: none. `machine` as in ParallelizeOptions.
void buildToRanksPipeline(mlir::OpPassManager &pm, int64_t bucketBytes = 0,
                          const std::string &machine = {});
/// Level 2 to level 3: kernels, buffers.
void buildSchedulePipeline(mlir::OpPassManager &pm, const KernelOptions &options = {});
/// From decisions at level 0 (`dmc.layouts`) to what the buffers of the program hold that comes of
/// them, in `use`; contracts that it breaks end it early. The program is of no use afterwards.
void buildMeasurePipeline(mlir::OpPassManager &pm, const ParallelizeOptions &parallelize,
                          int64_t bucketBytes, const KernelOptions &kernels, MemoryUse &use);
/// Level 3 to loop nests in its kernels.
void buildKernelPipeline(mlir::OpPassManager &pm, const KernelOptions &options = {});
/// Level 3 to kernels for a device.
void buildDevicePipeline(mlir::OpPassManager &pm, const KernelOptions &options = {});
/// Level 3 to the LLVM dialect.
void buildCodegenPipeline(mlir::OpPassManager &pm, const KernelOptions &options = {});

/// Makes `dmc-import`, `dmc-parallelize`, ... known to `--pass-pipeline`.
void registerPipelines();

} // namespace dmc

#endif // DMC_PIPELINES_PIPELINES_H
