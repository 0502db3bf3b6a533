//===- EnqueueTest.cpp - What other fake libraries call -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

#include <atomic>
#include <cstring>
#include <set>
#include <thread>

using namespace dmc::fakes::test;

namespace {
using Values = std::vector<uint32_t>;

/// Adds one to an array, as work of a library.
struct Increment {
  uint64_t address = 0, bytes = 0;
  std::atomic<int> isReady = 1;
  int device = -1, calls = 0;
  bool outlives = false; // the session
  std::atomic<int> releases = 0;

  static int ready(void *data) { return static_cast<Increment *>(data)->isReady; }
  static void body(void *data) {
    auto &work = *static_cast<Increment *>(data);
    auto *values = static_cast<uint32_t *>(fake().hostAddress(work.address, work.bytes));
    for (uint64_t i = 0; values && i < work.bytes / 4; ++i)
      ++values[i];
    work.device = fake().device();
    ++work.calls;
  }
  static void release(void *data) { ++static_cast<Increment *>(data)->releases; }
  int enqueue(CUstream stream) {
    dmc_fake_range range = {address, bytes};
    return fake().enqueue(stream, "increment", ready, body, outlives ? release : nullptr, this,
                          &range, 1, &range, 1);
  }
};

TEST(Enqueue, WorkOfLibraries) {
  Session session(7);
  EXPECT_EQ(fake().seed(), 7u);
  EXPECT_EQ(fake().device(), 0);
  CUstream stream = session.stream();
  CUdeviceptr a = session.allocate(64);
  Increment work;
  work.address = a;
  work.bytes = 256;
  session.fillWith(a, 1, 64, stream);
  EXPECT_EQ(work.enqueue(stream), 0);
  EXPECT_EQ(work.calls, 0);
  EXPECT_EQ(session.values(a, 64, stream), Values(64, 2));
  EXPECT_EQ(work.device, 0);
  EXPECT_EQ(fake().hostAddress(a, 260), nullptr);
  EXPECT_EQ(work.enqueue(reinterpret_cast<CUstream>(&session)),
            static_cast<int>(Result::InvalidHandle));
  fake().report("nccl order", "a message");
  EXPECT_EQ(session.reports(), "simulated device 0: nccl order: a message\n");
  EXPECT_EQ(cu().streamSynchronize(stream), Result::Assert);
}

TEST(Enqueue, ItsAccessesAreChecked) {
  for (bool waits : {true, false})
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Session session(seed);
      CUstream first = session.stream(), second = session.stream();
      CUdeviceptr a = session.allocate(64), b = session.allocate(64);
      Increment work;
      work.address = a;
      work.bytes = 256;
      session.fillWith(a, 1, 64, first);
      OK(cu().streamSynchronize(first));
      EXPECT_EQ(work.enqueue(first), 0);
      if (waits)
        session.order(first, second);
      session.doubleInto(a, b, 64, second);
      cu().streamSynchronize(first);
      cu().streamSynchronize(second);
      std::string reports = session.reports();
      if (waits)
        EXPECT_EQ(reports, "");
      else
        EXPECT_NE(reports.find("increment (stream 1, #"), std::string::npos) << reports;
    }
  Session session;
  CUdeviceptr a = session.allocate(64);
  Increment work;
  work.address = a;
  work.bytes = 300;
  work.enqueue(nullptr);
  EXPECT_EQ(cu().streamSynchronize(nullptr), Result::IllegalAddress);
  EXPECT_NE(session.reports().find("out of bounds: increment"), std::string::npos);
}

TEST(Enqueue, WorkThatIsNotReady) {
  Session session(1);
  CUstream stream = session.stream();
  CUdeviceptr a = session.allocate(64);
  Increment work;
  work.address = a;
  work.bytes = 256;
  work.isReady = 0;
  session.fillWith(a, 1, 64, stream);
  EXPECT_EQ(work.enqueue(stream), 0);
  // Who asks executes the fill, and then nothing more however often it asks.
  uint64_t before = cu().executed();
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(cu().streamQuery(stream), Result::NotReady);
  EXPECT_EQ(cu().executed(), before + 1);
  std::thread other([&] {
    work.isReady = 1;
    fake().wake();
  });
  OK(cu().streamSynchronize(stream));
  other.join();
  EXPECT_EQ(work.calls, 1);
  EXPECT_EQ(cu().executed(), before + 2);
}

TEST(Enqueue, GraphsRunItAgain) {
  Session session;
  CUstream stream = session.stream();
  CUdeviceptr a = session.allocate(64);
  Increment work;
  work.address = a;
  work.bytes = 256;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  GraphInstantiateParams parameters = {};
  OK(cu().memsetD32Async(a, 0, 64, stream));
  OK(cu().streamBeginCapture(stream, CaptureMode::Global));
  EXPECT_EQ(work.enqueue(stream), 0);
  OK(cu().streamEndCapture(stream, &graph));
  OK(cu().graphInstantiateWithParams(&exec, graph, &parameters));
  for (int i = 0; i < 3; ++i)
    OK(cu().graphLaunch(exec, stream));
  EXPECT_EQ(session.values(a, 64, stream), Values(64, 3));
}

