//===- LocalCommunicator.cpp - Ranks that share memory --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups and meetings. Collectives.cpp has the data movement.
//
//===----------------------------------------------------------------------===//

#include "Communicator/LocalCommunicator.h"
#include "Communicator/Collectives.h"
#include "dmc/Runtime/Element.h"

#include <algorithm>
#include <cstring>

using namespace dmc;
using namespace dmc::runtime;

/// Operands up to this size are copied when their rank arrives: one meeting is
/// then enough. Larger ones are read in place, and their owners wait for readers.
static constexpr int64_t stagedBytes = 16 * 1024;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Equal groups are shared, and groups of the same ranks share their meeting
/// point: a mismatch then shows when the ranks meet.
Failure LocalCommunicator::connect() {
  data_.resize(static_cast<size_t>(ranks_.mesh().numRanks()));
  for (RankData &data : data_)
    data.groups.resize(program_.num_collectives);
  std::map<std::vector<int64_t>, Group *> known;
  for (uint32_t i = 0; i < program_.num_collectives; ++i)
    for (const std::vector<int64_t> &ranks : groupsOf(program_.collectives[i])) {
      Group *&shared = known[ranks];
      if (!shared) {
        std::vector<int64_t> members = ranks;
        std::sort(members.begin(), members.end());
        auto &point = points_[members];
        if (!point)
          point = std::make_unique<MeetingPoint>(members, ranks_.makeBarrier(members.size()));
        groups_.push_back(std::make_unique<Group>());
        shared = groups_.back().get();
        shared->point = point.get();
        for (int64_t rank : ranks)
          shared->order.push_back(std::lower_bound(members.begin(), members.end(), rank) -
                                  members.begin());
      }
      for (size_t position = 0; position < ranks.size(); ++position) {
        data_[ranks[position]].groups[i] = {shared, position};
        setGroupSize(ranks[position], i, ranks.size());
      }
    }
  return std::nullopt;
}

void LocalCommunicator::checkSameCollective(const MeetingPoint &point) {
  for (size_t i = 1; i < point.slots.size(); ++i)
    if (point.slots[i].collective != point.slots[0].collective) {
      ranks_.fail("ranks meet at different collectives: rank " + std::to_string(point.members[0]) +
                  " at " + ranks_.describe(point.slots[0].collective) + ", rank " +
                  std::to_string(point.members[i]) + " at " +
                  ranks_.describe(point.slots[i].collective));
      return;
    }
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

bool LocalCommunicator::transfer(dmc_rank_context &rank, int64_t index, const uint8_t *operand,
                                 uint8_t *result) {
  const dmc_collective &collective = program_.collectives[index];
  RankData &data = data_[rank.rank];
  auto [group, position] = data.groups[index];
  MeetingPoint &point = *group->point;
  size_t groupSize = group->order.size();
  size_t self = group->order[position];
  auto bytes = static_cast<size_t>(collective.operand_bytes);
  bool staged = collective.operand_bytes <= stagedBytes;
  bool inScratch = !staged && collective.kind == DMC_ALL_REDUCE;

  auto &staging = point.staging[point.barrier.epoch() & 1];
  if (staged) {
    if (!reserve(rank, staging[self], stagedBytes))
      return false;
    if (bytes)
      std::memcpy(staging[self].data(), operand, bytes);
    operand = staging[self].data();
  } else if (!inScratch && groupSize > 1 &&
             overlap(operand, collective.operand_bytes, result, collective.result_bytes)) {
    if (!reserve(rank, data.ownCopy, bytes))
      return false;
    std::memcpy(data.ownCopy.data(), operand, bytes);
    operand = data.ownCopy.data();
  }
  point.slots[self].collective = index;
  point.slots[self].operand = operand;
  bool good = ranks_.meet(rank, point.barrier, [&] {
    checkSameCollective(point);
    // One buffer for all of them: a fault of any is a fault of all.
    for (int64_t member : point.members)
      if (inScratch && !reserve(*ranks_.find(member), point.scratch, bytes))
        return;
  });
  if (!good)
    return false;

  std::vector<const uint8_t *> operands;
  for (size_t member : group->order)
    operands.push_back(staged ? staging[member].data() : point.slots[member].operand);
  if (!inScratch) {
    moveData(collective, position, operands, result);
    return staged || ranks_.meet(rank, point.barrier, [] {});
  }
  Slice slice = sliceOf(operandElements(collective), elementBytes(collective.element_type),
                        position, groupSize);
  reduceSlice(collective, slice, operands, point.scratch.data());
  if (!ranks_.meet(rank, point.barrier, [] {}))
    return false;
  std::memcpy(result, point.scratch.data(), bytes);
  return true;
}

bool LocalCommunicator::gatherHashes(dmc_rank_context &rank, int64_t index, const Hash &mine,
                                     std::vector<Hash> &all) {
  auto [group, position] = data_[rank.rank].groups[index];
  MeetingPoint &point = *group->point;
  // The ranks meet in a transfer before these are written again.
  point.slots[group->order[position]].hash = mine;
  if (!ranks_.meet(rank, point.barrier, [] {}))
    return false;
  for (size_t member : group->order)
    all.push_back(point.slots[member].hash);
  return true;
}
