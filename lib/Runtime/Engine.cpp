//===- Engine.cpp - What all engines share --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Engine.h"
#include "dmc/Runtime/Element.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

using namespace dmc;
using namespace dmc::runtime;

void Engine::initialize(dmc_rank_context &context, int64_t rank, int threads) {
  context.engine = this;
  context.rank = rank;
  context.coordinates = mesh_.coordinates(rank);
  context.groupSizes.resize(program_.num_collectives);
  context.started.resize(program_.num_collectives);
  context.executions =
      std::make_unique<std::atomic<int64_t>[]>(std::max<uint32_t>(program_.num_collectives, 1));
  context.threads = threads;
  if (profiles_)
    context.recorder = std::make_unique<Recorder>();
  context.contractor = std::make_unique<Contractor>(threads);
}

Failure Engine::startTeam(dmc_rank_context &context) const {
  std::string error;
  context.team = Team::create(context.threads, error);
  return context.team ? Failure() : Failure(error);
}

void Engine::reset(dmc_rank_context &context) {
  context.collective = -1;
  context.failsAllocation = false;
  hasInjected_ = false;
  for (uint32_t i = 0; i < program_.num_collectives; ++i)
    context.executions[i] = 0;
  std::fill(context.started.begin(), context.started.end(), 0);
}

void Engine::addExecutions(const dmc_rank_context &context, std::vector<int64_t> &most) const {
  for (uint32_t i = 0; i < program_.num_collectives; ++i)
    most[i] = std::max(most[i], context.executions[i].load());
}

std::vector<std::vector<int64_t>> Engine::groupsOf(const dmc_collective &collective) const {
  std::vector<std::vector<int64_t>> groups;
  if (collective.num_groups) {
    for (uint32_t g = 0; g < collective.num_groups; ++g) {
      const int64_t *begin = collective.groups + int64_t(g) * collective.group_size;
      groups.emplace_back(begin, begin + collective.group_size);
    }
    return groups;
  }
  std::vector<AxisRef> axes;
  for (uint32_t a = 0; a < collective.num_axes; ++a)
    axes.push_back(axisRefOf(collective.axes[a]));
  for (int64_t rank = 0; rank < mesh_.numRanks(); ++rank)
    if (positionInGroup(mesh_, axes, rank) == 0)
      groups.push_back(group(mesh_, axes, rank));
  return groups;
}

//===----------------------------------------------------------------------===//
// What the program calls
//===----------------------------------------------------------------------===//

int32_t Engine::collective(dmc_rank_context &rank, int64_t index, const void *operand,
                           void *result) {
  if (hasFailed())
    return 1;
  if (index < 0 || index >= program_.num_collectives)
    return fail("rank " + std::to_string(rank.rank) + " calls collective " + std::to_string(index) +
                " of " + std::to_string(program_.num_collectives));
  rank.collective.store(index, std::memory_order_relaxed);
  rank.progress.fetch_add(1, std::memory_order_relaxed);
  ProfileEvent event;
  if (rank.recorder)
    event = {ProfileEvent::Collective, static_cast<uint32_t>(index), rank.recorder->now()};
  if (!execute(rank, index, static_cast<const uint8_t *>(operand), static_cast<uint8_t *>(result)))
    return 1;
  if (rank.recorder)
    rank.recorder->add(event);
  return 0;
}

bool Engine::execute(dmc_rank_context &rank, int64_t index, const uint8_t *source,
                     uint8_t *target) {
  bool isFaulty = fault_.hits(rank.rank, index);
  if (isFaulty && injectFault(rank, index))
    return false;
  const dmc_collective &collective = program_.collectives[index];
  if (rank.groupSizes[index] == 0) {
    std::memset(target, 0, collective.result_bytes);
  } else if (rank.groupSizes[index] == 1) {
    // Alone, everything but a permute without a pair is the identity.
    if (collective.kind == DMC_PERMUTE && collective.num_pairs == 0)
      std::memset(target, 0, collective.result_bytes);
    else if (collective.operand_bytes)
      std::memmove(target, source, collective.operand_bytes);
  } else {
    if (!transfer(rank, index, source, target))
      return false;
    if (isFaulty && injectAfter(rank, index, target))
      return false;
    if (checksCopies_ && !checkCopies(rank, index, target))
      return false;
  }
  rank.executions[index].fetch_add(1, std::memory_order_relaxed);
  return true;
}

