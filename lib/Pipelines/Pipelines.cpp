//===- Pipelines.cpp - The order of passes --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From level to level. Upstream's canonicalizer runs on levels 0 and 2 only:
// on layouts it drops or mixes encodings.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/Pipelines.h"

#include "dmc/Codegen/CacheSizes.h"
#include "dmc/Codegen/Passes.h"
#include "dmc/Fusion/Passes.h"
#include "dmc/Import/Passes.h"
#include "dmc/Parallelize/LayoutRecord.h"
#include "dmc/Parallelize/Passes.h"
#include "dmc/Parallelize/Tactics/Passes.h"
#include "dmc/Ranks/Passes.h"
#include "dmc/Schedule/Passes.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace dmc;

void dmc::buildImportPipeline(OpPassManager &pm, const ImportOptions &options) {
  pm.addPass(createInlineFunctions({options.entry}));
  ApplyRulesOptions rules;
  rules.kernels.assign(options.kernels.begin(), options.kernels.end());
  pm.addPass(createApplyRules(rules));
  pm.addPass(createSplitComplex());
  pm.addPass(createTensorizeBoundary());
  ImportProgramOptions program;
  program.ranks = options.ranks;
  pm.addPass(createImportProgram(program));
  if (!options.mesh.empty() || !options.layoutsFile.empty() || !options.layoutsCase.empty()) {
    ApplyLayoutsOptions apply;
    apply.mesh = options.mesh;
    apply.layoutsFile = options.layoutsFile;
    apply.layoutsCase = options.layoutsCase;
    pm.addPass(createApplyLayouts(apply));
  }
  pm.addPass(createConvertTosa());
  pm.addPass(createNormalizeTensors());
  ConvertStableHLOOptions convert;
  convert.narrowPartials = options.narrowPartials;
  pm.addPass(createConvertStableHLO(convert));
  pm.addPass(createFoldEmptyTensors());
  pm.addPass(createSimplifyLoops());
  if (!options.hasInterface)
    pm.addPass(createBoundIndices());
  pm.addPass(createCSEPass());
}

/// From decisions to level 1.
static void addMoves(OpPassManager &pm, const ParallelizeOptions &options) {
  pm.addPass(createSplitWindows());
  MaterializeMovesOptions materialize;
  materialize.machine = options.machine;
  pm.addPass(createMaterializeMoves(materialize));
  ExpandReshardsOptions expand;
  expand.machine = options.machine;
  pm.addPass(createExpandReshards(expand));
  pm.addPass(createSimplifyMoves());
  HoistMovesOptions hoist;
  hoist.machine = options.machine;
  pm.addPass(createHoistMoves(hoist));
}

void dmc::buildParallelizePipeline(OpPassManager &pm, const ParallelizeOptions &options) {
  pm.addPass(createCopyCheapValues());
  if (!options.tactics.empty() || !options.strategies.empty()) {
    ApplyTacticsOptions apply;
    apply.files.assign(options.tactics.begin(), options.tactics.end());
    apply.strategies.assign(options.strategies.begin(), options.strategies.end());
    apply.machine = options.machine;
    pm.addPass(createApplyTactics(apply));
  }
  PropagateLayoutsOptions propagate;
  propagate.machine = options.machine;
  propagate.solve = options.search.solves;
  pm.addPass(createPropagateLayouts(propagate, options.record, options.search));
  if (options.search.check)
    return;
  if (!options.savePlan.empty()) {
    SavePlanOptions save;
    save.file = options.savePlan;
    pm.addPass(createSavePlan(save));
  }
  addMoves(pm, options);
}

void dmc::buildToRanksPipeline(OpPassManager &pm, int64_t bucketBytes, const std::string &machine) {
  // A level 1 text that people wrote may leave to the planner how a layout changes.
  ExpandReshardsOptions expand;
  expand.machine = machine;
  pm.addPass(createExpandReshards(expand));
  MergeMovesOptions merge;
  merge.machine = machine;
  pm.addPass(createMergeMoves(merge));
  pm.addPass(createToRanks());
  pm.addPass(createRecomputeStacks());
  // Contracts count what the plan says, not how it is packed.
  pm.addPass(createCheckContracts());
  pm.addPass(createHoistTransposes());
  if (bucketBytes > 0) {
    CombineCollectivesOptions combine;
    combine.bucketBytes = bucketBytes;
    pm.addPass(createCombineCollectives(combine));
  }
  pm.addPass(createCSEPass());
}

