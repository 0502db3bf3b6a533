//===- plugin.cpp - dmc in any mlir-opt -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dmc and comm dialects and the passes between levels 0 and 3; without the
// StableHLO reader and the code generator.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/Comm/Comm.h"
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Fusion/Passes.h"
#include "dmc/Parallelize/Passes.h"
#include "dmc/Parallelize/Tactics/Passes.h"
#include "dmc/Parallelize/Tactics/Tactics.h"
#include "dmc/Ranks/Passes.h"
#include "dmc/Schedule/Passes.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "DMC", LLVM_VERSION_STRING, [](DialectRegistry *registry) {
            registry->insert<dmc::DMCDialect, dmc::comm::CommDialect>();
            dmc::registerTactics(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "DMC", LLVM_VERSION_STRING, []() {
            dmc::registerParallelizePasses();
            dmc::registerTacticsPasses();
            dmc::registerRanksPasses();
            dmc::registerFusionPasses();
            dmc::registerSchedulePasses();
          }};
}
