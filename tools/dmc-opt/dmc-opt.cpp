//===- dmc-opt.cpp - Run passes on a program at any level -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimizer driver. Every level's verifier runs after every pass, and the
// interpreter if that is asked for.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/DebugOptions.h"
#include "dmc/Pipelines/InitAll.h"
#include "dmc/Pipelines/ParseProgram.h"
#include "dmc/Pipelines/VerifyLevels.h"
#include "dmc/Pipelines/VerifyNumeric.h"
#include "dmc/Support/VersionPrinter.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

static const char overview[] =
    R"(dmc-opt: runs passes on a program at any level

mlir-opt with dmc's dialects, passes and pipelines: the verifier of the program's level runs after every
pass, and with --verify-numeric the interpreter around every pass. For instance:

  dmc-opt step.mlir --pass-pipeline='builtin.module(dmc-import,dmc-parallelize)' --mlir-print-ir-after-change
  dmc-opt level0.mlir --dmc-propagate-layouts --dmc-materialize-moves --verify-numeric

)";

static llvm::cl::opt<bool>
    verifyLevels("verify-levels",
                 llvm::cl::desc("Check the rules of the program's level after every pass"),
                 llvm::cl::init(true));
static llvm::cl::opt<bool>
    verifyNumeric("verify-numeric",
                  llvm::cl::desc("Interpret the program around every pass, and report the first "
                                 "pass that changes its results"));
static llvm::cl::opt<uint64_t> verifyNumericSeed("verify-numeric-seed", llvm::cl::init(1),
                                                 llvm::cl::desc("Seed of the arguments (1)"));
static llvm::cl::opt<bool>
    verifyNumericSpecial("verify-numeric-special",
                         llvm::cl::desc("NaN, infinities and -0.0 among the arguments also of "
                                        "programs that sum floats"));

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  dmc::registerVersionPrinter();
  DialectRegistry registry;
  dmc::registerAllDialects(registry);
  dmc::registerAllPasses();
  dmc::registerDebugOptions();
  auto [inputFilename, outputFilename] = registerAndParseCLIOptions(argc, argv, overview, registry);

  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  auto levelsFailed = std::make_shared<std::atomic<bool>>(false);
  auto numericFailed = std::make_shared<std::atomic<bool>>(false);
  MlirOptMainConfig base = config;
  config.setPassPipelineSetupFn([base, levelsFailed, numericFailed](PassManager &pm) {
    if (verifyLevels)
      pm.addInstrumentation(dmc::createVerifyLevelsInstrumentation(levelsFailed));
    if (verifyNumeric)
      pm.addInstrumentation(dmc::createVerifyNumericInstrumentation(
          {verifyNumericSeed, verifyNumericSpecial}, numericFailed));
    return base.setupPassPipeline(pm);
  });

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputFilename, &error);
  if (!input) {
    llvm::errs() << "error: " << error << "\n";
    return EXIT_FAILURE;
  }
  // Upstream's driver parses by itself.
  if (!config.shouldListPasses() && !config.shouldShowDialects() &&
      failed(dmc::checkProgram(*input, registry,
                               {config.inputSplitMarker(), config.shouldAllowUnregisteredDialects(),
                                config.shouldVerifyOnParsing()})))
    return EXIT_FAILURE;
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(outputFilename, &error);
  if (!output) {
    llvm::errs() << "error: " << error << "\n";
    return EXIT_FAILURE;
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)) || *levelsFailed ||
      *numericFailed)
    return EXIT_FAILURE;
  output->keep();
  return EXIT_SUCCESS;
}
