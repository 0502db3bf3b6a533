//===- Compiler.cpp - From a text to a program ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.
//
//===----------------------------------------------------------------------===//
#include "dmc/Compiler/Compiler.h"

#include "dmc/Codegen/DeviceCode.h"
#include "dmc/Codegen/KernelResources.h"
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Explain/Explain.h"
#include "dmc/Export/Export.h"
#include "dmc/Pipelines/Driver.h"
#include "dmc/Pipelines/InitAll.h"
#include "dmc/Pipelines/NarrowPartials.h"
#include "dmc/Runtime/Session.h"
#include "dmc/Support/DiskCache.h"
#include "dmc/Support/Files.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::compiler;

static bool wantsReport(const Request &request) {
  return request.wantsReport || !request.options.report.empty();
}

/// What is wrong with options of which each is right, or nothing.
static std::string checkTogether(const Request &request) {
  const Options &options = request.options;
  bool isLibrary = options.emit == Target::Library;
  if (options.emit == Target::Tensor && wantsReport(request))
    return "--report describes a plan or a program, but --emit=tensor stops before there is one";
  if (options.emit < Target::Scheduled && !options.targetCpu.empty())
    return "--target-cpu is for kernels, but --emit=... stops before they are formed";
  if (options.emit < Target::Scheduled && !options.target.empty())
    return "--target is for kernels, but --emit=... stops before they are formed";
  if (!isLibrary && !options.cacheDir.empty())
    return "--cache-dir keeps object code, but --emit=... makes none";
  if (isLibrary && options.output == "-")
    return "expected a file for the library, not standard output";
  if (options.emit == Target::Tensor && options.parallelize.hasRequests())
    return "--emit=tensor stops before --tactics, --strategy and --save-plan";
  return checkProgramOptions(options);
}

std::string compiler::checkRequest(const Request &request) {
  const Options &options = request.options;
  if (std::string problem = checkTogether(request); !problem.empty())
    return problem;
  if (options.emit == Target::Library) {
    std::string problem;
    if (support::DiskCache::open(options.cacheDir, problem); !problem.empty())
      return problem;
  }
  for (const std::string &path :
       {options.output, options.report, options.parallelize.savePlan,
        options.parallelize.search.problemFile, options.parallelize.search.certificateFile})
    if (!path.empty() && path != "-")
      if (std::string problem = support::checkWritable(path); !problem.empty())
        return "cannot write '" + path + "': " + problem;
  return {};
}

std::vector<llvm::StringLiteral> compiler::getStages(const Request &request) {
  std::vector<llvm::StringLiteral> stages = {"parse", "import"};
  if (StringRef(request.options.import.mesh).starts_with("auto"))
    stages.push_back("mesh");
  constexpr std::pair<Target, llvm::StringLiteral> levels[] = {{Target::Parallel, "parallelize"},
                                                               {Target::Ranks, "ranks"},
                                                               {Target::Scheduled, "schedule"},
                                                               {Target::Kernels, "codegen"}};
  for (auto [target, name] : levels)
    if (request.options.emit >= target)
      stages.push_back(name);
  if (request.wantsExplanation)
    stages.push_back("explain");
  return stages;
}

void compiler::registerEverything(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerCodegenTranslations(registry);
}

std::vector<std::string> compiler::getSourceFolders(StringRef file) {
  std::vector<std::string> folders = {"."};
  StringRef folder = llvm::sys::path::parent_path(file);
  for (unsigned i = 0; i < 3 && !folder.empty(); ++i) {
    folders.push_back(folder.str());
    folder = llvm::sys::path::parent_path(folder);
  }
  return folders;
}

namespace {
/// One compilation.
class Compilation {
public:
  Compilation(const Request &request, Result &result)
      : request(request), options(request.options), result(result),
        stages(options.emit, options.import, request.observer, withSummary(options.parallelize)) {
    stages.bucketBytes = options.bucketBytes;
    stages.targetCpu = options.targetCpu;
    stages.targetDevice = options.target;
    stages.verifyEach = options.verifyEach;
    stages.configure = request.configure;
    stages.interrupt = request.interrupt;
  }

  LogicalResult run(llvm::SourceMgr &sources, MLIRContext &context) {
    LogicalResult done = runStages(sources, context);
    result.times = stages.times;
    return done;
  }

private:
  ParallelizeOptions withSummary(ParallelizeOptions parallelize) {
    parallelize.search.summary = &summary;
    return parallelize;
  }
  LogicalResult fail(const Twine &problem) {
    result.problem = problem.str();
    return failure();
  }
  LogicalResult check(const std::string &problem) {
    return problem.empty() ? success() : fail(problem);
  }

