//===- LocalEngine.h - Ranks as threads of one process ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that run one step each, and the collectives between them through
// shared memory. Results depend on neither timing nor the number of cores.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_LOCALENGINE_H
#define DMC_LIB_RUNTIME_LOCALENGINE_H

#include "Engine.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace dmc::runtime {

/// Where threads meet. Spins shortly, then blocks: there may be more ranks than
/// cores.
class Barrier {
public:
  explicit Barrier(size_t size) : size_(size) {}
  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  /// The last one to arrive runs `onLast` before it releases the others, which
  /// run `onWait` once they count as arrived. False if `failed` was raised.
  template <typename OnWait, typename OnLast>
  bool arrive(const std::atomic<bool> &failed, OnWait onWait, OnLast onLast);
  /// Wakes those who wait, after `failed` was raised.
  void wake();
  /// Only while nobody waits.
  void reset() { arrived_.store(0, std::memory_order_relaxed); }

private:
  size_t size_;
  std::atomic<size_t> arrived_{0};
  std::atomic<uint64_t> epoch_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// A set of ranks that meet in collectives.
struct MeetingPoint {
  explicit MeetingPoint(std::vector<int64_t> members)
      : members(std::move(members)), barrier(this->members.size()), slots(this->members.size()) {
    staging[0].resize(this->members.size());
    staging[1].resize(this->members.size());
  }

  struct Slot {
    int64_t collective = -1;
    const uint8_t *operand = nullptr;
    Hash hash; // of the result
  };
  std::vector<int64_t> members; // ascending
  Barrier barrier;
  std::vector<Slot> slots;
  /// Copies of small operands, so that their owners need not wait for readers.
  /// Two sets in turn: who fills one has passed the barrier behind its last use.
  std::vector<Buffer> staging[2];
  Buffer scratch; // the result of a large all-reduce
};

/// The ranks of one collective in its order, as indices into the members of
/// their meeting point.
struct Group {
  MeetingPoint *point = nullptr;
  std::vector<size_t> order;
};

enum class RankState : int { Idle, Running, Waiting, Finished };

/// A rank on its thread. What it does is read by others when they report a hang.
struct alignas(64) LocalRank : dmc_rank_context {
  std::atomic<RankState> state{RankState::Idle};
  std::atomic<Barrier *> barrier{nullptr};
  std::atomic<uint64_t> epoch{0};
  /// Per collective, its group and the position of this rank in it.
  std::vector<std::pair<const Group *, size_t>> groups;
  Buffer ownCopy; // of an operand that overlaps the result
};

class LocalEngine final : public Engine {
public:
  LocalEngine(const dmc_program &program, const Mesh &mesh, const SessionOptions &options);
  ~LocalEngine() override;
  /// Starts the threads; before anything is run.
  Failure start();

  Failure run(Body body) override;
  int32_t fail(const std::string &message) override;
  bool isStuck() const override;
  std::vector<int64_t> executions() const override;
  std::vector<RankProfile> profile() const override;
  int threadsPerRank() const override { return ranks_.front()->threads; }

private:
  bool hasFailed() const override { return failed_.load(std::memory_order_acquire); }
  bool isHere(int64_t rank) const override { return true; }
  bool transfer(dmc_rank_context &context, int64_t index, const uint8_t *operand,
                uint8_t *result) override;
  bool gatherHashes(dmc_rank_context &context, int64_t index, const Hash &mine,
                    std::vector<Hash> &all) override;
  void makeGroups();
  void work(LocalRank &rank);
  template <typename OnLast>
  bool meet(LocalRank &rank, MeetingPoint &point, OnLast onLast);
  void checkSameCollective(const MeetingPoint &point);
  std::string describeRanks() const;
  bool isDeadlocked() const;
  uint64_t totalProgress() const;
  void supervise(std::unique_lock<std::mutex> &lock);

  double watchdogSeconds_, graceSeconds_;
  std::vector<std::unique_ptr<LocalRank>> ranks_;
  std::map<std::vector<int64_t>, std::unique_ptr<MeetingPoint>> points_;
  std::vector<std::unique_ptr<Group>> groups_;

  std::atomic<bool> failed_{false};
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

#endif // DMC_LIB_RUNTIME_LOCALENGINE_H
