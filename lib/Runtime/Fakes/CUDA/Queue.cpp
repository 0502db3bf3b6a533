//===- Queue.cpp - Streams, and when their work is executed ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Queue.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <tuple>

using namespace dmc;
using namespace dmc::fakes;

namespace {
/// What sleeping threads wait for: a number that grows.
struct Progress {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t count = 0;

  uint64_t now() {
    std::lock_guard<std::mutex> lock(mutex);
    return count;
  }
};
} // namespace

static Progress &progress() {
  static auto *state = new Progress();
  return *state;
}

void fakes::wake() {
  Progress &state = progress();
  {
    std::lock_guard<std::mutex> lock(state.mutex);
    ++state.count;
  }
  state.changed.notify_all();
}

/// Sleeps until something has changed since `seen`. Work of other processes tells nobody here that
/// it is ready: that is looked at from time to time.
static void sleepSince(Lock &lock, uint64_t seen) {
  constexpr auto look = std::chrono::milliseconds(10);
  lock.unlock();
  {
    Progress &state = progress();
    std::unique_lock<std::mutex> waiting(state.mutex);
    state.changed.wait_for(waiting, look, [&] { return state.count != seen; });
  }
  lock.lock();
}

//===----------------------------------------------------------------------===//
// Giving work
//===----------------------------------------------------------------------===//

std::shared_ptr<Stream> fakes::makeStream(Context &context, const std::string &name) {
  Simulation &state = simulation();
  auto stream = std::make_shared<Stream>();
  stream->context = &context;
  stream->name = state.intern(name);
  stream->lane = state.numLanes++;
  context.streams.push_back(stream);
  return stream;
}

/// A number that differs for each of a context's operations and, for one seed, is always the same.
static uint64_t seedOf(const Context &context) {
  uint64_t seed = simulation().settings.seed;
  if (!seed)
    return 0;
  std::seed_seq mixed{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32),
                      static_cast<uint32_t>(context.device), context.numOperations};
  uint32_t words[2];
  mixed.generate(words, words + 2);
  return (uint64_t(words[0]) << 32 | words[1]) | 1;
}

std::shared_ptr<Operation> fakes::enqueue(const std::shared_ptr<Stream> &stream,
                                          std::shared_ptr<const Work> work,
                                          const Operations &dependencies) {
  Simulation &state = simulation();
  Context &context = *stream->context;
  auto operation = std::make_shared<Operation>();
  operation->stream = stream;
  operation->position = ++stream->position;
  ++context.numOperations;
  operation->seed = seedOf(context);

  Clock &clock = operation->clock;
  auto after = [&](const std::shared_ptr<Operation> &earlier) {
    if (!earlier)
      return;
    clock.join(earlier->clock);
    if (earlier->isDone)
      operation->notBefore = std::max(operation->notBefore, earlier->end);
    else
      operation->dependencies.push_back(earlier);
  };
  clock.join(context.host);
  clock.join(thread().host);
  operation->notBefore = context.hostTime;
  if (stream->last)
    clock.join(stream->last->clock); // waits in the same queue
  for (const std::shared_ptr<Operation> &earlier : dependencies)
    after(earlier);
  // The default stream and those that do not forbid it wait for each other.
  if (stream->isDefault) {
    for (const std::shared_ptr<Stream> &other : context.streams)
      if (other != stream && other->isBlocking)
        after(other->last);
  } else if (stream->isBlocking) {
    after(context.streams.front()->last);
  }
  clock.advance(stream->lane, operation->position);

  operation->number = state.history.add(
      {stream->lane, operation->position, state.intern(work->name), stream->name});
  if (work->module)
    work->module->uses.advance(stream->lane, operation->position);
  for (const HostRange &range : work->host)
    state.host.protect(range, operation->number);
  operation->work = std::move(work);
  stream->queue.push_back(operation);
  stream->last = operation;
  wake();
  return operation;
}

/// Refuses what would order the default stream with a stream that is being captured.
static bool disturbsCapture(const Stream &stream) {
  bool disturbs = false;
  if (stream.isDefault)
    for (const std::shared_ptr<Stream> &other : stream.context->streams)
      if (other->capture && other->isBlocking)
        disturbs = other->capture->isInvalid = true;
  return disturbs;
}

