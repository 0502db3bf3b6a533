//===- Groups.cpp - What is called in groups, and waiting -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/Nccl/State.h"

#include <algorithm>

namespace dmc::cuda::nccl {

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

static std::string describeMissing(const Clique &clique) {
  std::string missing;
  for (int rank = 0; rank < clique.size(); ++rank)
    if (!clique.members[static_cast<size_t>(rank)].hasJoined)
      missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
  return missing.empty() ? "not all ranks have called ncclCommSplit"
                         : "rank " + missing + " has not joined " + clique.name() + " of " +
                               std::to_string(clique.size()) + " ranks";
}

/// Waits until a communicator is ready.
static Result waitFor(Communicator communicator) {
  Lock lock = enter();
  auto deadline = Clock::now() + patience();
  Result result = Result::Success;
  while (communicator->opening && !communicator->opening(result)) {
    // Other processes wake nobody here.
    constexpr auto look = std::chrono::milliseconds(1);
    state().changed.wait_until(lock, std::min(deadline, Clock::now() + look));
    lock.unlock();
    lock = enter();
    if (Clock::now() < deadline || communicator->opening(result))
      continue;
    report("nccl missing rank", describeMissing(*communicator->clique));
    result = Result::SystemError;
    break;
  }
  communicator->opening = nullptr;
  if (result != Result::Success && communicator->clique)
    communicator->member().error = result;
  return result;
}

namespace {
/// What a thread has called in a group.
struct Group {
  int depth = 0;
  Result result = Result::Success;
  std::vector<std::pair<Communicator, bool>> openings;
  std::vector<std::pair<Communicator, Call>> calls;
};
} // namespace

static Group &group() {
  thread_local Group open;
  return open;
}

void leaveGroup(Communicator communicator) {
  auto &calls = group().calls;
  auto isOwn = [&](const auto &entry) { return entry.first == communicator; };
  auto first = std::find_if(calls.begin(), calls.end(), isOwn);
  if (first == calls.end())
    return;
  report("nccl group", "rank " + std::to_string(communicator->rank) + " destroys " +
                           communicator->clique->name() +
                           " in a group that has not ended, with the " +
                           nameOf(first->second.kind) + " that it has called there");
  calls.erase(std::remove_if(calls.begin(), calls.end(), isOwn), calls.end());
}

Result awaitOpening(Communicator communicator, bool isBlocking) {
  if (group().depth) {
    group().openings.emplace_back(communicator, isBlocking);
    return Result::Success;
  }
  if (isBlocking)
    return waitFor(communicator);
  Lock lock = enter();
  communicator->polls = static_cast<int>(1 + drawFrom(communicator->numDeferrals++, 1) % 4);
  return Result::InProgress;
}

Result deferOrRun(Communicator communicator, std::function<Result()> run) {
  if (communicator->isBlocking)
    return run();
  communicator->deferred.push_back(std::move(run));
  communicator->polls = static_cast<int>(1 + drawFrom(communicator->numDeferrals++, 2) % 4);
  return Result::InProgress;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Two buffers of a group, of which one is written, may not share bytes.
static void checkOverlaps(const std::vector<Call> &calls, int ranks, int rank) {
  struct Range {
    uint64_t begin, end;
    size_t call;
  };
  std::vector<Range> reads, writes;
  for (size_t i = 0; i < calls.size(); ++i) {
    const Call &call = calls[i];
    reads.push_back({call.send, call.send + call.sendBytes(ranks, rank), i});
    writes.push_back({call.receive, call.receive + call.receiveBytes(ranks, rank), i});
  }
  auto meet = [](const Range &a, const Range &b) { return a.begin < b.end && b.begin < a.end; };
  auto complain = [&](const Range &a, const Range &b) {
    const char *first = nameOf(calls[a.call].kind), *second = nameOf(calls[b.call].kind);
    report("nccl overlap", "rank " + std::to_string(rank) + ": what the " + first +
                               " writes shares bytes with what " +
                               (a.call == b.call ? "it reads, and this is not in place"
                                                 : std::string("the ") + second + " uses"));
  };
  for (const Range &write : writes) {
    for (const Range &read : reads)
      if (meet(write, read) && !(write.call == read.call && calls[read.call].isInPlace(rank)))
        return complain(write, read);
    for (const Range &other : writes)
      if (other.call < write.call && meet(write, other))
        return complain(write, other);
  }
}

/// Gives all calls of a group to the streams, communicator by communicator.
static Result launch(const std::vector<std::pair<Communicator, Call>> &calls) {
  Lock lock = enter();
  std::vector<std::pair<Communicator, std::vector<Call>>> sorted;
  for (const auto &[communicator, call] : calls) {
    auto same = std::find_if(sorted.begin(), sorted.end(),
                             [&, c = communicator](const auto &entry) { return entry.first == c; });
    if (same == sorted.end())
      same = sorted.insert(sorted.end(), {communicator, {}});
    same->second.push_back(call);
  }
  // The ranks of a group agree on its calls, not on their order.
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    auto place = [](const ncclComm &c) {
      return std::tie(c.clique->number, c.clique->creator, c.clique->key, c.rank);
    };
    return place(*a.first) < place(*b.first);
  });
  Result result = Result::Success;
  for (auto &[communicator, own] : sorted) {
    int collectives = 0;
    for (Call &call : own)
      if (!isTransfer(call.kind))
        call.groupIndex = collectives++;
    for (Call &call : own)
      call.groupSize = collectives;
    Result one;
    {
      InContext context(communicator->context);
      checkOverlaps(own, communicator->clique->size(), communicator->rank);
    }
    one = deferOrRun(communicator, [c = communicator, own = own] { return enqueue(c, own); });
    if (one != Result::Success && (result == Result::Success || result == Result::InProgress))
      result = one;
  }
  return result;
}

Result submit(Communicator communicator, const Call &call) {
  if (!group().depth)
    return launch({{communicator, call}});
  group().calls.emplace_back(communicator, call);
  return Result::Success;
}

extern "C" {

Result ncclGroupStart() {
  ++group().depth;
  return Result::Success;
}

Result ncclGroupEnd() {
  Group &open = group();
  if (!open.depth)
    return refuse(Result::InvalidUsage, __func__, "no group was started");
  if (--open.depth)
    return Result::Success;
  Group ended;
  std::swap(ended, open);
  Result result = Result::Success;
  // All have joined before the first one is awaited: one thread may open those of several devices.
  for (auto [communicator, isBlocking] : ended.openings) {
    Result one = awaitOpening(communicator, isBlocking);
    if (one != Result::Success && (result == Result::Success || result == Result::InProgress))
      result = one;
  }
  if (ended.calls.empty() || (result != Result::Success && result != Result::InProgress))
    return result;
  Result launched = launch(ended.calls);
  return launched == Result::Success ? result : launched;
}
}

} // namespace dmc::cuda::nccl
