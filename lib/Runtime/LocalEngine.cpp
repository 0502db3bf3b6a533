//===- LocalEngine.cpp - Ranks as threads of one process ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads, groups and meetings. Supervision.cpp has the handling of hangs,
// Collectives.cpp the data movement.
//
//===----------------------------------------------------------------------===//

#include "LocalEngine.h"
#include "Collectives.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <cstring>
#include <system_error>

using namespace dmc;
using namespace dmc::runtime;

/// Operands up to this size are copied when their rank arrives: one meeting is
/// then enough. Larger ones are read in place, and their owners wait for readers.
static constexpr int64_t stagedBytes = 16 * 1024;

//===----------------------------------------------------------------------===//
// Meeting
//===----------------------------------------------------------------------===//

static void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

template <typename OnWait, typename OnLast>
bool Barrier::arrive(const std::atomic<bool> &failed, OnWait onWait, OnLast onLast) {
  uint64_t epoch = epoch_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    onLast();
    arrived_.store(0, std::memory_order_relaxed);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      epoch_.store(epoch + 1, std::memory_order_release);
    }
    changed_.notify_all();
    return !failed.load(std::memory_order_acquire);
  }
  onWait();
  auto released = [&] {
    return epoch_.load(std::memory_order_acquire) != epoch ||
           failed.load(std::memory_order_acquire);
  };
  for (int i = 0; i < 200; ++i) {
    if (released())
      return !failed.load(std::memory_order_acquire);
    pause();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, released);
  return !failed.load(std::memory_order_acquire);
}

void Barrier::wake() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
  }
  changed_.notify_all();
}

template <typename OnLast>
bool LocalEngine::meet(LocalRank &rank, MeetingPoint &point, OnLast onLast) {
  rank.epoch.store(point.barrier.epoch(), std::memory_order_relaxed);
  rank.barrier.store(&point.barrier, std::memory_order_relaxed);
  auto onWait = [&] { rank.state.store(RankState::Waiting, std::memory_order_release); };
  double start = rank.recorder ? rank.recorder->now() : 0;
  bool good = point.barrier.arrive(failed_, onWait, onLast);
  if (rank.recorder)
    rank.recorder->addWithin(rank.recorder->now() - start);
  rank.state.store(RankState::Running, std::memory_order_release);
  rank.progress.fetch_add(1, std::memory_order_relaxed);
  return good;
}

void LocalEngine::checkSameCollective(const MeetingPoint &point) {
  for (size_t i = 1; i < point.slots.size(); ++i)
    if (point.slots[i].collective != point.slots[0].collective) {
      fail("ranks meet at different collectives: rank " + std::to_string(point.members[0]) +
           " at " + describe(point.slots[0].collective) + ", rank " +
           std::to_string(point.members[i]) + " at " + describe(point.slots[i].collective));
      return;
    }
}

//===----------------------------------------------------------------------===//
// Construction and threads
//===----------------------------------------------------------------------===//

LocalEngine::LocalEngine(const dmc_program &program, const Mesh &mesh,
                         const SessionOptions &options)
    : Engine(program, mesh, options), watchdogSeconds_(options.watchdogSeconds),
      graceSeconds_(options.graceSeconds) {
  int64_t numRanks = mesh.numRanks();
  int threads = options.threadsPerRank;
  if (threads <= 0)
    threads = std::max<int>(1, static_cast<int>(std::thread::hardware_concurrency() / numRanks));
  for (int64_t r = 0; r < numRanks; ++r) {
    auto rank = std::make_unique<LocalRank>();
    initialize(*rank, r, threads);
    rank->groups.resize(program.num_collectives);
    ranks_.push_back(std::move(rank));
  }
  makeGroups();
}

Failure LocalEngine::start() {
  for (auto &rank : ranks_)
    if (auto why = startTeam(*rank))
      return why;
  try {
    for (auto &rank : ranks_)
      threads_.emplace_back([this, context = rank.get()] { work(*context); });
  } catch (const std::system_error &error) {
    return "cannot start thread " + std::to_string(threads_.size()) + " of " +
           std::to_string(ranks_.size()) + " for the ranks: " + error.what();
  }
  return std::nullopt;
}

LocalEngine::~LocalEngine() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  started_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

/// Equal groups are shared, and groups of the same ranks share their meeting
/// point: a mismatch then shows when the ranks meet.
void LocalEngine::makeGroups() {
  std::map<std::vector<int64_t>, Group *> known;
  for (uint32_t i = 0; i < program_.num_collectives; ++i)
    for (const std::vector<int64_t> &ranks : groupsOf(program_.collectives[i])) {
      Group *&shared = known[ranks];
      if (!shared) {
        std::vector<int64_t> members = ranks;
        std::sort(members.begin(), members.end());
        auto &point = points_[members];
        if (!point)
          point = std::make_unique<MeetingPoint>(members);
        groups_.push_back(std::make_unique<Group>());
        shared = groups_.back().get();
        shared->point = point.get();
        for (int64_t rank : ranks)
          shared->order.push_back(std::lower_bound(members.begin(), members.end(), rank) -
                                  members.begin());
      }
      for (size_t position = 0; position < ranks.size(); ++position) {
        ranks_[ranks[position]]->groups[i] = {shared, position};
        ranks_[ranks[position]]->groupSizes[i] = ranks.size();
      }
    }
}

