//===- Calls.cpp - The functions of the simulated NCCL --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/Nccl/State.h"

#include <cstring>

namespace dmc::cuda::nccl {

/// Where an address lies in the communicator's windows.
static WindowPlace placeOf(const ncclComm &communicator, uint64_t address, uint64_t bytes) {
  const auto &windows = communicator.windows;
  for (size_t i = 0; i < windows.size(); ++i)
    if (bytes && address >= windows[i].first &&
        address + bytes <= windows[i].first + windows[i].second)
      return {static_cast<int>(i) + 1, address - windows[i].first};
  return {};
}

/// Checks what a rank can know by itself, and completes the call.
static Result check(Communicator communicator, Call &call) {
  const char *function = functionOf(call.kind);
  Result result = checkReady(function, communicator);
  if (result != Result::Success)
    return result;
  auto refused = [&](const std::string &why) {
    return refuse(Result::InvalidArgument, function, why);
  };
  int ranks = communicator->clique->size(), rank = communicator->rank;
  if (!bytesOf(call.type))
    return refused("there is no type " + std::to_string(static_cast<int>(call.type)));
  if (call.root < 0 || call.root >= ranks)
    return refused("there is no rank " + std::to_string(call.root) + " of " +
                   std::to_string(ranks));
  if (reduces(call.kind)) {
    auto number = static_cast<int>(call.reduction);
    if (call.type == Type::F8E4M3 || call.type == Type::F8E5M2)
      return refused(std::string("reductions of ") + nameOf(call.type) + " are not simulated");
    if (number >= numReductions) {
      auto own = communicator->reductions.find(number);
      if (own == communicator->reductions.end())
        return refused("the reduction does not exist in this communicator");
      call.factor = own->second;
      if (call.factor.type != call.type)
        return refused(std::string("the factor is of type ") + nameOf(call.factor.type) +
                       ", but the elements are " + nameOf(call.type));
    } else if (number < 0) {
      return refused("there is no reduction " + std::to_string(number));
    }
  }
  uint64_t sent = call.sendBytes(ranks, rank), received = call.receiveBytes(ranks, rank);
  if ((sent && !call.send) || (received && !call.receive))
    return refused("a buffer is null");
  size_t size = bytesOf(call.type);
  if ((sent && call.send % size) || (received && call.receive % size))
    return refused("a buffer is not at a multiple of the " + std::to_string(size) +
                   " bytes of an element");
  call.sendWindow = placeOf(*communicator, call.send, sent);
  call.receiveWindow = placeOf(*communicator, call.receive, received);
  return Result::Success;
}

static Result call(Kind kind, const void *send, void *receive, size_t count, Type type,
                   Reduction reduction, int root, Communicator communicator, Stream stream) {
  Call made;
  made.kind = kind;
  made.send = reinterpret_cast<uint64_t>(send);
  made.receive = reinterpret_cast<uint64_t>(receive);
  made.count = count;
  made.type = type;
  made.reduction = reduction;
  made.root = root;
  made.stream = stream;
  {
    Lock lock = enter();
    if (Result result = check(communicator, made); result != Result::Success)
      return result;
  }
  return submit(communicator, made);
}

extern "C" {

Result ncclAllReduce(const void *send, void *receive, size_t count, Type type, Reduction reduction,
                     Communicator communicator, Stream stream) {
  return call(Kind::AllReduce, send, receive, count, type, reduction, 0, communicator, stream);
}

Result ncclAllGather(const void *send, void *receive, size_t count, Type type,
                     Communicator communicator, Stream stream) {
  return call(Kind::AllGather, send, receive, count, type, Reduction::Sum, 0, communicator, stream);
}

Result ncclReduceScatter(const void *send, void *receive, size_t count, Type type,
                         Reduction reduction, Communicator communicator, Stream stream) {
  return call(Kind::ReduceScatter, send, receive, count, type, reduction, 0, communicator, stream);
}

Result ncclBroadcast(const void *send, void *receive, size_t count, Type type, int root,
                     Communicator communicator, Stream stream) {
  return call(Kind::Broadcast, send, receive, count, type, Reduction::Sum, root, communicator,
              stream);
}

Result ncclReduce(const void *send, void *receive, size_t count, Type type, Reduction reduction,
                  int root, Communicator communicator, Stream stream) {
  return call(Kind::Reduce, send, receive, count, type, reduction, root, communicator, stream);
}

Result ncclAlltoAll(const void *send, void *receive, size_t count, Type type,
                    Communicator communicator, Stream stream) {
  return call(Kind::AllToAll, send, receive, count, type, Reduction::Sum, 0, communicator, stream);
}

Result ncclSend(const void *send, size_t count, Type type, int peer, Communicator communicator,
                Stream stream) {
  return call(Kind::Send, send, nullptr, count, type, Reduction::Sum, peer, communicator, stream);
}

Result ncclRecv(void *receive, size_t count, Type type, int peer, Communicator communicator,
                Stream stream) {
  return call(Kind::Receive, nullptr, receive, count, type, Reduction::Sum, peer, communicator,
              stream);
}

//===----------------------------------------------------------------------===//
// Reductions of users
//===----------------------------------------------------------------------===//

Result ncclRedOpCreatePreMulSum(Reduction *made, void *scalar, Type type, Residence residence,
                                Communicator communicator) {
  Lock lock = enter();
  if (Result result = checkReady(__func__, communicator); result != Result::Success)
    return result;
  bool isHost = residence == Residence::HostImmediate;
  if (!made || !scalar || !bytesOf(type) || (!isHost && residence != Residence::Device))
    return refuse(Result::InvalidArgument, __func__, "expected a factor on the device or the host");
  Factor factor;
  factor.isUsed = true;
  factor.type = type;
  if (isHost)
    std::memcpy(factor.value, scalar, bytesOf(type));
  else
    factor.address = reinterpret_cast<uint64_t>(scalar);
  int number = numReductions + communicator->numReductions++;
  communicator->reductions[number] = factor;
  *made = static_cast<Reduction>(number);
  return Result::Success;
}

Result ncclRedOpDestroy(Reduction reduction, Communicator communicator) {
  Lock lock = enter();
  if (Result result = checkReady(__func__, communicator); result != Result::Success)
    return result;
  if (!communicator->reductions.erase(static_cast<int>(reduction)))
    return refuse(Result::InvalidArgument, __func__,
                  "the reduction does not exist in this communicator");
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// What ncclMemAlloc gave, and the allocation of the driver that it lies in.
static std::map<uint64_t, CUdeviceptr> &allocations() {
  static auto *all = new std::map<uint64_t, CUdeviceptr>();
  return *all;
}

Result ncclMemAlloc(void **memory, size_t bytes) {
  if (!memory || !bytes)
    return refuse(Result::InvalidArgument, __func__, "nothing to allocate");
  // At what windows may begin at.
  CUdeviceptr address = 0;
  if (cuMemAlloc_v2(&address, bytes + windowAlignment) != cuda::Result::Success)
    return refuse(Result::UnhandledCudaError, __func__, "the device has no memory for it");
  uint64_t aligned = (address + windowAlignment - 1) / windowAlignment * windowAlignment;
  Lock lock = enter();
  allocations()[aligned] = address;
  *memory = reinterpret_cast<void *>(aligned);
  return Result::Success;
}

Result ncclMemFree(void *memory) {
  CUdeviceptr address = 0;
  {
    Lock lock = enter();
    auto found = allocations().find(reinterpret_cast<uint64_t>(memory));
    if (found == allocations().end())
      return refuse(Result::InvalidArgument, __func__, "not what ncclMemAlloc has given");
    address = found->second;
    allocations().erase(found);
  }
  return cuMemFree_v2(address) == cuda::Result::Success ? Result::Success
                                                        : Result::UnhandledCudaError;
}

Result ncclCommRegister(Communicator communicator, void *memory, size_t bytes, void **handle) {
  Lock lock = enter();
  if (Result result = checkReady(__func__, communicator); result != Result::Success)
    return result;
  if (!memory || !bytes || !handle)
    return refuse(Result::InvalidArgument, __func__, "nothing to register");
  *handle = new char;
  communicator->registrations.insert(*handle);
  return Result::Success;
}

Result ncclCommDeregister(Communicator communicator, void *handle) {
  Lock lock = enter();
  if (!state().communicators.count(communicator) || !communicator->registrations.erase(handle))
    return refuse(Result::InvalidArgument, __func__, "not registered with this communicator");
  delete static_cast<char *>(handle);
  return Result::Success;
}

Result ncclCommWindowRegister(Communicator communicator, void *memory, size_t bytes, Window *window,
                              int flags) {
  Lock lock = enter();
  if (Result result = checkReady(__func__, communicator); result != Result::Success)
    return result;
  const char *function = __func__;
  auto refused = [&](const std::string &why) {
    return refuse(Result::InvalidArgument, function, why);
  };
  auto address = reinterpret_cast<uint64_t>(memory);
  if (!address || !bytes || !window)
    return refused("nothing to register");
  if (flags != 0 && flags != symmetricWindow)
    return refused("there are no flags " + std::to_string(flags));
  if (address % windowAlignment)
    return refused("the memory is not at a multiple of " + std::to_string(windowAlignment) +
                   " bytes");
  communicator->windows.emplace_back(address, bytes);
  size_t number = communicator->windows.size();
  Event event;
  event.act = Act::Window;
  event.rank = communicator->rank;
  event.numbers[0] = static_cast<int64_t>(number);
  event.numbers[1] = static_cast<int64_t>(bytes);
  InContext context(communicator->context);
  act(*communicator->clique, event);
  *window = reinterpret_cast<Window>(number);
  return Result::Success;
}

Result ncclCommWindowDeregister(Communicator communicator, Window window) {
  Lock lock = enter();
  auto number = reinterpret_cast<size_t>(window);
  if (!state().communicators.count(communicator) || !number ||
      number > communicator->windows.size() || !communicator->windows[number - 1].second)
    return refuse(Result::InvalidArgument, __func__,
                  "the window does not exist in this communicator");
  communicator->windows[number - 1] = {};
  return Result::Success;
}
}

} // namespace dmc::cuda::nccl
