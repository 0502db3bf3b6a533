//===- dmc-check-rules.cpp - Are the sharding rules right and complete? ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries layouts on small functions and compares with level 0: what the verifier
// accepts must be right; what is right and not accepted is listed.
//
//===----------------------------------------------------------------------===//
#include "Known.h"
#include "Summary.h"

#include "dmc/Pipelines/InitAll.h"
#include "dmc/Runtime/KernelLibrary.h"
#include "dmc/Support/ProcessPool.h"
#include "dmc/Support/Progress.h"
#include "dmc/Support/VersionPrinter.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>
#include <cstdio>

using namespace mlir;
using namespace dmc;
using namespace dmc::rulecheck;

namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-check-rules: checks the sharding rules of operations against the interpreter

Tries layouts on small functions of one operation each: what the verifier accepts must compute what level 0
computes, at levels 1 and 2, and what would be right but is not accepted is listed as a missing rule.
For instance, for all operations that the tool knows, and for functions of one's own:

  dmc-check-rules --all --quick
  dmc-check-rules my-ops.mlir --mesh=2x3 --strict
)";

static cl::OptionCategory category("dmc-check-rules options");
static cl::list<std::string> files(
    cl::Positional, cl::cat(category), cl::value_desc("ops.mlir"),
    cl::desc(
        "[ops.mlir...]: functions of level 0, one rule each; - or nothing for standard input"));
static cl::opt<bool> all("all", cl::cat(category),
                         cl::desc("The functions that the tool comes with"));
static cl::list<std::string> meshes("mesh", cl::cat(category), cl::value_desc("2x3"),
                                    cl::CommaSeparated, cl::desc("Axis sizes (2,3,4,5,2x2,2x3)"));
static cl::opt<std::string> onlyOp("op", cl::cat(category), cl::value_desc("name"),
                                   cl::desc("Operations, or functions, with this in their name"));
static cl::opt<bool> quick("quick", cl::cat(category),
                           cl::desc("Few layouts on few meshes, as after every change"));
static cl::opt<bool> strict("strict", cl::cat(category),
                            cl::desc("A missing rule that is not known is a failure"));
static cl::opt<std::string> knownFile("known", cl::cat(category), cl::value_desc("file"),
                                      cl::desc("More missing rules that are known"));
static cl::opt<std::string> tableFile("table", cl::cat(category), cl::value_desc("file.md"),
                                      cl::desc("Write the table of documentation"));
static cl::opt<bool> list("list", cl::cat(category), cl::desc("Print the functions only"));
static cl::opt<unsigned> jobs("jobs", cl::init(0), cl::cat(category),
                              cl::desc("Processes at a time (0: as many as cores)"));
static cl::opt<uint64_t> seed("seed", cl::init(1), cl::cat(category),
                              cl::desc("Of inputs and of what is tried (1)"));
static cl::opt<unsigned> maxTried("max-tried", cl::init(4000), cl::cat(category),
                                  cl::desc("Layouts to verify of a function and mesh (4000)"));
static cl::opt<unsigned> maxEvaluated("max-evaluated", cl::init(400), cl::cat(category),
                                      cl::desc("Of those of several axes, to evaluate (400)"));
static cl::opt<unsigned> maxLowered("max-lowered", cl::init(60), cl::cat(category),
                                    cl::desc("Of those, to bring to level 2 (60)"));
static cl::opt<double> timeout("timeout", cl::init(600), cl::cat(category),
                               cl::value_desc("seconds"),
                               cl::desc("Longest time for one function (600)"));
static cl::list<std::string> plugins("load-dialect-plugin", cl::cat(category),
                                     cl::value_desc("plugin"),
                                     cl::desc("A library of operations or rules of one's own"));

static cl::list<std::string>
    kernelFiles("kernels", cl::cat(category), cl::value_desc("file.so"),
                cl::desc("The kernels of dmc.custom_call, in a library of one's own"));

static const struct {
  const char *name, *text;
} embedded[] = {
#include "Instances.inc"
};

static int fail(const std::string &why) {
  std::fprintf(stderr, "dmc-check-rules: error: %s\n", why.c_str());
  return 1;
}

/// `2x3` as a mesh of axes x, y, ...
static std::optional<Mesh> makeMesh(llvm::StringRef text) {
  std::vector<MeshAxis> axes;
  for (llvm::StringRef part : llvm::split(text, 'x')) {
    int64_t size = 0;
    if (part.getAsInteger(10, size) || size < 1 || size > 64 || axes.size() == 3)
      return std::nullopt;
    axes.push_back({std::string(1, "xyz"[axes.size()]), size});
  }
  return Mesh(axes);
}

namespace {
/// The functions to check and the modules that they are in.
struct Functions {
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::vector<func::FuncOp> functions;

  bool add(MLIRContext &context, llvm::StringRef text, llvm::StringRef name) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
    SourceMgrDiagnosticHandler handler(sources, &context);
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
    if (!module)
      return false;
    for (auto function : module->getOps<func::FuncOp>())
      if (llvm::StringRef(getCheckedOp(function)).contains(onlyOp) ||
          function.getName().contains(onlyOp))
        functions.push_back(function);
    modules.push_back(std::move(module));
    return true;
  }
};
} // namespace

