//===- Communicators.cpp - Making and ending communicators ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/Nccl/Journal.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

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
  DeviceKey own = {ownProcess(), device};
  auto forget = [&](auto &pairs) {
    for (auto pair = pairs.begin(); pair != pairs.end();)
      pair = pair->first.first == own || pair->first.second == own ? pairs.erase(pair)
                                                                   : std::next(pair);
  };
  forget(all.orders);
  forget(all.pairCounts);
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

/// "dmc simulated nccl", the process that made it, and which of its ids in this process's life and
/// since it had no communicator: the latter names the communicator.
static constexpr char idFormat[] = "dmc simulated nccl %llx %llu %llu";

/// The name of its journal.
static std::string journalOf(uint64_t process, uint64_t number) {
  char name[64];
  std::snprintf(name, sizeof name, "/dmc-nccl-%llx-%llu", static_cast<unsigned long long>(process),
                static_cast<unsigned long long>(number));
  return name;
}

/// The communicator of a unique id that another process has made; null if there is none.
static std::shared_ptr<Clique> find(const std::string &key) {
  unsigned long long process = 0, id = 0, number = 0;
  if (std::sscanf(key.c_str(), idFormat, &process, &id, &number) != 3)
    return nullptr;
  std::shared_ptr<Journal> journal = Journal::open(journalOf(process, id));
  if (!journal)
    return nullptr;
  auto clique = std::make_shared<Clique>();
  clique->journal = journal;
  clique->number = clique->identity = number;
  clique->creator = process;
  journal->cliques.push_back(clique);
  return clique;
}

void closeIds() {
  auto &opening = state().opening;
  for (auto entry = opening.begin(); entry != opening.end();) {
    Clique &clique = *entry->second;
    if (!clique.size() || clique.numJoined < clique.size()) {
      ++entry;
      continue;
    }
    // Threads of one process have their memory in common.
    bool isLocal =
        std::all_of(clique.members.begin(), clique.members.end(),
                    [](const Member &member) { return member.device.process == ownProcess(); });
    if (clique.journal)
      clique.journal->unlink();
    if (isLocal)
      clique.journal = nullptr;
    entry = opening.erase(entry);
  }
}

/// The rank joins those of its unique id. With the lock.
static Result join(const char *function, ncclComm &handle, int ranks, const UniqueId &id,
                   int rank) {
  State &all = state();
  std::string key(id.internal, sizeof id.internal);
  auto refused = [&](Result result, const std::string &why) {
    return refuse(result, function, why);
  };
  auto found = all.opening.find(key);
  if (found == all.opening.end()) {
    std::shared_ptr<Clique> opened = find(key);
    if (!opened)
      return refused(Result::InvalidArgument,
                     "the unique id is not one that a process of this machine made, or is used up");
    found = all.opening.emplace(key, std::move(opened)).first;
  }
  std::shared_ptr<Clique> clique = found->second;
  Exclusive alone(*clique);
  if (clique->size() && clique->size() != ranks)
    return refused(Result::InvalidArgument,
                   "rank " + std::to_string(rank) + " expects " + std::to_string(ranks) +
                       " ranks, but others expect " + std::to_string(clique->size()));
  if (clique->size() && clique->members[static_cast<size_t>(rank)].hasJoined)
    return refused(Result::InvalidUsage, "rank " + std::to_string(rank) + " has joined already");
  Event event;
  event.act = Act::Join;
  event.rank = rank;
  event.flag = static_cast<uint32_t>(ranks);
  event.numbers[0] = handle.device;
  event.numbers[1] = getpid();
  act(*clique, event);
  handle.clique = clique;
  handle.rank = rank;
  handle.opening = [clique](Result &result) {
    result = clique->refusal;
    return result != Result::Success || clique->numJoined == clique->size();
  };
  closeIds();
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
    Lock lock = enter();
    result = join(function, *handle, ranks, id, rank);
    if (result != Result::Success)
      return result;
    state().communicators.insert(handle.get());
    state().notify();
  }
  return open(std::move(handle), communicator);
}

