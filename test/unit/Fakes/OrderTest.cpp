//===- OrderTest.cpp - Streams, events, and what they order ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

#include <csignal>
#include <set>
#include <thread>

using namespace dmc::fakes::test;

namespace {
using Values = std::vector<uint32_t>;
constexpr uint64_t numSeeds = 20;

/// Runs a program with every seed: each reports what is expected, or none does.
template <typename Program>
void onAllSeeds(Program program, const std::vector<std::string> &expected) {
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    Session session(seed);
    program(session);
    std::string reports = session.reports();
    if (expected.empty())
      EXPECT_EQ(reports, "") << "seed " << seed;
    for (const std::string &text : expected)
      EXPECT_NE(reports.find(text), std::string::npos) << "seed " << seed << ": " << reports;
  }
}

/// A copy in one stream and a kernel in another that reads what it copied.
void copyAndRead(Session &session, bool waits) {
  CUstream first = session.stream(), second = session.stream();
  CUdeviceptr in = session.allocate(64), out = session.allocate(64);
  uint32_t *host = session.pinned(64);
  for (uint32_t i = 0; i < 64; ++i)
    host[i] = i;
  OK(cu().memsetD32Async(in, 0, 64, first));
  OK(cu().streamSynchronize(first));
  OK(cu().memcpyHtoDAsync(in, host, 256, first));
  if (waits)
    session.order(first, second);
  session.doubleInto(in, out, 64, second);
  cu().streamSynchronize(second);
  cu().streamSynchronize(first);
  if (waits)
    EXPECT_EQ(session.values(out, 64, second)[63], 126u);
}

TEST(Order, CopyAndKernel) {
  onAllSeeds([](Session &session) { copyAndRead(session, /*waits=*/true); }, {});
  onAllSeeds([](Session &session) { copyAndRead(session, /*waits=*/false); },
             {"unordered operations: ", "HtoD copy (stream 1, #", "twice (stream 2, #"});
}

TEST(Order, SeedsSelectOrders) {
  // Which of two unordered writes is the last one.
  std::set<uint32_t> seen;
  for (uint64_t seed = 0; seed < numSeeds; ++seed) {
    Session session(seed);
    CUstream first = session.stream(), second = session.stream();
    CUdeviceptr a = session.allocate(1);
    OK(cu().memsetD32Async(a, 1, 1, first));
    OK(cu().memsetD32Async(a, 2, 1, second));
    cu().streamSynchronize(first);
    EXPECT_EQ(cu().streamSynchronize(second), Result::Assert);
    seen.insert(session.values(a, 1, second)[0]);
    EXPECT_NE(session.reports().find("which memset ("), std::string::npos);
  }
  EXPECT_EQ(seen, (std::set<uint32_t>{1, 2}));
}

TEST(Order, HostWaits) {
  for (int how = 0; how < 4; ++how)
    onAllSeeds(
        [&](Session &session) {
          CUstream first = session.stream(), second = session.stream();
          CUdeviceptr in = session.allocate(64), out = session.allocate(64);
          CUevent event = session.event();
          session.fillWith(in, 1, 64, first);
          OK(cu().eventRecord(event, first));
          if (how == 1)
            OK(cu().streamSynchronize(first));
          if (how == 2)
            OK(cu().eventSynchronize(event));
          if (how == 3)
            while (cu().eventQuery(event) == Result::NotReady)
              ;
          session.doubleInto(in, out, 64, second);
          cu().streamSynchronize(second);
          cu().streamSynchronize(first);
        },
        how ? std::vector<std::string>() : std::vector<std::string>{"unordered operations: "});
}

TEST(Order, AnotherThreadWaits) {
  onAllSeeds(
      [](Session &session) {
        CUstream first = session.stream(), second = session.stream();
        CUdeviceptr in = session.allocate(64), out = session.allocate(64);
        session.fillWith(in, 1, 64, first);
        std::thread([&] {
          OK(cu().ctxSetCurrent(session.context));
          OK(cu().streamSynchronize(first));
        }).join();
        session.doubleInto(in, out, 64, second);
        OK(cu().streamSynchronize(second));
      },
      {});
}

