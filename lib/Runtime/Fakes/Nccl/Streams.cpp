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

/// Source and target of a transfer.
static std::pair<int, int> endsOf(const Call &call, int rank) {
  return call.kind == Kind::Send ? std::pair(rank, call.root) : std::pair(call.root, rank);
}

void Pending::join() {
  if (!isTransfer(calls.front().kind)) {
    std::shared_ptr<Meeting> &found = clique->meetings[{sequences.front(), launch}];
    if (!found) {
      found = std::make_shared<Meeting>();
      found->sequence = sequences.front();
      found->launch = launch;
      found->parts.resize(clique->members.size());
    }
    meeting = found;
    return meet(*clique, *meeting, rank, calls.front());
  }
  for (size_t i = 0; i < calls.size(); ++i) {
    auto [source, target] = endsOf(calls[i], rank);
    auto &found = clique->transfers[{source, target, sequences[i], launch}];
    if (!found)
      found = std::make_shared<Transfer>();
    transfers.push_back(found);
    match(*clique, *found, source, target, calls[i].kind, calls[i]);
  }
}

static void arriveAt(Meeting::Part &part) {
  part.hasArrived = true;
  part.time = dmcFakeTime();
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
  if (meeting) {
    arriveAt(meeting->parts[static_cast<size_t>(rank)]);
    ++meeting->numArrived;
  }
  for (size_t i = 0; i < transfers.size(); ++i)
    arriveAt(transfers[i]->partOf(calls[i].kind));
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
  breakUp(*clique, Result::SystemError);
  return true;
}

void Pending::run() {
  const Member &member = clique->members[static_cast<size_t>(rank)];
  bool isVoid = member.isAborted || member.isDead || clique->isBroken;
  if (!isVoid)
    dmcFakeTakes(seconds());
  if (meeting) {
    if (!isVoid && !meeting->isComputed) {
      compute(*clique, *meeting);
      meeting->isComputed = true;
    }
    if (++meeting->numDone == clique->size())
      clique->meetings.erase({meeting->sequence, meeting->launch});
  }
  for (size_t i = 0; i < transfers.size(); ++i) {
    Transfer &transfer = *transfers[i];
    if (!isVoid && !transfer.isComputed) {
      copy(transfer);
      transfer.isComputed = true;
    }
    transfer.partOf(calls[i].kind).isDone = true;
    if (transfer.send.isDone && transfer.receive.isDone) {
      auto [source, target] = endsOf(calls[i], rank);
      clique->transfers.erase({source, target, sequences[i], launch});
    }
  }
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
  Lock lock(state().mutex);
  return static_cast<Pending *>(data)->isReady();
}

static void run(void *data) {
  Lock lock(state().mutex);
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
    Member &member = communicator->member();
    fail(*communicator->clique, Result::RemoteError);
    member.isDead = true;
    member.error = Result::SystemError;
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
  pending.release();
  return Result::Success;
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
    noteOrder(*communicator->clique, communicator->device,
              {communicator->clique->number, sequence,
               std::string(nameOf(call.kind)) + " " + std::to_string(sequence) + " of " +
                   communicator->clique->name()});
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
