//===- dmc-fuzz.cpp - Random programs, damaged texts ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles and runs random programs and compares with the interpreter; or damages
// texts and expects a diagnostic, never a crash.
//
//===----------------------------------------------------------------------===//
#include "DrawLayouts.h"
#include "Generator.h"
#include "Mutator.h"
#include "Tally.h"
#include "Workers.h"

#include "dmc/Codegen/SharedLibrary.h"
#include "dmc/Pipelines/InitAll.h"
#include "dmc/Pipelines/Stages.h"
#include "dmc/Support/VersionPrinter.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

#include <cstdio>
#include <thread>

using namespace dmc;
using namespace dmc::fuzz;

namespace cl = llvm::cl;

static cl::OptionCategory category("dmc-fuzz");
static cl::opt<unsigned> programs("programs", cl::init(100), cl::cat(category),
                                  cl::desc("How many programs to make (100)"));
static cl::opt<uint64_t> seed("seed", cl::init(1), cl::cat(category),
                              cl::desc("Seed of the first; each has its own, one more (1)"));
static cl::list<std::string> mutateFolders("mutate", cl::value_desc("folder"), cl::cat(category),
                                           cl::desc("Damage the .mlir files of folders instead"));
static cl::opt<unsigned> mutations("count", cl::init(100), cl::cat(category),
                                   cl::desc("How many damaged texts to try (100)"));
static cl::opt<bool> print("print", cl::cat(category),
                           cl::desc("Print the text of --seed, and do nothing else"));
static cl::opt<std::string> layoutsOf(
    "layouts-of", cl::value_desc("program"), cl::cat(category),
    cl::desc("Print a program on a mesh and in layouts drawn with --seed, and do nothing else"));
static cl::opt<bool> listRefused("list-refused", cl::cat(category),
                                 cl::desc("Print every refusal with its seed"));
static cl::opt<unsigned> jobs("jobs", cl::init(0), cl::cat(category),
                              cl::desc("Processes at a time (0: as many as cores)"));
static cl::opt<double> timeout("timeout", cl::init(60), cl::cat(category),
                               cl::value_desc("seconds"), cl::desc("Longest time for one (60)"));

static int fail(const std::string &why) {
  std::fprintf(stderr, "dmc-fuzz: error: %s\n", why.c_str());
  return 1;
}

/// The program at level 0 with what was drawn; diagnostics tell what is wrong with it.
static int printWithLayouts(mlir::MLIRContext &context) {
  llvm::SourceMgr sources;
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(layoutsOf);
  if (!file)
    return fail("cannot read " + layoutsOf + ": " + file.getError().message());
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  Stages stages(Target::Tensor);
  mlir::OwningOpRef<mlir::ModuleOp> module = stages.parse(sources, context);
  if (!module || failed(stages.run(*module)))
    return 1;
  if (ProgramAttr::of(*module).getLevel() != Level::tensor)
    return fail(layoutsOf + " is a program of ranks: its layouts are given");
  drawLayouts(*module, seed);
  module->print(llvm::outs());
  return 0;
}

int main(int argc, char **argv) {
  registerVersionPrinter();
  // Without LLVM's handlers, which print stacks: a crash is told in one line.
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Tries dmc on random programs and damaged texts\n");

  if (!(timeout > 0))
    return fail("--timeout expects a positive number");
  bool isMutating = !mutateFolders.empty();
  std::string error;
  std::vector<std::string> texts;
  for (const std::string &folder : mutateFolders)
    if (!readTexts(folder, texts, error))
      return fail(error);
  if (print) {
    if (isMutating) {
      std::fputs(mutate(texts, seed).c_str(), stdout);
    } else {
      Program program = generateProgram(seed);
      std::fputs((getNotes(program) + program.text).c_str(), stdout);
    }
    return 0;
  }

  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  registerCodegenTranslations(registry);
  // Threads would not be there in a fork.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);

  if (!layoutsOf.empty())
    return printWithLayouts(context);

  llvm::SmallString<128> folder;
  if (auto code = llvm::sys::fs::createUniqueDirectory("dmc-fuzz", folder))
    return fail("cannot create a temporary folder: " + code.message());
  // What a worker leaves when it is killed goes with the folder.
  setenv("TMPDIR", folder.c_str(), 1);

  auto work = [&](size_t index) {
    uint64_t own = seed + index;
    if (isMutating)
      return tryText(context, mutate(texts, own));
    return tryProgram(context, generateProgram(own), own,
                      std::string(folder) + "/" + std::to_string(own) + ".so");
  };
  Tally tally(isMutating, listRefused);
  error =
      runForked(isMutating ? mutations : programs,
                jobs ? jobs : std::max(1u, std::thread::hardware_concurrency()), timeout, work,
                [&](size_t index, const Verdict &verdict) { tally.add(seed + index, verdict); });
  llvm::sys::fs::remove_directories(folder);
  if (!error.empty())
    return fail(error);
  return tally.report() ? 0 : 1;
}
