//===- GraphsTest.cpp - Captures and graphs -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

using namespace dmc::fakes::test;

namespace {
using Values = std::vector<uint32_t>;

CUgraphExec instantiate(CUgraph graph) {
  CUgraphExec exec = nullptr;
  GraphInstantiateParams parameters = {};
  EXPECT_EQ(cu().graphInstantiateWithParams(&exec, graph, &parameters), Result::Success);
  return exec;
}

/// Two branches, of which the second doubles what the first has written.
void captureBranches(Session &session, CUstream origin, CUdeviceptr a, CUdeviceptr b, bool waits,
                     CUgraph &graph) {
  CUstream side = session.stream();
  OK(cu().streamBeginCapture(origin, CaptureMode::Global));
  session.order(origin, side);
  session.doubleInto(a, b, 64, side);
  if (waits)
    session.order(side, origin);
  session.doubleInto(b, a, 64, origin);
  if (!waits)
    session.order(side, origin);
  OK(cu().streamEndCapture(origin, &graph));
}

TEST(Graphs, RunAgain) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Session session(seed);
    CUstream stream = session.stream();
    CUdeviceptr a = session.allocate(64), b = session.allocate(64);
    CUgraph graph = nullptr;
    captureBranches(session, stream, a, b, /*waits=*/true, graph);
    session.fillWith(a, 1, 64, stream);
    CUgraphExec exec = instantiate(graph);
    OK(cu().graphDestroy(graph));
    OK(cu().graphLaunch(exec, stream));
    OK(cu().graphLaunch(exec, stream));
    EXPECT_EQ(session.values(a, 64, stream), Values(64, 16));
    // In another stream: after its last launch, which is not after what the stream has.
    OK(cu().graphLaunch(exec, session.stream()));
    OK(cu().graphExecDestroy(exec));
    EXPECT_EQ(cu().graphLaunch(exec, stream), Result::InvalidHandle);
  }
}

TEST(Graphs, DoNotRunBesideThemselves) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Session session(seed);
    CUstream streams[] = {session.stream(), session.stream()};
    CUdeviceptr a = session.allocate(64), b = session.allocate(64);
    CUgraph graph = nullptr;
    captureBranches(session, streams[0], a, b, /*waits=*/true, graph);
    CUgraphExec exec = instantiate(graph);
    session.fillWith(a, 1, 64, streams[0]);
    OK(cu().streamSynchronize(streams[0]));
    for (CUstream stream : streams)
      OK(cu().graphLaunch(exec, stream));
    OK(cu().streamSynchronize(streams[0]));
    EXPECT_EQ(session.values(a, 64, streams[1]), Values(64, 16));
  }
}

TEST(Graphs, MissingOrderIsFound) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Session session(seed);
    CUstream stream = session.stream();
    CUdeviceptr a = session.allocate(64), b = session.allocate(64);
    CUgraph graph = nullptr;
    captureBranches(session, stream, a, b, /*waits=*/false, graph);
    session.fillWith(a, 1, 64, stream);
    session.fillWith(b, 1, 64, stream);
    EXPECT_EQ(fake().reportCount(), 0u); // nothing ran yet
    OK(cu().graphLaunch(instantiate(graph), stream));
    EXPECT_EQ(cu().streamSynchronize(stream), Result::Assert);
    std::string reports = session.reports();
    EXPECT_NE(reports.find("unordered operations: twice (graph 1 branch "), std::string::npos)
        << seed << ": " << reports;
  }
}