TEST(Order, ThreadsShareAContext) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Session session(seed);
    CUdeviceptr arrays[4], sums[4];
    for (size_t i = 0; i < 4; ++i) {
      arrays[i] = session.allocate(64);
      sums[i] = session.allocate(64);
    }
    auto use = [&](size_t i) {
      OK(cu().ctxSetCurrent(session.context));
      CUstream stream = session.stream();
      CUdeviceptr own = session.allocate(64);
      session.fillWith(arrays[i], static_cast<uint32_t>(i), 64, stream);
      session.doubleInto(arrays[i], own, 64, stream);
      session.doubleInto(own, sums[i], 64, stream);
      EXPECT_EQ(session.values(sums[i], 64, stream), Values(64, static_cast<uint32_t>(4 * i)));
      OK(cu().memFree(own));
      OK(cu().streamDestroy(stream));
    };
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (size_t i = 0; i < 4; ++i)
      threads.emplace_back(use, i);
    for (std::thread &thread : threads)
      thread.join();
  }
}

TEST(Order, EventsOrderDevices) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Session session(seed);
    CUcontext other = nullptr;
    CUstream first = session.stream(), second = nullptr;
    CUevent event = session.event();
    std::vector<int> calls;
    auto append = [](void *data) {
      auto *calls = static_cast<std::vector<int> *>(data);
      calls->push_back(fake().device());
    };
    OK(cu().launchHostFunc(first, append, &calls));
    OK(cu().eventRecord(event, first));
    OK(cu().devicePrimaryCtxRetain(&other, 1));
    OK(cu().ctxSetCurrent(other));
    second = session.stream();
    OK(cu().streamWaitEvent(second, event, 0));
    OK(cu().launchHostFunc(second, append, &calls));
    OK(cu().streamSynchronize(second));
    EXPECT_EQ(calls, (std::vector<int>{0, 1}));
    OK(cu().ctxSetCurrent(session.context));
  }
}

TEST(Order, AnEventIsOfItsLastRecord) {
  onAllSeeds(
      [](Session &session) {
        CUstream first = session.stream(), second = session.stream();
        CUdeviceptr a = session.allocate(64), b = session.allocate(64);
        CUevent event = session.event();
        OK(cu().streamWaitEvent(second, event, 0)); // never recorded: nothing to wait for
        session.fillWith(a, 1, 64, first);
        OK(cu().eventRecord(event, first));
        OK(cu().streamWaitEvent(second, event, 0));
        session.doubleInto(a, b, 64, second);
        // What was recorded later does not change what is waited for.
        OK(cu().eventRecord(event, second));
        OK(cu().streamWaitEvent(first, event, 0));
        session.fillWith(a, 2, 64, first);
        OK(cu().streamSynchronize(first));
      },
      {});
}

TEST(Order, TimesFollowTheModel) {
  Session session;
  CUstream stream = session.stream();
  CUevent start = session.event(), end = session.event();
  constexpr size_t count = 1 << 16;
  CUdeviceptr a = session.allocate(count);
  uint32_t *host = session.pinned(count);
  float milliseconds = -1;
  OK(cu().eventRecord(start, stream));
  OK(cu().memcpyHtoDAsync(a, host, 4 * count, stream));
  OK(cu().eventRecord(end, stream));
  EXPECT_EQ(cu().eventElapsedTime(&milliseconds, start, end), Result::NotReady);
  OK(cu().eventSynchronize(end));
  OK(cu().eventElapsedTime(&milliseconds, start, end));
  EXPECT_NEAR(milliseconds, 1e3 * (2e-6 + 4.0 * count / 64e9), 1e-6);
}

TEST(Order, WorkIsGivenAfterWhatTheHostWaitedFor) {
  Session session;
  CUstream first = session.stream(), second = session.stream();
  CUevent start = session.event(), ended = session.event(), end = session.event();
  CUdeviceptr a = session.allocate(64);
  float milliseconds = -1;
  OK(cu().eventRecord(start, first));
  OK(cu().memsetD32Async(a, 5, 64, first));
  OK(cu().eventRecord(ended, first));
  OK(cu().streamSynchronize(first));
  // The other stream was idle, but the host gave it nothing before; nor does it wait any more.
  OK(cu().streamWaitEvent(second, ended, 0));
  OK(cu().memsetD32Async(a, 6, 64, second));
  OK(cu().eventRecord(end, second));
  OK(cu().streamSynchronize(second));
  OK(cu().eventElapsedTime(&milliseconds, start, end));
  EXPECT_NEAR(milliseconds, 2 * 1e3 * (2e-6 + 256 / 3.35e12), 1e-6);
}

