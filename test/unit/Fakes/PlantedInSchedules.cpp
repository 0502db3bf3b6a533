//===- PlantedInSchedules.cpp - Mistakes between streams and the host -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"
#include "Planted.h"

using namespace dmc::fakes::test;

namespace {
constexpr size_t count = 64;

void sync(std::initializer_list<CUstream> streams) {
  for (CUstream stream : streams)
    cu().streamSynchronize(stream);
}

/// A copy in one stream, and a kernel in another one that reads what it copied.
void copyThenRead(Session &session, bool isPlanted) {
  CUstream first = session.stream(), second = session.stream();
  CUdeviceptr in = session.allocate(count), out = session.allocate(count);
  uint32_t *host = session.pinned(count);
  OK(cu().memsetD32Async(in, 0, count, first));
  OK(cu().streamSynchronize(first));
  OK(cu().memcpyHtoDAsync(in, host, 4 * count, first));
  if (!isPlanted)
    session.order(first, second);
  session.doubleInto(in, out, count, second);
  sync({second, first});
}

/// The event is there, but it is recorded before the copy.
void recordTooEarly(Session &session, bool isPlanted) {
  CUstream first = session.stream(), second = session.stream();
  CUdeviceptr in = session.allocate(count), out = session.allocate(count);
  session.fillWith(in, 1, count, first);
  if (isPlanted)
    session.order(first, second);
  session.doubleInto(in, in, count, first);
  if (!isPlanted)
    session.order(first, second);
  session.doubleInto(in, out, count, second);
  sync({second, first});
}

/// A kernel is launched in another stream than the one that was ordered.
void wrongStream(Session &session, bool isPlanted) {
  CUstream first = session.stream(), second = session.stream(), third = session.stream();
  CUdeviceptr in = session.allocate(count), out = session.allocate(count);
  session.fillWith(in, 1, count, first);
  session.order(first, second);
  session.doubleInto(in, out, count, isPlanted ? third : second);
  sync({first, second, third});
}

/// Bytes of the arena get other values while a kernel of another stream reads them, which a second
/// reader's event does not tell.
void reuseTooEarly(Session &session, bool isPlanted) {
  CUstream readers[] = {session.stream(), session.stream()}, writer = session.stream();
  CUdeviceptr arena = session.allocate(count), out = session.allocate(2 * count);
  session.fillWith(arena, 1, count, readers[0]);
  OK(cu().streamSynchronize(readers[0]));
  session.doubleInto(arena, out, count, readers[0]);
  session.doubleInto(arena, out + 4 * count, count, readers[1]);
  if (!isPlanted)
    session.order(readers[0], writer);
  session.order(readers[1], writer);
  session.fillWith(arena, 2, count, writer);
  sync({readers[0], readers[1], writer});
}

/// Two kernels write one place, equal values at that.
void writeTwice(Session &session, bool isPlanted) {
  CUstream first = session.stream(), second = session.stream();
  CUdeviceptr a = session.allocate(count);
  session.fillWith(a, 1, count, first);
  if (!isPlanted)
    session.order(first, second);
  session.fillWith(a, 1, count, second);
  sync({first, second});
}

/// The default stream waits for a stream that does not forbid it.
void relyOnTheDefaultStream(Session &session, bool isPlanted) {
  CUstream stream = nullptr;
  OK(cu().streamCreateWithPriority(&stream, isPlanted ? streamNonBlocking : 0, 0));
  CUdeviceptr a = session.allocate(count), b = session.allocate(count);
  session.fillWith(a, 1, count, stream);
  session.doubleInto(a, b, count, nullptr);
  sync({stream, nullptr});
}

void readOnTheHostTooEarly(Session &session, bool isPlanted) {
  CUstream stream = session.stream();
  CUdeviceptr a = session.allocate(count);
  volatile uint32_t *host = session.pinned(count);
  OK(cu().memsetD32Async(a, 5, count, stream));
  OK(cu().memcpyDtoHAsync(const_cast<uint32_t *>(host), a, 4 * count, stream));
  if (!isPlanted)
    OK(cu().streamSynchronize(stream));
  (void)host[count - 1];
  sync({stream});
}

/// Pinned memory is read when the copy runs.
void writeOnTheHostTooEarly(Session &session, bool isPlanted) {
  CUdeviceptr a = session.allocate(1);
  volatile uint32_t *host = session.pinned(1);
  *host = 1;
  OK(cu().memcpyHtoDAsync(a, const_cast<uint32_t *>(host), 4, nullptr));
  if (!isPlanted)
    OK(cu().streamSynchronize(nullptr));
  *host = 2;
  sync({nullptr});
}

void freeWhileQueued(Session &session, bool isPlanted) {
  CUstream stream = session.stream();
  CUdeviceptr a = session.allocate(count);
  session.fillWith(a, 1, count, stream);
  if (!isPlanted)
    OK(cu().streamSynchronize(stream));
  OK(cu().memFree(a));
  sync({stream});
}

/// The work was executed, but the host only knows of another stream's.
void freeWithoutKnowing(Session &session, bool isPlanted) {
  CUstream first = session.stream(), second = session.stream();
  CUdeviceptr a = session.allocate(count), b = session.allocate(count);
  session.fillWith(a, 1, count, first);
  session.fillWith(b, 1, count, second);
  CUevent event = session.event();
  OK(cu().eventRecord(event, second));
  OK(cu().streamSynchronize(isPlanted ? first : second));
  OK(cu().memFree(b));
  sync({first, second});
}

void useAfterFree(Session &session, bool isPlanted) {
  CUdeviceptr a = session.allocate(count);
  if (isPlanted)
    OK(cu().memFree(a));
  session.fillWith(a, 1, count, nullptr);
  sync({nullptr});
}

void unloadInUse(Session &session, bool isPlanted) {
  CUdeviceptr a = session.allocate(count);
  session.fillWith(a, 1, count, nullptr);
  if (!isPlanted)
    sync({nullptr});
  OK(cu().moduleUnload(session.module));
  sync({nullptr});
}

void readWhatNobodyWrote(Session &session, bool isPlanted) {
  CUdeviceptr a = session.allocate(count), b = session.allocate(count);
  if (!isPlanted)
    session.fillWith(a, 1, count, nullptr);
  session.doubleInto(a, b, count, nullptr);
  sync({nullptr});
}

void copyWhatNobodyWrote(Session &session, bool isPlanted) {
  CUdeviceptr a = session.allocate(count);
  session.fillWith(a, 1, count, nullptr);
  CUdeviceptr b = session.allocate(count);
  (void)session.values(isPlanted ? b : a, count, nullptr);
}

void copyOntoItself(Session &session, bool isPlanted) {
  CUdeviceptr a = session.allocate(count);
  OK(cu().memsetD32Async(a, 1, count, nullptr));
  OK(cu().memcpyDtoDAsync(a + (isPlanted ? 124 : 128), a, 128, nullptr));
  sync({nullptr});
}

void writeBeyondTheEnd(Session &session, bool isPlanted) {
  CUdeviceptr a = session.allocate(count);
  session.fillWith(a, 1, isPlanted ? 2 * count : count, nullptr);
  sync({nullptr});
}

void callInACallback(Session &session, bool isPlanted) {
  OK(cu().launchHostFunc(
      nullptr,
      [](void *calls) {
        if (calls)
          cu().streamSynchronize(nullptr);
      },
      isPlanted ? &session : nullptr));
  sync({nullptr});
}
} // namespace

