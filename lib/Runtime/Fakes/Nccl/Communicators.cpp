//===- Communicators.cpp - Making and ending communicators ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/Nccl/State.h"

#include <algorithm>
#include <cstring>

namespace dmc::cuda::nccl {

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static void retain(int device, int rank) {
  DeviceState &known = state().devices[device];
  if (known.numCommunicators++ == 0)
    known.rank = rank;
}

/// Forgets a device with its last communicator.
static void release(int device) {
  State &all = state();
  auto known = all.devices.find(device);
  if (known == all.devices.end() || --known->second.numCommunicators > 0)
    return;
  all.devices.erase(known);
  for (auto order = all.orders.begin(); order != all.orders.end();)
    order = order->first.first == device || order->first.second == device ? all.orders.erase(order)
                                                                          : std::next(order);
}

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

/// A handle for the calling thread's current device; null, and why not.
static std::unique_ptr<ncclComm> makeHandle(const char *function, const Config *config,
                                            Result &result) {
  result = Result::InvalidArgument;
  if (config && (config->magic != Config().magic ||
                 config->size < offsetof(Config, blocking) + sizeof(int))) {
    refuse(result, function, "the configuration is not initialized");
    return nullptr;
  }
  if (config && config->blocking != unsetInt && config->blocking != 0 && config->blocking != 1) {
    refuse(result, function, "blocking must be 0 or 1");
    return nullptr;
  }
  auto handle = std::make_unique<ncclComm>();
  handle->device = dmcFakeDevice();
  if (handle->device < 0) {
    result = refuse(Result::UnhandledCudaError, function, "the thread has no current device");
    return nullptr;
  }
  cuCtxGetCurrent(&handle->context);
  handle->isBlocking = !config || config->blocking != 0;
  result = Result::Success;
  return handle;
}

/// The rank joins those of its unique id. With the lock.
static Result join(const char *function, ncclComm &handle, int ranks, const UniqueId &id,
                   int rank) {
  State &all = state();
  std::string key(id.internal, sizeof id.internal);
  auto found = all.opening.find(key);
  auto refused = [&](Result result, const std::string &why) {
    return refuse(result, function, why);
  };
  if (found == all.opening.end())
    return refused(Result::InvalidArgument,
                   "the unique id is not one that this process made, or is used up");
  if (!found->second) {
    // Beginning again, a program has the numbers that it had before.
    if (all.communicators.empty())
      all.numCliques = 0;
    found->second = std::make_shared<Clique>();
    found->second->number = found->second->identity = ++all.numCliques;
    found->second->members.resize(static_cast<size_t>(ranks));
  }
  std::shared_ptr<Clique> clique = found->second;
  if (clique->size() != ranks)
    return refused(Result::InvalidArgument,
                   "rank " + std::to_string(rank) + " expects " + std::to_string(ranks) +
                       " ranks, but others expect " + std::to_string(clique->size()));
  Member &member = clique->members[static_cast<size_t>(rank)];
  if (member.hasJoined)
    return refused(Result::InvalidUsage, "rank " + std::to_string(rank) + " has joined already");
  for (int other = 0; other < ranks; ++other)
    if (clique->members[static_cast<size_t>(other)].device == handle.device) {
      // The others must not wait for ever.
      clique->refusal = Result::InvalidUsage;
      refused(Result::InvalidUsage, "ranks " + std::to_string(other) + " and " +
                                        std::to_string(rank) + " have the same device, " +
                                        std::to_string(handle.device));
    }
  member.hasJoined = true;
  member.device = handle.device;
  if (++clique->numJoined == ranks)
    all.opening.erase(found);
  handle.clique = clique;
  handle.rank = rank;
  handle.opening = [clique](Result &result) {
    result = clique->refusal;
    return result != Result::Success || clique->numJoined == clique->size();
  };
  retain(handle.device, rank);
  return Result::Success;
}

/// Waits for a new communicator, unless a group's end does; there is none if that fails.
static Result open(std::unique_ptr<ncclComm> handle, Communicator *communicator) {
  bool isBlocking = handle->isBlocking;
  *communicator = handle.release();
  Result result = awaitOpening(*communicator, isBlocking);
  if (result != Result::Success && result != Result::InProgress) {
    ncclCommAbort(*communicator);
    *communicator = nullptr;
  }
  return result;
}

static Result initialize(const char *function, Communicator *communicator, int ranks,
                         const UniqueId &id, int rank, const Config *config) {
  if (!communicator || ranks < 1 || rank < 0 || rank >= ranks)
    return refuse(Result::InvalidArgument, function,
                  "there is no rank " + std::to_string(rank) + " of " + std::to_string(ranks));
  Result result;
  std::unique_ptr<ncclComm> handle = makeHandle(function, config, result);
  if (!handle)
    return result;
  {
    Lock lock(state().mutex);
    result = join(function, *handle, ranks, id, rank);
    if (result != Result::Success)
      return result;
    state().communicators.insert(handle.get());
    state().notify();
  }
  return open(std::move(handle), communicator);
}

/// Divides the ranks of a communicator whose calls have all come. With the lock.
static void divide(const Clique &clique, uint64_t number, Split &split) {
  std::vector<std::tuple<int, int, int>> order; // color, key, rank
  for (int rank = 0; rank < clique.size(); ++rank) {
    const Split::Part &part = split.parts[static_cast<size_t>(rank)];
    if (part.color != noColor)
      order.emplace_back(part.color, part.key, rank);
  }
  std::sort(order.begin(), order.end());
  std::shared_ptr<Clique> made;
  for (size_t i = 0; i < order.size(); ++i) {
    auto [color, key, rank] = order[i];
    if (i == 0 || std::get<0>(order[i - 1]) != color) {
      made = std::make_shared<Clique>();
      made->number = ++state().numCliques;
      made->identity = (clique.identity * 1009 + number) * 1000003 + static_cast<uint64_t>(color);
    }
    Split::Part &part = split.parts[static_cast<size_t>(rank)];
    part.made = made;
    part.rank = made->numJoined++;
    Member member;
    member.hasJoined = true;
    member.device = clique.members[static_cast<size_t>(rank)].device;
    made->members.push_back(member);
  }
}

Result checkReady(const char *function, Communicator communicator) {
  auto refused = [&](Result result, const std::string &why) {
    return refuse(result, function, why);
  };
  if (!state().communicators.count(communicator))
    return refused(Result::InvalidArgument, "the communicator does not exist");
  if (communicator->opening || !communicator->deferred.empty())
    return refused(Result::InvalidArgument,
                   "the communicator has not completed the previous call: ask "
                   "ncclCommGetAsyncError until it has");
  if (communicator->isFinalized)
    return refused(Result::InvalidArgument, "the communicator is finalized");
  if (Result error = communicator->member().error; error != Result::Success)
    return refused(error, std::string("the communicator has failed: ") + ncclGetErrorString(error));
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// The calls
//===----------------------------------------------------------------------===//

static Result query(const char *function, Communicator communicator, int *value,
                    const std::function<int()> &read) {
  Lock lock(state().mutex);
  if (!value || !state().communicators.count(communicator))
    return refuse(Result::InvalidArgument, function, "the communicator does not exist");
  if (communicator->opening)
    return refuse(Result::InvalidArgument, function, "the communicator is not ready");
  *value = read();
  return Result::Success;
}

/// Tells of what others wait for and this rank has not called.
static void checkCalledAll(Clique &clique, int rank) {
  std::string end =
      "rank " + std::to_string(rank) + " destroys " + clique.name() + " and has not called ";
  for (auto &[key, meeting] : clique.meetings)
    if (!meeting->parts[static_cast<size_t>(rank)].isCalled) {
      breakUp(clique, Result::InvalidUsage);
      for (int other = 0; other < clique.size(); ++other)
        if (meeting->parts[static_cast<size_t>(other)].isCalled)
          return report("nccl missing rank",
                        end + "the " +
                            nameOf(meeting->parts[static_cast<size_t>(other)].call.kind) +
                            " that rank " + std::to_string(other) + " has");
    }
  for (auto &[key, transfer] : clique.transfers) {
    auto [source, target, sequence, launch] = key;
    bool lacksSend = source == rank && !transfer->send.isCalled;
    if (!lacksSend && (target != rank || transfer->receive.isCalled))
      continue;
    breakUp(clique, Result::InvalidUsage);
    return report("nccl missing rank",
                  end + (lacksSend ? "the send to rank " + std::to_string(target)
                                   : "the receive from rank " + std::to_string(source)));
  }
}

extern "C" {

Result ncclGetUniqueId(UniqueId *id) {
  if (!id)
    return Result::InvalidArgument;
  Lock lock(state().mutex);
  std::memset(id, 0, sizeof *id);
  std::string text = "dmc simulated nccl " + std::to_string(++state().numIds);
  std::memcpy(id->internal, text.data(), text.size());
  state().opening[std::string(id->internal, sizeof id->internal)] = nullptr;
  return Result::Success;
}

Result ncclCommInitRank(Communicator *communicator, int ranks, UniqueId id, int rank) {
  return initialize(__func__, communicator, ranks, id, rank, nullptr);
}

Result ncclCommInitRankConfig(Communicator *communicator, int ranks, UniqueId id, int rank,
                              Config *config) {
  return initialize(__func__, communicator, ranks, id, rank, config);
}

Result ncclCommInitRankScalable(Communicator *communicator, int ranks, int rank, int numIds,
                                UniqueId *ids, Config *config) {
  if (numIds < 1 || numIds > ranks || !ids)
    return refuse(Result::InvalidArgument, __func__, "expected between 1 and as many ids as ranks");
  // Several ids share the load of a start; the first names the communicator.
  return initialize(__func__, communicator, ranks, ids[0], rank, config);
}

Result ncclCommSplit(Communicator communicator, int color, int key, Communicator *made,
                     Config *config) {
  if (!made || color < noColor)
    return refuse(Result::InvalidArgument, __func__, "expected a color of at least 0, or none");
  *made = nullptr;
  std::unique_ptr<ncclComm> handle;
  {
    Lock lock(state().mutex);
    if (Result result = checkReady(__func__, communicator); result != Result::Success)
      return result;
    InContext context(communicator->context);
    Result result;
    handle = makeHandle(__func__, config, result);
    if (!handle)
      return result;
    if (!config)
      handle->isBlocking = communicator->isBlocking;
    std::shared_ptr<Clique> parent = communicator->clique;
    Member &member = communicator->member();
    uint64_t number = member.numSplits++;
    Split &split = parent->splits[number];
    split.parts.resize(parent->members.size());
    int rank = communicator->rank;
    Split::Part &part = split.parts[static_cast<size_t>(rank)];
    part = {true, color, key, nullptr, 0};
    if (++split.numCalled == parent->size())
      divide(*parent, number, split);
    state().notify();
    if (color == noColor)
      return Result::Success;
    ncclComm *opened = handle.get();
    opened->opening = [opened, parent, &part, rank](Result &result) {
      result = parent->members[static_cast<size_t>(rank)].error;
      if (!part.made)
        return result != Result::Success;
      result = Result::Success;
      opened->clique = part.made;
      opened->rank = part.rank;
      return true;
    };
    // Until the split is complete, whoever looks finds the old communicator.
    opened->clique = parent;
    opened->rank = rank;
    retain(handle->device, rank);
    state().communicators.insert(opened);
  }
  return open(std::move(handle), made);
}

Result ncclCommFinalize(Communicator communicator) {
  Lock lock(state().mutex);
  if (Result result = checkReady(__func__, communicator); result != Result::Success)
    return result;
  communicator->isFinalized = true;
  return Result::Success;
}

Result ncclCommDestroy(Communicator communicator) {
  Lock lock(state().mutex);
  if (!state().communicators.count(communicator))
    return refuse(Result::InvalidArgument, __func__, "the communicator does not exist");
  std::unique_ptr<ncclComm> handle(communicator);
  for (auto &run : handle->deferred)
    run();
  if (!handle->opening) {
    Member &member = handle->member();
    InContext context(handle->context);
    if (member.error == Result::Success)
      checkCalledAll(*handle->clique, handle->rank);
    member.isGone = true;
  }
  release(handle->device);
  state().communicators.erase(communicator);
  state().notify();
  return Result::Success;
}

Result ncclCommAbort(Communicator communicator) {
  Lock lock(state().mutex);
  if (!state().communicators.count(communicator))
    return refuse(Result::InvalidArgument, __func__, "the communicator does not exist");
  std::unique_ptr<ncclComm> handle(communicator);
  Clique &clique = *handle->clique;
  if (clique.numJoined < clique.size())
    clique.refusal = Result::RemoteError;
  Member &member = handle->member();
  if (!handle->opening)
    member.isGone = member.isAborted = true;
  // Who is still being made has not disturbed the others.
  for (Member &other : clique.members)
    if (!handle->opening && &other != &member && other.error == Result::Success)
      other.error = Result::RemoteError;
  release(handle->device);
  state().communicators.erase(communicator);
  state().notify();
  return Result::Success;
}

Result ncclCommGetAsyncError(Communicator communicator, Result *error) {
  Lock lock(state().mutex);
  if (!error || !state().communicators.count(communicator))
    return refuse(Result::InvalidArgument, __func__, "the communicator does not exist");
  *error = Result::InProgress;
  bool isPending = communicator->opening || !communicator->deferred.empty();
  if (isPending && communicator->polls-- > 0)
    return Result::Success;
  if (communicator->opening) {
    Result result;
    if (!communicator->opening(result))
      return Result::Success;
    communicator->opening = nullptr;
    if (result != Result::Success)
      communicator->member().error = result;
  }
  auto deferred = std::move(communicator->deferred);
  communicator->deferred.clear();
  for (auto &run : deferred)
    if (Result result = run(); result != Result::Success)
      communicator->member().error = result;
  *error = communicator->member().error;
  return Result::Success;
}

Result ncclCommCount(Communicator communicator, int *count) {
  return query(__func__, communicator, count, [&] { return communicator->clique->size(); });
}

Result ncclCommUserRank(Communicator communicator, int *rank) {
  return query(__func__, communicator, rank, [&] { return communicator->rank; });
}

Result ncclCommCuDevice(Communicator communicator, int *device) {
  return query(__func__, communicator, device, [&] { return communicator->device; });
}
}

} // namespace dmc::cuda::nccl
