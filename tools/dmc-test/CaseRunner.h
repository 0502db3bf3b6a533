//===- CaseRunner.h - One case in this process ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a case and runs it on its ranks, and evaluates what import made of it by
// the reference interpreter; both results are compared with those expected.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_TOOLS_DMC_TEST_CASERUNNER_H
#define DMC_TOOLS_DMC_TEST_CASERUNNER_H

#include "Cases.h"

#include "mlir/IR/MLIRContext.h"

#include "dmc/Runtime/Session.h"
#include <array>
#include <functional>

namespace dmc::test {

/// What is measured.
enum class Step {
  Import,
  Parallelize,
  Ranks,
  Schedule,
  Codegen,
  Link,
  Load,
  Run,
  Interpret,
  Check,
  Count
};
const char *getName(Step step);
/// Milliseconds of each step.
using StepTimes = std::array<double, static_cast<size_t>(Step::Count)>;

/// What a process does at the moment: told to the pool, which needs it if the process dies.
class Activity {
public:
  /// `note` is given `PATH STAGE` at every change.
  void start(std::function<void(llvm::StringRef)> note) {
    this->note = std::move(note);
    enterPath("import");
  }
  /// "import", "interpreted" or "compiled".
  void enterPath(llvm::StringRef name) {
    path = name.str();
    enterStage("start");
  }
  /// "schedule", "run", ...
  void enterStage(llvm::StringRef name) { note(path + " " + name.str()); }

private:
  std::function<void(llvm::StringRef)> note;
  std::string path;
};

struct RunnerOptions {
  bool compiled = true;
  bool interpreted = true;
  /// After so many seconds without progress a rank's hang is reported.
  double watchdogSeconds = 30;
  /// A device to compile for, as dmc-compile takes it, and what runs the case then.
  std::string target;
  runtime::DeviceChoice device = runtime::DeviceChoice::Simulated;
  /// An existing folder for what is compiled.
  std::string folder;
};

/// Where outcomes go as they come.
class Listener {
public:
  virtual ~Listener() = default;
  /// `problem` is one line, empty if the path's results agree.
  virtual void finished(llvm::StringRef path, llvm::StringRef problem) = 0;
};

class CaseRunner {
public:
  CaseRunner(mlir::MLIRContext &context, RunnerOptions options)
      : context(context), options(std::move(options)) {}

  void run(const Case &test, Listener &listener);

  /// What the runs took so far.
  StepTimes times{};
  Activity activity;
  /// A rank did not end: this process should.
  bool isStuck = false;

private:
  mlir::MLIRContext &context;
  RunnerOptions options;
};

} // namespace dmc::test

#endif // DMC_TOOLS_DMC_TEST_CASERUNNER_H
