//===- HostDevice.cpp - The processor as a rank's device ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device/Device.h"
#include "Device/Team.h"
#include "dmc/Runtime/Contraction.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>
#include <cstring>

using namespace dmc;
using namespace dmc::runtime;

/// Whether more than one thread pays for a nest: it takes the longer of moving its bytes and
/// computing, and n threads save (1 - 1/n) of that; waking them must take less than half of what is
/// saved, since rates are those of one thread alone and of nests that are not alike.
static bool paysToDivide(const dmc_nest &nest, Team &team, const ThreadRates &rates) {
  if (nest.iterations < 2 || team.threads() < 2)
    return false;
  if (rates.bytes <= 0 || rates.flops <= 0)
    return true;
  double seconds = std::max(static_cast<double>(nest.bytes) / rates.bytes,
                            static_cast<double>(nest.flops) / rates.flops);
  return seconds * (1 - 1.0 / team.threads()) > 2 * team.forkSeconds();
}

namespace {
class HostDevice final : public Device {
public:
  HostDevice(int threads, const ThreadRates &rates, int libraryThreads, double leastDividedFlops)
      : threads_(threads), libraryThreads_(libraryThreads), rates_(rates),
        contractor_(libraryThreads, leastDividedFlops) {}

  Failure start() override {
    std::string error;
    team_ = Team::create(threads_, error);
    return team_ ? Failure() : Failure(error);
  }
  Failure prepare(const dmc_program &program, void *scratch) override;
  int threads() const override { return threads_; }
  Team *team() override { return team_.get(); }
  int32_t launch(dmc_rank_context &rank, const dmc_runtime_api &api, const dmc_kernel &kernel,
                 const void *arguments, int &usedThreads, Failure &why) override;
  Failure call(const dmc_call &call, void *const *operands, int &usedThreads) override;
  // Everything has ended when its function returns.
  Failure event(int64_t, dmc_event_kind, uint32_t) override { return std::nullopt; }
  Failure copy(void *to, uint32_t toSpace, const void *from, uint32_t fromSpace, int64_t bytes,
               uint32_t) override;
  void divideBytes(int64_t bytes, void (*body)(void *data, size_t part, size_t parts),
                   void *data) override;

private:
  int threads_, libraryThreads_;
  ThreadRates rates_;
  Contractor contractor_;
  std::unique_ptr<Team> team_;
};
} // namespace

int32_t HostDevice::launch(dmc_rank_context &rank, const dmc_runtime_api &api,
                           const dmc_kernel &kernel, const void *arguments, int &usedThreads,
                           Failure &why) {
  for (uint32_t i = 0; i < kernel.num_nests; ++i) {
    const dmc_nest &nest = kernel.nests[i];
    if (!nest.function) {
      why = std::string(kernel.name) + ": is not compiled for the processor";
      return 1;
    }
    int32_t code;
    if (paysToDivide(nest, *team_, rates_)) {
      struct Share {
        dmc_rank_context *rank;
        const dmc_runtime_api *api;
        dmc_nest_fn function;
        const void *arguments;
      } share = {&rank, &api, nest.function, arguments};
      usedThreads = threads_;
      code = team_->run(
          nest.iterations,
          [](void *data, int64_t begin, int64_t end) {
            auto &share = *static_cast<Share *>(data);
            return share.function(share.rank, share.api, share.arguments, begin, end);
          },
          &share);
    } else {
      code = nest.function(&rank, &api, arguments, 0, nest.iterations);
    }
    if (code)
      return code;
  }
  return 0;
}

Failure HostDevice::prepare(const dmc_program &program, void *scratch) {
  contractor_.setScratch(scratch, callScratchOf(program));
  for (uint32_t i = 0; i < program.num_calls; ++i)
    if (program.calls[i].contraction)
      if (auto why = contractor_.prepare(*program.calls[i].contraction))
        return why;
  return std::nullopt;
}

Failure HostDevice::call(const dmc_call &call, void *const *operands, int &usedThreads) {
  usedThreads = libraryThreads_;
  return contractor_.run(*call.contraction, operands[0], operands[1], operands[2], team_.get());
}

Failure HostDevice::copy(void *to, uint32_t toSpace, const void *from, uint32_t fromSpace,
                         int64_t bytes, uint32_t) {
  if (toSpace != DMC_MEMORY_HOST || fromSpace != DMC_MEMORY_HOST)
    return "the processor has no memory of space " + std::to_string(std::max(toSpace, fromSpace));
  std::memmove(to, from, static_cast<size_t>(bytes));
  return std::nullopt;
}

void HostDevice::divideBytes(int64_t bytes, void (*body)(void *data, size_t part, size_t parts),
                             void *data) {
  struct Job {
    void (*body)(void *data, size_t part, size_t parts);
    void *data;
    size_t parts;
  } job = {body, data, static_cast<size_t>(threads_)};
  if (!paysToDivide({nullptr, threads_, bytes, 0, nullptr}, *team_, rates_))
    return body(data, 0, 1);
  team_->run(
      threads_,
      [](void *pointer, int64_t begin, int64_t end) {
        auto &job = *static_cast<Job *>(pointer);
        for (int64_t part = begin; part < end; ++part)
          job.body(job.data, static_cast<size_t>(part), job.parts);
        return 0;
      },
      &job);
}

std::unique_ptr<Device> Device::createHost(int threads, const ThreadRates &rates,
                                           int libraryThreads, double leastDividedFlops) {
  return std::make_unique<HostDevice>(threads, rates, libraryThreads, leastDividedFlops);
}
