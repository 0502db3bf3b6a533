//===- WorkerPool.h - Cases in forked processes -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each worker is a copy of this process with everything loaded, and does case
// after case. One that crashes or hangs takes its case with it and is replaced.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_TOOLS_DMC_TEST_WORKERPOOL_H
#define DMC_TOOLS_DMC_TEST_WORKERPOOL_H

#include "CaseRunner.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <chrono>
#include <csignal>
#include <memory>

namespace dmc::test {

/// What became of a case.
struct Outcome {
  struct Entry {
    std::string path; // "import", "interpreted", "compiled"
    std::string text;
  };
  std::vector<Entry> problems;
  StepTimes times{};
  bool isDone = false;
  /// The worker must not be given another case.
  bool isLast = false;

  bool hasFailed() const { return !problems.empty(); }
};

struct PoolOptions {
  int jobs = 1;
  double timeoutSeconds = 60;
  RunnerOptions runner;
  /// Set by a signal to end early.
  const volatile std::sig_atomic_t *interrupted = nullptr;
};

class WorkerPool {
public:
  /// No thread may run in this process: it forks.
  WorkerPool(mlir::MLIRContext &context, const std::vector<Case> &cases, PoolOptions options);
  ~WorkerPool();

  /// Runs all cases; `tick` is called every now and then. Returns what went
  /// wrong with the pool itself, or nothing.
  std::string run(llvm::function_ref<void(size_t index, Outcome)> finished,
                  llvm::function_ref<void()> tick);

private:
  struct Worker;
  std::string start(Worker &worker);
  std::string assign(Worker &worker);
  void receive(Worker &worker);
  void stop(Worker &worker);
  static int reap(Worker &worker);
  std::string describeEnd(Worker &worker, bool isTimeout);
  [[noreturn]] void work(int socket, Activity &activity);

  mlir::MLIRContext &context;
  const std::vector<Case> &cases;
  PoolOptions options;
  std::vector<std::unique_ptr<Worker>> workers;
  size_t next = 0;
};

} // namespace dmc::test

#endif // DMC_TOOLS_DMC_TEST_WORKERPOOL_H
