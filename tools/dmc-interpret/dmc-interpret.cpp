//===- dmc-interpret.cpp - Runs a program by the reference interpreter ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a program (StableHLO, or of level 0, 1 or 2) and its inputs, global or of
// each rank; prints, writes or compares its results.
//
//===----------------------------------------------------------------------===//
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Import/IndexBounds.h"
#include "dmc/Interpreter/Arrays.h"
#include "dmc/Pipelines/InitAll.h"
#include "dmc/Pipelines/ParseProgram.h"
#include "dmc/Pipelines/Stages.h"
#include "dmc/Runtime/KernelLibrary.h"
#include "dmc/Runtime/Npy.h"
#include "dmc/Support/Progress.h"
#include "dmc/Support/ResultMeta.h"
#include "dmc/Support/VersionPrinter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace dmc;
using namespace dmc::interpreter;
using runtime::Failure;
using support::ArrayFiles;
using support::kDefaultTolerance;

namespace cl = llvm::cl;

static const char overview[] =
    R"(dmc-interpret: runs a program by the reference interpreter

Evaluates a program (StableHLO, TOSA or linalg text, or of level 0, 1 or 2) by plain loops, on one virtual
rank after another where it has several, and prints, writes or compares its results. It is slow and is what
compiled programs are compared with. For instance, on arguments made from a seed, and on files:

  dmc-interpret step.mlir --seed=1 --print
  dmc-interpret step.mlir --input-dir=inputs --expect-dir=expected --meta=meta.json
)";

static cl::OptionCategory category("The program and how it is evaluated");
static cl::OptionCategory arrayCategory("Arguments and results");
static cl::OptionCategory checkCategory("Comparison");
static cl::opt<std::string> program(cl::Positional,
                                    cl::desc("<program.mlir, - for standard input>"), cl::init("-"),
                                    cl::cat(category));
static cl::list<std::string> inputFiles("input", cl::cat(arrayCategory), cl::value_desc("file.npy"),
                                        cl::desc("An argument's value, in order"));
static cl::opt<std::string> inputDir("input-dir", cl::cat(arrayCategory), cl::value_desc("folder"),
                                     cl::desc("Arguments from 000.npy, 001.npy, ..."));
static cl::opt<std::string> inputPrefix("in", cl::cat(arrayCategory), cl::value_desc("prefix"),
                                        cl::desc("Arguments from prefix.in0.npy, ..., or rank by "
                                                 "rank from prefix.r0.in0.npy, ..."));
static cl::opt<uint64_t> seed("seed", cl::cat(arrayCategory),
                              cl::desc("Arguments from a random generator"));
static cl::opt<std::string> outputDir("output-dir", cl::cat(arrayCategory),
                                      cl::value_desc("folder"),
                                      cl::desc("Write results to 000.npy, 001.npy, ..."));
static cl::opt<std::string> outputPrefix("out", cl::cat(arrayCategory), cl::value_desc("prefix"),
                                         cl::desc("Write results to prefix.out0.npy, ..., or rank "
                                                  "by rank to prefix.r0.out0.npy, ..."));
static cl::opt<bool> printResults("print", cl::cat(arrayCategory),
                                  cl::desc("Print results as text"));
static cl::opt<std::string> expectDir("expect-dir", cl::cat(checkCategory),
                                      cl::value_desc("folder"),
                                      cl::desc("Compare results with 000.npy, 001.npy, ..."));
static cl::opt<std::string> meta("meta", cl::cat(checkCategory), cl::value_desc("meta.json"),
                                 cl::desc("Names and tolerances of the results"));
static cl::opt<double> relativeTolerance("rtol", cl::cat(checkCategory),
                                         cl::init(kDefaultTolerance.rtol),
                                         cl::desc("Relative tolerance (floats 1e-5, integers 0)"));
static cl::opt<double> absoluteTolerance("atol", cl::cat(checkCategory),
                                         cl::init(kDefaultTolerance.atol),
                                         cl::desc("Absolute tolerance (floats 1e-6, integers 0)"));
