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

#include <array>
#include <atomic>

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

/// What a process does at the moment, for who watches it.
struct Activity {
  std::atomic<const char *> path{""};  // "import", "interpreted", "compiled"
  std::atomic<const char *> stage{""}; // "schedule", "run", ...; string literals
};

struct RunnerOptions {
  bool compiled = true;
  bool interpreted = true;
  /// After so many seconds without progress a rank's hang is reported.
  double watchdogSeconds = 30;
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
  CaseRunner(mlir::MLIRContext &context, RunnerOptions options, Activity &activity)
      : context(context), options(std::move(options)), activity(activity) {}

  void run(const Case &test, Listener &listener);

  /// What the runs took so far.
  StepTimes times{};
  /// A rank did not end: this process should.
  bool isStuck = false;

private:
  mlir::MLIRContext &context;
  RunnerOptions options;
  Activity &activity;
};

} // namespace dmc::test

#endif // DMC_TOOLS_DMC_TEST_CASERUNNER_H
