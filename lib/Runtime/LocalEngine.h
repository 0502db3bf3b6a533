//===- LocalEngine.h - Ranks as threads of one process ----------*- C++ -*-===//
//
// Threads that run one step each, and the collectives between them through
// shared memory. Results depend on neither timing nor the number of cores.
//
//===----------------------------------------------------------------------===//
#ifndef DMC_LIB_RUNTIME_LOCALENGINE_H
#define DMC_LIB_RUNTIME_LOCALENGINE_H

#include "dmc/Layout/Layout.h"
#include "dmc/Runtime/Array.h"
#include "dmc/Runtime/Contraction.h"
#include "dmc/Runtime/Session.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace dmc::runtime {

class LocalEngine;

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

/// What a rank does; read by others when they report a hang.
struct alignas(64) RankStatus {
  std::atomic<RankState> state{RankState::Idle};
  std::atomic<int64_t> collective{-1}; // the current or the last one
  std::atomic<uint64_t> progress{0};
  std::atomic<Barrier *> barrier{nullptr};
  std::atomic<uint64_t> epoch{0};
  std::unique_ptr<std::atomic<int64_t>[]> executions;
};

} // namespace dmc::runtime

/// What the program holds as its context.
struct dmc_rank_context {
  dmc::runtime::LocalEngine *engine = nullptr;
  int64_t rank = 0;
  std::vector<int64_t> coordinates;
  dmc::runtime::RankStatus status;
  /// Per collective, its group and the position of this rank in it.
  std::vector<std::pair<const dmc::runtime::Group *, size_t>> groups;
  std::vector<int32_t> started;
  dmc::runtime::Buffer ownCopy; // of an operand that overlaps the result
  std::unique_ptr<dmc::runtime::Contractor> contractor;
};

namespace dmc::runtime {

class LocalEngine {
public:
  LocalEngine(const dmc_program &program, const Mesh &mesh, const SessionOptions &options);
  ~LocalEngine();
  Failure parseFault(const std::string &text);

  /// Runs the body on the thread of every rank and waits for all of them. Returns
  /// the first failure.
  Failure run(const std::function<int32_t(dmc_rank_context &)> &body);

  static const dmc_runtime_api &api();
  const dmc_rank_context &rank(int64_t rank) const { return *ranks_[rank]; }
  bool isStuck() const { return stuck_; }

  int32_t collective(dmc_rank_context &rank, int64_t index, const void *operand, void *result);
  int32_t wait(dmc_rank_context &rank, int64_t index);
  int32_t contract(dmc_rank_context &rank, const dmc_contraction &contraction, const void *a,
                   const void *b, void *c);
  /// Records a failure, the first one counts, and makes all ranks leave their
  /// waits. Returns 1.
  int32_t fail(const std::string &message);

private:
  void makeGroups();
  void work(dmc_rank_context &rank);
  template <typename OnLast>
  bool meet(dmc_rank_context &rank, MeetingPoint &point, OnLast onLast);
  void checkSameCollective(const MeetingPoint &point);
  bool injectFault(dmc_rank_context &rank, int64_t index);
  bool transfer(dmc_rank_context &rank, int64_t index, const uint8_t *operand, uint8_t *result);
  std::string describe(int64_t index) const;
  std::string describeRanks() const;
  bool isDeadlocked() const;
  uint64_t totalProgress() const;
  void supervise(std::unique_lock<std::mutex> &lock);

  const dmc_program &program_;
  Mesh mesh_;
  double watchdogSeconds_;
  std::vector<std::unique_ptr<dmc_rank_context>> ranks_;
  std::map<std::vector<int64_t>, std::unique_ptr<MeetingPoint>> points_;
  std::vector<std::unique_ptr<Group>> groups_;

  enum class FaultAction { None, Fail, Stall } faultAction_ = FaultAction::None;
  int64_t faultRank_ = -1, faultCollective_ = -1;

  std::atomic<bool> failed_{false};
  std::mutex failureMutex_;
  std::string failure_;

  std::mutex mutex_; // guards what follows
  std::condition_variable started_, ended_;
  const std::function<int32_t(dmc_rank_context &)> *body_ = nullptr;
  uint64_t generation_ = 0;
  size_t running_ = 0;
  bool closing_ = false;
  bool stuck_ = false;
  std::vector<std::thread> threads_;
};

} // namespace dmc::runtime

#endif // DMC_LIB_RUNTIME_LOCALENGINE_H
