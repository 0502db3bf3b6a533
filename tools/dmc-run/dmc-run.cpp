//===- dmc-run.cpp - Runs a compiled program ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a step of a program on all its ranks, on arrays from .npy files, and
// compares, times and reports. Compiles first if it is given MLIR.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

#include "dmc/Machine/ThreadRates.h"
#include "dmc/Runtime/KernelLibrary.h"
#include "dmc/Runtime/Npy.h"
#include "dmc/Runtime/State.h"
#include "dmc/Support/ArrayFiles.h"
#include "dmc/Support/Files.h"
#include "dmc/Support/Progress.h"
#include "dmc/Support/ResultMeta.h"
#include "dmc/Support/VersionPrinter.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <sys/resource.h>

using namespace dmc;
using namespace dmc::run;
using namespace dmc::runtime;
using namespace dmc::support;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static const char overview[] =
    R"(dmc-run: runs a step of a program on all its ranks

Loads a program that dmc-compile wrote, or compiles a text first, runs a step with the ranks as threads or as
processes, and writes, compares or times the results. The arguments are .npy files, or made from a seed.
Prints what was moved and how long it took. For instance:

  dmc-run step.so --input-dir=inputs --expect-dir=expected --meta=meta.json
  dmc-run step.mlir --mesh=data=4 --strategy=data_parallel --bench=20 --report=report.json
  mpirun -n 4 dmc-run step.so --engine=mpi --in=arrays/step --out=arrays/step
)";

static cl::OptionCategory programCategory("The program; of a text, how it is compiled");
static cl::OptionCategory arrayCategory("Arguments, results and states");
static cl::OptionCategory checkCategory("Comparison");
static cl::OptionCategory category("The run and its report");

static cl::list<std::string>
    positional(cl::Positional, cl::ZeroOrMore,
               cl::desc("<PROGRAM.so | IN.mlir | - for a text on standard input>"),
               cl::cat(programCategory));
static cl::opt<std::string> inputDir("input-dir", cl::value_desc("dir"), cl::cat(arrayCategory),
                                     cl::desc("Read the arguments from DIR/000.npy, ..."));
static cl::list<std::string> inputFiles("input", cl::value_desc("file"), cl::cat(arrayCategory),
                                        cl::desc("Read the arguments from these files, in order"));
static cl::opt<std::string> inPrefix("in", cl::value_desc("prefix"), cl::cat(arrayCategory),
                                     cl::desc("Read the arguments from PREFIX.in0.npy, ..., or "
                                              "rank by rank from PREFIX.r0.in0.npy, ..."));
static cl::opt<std::string> outputDir("output-dir", cl::value_desc("dir"), cl::cat(arrayCategory),
                                      cl::desc("Write the results to DIR/000.npy, ..."));
static cl::opt<std::string> outPrefix("out", cl::value_desc("prefix"), cl::cat(arrayCategory),
                                      cl::desc("Write the results to PREFIX.out0.npy, ..."));
static cl::opt<std::string> expectDir("expect-dir", cl::value_desc("dir"), cl::cat(checkCategory),
                                      cl::desc("Compare the results with DIR/000.npy, ..."));
static cl::opt<std::string> metaFile("meta", cl::value_desc("file"), cl::cat(checkCategory),
                                     cl::desc("Take the results' names and tolerances from there"));
static cl::opt<double>
    relativeTolerance("rtol", cl::init(kDefaultTolerance.rtol), cl::cat(checkCategory),
                      cl::desc("Relative tolerance of the comparison (floats 1e-5, integers 0)"));
static cl::opt<double>
    absoluteTolerance("atol", cl::init(kDefaultTolerance.atol), cl::cat(checkCategory),
                      cl::desc("Absolute tolerance of the comparison (floats 1e-6, integers 0)"));
static cl::opt<int64_t> ranks("ranks", cl::init(0), cl::cat(programCategory),
                              cl::desc("The number of ranks that the program must have"));
static cl::opt<uint64_t> seed("seed", cl::init(1), cl::cat(arrayCategory),
                              cl::desc("Seed of arguments that are made up for want of files"));
