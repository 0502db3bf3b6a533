//===- Engine.cpp - What all engines share --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Engine.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
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
  context.contractor = std::make_unique<Contractor>(threads);
}

void Engine::reset(dmc_rank_context &context) const {
  context.collective = -1;
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
  if (faultAction_ != FaultAction::None && injectFault(rank, index))
    return 1;
  const auto *source = static_cast<const uint8_t *>(operand);
  auto *target = static_cast<uint8_t *>(result);
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
      return 1;
    if (checksCopies_ && !checkCopies(rank, index, target))
      return 1;
  }
  rank.executions[index].fetch_add(1, std::memory_order_relaxed);
  return 0;
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

int32_t Engine::contract(dmc_rank_context &rank, const dmc_contraction &contraction, const void *a,
                         const void *b, void *c) {
  rank.progress.fetch_add(1, std::memory_order_relaxed);
  onProgress(rank);
  if (hasFailed())
    return 1;
  auto why = rank.contractor->run(contraction, a, b, c);
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
         void *c) { return rank->engine->contract(*rank, *contraction, a, b, c); }};
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

Failure Engine::parseFault(const std::string &text) {
  if (text.empty())
    return std::nullopt;
  char action[16] = {};
  long long rank = -1, collective = -1;
  int end = 0;
  int fields = std::sscanf(text.c_str(), "rank=%lld,collective=%lld,action=%15[a-z]%n", &rank,
                           &collective, action, &end);
  std::string name = action;
  if (fields != 3 || static_cast<size_t>(end) != text.size() || rank < 0 || collective < 0 ||
      (name != "fail" && name != "stall"))
    return "malformed DMC_FAULT \"" + text +
           "\", expected \"rank=R,collective=C,action=fail|stall\"";
  faultRank_ = rank;
  faultCollective_ = collective;
  faultAction_ = name == "fail" ? FaultAction::Fail : FaultAction::Stall;
  return std::nullopt;
}

bool Engine::injectFault(dmc_rank_context &rank, int64_t index) {
  if (rank.rank != faultRank_ || index != faultCollective_)
    return false;
  if (faultAction_ == FaultAction::Fail) {
    fail("rank " + std::to_string(rank.rank) + " failed at " + describe(index) +
         ", as DMC_FAULT asked for");
    return true;
  }
  while (!hasFailed())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return true;
}
