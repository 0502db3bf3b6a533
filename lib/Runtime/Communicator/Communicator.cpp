//===- Communicator.cpp - What all communicators share --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Communicator/Communicator.h"
#include "dmc/Runtime/Report.h"

#include <algorithm>
#include <cstring>

using namespace dmc;
using namespace dmc::runtime;

Communicator::Communicator(const dmc_program &program, Ranks &ranks, bool checksCopies)
    : program_(program), ranks_(ranks), checksCopies_(checksCopies),
      groupSizes_(static_cast<size_t>(ranks.mesh().numRanks()) * program.num_collectives) {}

void Communicator::setGroupSize(int64_t rank, int64_t index, size_t size) {
  groupSizes_[static_cast<size_t>(rank) * program_.num_collectives + index] = size;
}

std::vector<std::vector<int64_t>> Communicator::groupsOf(const dmc_collective &collective) const {
  std::vector<std::vector<int64_t>> groups;
  if (collective.num_groups) {
    for (uint32_t g = 0; g < collective.num_groups; ++g) {
      const int64_t *begin = collective.groups + int64_t(g) * collective.group_size;
      groups.emplace_back(begin, begin + collective.group_size);
    }
    return groups;
  }
  const Mesh &mesh = ranks_.mesh();
  std::vector<AxisRef> axes;
  axes.reserve(collective.num_axes);
  for (uint32_t a = 0; a < collective.num_axes; ++a)
    axes.push_back(axisRefOf(collective.axes[a]));
  for (int64_t rank = 0; rank < mesh.numRanks(); ++rank)
    if (positionInGroup(mesh, axes, rank) == 0)
      groups.push_back(group(mesh, axes, rank));
  return groups;
}

/// The ranks of the group that the rank is in, in its order.
std::vector<int64_t> Communicator::groupOf(int64_t rank, int64_t index) const {
  for (std::vector<int64_t> &ranks : groupsOf(program_.collectives[index]))
    if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end())
      return std::move(ranks);
  return {};
}

std::vector<int64_t> Communicator::executions() const {
  std::vector<int64_t> most(program_.num_collectives, 0);
  for (const auto &rank : ranks_.local())
    for (uint32_t i = 0; i < program_.num_collectives; ++i)
      most[i] = std::max(most[i], rank->executions[i].load());
  return most;
}

bool Communicator::execute(dmc_rank_context &rank, int64_t index, const uint8_t *operand,
                           uint8_t *result) {
  bool isFaulty = ranks_.isFaulty(rank, index);
  if (isFaulty && ranks_.injectBefore(rank, index))
    return false;
  const dmc_collective &collective = program_.collectives[index];
  size_t groupSize = groupSizes_[static_cast<size_t>(rank.rank) * program_.num_collectives + index];
  if (groupSize == 0) {
    std::memset(result, 0, collective.result_bytes);
  } else if (groupSize == 1) {
    // Alone, everything but a permute without a pair is the identity.
    if (collective.kind == DMC_PERMUTE && collective.num_pairs == 0)
      std::memset(result, 0, collective.result_bytes);
    else if (collective.operand_bytes)
      std::memmove(result, operand, collective.operand_bytes);
  } else {
    if (!transfer(rank, index, operand, result))
      return false;
    if (isFaulty && ranks_.injectAfter(rank, index, result))
      return false;
    if (checksCopies_ && !checkCopies(rank, index, result))
      return false;
  }
  rank.executions[index].fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool Communicator::checkCopies(dmc_rank_context &rank, int64_t index, const uint8_t *result) {
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
      return !ranks_.fail("the result of " + ranks_.describe(index) + " differs between ranks " +
                          std::to_string(ranks[0]) + " and " + std::to_string(ranks[i]) +
                          ", expected equal copies");
    }
  return true;
}

bool Communicator::reserve(dmc_rank_context &rank, Buffer &buffer, size_t bytes) {
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
  return !ranks_.fail("rank " + std::to_string(rank.rank) +
                      " has not enough memory for a buffer of " + std::to_string(bytes) +
                      " bytes for " + ranks_.describe(rank.collective) +
                      (isFault ? ", as DMC_FAULT asked for" : ""));
}