static cl::opt<int> bench("bench", cl::init(0), cl::value_desc("runs"), cl::cat(category),
                          cl::desc("Time that many steps after the first, whose results are "
                                   "those that are written and compared; each has the donated "
                                   "arguments that the one before left"));
static cl::opt<std::string> reportFile("report", cl::value_desc("file"), cl::cat(category),
                                       cl::desc("Write the report there, as JSON"));
static cl::opt<std::string>
    mesh("mesh", cl::value_desc("mesh"), cl::cat(programCategory),
         cl::desc("Of a text: axes and sizes of the mesh, as dmc-compile takes them"));
static cl::opt<std::string> layouts("layouts", cl::value_desc("file"), cl::cat(programCategory),
                                    cl::desc("Of a text: JSON file of layouts by case"));
static cl::opt<std::string> shardingCase("case", cl::value_desc("name"), cl::cat(programCategory),
                                         cl::desc("Of a text: the case to take of --layouts"));
static cl::list<std::string> tactics("tactics", cl::value_desc("file"), cl::cat(programCategory),
                                     cl::desc("Of a text: tactics or a saved plan"));
static cl::opt<std::string> entry("entry", cl::value_desc("name"), cl::cat(programCategory),
                                  cl::desc("Of a text: the public function to run"));
static cl::list<std::string> strategies("strategy", cl::value_desc("name"),
                                        cl::cat(programCategory),
                                        cl::desc("Of a text: a named strategy"));
static cl::list<std::string>
    customCalls("custom-call", cl::value_desc("name[=rule]"), cl::cat(programCategory),
                cl::desc("Of a text: kernels that it calls by name, as dmc-compile takes them"));
static cl::list<std::string>
    kernelFiles("kernels", cl::value_desc("file.so"), cl::cat(category),
                cl::desc("Take the kernels that the program calls by name from this library"));
static cl::opt<std::string> machine(
    "machine", cl::value_desc("file|link=...,latency=..."), cl::cat(category),
    cl::desc("The machine, as dmc-compile takes it: its rates decide where threads are woken, "
             "and --profile shows shares of them; of a text, it is compiled for it"));
static cl::opt<double> watchdog("watchdog", cl::value_desc("seconds"), cl::cat(category),
                                cl::desc("Report a hang after so long without progress (default "
                                         "60, 0: never)"));

/// LLVM's library has an option of this name for its own tools.
[[maybe_unused]] static const bool isThreadsFree = [] {
  auto &options = cl::getRegisteredOptions();
  if (auto found = options.find("threads"); found != options.end())
    found->second->removeArgument();
  return true;
}();
static cl::opt<int> threads("threads", cl::init(0), cl::value_desc("number"), cl::cat(category),
                            cl::desc("Threads of each rank (default: processors / ranks)"));
static cl::opt<bool> deterministic(
    "deterministic", cl::cat(category),
    cl::desc("The same bits for any number of threads: library calls use one thread each"));
static cl::opt<std::string>
    profile("profile", cl::ValueOptional, cl::value_desc("file"), cl::cat(category),
            cl::desc("Print where the time of the steps goes: kernels, library calls, collectives; "
                     "with a file, write the last step there as a trace for Perfetto"));

static cl::opt<std::string>
    engine("engine", cl::init("local"), cl::value_desc("local|mpi|tcp"), cl::cat(category),
           cl::desc("Run the ranks as threads of this process (local, the default), or as the "
                    "processes that mpirun (mpi), torchrun or srun starts (tcp)"));
static cl::opt<std::string>
    target("target", cl::value_desc("cuda:sm_90a"), cl::cat(programCategory),
           cl::desc("Of a text: what it is compiled for, as dmc-compile takes it"));
static cl::opt<DeviceChoice> device(
    "device", cl::init(DeviceChoice::Installed), cl::cat(category),
    cl::desc("What runs the kernels of a program that is compiled for CUDA devices:"),
    cl::values(clEnumValN(DeviceChoice::Installed, "cuda", "the devices of the installed driver"),
               clEnumValN(DeviceChoice::Simulated, "simulated",
                          "simulated ones, which check every access")));