std::vector<Defect> dmc::fakes::test::scheduleDefects() {
  std::vector<Defect> all;
  auto add = [&](const char *name, const char *what, const char *report,
                 void (*program)(Session &, bool)) {
    all.push_back({name, what, report, [program](uint64_t seed, bool isPlanted) {
                     Session session(seed);
                     program(session, isPlanted);
                     return session.reports();
                   }});
  };
  add("DeletedEvent", "an event between a copy and a kernel is deleted", "unordered operations",
      copyThenRead);
  add("EarlyEvent", "an event is recorded before what it stands for", "unordered operations",
      recordTooEarly);
  add("WrongStream", "a kernel is launched in a stream that waits for nothing",
      "unordered operations", wrongStream);
  add("EarlyReuse", "bytes are written again while one of two readers may still run",
      "unordered operations", reuseTooEarly);
  add("TwoWriters", "two streams write equal values", "unordered operations", writeTwice);
  add("NonBlockingStream", "the default stream does not wait for a nonblocking stream",
      "unordered operations", relyOnTheDefaultStream);
  add("EarlyHostRead", "the host reads what a copy writes", "unordered host access",
      readOnTheHostTooEarly);
  add("EarlyHostWrite", "the host writes what a copy still reads", "unordered host access",
      writeOnTheHostTooEarly);
  add("FreeWhileQueued", "memory is freed that queued work uses", "free in use", freeWhileQueued);
  add("FreeAfterAnotherStream", "memory is freed after another stream was waited for",
      "free in use", freeWithoutKnowing);
  add("UnloadInUse", "a module is unloaded of which a kernel is queued", "free in use",
      unloadInUse);
  add("UseAfterFree", "a kernel writes memory that was freed", "use after free", useAfterFree);
  add("UnwrittenInput", "a kernel reads memory that nobody wrote", "uninitialized",
      readWhatNobodyWrote);
  add("UnwrittenResult", "the host copies memory that nobody wrote", "uninitialized",
      copyWhatNobodyWrote);
  add("OverlappingCopy", "a copy within the device overlaps itself", "overlapping copy",
      copyOntoItself);
  add("TooManyBlocks", "a launch has more blocks than the array", "out of bounds",
      writeBeyondTheEnd);
  add("CallInACallback", "a host function calls the driver", "call in a callback", callInACallback);
  return all;
}
