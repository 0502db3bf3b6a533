//===- Output.h - What dmc-compile writes and says --------------*- C++ -*-===//
#ifndef DMC_TOOLS_COMPILE_OUTPUT_H
#define DMC_TOOLS_COMPILE_OUTPUT_H

#include "dmc/Pipelines/Stages.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace dmc::compile {

/// Says on a terminal which stage runs, once it has taken two seconds.
class Speaker : public StageObserver {
public:
  void begin(const char *stage) override;
  void end() override;

private:
  std::mutex mutex;
  std::condition_variable done;
  bool finished = false;
  std::thread thread;
};

/// Writes text to a file, whole or not at all, or to standard output (`-` or
/// empty). Returns what went wrong.
std::string writeText(const std::string &path, const std::string &text);
/// The report of a library that was written. Returns what went wrong.
std::string writeReport(const std::string &library, const std::string &path,
                        const runtime::CompileTimes &times);
void printTimes(const runtime::CompileTimes &times);

} // namespace dmc::compile

#endif // DMC_TOOLS_COMPILE_OUTPUT_H