static cl::opt<bool>
    graph("graph", cl::cat(category),
          cl::desc("Launch a step on CUDA devices as one graph; an error where the host has to "
                   "wait for values within the step"));
static cl::opt<std::string> loadFolder("load-state", cl::value_desc("dir"), cl::cat(arrayCategory),
                                       cl::desc("Read the arguments that it has from this state, "
                                                "whatever plan wrote it"));
static cl::opt<std::string> saveFolder("save-state", cl::value_desc("dir"), cl::cat(arrayCategory),
                                       cl::desc("Write the donated arguments, as the step has "
                                                "left them, to this new folder, a file per "
                                                "shard"));

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Only one of the options that name files may be used.
static Failure chooseFiles(ArrayFiles &in, ArrayFiles &out) {
  std::vector<std::string> extra(positional.begin() + 1, positional.end());
  if (!extra.empty() && inputFiles.empty())
    return "unexpected argument \"" + extra.front() + "\", expected one program";
  int numSources = !inputDir.empty() + !inputFiles.empty() + !inPrefix.empty();
  if (numSources > 1)
    return std::string("expected one of --input-dir, --input and --in");
  if (!outputDir.empty() && !outPrefix.empty())
    return std::string("expected one of --output-dir and --out");
  if (!inputDir.empty())
    in = {ArrayFiles::Kind::Folder, inputDir, {}};
  else if (!inPrefix.empty())
    in = {ArrayFiles::Kind::Prefix, inPrefix, {}};
  else if (!inputFiles.empty())
    in = {ArrayFiles::Kind::List, "", {inputFiles.begin(), inputFiles.end()}};
  in.list.insert(in.list.end(), extra.begin(), extra.end());
  if (!outputDir.empty())
    out = {ArrayFiles::Kind::Folder, outputDir, {}};
  else if (!outPrefix.empty())
    out = {ArrayFiles::Kind::Prefix, outPrefix, {}};
  return std::nullopt;
}

static Failure checkOptions(const ArrayFiles &in, const ArrayFiles &out) {
  if (bench < 0 || (bench.getNumOccurrences() && bench == 0))
    return std::string("--bench expects a positive number of runs");
  int processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (threads.getNumOccurrences() && (threads <= 0 || threads > processors))
    return "--threads expects a number from 1 to " + std::to_string(processors) +
           ", the processors of this machine, found " + std::to_string(threads);
  if (ranks.getNumOccurrences() && ranks <= 0)
    return std::string("--ranks expects a positive number");
  if (!(relativeTolerance >= 0) || !(absoluteTolerance >= 0) || !(watchdog >= 0))
    return std::string("--rtol, --atol and --watchdog expect numbers that are not negative");
  if (expectDir.empty() && (!metaFile.empty() || relativeTolerance.getNumOccurrences() ||
                            absoluteTolerance.getNumOccurrences()))
    return std::string("--meta, --rtol and --atol need --expect-dir");
  for (const std::string &folder : {inputDir.getValue(), expectDir.getValue()})
    if (!folder.empty() && !llvm::sys::fs::is_directory(folder))
      return folder + ": is not a directory";
  auto checkOutput = [](const std::string &path) -> Failure {
    std::string why = checkWritable(path);
    return why.empty() ? Failure() : path + ": cannot write: " + why;
  };
  if (out.kind == ArrayFiles::Kind::Folder) {
    // It is created only once there is something to write.
    if (auto why = llvm::sys::fs::is_directory(out.base) ? checkOutput(out.path(0, "out"))
                                                         : checkOutput(out.base))
      return why;
    if (llvm::sys::fs::exists(out.base) && !llvm::sys::fs::is_directory(out.base))
      return out.base + ": is not a directory";
  } else if (out.kind == ArrayFiles::Kind::Prefix) {
    if (auto why = checkOutput(out.path(0, "out")))
      return why;
  }
  if (!saveFolder.empty())
    if (auto why = checkNewFolder(saveFolder))
      return why;
  for (const std::string &file : {reportFile.getValue(), profile.getValue()})
    if (!file.empty())
      if (auto why = checkOutput(file))
        return why;
  return std::nullopt;
}

