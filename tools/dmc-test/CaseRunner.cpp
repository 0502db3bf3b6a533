//===- CaseRunner.cpp - One case in this process --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CaseRunner.h"

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Interpreter/Arrays.h"
#include "dmc/Pipelines/Stages.h"
#include "dmc/Runtime/Npy.h"
#include "dmc/Support/ArrayFiles.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <chrono>

using namespace mlir;
using namespace dmc;
using namespace dmc::test;
using runtime::Array;
using support::ArrayFiles;

const char *test::getName(Step step) {
  static const char *const names[] = {"import", "parallelize", "ranks", "schedule",  "codegen",
                                      "link",   "load",        "run",   "interpret", "check"};
  return names[static_cast<size_t>(step)];
}

namespace {

/// The first error of those emitted while it lives, as one line.
class FirstError {
public:
  explicit FirstError(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) { take(diagnostic); }) {}

  std::string text() const {
    if (!count)
      return "failed without a diagnostic";
    return count == 1 ? first : first + " (first of " + std::to_string(count) + " errors)";
  }

private:
  void take(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error || count++)
      return;
    first = diagnostic.str();
    std::replace(first.begin(), first.end(), '\n', ' ');
    if (auto file = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      first += " (line " + std::to_string(file.getLine()) + ")";
  }

  size_t count = 0;
  std::string first;
  ScopedDiagnosticHandler handler;
};

/// Notes what is done and how long it takes.
class Watch {
public:
  Watch(Activity &activity, Step step, StepTimes &times)
      : milliseconds(times[static_cast<size_t>(step)]) {
    activity.enterStage(getName(step));
  }
  ~Watch() {
    milliseconds += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &milliseconds;
  Clock::time_point start = Clock::now();
};

class ActivityObserver : public StageObserver {
public:
  explicit ActivityObserver(Activity &activity) : activity(activity) {}
  void begin(const char *stage) override {
    activity.enterStage(stage);
    this->stage = stage;
  }
  void end() override {}
  const char *stage = "";

private:
  Activity &activity;
};

/// The results of one path against the files.
class Checker {
public:
  explicit Checker(const Case &test) : files(ArrayFiles::prefix(test.prefix)), test(test) {}

  std::string checkCount(size_t found) const {
    if (found == test.outputs.size())
      return {};
    return "expected " + std::to_string(test.outputs.size()) + " results, found " +
           std::to_string(found);
  }

  std::string check(const Array &got, size_t index, int64_t rank = -1) const {
    std::string where = "result " + std::to_string(index) +
                        (rank < 0 ? "" : " of rank " + std::to_string(rank)) + ": ";
    if (std::string type = runtime::toString(got.type, got.shape); type != test.outputs[index])
      return where + "expected " + test.outputs[index] + ", got " + type;
    std::string error;
    auto want = runtime::readNpy(files.path(index, "out", rank), error);
    if (!want)
      return error;
    if (auto why = matchArray(*want, got.type, got.shape))
      return where + *why;
    runtime::Comparison comparison = compare(got, *want, test.tolerance);
    return comparison.passed ? std::string() : where + comparison.message;
  }

  ArrayFiles files;

private:
  const Case &test;
};

} // namespace

static std::string describeRanks(int64_t expected, int64_t found) {
  return "expected a program for " + std::to_string(expected) + " ranks, found one for " +
         std::to_string(found);
}

static void addCompileTimes(const runtime::CompileTimes &from, double link, StepTimes &times) {
  auto add = [&](Step step, double value) { times[static_cast<size_t>(step)] += value; };
  add(Step::Import, from.import);
  add(Step::Parallelize, from.parallelize);
  add(Step::Ranks, from.ranks);
  add(Step::Schedule, from.schedule);
  add(Step::Codegen, std::max(from.codegen - link, 0.0));
  add(Step::Link, link);
}

//===--- Interpreted ------------------------------------------------------===//

