//===- dmc-compile.cpp - From any level to a program ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of the compiler: what it does is in lib/Compiler.
//
//===----------------------------------------------------------------------===//

#include "dmc/Compiler/CommandLine.h"
#include "dmc/Compiler/Compiler.h"
#include "dmc/Parallelize/Tactics/Tactics.h"
#include "dmc/Pipelines/DebugOptions.h"
#include "dmc/Pipelines/Driver.h"
#include "dmc/Support/VersionPrinter.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Signals.h"

#include <atomic>

using namespace mlir;
using namespace dmc;

namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-compile: compiles a tensor program for a mesh of devices

Reads a program at any level (StableHLO, TOSA or linalg text, or what --emit wrote), decides where every
tensor lives, and writes a shared library with the step of one rank, which dmc-run or a program of one's
own loads. Layouts come from the program's text, from --layouts, --tactics or --strategy; the rest is
propagated. Ctrl-C while a plan is searched ends the search with the best plan so far, a second one ends the
tool. For instance, on four data-parallel replicas, with a report of what moves:

  dmc-compile step.mlir --mesh=data=4 --strategy=data_parallel -o step.so --report=report.json
)";

static cl::OptionCategory programCategory("The program and its plan");
static cl::OptionCategory category("What is written, and how");
static cl::opt<std::string> input(cl::Positional, cl::init("-"), cl::cat(programCategory),
                                  cl::desc("<program at any level, - for standard input>"));
static compiler::CommandLine commandLine({{compiler::OptionGroup::Program, programCategory},
                                          {compiler::OptionGroup::Output, category}});
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

/// Set by Ctrl-C while a plan is searched.
static std::atomic<bool> endsSearch{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal's handler sets it");

namespace {
/// While layouts are decided, Ctrl-C ends the search with the best plan so far; a second one, or
/// one at any other time, ends the tool.
class SearchSpeaker : public Speaker {
public:
  SearchSpeaker() : Speaker("dmc-compile") {}
  void begin(const char *stage) override {
    Speaker::begin(stage);
    // What ended the choice of a mesh does not end the search for its plan.
    endsSearch = false;
    if (StringRef(stage) == "parallelize" || StringRef(stage) == "mesh")
      llvm::sys::SetInterruptFunction([] { endsSearch = true; });
  }
  void end() override {
    llvm::sys::SetInterruptFunction(nullptr);
    Speaker::end();
  }
};
} // namespace

static int fail(const Twine &message) {
  llvm::errs() << "dmc-compile: error: " << message << "\n";
  return EXIT_FAILURE;
}

static void printTimes(const compiler::Result &result) {
  const runtime::CompileTimes &times = result.times;
  std::pair<const char *, double> rows[] = {{"import", times.import},
                                            {"parallelize", times.parallelize},
                                            {"ranks", times.ranks},
                                            {"schedule", times.schedule},
                                            {"codegen", times.codegen}};
  for (auto [name, milliseconds] : rows)
    llvm::errs() << llvm::format("%-12s%10.1f ms\n", name, milliseconds);
  if (result.cacheUse.parts)
    llvm::errs() << result.cacheUse.found << " of " << result.cacheUse.parts
                 << " parts of the object code are from the cache\n";
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  registerVersionPrinter();
  PassManagerOptions passManagers;
  cl::HideUnrelatedOptions({&programCategory, &category, &PassManagerOptions::getCategory()});
  cl::ParseCommandLineOptions(argc, argv, overview);
  passManagers.start();
  SearchSpeaker speaker;
  compiler::Request request;
  compiler::Options &options = request.options;
  if (std::string problem = commandLine.apply(options); !problem.empty())
    return fail(problem);
  if (options.output.empty()) {
    if (options.emit == Target::Library)
      return fail("expected -o with the library to write");
    options.output = "-";
  }
  request.observer = &speaker;
  options.parallelize.search.interrupt = &endsSearch;
  request.configure = [&](PassManager &pm, StringRef stage) {
    return passManagers.apply(pm, stage);
  };
  // Before the program is read, which may come from a pipe.
  if (std::string problem = compiler::checkRequest(request); !problem.empty())
    return fail(problem);

  DialectRegistry registry;
  compiler::registerEverything(registry);
  MLIRContext context(registry, options.noThreads ? MLIRContext::Threading::DISABLED
                                                  : MLIRContext::Threading::ENABLED);
  ProgramText text;
  if (std::string problem = text.open(input, context); !problem.empty())
    return fail(problem);
  compiler::Result result;
  if (failed(compiler::compile(request, text.getSources(), context, result)))
    return result.problem.empty() ? EXIT_FAILURE : fail(result.problem);
  if (timing)
    printTimes(result);
  return EXIT_SUCCESS;
}