Result fakes::submit(const std::shared_ptr<Stream> &stream, Work work,
                     std::shared_ptr<Operation> *operation) {
  if (Capture *capture = stream->capture.get()) {
    if (capture->isInvalid)
      return Result::StreamCaptureInvalidated;
    auto at = std::find(capture->streams.begin(), capture->streams.end(), stream);
    capture->nodes.push_back({std::make_shared<Work>(std::move(work)),
                              static_cast<size_t>(at - capture->streams.begin()), stream->before});
    stream->before = {capture->nodes.size() - 1};
    return Result::Success;
  }
  if (disturbsCapture(*stream))
    return Result::StreamCaptureImplicit;
  auto given = enqueue(stream, std::make_shared<Work>(std::move(work)));
  if (operation)
    *operation = given;
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Executing it
//===----------------------------------------------------------------------===//

static bool canBegin(const Operation &operation) {
  return std::all_of(operation.dependencies.begin(), operation.dependencies.end(),
                     [](const auto &earlier) { return earlier->isDone; });
}

/// Those at the head of a stream that have nothing to wait for but themselves.
static Operations candidates(Context &context) {
  auto &streams = context.streams;
  // A destroyed stream stays as long as it has work.
  streams.erase(std::remove_if(streams.begin() + 1, streams.end(),
                               [](const auto &stream) {
                                 return stream->queue.empty() && stream.use_count() == 1;
                               }),
                streams.end());
  Operations found;
  for (const std::shared_ptr<Stream> &stream : streams)
    if (!stream->queue.empty() && canBegin(*stream->queue.front()))
      found.push_back(stream->queue.front());
  // By random priorities: each order that is allowed can come, and does so again with its seed.
  std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) {
    return std::tie(a->seed, a->number) < std::tie(b->seed, b->number);
  });
  return found;
}

namespace {
/// Calls user code as work of a context, without the lock.
class InWork {
public:
  InWork(Lock &lock, Context &context, double time) : lock_(lock), thread_(thread()) {
    current_ = thread_.current;
    thread_.workBegin = time;
    thread_.current = &context;
    thread_.isInWork = true;
    lock_.unlock();
  }
  ~InWork() {
    lock_.lock();
    thread_.isInWork = false;
    thread_.current = current_;
  }

private:
  Lock &lock_;
  Thread &thread_;
  Context *current_;
};
} // namespace

/// When it begins on the modelled device, once all that it comes after has ended.
static double timeOf(const Operation &operation) {
  double time = std::max(operation.stream->time, operation.notBefore);
  for (const std::shared_ptr<Operation> &earlier : operation.dependencies)
    time = std::max(time, earlier->end);
  return time;
}

static void execute(Lock &lock, Context &context, const std::shared_ptr<Operation> &operation) {
  double seconds = 0, start = timeOf(*operation);
  if (operation->work->run) {
    InWork work(lock, context, start);
    seconds = operation->work->run(*operation);
  }
  std::shared_ptr<Stream> keep = std::move(operation->stream); // its last operation is kept by it
  Stream &stream = *keep;
  stream.time = operation->end = start + seconds;
  operation->dependencies.clear();
  operation->isDone = true;
  ++thread().numExecuted;
  // A reset may have emptied it meanwhile.
  if (!stream.queue.empty() && stream.queue.front() == operation)
    stream.queue.pop_front();
}

/// Executes one operation of the context; false if none can be.
static bool step(Lock &lock, Context &context) {
  if (context.isExecuting || !context.retained)
    return false;
  context.isExecuting = true;
  bool hasRun = false;
  for (const std::shared_ptr<Operation> &operation : candidates(context)) {
    if (operation->work->ready) {
      InWork work(lock, context, timeOf(*operation));
      if (!operation->work->ready())
        continue;
    }
    execute(lock, context, operation);
    hasRun = true;
    break;
  }
  context.isExecuting = false;
  if (hasRun)
    wake();
  return hasRun;
}

/// As step, with the work of other contexts if there is none: a device works on while the thread
/// that gave the work waits elsewhere.
static bool stepAnywhere(Lock &lock, Context &context) {
  if (step(lock, context))
    return true;
  for (const auto &other : simulation().contexts)
    if (other.get() != &context && step(lock, *other))
      return true;
  return false;
}

static void joinHost(Context &context, const Operation &operation) {
  context.host.join(operation.clock);
  context.hostTime = std::max(context.hostTime, operation.end);
  thread().host.join(operation.clock);
  simulation().host.release(
      [&](uint32_t number) { return simulation().history.isKnown(context.host, number); });
}

Result fakes::wait(Lock &lock, Context &context, const std::shared_ptr<Operation> &operation) {
  while (operation && !operation->isDone) {
    uint64_t seen = progress().now();
    if (!stepAnywhere(lock, context))
      sleepSince(lock, seen);
  }
  if (operation)
    joinHost(context, *operation);
  return context.error;
}

Result fakes::query(Lock &lock, Context &context, const std::shared_ptr<Operation> &operation) {
  if (operation && !operation->isDone) {
    // A device gets on between two questions, by a little.
    uint64_t steps = 1 + operation->seed % 3;
    while (steps-- && stepAnywhere(lock, context))
      ;
  }
  if (Result error = context.error; error != Result::Success)
    return error;
  if (operation && !operation->isDone)
    return Result::NotReady;
  if (operation)
    joinHost(context, *operation);
  return Result::Success;
}

void fakes::quiesce(Lock &lock, Context &context) {
  while (context.isExecuting) {
    uint64_t seen = progress().now();
    sleepSince(lock, seen);
  }
}

bool fakes::isIdle(const Context &context) {
  for (const std::shared_ptr<Stream> &stream : context.streams)
    if (context.host.at(stream->lane) < stream->position)
      return false;
  return true;
}

bool fakes::isHostOrdered(const Context &context, uint32_t operation) {
  return simulation().history.isKnown(context.host, operation);
}