static std::optional<Library> loadProgram(const char *argv0, CompileTimes &times,
                                          std::string &error) {
  const std::string &path = positional[0];
  llvm::StringRef extension = llvm::sys::path::extension(path);
  bool isText = path == "-" || extension == ".mlir" || extension == ".mlirbc";
  if (isText) {
    if (path != "-" && !llvm::sys::fs::exists(path)) {
      error = path + ": cannot open: No such file or directory";
      return std::nullopt;
    }
    if (engine != "local") {
      error = path + ": unsupported with --engine=" + engine +
              ": expected a compiled program (dmc-compile writes one)";
      return std::nullopt;
    }
    static int anchor;
    return compile({path, mesh, layouts, shardingCase, ranks, tactics, strategies, machine, target,
                    entry, customCalls},
                   llvm::sys::fs::getMainExecutable(argv0, &anchor), times, error);
  }
  if (!mesh.empty() || !layouts.empty() || !shardingCase.empty() || !tactics.empty() ||
      !strategies.empty() || !target.empty() || !entry.empty() || !customCalls.empty()) {
    error = "--mesh, --layouts, --case, --tactics, --strategy, --entry, --target and --custom-call "
            "need a program to compile, " +
            path + " is compiled";
    return std::nullopt;
  }
  return Library::load(path, error);
}

/// A rank program imported with its collectives has arrays of its own on every
/// rank; they are told from whole ones by their files.
static bool isPerRank(const ArrayFiles &in, const dmc_program &program, int64_t numRanks) {
  if (in.kind != ArrayFiles::Kind::Prefix)
    return false;
  if (program.num_arguments == 0)
    return ranks > 1 && numRanks > 1;
  return !llvm::sys::fs::exists(in.path(0, "in")) && llvm::sys::fs::exists(in.path(0, "in", 0));
}

static int64_t countPageFaults() {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? int64_t(usage.ru_minflt) + usage.ru_majflt : 0;
}

/// Runs and times steps, each on the donated arguments that the one before left.
static Failure runSteps(Session &session, Job &job, int steps, StepTimes &times,
                        Profile &profiled) {
  Progress progress("dmc-run", "running " + positional[0]);
  std::vector<double> milliseconds;
  milliseconds.reserve(static_cast<size_t>(steps)); // allocations are counted
  for (int i = 0; i < steps; ++i) {
    // All processes start together; the step takes as long as the slowest one.
    auto meet = [&] { return job.transport() ? job.transport()->agree(std::nullopt) : Failure(); };
    if (auto why = meet())
      return why;
    int64_t faults = countPageFaults(), allocations = countAllocations();
    auto start = std::chrono::steady_clock::now();
    if (auto why = session.step())
      return why;
    if (auto why = meet())
      return why;
    milliseconds.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
    if (profile.getNumOccurrences()) {
      profiled.addCounts(countPageFaults() - faults, countAllocations() - allocations);
      profiled.add(session.profile());
    }
  }
  times = summarize(std::move(milliseconds));
  return std::nullopt;
}

namespace {
/// What the options say, checked.
struct Request {
  ArrayFiles in, out;
  std::optional<std::vector<ResultMeta>> meta;
  SessionOptions options;
  std::optional<StateReader> state;
  CompileTimes compileTimes;
  std::optional<Machine> machine;
  bool perRank = false;
};
} // namespace