TEST(Graphs, WhatACaptureForbids) {
  Session session;
  CUstream stream = session.stream(), other = session.stream();
  CUdeviceptr a = session.allocate(64), address = 0;
  CUgraph graph = nullptr;
  CUevent event = session.event();
  CaptureStatus status = CaptureStatus::None;
  auto invalidates = [&](const char *what, Result expected, auto call) {
    OK(cu().streamBeginCapture(stream, CaptureMode::Global));
    session.fillWith(a, 1, 64, stream);
    EXPECT_EQ(call(), expected) << what;
    OK(cu().streamIsCapturing(stream, &status));
    EXPECT_EQ(status, CaptureStatus::Invalidated) << what;
    uint32_t value = 1;
    EXPECT_EQ(session.launch(session.fill, 64, stream, {&a, &value}),
              Result::StreamCaptureInvalidated);
    EXPECT_EQ(cu().streamEndCapture(stream, &graph), Result::StreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
  };
  invalidates("synchronize", Result::StreamCaptureUnsupported,
              [&] { return cu().streamSynchronize(stream); });
  invalidates("query", Result::StreamCaptureUnsupported, [&] { return cu().streamQuery(stream); });
  invalidates("allocate", Result::StreamCaptureUnsupported,
              [&] { return cu().memAlloc(&address, 4); });
  invalidates("free", Result::StreamCaptureUnsupported, [&] { return cu().memFree(a); });
  invalidates("event", Result::CapturedEvent, [&] {
    EXPECT_EQ(cu().eventRecord(event, stream), Result::Success);
    return cu().eventSynchronize(event);
  });
  OK(cu().eventRecord(event, other));
  invalidates("isolation", Result::StreamCaptureIsolation,
              [&] { return cu().streamWaitEvent(stream, event, 0); });

  OK(cu().streamIsCapturing(stream, &status));
  EXPECT_EQ(status, CaptureStatus::None);
  EXPECT_EQ(cu().streamBeginCapture(nullptr, CaptureMode::Global),
            Result::StreamCaptureUnsupported);
  EXPECT_EQ(cu().streamEndCapture(stream, &graph), Result::IllegalState);
  // Relaxed captures allow what does not concern their stream.
  OK(cu().streamBeginCapture(stream, CaptureMode::Relaxed));
  EXPECT_EQ(cu().streamBeginCapture(stream, CaptureMode::Relaxed), Result::IllegalState);
  OK(cu().memAlloc(&address, 4));
  OK(cu().streamEndCapture(stream, &graph));
  OK(cu().graphLaunch(instantiate(graph), stream));
  OK(cu().streamSynchronize(stream));
}

TEST(Graphs, BranchesAreJoined) {
  Session session;
  CUstream stream = session.stream(), side = session.stream();
  CUdeviceptr a = session.allocate(64);
  CUgraph graph = nullptr;
  OK(cu().streamBeginCapture(stream, CaptureMode::Global));
  session.order(stream, side);
  session.fillWith(a, 1, 64, side);
  EXPECT_EQ(cu().streamEndCapture(side, &graph), Result::StreamCaptureUnmatched);
  EXPECT_EQ(cu().streamEndCapture(stream, &graph), Result::StreamCaptureUnjoined);
  // Both streams are free again.
  session.fillWith(a, 2, 64, side);
  EXPECT_EQ(session.values(a, 64, side), Values(64, 2));

  CUevent event = session.event();
  OK(cu().streamBeginCapture(stream, CaptureMode::Relaxed));
  OK(cu().streamBeginCapture(side, CaptureMode::Relaxed));
  OK(cu().eventRecord(event, stream));
  EXPECT_EQ(cu().streamWaitEvent(side, event, 0), Result::StreamCaptureMerge);
  EXPECT_EQ(cu().streamEndCapture(stream, &graph), Result::StreamCaptureInvalidated);
  EXPECT_EQ(cu().streamEndCapture(side, &graph), Result::StreamCaptureInvalidated);
}

/// Each launch records them: the times are those of the last one.
TEST(Graphs, LaunchesRecordExternalEvents) {
  Session session;
  CUstream stream = session.stream();
  CUdeviceptr a = session.allocate(64), b = session.allocate(64);
  CUevent start = nullptr, end = nullptr, first = nullptr;
  for (CUevent *event : {&start, &end, &first})
    OK(cu().eventCreate(event, 0));
  EXPECT_EQ(cu().eventRecordWithFlags(start, stream, eventRecordExternal), Result::InvalidValue);
  CUgraph graph = nullptr;
  OK(cu().streamBeginCapture(stream, CaptureMode::Relaxed));
  OK(cu().eventRecordWithFlags(start, stream, eventRecordExternal));
  session.doubleInto(a, b, 64, stream);
  OK(cu().eventRecordWithFlags(end, stream, eventRecordExternal));
  OK(cu().streamEndCapture(stream, &graph));
  CUgraphExec exec = instantiate(graph);
  float time = 0, earlier = 0, later = 0;
  EXPECT_EQ(cu().eventElapsedTime(&time, start, end), Result::InvalidHandle); // not recorded yet
  OK(cu().eventRecordWithFlags(first, stream, 0));
  session.fillWith(a, 1, 64, stream);
  for (float *begun : {&earlier, &later}) {
    OK(cu().graphLaunch(exec, stream));
    EXPECT_EQ(cu().eventElapsedTime(&time, start, end), Result::NotReady);
    OK(cu().streamSynchronize(stream));
    OK(cu().eventElapsedTime(&time, start, end));
    EXPECT_GT(time, 0);
    OK(cu().eventElapsedTime(begun, first, start));
  }
  EXPECT_GE(later, earlier + time);
}

TEST(Graphs, WhatIsNotSimulated) {
  Session session;
  CUstream stream = session.stream();
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  OK(cu().streamBeginCapture(stream, CaptureMode::Relaxed));
  OK(cu().streamEndCapture(stream, &graph));
  GraphInstantiateParams parameters = {4, nullptr, nullptr, 0};
  expectRefused(Result::NotSupported, "unsupported: graphs that a device launches",
                [&] { return cu().graphInstantiateWithParams(&exec, graph, &parameters); });
  exec = instantiate(graph);
  OK(cu().streamBeginCapture(stream, CaptureMode::Relaxed));
  expectRefused(Result::NotSupported, "unsupported: a graph launched in a capture",
                [&] { return cu().graphLaunch(exec, stream); });
  OK(cu().streamEndCapture(stream, &graph));
}

TEST(Graphs, TheDefaultStreamWouldWait) {
  Session session;
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  OK(cu().streamCreateWithPriority(&stream, 0, 0));
  CUdeviceptr a = session.allocate(64);
  OK(cu().streamBeginCapture(stream, CaptureMode::Relaxed));
  EXPECT_EQ(cu().memsetD32Async(a, 0, 64, nullptr), Result::StreamCaptureImplicit);
  EXPECT_EQ(cu().streamEndCapture(stream, &graph), Result::StreamCaptureInvalidated);
}
} // namespace
