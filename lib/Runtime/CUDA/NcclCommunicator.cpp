//===- NcclCommunicator.cpp - Collectives on CUDA devices -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making and ending communicators. NcclTransfers.cpp has the collectives.
//
//===----------------------------------------------------------------------===//

#include "CUDA/NcclCommunicator.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace dmc;
using namespace dmc::cuda;
using namespace dmc::cuda::nccl;
using namespace dmc::runtime;
using NcclResult = nccl::Result;

NcclCommunicator::NcclCommunicator(const dmc_program &program, Ranks &ranks, bool isSimulated,
                                   Transport *transport)
    : program_(program), ranks_(ranks), isSimulated_(isSimulated), transport_(transport),
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

/// Says the cause, where another rank has reported it, rather than that this rank is gone.
Failure NcclCommunicator::failed(dmc_rank_context &rank, NcclResult result) const {
  using Clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::seconds(1); // for what that rank reports before it ends
  auto begin = Clock::now();
  while (result == NcclResult::RemoteError && Clock::now() - begin < patience) {
    if (!ranks_.onWait(rank))
      return ranks_.failureText();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return failed(result);
}

/// One failure of all processes, which the first that has one says.
Failure NcclCommunicator::agree(const Failure &why) const {
  return transport_ ? transport_->agree(why) : why;
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
  driver_ = library_ ? Driver::load(isSimulated_, error) : nullptr;
  Failure why;
  if (!driver_)
    why = "the program has collectives between CUDA devices: " + error +
          (isSimulated_ ? "" : "; --device=simulated runs it without that library");
  if (auto failure = agree(why))
    return failure;
  for (const auto &rank : ranks_.local())
    rank->device->setWatch([this, context = rank.get()]() -> Failure {
      int64_t collective = context->collective.load(std::memory_order_relaxed);
      auto why = watch(*context);
      return why && collective >= 0 ? ranks_.describe(collective) + ": " + *why : why;
    });
  return open();
}

/// The first rank of each group makes its id, and gives it to the others.
Failure NcclCommunicator::shareIds(std::vector<UniqueId> &ids) {
  struct Message {
    UniqueId id;
    bool hasFailed;
  };
  auto watch = [this] { return ranks_.onWait(*ranks_.local().front()); };
  ids.resize(groups_.size());
  Failure first;
  for (size_t i = 0; i < groups_.size(); ++i) {
    const std::vector<int64_t> &ranks = groups_[i];
    Message message = {};
    std::vector<dmc_message> sends, receives;
    if (ranks_.find(ranks[0])) {
      Failure why = failed(library_->getUniqueId(&message.id));
      message.hasFailed = why.has_value();
      first = first ? first : why;
      for (size_t other = 1; other < ranks.size(); ++other)
        sends.push_back({&message, sizeof message, ranks[other]});
    } else if (std::any_of(ranks.begin(), ranks.end(),
                           [&](int64_t rank) { return ranks_.find(rank) != nullptr; })) {
      receives.push_back({&message, sizeof message, ranks[0]});
    }
    // After a failure too: others wait for what this process sends.
    if (transport_)
      if (auto why = transport_->exchange(nullptr, sends, receives, watch))
        return why->empty() ? Failure(ranks_.failureText()) : why;
    ids[i] = message.id;
    if (message.hasFailed && !first)
      first = std::string(); // which the other process says
  }
  return agree(first);
}

/// A thread joins for all of its ranks.
Failure NcclCommunicator::open(const std::vector<int64_t> &ranks, const UniqueId &id,
                               std::vector<size_t> &next) {
  Failure why = failed(library_->groupStart());
  for (size_t position = 0; position < ranks.size() && !why; ++position) {
    dmc_rank_context *rank = ranks_.find(ranks[position]);
    if (!rank)
      continue;
    // A call may wait for a rank that has failed: it must not block.
    Config config;
    config.blocking = 0;
    why = rank->device->enter();
    if (!why)
      why = failed(library_->initRankConfig(
          &data_[ranks[position]].communicators[next[ranks[position]]],
          static_cast<int>(ranks.size()), id, static_cast<int>(position), &config));
  }
  NcclResult ended = library_->groupEnd();
  if (!why)
    why = failed(ended);
  for (int64_t number : ranks) {
    size_t communicator = next[number]++;
    dmc_rank_context *rank = ranks_.find(number);
    if (!why && rank)
      why = awaitOpening(*rank, data_[number].communicators[communicator]);
    if (why && rank)
      return why->empty() ? why : "cannot connect rank " + std::to_string(number) + ": " + *why;
  }
  return std::nullopt;
}

Failure NcclCommunicator::awaitOpening(dmc_rank_context &rank, Communicator communicator) {
  rank.state.store(RankState::Waiting, std::memory_order_release);
  Failure why;
  for (NcclResult result = NcclResult::InProgress; !why && result == NcclResult::InProgress;) {
    why = failed(rank, library_->getAsyncError(communicator, &result));
    if (!why)
      why = failed(rank, result);
    if (!why && transport_ && !ranks_.onWait(rank))
      why = ranks_.failureText();
    std::this_thread::yield();
  }
  rank.state.store(RankState::Running, std::memory_order_release);
  return why;
}

/// One communicator after the other.
Failure NcclCommunicator::open() {
  std::vector<UniqueId> ids;
  if (auto why = shareIds(ids))
    return why;
  std::vector<size_t> next(data_.size(), 0);
  Failure why;
  for (size_t i = 0; i < groups_.size() && !why; ++i)
    why = open(groups_[i], ids[i], next);
  if (transport_ && why && !why->empty())
    ranks_.fail(*why); // others may wait for this process to connect
  return agree(why);
}

Failure NcclCommunicator::reconnect() {
  auto isOpen = [&](const auto &rank) {
    const std::vector<Communicator> &all = data_[rank->rank].communicators;
    return std::all_of(all.begin(), all.end(),
                       [](Communicator communicator) { return communicator != nullptr; });
  };
  if (std::all_of(ranks_.local().begin(), ranks_.local().end(), isOpen))
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

/// While a rank waits: gives up if another one has failed, or NCCL.
Failure NcclCommunicator::watch(dmc_rank_context &rank) {
  RankData &data = data_[rank.rank];
  Failure why;
  if (!ranks_.onWait(rank))
    why = ranks_.failureText();
  for (size_t i = 0; i < data.communicators.size() && !why; ++i) {
    NcclResult error = NcclResult::Success;
    if (data.communicators[i]) {
      why = failed(rank, library_->getAsyncError(data.communicators[i], &error));
      if (!why)
        why = failed(rank, error);
    }
  }
  int64_t collective = rank.collective.load(std::memory_order_relaxed);
  if (why) {
    rank.state.store(RankState::Running, std::memory_order_release);
    abort(data);
    return why;
  }
  // A simulated device executes what is in its streams in the threads that ask for them.
  if (driver_->executed) {
    uint64_t executed = driver_->executed();
    if (executed != data.executed)
      rank.advance();
    data.executed = executed;
  }
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
    if (auto why = failed(rank, library_->getAsyncError(communicator, &state)))
      return why;
    if (state != NcclResult::InProgress) {
      rank.state.store(RankState::Running, std::memory_order_release);
      return failed(rank, state);
    }
    if (auto why = watch(rank))
      return why;
    std::this_thread::yield();
  }
}
