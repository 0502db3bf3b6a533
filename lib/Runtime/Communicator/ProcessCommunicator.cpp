//===- ProcessCommunicator.cpp - Ranks that send messages -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups. ProcessTransfers.cpp has the collectives.
//
//===----------------------------------------------------------------------===//

#include "Communicator/ProcessCommunicator.h"

#include <algorithm>
#include <map>

using namespace dmc;
using namespace dmc::runtime;

Failure ProcessCommunicator::connect() {
  // All processes go through the same list, so that no two of them wait for each
  // other in different groups.
  std::map<std::vector<int64_t>, void *> known;
  for (uint32_t i = 0; i < program_.num_collectives; ++i)
    for (const std::vector<int64_t> &ranks : groupsOf(program_.collectives[i])) {
      auto self = std::find(ranks.begin(), ranks.end(), ranks_.self().rank);
      if (self == ranks.end())
        continue;
      auto [made, isNew] = known.try_emplace(ranks, nullptr);
      if (isNew && ranks.size() > 1)
        if (auto why = transport_.makeGroup(ranks, made->second))
          return why;
      groups_[i] = {made->second, static_cast<int64_t>(ranks.size()), self - ranks.begin(),
                    std::make_unique<CollectivePlan>(program_.collectives[i], ranks.size())};
      setGroupSize(ranks_.self().rank, i, ranks.size());
    }
  return std::nullopt;
}

std::vector<int64_t> ProcessCommunicator::executions() const {
  std::vector<int64_t> most = Communicator::executions();
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
