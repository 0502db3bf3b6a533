//===- Streams.cpp - Collectives as work of streams -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank has arrived at a collective when it is first in its stream: what it reads is then final,
// and what it writes is free. Once all have arrived, whichever stream runs first computes for all
// ranks.
//
//===----------------------------------------------------------------------===//

#include "Fakes/Nccl/State.h"
#include "Fakes/Rates.h"

#include <algorithm>
#include <cstring>

namespace dmc::cuda::nccl {

uint64_t Call::sendBytes(int ranks, int rank) const {
  uint64_t bytes = count * bytesOf(type);
  switch (kind) {
  case Kind::ReduceScatter:
  case Kind::AllToAll:
    return bytes * static_cast<uint64_t>(ranks);
  case Kind::Broadcast:
    return rank == root ? bytes : 0;
  case Kind::Receive:
    return 0;
  default:
    return bytes;
  }
}

uint64_t Call::receiveBytes(int ranks, int rank) const {
  uint64_t bytes = count * bytesOf(type);
  switch (kind) {
  case Kind::AllGather:
  case Kind::AllToAll:
    return bytes * static_cast<uint64_t>(ranks);
  case Kind::Reduce:
    return rank == root ? bytes : 0;
  case Kind::Send:
    return 0;
  default:
    return bytes;
  }
}

bool Call::isInPlace(int rank) const {
  uint64_t own = static_cast<uint64_t>(rank) * count * bytesOf(type);
  switch (kind) {
  case Kind::AllReduce:
  case Kind::Reduce:
  case Kind::Broadcast:
    return send == receive;
  case Kind::AllGather:
    return send == receive + own;
  case Kind::ReduceScatter:
    return receive == send + own;
  default:
    return false;
  }
}

namespace {
/// A collective, or the sends and receives of a group, of one rank in a stream, which owns it.
struct Pending {
  std::shared_ptr<Clique> clique;
  int rank = 0;
  std::vector<Call> calls;
  std::vector<uint64_t> sequences;
  bool isCaptured = false, hangs = false, hasArrived = false;
  uint64_t launch = 0;
  Clock::time_point since;
  std::shared_ptr<Meeting> meeting;
  std::vector<std::shared_ptr<Transfer>> transfers;

