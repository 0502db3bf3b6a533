//===- dmc-compile.cpp - From any level to a program ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages from the level of the input to an executable library, or to
// the level that is asked for.
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "dmc/Codegen/SharedLibrary.h"
#include "dmc/Parallelize/Tactics/Tactics.h"
#include "dmc/Pipelines/Driver.h"
#include "dmc/Pipelines/InitAll.h"
#include "dmc/Pipelines/NarrowPartials.h"
#include "dmc/Support/VersionPrinter.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::compile;

namespace cl = llvm::cl;

static cl::OptionCategory category("dmc-compile options");
static ProgramOptions program(category);
static cl::opt<std::string> output("o", cl::desc("Where to write the library, or the text"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<Target>
    emit("emit", cl::desc("Stop at a level and write its text"), cl::init(Target::Library),
         cl::values(clEnumValN(Target::Tensor, "tensor", "after import"),
                    clEnumValN(Target::Parallel, "parallel", "layouts and moves"),
                    clEnumValN(Target::Ranks, "ranks", "what each rank does"),
                    clEnumValN(Target::Scheduled, "scheduled", "kernels and buffers"),
                    clEnumValN(Target::LLVM, "llvm", "the LLVM dialect"),
                    clEnumValN(Target::Library, "library", "a shared library (default)")),
         cl::cat(category));
static cl::opt<std::string> report("report",
                                   cl::desc("Where to write what the program moves, "
                                            "needs and took to compile, as JSON"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> savePlan("save-plan",
                                     cl::desc("Where to write the decided layouts, for --tactics"),
                                     cl::value_desc("file"), cl::cat(category));

/// Before anything else: there is no program to compile.
static void printStrategy(const std::string &name) {
  StringRef text = getStrategyText(name);
  if (text.empty()) {
    llvm::errs() << "dmc-compile: error: in --print-strategy: expected one of ";
    llvm::interleaveComma(getStrategyNames(), llvm::errs());
    llvm::errs() << ", found '" << name << "'\n";
    std::exit(EXIT_FAILURE);
  }
  llvm::outs() << text;
  llvm::outs().flush();
  std::exit(EXIT_SUCCESS);
}
static cl::opt<std::string>
    printStrategyOption("print-strategy", cl::desc("Print a strategy's transform sequence"),
                        cl::value_desc("name"), cl::cat(category),
                        cl::callback([](const std::string &name) { printStrategy(name); }));
static cl::opt<bool> timing("timing", cl::desc("Print the time of each stage"), cl::cat(category));
static cl::opt<bool> verifyEach("verify-each",
                                cl::desc("Verify after every pass, not only after every stage"),
                                cl::cat(category));
static cl::opt<bool> noThreads("no-threads", cl::desc("Compile on one thread"), cl::cat(category));
static cl::opt<std::string> linker("linker", cl::desc("The linker to call (ld.lld or ld)"),
                                   cl::value_desc("file"), cl::cat(category));

static int fail(const Twine &message) {
  llvm::errs() << "dmc-compile: error: " << message << "\n";
  return EXIT_FAILURE;
}

static ParallelizeOptions getParallelize() {
  ParallelizeOptions options = program.getParallelize();
  options.savePlan = savePlan;
  return options;
}

/// Everything that can be refused before work starts.
static std::string checkArguments() {
  if (emit == Target::Library && output.empty())
    return "expected -o with the library to write";
  if (emit != Target::Library && !report.empty())
    return "--report describes a program, but --emit=... writes none";
  if (std::string problem = program.check(); !problem.empty())
    return problem;
  if (emit == Target::Tensor && getParallelize().hasRequests())
    return "--emit=tensor stops before --tactics, --strategy and --save-plan";
  for (const std::string &path : {output.getValue(), report.getValue(), savePlan.getValue()})
    if (!path.empty() && path != "-")
      if (std::string problem = checkWritable(path); !problem.empty())
        return "cannot write '" + path + "': " + problem;
  if (emit == Target::Library && llvm::sys::fs::exists(output) &&
      !llvm::sys::fs::is_regular_file(output))
    return "cannot write '" + output + "': it is not a regular file";
  if (emit == Target::Library && output == "-")
    return "expected a file for the library, not standard output";
  return {};
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  registerVersionPrinter();
  registerAsmPrinterCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "dmc: compile a tensor program for a mesh\n");
  if (std::string problem = checkArguments(); !problem.empty())
    return fail(problem);

  DialectRegistry registry;
  registerAllDialects(registry);
  registerCodegenTranslations(registry);
  MLIRContext context(registry, noThreads ? MLIRContext::Threading::DISABLED
                                          : MLIRContext::Threading::ENABLED);
  ProgramText text;
  if (std::string problem = text.open(program.input, context); !problem.empty())
    return fail(problem);

  Speaker speaker("dmc-compile");
  Stages stages(emit, program.getImport(), &speaker, getParallelize());
  stages.bucketBytes = program.bucketBytes;
  stages.verifyEach = verifyEach;
  OwningOpRef<ModuleOp> module = stages.parse(text.getSources(), context);
  if (!module)
    return EXIT_FAILURE;
  std::optional<runtime::PartialsReport> partials;
  if (!report.empty())
    if (std::optional<double> otherwise = planWireBytesOtherwise(
            *module, program.getImport(), getParallelize(), program.bucketBytes))
      partials = runtime::PartialsReport{program.narrowPartials, *otherwise};
  if (failed(stages.run(*module)))
    return EXIT_FAILURE;
  if (emit != Target::Library) {
    std::string printed;
    llvm::raw_string_ostream os(printed);
    // With locations: they belong to the program.
    module->print(os, OpPrintingFlags().enableDebugInfo(true));
    if (std::string problem = writeText(output, printed); !problem.empty())
      return fail(problem);
  } else if (failed(stages.writeLibrary(*module, output, SharedLibraryOptions{linker}))) {
    return EXIT_FAILURE;
  }
  if (!report.empty())
    if (std::string problem = writeReport(output, report, stages.times, partials); !problem.empty())
      return fail(problem);
  if (timing)
    printTimes(stages.times);
  return EXIT_SUCCESS;
}