int main(int argc, char **argv) {
  registerVersionPrinter();
  // Without LLVM's handlers, which print stacks: a crash is told in one line.
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  if (!all && files.empty())
    files.push_back("-");

  std::vector<Mesh> checkedMeshes;
  if (meshes.empty())
    for (const char *text :
         quick ? std::vector{"2", "3", "2x2"} : std::vector{"2", "3", "4", "5", "2x2", "2x3"})
      meshes.push_back(text);
  for (const std::string &text : meshes) {
    std::optional<Mesh> mesh = makeMesh(text);
    if (!mesh)
      return fail("expected a mesh of at most three axes as 2x3, found '" + text + "'");
    checkedMeshes.push_back(*mesh);
  }

  DialectRegistry registry;
  registerAllDialects(registry);
  for (const std::string &path : plugins) {
    llvm::Expected<DialectPlugin> plugin = DialectPlugin::load(path);
    if (!plugin)
      return fail(llvm::toString(plugin.takeError()));
    plugin->registerDialectRegistryCallbacks(registry);
  }
  // Threads would not be there in a fork.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);

  std::string error, knownText;
  Functions checked;
  for (auto [name, text] : embedded)
    if (llvm::StringRef(name).ends_with(".txt"))
      knownText = text;
    else if (all && !checked.add(context, text, name))
      return 1;
  for (const std::string &path : files) {
    auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
    if (!buffer)
      return fail("cannot read " + path + ": " + buffer.getError().message());
    if (!checked.add(context, (*buffer)->getBuffer(), path))
      return 1;
  }
  if (!knownFile.empty()) {
    auto buffer = llvm::MemoryBuffer::getFile(knownFile);
    if (!buffer)
      return fail("cannot read " + knownFile + ": " + buffer.getError().message());
    knownText += "\n" + (*buffer)->getBuffer().str();
  }
  std::optional<std::vector<Known>> known = parseKnown(knownText, error);
  if (!known)
    return fail("known missing rules: " + error);
  if (checked.functions.empty())
    return fail("found no function to check");
  if (list) {
    for (func::FuncOp function : checked.functions)
      std::printf("%s @%s\n", getCheckedOp(function).c_str(), function.getName().str().c_str());
    return 0;
  }

  std::vector<runtime::KernelLibrary> libraries;
  for (const std::string &file : kernelFiles) {
    auto library = runtime::KernelLibrary::open(file, error);
    if (!library)
      return fail(error);
    libraries.push_back(*library);
  }
  Options options;
  if (!libraries.empty())
    options.interpreter.findKernel = [&](const std::string &name) -> dmc_custom_kernel_fn {
      for (const runtime::KernelLibrary &library : libraries)
        if (dmc_custom_kernel_fn function = library.find(name))
          return function;
      return nullptr;
    };
  options.seed = seed;
  options.maxTried = quick ? std::min(500u, +maxTried) : +maxTried;
  options.maxEvaluated = quick ? std::min(20u, +maxEvaluated) : +maxEvaluated;
  options.maxLowered = quick ? std::min(8u, +maxLowered) : +maxLowered;
  auto work = [&](size_t index, support::TaskChannel &channel) {
    auto start = std::chrono::steady_clock::now();
    Outcome outcome;
    for (const Mesh &mesh : checkedMeshes) {
      // What the function lacks is told by its diagnostic.
      ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
        if (outcome.error.empty())
          outcome.error = diagnostic.str();
      });
      if (failed(checkInstance(checked.functions[index], mesh, options, outcome.report)))
        break;
      outcome.error.clear();
    }
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    channel.answer(serialize(outcome));
  };
  Summary summary(*known);
  support::ProgressLine progress("dmc-check-rules");
  size_t numDone = 0;
  auto done = [&](size_t index, const support::TaskOutcome &answer) {
    func::FuncOp function = checked.functions[index];
    Outcome outcome;
    if (answer.isDone())
      outcome = deserialize(answer.parts.front());
    else
      outcome.error = answer.describeEnd();
    outcome.report.op = getCheckedOp(function);
    progress.clear();
    summary.add(function.getName().str(), outcome);
    ++numDone;
  };
  support::ProcessPoolOptions pool;
  pool.jobs = support::getNumJobs(jobs);
  pool.timeoutSeconds = timeout;
  pool.tasksPerProcess = 1; // memory and time of a function are its own
  size_t count = checked.functions.size();
  error = support::ProcessPool(pool).run(count, work, done, [&] {
    progress.show(std::to_string(numDone) + " of " + std::to_string(count) + " functions");
  });
  progress.clear();
  if (!error.empty())
    return fail(error);
  summary.print();
  if (!tableFile.empty() && !summary.writeTable(tableFile, error))
    return fail(error);
  return summary.hasFailed(strict) ? 1 : 0;
}
