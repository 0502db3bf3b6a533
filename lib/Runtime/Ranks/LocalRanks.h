//===- LocalRanks.h - Ranks as threads of one process -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread per rank. The thread that starts a step watches over it: it reports ranks that
// wait for each other at once, and a lack of progress after a while.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_RANKS_LOCALRANKS_H
#define DMC_LIB_RUNTIME_RANKS_LOCALRANKS_H

#include "Ranks/Barrier.h"
#include "Ranks/Ranks.h"

#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

namespace dmc::runtime {

class LocalRanks final : public Ranks {
public:
  LocalRanks(const dmc_program &program, const Mesh &mesh, const SessionOptions &options);
  ~LocalRanks() override;

  Failure start() override;
  using Ranks::run;
  Failure run(std::shared_ptr<const Body> body) override;
  int32_t fail(const std::string &message) override;
  bool isStuck() const override;

  /// A barrier that failures release; before anything is run.
  Barrier &makeBarrier(size_t size);
  /// The rank meets others at the barrier: the last one to arrive runs `onLast` before it releases
  /// the others. False after a failure.
  template <typename OnLast>
  bool meet(dmc_rank_context &rank, Barrier &barrier, OnLast onLast) {
    rank.epoch.store(barrier.epoch(), std::memory_order_relaxed);
    rank.barrier.store(&barrier, std::memory_order_relaxed);
    auto onWait = [&] { rank.state.store(RankState::Waiting, std::memory_order_release); };
    double start = rank.recorder ? rank.recorder->now() : 0;
    bool good = barrier.arrive(failed_, onWait, onLast);
    if (rank.recorder)
      rank.recorder->addWait(rank.recorder->now() - start);
    rank.state.store(RankState::Running, std::memory_order_release);
    rank.advance();
    return good;
  }

private:
  void work(dmc_rank_context &rank);
  // LocalWatch.cpp
  std::string describeRanks() const;
  bool isDeadlocked() const;
  uint64_t totalProgress() const;
  void supervise(std::unique_lock<std::mutex> &lock);

  double watchdogSeconds_, graceSeconds_;
  std::list<Barrier> barriers_;

  std::mutex failureMutex_;
  std::string failure_;

  mutable std::mutex mutex_; // guards what follows
  std::condition_variable started_, ended_;
  /// Shared with the threads: one that is stuck may use it after `run` has returned.
  std::shared_ptr<const Body> body_;
  uint64_t generation_ = 0;
  size_t running_ = 0;
  bool closing_ = false;
  bool stuck_ = false;
  std::vector<std::thread> threads_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_RANKS_LOCALRANKS_H
