//===- Progress.h - What takes long, on stderr ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "dmc-run: compiling step.mlir (12 s)": on a terminal after two seconds and then
// each second on the same line; in a file after two seconds and then twice a minute.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_SUPPORT_PROGRESS_H
#define DMC_SUPPORT_PROGRESS_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace dmc::support {

/// The line itself, for those who call it often: a process that forks has no threads.
class ProgressLine {
public:
  explicit ProgressLine(std::string tool);
  ~ProgressLine() { clear(); }
  /// Prints the text if it is time.
  void show(const std::string &text);
  /// Whether `show` would print: to make a text only then.
  bool isDue() const { return Clock::now() >= due; }
  /// Removes the line from the terminal, so that others may be printed.
  void clear();
  /// Until the next line is due.
  std::chrono::milliseconds pause() const;

private:
  using Clock = std::chrono::steady_clock;
  std::string tool;
  bool isTerminal, isShown = false;
  Clock::time_point start, due;
};

/// Shows one activity for as long as this lives.
class Progress {
public:
  /// For processes that are not to say anything.
  static bool isSilent;
  Progress(std::string tool, std::string what)
      : Progress(std::move(tool), [what = std::move(what)] { return what; }) {}
  /// `what` is called for each line, on a thread of its own.
  Progress(std::string tool, std::function<std::string()> what);
  ~Progress();

private:
  std::mutex mutex;
  std::condition_variable ended;
  bool isOver = false;
  std::thread thread;
};

} // namespace dmc::support

#endif // DMC_SUPPORT_PROGRESS_H