/// Everything that can be said before the program is loaded.
static Failure readOptions(Request &request) {
  if (auto why = chooseFiles(request.in, request.out))
    return why;
  if (auto why = checkOptions(request.in, request.out))
    return why;
  std::string error;
  if (!metaFile.empty()) {
    request.meta = readResultMeta(metaFile, error);
    if (!request.meta)
      return error;
  }
  auto options = SessionOptions::fromEnvironment(error);
  if (!options)
    return error;
  request.options = *options;
  if (watchdog.getNumOccurrences())
    request.options.watchdogSeconds = watchdog;
  request.options.threadsPerRank = threads;
  request.options.deterministic = deterministic;
  request.options.device = device;
  request.options.graph = graph;
  if (!machine.empty()) {
    request.machine = parseMachine(machine, error);
    if (!request.machine)
      return "in --machine: " + error;
    ThreadRates rates = getThreadRates(*request.machine);
    request.options.threadBytesPerSecond = rates.bytes;
    request.options.threadFlopsPerSecond = rates.flops;
    request.options.leastDividedFlops = rates.leastDividedFlops;
  }
  request.options.profile = profile.getNumOccurrences() > 0;
  if (!loadFolder.empty()) {
    request.state = StateReader::open(loadFolder, error);
    if (!request.state)
      return error;
  }
  return std::nullopt;
}

static Failure checkProgram(const dmc_program &program, Request &request) {
  int64_t numRanks = meshOf(program).numRanks();
  // Whole arrays by prefix are of one device, whatever the program's mesh.
  bool isSingleRank = ranks == 1 && request.in.kind == ArrayFiles::Kind::Prefix;
  if (ranks.getNumOccurrences() && ranks != numRanks && !isSingleRank)
    return "--ranks is " + std::to_string(ranks) + ", but the program has " +
           std::to_string(numRanks);
  if (request.meta && request.meta->size() != program.num_results)
    return metaFile + ": has " + std::to_string(request.meta->size()) +
           " results, but the program " + std::to_string(program.num_results);
  request.perRank = isPerRank(request.in, program, numRanks);
  if (request.perRank && !expectDir.empty())
    return std::string("--expect-dir holds whole arrays, but the arguments are given rank by rank");
  if (request.perRank && (!loadFolder.empty() || !saveFolder.empty()))
    return std::string("unsupported: a state of arguments that are given rank by rank, expected "
                       "whole arrays");
  return std::nullopt;
}

static Failure setArguments(Session &session, const Request &request) {
  Progress progress("dmc-run", "reading the arguments");
  std::set<uint32_t> filled;
  if (request.state)
    if (auto why = loadState(session, *request.state, filled))
      return loadFolder + ": " + *why;
  return setInputs(session, request.in, request.perRank, seed, filled);
}

/// Compares a result with that of --expect-dir.
static Failure check(const Array &result, size_t number, const Session &session,
                     const Request &request, CheckReport &report) {
  ArrayFiles files{ArrayFiles::Kind::Folder, expectDir, {}};
  std::string error, path = files.path(number, "out");
  auto want = readNpy(path, error);
  if (!want)
    return error;
  const char *given = session.program().results[number].name;
  std::string name = request.meta      ? (*request.meta)[number].name
                     : given && *given ? given
                                       : "result" + std::to_string(number);
  if (auto why = matchArray(*want, result.type, result.shape))
    return "result " + std::to_string(number) + " (" + name + ") from " + path + ": " + *why;
  Tolerance tolerance = request.meta ? (*request.meta)[number].getTolerance(result.type)
                                     : getDefaultTolerance(result.type);
  if (relativeTolerance.getNumOccurrences())
    tolerance.rtol = relativeTolerance;
  if (absoluteTolerance.getNumOccurrences())
    tolerance.atol = absoluteTolerance;
  Comparison comparison = compare(result, *want, tolerance);
  report.results.push_back({name, comparison.passed, comparison.maxAbsError});
  report.passed &= comparison.passed;
  if (!comparison.passed)
    std::fprintf(stderr, "dmc-run: result %zu (%s): %s\n", number, name.c_str(),
                 comparison.message.c_str());
  return std::nullopt;
}

/// Whether as many results are expected as there are.
static Failure checkExpected(const Session &session) {
  if (!expectDir.empty() && session.isHere(0))
    if (size_t found = countNumbered(expectDir); found != session.program().num_results)
      return "expected " + std::to_string(session.program().num_results) + " results, found " +
             std::to_string(found) + " in " + expectDir;
  return std::nullopt;
}

