//===- ProcessPool.h - Tasks in forked processes ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each worker is a copy of this process with everything loaded, and does task
// after task. One that crashes or hangs takes its task with it and is replaced.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SUPPORT_PROCESSPOOL_H
#define DMC_SUPPORT_PROCESSPOOL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <csignal>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace dmc::support {

/// What a worker tells the pool while it is at a task.
class TaskChannel {
public:
  explicit TaskChannel(int socket) : socket(socket) {}
  /// A part of the task's answer, of any bytes; it counts even if the worker dies later.
  void answer(llvm::StringRef part);
  /// What the worker does from now on: who dies or hangs is asked for it.
  void note(llvm::StringRef what);
  /// This process must not be given another task.
  void retire() { isRetired = true; }

private:
  friend class ProcessPool;
  void send(char kind, llvm::StringRef text);

  int socket;
  bool isRetired = false;
};

/// What became of a task.
struct TaskOutcome {
  /// Whether the task is done, or how its process ended before it was: by a signal, by
  /// itself, or by the pool after too long a time.
  enum class End { Done, Signal, Exit, Timeout };
  End end = End::Done;
  /// What the worker answered, part by part.
  std::vector<std::string> parts;
  /// What it noted last, or nothing.
  std::string note;
  /// Why it is not done: "Aborted", "ended with code 3", "did not end in 60 s".
  std::string reason;
  /// The line on the process's stderr that tells more, or nothing.
  std::string message;
  /// How many tasks the process had done before.
  size_t numBefore = 0;

  bool isDone() const { return end == End::Done; }
  /// Reason and message.
  std::string describeEnd() const { return message.empty() ? reason : reason + ": " + message; }
};

struct ProcessPoolOptions {
  size_t jobs = 1;
  /// Longest time for a task; 0: no limit.
  double timeoutSeconds = 0;
  /// So many tasks does a process do before another takes its place.
  size_t tasksPerProcess = std::numeric_limits<size_t>::max();
  /// Set by a signal to end early; may be null.
  const volatile std::sig_atomic_t *interrupted = nullptr;
};

/// As many jobs as the user asked for, or as there are cores if `asked` is 0.
size_t getNumJobs(size_t asked);

class ProcessPool {
public:
  /// Does one task in a worker.
  using Work = llvm::function_ref<void(size_t index, TaskChannel &channel)>;

  /// No thread may run in this process: it forks.
  explicit ProcessPool(ProcessPoolOptions options);
  ~ProcessPool();

  /// Runs tasks 0 to `count` - 1 and gives their outcomes in any order; `tick` is
  /// called at least four times a second. Returns what went wrong with the pool
  /// itself, or nothing.
  std::string run(
      size_t count, Work work, llvm::function_ref<void(size_t index, TaskOutcome outcome)> finished,
      llvm::function_ref<void()> tick = [] {});

private:
  struct Worker;
  std::string start(Worker &worker, Work work);
  std::string assign(Worker &worker, Work work);
  [[noreturn]] void serve(int socket, Work work);
  void receive(Worker &worker);
  void stop(Worker &worker);
  static int reap(Worker &worker);
  void describeEnd(Worker &worker, bool isTimeout);
  /// Seconds that the worker may still take for its task.
  double getTimeLeft(const Worker &worker) const;

  ProcessPoolOptions options;
  std::vector<std::unique_ptr<Worker>> workers;
  size_t next = 0, count = 0;
};

} // namespace dmc::support

#endif // DMC_SUPPORT_PROCESSPOOL_H
