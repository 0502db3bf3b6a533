//===- Session.h - Loading and running compiled programs --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a program and runs it. The ranks are threads of this process, or processes
// of one job. Errors are lower-case phrases, made for people.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_RUNTIME_SESSION_H
#define DMC_RUNTIME_SESSION_H

#include "dmc-c/CustomKernel.h"
#include "dmc-c/Program.h"
#include "dmc/Layout/Layout.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Profile.h"

#include <functional>
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
  Library(Library &&other) noexcept : handle_(other.handle_), program_(std::move(other.program_)) {
    other.handle_ = nullptr;
  }
  Library &operator=(Library &&) = delete;
  ~Library();
  const dmc_program &program() const { return *program_; }

private:
  explicit Library(void *handle) : handle_(handle) {}
  void *handle_;
  std::shared_ptr<const dmc_program> program_;
};

/// What is wrong with a program's tables, or nothing.
Failure verifyProgram(const dmc_program &program);

class Transport;

/// What executes the kernels of a program that is compiled for a device: the installed driver's
/// devices, or simulated ones.
enum class DeviceChoice { Installed, Simulated };

/// A kernel that a program calls by name.
struct CustomKernel {
  std::string name;
  dmc_custom_kernel_fn function;
  void *data;
};

struct SessionOptions {
  /// The job whose processes are the ranks; null: they are threads of this one.
  Transport *transport = nullptr;
  /// Seconds without progress after which a hang is reported; 0: never.
  double watchdogSeconds = 60;
  /// Seconds that ranks may take to end after a failure, before they count as stuck.
  double graceSeconds = 10;
  /// Fill padding, results and the arena with NaN (integers: garbage).
  bool poison = false;
  /// After every collective that gives all ranks of a group the same result, compare
  /// the copies: finds payloads that were corrupted on the way.
  bool checkCopies = false;
  /// Threads of each rank; 0: cores / ranks.
  int threadsPerRank = 0;
  /// The same bits for any number of threads: library calls, which may sum in an order that
  /// depends on it, use one.
  bool deterministic = false;
  /// What one thread reads and writes, and computes in nests, in a second; and the operations from
  /// which a contraction is divided among threads. 0: as the program says.
  int64_t threadBytesPerSecond = 0, threadFlopsPerSecond = 0, leastDividedFlops = 0;
  /// Of programs for devices.
  DeviceChoice device = DeviceChoice::Installed;
  /// Ranks may have the same device, where there are fewer than ranks: their collectives then go
  /// through the memory of the host.
  bool sharesDevices = false;
  /// Launch each step on a device as one graph, which the first step makes. An error where the
  /// host has to wait within a step.
  bool graph = false;
  /// Record where the time of each step goes.
  bool profile = false;
  /// "rank=1,collective=3,action=fail", to test the handling of faults; the syntax is
  /// in docs/running.md.
  std::string fault;
  /// All that the program calls are to be among them.
  std::vector<CustomKernel> kernels = {};

  /// Defaults, changed by DMC_WATCHDOG_SECONDS, DMC_POISON, DMC_CHECK_COPIES,
  /// DMC_SHARE_DEVICES and DMC_FAULT.
  static std::optional<SessionOptions> fromEnvironment(std::string &error);
};

class BoundMemory;
class Engine;
struct Fault;

/// A distinct block of a value, and the first rank that holds it.
struct Shard {
  int64_t owner = 0;
  std::vector<int64_t> offset, size;
};
/// The blocks of a value that are not empty, by owner.
std::vector<Shard> shardsOf(const Mesh &mesh, const Layout &layout,
                            const std::vector<int64_t> &shape);

/// The ranks of one program with their buffers. Not thread safe. In a job, each
/// process has one rank: all of them make the same calls, and a failure without
/// a text is one that another process explains.
class Session {
public:
  static std::unique_ptr<Session> create(const dmc_program &program, const SessionOptions &options,
                                         std::string &error);
  ~Session();

  const dmc_program &program() const { return program_; }
  const Mesh &mesh() const { return mesh_; }
  int64_t numRanks() const { return numRanks_; }
  /// True if the rank's buffers are in this process.
  bool isHere(int64_t rank) const { return ranks_[rank] != nullptr; }

