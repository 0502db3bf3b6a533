//===- Events.cpp - What ranks do, here and in other processes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that changes what ranks have in common is an event. One process after the other acts, so that
// the objects of all processes go through the same states. Who acts reports what is wrong with it.
//
//===----------------------------------------------------------------------===//

#include "Fakes/Nccl/Journal.h"

#include <algorithm>
#include <type_traits>

#include <sys/random.h>
#include <unistd.h>

namespace dmc::cuda::nccl {

static_assert(std::is_trivially_copyable_v<Event>);

uint64_t ownProcess() {
  static const uint64_t number = [] {
    uint64_t drawn = 0;
    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
      drawn = static_cast<uint64_t>(getpid());
    return drawn >> 16 | 1; // as many bits as the journal has bytes to lock
  }();
  return number;
}

Lock enter() {
  Lock lock(state().mutex);
  std::vector<std::weak_ptr<Journal>> &journals = state().journals;
  for (size_t i = 0; i < journals.size();) {
    std::shared_ptr<Journal> journal = journals[i].lock();
    if (!journal) {
      journals.erase(journals.begin() + static_cast<ptrdiff_t>(i));
      continue;
    }
    repeat(*journal);
    ++i;
  }
  return lock;
}

std::shared_ptr<Meeting> &meetingOf(Clique &clique, uint64_t sequence, uint64_t launch) {
  std::shared_ptr<Meeting> &found = clique.meetings[{sequence, launch}];
  if (!found) {
    found = std::make_shared<Meeting>();
    found->sequence = sequence;
    found->launch = launch;
    found->parts.resize(clique.members.size());
  }
  return found;
}

std::shared_ptr<Transfer> &transferOf(Clique &clique, int rank, const Call &call, uint64_t sequence,
                                      uint64_t launch) {
  auto [source, target] = endsOf(call, rank);
  std::shared_ptr<Transfer> &found = clique.transfers[{source, target, sequence, launch}];
  if (!found)
    found = std::make_shared<Transfer>();
  return found;
}

//===----------------------------------------------------------------------===//
// What each event changes
//===----------------------------------------------------------------------===//

static void join(Clique &clique, const Event &event) {
  if (clique.members.empty())
    clique.members.resize(event.flag);
  DeviceKey device = {event.process, static_cast<int>(event.numbers[0])};
  for (int other = 0; other < clique.size(); ++other)
    if (clique.members[static_cast<size_t>(other)].device == device) {
      // The others must not wait for ever.
      clique.refusal = Result::InvalidUsage;
      refuse(Result::InvalidUsage, "ncclCommInitRank",
             "ranks " + std::to_string(other) + " and " + std::to_string(event.rank) +
                 " have the same device, " + std::to_string(device.number));
    }
  Member &member = clique.members[static_cast<size_t>(event.rank)];
  member.hasJoined = true;
  member.device = device;
  member.pid = static_cast<int>(event.numbers[1]);
  ++clique.numJoined;
}

static void arrive(Clique &clique, const Event &event, uint64_t data) {
  auto at = [&](Meeting::Part &part) {
    part.hasArrived = true;
    part.time = event.time;
    part.call.factor = event.call.factor;
    part.data = data;
    part.dataBytes = event.bytes;
  };
  if (isTransfer(event.call.kind))
    return at(transferOf(clique, event.rank, event.call, event.sequence, event.launch)
                  ->partOf(event.call.kind));
  Meeting &meeting = *meetingOf(clique, event.sequence, event.launch);
  at(meeting.parts[static_cast<size_t>(event.rank)]);
  ++meeting.numArrived;
}

static void discard(const Clique &clique, const Meeting::Part &part) {
  if (clique.journal)
    clique.journal->discard(part.data, part.dataBytes);
}

static void finish(Clique &clique, const Event &event) {
  bool isOwn = event.process == ownProcess();
  if (isTransfer(event.call.kind)) {
    auto [source, target] = endsOf(event.call, event.rank);
    auto found = clique.transfers.find({source, target, event.sequence, event.launch});
    if (found == clique.transfers.end())
      return;
    Transfer &transfer = *found->second;
    transfer.partOf(event.call.kind).isDone = true;
    if (!transfer.send.isDone || !transfer.receive.isDone)
      return;
    if (isOwn)
      discard(clique, transfer.send);
    clique.transfers.erase(found);
    return;
  }
  auto found = clique.meetings.find({event.sequence, event.launch});
  if (found == clique.meetings.end() || ++found->second->numDone < clique.size())
    return;
  for (const Meeting::Part &part : found->second->parts)
    if (isOwn)
      discard(clique, part);
  clique.meetings.erase(found);
}

static void split(Clique &clique, const Event &event) {
  Split &split = clique.splits[event.sequence];
  split.parts.resize(clique.members.size());
  Split::Part &part = split.parts[static_cast<size_t>(event.rank)];
  part = {true, static_cast<int>(event.numbers[0]), static_cast<int>(event.numbers[1]), nullptr, 0};
  if (++split.numCalled == clique.size())
    divide(clique, event.sequence, split);
}

static void addWindow(Clique &clique, const Event &event) {
  auto number = static_cast<size_t>(event.numbers[0]);
  auto bytes = static_cast<size_t>(event.numbers[1]);
  if (clique.windowBytes.size() < number)
    clique.windowBytes.push_back(bytes);
  if (clique.windowBytes[number - 1] == bytes)
    return;
  report("nccl window", "window " + std::to_string(number) + " of " + clique.name() + " has " +
                            std::to_string(bytes) + " bytes on rank " + std::to_string(event.rank) +
                            ", but " + std::to_string(clique.windowBytes[number - 1]) +
                            " on others");
  breakUp(clique, Result::InvalidUsage);
}

static void abort(Clique &clique, int rank, bool isOpening) {
  if (clique.numJoined < clique.size())
    clique.refusal = Result::RemoteError;
  if (isOpening)
    return; // who is still being made has not disturbed the others
  Member &member = clique.members[static_cast<size_t>(rank)];
  member.isGone = member.isAborted = true;
  for (Member &other : clique.members)
    if (&other != &member && other.error == Result::Success)
      other.error = Result::RemoteError;
}

static void die(Clique &clique, Member &member) {
  fail(clique, Result::RemoteError);
  member.isDead = true;
  member.error = Result::SystemError;
}

static void loseProcess(Clique &clique, uint64_t process) {
  for (Member &member : clique.members) {
    if (!member.hasJoined || member.device.process != process || member.isGone || member.isDead)
      continue;
    if (clique.numJoined < clique.size())
      clique.refusal = Result::RemoteError;
    die(clique, member);
  }
}

/// `data` is where the event's data begin in the journal; `content` are they.
static void apply(Clique &clique, const Event &event, const void *content, uint64_t data) {
  switch (event.act) {
  case Act::Join:
    return join(clique, event);
  case Act::Order:
    return noteOrder(clique, event.rank,
                     {clique.creator, clique.number << 20 | clique.key, event.sequence,
                      std::string(nameOf(event.call.kind)) + " " + std::to_string(event.sequence) +
                          " of " + clique.name()},
                     static_cast<const uint64_t *>(content));
  case Act::Call:
    if (!isTransfer(event.call.kind))
      return meet(clique, *meetingOf(clique, event.sequence, event.launch), event.rank, event.call);
    else {
      auto [source, target] = endsOf(event.call, event.rank);
      return match(clique,
                   *transferOf(clique, event.rank, event.call, event.sequence, event.launch),
                   source, target, event.call.kind, event.call);
    }
  case Act::Arrive:
    return arrive(clique, event, data);
  case Act::Finish:
    return finish(clique, event);
  case Act::Split:
    return split(clique, event);
  case Act::Window:
    return addWindow(clique, event);
  case Act::Leave:
    if (event.flag)
      checkCalledAll(clique, event.rank);
    clique.members[static_cast<size_t>(event.rank)].isGone = true;
    return;
  case Act::Abort:
    return abort(clique, event.rank, event.flag);
  case Act::Die:
    return die(clique, clique.members[static_cast<size_t>(event.rank)]);
  case Act::Break:
    return breakUp(clique, static_cast<Result>(event.flag));
  case Act::Lost:
    return loseProcess(clique, event.sequence);
  }
}

//===----------------------------------------------------------------------===//
// Acting and repeating
//===----------------------------------------------------------------------===//

static bool repeatSeen(Journal &journal) {
  Event event;
  uint64_t data = 0;
  bool hasNews = false;
  while (journal.next(event, data)) {
    hasNews = true;
    std::shared_ptr<Clique> clique =
        event.clique < journal.cliques.size() ? journal.cliques[event.clique].lock() : nullptr;
    if (!clique)
      continue; // no rank of this process uses it any more
    std::vector<uint64_t> content;
    if (event.act == Act::Order) {
      content.resize(event.bytes / sizeof(uint64_t));
      journal.read(data, content.data(), event.bytes);
    }
    state().isRepeating = true;
    apply(*clique, event, content.data(), data);
    state().isRepeating = false;
  }
  if (hasNews)
    closeIds();
  return hasNews;
}

/// Tells of processes that have ended with ranks that have neither left nor aborted.
static void findLost(Journal &journal) {
  if (!journal.isTimeToLook())
    return;
  std::vector<std::pair<std::shared_ptr<Clique>, uint64_t>> lost;
  for (const std::weak_ptr<Clique> &held : journal.cliques)
    if (std::shared_ptr<Clique> clique = held.lock())
      for (const Member &member : clique->members)
        if (member.hasJoined && !member.isGone && !member.isDead &&
            !journal.hasProcess(member.device.process))
          lost.emplace_back(clique, member.device.process);
  for (auto &[clique, process] : lost) {
    Event event;
    event.act = Act::Lost;
    event.sequence = process;
    act(*clique, event);
  }
}

void repeat(Journal &journal) {
  if (repeatSeen(journal))
    state().notify();
  findLost(journal);
}

Exclusive::Exclusive(Clique &clique) : journal_(clique.journal) {
  if (!journal_)
    return;
  journal_->lock();
  if (repeatSeen(*journal_))
    state().notify();
}

Exclusive::~Exclusive() {
  if (journal_)
    journal_->unlock();
}

void act(Clique &clique, Event event, const void *data, uint64_t bytes) {
  Exclusive alone(clique);
  event.clique = clique.key;
  event.process = ownProcess();
  event.bytes = bytes;
  uint64_t at = clique.journal ? clique.journal->append(event, data, bytes) : 0;
  apply(clique, event, data, at);
}

} // namespace dmc::cuda::nccl