void divide(const Clique &clique, uint64_t number, Split &split) {
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
      if (clique.journal) {
        made->journal = clique.journal;
        made->number = clique.number;
        made->creator = clique.creator;
        made->key = static_cast<uint32_t>(made->journal->cliques.size());
        made->journal->cliques.push_back(made);
      } else {
        made->number = ++state().numCliques;
      }
      made->identity = (clique.identity * 1009 + number) * 1000003 + static_cast<uint64_t>(color);
    }
    Split::Part &part = split.parts[static_cast<size_t>(rank)];
    part.made = made;
    part.rank = made->numJoined++;
    Member member;
    member.hasJoined = true;
    member.device = clique.members[static_cast<size_t>(rank)].device;
    member.pid = clique.members[static_cast<size_t>(rank)].pid;
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
  Lock lock = enter();
  if (!value || !state().communicators.count(communicator))
    return refuse(Result::InvalidArgument, function, "the communicator does not exist");
  if (communicator->opening)
    return refuse(Result::InvalidArgument, function, "the communicator is not ready");
  *value = read();
  return Result::Success;
}

void checkCalledAll(Clique &clique, int rank) {
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
  Lock lock = enter();
  State &all = state();
  std::memset(id, 0, sizeof *id);
  // Beginning again, a program has the numbers that it had before.
  if (all.communicators.empty())
    all.numCliques = 0;
  auto clique = std::make_shared<Clique>();
  clique->number = clique->identity = ++all.numCliques;
  clique->creator = ownProcess();
  uint64_t number = ++all.numIds;
  std::snprintf(
      id->internal, sizeof id->internal, idFormat, static_cast<unsigned long long>(ownProcess()),
      static_cast<unsigned long long>(number), static_cast<unsigned long long>(clique->number));
  // Where there is no memory to share, all ranks must be threads.
  clique->journal = Journal::create(journalOf(ownProcess(), number));
  if (clique->journal)
    clique->journal->cliques.push_back(clique);
  all.opening[std::string(id->internal, sizeof id->internal)] = clique;
  static const int registered = std::atexit([] {
    for (auto &[key, unused] : state().opening)
      if (unused->journal)
        unused->journal->unlink();
  });
  (void)registered;
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
    Lock lock = enter();
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
    int rank = communicator->rank;
    Event event;
    event.act = Act::Split;
    event.rank = rank;
    event.sequence = number;
    event.numbers[0] = color;
    event.numbers[1] = key;
    act(*parent, event);
    Split::Part &part = parent->splits[number].parts[static_cast<size_t>(rank)];
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
  Lock lock = enter();
  if (Result result = checkReady(__func__, communicator); result != Result::Success)
    return result;
  communicator->isFinalized = true;
  return Result::Success;
}

Result ncclCommDestroy(Communicator communicator) {
  Lock lock = enter();
  if (!state().communicators.count(communicator))
    return refuse(Result::InvalidArgument, __func__, "the communicator does not exist");
  std::unique_ptr<ncclComm> handle(communicator);
  for (auto &run : handle->deferred)
    run();
  if (!handle->opening) {
    InContext context(handle->context);
    leaveGroup(communicator);
    Event event;
    event.act = Act::Leave;
    event.rank = handle->rank;
    event.flag = handle->member().error == Result::Success;
    act(*handle->clique, event);
  }
  release(handle->device);
  state().communicators.erase(communicator);
  state().notify();
  return Result::Success;
}

Result ncclCommAbort(Communicator communicator) {
  Lock lock = enter();
  if (!state().communicators.count(communicator))
    return refuse(Result::InvalidArgument, __func__, "the communicator does not exist");
  std::unique_ptr<ncclComm> handle(communicator);
  Event event;
  event.act = Act::Abort;
  event.rank = handle->rank;
  event.flag = handle->opening != nullptr;
  act(*handle->clique, event);
  release(handle->device);
  state().communicators.erase(communicator);
  state().notify();
  return Result::Success;
}

Result ncclCommGetAsyncError(Communicator communicator, Result *error) {
  Lock lock = enter();
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