  LogicalResult runStages(llvm::SourceMgr &sources, MLIRContext &context);
  LogicalResult explain(ModuleOp original, StringRef file);
  FailureOr<OwningOpRef<ModuleOp>> keepForShardings(ModuleOp module);
  LogicalResult writeText(ModuleOp module, ModuleOp program);
  LogicalResult writeLibrary(ModuleOp module);
  LogicalResult makeReport(const std::string &library);
  LogicalResult makeReport(ModuleOp module);
  LogicalResult writeReport(runtime::Report &report);

  const Request &request;
  const Options &options;
  Result &result;
  /// Filled by the stages.
  std::optional<PlanSummary> summary;
  Stages stages;
  std::optional<runtime::PartialsReport> partials;
  std::vector<DeviceCode> deviceCode;
};
} // namespace

LogicalResult Compilation::explain(ModuleOp original, StringRef file) {
  if (request.observer)
    request.observer->begin("explain");
  llvm::scope_exit end([&] {
    if (request.observer)
      request.observer->end();
  });
  // What the compilation itself said is not said twice.
  ScopedDiagnosticHandler quiet(original.getContext(), [](Diagnostic &diagnostic) {
    return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
  });
  explain::Request asked{options.import, options.parallelize, options.bucketBytes,
                         getSourceFolders(file)};
  asked.parallelize.savePlan.clear();
  asked.parallelize.search = PlanSearch();
  asked.parallelize.search.seconds = options.parallelize.search.seconds;
  asked.parallelize.search.interrupt = options.parallelize.search.interrupt;
  asked.targetCpu = options.targetCpu;
  asked.targetDevice = options.target;
  asked.interrupt = request.interrupt;
  // The compilation itself lowers them.
  asked.kernels = options.emit >= Target::Kernels;
  FailureOr<explain::Explanation> explanation = explain::explain(original, asked);
  if (failed(explanation))
    return failure();
  explanation->file = file.str();
  result.explanation = std::move(*explanation);
  return success();
}

LogicalResult Compilation::runStages(llvm::SourceMgr &sources, MLIRContext &context) {
  OwningOpRef<ModuleOp> module = stages.parse(sources, context);
  if (!module)
    return failure();
  if (wantsReport(request) && options.emit == Target::Library)
    if (std::optional<double> otherwise = planWireBytesOtherwise(
            *module, options.import, options.parallelize, options.bucketBytes, request.interrupt))
      partials = runtime::PartialsReport{options.import.narrowPartials, *otherwise};
  OwningOpRef<ModuleOp> original, program;
  if (request.wantsExplanation)
    original = module->clone();
  if (options.form == TextForm::Shardings) {
    FailureOr<OwningOpRef<ModuleOp>> kept = keepForShardings(*module);
    if (failed(kept))
      return failure();
    program = std::move(*kept);
  }
  if (failed(stages.run(*module)))
    return failure();
  if (summary && summary->wasInterrupted) {
    InFlightDiagnostic warning = module->emitWarning("the search for a plan was interrupted: the "
                                                     "best one until then takes ")
                                 << llvm::formatv("{0:F6} ms", summary->predictedMs).str();
    if (!summary->fingerprint.empty())
      warning << llvm::formatv(", with a gap of {0:P} to the bound", summary->gap).str();
  }
  StringRef file = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  if (original && failed(explain(*original, file)))
    return failure();
  return options.emit == Target::Library ? writeLibrary(*module)
                                         : writeText(*module, program ? *program : *module);
}