TEST(Enqueue, WhatCannotRunAnyMoreIsReleased) {
  Increment work, discarded, captured;
  {
    Session session;
    CUstream stream = session.stream(), other = session.stream();
    CUdeviceptr a = session.allocate(64);
    for (Increment *made : {&work, &discarded, &captured}) {
      made->address = a;
      made->bytes = 256;
      made->outlives = true;
    }
    session.fillWith(a, 1, 64, stream);
    EXPECT_EQ(work.enqueue(stream), 0);
    EXPECT_EQ(work.enqueue(reinterpret_cast<CUstream>(&session)),
              static_cast<int>(Result::InvalidHandle)); // stays the caller's
    OK(cu().streamSynchronize(stream));
    EXPECT_EQ(work.calls, 1);
    discarded.isReady = 0;
    EXPECT_EQ(discarded.enqueue(other), 0);

    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    GraphInstantiateParams parameters = {};
    OK(cu().streamBeginCapture(stream, CaptureMode::Global));
    EXPECT_EQ(captured.enqueue(stream), 0);
    OK(cu().streamEndCapture(stream, &graph));
    OK(cu().graphInstantiateWithParams(&exec, graph, &parameters));
    OK(cu().graphLaunch(exec, stream));
    OK(cu().graphDestroy(graph));
    OK(cu().graphExecDestroy(exec));
    EXPECT_EQ(captured.releases, 0);
    OK(cu().streamSynchronize(stream));
    EXPECT_EQ(captured.calls, 1);
  }
  fake().reset();
  for (const Increment *made : {&work, &discarded, &captured})
    EXPECT_EQ(made->releases, 1);
  EXPECT_EQ(discarded.calls, 0);
}

/// A meeting of two ranks, each with a device and a thread of its own.
struct Meeting {
  std::atomic<int> arrived = 0;
  static int ready(void *data) { return static_cast<Meeting *>(data)->arrived == 2; }
  static void arrive(void *data) {
    ++static_cast<Meeting *>(data)->arrived;
    fake().wake();
  }
  static void nothing(void *) {}
};

TEST(Enqueue, TwoRanks) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    fake().reset();
    setenv("DMC_SIMULATED_SEED", std::to_string(seed).c_str(), 1);
    setenv("DMC_SIMULATED_DEVICES", "2", 1);
    OK(cu().init(0));
    Meeting meetings[5];
    auto rank = [&](int device) {
      CUcontext context = nullptr;
      CUmodule module = nullptr;
      CUfunction fill = nullptr;
      CUstream stream = nullptr;
      CUdeviceptr array = 0;
      OK(cu().devicePrimaryCtxRetain(&context, device));
      OK(cu().ctxSetCurrent(context));
      EXPECT_EQ(fake().device(), device);
      OK(cu().moduleLoadData(&module, kernels));
      OK(cu().moduleGetFunction(&fill, module, "fill"));
      OK(cu().streamCreateWithPriority(&stream, streamNonBlocking, 0));
      OK(cu().memAlloc(&array, 256));
      for (Meeting &meeting : meetings) {
        uint32_t value = static_cast<uint32_t>(device) + 10;
        void *arguments[] = {&array, &value};
        OK(cu().launchKernel(fill, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr));
        fake().enqueue(stream, "arrive", nullptr, Meeting::arrive, nullptr, &meeting, nullptr, 0,
                       nullptr, 0);
        fake().enqueue(stream, "meet", Meeting::ready, Meeting::nothing, nullptr, &meeting, nullptr,
                       0, nullptr, 0);
      }
      Values values(64);
      OK(cu().memcpyDtoHAsync(values.data(), array, 256, stream));
      EXPECT_EQ(values, Values(64, static_cast<uint32_t>(device) + 10));
      OK(cu().memFree(array));
      OK(cu().devicePrimaryCtxRelease(device));
    };
    std::thread other(rank, 1);
    rank(0);
    other.join();
    EXPECT_EQ(fake().reportCount(), 0u);
  }
}

TEST(Enqueue, DevicesWorkWhileTheirThreadsDoNot) {
  // One thread gives work to both devices, and waits for one of them only.
  Session session;
  CUcontext second = nullptr;
  Meeting meeting;
  OK(cu().devicePrimaryCtxRetain(&second, 1));
  for (CUcontext context : {session.context, second}) {
    OK(cu().ctxSetCurrent(context));
    fake().enqueue(nullptr, "arrive", nullptr, Meeting::arrive, nullptr, &meeting, nullptr, 0,
                   nullptr, 0);
    fake().enqueue(nullptr, "meet", Meeting::ready, Meeting::nothing, nullptr, &meeting, nullptr, 0,
                   nullptr, 0);
  }
  OK(cu().ctxSetCurrent(session.context));
  OK(cu().streamSynchronize(nullptr));
}
} // namespace