TEST(Order, HostAccessesAreOrdered) {
  for (bool waits : {true, false})
    for (size_t count : {size_t(1), size_t(5000)})
      onAllSeeds(
          [&](Session &session) {
            CUstream stream = session.stream();
            CUdeviceptr a = session.allocate(count);
            uint32_t *host = session.pinned(count + 16);
            OK(cu().memsetD32Async(a, 5, count, stream));
            OK(cu().memcpyDtoHAsync(host, a, 4 * count, stream));
            volatile uint32_t *read = host;
            read[count] = 3; // its neighbour is nobody else's
            EXPECT_EQ(read[count], 3u);
            if (waits)
              OK(cu().streamSynchronize(stream));
            uint32_t value = read[count - 1];
            if (waits)
              EXPECT_EQ(value, 5u);
            cu().streamSynchronize(stream);
          },
          waits ? std::vector<std::string>()
                : std::vector<std::string>{"unordered host access", "DtoH copy (stream 1, #"});
}

TEST(Order, CopiesBesideEachOther) {
  // Pages that are read, written and neither, and pages of two kinds.
  Session session;
  constexpr size_t count = 3000;
  CUdeviceptr a = session.allocate(count);
  uint32_t *host = session.pinned(4 * count);
  for (size_t i = 0; i < count; ++i)
    host[i] = static_cast<uint32_t>(i);
  OK(cu().memcpyHtoDAsync(a, host, 4 * count, nullptr));
  OK(cu().memcpyDtoHAsync(host + 2 * count, a, 4 * count, nullptr));
  volatile uint32_t *values = host;
  EXPECT_EQ(values[count - 1], count - 1); // both only read
  for (size_t i = 0; i < count; ++i)
    values[count + i] = values[3 * count + i] = 7;
  OK(cu().streamSynchronize(nullptr));
  for (size_t i = 0; i < 4 * count; ++i)
    ASSERT_EQ(values[i], i / count % 2 ? 7 : i % count) << i;
  for (size_t i : {size_t(0), count - 1}) {
    OK(cu().memcpyHtoDAsync(a, host, 4 * count, nullptr));
    values[i] = 1;
    EXPECT_EQ(cu().streamSynchronize(nullptr), Result::Assert);
    EXPECT_NE(session.reports().find("at offset " + std::to_string(4 * i) + ","),
              std::string::npos);
  }
}

void otherHandler(int) {}

TEST(Order, OtherHandlersOfFaults) {
  Session session;
  uint32_t *host = session.pinned(1);
  CUdeviceptr a = session.allocate(1);
  // A library that the program loads later sets its own.
  struct sigaction previous = {}, other = {};
  other.sa_handler = otherHandler;
  ASSERT_EQ(sigaction(SIGSEGV, &other, &previous), 0);
  OK(cu().memcpyHtoDAsync(a, host, 4, nullptr));
  *host = 1;
  EXPECT_EQ(cu().streamSynchronize(nullptr), Result::Assert);
  EXPECT_NE(session.reports().find("unordered host access"), std::string::npos);
  sigaction(SIGSEGV, &previous, nullptr);
}

TEST(Order, FreedMemory) {
  onAllSeeds(
      [](Session &session) {
        CUstream stream = session.stream();
        CUdeviceptr a = session.allocate(64);
        session.fillWith(a, 1, 64, stream);
        OK(cu().streamSynchronize(stream));
        OK(cu().memFree(a));
        EXPECT_EQ(cu().memFree(a), Result::InvalidValue);
      },
      {});
  onAllSeeds(
      [](Session &session) {
        CUstream stream = session.stream();
        CUdeviceptr a = session.allocate(64);
        session.fillWith(a, 1, 64, stream);
        OK(cu().memFree(a));
        EXPECT_EQ(cu().streamSynchronize(stream), Result::IllegalAddress);
      },
      {"free in use: allocation 0", "fill (stream 1, #1) uses", "use after free: fill"});
}

TEST(Order, DestroyedStreamsStillWork) {
  Session session(3);
  CUdeviceptr a = session.allocate(64);
  CUstream stream = session.stream();
  CUevent event = session.event();
  session.fillWith(a, 4, 64, stream);
  OK(cu().eventRecord(event, stream));
  OK(cu().streamDestroy(stream));
  EXPECT_EQ(cu().streamSynchronize(stream), Result::InvalidHandle);
  OK(cu().eventSynchronize(event));
  EXPECT_EQ(session.values(a, 64, nullptr), Values(64, 4));
}

} // namespace
