//===- Ranks.cpp - What runs the steps of a program -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks' state, faults that were asked for, and names in messages.
//
//===----------------------------------------------------------------------===//

#include "Ranks/Ranks.h"
#include "CUDA/CudaDevice.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

using namespace dmc;
using namespace dmc::runtime;

void Ranks::add(int64_t rank, int threads, int device, const SessionOptions &options) {
  auto context = std::make_unique<dmc_rank_context>();
  context->rank = rank;
  context->coordinates = mesh_.coordinates(rank);
  context->started.resize(program_.num_collectives);
  context->executions =
      std::make_unique<std::atomic<int64_t>[]>(std::max<uint32_t>(program_.num_collectives, 1));
  auto rate = [](int64_t asked, int64_t ofProgram) {
    return static_cast<double>(asked > 0 ? asked : ofProgram);
  };
  if (program_.device == DMC_DEVICE_CUDA)
    context->device =
        cuda::createDevice(program_, device, options.device == DeviceChoice::Simulated);
  else
    context->device =
        Device::createHost(threads,
                           {rate(options.threadBytesPerSecond, program_.thread_bytes_per_s),
                            rate(options.threadFlopsPerSecond, program_.thread_flops_per_s)},
                           options.deterministic ? 1 : threads,
                           rate(options.leastDividedFlops, program_.least_divided_flops));
  if (options.profile)
    context->recorder = std::make_unique<Recorder>();
  ranks_.push_back(std::move(context));
}

dmc_rank_context *Ranks::find(int64_t rank) const {
  for (const auto &context : ranks_)
    if (context->rank == rank)
      return context.get();
  return nullptr;
}

void Ranks::reset() {
  hasInjected_ = false;
  for (auto &rank : ranks_) {
    rank->state = RankState::Idle;
    rank->collective = -1;
    rank->failsAllocation = false;
    for (uint32_t i = 0; i < program_.num_collectives; ++i)
      rank->executions[i] = 0;
    std::fill(rank->started.begin(), rank->started.end(), 0);
  }
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

std::string Ranks::describe(int64_t index) const {
  const dmc_collective &collective = program_.collectives[index];
  std::string text =
      "collective " + std::to_string(index) + " (" + collectiveName(collective.kind) + " over {";
  for (uint32_t i = 0; i < collective.num_axes; ++i)
    text += (i ? ", \"" : "\"") + toString(mesh_, axisRefOf(collective.axes[i])) + "\"";
  if (collective.num_groups)
    text += groupsText(collective);
  text += "}";
  if (collective.location && *collective.location)
    text += std::string(" at ") + collective.location;
  return text + ")";
}

std::string Ranks::describeWait(int64_t rank, int64_t index, int64_t executions) const {
  return "\n  rank " + std::to_string(rank) + " waits at " + describe(index) + ", executed " +
         std::to_string(executions) + " times before";
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

bool Ranks::injectBefore(dmc_rank_context &rank, int64_t index) {
  using Clock = std::chrono::steady_clock;
  hasInjected_ = true;
  auto start = Clock::now();
  switch (fault_.action) {
  case Fault::Action::None:
  case Fault::Action::Corrupt:
    return false;
  case Fault::Action::Fail:
    return fail("rank " + std::to_string(rank.rank) + " failed at " + describe(index) +
                ", as DMC_FAULT asked for");
  case Fault::Action::Stall:
    while (!hasFailed())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return true;
  case Fault::Action::Kill:
    std::raise(SIGKILL);
    return true;
  case Fault::Action::Delay:
    while ((Clock::now() - start) / std::chrono::milliseconds(1) < fault_.milliseconds &&
           !hasFailed())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return hasFailed();
  case Fault::Action::NoMemory:
    rank.failsAllocation = true;
    return false;
  }
  return false;
}

bool Ranks::injectAfter(dmc_rank_context &rank, int64_t index, uint8_t *result) {
  // The bit below the highest: in a float it belongs to the exponent, so that the
  // change is too large to be rounded away later, whatever the value. i1 has one bit.
  uint32_t type = program_.collectives[index].element_type;
  if (fault_.action == Fault::Action::Corrupt)
    result[elementBytes(type) - 1] ^= type == DMC_I1 ? 1 : 0x40;
  if (!rank.failsAllocation)
    return false;
  rank.failsAllocation = false;
  return fail("rank " + std::to_string(rank.rank) + " needs no buffer for " + describe(index) +
              ", whose allocation DMC_FAULT asked to fail");
}

Failure Ranks::checkFault() const {
  if (fault_.collective < 0 || !find(fault_.rank) || hasInjected_)
    return std::nullopt;
  return "rank " + std::to_string(fault_.rank) + " did not execute " + describe(fault_.collective) +
         " in this step, for which DMC_FAULT asked";
}