static cl::opt<bool> checkReplicas("check-replicas", cl::cat(category), cl::init(true),
                                   cl::desc("Require equal replicated copies (true)"));
static cl::opt<int64_t> numRanks("ranks", cl::cat(category), cl::init(0),
                                 cl::desc("How many ranks run a program of ranks (with "
                                          "collectives of its own) that does not say it"));
static cl::opt<int64_t> maxIterations("max-iterations", cl::cat(category), cl::init(1000000),
                                      cl::desc("How often all loops together may iterate (default "
                                               "1000000, 0: no limit)"));

static cl::list<std::string>
    customCalls("custom-call", cl::cat(category), cl::value_desc("name[=rule]"),
                cl::desc("Kernels that the program calls by name, as dmc-compile takes them"));
static cl::list<std::string>
    kernelFiles("kernels", cl::cat(category), cl::value_desc("file.so"),
                cl::desc("Take the kernels that the program calls by name from this library"));

static LogicalResult fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "dmc-interpret") << message << "\n";
  return failure();
}

namespace {
/// A result and where it goes.
struct OutputFile {
  std::string path;
  const Parameter &parameter;
  const Tensor &tensor;
};
} // namespace

/// A program that is to be imported is brought to level 0 first, and to level 1 if
/// there are manual computations in it, which ranks do.
static LogicalResult prepare(ModuleOp module) {
  WalkResult foreign = module.walk([](Operation *op) {
    return llvm::is_contained({"stablehlo", "chlo", "sdy", "tosa"},
                              op->getName().getDialectNamespace())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  ImportOptions import;
  import.ranks = numRanks;
  import.kernels.assign(customCalls.begin(), customCalls.end());
  if (foreign.wasInterrupted() && failed(Stages(Target::Tensor, import).run(module)))
    return failure();
  ProgramAttr program = ProgramAttr::of(module);
  bool isManual = program && program.getLevel() == Level::tensor &&
                  module.walk([](ManualOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return isManual ? Stages(Target::Parallel).run(module) : success();
}

static LogicalResult checkOptions() {
  int numSources = !inputFiles.empty() + !inputDir.empty() + !inputPrefix.empty() +
                   (seed.getNumOccurrences() > 0);
  if (numSources > 1)
    return fail("expected one of --input, --input-dir, --in and --seed");
  if (!outputDir.empty() && !outputPrefix.empty())
    return fail("expected one of --output-dir and --out");
  if (numRanks < 0 || (numRanks.getNumOccurrences() && numRanks == 0))
    return fail("--ranks expects a positive number");
  if (maxIterations < 0)
    return fail("--max-iterations expects a number that is not negative");
  if (expectDir.empty() && (!meta.empty() || relativeTolerance.getNumOccurrences() ||
                            absoluteTolerance.getNumOccurrences()))
    return fail("--meta, --rtol and --atol need --expect-dir");
  if (!(relativeTolerance >= 0) || !(absoluteTolerance >= 0))
    return fail("--rtol and --atol expect numbers that are not negative");
  return success();
}

/// Whether each rank has arrays of its own. Files by prefix say it; else it is so
/// for programs of ranks, unless whole results are asked for.
static bool isPerRank(ModuleOp module) {
  if (!inputPrefix.empty()) {
    ArrayFiles files = ArrayFiles::prefix(inputPrefix);
    if (llvm::sys::fs::exists(files.path(0, "in")))
      return false;
    if (llvm::sys::fs::exists(files.path(0, "in", 0)))
      return true;
  }
  return isProgramOfRanks(module) && outputDir.empty() && expectDir.empty();
}

/// As the importer notes it, where a text does not say what its arguments are.
static void boundIndices(ModuleOp module, MutableArrayRef<Parameter> parameters) {
  if (ProgramAttr::of(module))
    return;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isDeclaration() &&
        function.getNumArguments() == parameters.size())
      for (auto [parameter, below] : llvm::zip_equal(parameters, findIndexBounds(function)))
        parameter.below = below;
}

/// Arguments that are the same for all ranks.
static FailureOr<SmallVector<Tensor>> readWholeInputs(ArrayRef<Parameter> parameters) {
  SmallVector<Tensor> inputs(parameters.size());
  if (seed.getNumOccurrences() > 0) {
    for (auto [i, parameter] : llvm::enumerate(parameters))
      inputs[i] = makeRandomTensor(parameter, seed, i);
    return inputs;
  }
  ArrayFiles files =
      !inputPrefix.empty() ? ArrayFiles::prefix(inputPrefix)
      : !inputDir.empty()
          ? ArrayFiles::folder(inputDir)
          : ArrayFiles{ArrayFiles::Kind::List, "", {inputFiles.begin(), inputFiles.end()}};
  bool isList = files.kind == ArrayFiles::Kind::List;
  if (isList && inputFiles.empty() && !parameters.empty())
    return fail("the program has " + Twine(parameters.size()) +
                " arguments: expected --input, --input-dir, --in or --seed");
  if (isList && inputFiles.size() != parameters.size())
    return fail("expected " + Twine(parameters.size()) + " of --input, found " +
                Twine(inputFiles.size()));
  if (Failure problem = readInputs(files, parameters, inputs))
    return fail(*problem);
  return inputs;
}

/// Writes results: all of them or none.
static LogicalResult writeTensors(ArrayRef<OutputFile> outputs) {
  runtime::FileSet files;
  for (const OutputFile &output : outputs)
    if (Failure problem = files.add(output.path, toArray(output.parameter, output.tensor)))
      return fail(*problem);
  if (Failure problem = files.commit())
    return fail(*problem);
  return success();
}

static LogicalResult writeResults(ArrayRef<Parameter> parameters, ArrayRef<Tensor> results) {
  if (outputDir.empty() && outputPrefix.empty())
    return success();
  if (!outputDir.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(outputDir))
      return fail(outputDir + ": " + error.message());
  ArrayFiles files =
      !outputDir.empty() ? ArrayFiles::folder(outputDir) : ArrayFiles::prefix(outputPrefix);
  SmallVector<OutputFile> outputs;
  for (auto [i, parameter, result] : llvm::enumerate(parameters, results))
    outputs.push_back({files.path(i, "out"), parameter, result});
  return writeTensors(outputs);
}

/// Compares with the array in a file; says on stderr what differs.
static LogicalResult compareTensor(const std::string &path, const Parameter &parameter,
                                   const Tensor &tensor, runtime::Tolerance tolerance) {
  runtime::Array got = toArray(parameter, tensor);
  std::string problem;
  std::optional<runtime::Array> want = runtime::readNpy(path, problem);
  if (!want)
    return fail(problem);
  if (Failure mismatch = runtime::matchArray(*want, got.type, got.shape))
    return fail(path + ": " + *mismatch);
  runtime::Comparison comparison = runtime::compare(got, *want, tolerance);
  if (comparison.passed)
    return success();
  return fail(path + " (" + parameter.name + "): " + comparison.message);
}

static LogicalResult compareResults(ArrayRef<Parameter> parameters, ArrayRef<Tensor> results) {
  if (expectDir.empty())
    return success();
  std::optional<std::vector<support::ResultMeta>> given;
  std::string error;
  if (!meta.empty()) {
    given = support::readResultMeta(meta, error);
    if (!given)
      return fail(error);
  }
  if (given && given->size() != results.size())
    return fail(meta + ": expected " + Twine(results.size()) + " results, found " +
                Twine(given->size()));
  ArrayFiles files = ArrayFiles::folder(expectDir);
  size_t numDiffering = 0;
  for (auto [i, parameter, result] : llvm::enumerate(parameters, results)) {
    uint32_t type = getElementType(parameter.type.getElementType());
    runtime::Tolerance tolerance =
        given ? (*given)[i].getTolerance(type) : support::getDefaultTolerance(type);
    if (relativeTolerance.getNumOccurrences())
      tolerance.rtol = relativeTolerance;
    if (absoluteTolerance.getNumOccurrences())
      tolerance.atol = absoluteTolerance;
    numDiffering += failed(compareTensor(files.path(i, "out"), parameter, result, tolerance));
  }
  if (numDiffering)
    return fail(Twine(numDiffering) + " of " + Twine(results.size()) + " results differ");
  llvm::outs() << "all " << results.size() << " results agree\n";
  return success();
}

static void printResult(size_t index, const Parameter &parameter, const Tensor &result,
                        const Twine &owner = "") {
  llvm::outs() << "result " << index << owner;
  if (!parameter.name.empty())
    llvm::outs() << " \"" << parameter.name << '"';
  llvm::outs() << ": ";
  print(llvm::outs(), result);
  llvm::outs() << "\n";
}

/// Every rank has arguments and results of its own.
static LogicalResult runRanks(ModuleOp module, const Options &options) {
  if (!outputDir.empty() || !expectDir.empty())
    return fail("--output-dir and --expect-dir hold whole arrays, but the arguments are given "
                "rank by rank");
  FailureOr<Signature> signature = getLocalSignature(module);
  if (failed(signature))
    return failure();
  RankTensors inputs;
  if (!inputPrefix.empty()) {
    if (Failure problem = readRankInputs(ArrayFiles::prefix(inputPrefix), *signature, inputs))
      return fail(*problem);
  } else {
    FailureOr<SmallVector<Tensor>> common = readWholeInputs(signature->arguments);
    if (failed(common))
      return failure();
    inputs.assign(signature->numRanks, *common);
  }
  FailureOr<RankTensors> results = interpretRanks(module, inputs, options);
  if (failed(results))
    return failure();
  SmallVector<OutputFile> outputs;
  for (auto [rank, tensors] : llvm::enumerate(*results))
    for (auto [i, parameter, result] : llvm::enumerate(signature->results, tensors)) {
      if (printResults)
        printResult(i, parameter, result, " of rank " + Twine(rank));
      if (!outputPrefix.empty())
        outputs.push_back(
            {ArrayFiles::prefix(outputPrefix).path(i, "out", rank), parameter, result});
    }
  return writeTensors(outputs);
}

/// The kernels of the libraries that are given.
static LogicalResult findKernels(Options &options) {
  std::vector<runtime::KernelLibrary> libraries;
  for (const std::string &file : kernelFiles) {
    std::string error;
    auto library = runtime::KernelLibrary::open(file, error);
    if (!library)
      return fail(error);
    libraries.push_back(*library);
  }
  if (!libraries.empty())
    options.findKernel = [libraries](const std::string &name) -> dmc_custom_kernel_fn {
      for (const runtime::KernelLibrary &library : libraries)
        if (dmc_custom_kernel_fn function = library.find(name))
          return function;
      return nullptr;
    };
  return success();
}

static LogicalResult run(ModuleOp module) {
  if (failed(prepare(module)))
    return failure();
  Options options;
  options.checkReplicas = checkReplicas;
  options.maxIterations = maxIterations;
  if (failed(findKernels(options)))
    return failure();
  support::Progress progress("dmc-interpret", "interpreting " + program);
  if (isPerRank(module))
    return runRanks(module, options);
  FailureOr<Signature> signature = getSignature(module);
  if (failed(signature))
    return failure();
  boundIndices(module, signature->arguments);
  FailureOr<SmallVector<Tensor>> inputs = readWholeInputs(signature->arguments);
  if (failed(inputs))
    return failure();
  FailureOr<SmallVector<Tensor>> results = interpret(module, *inputs, options);
  if (failed(results))
    return failure();
  if (printResults)
    for (auto [i, parameter, result] : llvm::enumerate(signature->results, *results))
      printResult(i, parameter, result);
  if (failed(writeResults(signature->results, *results)))
    return failure();
  return compareResults(signature->results, *results);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerVersionPrinter();
  cl::HideUnrelatedOptions({&category, &arrayCategory, &checkCategory});
  cl::ParseCommandLineOptions(argc, argv, overview);

  if (failed(checkOptions()))
    return 1;
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
  OwningOpRef<ModuleOp> module = parseProgram(sources, context);
  return !module || failed(run(*module));
}