namespace {
/// The folder of --output-dir: if it is new, it stays only with files in it.
class OutputFolder {
public:
  ~OutputFolder() {
    if (!created.empty())
      (void)llvm::sys::fs::remove(created); // does nothing to a folder that is not empty
  }
  Failure create(const ArrayFiles &out) {
    if (out.kind != ArrayFiles::Kind::Folder || llvm::sys::fs::is_directory(out.base))
      return std::nullopt;
    if (auto code = llvm::sys::fs::create_directory(out.base))
      return out.base + ": cannot write: " + code.message();
    created = out.base;
    return std::nullopt;
  }
  void keep() { created.clear(); }

private:
  std::string created;
};
} // namespace

/// The results of each rank of this process.
static Failure writeLocalResults(const Session &session, const ArrayFiles &out, FileSet &files) {
  for (int64_t rank = 0; rank < session.numRanks(); ++rank)
    for (uint32_t i = 0; i < session.program().num_results && session.isHere(rank); ++i) {
      std::string error;
      auto array = session.localResult(rank, i, error);
      if (!array)
        return error;
      if (auto why = files.add(out.path(i, "out", rank), *array))
        return why;
    }
  return std::nullopt;
}

/// Compares and writes the whole results, which the first process has: one at a time, so that
/// memory holds no copy of all of them. What nobody asked for is checked on the ranks alone.
/// `report` is null unless results are compared here.
static Failure takeResults(const Session &session, const Request &request, FileSet &files,
                           CheckReport *report) {
  bool isWritten = request.out.kind != ArrayFiles::Kind::None;
  if (request.perRank)
    return isWritten ? writeLocalResults(session, request.out, files) : Failure();
  Failure first;
  for (uint32_t i = 0; i < session.program().num_results; ++i) {
    if (!isWritten && expectDir.empty()) {
      if (auto why = session.checkResultCopies(i))
        return why;
      continue;
    }
    // All processes take part in it, also after one has failed to read or write a file.
    std::string error;
    auto result = session.resultView(i, error);
    if (!result)
      return error;
    if (!first && report)
      first = check(*result, i, session, request, *report);
    if (!first && isWritten && session.isHere(0))
      first = files.add(request.out.path(i, "out"), *result);
  }
  return first;
}

/// What a rank reaches at best: of the machine that was given, else what a copy does now.
static ProfileLimits findLimits(const Session &session, const Request &request) {
  int threads = session.threadsPerRank();
  bool isOnDevice = session.program().device != DMC_DEVICE_HOST;
  if (!request.machine)
    return {isOnDevice ? session.measureDeviceCopyRate() : measureCopyRate(threads)};
  if (isOnDevice)
    return {request.machine->device.memoryBytesPerSecond, request.machine->getFlops("f32")};
  // Ranks that are threads of a process share what a device of all their threads reaches.
  int64_t here = 0;
  for (int64_t rank = 0; rank < session.numRanks(); ++rank)
    here += session.isHere(rank);
  auto share = [&](std::optional<double> all, double ofDevice) {
    return all ? *all / static_cast<double>(here) : ofDevice;
  };
  const Machine &machine = *request.machine;
  return {share(machine.getCopyRate(threads * here), machine.device.memoryBytesPerSecond),
          share(machine.getMatmulRate("f32", threads * here), machine.getFlops("f32"))};
}

/// All files get their names, or none: every process has written its own by then.
static Failure commitFiles(FileSet &files, StateFolder &state) {
  if (auto why = files.commit())
    return why;
  return saveFolder.empty() ? Failure() : state.commit();
}

