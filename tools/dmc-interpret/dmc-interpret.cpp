//===- dmc-interpret.cpp - Runs a program by the reference interpreter ----===//
//
// Reads a program (StableHLO, or of level 0, 1 or 2) and its global inputs; prints,
// writes or compares its results.
//
//===----------------------------------------------------------------------===//
#include "Files.h"

#include "dmc/Pipelines/InitAll.h"
#include "dmc/Pipelines/Pipelines.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;

namespace cl = llvm::cl;

static cl::OptionCategory category("dmc-interpret");
static cl::opt<std::string> program(cl::Positional, cl::desc("<program.mlir>"), cl::init("-"),
                                    cl::cat(category));
static cl::list<std::string> inputFiles("input", cl::cat(category), cl::value_desc("file.npy"),
                                        cl::desc("An argument's value, in order"));
static cl::opt<std::string> inputDir("input-dir", cl::cat(category), cl::value_desc("folder"),
                                     cl::desc("Arguments from 000.npy, 001.npy, ..."));
static cl::opt<std::string> inputPrefix("in", cl::cat(category), cl::value_desc("prefix"),
                                        cl::desc("Arguments from prefix.in0.npy, ..."));
static cl::opt<uint64_t> seed("seed", cl::cat(category),
                              cl::desc("Arguments from a random generator"));
static cl::opt<std::string> outputDir("output-dir", cl::cat(category), cl::value_desc("folder"),
                                      cl::desc("Write results to 000.npy, 001.npy, ..."));
static cl::opt<std::string> outputPrefix("out", cl::cat(category), cl::value_desc("prefix"),
                                         cl::desc("Write results to prefix.out0.npy, ..."));
static cl::opt<bool> printResults("print", cl::cat(category), cl::desc("Print results as text"));
static cl::opt<std::string> expectDir("expect-dir", cl::cat(category), cl::value_desc("folder"),
                                      cl::desc("Compare results with 000.npy, 001.npy, ..."));
static cl::opt<std::string> meta("meta", cl::cat(category), cl::value_desc("meta.json"),
                                 cl::desc("Absolute tolerance of each result"));
static cl::opt<double> relativeTolerance("rtol", cl::cat(category), cl::init(1e-5),
                                         cl::desc("Relative tolerance (1e-5)"));
static cl::opt<double> absoluteTolerance("atol", cl::cat(category), cl::init(1e-6),
                                         cl::desc("Absolute tolerance (1e-6)"));
static cl::opt<bool> checkReplicas("check-replicas", cl::cat(category), cl::init(true),
                                   cl::desc("Require equal replicated copies (true)"));

static LogicalResult fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "dmc-interpret") << message << "\n";
  return failure();
}

/// `<folder>/007.npy`, as the models' folders have them.
static std::string getNumbered(StringRef folder, size_t i) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, llvm::formatv("{0,0+3}.npy", i).str());
  return path.str().str();
}

/// A StableHLO program is brought to level 0 first.
static LogicalResult importIfNeeded(ModuleOp module) {
  WalkResult foreign = module.walk([](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    return dialect == "stablehlo" || dialect == "chlo" ? WalkResult::interrupt()
                                                       : WalkResult::advance();
  });
  if (!foreign.wasInterrupted())
    return success();
  PassManager pm(module.getContext());
  buildImportPipeline(pm);
  return pm.run(module);
}

static FailureOr<SmallVector<Tensor>> readInputs(ArrayRef<Parameter> parameters) {
  int ways = !inputFiles.empty() + !inputDir.empty() + !inputPrefix.empty() +
             (seed.getNumOccurrences() > 0);
  if (ways > 1)
    return fail("expected one of --input, --input-dir, --in and --seed");
  if (ways == 0 && !parameters.empty())
    return fail("the program has " + Twine(parameters.size()) +
                " arguments: expected --input, --input-dir, --in or --seed");
  if (!inputFiles.empty() && inputFiles.size() != parameters.size())
    return fail("expected " + Twine(parameters.size()) + " of --input, found " +
                Twine(inputFiles.size()));
  SmallVector<Tensor> inputs;
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (seed.getNumOccurrences() > 0) {
      inputs.push_back(makeRandomTensor(parameter, seed, i));
      continue;
    }
    std::string path = !inputFiles.empty() ? inputFiles[i]
                       : !inputDir.empty() ? getNumbered(inputDir, i)
                                           : inputPrefix + ".in" + std::to_string(i) + ".npy";
    FailureOr<Tensor> tensor = readTensor(path, parameter);
    if (failed(tensor))
      return failure();
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

static LogicalResult writeResults(ArrayRef<Parameter> parameters, ArrayRef<Tensor> results) {
  if (outputDir.empty() && outputPrefix.empty())
    return success();
  if (!outputDir.empty() && !outputPrefix.empty())
    return fail("expected one of --output-dir and --out");
  if (!outputDir.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(outputDir))
      return fail(outputDir + ": " + error.message());
  SmallVector<std::string> paths;
  for (size_t i = 0; i < results.size(); ++i)
    paths.push_back(!outputDir.empty() ? getNumbered(outputDir, i)
                                       : outputPrefix + ".out" + std::to_string(i) + ".npy");
  return writeTensors(paths, parameters, results);
}

static LogicalResult compareResults(ArrayRef<Parameter> parameters, ArrayRef<Tensor> results) {
  if (expectDir.empty())
    return meta.empty() ? success() : fail("--meta needs --expect-dir");
  if (!meta.empty() && absoluteTolerance.getNumOccurrences() > 0)
    return fail("expected one of --meta and --atol");
  std::vector<double> tolerances(results.size(), absoluteTolerance);
  if (!meta.empty()) {
    FailureOr<std::vector<double>> read = readTolerances(meta, results.size());
    if (failed(read))
      return failure();
    tolerances = *read;
  }
  size_t numDiffering = 0;
  for (auto [i, parameter, result] : llvm::enumerate(parameters, results))
    numDiffering += failed(compareTensor(getNumbered(expectDir, i), parameter, result,
                                         relativeTolerance, tolerances[i]));
  if (numDiffering)
    return fail(Twine(numDiffering) + " of " + Twine(results.size()) + " results differ");
  llvm::outs() << "all " << results.size() << " results agree\n";
  return success();
}

static LogicalResult run(ModuleOp module) {
  if (failed(importIfNeeded(module)))
    return failure();
  FailureOr<Signature> signature = getSignature(module);
  if (failed(signature))
    return failure();
  FailureOr<SmallVector<Tensor>> inputs = readInputs(signature->arguments);
  if (failed(inputs))
    return failure();
  Options options;
  options.checkReplicas = checkReplicas;
  FailureOr<SmallVector<Tensor>> results = interpret(module, *inputs, options);
  if (failed(results))
    return failure();
  if (printResults)
    for (auto [i, parameter, result] : llvm::enumerate(signature->results, *results)) {
      llvm::outs() << "result " << i;
      if (!parameter.name.empty())
        llvm::outs() << " \"" << parameter.name << '"';
      llvm::outs() << ": ";
      print(llvm::outs(), result);
      llvm::outs() << "\n";
    }
  if (failed(writeResults(signature->results, *results)))
    return failure();
  return compareResults(signature->results, *results);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Reference interpreter of dmc programs\n");

  DialectRegistry registry;
  dmc::registerAllDialects(registry);
  registry.insert<affine::AffineDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Other dialects' operations are refused by name, not by the parser.
  context.allowUnregisteredDialects();
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(program, /*IsText=*/true);
  if (!file) {
    (void)fail(program + ": " + file.getError().message());
    return 1;
  }
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  return !module || failed(run(*module));
}