/// From level 2 to kernels in an order.
static void addKernels(OpPassManager &pm, const KernelOptions &options) {
  pm.addPass(createSetTarget({options.cpu, options.target}));
  pm.addPass(createExpandOneHot());
  pm.addPass(createDropUnitDims());
  pm.addPass(createFactorSums());
  pm.addPass(createCSEPass());
  pm.addPass(createRemoveBarriers());
  pm.addPass(createFormKernels());
  pm.addPass(createOutlineKernels());
  OrderOperationsOptions order;
  order.capacity = options.capacity;
  pm.addPass(createOrderOperations(order));
  pm.addPass(createRecomputePads());
}

void dmc::buildMeasurePipeline(OpPassManager &pm, const ParallelizeOptions &parallelize,
                               int64_t bucketBytes, const KernelOptions &kernels, MemoryUse &use) {
  addMoves(pm, parallelize);
  buildToRanksPipeline(pm, bucketBytes, parallelize.machine);
  addKernels(pm, kernels);
  pm.addPass(createMeasureMemory(kernels.capacity, use));
}

void dmc::buildSchedulePipeline(OpPassManager &pm, const KernelOptions &options) {
  addKernels(pm, options);
  PlanBuffersOptions plan;
  plan.capacity = options.capacity;
  pm.addPass(createPlanBuffers(plan));
  pm.addPass(createAssignStreams());
  pm.addPass(createCheckContracts());
  pm.addPass(createBufferizeKernels());
}

void dmc::buildKernelPipeline(OpPassManager &pm, const KernelOptions &options) {
  pm.addPass(createSetTarget({options.cpu, options.target}));
  pm.addPass(createSpecializeAliasing());
  CacheSizes caches = findCacheSizes(options.machine);
  pm.addPass(createLowerKernels({caches.core, caches.last}));
  pm.addPass(createMergeLaunches());
}

void dmc::buildDevicePipeline(OpPassManager &pm, const KernelOptions &options) {
  buildKernelPipeline(pm, options);
  pm.addPass(createLowerToGPU());
}

void dmc::buildCodegenPipeline(OpPassManager &pm, const KernelOptions &options) {
  buildDevicePipeline(pm, options);
  pm.addPass(createLowerProgram({options.machine}));
}

namespace {
struct ImportPipelineOptions : public PassPipelineOptions<ImportPipelineOptions> {
  Option<std::string> mesh{*this, "mesh", llvm::cl::desc("axis sizes, as data=4,model=2")};
  Option<std::string> layoutsFile{*this, "layouts-file",
                                  llvm::cl::desc("JSON file of layouts by case")};
  Option<std::string> layoutsCase{*this, "case", llvm::cl::desc("the case to take")};
  Option<int64_t> ranks{*this, "ranks", llvm::cl::desc("ranks of a program of ranks"),
                        llvm::cl::init(0)};
  Option<bool> narrowPartials{*this, "narrow-partials",
                              llvm::cl::desc("permit narrow partial sums of contractions"),
                              llvm::cl::init(false)};
  Option<std::string> entry{*this, "entry", llvm::cl::desc("the public function to take")};
};

struct RanksPipelineOptions : public PassPipelineOptions<RanksPipelineOptions> {
  Option<int64_t> bucketBytes{*this, "bucket-bytes",
                              llvm::cl::desc("bytes of a combined collective; 0: none"),
                              llvm::cl::init(0)};
};
} // namespace

void dmc::registerPipelines() {
  PassPipelineRegistration<ImportPipelineOptions>(
      "dmc-import", "StableHLO, TOSA or linalg text to level 0",
      [](OpPassManager &pm, const ImportPipelineOptions &options) {
        buildImportPipeline(pm, {options.mesh, options.layoutsFile, options.layoutsCase,
                                 options.ranks, options.narrowPartials, options.entry});
      });
  PassPipelineRegistration<>("dmc-parallelize", "level 0 to level 1: layouts and moves",
                             [](OpPassManager &pm) { buildParallelizePipeline(pm); });
  PassPipelineRegistration<RanksPipelineOptions>(
      "dmc-ranks", "level 1 to level 2: collectives, local shapes",
      [](OpPassManager &pm, const RanksPipelineOptions &options) {
        buildToRanksPipeline(pm, options.bucketBytes);
      });
  PassPipelineRegistration<>("dmc-schedule", "level 2 to level 3: kernels and buffers",
                             [](OpPassManager &pm) { buildSchedulePipeline(pm); });
  PassPipelineRegistration<>("dmc-device-codegen", "level 3 to kernels for a device",
                             [](OpPassManager &pm) { buildDevicePipeline(pm); });
  PassPipelineRegistration<>("dmc-codegen", "level 3 to the LLVM dialect",
                             [](OpPassManager &pm) { buildCodegenPipeline(pm); });
}