void LocalEngine::work(LocalRank &rank) {
  uint64_t seen = 0;
  while (true) {
    std::shared_ptr<const Body> body;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      started_.wait(lock, [&] { return closing_ || generation_ != seen; });
      if (closing_)
        return;
      seen = generation_;
      body = body_;
    }
    rank.state.store(RankState::Running, std::memory_order_release);
    int32_t code = (*body)(rank);
    if (code != 0)
      fail("rank " + std::to_string(rank.rank) + " ended with code " + std::to_string(code));
    rank.state.store(RankState::Finished, std::memory_order_release);
    rank.progress.fetch_add(1, std::memory_order_relaxed);
    body.reset(); // before the step counts as over: what it holds may be the caller's
    std::lock_guard<std::mutex> lock(mutex_);
    if (--running_ == 0)
      ended_.notify_all();
  }
}

bool LocalEngine::isStuck() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return stuck_ && running_ > 0;
}

Failure LocalEngine::run(Body body) {
  if (isStuck())
    return std::string("a rank is still stuck in an earlier step");
  stuck_ = false;
  failed_ = false;
  failure_.clear();
  for (auto &point : points_)
    point.second->barrier.reset();
  for (auto &rank : ranks_) {
    rank->state = RankState::Idle;
    reset(*rank);
  }
  std::unique_lock<std::mutex> lock(mutex_);
  body_ = std::make_shared<const Body>(std::move(body));
  running_ = ranks_.size();
  ++generation_;
  started_.notify_all();
  supervise(lock);
  if (!stuck_) // else a thread may not have taken it yet
    body_.reset();
  if (!failed_)
    return std::nullopt;
  std::lock_guard<std::mutex> failureLock(failureMutex_);
  return failure_;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

bool LocalEngine::transfer(dmc_rank_context &context, int64_t index, const uint8_t *operand,
                           uint8_t *result) {
  auto &rank = static_cast<LocalRank &>(context);
  const dmc_collective &collective = program_.collectives[index];
  auto [group, position] = rank.groups[index];
  MeetingPoint &point = *group->point;
  size_t groupSize = group->order.size();
  size_t self = group->order[position];
  auto bytes = static_cast<size_t>(collective.operand_bytes);
  bool staged = collective.operand_bytes <= stagedBytes;
  bool inScratch = !staged && collective.kind == DMC_ALL_REDUCE;

  auto &staging = point.staging[point.barrier.epoch() & 1];
  if (staged) {
    if (!reserve(rank, staging[self], stagedBytes))
      return false;
    if (bytes)
      std::memcpy(staging[self].data(), operand, bytes);
    operand = staging[self].data();
  } else if (!inScratch && groupSize > 1 &&
             overlap(operand, collective.operand_bytes, result, collective.result_bytes)) {
    if (!reserve(rank, rank.ownCopy, bytes))
      return false;
    std::memcpy(rank.ownCopy.data(), operand, bytes);
    operand = rank.ownCopy.data();
  }
  point.slots[self].collective = index;
  point.slots[self].operand = operand;
  bool good = meet(rank, point, [&] {
    checkSameCollective(point);
    // One buffer for all of them: a fault of any is a fault of all.
    for (int64_t member : point.members)
      if (inScratch && !reserve(*ranks_[member], point.scratch, bytes))
        return;
  });
  if (!good)
    return false;

  std::vector<const uint8_t *> operands;
  for (size_t member : group->order)
    operands.push_back(staged ? staging[member].data() : point.slots[member].operand);
  if (!inScratch) {
    moveData(collective, position, operands, result);
    return staged || meet(rank, point, [] {});
  }
  Slice slice = sliceOf(operandElements(collective), elementBytes(collective.element_type),
                        position, groupSize);
  reduceSlice(collective, slice, operands, point.scratch.data());
  if (!meet(rank, point, [] {}))
    return false;
  std::memcpy(result, point.scratch.data(), bytes);
  return true;
}

bool LocalEngine::gatherHashes(dmc_rank_context &context, int64_t index, const Hash &mine,
                               std::vector<Hash> &all) {
  auto &rank = static_cast<LocalRank &>(context);
  auto [group, position] = rank.groups[index];
  MeetingPoint &point = *group->point;
  // The ranks meet in a transfer before these are written again.
  point.slots[group->order[position]].hash = mine;
  if (!meet(rank, point, [] {}))
    return false;
  for (size_t member : group->order)
    all.push_back(point.slots[member].hash);
  return true;
}

std::vector<int64_t> LocalEngine::executions() const {
  std::vector<int64_t> most(program_.num_collectives, 0);
  for (const auto &rank : ranks_)
    addExecutions(*rank, most);
  return most;
}

std::vector<RankProfile> LocalEngine::profile() const {
  std::vector<RankProfile> ranks;
  for (const auto &rank : ranks_)
    if (rank->recorder)
      ranks.push_back(rank->recorder->profile());
  return ranks;
}