/// The ranks of the group that the rank is in, in its order.
std::vector<int64_t> Engine::groupOf(int64_t rank, int64_t index) const {
  for (std::vector<int64_t> &ranks : groupsOf(program_.collectives[index]))
    if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end())
      return std::move(ranks);
  return {};
}

/// Compares the results of collectives that give all ranks of a group the same.
bool Engine::checkCopies(dmc_rank_context &rank, int64_t index, const uint8_t *result) {
  const dmc_collective &collective = program_.collectives[index];
  if (collective.kind != DMC_ALL_REDUCE && collective.kind != DMC_ALL_GATHER &&
      collective.kind != DMC_BROADCAST)
    return true;
  Hash mine;
  mine.add(result, static_cast<size_t>(collective.result_bytes));
  std::vector<Hash> all;
  if (!gatherHashes(rank, index, mine, all))
    return false;
  for (size_t i = 1; i < all.size(); ++i)
    if (all[i] != all[0]) {
      std::vector<int64_t> ranks = groupOf(rank.rank, index);
      return !fail("the result of " + describe(index) + " differs between ranks " +
                   std::to_string(ranks[0]) + " and " + std::to_string(ranks[i]) +
                   ", expected equal copies");
    }
  return true;
}

int32_t Engine::wait(dmc_rank_context &rank, int64_t index) {
  if (index < 0 || index >= program_.num_collectives || rank.started[index] == 0)
    return fail("rank " + std::to_string(rank.rank) + " waits for collective " +
                std::to_string(index) + ", which it did not start");
  --rank.started[index];
  return 0;
}

/// Whether more than one thread pays for a nest. Memory gives one thread about 10 GB/s and a scalar
/// loop does about a billion operations a second; nests much shorter than what it takes to wake
/// threads are left to one, and errors of this estimate by a factor of two cost little either way.
static bool paysToDivide(const dmc_nest &nest, Team &team) {
  if (nest.iterations < 2 || team.threads() < 2)
    return false;
  double seconds =
      std::max(static_cast<double>(nest.bytes) / 10e9, static_cast<double>(nest.flops) / 1e9);
  return seconds * (1 - 1.0 / team.threads()) > 2 * team.forkSeconds();
}

int32_t Engine::runNests(dmc_rank_context &rank, const dmc_kernel &kernel, const void *arguments,
                         int &threads) {
  for (uint32_t i = 0; i < kernel.num_nests; ++i) {
    const dmc_nest &nest = kernel.nests[i];
    int32_t code;
    if (paysToDivide(nest, *rank.team)) {
      struct Share {
        dmc_rank_context *rank;
        dmc_nest_fn function;
        const void *arguments;
      } share = {&rank, nest.function, arguments};
      threads = rank.team->threads();
      code = rank.team->run(
          nest.iterations,
          [](void *data, int64_t begin, int64_t end) {
            auto &share = *static_cast<Share *>(data);
            return share.function(share.rank, &api(), share.arguments, begin, end);
          },
          &share);
    } else {
      code = nest.function(&rank, &api(), arguments, 0, nest.iterations);
    }
    if (code)
      return code;
  }
  return 0;
}

int32_t Engine::launch(dmc_rank_context &rank, int64_t index, const void *arguments) {
  rank.progress.fetch_add(1, std::memory_order_relaxed);
  if (hasFailed())
    return 1;
  if (index < 0 || index >= program_.num_kernels)
    return fail("rank " + std::to_string(rank.rank) + " launches kernel " + std::to_string(index) +
                " of " + std::to_string(program_.num_kernels));
  int threads = 1;
  if (!rank.recorder)
    return runNests(rank, program_.kernels[index], arguments, threads);
  ProfileEvent event = {ProfileEvent::Launch, static_cast<uint32_t>(index), rank.recorder->now()};
  int32_t code = runNests(rank, program_.kernels[index], arguments, threads);
  event.threads = std::max(threads, rank.recorder->takeThreads());
  rank.recorder->add(event);
  return code;
}

