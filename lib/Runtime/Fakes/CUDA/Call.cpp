//===- Call.cpp - What all functions of the simulated driver do -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Call.h"

#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

using namespace dmc;
using namespace dmc::fakes;

bool Call::isTraced() { return !simulation().settings.traceFile.empty(); }

Result Call::begin() {
  Simulation &state = simulation();
  if (!state.isInitialized)
    return Result::NotInitialized;
  if (thread().isInWork) {
    report(thread().current, "call in a callback",
           std::string(name_) + " is called by work of a stream, which may call no function of "
                                "the driver");
    return Result::NotPermitted;
  }
  for (const HostMemory::Fault &fault : state.host.takeFaults())
    report(thread().current, "unordered host access",
           "the host accesses pinned memory at offset " + std::to_string(fault.offset) +
               ", which " + state.history.describe(fault.operation) +
               (fault.isWrite ? " writes" : " reads") + ", and has not waited for it");
  return Result::Success;
}

Result Call::trace(Result result) {
  const std::string &file = simulation().settings.traceFile;
  if (file.empty())
    return result;
  Context *context = thread().current;
  std::string line = (context ? "device " + std::to_string(context->device) : "no device") + ": " +
                     name_ + "(" + arguments_ + ") = " + std::to_string(static_cast<int>(result)) +
                     "\n";
  int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (opened < 0 || write(opened, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::fprintf(stderr, "simulated CUDA driver: cannot write %s\n", file.c_str());
  if (opened >= 0)
    close(opened);
  return result;
}

std::shared_ptr<Stream> fakes::streamOf(Context &context, CUstream handle) {
  if (!handle || handle == legacyStream())
    return context.streams.front();
  std::shared_ptr<Stream> stream = simulation().streams.find(handle);
  return stream && stream->context == &context ? stream : nullptr;
}

bool fakes::isUnsafeInCapture() {
  // NVIDIA's cuThreadExchangeStreamCaptureMode describes which captures forbid what.
  bool isForbidden = false;
  for (const std::shared_ptr<Capture> &capture : simulation().captures)
    if (capture->mode == CaptureMode::Global || (capture->mode == CaptureMode::ThreadLocal &&
                                                 capture->thread == std::this_thread::get_id()))
      isForbidden = capture->isInvalid = true;
  return isForbidden;
}