/// 0, or 1 after having said why.
static int runProgram(Job &job, const char *argv0) {
  Request request;
  if (job.failed(readOptions(request)))
    return 1;
  request.options.transport = job.transport();
  std::string error;
  auto library = loadProgram(argv0, request.compileTimes, error);
  if (job.failed(library ? Failure() : error))
    return 1;
  const dmc_program &program = library->program();
  if (job.failed(checkProgram(program, request)))
    return 1;
  for (const std::string &file : kernelFiles) {
    auto kernels = KernelLibrary::open(file, error);
    if (job.failed(kernels ? Failure() : error))
      return 1;
    kernels->addKernels(program, request.options.kernels);
  }
  auto session = Session::create(program, request.options, error);
  if (job.failed(session ? Failure() : error))
    return 1;
  if (job.failed(setArguments(*session, request)))
    return 1;
  StepTimes stepTimes;
  Profile profiled(program), untimed(program);
  auto run = [&](int steps, Profile &profile) {
    auto why = runSteps(*session, job, steps, stepTimes, profile);
    // A stuck rank still uses the program's code; other processes may wait for this.
    if (why && (session->isStuck() || job.transport()))
      job.abort(*why);
    return !job.failed(why);
  };
  if (!run(1, bench > 0 ? untimed : profiled))
    return 1;

  std::vector<int64_t> executions = session->executions();
  Report report = makeReport(program, session->threadsPerRank(), &executions);
  if (report.device)
    report.device->isShared = session->sharesDevices();
  report.engine = engine;
  report.compile = request.compileTimes;

  std::optional<Progress> progress;
  progress.emplace("dmc-run", "gathering the results");
  if (job.failed(checkExpected(*session)))
    return 1;
  if (!expectDir.empty() && job.isFirst())
    report.check.emplace();
  OutputFolder folder;
  if (job.failed(job.isFirst() ? folder.create(request.out) : Failure()))
    return 1;
  FileSet files;
  if (job.failed(takeResults(*session, request, files, report.check ? &*report.check : nullptr)))
    return 1;
  StateFolder state;
  if (!saveFolder.empty() && job.failed(saveState(*session, job.transport(), state, saveFolder)))
    return 1;
  progress.reset();
  // The first step had the arguments that were given, and its results are written by now.
  if (bench > 0 && !run(bench, profiled))
    return 1;
  report.step = stepTimes;
  Failure why;
  if (!why && !reportFile.empty() && job.isFirst())
    why = files.add(reportFile, toJson(report));
  if (!why && !profile.empty() && job.isFirst())
    why = files.add(profile, profiled.toTrace());
  if (job.failed(why) || job.failed(commitFiles(files, state)))
    return 1;
  folder.keep();
  if (job.isFirst())
    std::fputs(toTables(report).c_str(), stdout);
  if (job.isFirst() && profile.getNumOccurrences())
    std::fputs(profiled.toTable(findLimits(*session, request)).c_str(), stdout);
  bool differs = report.check && !report.check->passed;
  return job.failed(differs ? Failure("results differ from those expected") : Failure());
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerVersionPrinter();
  cl::HideUnrelatedOptions({&programCategory, &arrayCategory, &checkCategory, &category});
  // In a job, one process says what is wrong with the options.
  auto isOfJob = [](llvm::StringRef word) {
    return word == "mpi" || word == "tcp" || word.ends_with("engine=mpi") ||
           word.ends_with("engine=tcp");
  };
  bool isQuiet = std::any_of(argv + 1, argv + argc, isOfJob) && Job::isQuietProcess();
  if (!cl::ParseCommandLineOptions(argc, argv, overview, isQuiet ? &llvm::nulls() : nullptr))
    return 1;
  if (positional.empty())
    positional.push_back("-");
  Job job;
  if (engine != "local" && engine != "mpi" && engine != "tcp") {
    job.say("--engine expects local, mpi or tcp, found \"" + engine + "\"");
    return 1;
  }
  if (engine != "local" && !job.join(engine))
    return 1;
  if (engine == "local" && Job::countProcesses() > 1 && !Job::isQuietProcess())
    std::fprintf(stderr,
                 "dmc-run: warning: each of %d processes runs all ranks; --engine=%s makes "
                 "them the ranks\n",
                 Job::countProcesses(), Job::engineOfLauncher());
  Progress::isSilent = !job.isFirst();
  return runProgram(job, argv[0]);
}