  /// Scatters a global array to the ranks by the argument's layout. Without its type
  /// and shape: row-major, and of the argument's.
  Failure setArgument(size_t index, const Array &global);
  Failure setArgument(size_t index, const void *global);
  /// Fills the block of each rank: `fill` writes a box of the global array, with
  /// those strides (in elements), and says what went wrong.
  using FillBox = std::function<Failure(const std::vector<DimBlock> &box, uint8_t *target,
                                        const std::vector<int64_t> &strides)>;
  Failure fillArgument(size_t index, const FillBox &fill);
  /// Gives one rank its local array as it is; ranks of other processes are theirs.
  Failure setLocalArgument(int64_t rank, size_t index, const Array &local);
  Failure setLocalArgument(int64_t rank, size_t index, const void *local);

  /// Runs one step on all ranks. Donated arguments then hold the results that take
  /// them over: the next step goes on from these.
  Failure step();

  /// The global array; copies that the layout says are equal must be, bit by bit.
  /// In a job, only the first process gets it, the others an empty buffer.
  std::optional<Array> result(size_t index, std::string &error) const;
  /// The same for as long as no step begins and the session exists: the memory of a rank of this
  /// process that holds all of the array, or else a copy.
  std::optional<Array> resultView(size_t index, std::string &error) const;
  /// The same of an argument: if donated, what the last step left in it.
  std::optional<Array> argument(size_t index, std::string &error) const;
  std::optional<Array> localResult(int64_t rank, size_t index, std::string &error) const;

  /// For the next step alone, a rank reads the argument from the caller's memory, and leaves there
  /// what replaces it if it is donated; or writes the result there. The memory has the value's
  /// local shape, is aligned to 64 bytes, and shares no byte with other memory that the step
  /// writes. Afterwards the rank has no value of a donated argument and of the result.
  Failure bindArgument(int64_t rank, size_t index, void *local);
  Failure bindResult(int64_t rank, size_t index, void *local);
  bool isArgumentBound(int64_t rank, size_t index) const;
  /// Nothing is bound to the next step any more.
  void dropBindings();

  /// A block of an argument that a rank of this process owns, packed.
  Array argumentShard(size_t index, const Shard &shard) const;
  /// What is wrong if copies of a block of an argument, or of a result, differ.
  Failure checkArgumentCopies(size_t index) const;
  Failure checkResultCopies(size_t index) const;

  /// Per collective the executions in the last step; the maximum over ranks.
  std::vector<int64_t> executions() const;

  /// Whether several ranks have one device (SessionOptions::sharesDevices).
  bool sharesDevices() const;

  /// The threads that each rank of this process has.
  int threadsPerRank() const;

  /// Bytes a second that a large copy within the memory of the first rank's device reads and
  /// writes, by the device's clock; 0: not known.
  double measureDeviceCopyRate() const;

  /// What each rank of this process did in the last step; empty unless options.profile.
  std::vector<RankProfile> profile() const;

  /// True if a rank did not end after a failure: its thread still uses the buffers,
  /// which are then never freed, and the program, which must outlive it; the process
  /// should end soon.
  bool isStuck() const;

private:
  Session(const dmc_program &program, const SessionOptions &options);
  struct RankBuffers;
  /// A value as the ranks hold it.
  struct Held {
    const dmc_value &value;
    const Layout &layout;
    std::string name;
    bool isResult;
    size_t index;
  };
  Failure prepare();
  Failure allocate();
  Failure touch();
  Failure allocateOnDevices();
  void makeStep();
  Failure bind(int64_t rank, bool isResult, size_t index, void *local);
  void unbind();
  void forgetBinding(int64_t rank, bool isResult, size_t index);
  Failure checkIsHere(const Held &held) const;
  Failure checkLocal(const char *kind, int64_t rank, size_t index, size_t count) const;
  Held heldArgument(size_t index) const;
  Held heldResult(size_t index) const;
  const uint8_t *localData(const Held &held, int64_t rank) const;
  Failure fetch(const Held &held) const;
  void pack(const Held &held, const Shard &shard, uint8_t *target) const;
  Failure checkCopies(const Held &held) const;
  Failure collect(const Held &held, Array &global, const Buffer &staging) const;
  std::optional<Array> gather(const Held &held, std::string &error, bool mayView = false) const;
  std::optional<int64_t> findHolder(const Held &held) const;

  const dmc_program &program_;
  SessionOptions options_;
  Mesh mesh_;
  int64_t numRanks_;
  std::vector<Layout> argumentLayouts_, resultLayouts_;
  /// Shared with steps: one that is stuck may outlive the session.
  std::vector<std::shared_ptr<RankBuffers>> ranks_;
  std::unique_ptr<BoundMemory> boundMemory_;
  std::unique_ptr<Fault> fault_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<const std::function<int32_t(dmc_rank_context &)>> step_; // on one rank
};

} // namespace dmc::runtime

#endif // DMC_RUNTIME_SESSION_H
