//===- Run.h - Parts of dmc-run ---------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMCRUN_RUN_H
#define DMC_TOOLS_DMCRUN_RUN_H

#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/Session.h"
#include "dmc/Runtime/Transport.h"

#include <optional>
#include <string>
#include <vector>

namespace dmc::run {

using runtime::Failure;

/// The processes that run a program together; this one alone where the ranks are
/// threads. All processes go through the same stages, and agree after each.
class Job {
public:
  /// Joins the job of that engine. If that fails, it has been said.
  bool join(const std::string &engine);
  runtime::Transport *transport() const { return transport_.get(); }
  bool isFirst() const { return !transport_ || transport_->rank() == 0; }
  /// True if a process has failed in this stage; one of them says why.
  bool failed(const Failure &mine);
  /// Ends all processes, others may be waiting for this one.
  [[noreturn]] void abort(const std::string &why);
  static void say(const std::string &why);
  /// True for processes of a job but the first one, before they join it.
  static bool isQuietProcess();
  /// How many processes a launcher says that it started.
  static int countProcesses();
  /// Which engine connects these.
  static const char *engineOfLauncher();

private:
  std::unique_ptr<runtime::Transport> transport_;
};

/// What the user asked dmc-compile for.
struct CompileRequest {
  std::string input, mesh, layouts, shardingCase;
  /// How many ranks a program of ranks has that does not say it; 0: not given.
  int64_t ranks = 0;
  std::vector<std::string> tactics, strategies;
  /// As dmc-compile takes them.
  std::string machine, target, entry;
  std::vector<std::string> customCalls;
};

/// Compiles with the dmc-compile beside this executable and loads the result. Its
/// diagnostics go to stderr; `error` is then empty.
std::optional<runtime::Library> compile(const CompileRequest &request,
                                        const std::string &executable, runtime::CompileTimes &times,
                                        std::string &error);

/// How often this process has asked for memory; 0 always where that cannot be counted.
int64_t countAllocations();

} // namespace dmc::run

#endif // DMC_TOOLS_DMCRUN_RUN_H