  void join();
  void arrive();
  bool isComplete() const;
  bool isReady();
  void run();
  void end();
  double seconds() const;
  std::string describeMissing() const;
};
} // namespace

/// An event of one of the calls.
static Event eventOf(const Pending &pending, Act act, size_t call) {
  Event event;
  event.act = act;
  event.rank = pending.rank;
  event.sequence = pending.sequences[call];
  event.launch = pending.launch;
  event.call = pending.calls[call];
  return event;
}

void Pending::join() {
  for (size_t i = 0; i < calls.size(); ++i) {
    act(*clique, eventOf(*this, Act::Call, i));
    if (isTransfer(calls[i].kind))
      transfers.push_back(transferOf(*clique, rank, calls[i], sequences[i], launch));
    else
      meeting = meetingOf(*clique, sequences[i], launch);
  }
}

/// From now on: all clocks have begun with the process, and who is early waits for the last rank.
/// Then bytes leave at the rate of a link, as many as in a ring.
double Pending::seconds() const {
  double begin = dmcFakeTime(), own = begin, bytes = 0;
  auto ranks = static_cast<double>(clique->size());
  if (meeting) {
    for (const Meeting::Part &part : meeting->parts)
      begin = std::max(begin, part.time);
    const Call &call = calls.front();
    bytes = static_cast<double>(
        std::max(call.sendBytes(clique->size(), rank), call.receiveBytes(clique->size(), rank)));
    bytes *= (call.kind == Kind::AllReduce ? 2 : 1) * (ranks - 1) / ranks;
  }
  for (size_t i = 0; i < transfers.size(); ++i) {
    begin = std::max({begin, transfers[i]->send.time, transfers[i]->receive.time});
    if (calls[i].kind == Kind::Send && calls[i].root != rank)
      bytes += static_cast<double>(calls[i].sendBytes(clique->size(), rank));
  }
  return begin - own + bytes / fakes::linkRate;
}

void Pending::arrive() {
  hasArrived = true;
  since = Clock::now();
  if (isCaptured)
    join();
  if (hangs)
    return;
  for (size_t i = 0; i < calls.size(); ++i) {
    Event event = eventOf(*this, Act::Arrive, i);
    event.time = dmcFakeTime();
    if (!clique->journal) {
      act(*clique, event);
      continue;
    }
    // Others cannot read the memory of this process.
    Factor &factor = event.call.factor;
    if (const char *value = hostOf(factor.address, factor.address ? bytesOf(factor.type) : 0))
      std::memcpy(factor.value, value, bytesOf(factor.type));
    factor.address = 0;
    uint64_t bytes = calls[i].sendBytes(clique->size(), rank);
    const char *data = hostOf(calls[i].send, bytes);
    act(*clique, event, data, data ? bytes : 0);
  }
  state().notify();
}

bool Pending::isComplete() const {
  if (meeting)
    return meeting->isComputed || meeting->numArrived == clique->size();
  return std::all_of(transfers.begin(), transfers.end(), [](const auto &transfer) {
    return transfer->isComputed || (transfer->send.hasArrived && transfer->receive.hasArrived);
  });
}

/// Who keeps others waiting.
std::string Pending::describeMissing() const {
  auto say = [](int other, const Meeting::Part &part) {
    return "; rank " + std::to_string(other) +
           (part.isCalled ? " has called it, but its stream has not reached it"
                          : " has not called it");
  };
  if (meeting) {
    std::string text = std::string(nameOf(calls.front().kind)) + " " +
                       std::to_string(meeting->sequence) + " of " + clique->name();
    for (int other = 0; other < clique->size(); ++other)
      if (const auto &part = meeting->parts[static_cast<size_t>(other)]; !part.hasArrived)
        text += say(other, part);
    return text;
  }
  std::string text = "sends and receives of rank " + std::to_string(rank) + " in " + clique->name();
  for (size_t i = 0; i < transfers.size(); ++i) {
    bool isSend = calls[i].kind == Kind::Send;
    const auto &part = isSend ? transfers[i]->receive : transfers[i]->send;
    if (!part.hasArrived)
      text += (isSend ? "; to rank " : "; from rank ") + std::to_string(calls[i].root) +
              say(calls[i].root, part);
  }
  return text;
}

bool Pending::isReady() {
  const Member &member = clique->members[static_cast<size_t>(rank)];
  if (member.isAborted || member.isDead)
    return true;
  if (!hasArrived)
    arrive();
  if (clique->isBroken || (isComplete() && !hangs))
    return true;
  if (Clock::now() - since < patience())
    return false;
  report("nccl missing rank", describeMissing());
  Event event;
  event.act = Act::Break;
  event.rank = rank;
  event.flag = static_cast<uint32_t>(Result::SystemError);
  act(*clique, event);
  return true;
}

void Pending::run() {
  const Member &member = clique->members[static_cast<size_t>(rank)];
  bool isVoid = member.isAborted || member.isDead || clique->isBroken;
  if (!isVoid)
    dmcFakeTakes(seconds());
  if (meeting && !isVoid && !meeting->isComputed) {
    compute(*clique, *meeting, rank);
    meeting->isComputed = !clique->journal;
  }
  for (size_t i = 0; i < transfers.size() && !isVoid; ++i)
    // Between processes, the receiver alone copies.
    if (!transfers[i]->isComputed && !(clique->journal && calls[i].kind == Kind::Send)) {
      copy(*clique, *transfers[i]);
      transfers[i]->isComputed = true;
    }
  bool hasJoined = meeting || !transfers.empty();
  for (size_t i = 0; i < calls.size() && hasJoined; ++i)
    act(*clique, eventOf(*this, Act::Finish, i));
  end();
}

void Pending::end() {
  meeting = nullptr;
  transfers.clear();
  hasArrived = false;
  ++launch;
  state().notify();
}

static int ready(void *data) {
  Lock lock = enter();
  return static_cast<Pending *>(data)->isReady();
}

static void run(void *data) {
  Lock lock = enter();
  static_cast<Pending *>(data)->run();
}

static void release(void *data) { delete static_cast<Pending *>(data); }

//===----------------------------------------------------------------------===//
// Enqueuing
//===----------------------------------------------------------------------===//

/// A rank ends without a word: its communicators fail, here and for the others.
static void kill(int device) {
  for (Communicator communicator : state().communicators) {
    if (communicator->device != device || communicator->opening)
      continue;
    Event event;
    event.act = Act::Die;
    event.rank = communicator->rank;
    act(*communicator->clique, event);
  }
}

static Result put(std::unique_ptr<Pending> pending, Communicator communicator) {
  std::vector<dmc_fake_range> reads, writes;
  const Clique &clique = *communicator->clique;
  for (const Call &call : pending->calls) {
    reads.push_back({call.send, call.sendBytes(clique.size(), pending->rank)});
    writes.push_back({call.receive, call.receiveBytes(clique.size(), pending->rank)});
    if (call.factor.address)
      reads.push_back({call.factor.address, bytesOf(call.factor.type)});
  }
  const Call &first = pending->calls.front();
  if (dmcFakeEnqueue(first.stream, functionOf(first.kind), ready, run, release, pending.get(),
                     reads.data(), reads.size(), writes.data(), writes.size()))
    return Result::UnhandledCudaError;
  if (!pending->isCaptured)
    pending->join();
  (void)pending.release();
  return Result::Success;
}

/// For each member, how many collectives the rank's device has called before with that of the
/// member.
static std::vector<uint64_t> countPairs(const Clique &clique, int rank) {
  std::vector<uint64_t> numbers;
  numbers.reserve(clique.members.size());
  DeviceKey own = clique.members[static_cast<size_t>(rank)].device;
  for (const Member &member : clique.members)
    numbers.push_back(state().pairCounts[{own, member.device}]++);
  return numbers;
}

Result enqueue(Communicator communicator, std::vector<Call> calls) {
  InContext context(communicator->context);
  Member &member = communicator->member();
  if (member.error != Result::Success)
    return member.error;
  DeviceState &device = state().devices[communicator->device];
  std::map<Stream, std::unique_ptr<Pending>> transfers;
  auto make = [&] {
    auto pending = std::make_unique<Pending>();
    pending->clique = communicator->clique;
    pending->rank = communicator->rank;
    return pending;
  };
  Result result = Result::Success;
  for (Call &call : calls) {
    CaptureStatus capture = CaptureStatus::None;
    if (cuStreamIsCapturing(call.stream, &capture) != cuda::Result::Success)
      return refuse(Result::InvalidArgument, functionOf(call.kind), "the stream does not exist");
    call.isCaptured = capture != CaptureStatus::None;
    Fault fault = faultOf(device);
    std::string injected = "rank " + std::to_string(device.rank) + ": a failure that was asked for";
    if (fault == Fault::Refuse)
      return refuse(Result::InternalError, functionOf(call.kind), injected);
    if (fault == Fault::Die) {
      kill(communicator->device);
      return refuse(Result::SystemError, functionOf(call.kind), injected);
    }
    if (isTransfer(call.kind)) {
      std::unique_ptr<Pending> &pending = transfers[call.stream];
      if (!pending)
        pending = make();
      auto &counts = call.kind == Kind::Send ? member.numSent : member.numReceived;
      pending->sequences.push_back(counts[call.root]++);
      pending->calls.push_back(call);
      pending->isCaptured = call.isCaptured;
      pending->hangs |= fault == Fault::Hang;
      continue;
    }
    std::unique_ptr<Pending> pending = make();
    uint64_t sequence = member.numCalled++;
    pending->sequences = {sequence};
    pending->calls = {call};
    pending->isCaptured = call.isCaptured;
    pending->hangs = fault == Fault::Hang;
    std::vector<uint64_t> numbers = countPairs(*communicator->clique, communicator->rank);
    Event event;
    event.act = Act::Order;
    event.rank = communicator->rank;
    event.sequence = sequence;
    event.call = call;
    act(*communicator->clique, event, numbers.data(), numbers.size() * sizeof(uint64_t));
    result = put(std::move(pending), communicator);
    if (result != Result::Success)
      return result;
  }
  for (auto &[stream, pending] : transfers)
    if (result == Result::Success)
      result = put(std::move(pending), communicator);
  return result;
}

} // namespace dmc::cuda::nccl
