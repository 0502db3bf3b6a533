//===- NcclCommunicator.cpp - Collectives on CUDA devices -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making and ending communicators. NcclTransfers.cpp has the collectives.
//
//===----------------------------------------------------------------------===//

#include "CUDA/NcclCommunicator.h"

#include <algorithm>
#include <ctime>
#include <thread>

using namespace dmc;
using namespace dmc::cuda;
using namespace dmc::cuda::nccl;
using namespace dmc::runtime;
using NcclResult = nccl::Result;

NcclCommunicator::NcclCommunicator(const dmc_program &program, Ranks &ranks, bool isSimulated)
    : program_(program), ranks_(ranks), isSimulated_(isSimulated),
      data_(static_cast<size_t>(ranks.mesh().numRanks())) {
  for (RankData &data : data_)
    data.members.resize(program.num_collectives);
}

NcclCommunicator::~NcclCommunicator() {
  for (const auto &rank : ranks_.local()) {
    rank->device->setWatch(nullptr);
    RankData &data = data_[rank->rank];
    if (rank->device->enter())
      continue;
    for (Communicator communicator : data.communicators)
      if (communicator)
        (void)library_->destroy(communicator);
    for (auto [index, copy] : data.copies)
      rank->device->release(copy);
  }
}

Failure NcclCommunicator::failed(NcclResult result) const {
  if (result == NcclResult::Success || result == NcclResult::InProgress)
    return std::nullopt;
  const char *detail = library_->getLastError(nullptr);
  std::string text = std::string("NCCL: ") + library_->getErrorString(result);
  return detail && *detail ? text + " (" + detail + ")" : text;
}

Failure NcclCommunicator::connect(const std::vector<std::vector<std::vector<int64_t>>> &groups) {
  std::map<std::vector<int64_t>, std::map<int64_t, size_t>> known;
  for (uint32_t i = 0; i < program_.num_collectives; ++i) {
    isSupported_.push_back(canCompute(program_.collectives[i], groups[i]));
    for (const std::vector<int64_t> &ranks : groups[i]) {
      bool isNew = ranks.size() > 1 && supports(i) && !known.count(ranks);
      if (isNew)
        groups_.push_back(ranks);
      for (size_t position = 0; position < ranks.size(); ++position) {
        RankData &data = data_[ranks[position]];
        if (isNew) {
          known[ranks][ranks[position]] = data.communicators.size();
          data.communicators.push_back(nullptr);
        }
        Member &member = data.members[i];
        member.size = ranks.size();
        member.position = position;
        if (auto found = known.find(ranks); found != known.end())
          member.communicator = found->second.at(ranks[position]);
      }
    }
  }
  if (groups_.empty())
    return std::nullopt;
  std::string error;
  library_ = Nccl::load(isSimulated_, error);
  if (!library_)
    return "the program has collectives between CUDA devices: " + error +
           (isSimulated_ ? "" : "; --device=simulated runs it without that library");
  for (const auto &rank : ranks_.local())
    rank->device->setWatch([this, context = rank.get()]() -> Failure {
      int64_t collective = context->collective.load(std::memory_order_relaxed);
      auto why = watch(*context);
      return why && collective >= 0 ? ranks_.describe(collective) + ": " + *why : why;
    });
  return open();
}

/// One communicator after the other: a thread joins for all of its ranks.
Failure NcclCommunicator::open() {
  std::vector<size_t> next(data_.size(), 0);
  for (const std::vector<int64_t> &ranks : groups_) {
    UniqueId id;
    if (auto why = failed(library_->getUniqueId(&id)))
      return why;
    NcclResult result = library_->groupStart();
    Failure why;
    for (size_t position = 0; position < ranks.size() && !why; ++position) {
      // A call may wait for a rank that has failed: it must not block.
      Config config;
      config.blocking = 0;
      why = ranks_.find(ranks[position])->device->enter();
      RankData &data = data_[ranks[position]];
      if (!why)
        why = failed(library_->initRankConfig(&data.communicators[next[ranks[position]]],
                                              static_cast<int>(ranks.size()), id,
                                              static_cast<int>(position), &config));
    }
    result = library_->groupEnd();
    if (!why)
      why = failed(result);
    for (int64_t rank : ranks) {
      Communicator communicator = data_[rank].communicators[next[rank]++];
      for (result = NcclResult::InProgress; !why && result == NcclResult::InProgress;) {
        if (!(why = failed(library_->getAsyncError(communicator, &result))))
          why = failed(result);
        std::this_thread::yield();
      }
      if (why)
        return "cannot connect rank " + std::to_string(rank) + ": " + *why;
    }
  }
  return std::nullopt;
}

Failure NcclCommunicator::reconnect() {
  auto isOpen = [](const RankData &data) {
    return std::all_of(data.communicators.begin(), data.communicators.end(),
                       [](Communicator communicator) { return communicator != nullptr; });
  };
  if (std::all_of(data_.begin(), data_.end(), isOpen))
    return std::nullopt;
  abort();
  return open();
}

void NcclCommunicator::abort() {
  for (RankData &data : data_)
    abort(data);
}

void NcclCommunicator::abort(RankData &data) {
  for (Communicator &communicator : data.communicators)
    if (communicator) {
      (void)library_->abort(communicator);
      communicator = nullptr;
    }
}

/// Of the calling thread.
static double processorSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// While a rank waits: gives up if another one has failed, or NCCL.
Failure NcclCommunicator::watch(dmc_rank_context &rank) {
  RankData &data = data_[rank.rank];
  Failure why;
  if (ranks_.hasFailed())
    why = "another rank has failed";
  for (size_t i = 0; i < data.communicators.size() && !why; ++i) {
    NcclResult error = NcclResult::Success;
    if (data.communicators[i]) {
      why = failed(library_->getAsyncError(data.communicators[i], &error));
      if (!why)
        why = failed(error);
    }
  }
  int64_t collective = rank.collective.load(std::memory_order_relaxed);
  if (why) {
    rank.state.store(RankState::Running, std::memory_order_release);
    abort(data);
    return why;
  }
  // A simulated device executes kernels in the thread that asks for its streams: asking alone takes
  // some microseconds.
  constexpr double kernelSeconds = 1e-3;
  double now = processorSeconds();
  if (now - data.askedAt > kernelSeconds)
    rank.advance();
  data.askedAt = now;
  if (collective >= 0) {
    // Not at a barrier, where all ranks that wait for each other would be a deadlock.
    rank.barrier.store(nullptr, std::memory_order_relaxed);
    rank.state.store(RankState::Waiting, std::memory_order_release);
  }
  return std::nullopt;
}

/// Until what was called is in the stream.
Failure NcclCommunicator::settle(dmc_rank_context &rank, Communicator communicator) {
  while (true) {
    NcclResult state = NcclResult::Success;
    if (auto why = failed(library_->getAsyncError(communicator, &state)))
      return why;
    if (state != NcclResult::InProgress) {
      rank.state.store(RankState::Running, std::memory_order_release);
      return failed(state);
    }
    if (auto why = watch(rank))
      return why;
    std::this_thread::yield();
  }
}
