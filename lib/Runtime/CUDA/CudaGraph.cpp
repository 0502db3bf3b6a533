//===- CudaGraph.cpp - The launches of a step as one graph ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CUDA/CudaGraph.h"

using namespace dmc;
using namespace dmc::cuda;

std::optional<std::string> CudaGraph::failed(const char *what, Result result) const {
  if (result == Result::Success)
    return std::nullopt;
  return std::string(what) + ": " + describe(result);
}

CudaGraph::~CudaGraph() {
  drop();
  for (CUevent event : events_)
    (void)driver_.eventDestroy(event);
}

Result CudaGraph::order(bool isFork) {
  Result result = Result::Success;
  auto call = [&](Result next) {
    if (result == Result::Success)
      result = next;
  };
  for (size_t i = 1; i < streams_.size(); ++i) {
    CUevent event = events_[i];
    call(driver_.eventRecord(event, streams_[isFork ? 0 : i]));
    call(driver_.streamWaitEvent(streams_[isFork ? i : 0], event, 0));
  }
  return result;
}

std::optional<std::string> CudaGraph::begin() {
  if (auto why = failed("cannot use the device", driver_.ctxSetCurrent(context_)))
    return why;
  while (events_.size() < streams_.size()) {
    CUevent event = nullptr;
    if (auto why = failed("cannot make an event", driver_.eventCreate(&event, eventDisableTiming)))
      return why;
    events_.push_back(event);
  }
  // Relaxed: libraries may allocate at their first call, and other ranks are other threads.
  if (auto why = failed("cannot capture the step",
                        driver_.streamBeginCapture(streams_[0], CaptureMode::Relaxed)))
    return why;
  isCapturing_ = true;
  auto why = failed("cannot capture the step", order(/*isFork=*/true));
  if (why)
    (void)end(/*keeps=*/false);
  return why;
}

std::optional<std::string> CudaGraph::end(bool keeps) {
  isCapturing_ = false;
  Result result = driver_.ctxSetCurrent(context_);
  Result joined = result == Result::Success ? order(/*isFork=*/false) : result;
  CUgraph graph = nullptr;
  result = driver_.streamEndCapture(streams_[0], &graph);
  if (result == Result::Success)
    result = joined;
  if (result == Result::Success && keeps) {
    GraphInstantiateParams parameters = {};
    result = driver_.graphInstantiateWithParams(&exec_, graph, &parameters);
  }
  if (graph)
    (void)driver_.graphDestroy(graph);
  return keeps ? failed("cannot capture the step", result) : std::nullopt;
}

std::optional<std::string> CudaGraph::launch() {
  if (auto why = failed("cannot use the device", driver_.ctxSetCurrent(context_)))
    return why;
  return failed("cannot launch the graph", driver_.graphLaunch(exec_, streams_[0]));
}

void CudaGraph::drop() {
  if (exec_ && driver_.ctxSetCurrent(context_) == Result::Success)
    (void)driver_.graphExecDestroy(exec_);
  exec_ = nullptr;
}
