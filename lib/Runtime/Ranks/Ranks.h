//===- Ranks.h - What runs the steps of a program ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of this process: threads of it, or the process itself. Runs a body on each of them,
// records the first failure, and watches for hangs. How bytes get from one rank to another is
// a communicator's matter.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_RANKS_RANKS_H
#define DMC_LIB_RUNTIME_RANKS_RANKS_H

#include "Ranks/Fault.h"
#include "Ranks/Rank.h"
#include "dmc/Runtime/Session.h"

#include <functional>

namespace dmc::runtime {

class Ranks {
public:
  using Body = std::function<int32_t(dmc_rank_context &)>;

  Ranks(const dmc_program &program, const Mesh &mesh) : program_(program), mesh_(mesh) {}
  virtual ~Ranks() = default;
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;

  /// Starts what executes the ranks; before anything is run.
  virtual Failure start() = 0;
  /// Runs the body on every rank of this process. Returns the first failure. A rank
  /// that is stuck goes on using the body, which lives as long.
  Failure run(Body body) { return run(std::make_shared<const Body>(std::move(body))); }
  virtual Failure run(std::shared_ptr<const Body> body) = 0;
  /// Records a failure, the first one counts, and makes all ranks leave their
  /// waits. Returns 1.
  virtual int32_t fail(const std::string &message) = 0;
  /// True after a failure in this step.
  bool hasFailed() const { return failed_.load(std::memory_order_acquire); }
  /// True if a rank of this process did not end after a failure.
  virtual bool isStuck() const { return false; }
  /// Called between library calls, which may take long.
  virtual void onProgress(dmc_rank_context &) {}
  /// Called again and again while a rank waits for its device, which may wait for those of others.
  /// False after a failure, also of another process: the wait is in vain.
  virtual bool onWait(dmc_rank_context &) { return !hasFailed(); }
  /// Why waits are in vain; empty if another process says it.
  virtual std::string failureText() const { return "another rank has failed"; }

  /// Of this process, in ascending order.
  const std::vector<std::unique_ptr<dmc_rank_context>> &local() const { return ranks_; }
  /// Null if the rank is another process's.
  dmc_rank_context *find(int64_t rank) const;
  const Mesh &mesh() const { return mesh_; }

  /// The fault that was asked for happens in the steps that follow.
  void setFault(const Fault &fault) { fault_ = fault; }
  bool isFaulty(const dmc_rank_context &rank, int64_t collective) const {
    return fault_.hits(rank.rank, collective);
  }
  /// When a faulty rank comes to the collective. True if it must not go on.
  bool injectBefore(dmc_rank_context &rank, int64_t collective);
  /// When a faulty rank has the collective's result. True if it must not go on.
  bool injectAfter(dmc_rank_context &rank, int64_t collective, uint8_t *result);
  /// After a step that succeeded: says so if the fault that was asked for did not
  /// happen in it.
  Failure checkFault() const;

  /// "collective 3 (all_reduce over {"data"} at model.py:7)".
  std::string describe(int64_t collective) const;

protected:
  /// Adds a rank; its device, of that number in this process, starts no threads yet.
  void add(int64_t rank, int threads, int device, const SessionOptions &options);
  /// Before a step.
  void reset();
  std::string describeWait(int64_t rank, int64_t collective, int64_t executions) const;

  const dmc_program &program_;
  Mesh mesh_;
  std::vector<std::unique_ptr<dmc_rank_context>> ranks_;
  std::atomic<bool> failed_{false};

private:
  Fault fault_;
  std::atomic<bool> hasInjected_{false}; // in this step, on a rank of this process
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_RANKS_RANKS_H
