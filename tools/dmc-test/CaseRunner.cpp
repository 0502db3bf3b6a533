//===- CaseRunner.cpp - One case in this process --------------------------===//

#include "CaseRunner.h"

#include "../dmc-interpret/Files.h"
#include "../dmc-run/Support.h"
#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Pipelines/Stages.h"
#include "dmc/Runtime/Npy.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include <sys/resource.h>

using namespace mlir;
using namespace dmc;
using namespace dmc::test;
using run::ArrayFiles;
using runtime::Array;

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
    activity.stage = getName(step);
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
    activity.stage = stage;
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
  explicit Checker(const Case &test) : test(test) {
    files.kind = ArrayFiles::Kind::Prefix;
    files.base = test.prefix;
  }

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

/// Processor time of the processes that this one waited for: the linker's.
static double getChildrenMilliseconds() {
  rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  auto milliseconds = [](const timeval &time) { return 1e3 * time.tv_sec + 1e-3 * time.tv_usec; };
  return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
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

static std::string interpretAndCheck(ModuleOp module, const Checker &checker, Activity &activity,
                                     StepTimes &times) {
  FirstError error(*module.getContext());
  SmallVector<interpreter::Tensor> inputs, results;
  interpreter::Signature signature;
  {
    Watch watch(activity, Step::Interpret, times);
    FailureOr<interpreter::Signature> found = interpreter::getSignature(module);
    if (failed(found))
      return error.text();
    signature = std::move(*found);
    for (auto [i, parameter] : llvm::enumerate(signature.arguments)) {
      std::string problem, path = checker.files.path(i, "in");
      auto array = runtime::readNpy(path, problem);
      if (!array)
        return problem;
      ArrayRef<int64_t> shape = parameter.type.getShape();
      uint32_t type = interpreter::getElementType(parameter.type.getElementType());
      if (auto why = matchArray(*array, type, {shape.begin(), shape.end()}))
        return "input " + std::to_string(i) + ": " + *why;
      interpreter::Tensor tensor = interpreter::Tensor::get(parameter.type);
      std::memcpy(tensor.bytes.data(), array->data(), tensor.bytes.size());
      inputs.push_back(std::move(tensor));
    }
    auto evaluated = interpreter::interpret(module, inputs);
    if (failed(evaluated))
      return error.text();
    results = std::move(*evaluated);
  }
  Watch watch(activity, Step::Check, times);
  std::string problem = checker.checkCount(results.size());
  for (size_t i = 0; i < results.size() && problem.empty(); ++i)
    problem = checker.check(toArray(signature.results[i], results[i]), i);
  return problem;
}

//===--- Compiled ---------------------------------------------------------===//

static std::string compile(ModuleOp module, const std::string &path, Activity &activity,
                           StepTimes &times) {
  FirstError error(*module.getContext());
  ActivityObserver observer(activity);
  Stages stages(Target::Library, {}, &observer);
  bool isDone = succeeded(stages.run(module));
  double link = getChildrenMilliseconds();
  isDone = isDone && succeeded(stages.writeLibrary(module, path));
  addCompileTimes(stages.times, getChildrenMilliseconds() - link, times);
  return isDone ? std::string() : std::string(observer.stage) + ": " + error.text();
}

static std::string runAndCheck(const Case &test, const Checker &checker, const std::string &path,
                               double watchdogSeconds, Activity &activity, StepTimes &times,
                               bool &isStuck) {
  std::string error;
  auto options = runtime::SessionOptions::fromEnvironment(error);
  if (!options)
    return error;
  options->watchdogSeconds = watchdogSeconds;
  options->threadsPerRank = 1; // cases run side by side
  auto load = std::make_unique<Watch>(activity, Step::Load, times);
  auto library = runtime::Library::load(path, error);
  if (!library)
    return error;
  auto session = runtime::Session::create(library->program(), *options, error);
  load.reset();
  if (!session)
    return error;
  if (test.numRanks && *test.numRanks != session->numRanks())
    return "expected a program for " + std::to_string(*test.numRanks) + " ranks, found one for " +
           std::to_string(session->numRanks());
  bool perRank = test.numRanks.has_value();
  {
    Watch watch(activity, Step::Run, times);
    if (auto why = run::setInputs(*session, checker.files, perRank, 0))
      return *why;
    if (auto why = session->step()) {
      if ((isStuck = session->isStuck())) {
        // A rank still uses the code and the buffers.
        (void)session.release();
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
  activity.path = "import";
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
    Stages stages(Target::Tensor, {}, &observer);
    module = stages.parse(sources, context);
    bool isDone = module && succeeded(stages.run(*module));
    addCompileTimes(stages.times, 0, times);
    if (!isDone)
      return listener.finished("import", std::string(observer.stage) + ": " + error.text());
  }
  Checker checker(test);
  if (options.interpreted && test.numRanks) {
    listener.skipped("interpreted", "arrays differ from rank to rank");
  } else if (options.interpreted) {
    activity.path = "interpreted";
    // What ranks do on their own needs ranks: level 1 is the first that has them.
    OwningOpRef<ModuleOp> parallel;
    bool hasManual =
        module->walk([](ManualOp) { return WalkResult::interrupt(); }).wasInterrupted();
    std::string problem;
    if (hasManual) {
      FirstError error(context);
      parallel = cast<ModuleOp>(module->getOperation()->clone());
      if (failed(Stages(Target::Parallel).run(*parallel)))
        problem = error.text();
    }
    if (problem.empty())
      problem = interpretAndCheck(hasManual ? *parallel : *module, checker, activity, times);
    listener.finished("interpreted", problem);
  }
  if (!options.compiled)
    return;
  activity.path = "compiled";
  std::string library = options.folder + "/" + test.name + ".so";
  llvm::FileRemover remover(library);
  std::string problem = compile(*module, library, activity, times);
  if (problem.empty())
    problem =
        runAndCheck(test, checker, library, options.watchdogSeconds, activity, times, isStuck);
  listener.finished("compiled", problem);
}
