//===- Graphs.cpp - Captured streams, and graphs of them ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A capture records work and what it comes after. A launch gives copies of it: each captured stream
// becomes a branch with an order of its own, between two points in the stream of the launch.
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include <algorithm>

using namespace dmc;
using namespace dmc::fakes;

/// Whether the end of the capture comes after all that was captured.
static bool isJoined(const Capture &capture) {
  std::vector<bool> isReached(capture.nodes.size());
  std::vector<size_t> next = capture.streams.front()->before;
  while (!next.empty()) {
    size_t node = next.back();
    next.pop_back();
    if (isReached[node])
      continue;
    isReached[node] = true;
    next.insert(next.end(), capture.nodes[node].before.begin(), capture.nodes[node].before.end());
  }
  return std::all_of(isReached.begin(), isReached.end(), [](bool reached) { return reached; });
}

static void endCapture(const std::shared_ptr<Capture> &capture) {
  capture->isEnded = true;
  for (const std::shared_ptr<Stream> &stream : capture->streams) {
    stream->capture.reset();
    stream->before.clear();
  }
  capture->streams.clear();
  auto &all = simulation().captures;
  all.erase(std::remove(all.begin(), all.end(), capture), all.end());
}

static std::shared_ptr<Work> named(const char *name) {
  auto work = std::make_shared<Work>();
  work->name = name;
  return work;
}

static void launch(GraphExec &exec, const std::shared_ptr<Stream> &stream) {
  // A graph does not run beside itself.
  std::shared_ptr<Operation> begin = enqueue(stream, named("begin of a graph"), {exec.end});
  Operations given, last(exec.branches.size());
  for (const Capture::Node &node : exec.graph.nodes) {
    Operations before;
    if (!last[node.branch])
      before.push_back(begin);
    for (size_t earlier : node.before)
      before.push_back(given[earlier]);
    given.push_back(enqueue(exec.branches[node.branch], node.work, before));
    last[node.branch] = given.back();
    if (node.work->event) {
      node.work->event->operation = given.back();
      node.work->event->capture.reset();
    }
  }
  last.push_back(begin);
  exec.end = enqueue(stream, named("end of a graph"), last);
}

namespace dmc::cuda {
extern "C" {

Result cuStreamBeginCapture_v2(CUstream handle, CaptureMode mode) {
  return Call("cuStreamBeginCapture_v2", handle, mode).inContext([&](Context &context, Lock &) {
    std::shared_ptr<Stream> stream = streamOf(context, handle);
    if (!stream)
      return Result::InvalidHandle;
    if (mode < CaptureMode::Global || mode > CaptureMode::Relaxed)
      return Result::InvalidValue;
    if (stream->isDefault)
      return Result::StreamCaptureUnsupported;
    if (stream->capture)
      return Result::IllegalState;
    auto capture = std::make_shared<Capture>();
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    capture->streams = {stream};
    stream->capture = capture;
    stream->before.clear();
    simulation().captures.push_back(std::move(capture));
    return Result::Success;
  });
}

Result cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  return Call("cuStreamEndCapture", handle).inContext([&](Context &context, Lock &) {
    std::shared_ptr<Stream> stream = streamOf(context, handle);
    if (!stream)
      return Result::InvalidHandle;
    if (!graph)
      return Result::InvalidValue;
    *graph = nullptr;
    std::shared_ptr<Capture> capture = stream->capture;
    if (!capture)
      return Result::IllegalState;
    if (capture->streams.front() != stream)
      return Result::StreamCaptureUnmatched;
    if (capture->mode != CaptureMode::Relaxed && capture->thread != std::this_thread::get_id())
      return Result::StreamCaptureWrongThread;
    bool joined = isJoined(*capture);
    auto object = std::make_shared<Graph>();
    object->context = &context;
    object->numBranches = capture->streams.size();
    endCapture(capture);
    if (capture->isInvalid)
      return Result::StreamCaptureInvalidated;
    if (!joined)
      return Result::StreamCaptureUnjoined;
    object->nodes = std::move(capture->nodes);
    *graph = simulation().graphs.add<CUgraph>(std::move(object));
    return Result::Success;
  });
}

Result cuStreamIsCapturing(CUstream handle, CaptureStatus *status) {
  return Call("cuStreamIsCapturing", handle).inContext([&](Context &context, Lock &) {
    std::shared_ptr<Stream> stream = streamOf(context, handle);
    if (!stream)
      return Result::InvalidHandle;
    if (!status)
      return Result::InvalidValue;
    *status = !stream->capture             ? CaptureStatus::None
              : stream->capture->isInvalid ? CaptureStatus::Invalidated
                                           : CaptureStatus::Active;
    return Result::Success;
  });
}

Result cuGraphInstantiateWithParams(CUgraphExec *handle, CUgraph graphHandle,
                                    GraphInstantiateParams *parameters) {
  Call call("cuGraphInstantiateWithParams", graphHandle);
  return call.inContext([&](Context &context, Lock &) {
    std::shared_ptr<Graph> graph = simulation().graphs.find(graphHandle);
    if (!handle || !parameters)
      return Result::InvalidValue;
    if (!graph)
      return Result::InvalidHandle;
    constexpr uint64_t deviceLaunch = 4, allFlags = 15;
    if (parameters->flags > allFlags)
      return Result::InvalidValue;
    if (parameters->flags & deviceLaunch)
      return refuse(Result::NotSupported, "unsupported: graphs that a device launches");
    auto exec = std::make_shared<GraphExec>();
    exec->context = &context;
    exec->graph = *graph;
    std::string name = "graph " + std::to_string(++context.numGraphs);
    for (size_t branch = 0; branch < graph->numBranches; ++branch) {
      auto stream = makeStream(context, name + " branch " + std::to_string(branch + 1));
      stream->isBlocking = false;
      exec->branches.push_back(std::move(stream));
    }
    parameters->errorNode = nullptr;
    parameters->result = 0;
    *handle = simulation().execs.add<CUgraphExec>(std::move(exec));
    return Result::Success;
  });
}

Result cuGraphLaunch(CUgraphExec handle, CUstream streamHandle) {
  return Call("cuGraphLaunch", handle, streamHandle).inContext([&](Context &context, Lock &) {
    std::shared_ptr<GraphExec> exec = simulation().execs.find(handle);
    std::shared_ptr<Stream> stream = streamOf(context, streamHandle);
    if (!exec || !stream || exec->context != &context)
      return Result::InvalidHandle;
    if (stream->capture)
      return refuse(Result::NotSupported, "unsupported: a graph launched in a capture");
    launch(*exec, stream);
    return Result::Success;
  });
}

Result cuGraphExecDestroy(CUgraphExec handle) {
  return Call("cuGraphExecDestroy", handle).inContext([&](Context &, Lock &) {
    if (!simulation().execs.find(handle))
      return Result::InvalidHandle;
    simulation().execs.erase(handle); // launches of it are still executed
    return Result::Success;
  });
}

Result cuGraphDestroy(CUgraph handle) {
  return Call("cuGraphDestroy", handle).inContext([&](Context &, Lock &) {
    if (!simulation().graphs.find(handle))
      return Result::InvalidHandle;
    simulation().graphs.erase(handle);
    return Result::Success;
  });
}

} // extern "C"
} // namespace dmc::cuda
