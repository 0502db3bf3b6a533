//===- Engine.h - What all engines share ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program calls, and the state of a rank. An engine adds how ranks run
// and how bytes get from one to the other.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_ENGINE_H
#define DMC_LIB_RUNTIME_ENGINE_H

#include "Fault.h"
#include "Hash.h"
#include "Team.h"
#include "dmc/Layout/Layout.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Contraction.h"
#include "dmc/Runtime/Profile.h"
#include "dmc/Runtime/Session.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace dmc::runtime {
class Engine;

/// Records the step of a rank, on its own thread.
class Recorder {
public:
  using Clock = std::chrono::steady_clock;
  void begin(int64_t rank) {
    profile_ = {rank, 0, std::move(profile_.events)};
    profile_.events.clear();
    start_ = Clock::now();
  }
  void end() { profile_.seconds = now(); }
  /// Seconds since the step began.
  double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Time inside of the event that is added next: in a library call, or waiting.
  void addWithin(double seconds) { within_ += seconds; }
  void addLibraryCall(double seconds, int threads) {
    addWithin(seconds);
    threads_ = threads;
  }
  /// The threads of the library calls since the last event.
  int takeThreads() { return std::exchange(threads_, 1); }
  void add(ProfileEvent event) {
    event.end = now();
    event.within = within_;
    within_ = 0;
    profile_.events.push_back(event);
  }
  const RankProfile &profile() const { return profile_; }

private:
  Clock::time_point start_;
  double within_ = 0;
  int threads_ = 1;
  RankProfile profile_;
};
} // namespace dmc::runtime

/// What the program holds as its context.
struct dmc_rank_context {
  dmc::runtime::Engine *engine = nullptr;
  int64_t rank = 0;
  std::vector<int64_t> coordinates;
  std::vector<size_t> groupSizes; // per collective; 0: in none of its groups
  std::vector<int32_t> started;
  std::atomic<int64_t> collective{-1}; // the current or the last one
  std::atomic<uint64_t> progress{0};
  std::unique_ptr<std::atomic<int64_t>[]> executions;
  std::unique_ptr<dmc::runtime::Contractor> contractor;
  int threads = 1;
  std::unique_ptr<dmc::runtime::Team> team;
  std::unique_ptr<dmc::runtime::Recorder> recorder; // null unless the session profiles
  bool failsAllocation = false; // of the next buffer: a fault that was asked for
};

namespace dmc::runtime {

class Engine {
public:
  using Body = std::function<int32_t(dmc_rank_context &)>;

  Engine(const dmc_program &program, const Mesh &mesh, const SessionOptions &options)
      : program_(program), mesh_(mesh), checksCopies_(options.checkCopies),
        profiles_(options.profile) {}
  virtual ~Engine() = default;
  void setFault(const Fault &fault) { fault_ = fault; }
  /// After a step that succeeded: says so if the fault that was asked for did not
  /// happen in it.
  Failure checkFault() const;

  /// Runs the body on every rank of this process. Returns the first failure. A rank
  /// that is stuck goes on using the body, which lives as long.
  virtual Failure run(Body body) = 0;
  /// Records a failure, the first one counts, and makes all ranks leave their
  /// waits. Returns 1.
  virtual int32_t fail(const std::string &message) = 0;
  /// True if a rank of this process did not end after a failure.
  virtual bool isStuck() const { return false; }
  /// Per collective the executions in the last step, the most of any rank here.
  virtual std::vector<int64_t> executions() const = 0;
  /// The last step of the ranks of this process; empty unless the session profiles.
  virtual std::vector<RankProfile> profile() const = 0;
  virtual int threadsPerRank() const = 0;

  static const dmc_runtime_api &api();
  int32_t collective(dmc_rank_context &rank, int64_t index, const void *operand, void *result);
  int32_t wait(dmc_rank_context &rank, int64_t index);
  int32_t launch(dmc_rank_context &rank, int64_t kernel, const void *arguments);
  int32_t contract(dmc_rank_context &rank, const dmc_contraction &contraction, const void *a,
                   const void *b, void *c);

protected:
  virtual bool hasFailed() const = 0;
  /// True if the rank runs in this process.
  virtual bool isHere(int64_t rank) const = 0;
  /// A collective in a group of at least two.
  virtual bool transfer(dmc_rank_context &rank, int64_t index, const uint8_t *operand,
                        uint8_t *result) = 0;
  /// The hashes of all members of the rank's group in that collective, in its order;
  /// follows a transfer.
  virtual bool gatherHashes(dmc_rank_context &rank, int64_t index, const Hash &mine,
                            std::vector<Hash> &all) = 0;
  /// Called between contractions, which may take long.
  virtual void onProgress(dmc_rank_context &rank) {}

  void initialize(dmc_rank_context &context, int64_t rank, int threads);
  /// Starts the threads of a rank; before its first step.
  Failure startTeam(dmc_rank_context &context) const;
  /// Before a step.
  void reset(dmc_rank_context &context);
  /// Makes the buffer hold at least so many bytes, for the current collective; false
  /// after a failure.
  bool reserve(dmc_rank_context &rank, Buffer &buffer, size_t bytes);
  /// The groups of a collective, each in its order.
  std::vector<std::vector<int64_t>> groupsOf(const dmc_collective &collective) const;
  std::string describe(int64_t index) const;
  std::string describeWait(int64_t rank, int64_t index, int64_t executions) const;
  void addExecutions(const dmc_rank_context &context, std::vector<int64_t> &most) const;

  const dmc_program &program_;
  Mesh mesh_;

private:
  bool injectFault(dmc_rank_context &rank, int64_t index);
  bool injectAfter(dmc_rank_context &rank, int64_t index, uint8_t *result);
  std::vector<int64_t> groupOf(int64_t rank, int64_t index) const;
  bool checkCopies(dmc_rank_context &rank, int64_t index, const uint8_t *result);

  int32_t runNests(dmc_rank_context &rank, const dmc_kernel &kernel, const void *arguments,
                   int &threads);
  bool execute(dmc_rank_context &rank, int64_t index, const uint8_t *operand, uint8_t *result);

  bool checksCopies_, profiles_;

  Fault fault_;
  std::atomic<bool> hasInjected_{false}; // in this step, on a rank of this process
};

/// True if the buffers share a byte.
inline bool overlap(const uint8_t *a, int64_t aBytes, const uint8_t *b, int64_t bBytes) {
  return a < b + bBytes && b < a + aBytes;
}

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_ENGINE_H
