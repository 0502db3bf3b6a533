//===- dmc-compile.cpp - From any level to a program ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages from the level of the input to an executable library, or to
// the level that is asked for.
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "dmc/Codegen/DeviceCode.h"
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Parallelize/Tactics/Tactics.h"
#include "dmc/Pipelines/DebugOptions.h"
#include "dmc/Pipelines/Driver.h"
#include "dmc/Pipelines/InitAll.h"
#include "dmc/Pipelines/NarrowPartials.h"
#include "dmc/Support/DiskCache.h"
#include "dmc/Support/Files.h"
#include "dmc/Support/VersionPrinter.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::compile;

namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-compile: compiles a tensor program for a mesh of devices

Reads a program at any level (StableHLO, TOSA or linalg text, or what --emit wrote), decides where every
tensor lives, and writes a shared library with the step of one rank, which dmc-run or a program of one's
own loads. Layouts come from the program's text, from --layouts, --tactics or --strategy; the rest is
propagated. For instance, on four data-parallel replicas, with a report of what moves:

  dmc-compile step.mlir --mesh=data=4 --strategy=data_parallel -o step.so --report=report.json
)";

static cl::OptionCategory programCategory("The program and its plan");
static cl::OptionCategory category("What is written, and how");
static ProgramOptions program(programCategory);
static cl::opt<std::string> output("o", cl::desc("Where to write the library, or the text"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<Target>
    emit("emit", cl::desc("Stop at a level and write its text"), cl::init(Target::Library),
         cl::values(clEnumValN(Target::Tensor, "tensor", "after import"),
                    clEnumValN(Target::Parallel, "parallel", "layouts and moves"),
                    clEnumValN(Target::Ranks, "ranks", "what each rank does"),
                    clEnumValN(Target::Scheduled, "scheduled", "kernels and buffers"),
                    clEnumValN(Target::Device, "ptx", "the kernels of a device, for each chip"),
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
static cl::opt<std::string>
    targetCpu("target-cpu", cl::init("host"),
              cl::desc("The processor to compile for, as LLVM names it (x86-64-v3 for a "
                       "cluster; default: this machine's)"),
              cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string>
    target("target",
           cl::desc("The device to compile for instead of a processor, or several of one kind"),
           cl::value_desc("cuda:sm_90a[+sm_80]"), cl::cat(category));
static cl::opt<std::string> linker("linker", cl::desc("The linker to call (ld.lld or ld)"),
                                   cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    cacheDir("cache-dir",
             cl::desc("Keep object code in this folder, and take what was compiled before from it "
                      "(default: DMC_CACHE_DIR, else nothing is kept)"),
             cl::value_desc("folder"), cl::cat(category));

static int fail(const Twine &message) {
  llvm::errs() << "dmc-compile: error: " << message << "\n";
  return EXIT_FAILURE;
}

static ParallelizeOptions getParallelize() {
  ParallelizeOptions options = program.getParallelize();
  options.savePlan = savePlan;
  return options;
}

static ObjectCacheUse cacheUse;

static SharedLibraryOptions getLibrary() {
  SharedLibraryOptions options;
  options.linker = linker;
  options.targetCpu = targetCpu;
  options.cacheDir = cacheDir;
  options.cacheUse = &cacheUse;
  return options;
}

/// Everything that can be refused before work starts.
static std::string checkArguments() {
  if (emit == Target::Library && output.empty())
    return "expected -o with the library to write";
  if (emit != Target::Library && !report.empty())
    return "--report describes a program, but --emit=... writes none";
  if (emit < Target::Scheduled && targetCpu.getNumOccurrences())
    return "--target-cpu is for kernels, but --emit=... stops before they are formed";
  if (emit < Target::Scheduled && target.getNumOccurrences())
    return "--target is for kernels, but --emit=... stops before they are formed";
  if (target.getNumOccurrences() && targetCpu.getNumOccurrences())
    return "--target names a device and --target-cpu a processor: expected one of them";
  if (target.getNumOccurrences())
    if (std::string problem = checkDeviceTarget(target); !problem.empty())
      return "in --target: " + problem;
  if (emit != Target::Library && cacheDir.getNumOccurrences())
    return "--cache-dir keeps object code, but --emit=... makes none";
  if (emit == Target::Library) {
    std::string problem;
    if (support::DiskCache::open(cacheDir, problem); !problem.empty())
      return problem;
  }
  if (std::string problem = checkTargetCpu(targetCpu); !problem.empty())
    return "in --target-cpu: " + problem;
  if (std::string problem = program.check(); !problem.empty())
    return problem;
  if (emit == Target::Tensor && getParallelize().hasRequests())
    return "--emit=tensor stops before --tactics, --strategy and --save-plan";
  for (const std::string &path : {output.getValue(), report.getValue(), savePlan.getValue()})
    if (!path.empty() && path != "-")
      if (std::string problem = support::checkWritable(path); !problem.empty())
        return "cannot write '" + path + "': " + problem;
  if (emit == Target::Library && output == "-")
    return "expected a file for the library, not standard output";
  return {};
}

/// The code of each chip, with how its kernels are launched. Returns nothing after an error.
static std::optional<std::string> printDeviceCode(ModuleOp module) {
  DeviceCodeOptions options;
  options.assemble = false;
  FailureOr<std::vector<DeviceCode>> codes = makeDeviceCode(module, options);
  if (failed(codes))
    return std::nullopt;
  if (!TargetAttr::of(module).isDevice()) {
    module.emitError("expected a program with kernels for a device, as --target=cuda:sm_90a makes, "
                     "for --emit=ptx");
    return std::nullopt;
  }
  std::string text;
  for (const DeviceCode &code : *codes)
    text += code.ptx;
  return text;
}

/// Writes the library and its report.
static LogicalResult writeLibrary(Stages &stages, ModuleOp module,
                                  const std::optional<runtime::PartialsReport> &partials) {
  auto check = [](const std::string &problem) {
    return problem.empty() ? success() : (fail(problem), failure());
  };
  // The linker and the report need a file: what a device or a pipe gets is copied to it.
  support::TemporaryFolder folder;
  bool isStream = support::isStream(output);
  if (isStream && failed(check(folder.create("dmc-compile"))))
    return failure();
  std::string path = isStream ? folder.file("program.so") : output;
  if (failed(stages.writeLibrary(module, path, getLibrary())))
    return failure();
  if (!report.empty() && failed(check(writeReport(path, report, stages.times, partials))))
    return failure();
  return isStream ? check(support::copyToStream(path, output)) : success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  registerVersionPrinter();
  PassManagerOptions passManagers;
  cl::HideUnrelatedOptions({&programCategory, &category, &PassManagerOptions::getCategory()});
  cl::ParseCommandLineOptions(argc, argv, overview);
  passManagers.start();
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
  if (targetCpu.getNumOccurrences())
    stages.targetCpu = targetCpu;
  stages.targetDevice = target;
  stages.verifyEach = verifyEach;
  stages.configure = [&](PassManager &pm, StringRef stage) {
    return passManagers.apply(pm, stage);
  };
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
    if (emit == Target::Device) {
      std::optional<std::string> code = printDeviceCode(*module);
      if (!code)
        return EXIT_FAILURE;
      printed = *code;
    } else {
      llvm::raw_string_ostream os(printed);
      // With locations: they belong to the program.
      module->print(os, OpPrintingFlags().enableDebugInfo(true));
    }
    if (std::string problem = writeText(output, printed); !problem.empty())
      return fail(problem);
  } else if (failed(writeLibrary(stages, *module, partials))) {
    return EXIT_FAILURE;
  }
  if (timing) {
    printTimes(stages.times);
    if (cacheUse.parts)
      llvm::errs() << cacheUse.found << " of " << cacheUse.parts
                   << " parts of the object code are from the cache\n";
  }
  return EXIT_SUCCESS;
}
