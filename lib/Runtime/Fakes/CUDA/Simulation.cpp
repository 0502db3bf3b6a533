//===- Simulation.cpp - The state of the simulated driver -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulation.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

using namespace dmc;
using namespace dmc::fakes;

Simulation &fakes::simulation() {
  // Never destroyed: threads may still call when the process ends.
  static auto *state = new Simulation();
  return *state;
}

Thread &fakes::thread() {
  thread_local Thread state;
  // What it knew was forgotten by a reset.
  if (uint64_t epoch = simulation().epoch; state.epoch != epoch) {
    state = Thread();
    state.epoch = epoch;
  }
  return state;
}

ptx::Address fakes::firstAddressOf(int device, int numDevices) {
  // The windows of shared and other memory begin at 0x7f00'0000'0000.
  constexpr ptx::Address room = (uint64_t(0x7f00) << 32) - ptx::Memory::firstAddress;
  uint64_t share = uint64_t(1) << 43;
  while (share > room / static_cast<uint64_t>(numDevices))
    share >>= 1;
  return ptx::Memory::firstAddress + static_cast<uint64_t>(device) * share;
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

/// Sets `value` if the variable has one; else says what is expected.
static std::string readNumber(const char *name, const char *text, uint64_t most, uint64_t &value) {
  if (!text || !*text)
    return "";
  char *end = nullptr;
  errno = 0;
  unsigned long long number = std::strtoull(text, &end, 10);
  if (*end || errno || *text == '-' || *text == '+' || number > most)
    return std::string(name) + "=" + text + ": expected a number from 0 to " + std::to_string(most);
  value = number;
  return "";
}

std::string Settings::read() {
  *this = Settings();
  // At least 2^37 bytes of addresses for each.
  constexpr uint64_t mostDevices = 64, mostMemory = uint64_t(1) << 37;
  uint64_t count = static_cast<uint64_t>(devices);
  uint64_t isApproximate = 0;
  std::string wrong;
  auto take = [&](const char *name, const char *text, uint64_t most, uint64_t &value) {
    if (wrong.empty())
      wrong = readNumber(name, text, most, value);
  };
  take("DMC_SIMULATED_SEED", std::getenv("DMC_SIMULATED_SEED"), ~uint64_t(0), seed);
  take("DMC_SIMULATED_DEVICES", std::getenv("DMC_SIMULATED_DEVICES"), mostDevices, count);
  take("DMC_SIMULATED_MEMORY", std::getenv("DMC_SIMULATED_MEMORY"), mostMemory, memory);
  take("DMC_SIMULATED_APPROXIMATE", std::getenv("DMC_SIMULATED_APPROXIMATE"), 1, isApproximate);
  devices = static_cast<int>(count);
  approximates = isApproximate != 0;
  auto takeFile = [&](const char *name, const char *file, std::string &target) {
    if (!file || !*file || !wrong.empty())
      return;
    target = file;
    int opened = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (opened < 0)
      wrong = std::string(name) + "=" + file + ": expected a file that can be written";
    else
      close(opened);
  };
  takeFile("DMC_SIMULATED_REPORT", std::getenv("DMC_SIMULATED_REPORT"), reportFile);
  takeFile("DMC_SIMULATED_TRACE", std::getenv("DMC_SIMULATED_TRACE"), traceFile);
  return wrong;
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

Context *Simulation::find(CUcontext handle) const {
  for (const auto &context : contexts)
    if (reinterpret_cast<CUcontext>(context.get()) == handle && context->retained)
      return context.get();
  return nullptr;
}

ptx::Region *Simulation::regionOf(ptx::Address address, uint64_t bytes) const {
  auto next = regions.upper_bound(address);
  if (next == regions.begin())
    return nullptr;
  ptx::Region *region = std::prev(next)->second;
  uint64_t offset = address - region->base;
  return offset < region->size && bytes <= region->size - offset ? region : nullptr;
}

ptx::Accessor Operation::accessor() const {
  return {number,
          [this](uint32_t earlier) { return simulation().history.isKnown(clock, earlier); }};
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

namespace {
struct Reports {
  std::mutex mutex;
  std::vector<std::string> lines;
};
} // namespace

static Reports &allReports() {
  static auto *all = new Reports();
  return *all;
}

void fakes::report(Context *context, const std::string &kind, const std::string &message,
                   Result error) {
  std::string line = "simulated " +
                     (context ? "device " + std::to_string(context->device) : "CUDA driver") +
                     ": " + kind + ": " + message;
  Reports &all = allReports();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.lines.push_back(line);
  line += "\n";
  std::fputs(line.c_str(), stderr);
  if (const std::string &file = simulation().settings.reportFile; !file.empty()) {
    // One write a line: several processes may share the file.
    int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (opened < 0 || write(opened, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      std::fprintf(stderr, "simulated CUDA driver: cannot write %s\n", file.c_str());
    if (opened >= 0)
      close(opened);
  }
  Result none = Result::Success;
  if (context)
    context->error.compare_exchange_strong(none, error);
}

void fakes::report(const Operation &operation, const std::string &kind, const std::string &message,
                   Result error) {
  report(operation.stream->context, kind,
         simulation().history.describe(operation.number) + ": " + message, error);
}

std::vector<std::string> fakes::reports() {
  Reports &all = allReports();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.lines;
}

void fakes::clearReports() {
  Reports &all = allReports();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.lines.clear();
}

Result fakes::refuse(Result result, const std::string &why) {
  std::fprintf(stderr, "simulated CUDA driver: %s\n", why.c_str());
  return result;
}
