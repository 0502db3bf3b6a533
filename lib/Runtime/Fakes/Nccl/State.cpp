//===- State.cpp - Names, settings and faults of the simulated NCCL -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fakes/Nccl/State.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace dmc::cuda::nccl {

size_t bytesOf(Type type) {
  switch (type) {
  case Type::I8:
  case Type::U8:
  case Type::F8E4M3:
  case Type::F8E5M2:
    return 1;
  case Type::F16:
  case Type::BF16:
    return 2;
  case Type::I32:
  case Type::U32:
  case Type::F32:
    return 4;
  case Type::I64:
  case Type::U64:
  case Type::F64:
    return 8;
  }
  return 0;
}

const char *nameOf(Type type) {
  const char *names[] = {"i8",  "ui8", "i32", "ui32", "i64",    "ui64",
                         "f16", "f32", "f64", "bf16", "f8e4m3", "f8e5m2"};
  return names[static_cast<int>(type)];
}

std::string nameOf(Reduction reduction) {
  const char *names[] = {"sum", "product", "maximum", "minimum", "average"};
  auto number = static_cast<int>(reduction);
  return number < numReductions ? names[number] : "a sum with a factor";
}

const char *nameOf(Kind kind) {
  const char *names[] = {"all-reduce", "all-gather", "reduce-scatter", "broadcast",
                         "reduce",     "all-to-all", "send",           "receive"};
  return names[static_cast<int>(kind)];
}

const char *functionOf(Kind kind) {
  const char *names[] = {"ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclBroadcast",
                         "ncclReduce",    "ncclAlltoAll",  "ncclSend",          "ncclRecv"};
  return names[static_cast<int>(kind)];
}

State &state() {
  static auto *state = new State();
  return *state;
}

void State::notify() {
  changed.notify_all();
  dmcFakeWake();
}

/// One step of SplitMix64 (Steele, Lea and Flood, 2014).
static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

uint64_t drawFrom(uint64_t a, uint64_t b) {
  uint64_t seed = dmcFakeSeed();
  return seed ? mix(mix(mix(seed) ^ a) ^ b) : 0;
}

std::chrono::milliseconds patience() {
  constexpr double unset = 120; // more than the runtime's own watchdog has
  const char *text = std::getenv("DMC_SIMULATED_NCCL_TIMEOUT");
  double seconds = text && *text ? std::strtod(text, nullptr) : unset;
  return std::chrono::milliseconds(static_cast<int64_t>(1000 * (seconds > 0 ? seconds : unset)));
}

/// Has a lock of its own: refusals happen with and without that of the state.
static std::mutex &lastErrorMutex() {
  static auto *mutex = new std::mutex();
  return *mutex;
}

Result refuse(Result result, const std::string &function, const std::string &why) {
  if (state().isRepeating)
    return result;
  std::fprintf(stderr, "simulated NCCL: %s: %s\n", function.c_str(), why.c_str());
  Lock lock(lastErrorMutex());
  state().lastError = function + ": " + why;
  return result;
}

void report(const std::string &kind, const std::string &text) {
  if (!state().isRepeating)
    dmcFakeReport(kind.c_str(), text.c_str());
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

namespace {
/// rank=R,operation=K,action=A
struct FaultPlan {
  bool isSet = false;
  int rank = 0;
  uint64_t operation = 0;
  Fault action = Fault::None;
};
} // namespace

static FaultPlan readPlan() {
  FaultPlan plan;
  const char *text = std::getenv("DMC_SIMULATED_NCCL_FAULT");
  if (!text || !*text)
    return plan;
  char action[16] = {};
  unsigned long long operation = 0;
  int used = 0;
  // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): what is not read is refused
  plan.isSet = std::sscanf(text, "rank=%d,operation=%llu,action=%15[a-z]%n", &plan.rank, &operation,
                           action, &used) == 3 &&
               !text[used];
  plan.operation = operation;
  plan.action = !std::strcmp(action, "die")      ? Fault::Die
                : !std::strcmp(action, "refuse") ? Fault::Refuse
                : !std::strcmp(action, "hang")   ? Fault::Hang
                                                 : Fault::None;
  if (!plan.isSet || plan.action == Fault::None) {
    std::fprintf(stderr,
                 "DMC_SIMULATED_NCCL_FAULT=%s: expected rank=R,operation=K,action=A with an action "
                 "die, refuse or hang\n",
                 text);
    std::exit(1);
  }
  return plan;
}

Fault faultOf(DeviceState &device) {
  FaultPlan plan = readPlan();
  uint64_t number = device.numCalled++;
  return plan.isSet && plan.rank == device.rank && plan.operation == number ? plan.action
                                                                            : Fault::None;
}

extern "C" {

Result ncclGetVersion(int *version) {
  if (!version)
    return Result::InvalidArgument;
  const char *text = std::getenv("DMC_SIMULATED_NCCL_VERSION");
  *version = text && *text ? static_cast<int>(std::strtol(text, nullptr, 10)) : 22809;
  return Result::Success;
}

const char *ncclGetErrorString(Result result) {
  switch (result) {
  case Result::Success:
    return "no error";
  case Result::UnhandledCudaError:
    return "unhandled cuda error";
  case Result::SystemError:
    return "unhandled system error";
  case Result::InternalError:
    return "internal error";
  case Result::InvalidArgument:
    return "invalid argument";
  case Result::InvalidUsage:
    return "invalid usage";
  case Result::RemoteError:
    return "remote process exited or there was a network error";
  case Result::InProgress:
    return "NCCL operation in progress";
  }
  return "unknown result code";
}

const char *ncclGetLastError(Communicator) {
  thread_local std::string text;
  Lock lock(lastErrorMutex());
  text = state().lastError;
  return text.c_str();
}
}

} // namespace dmc::cuda::nccl
