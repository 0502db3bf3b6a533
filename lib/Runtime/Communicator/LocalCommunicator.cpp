//===- LocalCommunicator.cpp - Ranks that share memory --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups and meetings. Collectives.cpp has the data movement.
//
//===----------------------------------------------------------------------===//

#include "Communicator/LocalCommunicator.h"
#include "dmc/Runtime/Report.h"

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
  for (RankData &data : data_) {
    data.members.resize(program_.num_collectives);
    data.operands.reserve(data_.size());
    data.results.reserve(data_.size());
  }
  std::map<std::vector<int64_t>, Group *> known;
  for (uint32_t i = 0; i < program_.num_collectives; ++i) {
    const dmc_collective &collective = program_.collectives[i];
    plans_.push_back(
        std::make_unique<CollectivePlan>(collective, static_cast<size_t>(groupSizeOf(collective))));
    for (const std::vector<int64_t> &ranks : groupsOf(collective)) {
      Group *&shared = known[ranks];
      if (!shared) {
        std::vector<int64_t> members = ranks;
        std::sort(members.begin(), members.end());
        auto &point = points_[members];
        if (!point)
          point = std::make_unique<MeetingPoint>(members, ranks_.makeBarrier(members.size()));
        for (auto &set : point->staging)
          for (Buffer &buffer : set)
            buffer = Buffer::allocate(stagedBytes); // without memory, the first use says so
        groups_.push_back(std::make_unique<Group>());
        shared = groups_.back().get();
        shared->point = point.get();
        for (int64_t rank : ranks)
          shared->order.push_back(std::lower_bound(members.begin(), members.end(), rank) -
                                  members.begin());
      }
      for (size_t position = 0; position < ranks.size(); ++position) {
        data_[ranks[position]].members[i] = {shared, position, plans_.back().get()};
        setGroupSize(ranks[position], i, ranks.size());
      }
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
  const Member &member = data.members[index];
  const Group &group = *member.group;
  const CollectivePlan &plan = *member.plan;
  MeetingPoint &point = *group.point;
  size_t self = group.order[member.position];
  auto bytes = static_cast<size_t>(collective.operand_bytes);
  bool isStaged = collective.operand_bytes <= stagedBytes;

  auto &staging = point.staging[point.barrier.epoch() & 1];
  if (isStaged || !plan.canOverlap(member.position, operand, result)) {
    Buffer &copy = isStaged ? staging[self] : data.ownCopy;
    if (!reserve(rank, copy, isStaged ? stagedBytes : bytes))
      return false;
    if (bytes)
      std::memcpy(copy.data(), operand, bytes);
    operand = copy.data();
  }
  MeetingPoint::Slot &slot = point.slots[self];
  slot.collective = index;
  slot.operand = operand;
  slot.result = result;
  if (!ranks_.meet(rank, point.barrier, [&] { checkSameCollective(point); }))
    return false;

  data.operands.clear();
  data.results.clear();
  for (size_t other : group.order) {
    if (isStaged) { // the slot of a rank that has gone on is that of its next collective
      data.operands.push_back(staging[other].data());
      continue;
    }
    data.operands.push_back(point.slots[other].operand);
    data.results.push_back(point.slots[other].result);
  }
  const uint8_t *const *operands = data.operands.data();
  if (isStaged) {
    plan.move(member.position, operands, result);
    return true;
  }
  rank.device->divide(plan.bytes(), [&](size_t part, size_t parts) {
    if (collective.kind == DMC_ALL_REDUCE)
      plan.reduceForAll(member.position, operands, data.results.data(), {part, parts});
    else
      plan.move(member.position, operands, result, {part, parts});
  });
  return ranks_.meet(rank, point.barrier, [] {});
}

bool LocalCommunicator::gatherHashes(dmc_rank_context &rank, int64_t index, const Hash &mine,
                                     std::vector<Hash> &all) {
  const auto &[group, position, plan] = data_[rank.rank].members[index];
  MeetingPoint &point = *group->point;
  point.slots[group->order[position]].hash = mine;
  if (!ranks_.meet(rank, point.barrier, [] {}))
    return false;
  for (size_t member : group->order)
    all.push_back(point.slots[member].hash);
  // All have read them before they are written again.
  return ranks_.meet(rank, point.barrier, [] {});
}
