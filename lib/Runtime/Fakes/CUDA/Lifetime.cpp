//===- Lifetime.cpp - Devices and contexts begin and end ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lifetime.h"
#include "Queue.h"

using namespace dmc;
using namespace dmc::fakes;

void fakes::openDevices() {
  Simulation &state = simulation();
  auto count = static_cast<size_t>(state.settings.devices);
  // Handles of contexts stay valid addresses: none is removed.
  while (state.contexts.size() < count) {
    state.contexts.push_back(std::make_unique<Context>());
    state.contexts.back()->device = static_cast<int>(state.contexts.size()) - 1;
  }
  state.isInitialized = true;
}

void fakes::openContext(Context &context) {
  Simulation &state = simulation();
  context.memory =
      std::make_unique<ptx::Memory>(firstAddressOf(context.device, state.settings.devices));
  context.allocated.clear();
  context.usedBytes = 0;
  context.numStreams = context.numGraphs = context.numOperations = 0;
  context.host = Clock();
  context.error = Result::Success;
  makeStream(context, "default stream")->isDefault = true;
}

/// Operations, streams and graphs refer to each other.
static void unlink(Stream &stream) {
  for (const std::shared_ptr<Operation> &operation : stream.queue) {
    operation->dependencies.clear();
    operation->isDone = true;
    operation->stream.reset();
  }
  stream.queue.clear();
  stream.last.reset();
  if (stream.capture)
    stream.capture->streams.clear();
  stream.capture.reset();
}

void fakes::closeContext(Context &context) {
  Simulation &state = simulation();
  auto isOwn = [&](const auto &object) { return object.context == &context; };
  std::vector<std::shared_ptr<Stream>> streams = std::move(context.streams);
  context.streams.clear();
  state.events.eraseIf(isOwn);
  state.graphs.eraseIf(isOwn);
  state.execs.eraseIf(isOwn);
  state.functions.eraseIf([&](const Function &f) { return f.module->context == &context; });
  state.modules.eraseIf(isOwn);
  state.streams.eraseIf(isOwn);
  auto &captures = state.captures;
  for (const std::shared_ptr<Stream> &stream : streams)
    for (size_t i = captures.size(); i-- > 0;)
      if (captures[i] == stream->capture)
        captures.erase(captures.begin() + static_cast<ptrdiff_t>(i));
  // What the host accesses is not waited for any more.
  state.host.release([&](uint32_t number) {
    for (const std::shared_ptr<Stream> &stream : streams)
      if (stream->lane == state.history[number].lane)
        return true;
    return false;
  });
  for (const std::shared_ptr<Stream> &stream : streams)
    unlink(*stream);
  for (auto region = state.regions.begin(); region != state.regions.end();)
    region = context.memory->find(region->first) == region->second ? state.regions.erase(region)
                                                                   : std::next(region);
  context.memory.reset();
}

void fakes::reset() {
  Simulation &state = simulation();
  Lock lock(state.mutex);
  for (const auto &context : state.contexts)
    if (context->retained) {
      closeContext(*context);
      context->retained = 0;
    }
  state.host.clear();
  state.regions.clear();
  state.history.clear();
  state.names.clear();
  state.numLanes = 0;
  state.isInitialized = false;
  state.settings = Settings();
  ++state.epoch;
  clearReports();
}