int32_t Engine::contract(dmc_rank_context &rank, const dmc_contraction &contraction, const void *a,
                         const void *b, void *c) {
  rank.progress.fetch_add(1, std::memory_order_relaxed);
  onProgress(rank);
  if (hasFailed())
    return 1;
  // The library is loaded when the session is created, if the program says so.
  if (!program_.num_contractions)
    return fail("rank " + std::to_string(rank.rank) +
                " calls a contraction of a program that lists none");
  double start = rank.recorder ? rank.recorder->now() : 0;
  auto why = rank.contractor->run(contraction, a, b, c);
  if (rank.recorder)
    rank.recorder->addLibraryCall(rank.recorder->now() - start, rank.threads);
  rank.progress.fetch_add(1, std::memory_order_relaxed);
  if (!why)
    return 0;
  std::string location = contraction.location ? contraction.location : "";
  return fail(location.empty() ? *why : location + ": " + *why);
}

const dmc_runtime_api &Engine::api() {
  // A start performs the whole collective: the ranks' own threads move the data,
  // so there is nothing that could go on meanwhile.
  static const dmc_runtime_api table = {
      DMC_ABI_VERSION,
      0,
      [](dmc_rank_context *rank, int64_t index, const void *operand, void *result) {
        return rank->engine->collective(*rank, index, operand, result);
      },
      [](dmc_rank_context *rank, int64_t index, const void *operand, void *result) {
        int32_t code = rank->engine->collective(*rank, index, operand, result);
        if (code == 0)
          ++rank->started[index];
        return code;
      },
      [](dmc_rank_context *rank, int64_t index) { return rank->engine->wait(*rank, index); },
      [](dmc_rank_context *rank, const dmc_contraction *contraction, const void *a, const void *b,
         void *c) { return rank->engine->contract(*rank, *contraction, a, b, c); },
      [](dmc_rank_context *rank, int64_t kernel, const void *arguments) {
        return rank->engine->launch(*rank, kernel, arguments);
      }};
  return table;
}

//===----------------------------------------------------------------------===//
// Faults and messages
//===----------------------------------------------------------------------===//

std::string Engine::describe(int64_t index) const {
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

std::string Engine::describeWait(int64_t rank, int64_t index, int64_t executions) const {
  return "\n  rank " + std::to_string(rank) + " waits at " + describe(index) + ", executed " +
         std::to_string(executions) + " times before";
}

/// When the rank comes to the collective. True if it must not go on.
bool Engine::injectFault(dmc_rank_context &rank, int64_t index) {
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

/// When the rank has the collective's result. True if it must not go on.
bool Engine::injectAfter(dmc_rank_context &rank, int64_t index, uint8_t *result) {
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

Failure Engine::checkFault() const {
  if (fault_.collective < 0 || !isHere(fault_.rank) || hasInjected_)
    return std::nullopt;
  return "rank " + std::to_string(fault_.rank) + " did not execute " + describe(fault_.collective) +
         " in this step, for which DMC_FAULT asked";
}

bool Engine::reserve(dmc_rank_context &rank, Buffer &buffer, size_t bytes) {
  bool isFault = rank.failsAllocation;
  rank.failsAllocation = false;
  if (!isFault) {
    if (buffer && buffer.size() >= bytes)
      return true;
    buffer = Buffer(); // free first: both may not fit
    buffer = Buffer::allocate(bytes);
    if (buffer)
      return true;
  }
  return !fail("rank " + std::to_string(rank.rank) + " has not enough memory for a buffer of " +
               std::to_string(bytes) + " bytes for " + describe(rank.collective) +
               (isFault ? ", as DMC_FAULT asked for" : ""));
}
