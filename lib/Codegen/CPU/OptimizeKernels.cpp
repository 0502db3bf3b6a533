//===- OptimizeKernels.cpp - LLVM's passes over kernels -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's pipeline of level 3, with unrolling of its own. LLVM's is done twice: before loops are
// vectorized, and after. It counts a loop within another once each time, and the factors multiply:
// a sum of 12 rows of 512 elements becomes 4600 instructions without a branch, over which the
// schedulers take time quadratic in their number. The vectorizer has interleaved the loop before,
// and unrolling it once more gains nothing.
//
//===----------------------------------------------------------------------===//

#include "CPU/OptimizeKernels.h"

#include "CPU/StreamStores.h"
#include "CPU/WholeStores.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <algorithm>

using namespace llvm;

/// Straight code of vector loops whose vectors, of which the vectorizer puts up to four into an
/// iteration, fit into the registers together.
static void unrollVectorLoops(FunctionPassManager &passes, unsigned vectorRegisters) {
  constexpr unsigned mostInterleaved = 4;
  LoopUnrollOptions unroll(/*OptLevel=*/2);
  unroll.setFullUnrollMaxCount(std::max(vectorRegisters / mostInterleaved, 1u));
  unroll.setPartial(false).setRuntime(false);
  passes.addPass(LoopUnrollPass(unroll));
  passes.addPass(InstCombinePass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(SimplifyCFGPass());
}

void dmc::codegen::optimizeKernels(Module &module, TargetMachine &machine,
                                   unsigned vectorRegisters) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  tuning.LoopUnrolling = false; // but for loops that unrollShortLoops asks it for
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager cgscc;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine, tuning);
  builder.registerVectorizerEndEPCallback([=](FunctionPassManager &passes, OptimizationLevel) {
    unrollVectorLoops(passes, vectorRegisters);
  });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
  for (Function &function : module) {
    streamStores(function);
    storeWholeVectors(function);
  }
}
