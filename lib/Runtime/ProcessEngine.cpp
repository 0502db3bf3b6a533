//===- ProcessEngine.cpp - Ranks as processes of one job ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction, steps and groups. ProcessTransfers.cpp has the collectives,
// ProcessWatch.cpp the handling of failures and hangs.
//
//===----------------------------------------------------------------------===//

#include "ProcessEngine.h"

#include <algorithm>

#include <sched.h>
#include <unistd.h>

using namespace dmc;
using namespace dmc::runtime;

/// What a launcher has bound this process to is its own; unbound processes share
/// the machine.
static int threadsOf(const Transport &transport) {
  auto all = std::max<int64_t>(sysconf(_SC_NPROCESSORS_ONLN), 1);
  cpu_set_t bound;
  int64_t own = sched_getaffinity(0, sizeof bound, &bound) == 0 ? CPU_COUNT(&bound) : all;
  int64_t share = all / std::max<int64_t>(transport.localSize(), 1);
  return static_cast<int>(std::max<int64_t>(1, own < all ? std::min(own, all) : share));
}

ProcessEngine::ProcessEngine(const dmc_program &program, const Mesh &mesh,
                             const SessionOptions &options)
    : Engine(program, mesh, options), transport_(*options.transport),
      watchdogSeconds_(options.watchdogSeconds) {
  int threads = options.threadsPerRank;
  initialize(context_, transport_.rank(), threads > 0 ? threads : threadsOf(transport_));
  groups_.resize(program.num_collectives);
}

Failure ProcessEngine::connect() {
  if (auto why = transport_.agree(startTeam(context_)))
    return why;
  // All processes go through the same list, so that no two of them wait for each
  // other in different groups.
  std::map<std::vector<int64_t>, void *> known;
  for (uint32_t i = 0; i < program_.num_collectives; ++i)
    for (const std::vector<int64_t> &ranks : groupsOf(program_.collectives[i])) {
      auto self = std::find(ranks.begin(), ranks.end(), context_.rank);
      if (self == ranks.end())
        continue;
      auto [made, isNew] = known.try_emplace(ranks, nullptr);
      if (isNew && ranks.size() > 1)
        if (auto why = transport_.makeGroup(ranks, made->second))
          return why;
      groups_[i] = {made->second, static_cast<int64_t>(ranks.size()), self - ranks.begin()};
      context_.groupSizes[i] = ranks.size();
    }
  return std::nullopt;
}

Failure ProcessEngine::run(Body body) {
  if (failed_)
    return std::string("an earlier step has failed");
  reset(context_);
  int32_t code = body(context_);
  if (code == 0 && !failed_)
    return std::nullopt;
  if (!failed_)
    fail("rank " + std::to_string(context_.rank) + " ended with code " + std::to_string(code));
  return awaitEnd() ? failure_ : std::string();
}

std::vector<int64_t> ProcessEngine::executions() const {
  std::vector<int64_t> most(program_.num_collectives, 0);
  addExecutions(context_, most);
  std::vector<uint8_t> all;
  auto bytes = static_cast<int64_t>(most.size() * sizeof(int64_t));
  if (transport_.allGather(most.data(), bytes, all))
    return most;
  const auto *counts = reinterpret_cast<const int64_t *>(all.data());
  for (int64_t r = 0; r < transport_.size(); ++r)
    for (size_t i = 0; i < most.size(); ++i)
      most[i] = std::max(most[i], counts[static_cast<size_t>(r) * most.size() + i]);
  return most;
}
