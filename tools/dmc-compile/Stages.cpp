//===- Stages.cpp - The stages of a compilation ---------------------------===//

#include "Stages.h"

#include "dmc/Dialect/DMC/DMC.h"
#include "dmc/Pipelines/VerifyLevels.h"
#include "dmc/Runtime/Session.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Process.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace dmc;
using namespace dmc::compile;

namespace {

/// Measures a stage, and says on a terminal what runs if it takes long.
class Watch {
public:
  Watch(const char *stage, double &milliseconds) : milliseconds(milliseconds) {
    if (llvm::sys::Process::StandardErrIsDisplayed())
      speaker = std::thread([this, stage] {
        std::unique_lock<std::mutex> lock(mutex);
        if (!done.wait_for(lock, std::chrono::seconds(2), [this] { return finished; }))
          llvm::errs() << "dmc-compile: " << stage << " ...\n";
      });
  }
  ~Watch() {
    milliseconds += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (!speaker.joinable())
      return;
    {
      std::lock_guard<std::mutex> lock(mutex);
      finished = true;
    }
    done.notify_one();
    speaker.join();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &milliseconds;
  Clock::time_point start = Clock::now();
  std::mutex mutex;
  std::condition_variable done;
  bool finished = false;
  std::thread speaker;
};

} // namespace

OwningOpRef<ModuleOp> Stages::parse(llvm::SourceMgr &sources, MLIRContext &context) {
  Watch watch("parse", times.import);
  return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
}

LogicalResult Stages::runStage(ModuleOp module, const char *name, double &milliseconds,
                               llvm::function_ref<void(OpPassManager &)> build) {
  Watch watch(name, milliseconds);
  PassManager pm(module.getContext());
  auto levelFailed = std::make_shared<std::atomic<bool>>(false);
  pm.addInstrumentation(createVerifyLevelsInstrumentation(levelFailed));
  build(pm);
  return failure(failed(pm.run(module)) || *levelFailed);
}

LogicalResult Stages::run(ModuleOp module) {
  ProgramAttr program = ProgramAttr::of(module);
  bool hasMeshOptions =
      !import.mesh.empty() || !import.layoutsFile.empty() || !import.layoutsCase.empty();
  // -1: not imported yet.
  int level = program ? static_cast<int>(program.getLevel()) : -1;
  if (level > static_cast<int>(Level::tensor) && hasMeshOptions)
    return module.emitError("the program is at level '")
           << stringifyLevel(program.getLevel())
           << "' already: its mesh and layouts cannot be chosen any more";
  if (level > static_cast<int>(target))
    return module.emitError("the program is at level '")
           << stringifyLevel(program.getLevel()) << "', which is beyond what --emit asks for";
  if (program && failed(verifyLevel(module)))
    return failure();
  if (level < 0 || (level == 0 && hasMeshOptions)) {
    if (failed(runStage(module, "import", times.import,
                        [&](OpPassManager &pm) { buildImportPipeline(pm, import); })))
      return failure();
    level = 0;
  }
  struct {
    Target result;
    const char *name;
    double &milliseconds;
    void (*build)(OpPassManager &);
  } stages[] = {
      {Target::Parallel, "parallelize", times.parallelize, buildParallelizePipeline},
      {Target::Ranks, "ranks", times.ranks, buildToRanksPipeline},
      {Target::Scheduled, "schedule", times.schedule, buildSchedulePipeline},
      {Target::LLVM, "codegen", times.codegen, buildCodegenPipeline},
  };
  for (auto &stage : stages) {
    if (target < stage.result)
      break;
    if (level >= static_cast<int>(stage.result))
      continue;
    if (failed(runStage(module, stage.name, stage.milliseconds, stage.build)))
      return failure();
  }
  return success();
}

LogicalResult Stages::writeLibrary(ModuleOp module, llvm::StringRef path,
                                   const SharedLibraryOptions &options) {
  Watch watch("codegen", times.codegen);
  return writeSharedLibrary(module, path, options);
}

std::string compile::writeText(const std::string &path, const std::string &text) {
  if (path.empty() || path == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    if (!llvm::outs().has_error())
      return {};
    std::string problem = llvm::outs().error().message();
    llvm::outs().clear_error();
    return "cannot write to standard output: " + problem;
  }
  return runtime::writeFileAtomically(path, text).value_or("");
}

std::string compile::writeReport(const std::string &library, const std::string &path,
                                 const runtime::CompileTimes &times) {
  std::string error;
  // A name without a slash would be searched for in the system's folders.
  std::string file = library.find('/') == std::string::npos ? "./" + library : library;
  std::optional<runtime::Library> loaded = runtime::Library::load(file, error);
  if (!loaded)
    return error;
  runtime::Report report = runtime::makeReport(loaded->program());
  report.compile = times;
  return writeText(path, runtime::toJson(report));
}

void compile::printTimes(const runtime::CompileTimes &times) {
  auto print = [](const char *name, double milliseconds) {
    llvm::errs() << llvm::format("%-12s%10.1f ms\n", name, milliseconds);
  };
  print("import", times.import);
  print("parallelize", times.parallelize);
  print("ranks", times.ranks);
  print("schedule", times.schedule);
  print("codegen", times.codegen);
}
