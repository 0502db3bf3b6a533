//===- Session.h - Loading and running compiled programs --------*- C++ -*-===//
//
// Loads a program and runs it on the `local` engine: the ranks are threads of
// this process. Errors are lower-case phrases, made for people.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_SESSION_H
#define DMC_RUNTIME_SESSION_H

#include "dmc/Layout/Layout.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Program.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dmc::runtime {

using Failure = std::optional<std::string>;

/// A program in a shared library.
class Library {
public:
  /// Nothing, and why, if the file is not a program for this runtime.
  static std::optional<Library> load(const std::string &path, std::string &error);
  Library(Library &&other) : handle_(other.handle_), program_(other.program_) {
    other.handle_ = nullptr;
  }
  Library &operator=(Library &&) = delete;
  ~Library();
  const dmc_program &program() const { return *program_; }

private:
  Library(void *handle, const dmc_program *program) : handle_(handle), program_(program) {}
  void *handle_;
  const dmc_program *program_;
};

/// What is wrong with a program's tables, or nothing.
Failure verifyProgram(const dmc_program &program);

struct SessionOptions {
  /// Seconds without progress after which a hang is reported; 0: never.
  double watchdogSeconds = 60;
  /// Fill padding, results and the arena with NaN (integers: garbage).
  bool poison = false;
  /// Threads that the vendor library may use per rank; 0: cores / ranks.
  int threadsPerRank = 0;
  /// "rank=1,collective=3,action=fail|stall", to test the handling of faults.
  std::string fault;

  /// Defaults, changed by DMC_WATCHDOG_SECONDS, DMC_POISON and DMC_FAULT.
  static std::optional<SessionOptions> fromEnvironment(std::string &error);
};

class LocalEngine;

/// The ranks of one program with their buffers. Not thread safe.
class Session {
public:
  static std::unique_ptr<Session> create(const dmc_program &program, const SessionOptions &options,
                                         std::string &error);
  ~Session();

  const dmc_program &program() const { return program_; }
  const Mesh &mesh() const { return mesh_; }
  int64_t numRanks() const { return numRanks_; }

  /// Scatters a global array to the ranks by the argument's layout.
  Failure setArgument(size_t index, const Array &global);
  /// Gives one rank its local array as it is.
  Failure setLocalArgument(int64_t rank, size_t index, const Array &local);

  /// Runs one step on all ranks. Donated arguments then hold the results that take
  /// them over: the next step goes on from these.
  Failure step();

  /// The global array; copies that the layout says are equal must be, bit by bit.
  std::optional<Array> result(size_t index, std::string &error) const;
  std::optional<Array> localResult(int64_t rank, size_t index, std::string &error) const;

  /// Keeps copies of the donated arguments, to run a step on equal inputs again.
  Failure saveDonated();
  void restoreDonated();

  /// Per collective the executions in the last step; the maximum over ranks.
  std::vector<int64_t> executions() const;

  /// True if a rank did not end after a failure: its thread still uses the
  /// buffers, which are then never freed; the process should end soon.
  bool isStuck() const;

private:
  Session(const dmc_program &program, const SessionOptions &options);
  struct RankBuffers;
  Failure allocate();

  const dmc_program &program_;
  SessionOptions options_;
  Mesh mesh_;
  int64_t numRanks_;
  std::vector<Layout> argumentLayouts_, resultLayouts_;
  std::vector<std::unique_ptr<RankBuffers>> ranks_;
  std::unique_ptr<LocalEngine> engine_;
};

} // namespace dmc::runtime

#endif // DMC_RUNTIME_SESSION_H
