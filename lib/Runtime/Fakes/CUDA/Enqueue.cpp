//===- Enqueue.cpp - What other fake libraries call -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/Enqueue.h"
#include "Call.h"
#include "Fakes/CUDA/Accesses.h"
#include "Fakes/CUDA/Cost.h"
#include "Fakes/CUDA/Lifetime.h"

#include <algorithm>

using namespace dmc;
using namespace dmc::fakes;

static std::vector<Range> rangesOf(const dmc_fake_range *ranges, uint64_t count) {
  std::vector<Range> found;
  for (uint64_t i = 0; i < count; ++i)
    if (ranges[i].bytes)
      found.push_back({ranges[i].address, ranges[i].bytes});
  return found;
}

namespace {
/// What a library has given with its work.
struct Given {
  void (*release)(void *data) = nullptr;
  void *data = nullptr;
  ~Given() {
    if (release)
      release(data);
  }
};
} // namespace

extern "C" {

int dmcFakeEnqueue(void *handle, const char *name, int (*ready)(void *data),
                   void (*body)(void *data), void (*release)(void *data), void *data,
                   const dmc_fake_range *reads, uint64_t num_reads, const dmc_fake_range *writes,
                   uint64_t num_writes) {
  Call call("dmcFakeEnqueue", name);
  return static_cast<int>(call.inContext([&](Context &context, Lock &) {
    std::shared_ptr<Stream> stream = streamOf(context, static_cast<CUstream>(handle));
    if (!stream)
      return Result::InvalidHandle;
    if (!name || !body)
      return Result::InvalidValue;
    std::vector<Range> read = rangesOf(reads, num_reads), written = rangesOf(writes, num_writes);
    Work work;
    work.name = name;
    work.uses = read;
    work.uses.insert(work.uses.end(), written.begin(), written.end());
    if (ready)
      work.ready = [=] { return ready(data) != 0; };
    auto given = std::make_shared<Given>();
    given->data = data;
    work.run = [=](Operation &operation) {
      uint64_t bytes = 0;
      for (const Range &range : read) {
        accessBytes(operation, range, /*isWrite=*/false);
        bytes += range.bytes;
      }
      for (const Range &range : written) {
        accessBytes(operation, range, /*isWrite=*/true);
        bytes += range.bytes;
      }
      thread().workSeconds = 0;
      body(given->data);
      return std::max(secondsOfBytes(bytes), startSeconds + thread().workSeconds);
    };
    Result result = submit(stream, std::move(work));
    if (result == Result::Success)
      given->release = release;
    return result;
  }));
}

void *dmcFakeHostAddress(uint64_t address, uint64_t bytes) {
  Simulation &state = simulation();
  Lock lock(state.mutex);
  ptx::Region *region = state.regionOf(address, bytes);
  return region ? region->bytes.data() + (address - region->base) : nullptr;
}

double dmcFakeTime(void) { return thread().workBegin; }

void dmcFakeTakes(double seconds) {
  Thread &mine = thread();
  mine.workSeconds = std::max(mine.workSeconds, seconds);
}

void dmcFakeReport(const char *kind, const char *message) {
  report(thread().current, kind ? kind : "", message ? message : "");
}

void dmcFakeWake(void) { wake(); }

uint64_t dmcFakeExecuted(void) { return thread().numExecuted; }

uint64_t dmcFakeSeed(void) { return simulation().settings.seed; }

int dmcFakeDevice(void) {
  const Context *context = thread().current;
  return context && context->retained ? context->device : -1;
}

uint64_t dmcFakeReportCount(void) { return reports().size(); }

const char *dmcFakeReportText(uint64_t number) {
  thread_local std::string text;
  std::vector<std::string> all = reports();
  text = number < all.size() ? all[number] : "";
  return text.c_str();
}

void dmcFakeReset(void) { reset(); }
}
