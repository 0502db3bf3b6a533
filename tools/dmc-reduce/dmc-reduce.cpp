//===- dmc-reduce.cpp - Shrinks a program that shows a fault --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's reduction passes with dmc's dialects: keep what a script finds
// interesting.
//
//===----------------------------------------------------------------------===//
#include "dmc/Pipelines/InitAll.h"
#include "dmc/Pipelines/ParseProgram.h"
#include "dmc/Support/Progress.h"
#include "dmc/Support/VersionPrinter.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Passes.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-reduce: shrinks a program that shows a fault

Removes and simplifies operations as long as a script finds the program interesting (exit code 1), by
upstream's reduction passes with dmc's dialects. For instance:

  dmc-reduce crash.mlir --reduction-tree='traversal-mode=0 test=./is-interesting.sh' -o small.mlir
)";

static cl::OptionCategory category("dmc-reduce options");
static cl::opt<std::string> inputFile(cl::Positional,
                                      cl::desc("<program at any level, - for standard input>"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string> outputFile("o", cl::desc("Where to write what is left (-)"),
                                       cl::value_desc("file"), cl::init("-"), cl::cat(category));
static cl::opt<bool> allowUnregisteredDialects("allow-unregistered-dialect", cl::cat(category),
                                               cl::desc("Allow operations of unknown dialects"));

static int fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "dmc-reduce") << message << "\n";
  return EXIT_FAILURE;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  dmc::registerVersionPrinter();
  DialectRegistry registry;
  dmc::registerAllDialects(registry);
  dmc::registerAllPasses();
  registerReducerPasses();
  PassPipelineCLParser passes("", "Reduction passes to run");
  cl::ParseCommandLineOptions(argc, argv, overview);

  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputFile, &error);
  if (!input)
    return fail(error);
  std::unique_ptr<llvm::ToolOutputFile> output = openOutputFile(outputFile, &error);
  if (!output)
    return fail(error);

  MLIRContext context(registry);
  context.allowUnregisteredDialects(allowUnregisteredDialects);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = dmc::parseProgram(sources, context);
  if (!module)
    return EXIT_FAILURE;
  PassManager pm(&context, ModuleOp::getOperationName());
  auto report = [&](const Twine &message) {
    return emitError(UnknownLoc::get(&context)) << message;
  };
  dmc::support::Progress progress("dmc-reduce", "reducing " + inputFile);
  if (failed(passes.addToPipeline(pm, report)) || failed(pm.run(*module)))
    return EXIT_FAILURE;
  module->print(output->os());
  output->keep();
  return EXIT_SUCCESS;
}
