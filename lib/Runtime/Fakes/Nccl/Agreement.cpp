//===- Agreement.cpp - Whether ranks call the same ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/Nccl/State.h"

#include <algorithm>

namespace dmc::cuda::nccl {

void fail(Clique &clique, Result error) {
  for (Member &member : clique.members)
    if (member.error == Result::Success)
      member.error = error;
  state().notify();
}

void breakUp(Clique &clique, Result error) {
  clique.isBroken = true;
  fail(clique, error);
}

namespace {
/// Where two calls differ: the kind of report, and what each says.
struct Difference {
  const char *kind = nullptr;
  std::string first, second;
};
} // namespace

static std::string inGroup(const Call &call) {
  return "it as number " + std::to_string(call.groupIndex) + " of a group of " +
         std::to_string(call.groupSize);
}

static std::string inWindow(const WindowPlace &place) {
  return place.window ? "offset " + std::to_string(place.offset) + " of window " +
                            std::to_string(place.window)
                      : "no window";
}

static Difference compare(const Call &a, const Call &b) {
  if (a.kind != b.kind)
    return {"nccl operation", nameOf(a.kind), nameOf(b.kind)};
  if (a.count != b.count)
    return {"nccl count", std::to_string(a.count) + " elements",
            std::to_string(b.count) + " elements"};
  if (a.type != b.type)
    return {"nccl type", nameOf(a.type), nameOf(b.type)};
  if (reduces(a.kind) && nameOf(a.reduction) != nameOf(b.reduction))
    return {"nccl reduction", nameOf(a.reduction), nameOf(b.reduction)};
  if ((a.kind == Kind::Broadcast || a.kind == Kind::Reduce) && a.root != b.root)
    return {"nccl root", "root " + std::to_string(a.root), "root " + std::to_string(b.root)};
  if (a.groupSize != b.groupSize || a.groupIndex != b.groupIndex)
    return {"nccl group", inGroup(a), inGroup(b)};
  if (a.isCaptured != b.isCaptured)
    return {"nccl capture", a.isCaptured ? "it captured" : "it not captured",
            b.isCaptured ? "it captured" : "it not captured"};
  // A library may fall back to other buffers where none is in a window, not where offsets differ.
  auto differ = [](const WindowPlace &x, const WindowPlace &y) {
    return x.window && y.window && (x.window != y.window || x.offset != y.offset);
  };
  if (differ(a.sendWindow, b.sendWindow))
    return {"nccl window", inWindow(a.sendWindow), inWindow(b.sendWindow)};
  if (a.kind != Kind::Reduce && differ(a.receiveWindow, b.receiveWindow))
    return {"nccl window", inWindow(a.receiveWindow), inWindow(b.receiveWindow)};
  return {};
}

/// Who has left cannot call any more.
static void reportGone(Clique &clique, int rank, const Call &call, int missing) {
  // Of an abort the rank learns by its error, which it may not have seen yet.
  const Member &member = clique.members[static_cast<size_t>(missing)];
  if (clique.isBroken || !member.isGone || member.isAborted)
    return;
  report("nccl missing rank", "rank " + std::to_string(missing) + " has destroyed " +
                                  clique.name() + " and not called the " + nameOf(call.kind) +
                                  " that rank " + std::to_string(rank) + " has");
  breakUp(clique, Result::InvalidUsage);
}

void meet(Clique &clique, Meeting &meeting, int rank, const Call &call) {
  int other = -1;
  for (int i = 0; i < clique.size(); ++i) {
    const Meeting::Part &part = meeting.parts[static_cast<size_t>(i)];
    if (part.isCalled && other < 0)
      other = i;
    if (!part.isCalled && i != rank)
      reportGone(clique, rank, call, i);
  }
  Meeting::Part &own = meeting.parts[static_cast<size_t>(rank)];
  own.isCalled = true;
  own.call = call;
  if (other < 0 || clique.isBroken)
    return;
  Difference found = compare(meeting.parts[static_cast<size_t>(other)].call, call);
  if (!found.kind)
    return;
  report(found.kind, "collective " + std::to_string(meeting.sequence) + " of " + clique.name() +
                         " (" + nameOf(meeting.parts[static_cast<size_t>(other)].call.kind) +
                         "): rank " + std::to_string(other) + " has " + found.first + ", rank " +
                         std::to_string(rank) + " has " + found.second);
  breakUp(clique, Result::InvalidUsage);
}

void match(Clique &clique, Transfer &transfer, int source, int target, Kind kind,
           const Call &call) {
  Meeting::Part &own = transfer.partOf(kind);
  Meeting::Part &other = transfer.partOf(kind == Kind::Send ? Kind::Receive : Kind::Send);
  own.isCalled = true;
  own.call = call;
  int rank = kind == Kind::Send ? source : target;
  if (clique.isBroken)
    return;
  if (!other.isCalled) {
    reportGone(clique, rank, call, kind == Kind::Send ? target : source);
    return;
  }
  const Call &sent = transfer.send.call, &received = transfer.receive.call;
  Difference found;
  if (sent.type != received.type)
    found = {"nccl type", nameOf(sent.type), nameOf(received.type)};
  else if (sent.count != received.count)
    found = {"nccl count", std::to_string(sent.count) + " elements",
             std::to_string(received.count) + " elements"};
  else if (sent.isCaptured != received.isCaptured)
    found = {"nccl capture", sent.isCaptured ? "a captured call" : "a call that is not captured",
             received.isCaptured ? "a captured one" : "one that is not captured"};
  if (!found.kind)
    return;
  report(found.kind, "from rank " + std::to_string(source) + " to rank " + std::to_string(target) +
                         " of " + clique.name() + ": the send has " + found.first +
                         ", the receive " + found.second);
  breakUp(clique, Result::InvalidUsage);
}

//===----------------------------------------------------------------------===//
// The order of collectives in several communicators
//===----------------------------------------------------------------------===//

/// Kernels of two communicators may each hold the multiprocessors that the other one needs, unless
/// all devices begin them in the same order. Both devices of a pair must therefore call what both
/// take part in in one order.
void noteOrder(const Clique &clique, int rank, const Token &token, const uint64_t *numbers) {
  DeviceKey device = clique.members[static_cast<size_t>(rank)].device;
  auto name = [&](const DeviceKey &key) {
    std::string text = "device " + std::to_string(key.number);
    for (const Member &member : clique.members)
      if (member.device == key && key.process != ownProcess())
        return text + " of process " + std::to_string(member.pid);
    return text;
  };
  for (size_t i = 0; i < clique.members.size(); ++i) {
    DeviceKey other = clique.members[i].device;
    bool isSeenHere = device.process == ownProcess() || other.process == ownProcess();
    if (other == device || other.number < 0 || !isSeenHere)
      continue;
    PairOrder &order = state().orders[std::minmax(device, other)];
    if (order.isReported)
      continue;
    auto &own = order.ahead[other < device], &ahead = order.ahead[device < other];
    auto same = ahead.find(numbers[i]);
    if (same == ahead.end()) {
      own.emplace(numbers[i], token);
      continue;
    }
    Token first = same->second;
    ahead.erase(same);
    // Where each process sees the difference, that of the lesser device reports it.
    if (first == token || std::min(device, other).process != ownProcess())
      continue;
    dmcFakeReport("nccl order", (name(other) + " calls " + first.what + " where " + name(device) +
                                 " calls " + token.what + ": on devices this may deadlock")
                                    .c_str());
    order.isReported = true;
  }
}

} // namespace dmc::cuda::nccl
