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

#include "dmc/Codegen/SharedLibrary.h"
#include "dmc/Pipelines/InitAll.h"
#include "dmc/Pipelines/Stages.h"
#include "dmc/Support/Files.h"
#include "dmc/Support/ProcessPool.h"
#include "dmc/Support/Progress.h"
#include "dmc/Support/VersionPrinter.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CommandLine.h"

#include <algorithm>
#include <cstdio>

using namespace dmc;
using namespace dmc::fuzz;

namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-fuzz: tries dmc on random programs and damaged texts

Makes programs from seeds, draws layouts and meshes for them, compiles and runs them and compares with the
reference interpreter at every level; or damages the texts of a folder, which must give a diagnostic and
never a crash. A failure names its seed. For instance:

  dmc-fuzz --programs=500 --seed=1000
  dmc-fuzz --programs=500 --target=cuda:sm_90a
  dmc-fuzz --mutate=test/Import --count=1000
  dmc-fuzz --seed=1042 --print
)";

static cl::OptionCategory category("dmc-fuzz options");
static cl::opt<unsigned> programs("programs", cl::init(100), cl::cat(category),
                                  cl::desc("How many programs to make (100)"));
static cl::opt<uint64_t> seed("seed", cl::init(1), cl::cat(category),
                              cl::desc("Seed of the first; each has its own, one more (1)"));
static cl::opt<std::string>
    target("target", cl::value_desc("cuda:sm_90a[+sm_80]"), cl::cat(category),
           cl::desc("Compile programs for this device, and run them on simulated ones, which "
                    "check every access"));
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

/// A process costs more than a trial: each does some, one after the other.
constexpr size_t kTrialsPerProcess = 25;

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

static Verdict getVerdict(const support::TaskOutcome &outcome) {
  using End = support::TaskOutcome::End;
  if (outcome.isDone()) {
    const std::string &answer = outcome.parts.front();
    Verdict verdict{static_cast<Verdict::Kind>(answer[0] - '0'), answer.substr(1)};
    std::replace(verdict.reason.begin(), verdict.reason.end(), '\n', ' ');
    return verdict;
  }
  Verdict verdict{outcome.end == End::Timeout ? Verdict::Kind::Hang : Verdict::Kind::Crash,
                  outcome.describeEnd()};
  if (outcome.numBefore)
    verdict.reason += " (after " + std::to_string(outcome.numBefore) + " others in one process)";
  return verdict;
}

int main(int argc, char **argv) {
  registerVersionPrinter();
  // Without LLVM's handlers, which print stacks: a crash is told in one line.
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);

  if (!(timeout > 0))
    return fail("--timeout expects a positive number");
  bool isMutating = !mutateFolders.empty();
  if (!target.empty() && (isMutating || print || !layoutsOf.empty()))
    return fail("--target is for programs that are run");
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

  support::TemporaryFolder folder;
  if (error = folder.create("dmc-fuzz"); !error.empty())
    return fail(error);
  // What a worker leaves when it is killed goes with the folder.
  setenv("TMPDIR", folder.path().c_str(), 1);

  auto work = [&](size_t index, support::TaskChannel &channel) {
    uint64_t own = seed + index;
    Verdict verdict = isMutating ? tryText(context, mutate(texts, own))
                                 : tryProgram(context, generateProgram(own), own,
                                              folder.file(std::to_string(own) + ".so"), target);
    channel.answer(std::to_string(static_cast<int>(verdict.kind)) + verdict.reason);
  };
  Tally tally(isMutating, listRefused);
  support::ProgressLine progress("dmc-fuzz");
  size_t count = isMutating ? mutations : programs, numDone = 0;
  support::ProcessPoolOptions pool;
  pool.jobs = support::getNumJobs(jobs);
  pool.timeoutSeconds = timeout;
  pool.tasksPerProcess = kTrialsPerProcess;
  error = support::ProcessPool(pool).run(
      count, work,
      [&](size_t index, const support::TaskOutcome &outcome) {
        ++numDone;
        progress.clear();
        tally.add(seed + index, getVerdict(outcome));
      },
      [&] { progress.show(std::to_string(numDone) + " of " + std::to_string(count) + " trials"); });
  progress.clear();
  if (!error.empty())
    return fail(error);
  return tally.report() ? 0 : 1;
}