/// The program that shardings are written on. The module's operations get numbers that match.
FailureOr<OwningOpRef<ModuleOp>> Compilation::keepForShardings(ModuleOp module) {
  if (failed(stages.inlineFunctions(module)) || failed(checkForShardings(module)))
    return failure();
  OwningOpRef<ModuleOp> program = module.clone();
  numberOperations(module);
  return program;
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

/// `program` is the text's, which may differ from that of the plan.
LogicalResult Compilation::writeText(ModuleOp module, ModuleOp program) {
  std::string text;
  if (options.form == TextForm::Shardings && failed(writeShardings(program, module)))
    return failure();
  OwningOpRef<ModuleOp> rankProgram;
  if (options.form == TextForm::StableHLO) {
    FailureOr<OwningOpRef<ModuleOp>> written = writeRankProgram(module);
    if (failed(written))
      return failure();
    rankProgram = std::move(*written);
    program = *rankProgram;
  }
  if (options.emit == Target::Device) {
    std::optional<std::string> code = printDeviceCode(module);
    if (!code)
      return failure();
    text = std::move(*code);
  } else {
    llvm::raw_string_ostream os(text);
    // With locations: they belong to the program.
    program->print(os, OpPrintingFlags().enableDebugInfo(true));
  }
  if (wantsReport(request) && failed(makeReport(module)))
    return failure();
  if (!options.output.empty())
    return check(dmc::writeText(options.output, text));
  result.output = std::move(text);
  return success();
}

/// What an assembler said of each kernel and chip, if there is one.
static void addAssembled(ArrayRef<DeviceCode> codes, runtime::DeviceReport &report) {
  for (const DeviceCode &code : codes) {
    if (code.cubin.empty())
      continue;
    AssembledCode assembled = readAssemblerMessages(code.messages, code.chip);
    report.memory.globals = std::max(report.memory.globals.value_or(0), assembled.globalBytes);
    for (runtime::DeviceKernel &kernel : report.kernels) {
      auto found = assembled.kernels.find(kernel.name);
      if (found == assembled.kernels.end())
        continue;
      runtime::KernelUse &use = kernel.uses.emplace_back(found->second);
      use.occupancy = getOccupancy(use, llvm::product_of(kernel.block), kernel.dynamicShared);
    }
  }
}

/// The report of a library that was written.
LogicalResult Compilation::makeReport(const std::string &library) {
  std::string error;
  std::optional<runtime::Library> loaded = runtime::Library::load(library, error);
  if (!loaded)
    return fail(error);
  runtime::Report report = runtime::makeReport(loaded->program(), /*threads=*/1);
  if (report.device)
    addAssembled(deviceCode, *report.device);
  return writeReport(report);
}

/// The report of a text: what is known before there is a program.
LogicalResult Compilation::makeReport(ModuleOp module) {
  runtime::Report report;
  report.isOfProgram = false;
  if (ProgramAttr program = ProgramAttr::of(module); program && program.getMesh())
    report.mesh = program.getMesh().toMesh();
  return writeReport(report);
}

/// Adds what the compilation knows.
LogicalResult Compilation::writeReport(runtime::Report &report) {
  report.compile = stages.times;
  report.partials = partials;
  if (summary) {
    runtime::PlanReport &plan = report.plan.emplace();
    plan.predictedMs = summary->predictedMs;
    plan.boundMs = summary->boundMs;
    plan.provedBoundMs = summary->provedBoundMs;
    plan.gap = summary->gap;
    plan.seconds = summary->seconds;
    plan.isCertified = summary->isCertified;
    plan.wasInterrupted = summary->wasInterrupted;
    plan.fingerprint = summary->fingerprint;
    plan.axesTogether = summary->axesTogether;
    plan.flops = summary->flops;
    plan.peak = static_cast<int64_t>(summary->peakBytes);
    for (const PredictedCollective &row : summary->collectives)
      plan.collectives.push_back({row.kind, row.axes, row.messages, row.wireBytes});
  }
  result.report = runtime::toJson(report);
  if (options.report.empty())
    return success();
  return check(dmc::writeText(options.report, result.report));
}

LogicalResult Compilation::writeLibrary(ModuleOp module) {
  SharedLibraryOptions library;
  library.linker = options.linker;
  library.targetCpu = options.targetCpu;
  library.cacheDir = options.cacheDir;
  library.cacheUse = &result.cacheUse;
  library.deviceCode = &deviceCode;
  library.interrupt = request.interrupt;
  // The linker and the report need a file of a name that this process has not loaded yet: the
  // loader would take the older one for it. What is not a regular file gets a copy.
  bool isInPlace = !options.output.empty() && !support::isStream(options.output);
  support::TemporaryFolder folder;
  std::string path;
  std::optional<llvm::FileRemover> remover;
  if (isInPlace) {
    llvm::SmallString<128> name;
    llvm::sys::fs::createUniquePath(options.output + ".%%%%%%.so", name, /*MakeAbsolute=*/false);
    path = name.str().str();
    remover.emplace(name);
  } else {
    if (failed(check(folder.create("dmc-compile"))))
      return failure();
    path = folder.file("program.so");
  }
  if (failed(stages.writeLibrary(module, path, library)))
    return failure();
  if (wantsReport(request) && failed(makeReport(path)))
    return failure();
  if (isInPlace) {
    if (std::error_code error = llvm::sys::fs::rename(path, options.output))
      return fail("cannot write '" + options.output + "': " + error.message());
    remover->releaseFile();
    return success();
  }
  if (!options.output.empty())
    return check(support::copyToStream(path, options.output));
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail("cannot read '" + path + "': " + buffer.getError().message());
  result.output = (*buffer)->getBuffer().str();
  return success();
}

LogicalResult compiler::compile(const Request &request, llvm::SourceMgr &sources,
                                MLIRContext &context, Result &result) {
  if (std::string problem = checkRequest(request); !problem.empty()) {
    result.problem = std::move(problem);
    return failure();
  }
  return Compilation(request, result).run(sources, context);
}
