//===- Support.h - Parts of dmc-run -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DMC_TOOLS_DMCRUN_SUPPORT_H
#define DMC_TOOLS_DMCRUN_SUPPORT_H

#include "dmc/Runtime/Compare.h"
#include "dmc/Runtime/Report.h"
#include "dmc/Runtime/Session.h"
#include "dmc/Runtime/Transport.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
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

private:
  std::unique_ptr<runtime::Transport> transport_;
};

/// Says on stderr what takes long, once it has taken two seconds.
class Progress {
public:
  /// For processes other than the first.
  static bool isSilent;
  explicit Progress(std::string what);
  ~Progress();

private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool isOver_ = false;
  std::thread thread_;
};

/// What the user asked dmc-compile for.
struct CompileRequest {
  std::string input, mesh, layouts, shardingCase;
  /// How many ranks a program of ranks has that does not say it; 0: not given.
  int64_t ranks = 0;
  std::vector<std::string> tactics, strategies;
};

/// Compiles with the dmc-compile beside this executable and loads the result. Its
/// diagnostics go to stderr; `error` is then empty.
std::optional<runtime::Library> compile(const CompileRequest &request,
                                        const std::string &executable, runtime::CompileTimes &times,
                                        std::string &error);

/// Names and tolerances of results.
struct Meta {
  struct Result {
    std::string name;
    runtime::Tolerance tolerance;
  };
  std::vector<Result> results;
};
std::optional<Meta> readMeta(const std::string &path, std::string &error);

/// Where arrays are read from or written to.
struct ArrayFiles {
  enum class Kind { None, Folder, Prefix, List } kind = Kind::None;
  std::string base;
  std::vector<std::string> list;

  /// Folder: base/007.npy; prefix: base.in7.npy, of one rank base.r2.in7.npy.
  std::string path(size_t index, const char *direction, int64_t rank = -1) const;
};

/// How many NNN.npy files a folder holds, by the largest number.
size_t countNumbered(const std::string &folder);

/// Reads, or makes up, the arguments and hands them to the session, but for those
/// that are `filled`. `perRank`: each rank has files of its own.
Failure setInputs(runtime::Session &session, const ArrayFiles &files, bool perRank, uint64_t seed,
                  const std::set<uint32_t> &filled);

/// Nothing if a file of that name can be created.
Failure checkWritable(const std::string &path);

} // namespace dmc::run

#endif // DMC_TOOLS_DMCRUN_SUPPORT_H