/// What ranks do on their own needs ranks: level 1 is the first that has them.
static LogicalResult parallelizeManual(ModuleOp module) {
  bool hasManual = module.walk([](ManualOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return hasManual ? Stages(Target::Parallel).run(module) : success();
}

/// On the arguments of all ranks together.
static std::string interpretWhole(ModuleOp module, const Case &test,
                                  interpreter::Signature &signature,
                                  interpreter::RankTensors &results) {
  FailureOr<interpreter::Signature> found = interpreter::getSignature(module);
  if (failed(found))
    return {};
  signature = *found;
  SmallVector<interpreter::Tensor> inputs;
  if (auto problem = readInputs(ArrayFiles::prefix(test.prefix), signature.arguments, inputs))
    return *problem;
  auto evaluated = interpreter::interpret(module, inputs);
  if (succeeded(evaluated))
    results.push_back(std::move(*evaluated));
  return {};
}

/// On each rank's own arguments.
static std::string interpretRanks(ModuleOp module, const Case &test,
                                  interpreter::Signature &signature,
                                  interpreter::RankTensors &results) {
  FailureOr<interpreter::Signature> found = interpreter::getLocalSignature(module);
  if (failed(found))
    return {};
  signature = *found;
  if (signature.numRanks != *test.numRanks)
    return describeRanks(*test.numRanks, signature.numRanks);
  interpreter::RankTensors inputs;
  if (auto problem = readRankInputs(ArrayFiles::prefix(test.prefix), signature, inputs))
    return *problem;
  auto evaluated = interpreter::interpretRanks(module, inputs);
  if (succeeded(evaluated))
    results = std::move(*evaluated);
  return {};
}

static std::string interpretAndCheck(ModuleOp module, const Case &test, const Checker &checker,
                                     Activity &activity, StepTimes &times) {
  FirstError error(*module.getContext());
  const bool perRank = test.numRanks.has_value();
  interpreter::Signature signature;
  interpreter::RankTensors results;
  {
    Watch watch(activity, Step::Interpret, times);
    OwningOpRef<ModuleOp> parallel = cast<ModuleOp>(module->clone());
    if (failed(parallelizeManual(*parallel)))
      return error.text();
    std::string problem = perRank ? interpretRanks(*parallel, test, signature, results)
                                  : interpretWhole(*parallel, test, signature, results);
    if (!problem.empty())
      return problem;
  }
  if (results.empty())
    return error.text();
  Watch watch(activity, Step::Check, times);
  std::string problem = checker.checkCount(signature.results.size());
  for (auto [rank, tensors] : llvm::enumerate(results))
    for (size_t i = 0; i < tensors.size() && problem.empty(); ++i)
      problem = checker.check(toArray(signature.results[i], tensors[i]), i,
                              perRank ? static_cast<int64_t>(rank) : -1);
  return problem;
}

//===--- Compiled ---------------------------------------------------------===//

static std::string compile(ModuleOp module, const std::string &path, const std::string &target,
                           Activity &activity, StepTimes &times) {
  FirstError error(*module.getContext());
  ActivityObserver observer(activity);
  Stages stages(Target::Library, {}, &observer);
  stages.targetDevice = target;
  double link = 0;
  SharedLibraryOptions options;
  options.linkMilliseconds = &link;
  bool isDone =
      succeeded(stages.run(module)) && succeeded(stages.writeLibrary(module, path, options));
  addCompileTimes(stages.times, link, times);
  return isDone ? std::string() : std::string(observer.stage) + ": " + error.text();
}

static std::string runAndCheck(const Case &test, const Checker &checker, const std::string &path,
                               double watchdogSeconds, runtime::DeviceChoice device,
                               Activity &activity, StepTimes &times, bool &isStuck) {
  std::string error;
  auto options = runtime::SessionOptions::fromEnvironment(error);
  if (!options)
    return error;
  options->watchdogSeconds = watchdogSeconds;
  options->threadsPerRank = 1; // cases run side by side
  options->device = device;
  auto load = std::make_unique<Watch>(activity, Step::Load, times);
  auto library = runtime::Library::load(path, error);
  if (!library)
    return error;
  auto session = runtime::Session::create(library->program(), *options, error);
  load.reset();
  if (!session)
    return error;
  if (test.numRanks && *test.numRanks != session->numRanks())
    return describeRanks(*test.numRanks, session->numRanks());
  bool perRank = test.numRanks.has_value();
  {
    Watch watch(activity, Step::Run, times);
    if (auto why = support::setInputs(*session, checker.files, perRank, 0, {}))
      return *why;
    if (auto why = session->step()) {
      isStuck = session->isStuck();
      if (isStuck) {
        // A rank still uses the code and the buffers.
        [[maybe_unused]] auto *kept = session.release();
        (void)new runtime::Library(std::move(*library));
      }
      return *why;
    }
  }
  Watch watch(activity, Step::Check, times);
  std::string problem = checker.checkCount(library->program().num_results);
  for (size_t i = 0; i < test.outputs.size() && problem.empty(); ++i)
    for (int64_t rank = perRank ? 0 : -1; rank < test.numRanks.value_or(0) && problem.empty();
         ++rank) {
      auto got = perRank ? session->localResult(rank, i, problem) : session->result(i, problem);
      if (got)
        problem = checker.check(*got, i, rank);
    }
  return problem;
}

//===--- Both -------------------------------------------------------------===//

void CaseRunner::run(const Case &test, Listener &listener) {
  OwningOpRef<ModuleOp> module;
  {
    auto file = llvm::MemoryBuffer::getFile(test.prefix + ".mlir", /*IsText=*/true);
    if (!file)
      return listener.finished("import",
                               test.prefix + ".mlir: cannot open: " + file.getError().message());
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
    FirstError error(context);
    ActivityObserver observer(activity);
    ImportOptions import;
    import.ranks = test.numRanks.value_or(0);
    Stages stages(Target::Tensor, import, &observer);
    module = stages.parse(sources, context);
    bool isDone = module && succeeded(stages.run(*module));
    addCompileTimes(stages.times, 0, times);
    if (!isDone)
      return listener.finished("import", std::string(observer.stage) + ": " + error.text());
  }
  Checker checker(test);
  if (options.interpreted) {
    activity.enterPath("interpreted");
    listener.finished("interpreted", interpretAndCheck(*module, test, checker, activity, times));
  }
  if (!options.compiled)
    return;
  activity.enterPath("compiled");
  std::string library = options.folder + "/" + test.name + ".so";
  llvm::FileRemover remover(library);
  std::string problem = compile(*module, library, options.target, activity, times);
  if (problem.empty())
    problem =
        runAndCheck(test, checker, library, options.watchdogSeconds,
                    options.target.empty() ? runtime::DeviceChoice::Installed : options.device,
                    activity, times, isStuck);
  listener.finished("compiled", problem);
}
